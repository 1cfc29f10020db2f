package config

import (
	"strings"
	"testing"
	"unicode"
)

// What is wrong with a file is told without telling what may be secret in it.
func TestErrorsShowNoSecretsAndNoControlCharacters(t *testing.T) {
	for name, text := range map[string]string{
		"misspelt table":   "[agents.x]\ncommand = \"x\"\nenvv = { K = \"SECRET\" }",
		"misspelt section": "[agents.x]\ncommand = \"x\"\n[agents.x.envv]\nK = \"SECRET\"",
		"inline beside":    "[agents]\nx = { command = 1, env = { K = \"SECRET\" } }",
		"inline before":    "[agents]\nx = { env = { K = \"SECRET\" }, colour = 1 }",
		"misspelt beside":  "[agents]\nx = { command = 1, envv = { K = \"SECRET\" } }",
		"lines of a table": "[agents]\nx = {\n command = 1, env.K = \"SECRET\"\n}",
		"after a text":     "[agents]\nx = { env.K = \"\"\"\nSECRET\"\"\", command = 1 }",
		"unterminated":     "[agents.x]\nenv = { K = \"SECRET }",
		"unquoted":         "[agents.x.env]\nname = SECRET",
		"unquoted inline":  "[agents.x]\nenv = { K = SECRET }",
		"several lines":    "[agents.x]\nenv = { K = \"\"\"\nSECRET=\\q",
		"bad reference":    "[agents.x]\ncommand = \"x\"\nenv.K = \"SECRET $\"",
		"header":           "[mcp.x]\ntype = \"http\"\nurl = \"http://x\"\nheaders.\"a b\" = \"SECRET\"",
		"not a table":      "[mcp.x]\ntype = \"http\"\nurl = \"http://x\"\nheaders = \"SECRET\"",
		"control":          "\"a\\u001b[31m\\u202e\" = 1\n",
		"control in name":  "[\"agents\".\"\\u001b]0;x\\u0007\"]\n",
		"raw control":      "theme = \"\x1b[31m\"",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("/tmp/\x1b[1mconfig.toml", []byte(text), TestActions)
			if err == nil {
				t.Fatal("accepted")
			}
			for _, s := range []string{err.Error(), err.(interface{ Unwrap() []error }).Unwrap()[0].Error()} {
				if strings.Contains(s, "SECRET") {
					t.Errorf("secret in:\n%s", s)
				}
				if i := strings.IndexFunc(s, func(r rune) bool { return r != '\n' && !unicode.IsGraphic(r) }); i >= 0 {
					t.Errorf("control character at %d in %q", i, s)
				}
			}
		})
	}
}

func TestErrorsAreBounded(t *testing.T) {
	var b strings.Builder
	for b.Len() < maxFileSize/2 {
		b.WriteString(strings.Repeat("k", b.Len()%1000+1) + strings.Repeat("x", b.Len()/100) + " = 1\n")
	}
	_, err := Parse("config.toml", []byte(b.String()), TestActions)
	list := problems(t, err)
	if len(list) != maxErrors {
		t.Errorf("%d errors", len(list))
	}
	for _, e := range list {
		if len(e.Error()) > 1000 {
			t.Fatalf("an error of %d bytes", len(e.Error()))
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(Example(TestActions))
	f.Add("theme = \"dark\"\n[agents.x]\ncommand = \"x\"\nenv = { A = \"$B\" }\n[mcp.y]\nurl = \"http://y\"")
	f.Add("[keys]\nsend = [\"ctrl+x\", 3]\nsned = \"a\"\n[[agents]]\na.b.c = { d = [ { e = 1 } ] }")
	f.Add("a = \"\"\"\n\r\n\\u001b\"\"\"\r\n[agents.\"\\u0000\"]")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Parse("config.toml", []byte(text), TestActions)
		if (c == nil) == (err == nil) {
			t.Fatalf("%v, %v", c, err)
		}
		if err == nil {
			return
		}
		for _, e := range problems(t, err) {
			if e.Line < 1 || e.Column < 1 || e.Line > strings.Count(text, "\n")+1 {
				t.Errorf("position %d:%d", e.Line, e.Column)
			}
		}
		if strings.ContainsFunc(err.Error(), func(r rune) bool { return r != '\n' && !unicode.IsGraphic(r) }) {
			t.Errorf("control character in %q", err)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	text := []byte("theme = \"dark\"\n[agents.x]\ncommand = \"x\"\nenv = { A = \"$B\" }\n[keys]\nsend = \"ctrl+enter\"\n")
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse("config.toml", text, TestActions); err != nil {
			b.Fatal(err)
		}
	}
}
