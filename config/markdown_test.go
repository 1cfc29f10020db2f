package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"charm.land/glamour/v2/styles"
)

// What whoever runs the tests has set for all programs must not count in them.
func TestMain(m *testing.M) {
	_ = os.Unsetenv(markdownVariable)
	_ = os.Unsetenv("PREFERS_REDUCED_MOTION")
	_ = os.Setenv("HOME", "/home/ada") // they need not have one
	os.Exit(m.Run())
}

// writeFile writes a file for a test and returns its path.
func writeFile(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestMarkdownStyle(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "mine.json", `{"h1": {"color": "#ff0000"}, "document": {"margin": 3}, "something newer": 1}`)
	load := func(name string) *Config {
		t.Helper()
		c, err := Load(writeFile(t, dir, "config.toml", `markdown_style = "`+name+`"`), TestActions)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	if got := load("auto").MarkdownStyle.Style; got != nil {
		t.Errorf("auto is %v", got)
	}
	for name, want := range styles.DefaultStyles {
		if got := load(name).MarkdownStyle.Style; got != want {
			t.Errorf("%s is another style", name)
		}
	}
	for _, name := range []string{"mine.json", "./mine.json", filepath.Join(dir, "mine.json")} {
		if got := load(name).MarkdownStyle.Style; got == nil || got.H1.Color == nil || *got.H1.Color != "#ff0000" || *got.Document.Margin != 3 {
			t.Errorf("%s is %+v", name, got)
		}
	}
}

func TestMarkdownStyleOfTheEnvironment(t *testing.T) {
	dir := t.TempDir()
	none := filepath.Join(dir, "none.toml")
	t.Setenv(markdownVariable, "dracula")
	c, err := Load(none, TestActions)
	if err != nil || c.MarkdownStyle.Style != styles.DefaultStyles["dracula"] {
		t.Errorf("without a file: %+v, %v", c, err)
	}
	for name, want := range map[string]string{"pink": "pink", "auto": ""} {
		c, err := Load(writeFile(t, dir, "config.toml", `markdown_style = "`+name+`"`), TestActions)
		if err != nil || c.MarkdownStyle.Style != styles.DefaultStyles[want] {
			t.Errorf("the file says %s: %+v, %v", name, c, err)
		}
	}
	t.Setenv(markdownVariable, "dracola")
	if _, err := Load(none, TestActions); err == nil || err.Error() != `GLAMOUR_STYLE: cannot be "dracola": no such style: did you mean "dracula"?` {
		t.Errorf("a style that is not there: %v", err)
	}
	t.Setenv(markdownVariable, "auto")
	if c, err := Load(none, TestActions); err != nil || c.MarkdownStyle.Style != nil {
		t.Errorf("auto: %+v, %v", c, err)
	}
}

func TestBadMarkdownStyles(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ name, style, file, want string }{
		{"empty", "", "", "markdown_style is empty: known styles: auto, ascii, dark, dracula, light, notty, pink, tokyo-night, or the path of a file"},
		{"unknown", "tokio-night", "", `markdown_style cannot be "tokio-night": no such style: did you mean "tokyo-night"?`},
		{"nothing like it", "x", "", `markdown_style cannot be "x": no such style: known styles: auto, ascii, dark, dracula, light, notty, pink, tokyo-night`},
		{"no file", "no.json", "", `markdown_style cannot be "no.json": cannot read the file: no such file or directory`},
		{"a directory", ".", "", `markdown_style cannot be ".": cannot read the file: it is a directory`},
		{"no JSON", "s.json", "{\n \"h1\": {,}}", `line 2: invalid character ',' looking for beginning of object key string: write a Glamour style in JSON`},
		{"another type", "s.json", "{\n\n \"h1\": {\"bold\": 3}}", `line 3: h1.bold cannot be a number`},
		{"no style", "s.json", "[]", `line 1: a style is an object, not array`},
		{"a colour", "s.json", `{"code_block": {"chroma": {"keyword": {"color": "bluish"}}}}`, `code_block.chroma.keyword.color is "bluish": write a colour as "#rrggbb" or as a number up to 255`},
		{"a format", "s.json", `{"hr": {"format": "{{.text"}}`, `hr.format is "{{.text": write a format as "{{.text}}"`},
		{"a format with more than the text", "s.json", `{"link": {"format": "{{.text | ToUpper}}"}}`, `link.format is "{{.text | ToUpper}}": write a format as "{{.text}}"`},
		{"an indent", "s.json", `{"list": {"level_indent": 4000000}}`, `list.level_indent is 4000000: the maximum is 40`},
		{"a margin", "s.json", `{"document": {"margin": 41}}`, `document.margin is 41`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.file != "" {
				writeFile(t, dir, "s.json", c.file)
			}
			_, err := Parse(filepath.Join(dir, "config.toml"), []byte("theme = \"dark\"\nmarkdown_style = \""+c.style+"\"\n"), TestActions)
			if err == nil {
				t.Fatal("no error")
			}
			one := problems(t, err)[0]
			if one.Line != 2 || one.Column != len("markdown_style = ")+1 || !strings.Contains(strings.Join([]string{one.Message, one.Hint}, ": "), c.want) {
				t.Errorf("%d:%d %s: %s\nwant %s", one.Line, one.Column, one.Message, one.Hint, c.want)
			}
		})
	}
}
