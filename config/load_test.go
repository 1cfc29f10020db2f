package config

import (
	"errors"
	stdflag "flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"
	"github.com/google/go-cmp/cmp"
)

func parse(t *testing.T, text string) *Config {
	t.Helper()
	c, err := Parse("config.toml", []byte(text), TestActions)
	if err != nil {
		t.Fatalf("unexpected error:\n%v", err)
	}
	return c
}

// problems splits a joined error into its parts.
func problems(t *testing.T, err error) []*Error {
	t.Helper()
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) {
		t.Fatalf("not a joined error: %v", err)
	}
	var list []*Error
	for _, e := range joined.Unwrap() {
		var one *Error
		if !errors.As(e, &one) {
			t.Fatalf("not a *config.Error: %T %v", e, e)
		}
		list = append(list, one)
	}
	return list
}

func TestLoadMissingFileIsTheDefault(t *testing.T) {
	c, err := Load(filepath.Join(t.TempDir(), "no", "config.toml"), TestActions)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(defaults(), c, cmp.AllowUnexported(Keys{}, Actions{}, keyIn{}, key.Binding{})); diff != "" {
		t.Error(diff)
	}
}

func TestLoadReadsTheWholeShape(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	text := "\ufeff" + `theme = "dark"
mouse = false
vim = true
default_agent = "Mine"

[agents.zed]
name = "Mine"
command = "/opt/zed"
args = ["--acp", "a b"]
cwd = "/src"
env = { KEY = "$TOKEN", PLAIN = "a$$b" }

[agents.another]
command = "x"
[agents.another.budget]
session = 1

[budget]
session = 2.50
tokens = 1000

[mcp.files]
command = "files"
args = ["."]
[mcp.docs]
type = "http"
url = "https://example.com/mcp"
headers.Authorization = "Bearer ${TOKEN}"

[files]
ask_read = "*.secret"
ask_write = ["!.git", "Makefile"]

[keys]
send = "Ctrl+Return"
newline = ["enter", "ctrl+m"]
sessions = []
`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Load(path, TestActions)
	if err != nil {
		t.Fatal(err)
	}
	if c.Themes.Chosen != ThemeDark || c.DefaultAgent != "zed" || !c.NoMouse || !c.Vim {
		t.Errorf("theme %q, default %q, no mouse %v, vim %v", c.Themes.Chosen, c.DefaultAgent, c.NoMouse, c.Vim)
	}
	if got := ids(c.Agents); !slices.Equal(got, []string{"zed", "another"}) {
		t.Errorf("agents not in the order of the file: %v", got)
	}
	if own := c.Agents[1].Budget; c.Budget != (Budget{Cost: 2.5, Tokens: 1000}) || own != (Budget{Cost: 1}) {
		t.Errorf("the budget is %+v, that of an agent %+v", c.Budget, own)
	}
	lookup := func(name string) (string, bool) { return "sk-1", name == "TOKEN" }
	a := c.Agents[0]
	if a.Command != "/opt/zed" || a.Cwd != "/src" || !a.Default || a.Source != SourceConfigured ||
		!slices.Equal(a.Args, []string{"--acp", "a b"}) {
		t.Errorf("agent: %+v", a)
	}
	if env, err := a.Env.Environ(lookup); err != nil || !slices.Equal(env, []string{"KEY=sk-1", "PLAIN=a$b"}) {
		t.Errorf("env %v, %v", env, err)
	}
	if len(c.MCP) != 2 || c.MCP[0].Type != MCPStdio || c.MCP[0].Command != "files" ||
		c.MCP[1].Type != MCPHTTP || c.MCP[1].URL != "https://example.com/mcp" {
		t.Errorf("mcp: %+v", c.MCP)
	}
	if h, err := c.MCP[1].Headers.Expand(lookup); err != nil || h["Authorization"] != "Bearer sk-1" {
		t.Errorf("headers %v, %v", h, err)
	}
	if diff := cmp.Diff(Files{AskRead: []string{"*.secret"}, AskWrite: []string{"!.git", "Makefile"}}, c.Files); diff != "" {
		t.Error(diff)
	}
	if !c.Keys.Match("send", "ctrl+enter") || c.Keys.Match("send", "enter") ||
		!c.Keys.Match("newline", "ctrl+m") || len(c.Keys.For("sessions")) != 0 {
		t.Errorf("keys: send %v, newline %v, sessions %v",
			c.Keys.For("send"), c.Keys.For("newline"), c.Keys.For("sessions"))
	}
}

func TestConfiguredAgentThatIsKnown(t *testing.T) {
	t.Setenv("HOME", "/home/ada")
	c := parse(t, `
[agents.gemini]
default = true
cwd = "~/src"
[agents.auggie]
env = { MODEL = "x" }
[agents.claude]
command = "npx"
[agents.codex]
args = ["-c", "model=x"]
`)
	gemini, auggie, claude, codex := c.Agents[0], c.Agents[1], c.Agents[2], c.Agents[3]
	if gemini.Command != "gemini" || !slices.Equal(gemini.Args, []string{"--acp"}) || gemini.Name != "Gemini CLI" ||
		gemini.InstallHint == "" || gemini.Cwd != "/home/ada/src" || c.DefaultAgent != "gemini" {
		t.Errorf("what is missing is not filled in: %+v", gemini)
	}
	if got := auggie.Env.Names(); !slices.Equal(got, []string{"AUGMENT_DISABLE_AUTO_UPDATE", "MODEL"}) {
		t.Errorf("env: %v", got)
	}
	if claude.Command != "npx" || len(claude.Args) != 0 || claude.Name != "Claude Code" || claude.InstallHint != "" {
		t.Errorf("a command of one's own got arguments or hints of ours: %+v", claude)
	}
	if codex.Command != "codex-acp" || !slices.Equal(codex.Args, []string{"-c", "model=x"}) {
		t.Errorf("%+v", codex)
	}
}

func TestErrorsOfAFileAreReportedTogether(t *testing.T) {
	_, err := Parse("/etc/config.toml", []byte(`colour = "red"
theme = "drak"

[agents.x]
comand = "npx"
env = { A = 1 }

[agents.x.evn]
K = "sk-1"
`), TestActions)
	const want = `/etc/config.toml:1:1: unknown key "colour": did you mean "theme"?
    1 | colour = …
      | ^
/etc/config.toml:2:9: theme cannot be "drak": did you mean "dark"?
    2 | theme = "drak"
      |         ^
/etc/config.toml:4:9: agents.x has no command: write command = "…", or url = "…" if it listens
    4 | [agents.x]
      |         ^
/etc/config.toml:5:1: unknown key "comand" in agents.x: did you mean "command"?
    5 | comand = …
      | ^
/etc/config.toml:6:13: agents.x.env.A must be a string, not a number
    6 | env = …
/etc/config.toml:8:11: unknown key "evn" in agents.x: did you mean "env"?
    8 | [agents.x.evn]
      |           ^`
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Error(diff)
	}
}

// themeNames are the names of the built-in themes.
func themeNames() string {
	var names []string
	for _, t := range BuiltInThemes() {
		names = append(names, string(t.Name))
	}
	return strings.Join(names, ", ")
}

func TestBadFiles(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want []string // line:column: message: hint
	}{
		"unquoted text": {
			"\ntheme = dark",
			[]string{`2:9: unexpected character U+0064 'd' at start of value: write strings in quotes, as in key = "value"`},
		},
		"column counts characters": {
			`agents = { "é" = { command = "x" }, b = 1 }`,
			[]string{
				`1:12: agents.é is not a valid name: use letters, digits, ".", "-" and "_"`,
				`1:41: agents.b must be a table, not a number`,
			},
		},
		"key twice": {
			"theme = \"dark\"\ntheme = \"light\"",
			[]string{`2:1: theme is already set on line 1: keep one of the two`},
		},
		"unlike any known key": {
			"wallpaper = 1",
			[]string{`1:1: unknown key "wallpaper"`},
		},
		"types": {
			"theme = 1\nagents = 2.5\nkeys = true\nmcp = [1]\ndefault_agent = 2026-01-01",
			[]string{
				`1:9: theme must be a string, not a number`, `2:10: agents must be a table, not a number`,
				`3:8: keys must be a table, not true or false`, `4:7: mcp must be a table, not a list`,
				`5:17: default_agent must be a string, not a date or time`,
			},
		},
		"lists": {
			"[agents.x]\ncommand = \"x\"\nargs = \"-v\"\n[agents.y]\ncommand = \"y\"\nargs = [\"a\", 2]\ndefault = \"yes\"",
			[]string{
				`3:8: agents.x.args must be a list of strings, not a string`,
				`6:8: agents.y.args must be a list of strings, but item 2 is a number`,
				`7:11: agents.y.default must be true or false, not a string`,
			},
		},
		"empty values": {
			"theme = \"\"\ndefault_agent = \"\"\n[agents.x]\ncommand = \"\"\n[keys]\nsend = \"\"",
			[]string{
				`1:9: theme is empty: known themes: auto, ` + themeNames(),
				`2:17: default_agent is empty: name an agent or leave the line out`,
				`4:11: agents.x.command is empty: name the program that starts the agent`,
				`6:8: keys.send has an invalid key: "" is empty: write [] for no key`,
			},
		},
		"files": {
			"[files]\nask_read = [\"[a\"]\nask_write = 3\naskread = \"x\"",
			[]string{
				`2:12: files.ask_read cannot be used: "[a" is not a pattern: ** stands for any folders, * for anything in a name`,
				`3:13: files.ask_write must be a string or a list of strings, not a number`,
				`4:1: unknown key "askread" in files: did you mean "ask_read"?`,
			},
		},
		"two marked agents": {
			"[agents.a]\ncommand = \"a\"\ndefault = true\n[agents.b]\ncommand = \"b\"\ndefault = true",
			[]string{`6:11: agents.b.default sets a second default agent: keep it on one of "a" and "b"`},
		},
		"marked and named": {
			"default_agent = \"goose\"\n[agents.a]\ncommand = \"a\"\ndefault = true",
			[]string{`1:17: default_agent sets a second default agent: remove one of the two: agents.a.default is set`},
		},
		"stdio server": {
			"[mcp.a]\ntype = \"stdio\"\n[mcp.b]\ncommand = \"\"\n[mcp.c]\ncommand = \"c\"\nurl = \"http://c\"\nheaders = {}\n[mcp.d]\ncommand = \"d\"\nargs = [\"$D\", \"d$\"]",
			[]string{
				`1:6: mcp.a has no command, which type "stdio" requires: write command = "…"`,
				`4:11: mcp.b.command is empty`,
				`7:1: mcp.c.url does not apply to a server of type "stdio": remove it or change the type`,
				`8:1: mcp.c.headers does not apply to a server of type "stdio": remove it or change the type`,
				`11:8: mcp.d.args cannot be used: "$" must begin $NAME or ${NAME}; write "$$" for a dollar sign`,
			},
		},
		"network server": {
			"[mcp.a]\ntype = \"http\"\n[mcp.b]\ntype = \"sse\"\nurl = \"localhost:80\"\nargs = []\n[mcp.c]\nurl = \"http://c\"\n[mcp.d]\ntype = \"htp\"",
			[]string{
				`1:6: mcp.a has no url, which type "http" requires: write url = "…"`,
				`5:7: mcp.b.url is not a server URL: use a URL that begins with http:// or https://`,
				`6:1: mcp.b.args does not apply to a server of type "sse": remove it or change the type`,
				`7:6: mcp.c has no type: write type = "stdio", "http" or "sse"`,
				`10:8: mcp.d.type cannot be "htp": did you mean "http"?`,
			},
		},
		"names and references": {
			"[agents.a]\ncommand = \"a\"\n[agents.a.env]\n\"A=B\" = \"x\"\nC = \"$\"\nD = \"${X\"\n" +
				"[mcp.s]\ntype = \"http\"\nurl = \"http://s\"\nheaders = { \"a b\" = \"x\" }",
			[]string{
				`4:1: agents.a.env.A=B is not a valid name`,
				`5:5: agents.a.env.C cannot be used: "$" must begin $NAME or ${NAME}; write "$$" for a dollar sign`,
				`6:5: agents.a.env.D cannot be used: "$" must begin $NAME or ${NAME}; write "$$" for a dollar sign`,
				`10:13: mcp.s.headers.a b is not a valid name`,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := Parse("config.toml", []byte(test.text), TestActions)
			if c != nil || err == nil {
				t.Fatalf("accepted: %+v", c)
			}
			var got []string
			for _, e := range problems(t, err) {
				first, _, _ := strings.Cut(e.Error(), "\n")
				got = append(got, strings.TrimPrefix(first, "config.toml:"))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestUnknownDefaultAgent(t *testing.T) {
	_, err := Parse("config.toml", []byte("default_agent = \"clade\"\n[agents.mine]\ncommand = \"x\""), TestActions)
	got := problems(t, err)[0]
	if got.Message != `default_agent names no agent: "clade"` || got.Line != 1 {
		t.Errorf("%+v", got)
	}
	if want := `did you mean "claude"? configured: mine; known: claude, codex, `; !strings.HasPrefix(got.Hint, want) {
		t.Errorf("hint %q", got.Hint)
	}
}

func TestUnreadableFiles(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large.toml")
	if err := os.WriteFile(large, make([]byte, maxFileSize+1), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		dir:                           dir + ": cannot be read: parley needs a file at " + dir + ", but it is a directory: move it away",
		large:                         large + ": cannot be read: it is larger than 256 KiB",
		filepath.Join(large, "below"): filepath.Join(large, "below") + ": cannot be read: parley needs the directory " + large + ", but " + large + " is a file: move it away",
	} {
		c, err := Load(path, TestActions)
		var e *Error
		if c != nil || !errors.As(err, &e) || err.Error() != want {
			t.Errorf("%v, %v", c, err)
		}
	}
}

func TestExample(t *testing.T) {
	example := Example(TestActions)
	none := parse(t, example)
	if diff := cmp.Diff(defaults(), none, cmp.AllowUnexported(Keys{}, Actions{}, keyIn{}, key.Binding{})); diff != "" {
		t.Errorf("the example as it stands changes something:\n%s", diff)
	}

	// Settings are commented out with "#" alone, prose with "# ".
	var lines []string
	for line := range strings.Lines(example) {
		if rest, ok := strings.CutPrefix(line, "#"); ok && !strings.HasPrefix(rest, " ") {
			line = rest
		}
		lines = append(lines, line)
	}
	all := parse(t, strings.Join(lines, ""))
	if diff := cmp.Diff(Default(TestActions).Keys, all.Keys, cmp.AllowUnexported(Keys{}, Actions{}, keyIn{}, key.Binding{})); diff != "" {
		t.Errorf("the example lists other keys than the default ones:\n%s", diff)
	}
}

var update = stdflag.Bool("update", false, "write example.toml")

// The file that people read on the web is the one that parley writes.
func TestExampleFile(t *testing.T) {
	if *update {
		if err := os.WriteFile("example.toml", []byte(Example(TestActions)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if data, err := os.ReadFile("example.toml"); err != nil || string(data) != Example(TestActions) {
		t.Errorf("example.toml is not up to date: go test ./config -run TestExampleFile -update (%v)", err)
	}
}

// An error of the syntax shows the line of every key that the configuration has.
func TestEveryKeyIsLocated(t *testing.T) {
	keys := regexp.MustCompile(`(?m)^#([a-z_]+) = `).FindAllStringSubmatch(Example(TestActions), -1)
	if len(keys) < 80 {
		t.Fatalf("the example has %d keys", len(keys))
	}
	for _, key := range keys {
		_, err := Parse("config.toml", []byte("# one\n"+key[1]+` = "open`+"\n"), TestActions)
		e := problems(t, err)[0]
		if want := key[1] + " = …"; e.Line != 2 || e.Column != len(key[1])+4 || e.Text != want || e.Message != "missing closing quote" {
			t.Errorf("%s: %v", key[1], err)
		}
	}
}

// A key or section that is there twice is told with the line of the first.
func TestKeysThatAreThereTwice(t *testing.T) {
	for text, want := range map[string]string{
		"vim = true\nmouse = true\nvim = false":                    "config.toml:3:1: vim is already set on line 1: keep one of the two\n    3 | vim = false\n      | ^",
		"[agents.a]\ncommand = \"x\"\n[agents.a]\ncommand = \"y\"": "config.toml:3:2: agents.a is already set on line 1: keep one of the two\n    3 | [agents.a]\n      |  ^",
		"[agents.a]\ncommand = \"x\"\ncommand = \"y\"":             "config.toml:3:1: agents.a.command is already set on line 2: keep one of the two\n    3 | command = \"y\"\n      | ^",
		"[agents.a.env]\nA = \"SECRET\"\nA = \"SECRET\"":           "config.toml:3:1: agents.a.env.A is already set on line 2: keep one of the two\n    3 | A = …\n      | ^",
		"rules.allow = [\"edit\"":                                  "config.toml:1:21: missing \"]\" at the end of the list",
	} {
		if _, err := Parse("config.toml", []byte(text), TestActions); err == nil || err.Error() != want {
			t.Errorf("%s\nis told as\n%v\nwant\n%s", text, err, want)
		}
	}
}
