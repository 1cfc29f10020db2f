package config

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func have(programs ...string) func(string) (string, error) {
	return func(name string) (string, error) {
		if slices.Contains(programs, name) {
			return "/bin/" + name, nil
		}
		return "", exec.ErrNotFound
	}
}

func TestKnownAgents(t *testing.T) {
	// What each agent needs to speak ACP, by its program.
	want := map[string]string{
		"claude-agent-acp": "", "codex-acp": "", "gemini": "--acp", "opencode": "acp", "goose": "acp",
		"qwen": "--acp", "copilot": "--acp", "kimi": "acp", "cursor-agent": "acp", "auggie": "--acp",
		"cline": "--acp", "kilo": "acp", "droid": "exec --output-format acp", "vibe-acp": "", "junie": "--acp=true",
		"kiro-cli": "acp", "openhands": "acp", "devin": "acp", "amp-acp": "", "qodercli": "--acp",
		"codebuddy": "--acp", "fast-agent-acp": "", "stakpak": "acp", "pi-acp": "", "crow-cli": "acp",
	}
	seen := map[string]bool{}
	for _, a := range knownAgents() {
		if args, ok := want[a.Command]; !ok || args != strings.Join(a.Args, " ") {
			t.Errorf("%s: %s %v", a.ID, a.Command, a.Args)
		}
		delete(want, a.Command)
		if !isID(a.ID) || seen[a.ID] || seen[a.Name] {
			t.Errorf("%s: the ID or the name is taken or cannot be", a.ID)
		}
		seen[a.ID], seen[a.Name] = true, true
		if a.Name == "" || a.InstallHint == "" || strings.Contains(a.InstallHint, "\n") || !isURL(a.URL, "http", "https") || a.Source != SourceBuiltIn {
			t.Errorf("%s: %+v", a.ID, a)
		}
	}
	for program := range want {
		t.Errorf("%s is not known", program)
	}
}

func TestDiscover(t *testing.T) {
	if found := Default(nil).Available(have()); len(found) != 0 {
		t.Errorf("found %v", ids(found))
	}
	found := Default(nil).Available(have("goose", "cursor-agent", "claude-agent-acp", "bash"))
	if got := ids(found); !slices.Equal(got, []string{"claude", "cursor", "goose"}) {
		t.Errorf("found %v", got)
	}
	for _, a := range found {
		if a.Source != SourceFound {
			t.Errorf("%s: source %s", a.ID, a.Source)
		}
	}
}

func TestAvailable(t *testing.T) {
	c := parse(t, "default_agent = \"goose\"\n[agents.mine]\ncommand = \"x\"\n[agents.gemini]\ncommand = \"y\"")
	agents := c.Available(have("gemini", "goose"))
	if got := ids(agents); !slices.Equal(got, []string{"mine", "gemini", "goose"}) {
		t.Fatalf("%v", got)
	}
	if agents[1].Command != "y" || agents[1].Default || !agents[2].Default || agents[2].Source != SourceFound {
		t.Errorf("%+v", agents)
	}
}

func TestAgentResolution(t *testing.T) {
	c := parse(t, `
[agents.mine]
name = "Goose"
command = "x"
default = true
[agents.MINE]
command = "y"
[agents.opencode]
command = "z"
`)
	for name, want := range map[string]string{
		"mine": "x", "MINE": "y", "Mine": "x", "Goose": "x", "GOOSE": "x",
		"opencode": "z", "OpenCode": "z", // configured before known
		"claude": "claude-agent-acp", "Claude Code": "claude-agent-acp", "claude code": "claude-agent-acp",
		"claude-agent-acp": "claude-agent-acp", "cursor-agent": "cursor-agent", "goose": "x",
	} {
		a, err := c.Agent(name)
		if err != nil || a.Command != want {
			t.Errorf("%s: %s, %v; want %s", name, a.Command, err, want)
		}
		if a.Default != (a.ID == "mine") {
			t.Errorf("%s: default %t", name, a.Default)
		}
	}
}

// All names of an agent lead to it, also to the one that parley has installed, with what the
// configuration says of it under any of them.
func TestNamesOfAnInstalledAgent(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.toml")
	for _, a := range []Agent{{ID: "claude-acp", Name: "Claude Agent", Command: "npx", Origin: &Origin{Version: "1.0.0", Kind: "npx"}}, {ID: "codex-acp", Command: "mine"}} {
		if _, err := SavedBeside(file).Put(a); err != nil {
			t.Fatal(err)
		}
	}
	names := []string{"claude", "claude-acp", "claude-agent-acp", "Claude Code", "CLAUDE"}
	for text, want := range map[string][]string{
		"default_agent = \"claude\"\n[agents.codex-acp]\nmode = \"x\"\n": {"codex-acp", "claude-acp"},
		"[agents.claude]\nmode = \"plan\"\ndefault = true\n":             {"claude", "codex-acp"},
		"[agents.claude-acp]\nmode = \"plan\"\ndefault = true\n":         {"claude-acp", "codex-acp"},
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := Load(file, TestActions)
		if err != nil {
			t.Fatal(err)
		}
		if got := ids(c.Available(have("npx", "mine", "claude-agent-acp", "codex-acp"))); !slices.Equal(got, want) {
			t.Errorf("%s: %v", text, got)
		}
		for _, name := range names {
			if a, err := c.Agent(name); err != nil || a.Name != "Claude Code" || a.Command != "npx" || a.Origin == nil || !a.Default || (a.Mode == "plan") != strings.Contains(text, "plan") {
				t.Errorf("%s: %s: %+v, %v", text, name, a, err)
			}
		}
		if a, _ := c.Agent("codex"); a.Command != "mine" {
			t.Errorf("codex is %+v", a)
		}
	}
	if _, err := Parse(file, []byte("[agents.claude-acp]\nmode = \"plan\"\n"), TestActions); err != nil {
		t.Error(err)
	}
	// Another one of the user's own is another agent.
	c := parse(t, "[agents.claude]\ncommand = \"x\"\n[agents.claude-acp]\ncommand = \"y\"\n")
	for name, want := range map[string]string{"claude": "x", "claude-acp": "y", "claude-agent-acp": "x"} {
		if a, _ := c.Agent(name); a.Command != want {
			t.Errorf("%s starts %s", name, a.Command)
		}
	}
}

func TestUnknownAgent(t *testing.T) {
	c := parse(t, "[agents.prod]\ncommand = \"x\"")
	for name, want := range map[string]string{
		"prodd":      `no agent is called "prodd": did you mean "prod"? configured: prod; known: claude, `,
		"gemmini":    `no agent is called "gemmini": did you mean "gemini"? configured: prod; known: claude, `,
		"Claud Code": `no agent is called "Claud Code": did you mean "claude"? configured: `,
		"x\x1b[31m":  `no agent is called "x\x1b[31m": configured: prod; known: claude, `,
		"":           `no agent is called "": configured: prod; known: claude, `,
	} {
		_, err := c.Agent(name)
		var unknown *UnknownAgentError
		if !errors.As(err, &unknown) || unknown.Name != name || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestNearest(t *testing.T) {
	words := []string{"command", "args", "env", "default_agent", "allow_once", "allow_always"}
	for word, want := range map[string]string{
		"comand": "command", "COMMAND": "command", "cmomand": "command", "arg": "args", "evn": "env",
		"defaultagent": "default_agent", "allow_one": "allow_once", "default": "default_agent",
		"zzz": "", "": "", "e": "", strings.Repeat("command", 100): "",
	} {
		if got := Nearest(word, words); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}

func TestProtocolOfAnAgent(t *testing.T) {
	c := parse(t, "[agents.a]\ncommand = \"x\"\nprotocol = \"auto\"\n[agents.b]\ncommand = \"x\"\n")
	if c.Agents[0].Protocol != ProtocolAuto || c.Agents[1].Protocol != "" {
		t.Errorf("%+v", c.Agents)
	}
	_, err := Parse("config.toml", []byte("[agents.a]\ncommand = \"x\"\nprotocol = \"v2\"\n"), TestActions)
	if err == nil || !strings.Contains(err.Error(), `cannot be "v2"`) {
		t.Error(err)
	}
	_, err = Parse("config.toml", []byte("[agents.a]\ncommand = \"x\"\nprotocol = \"websocket\"\n"), TestActions)
	var wrong *Error
	if !errors.As(err, &wrong) || wrong.Hint != "known: v1, auto" {
		t.Errorf("%+v", wrong)
	}
}

func TestAgentsThatListen(t *testing.T) {
	t.Setenv("REMOTE_TOKEN", "hunter2")
	c, err := Parse("/etc/config.toml", []byte(`[agents.far]
name = "Far away"
url = "wss://agents.example.com/acp"
headers = { Authorization = "Bearer $REMOTE_TOKEN" }
insecure = true
serve_files = true
serve_terminals = true
[agents.build]
command = "ssh"
args = ["build.example.com", "my-agent"]
remote_root = "/srv/project"
serve_files = true
[agents.claude]
url = "https://agents.example.com/claude"
`), TestActions)
	if err != nil {
		t.Fatal(err)
	}
	far, build, claude := c.Agents[0], c.Agents[1], c.Agents[2]
	if !build.Remote() || build.RemoteRoot != "/srv/project" || !build.ServeFiles || build.Address != "" {
		t.Errorf("%+v", build)
	}
	if !far.Remote() || far.Address != "wss://agents.example.com/acp" || !far.Insecure || !far.ServeFiles || !far.ServeTerminals {
		t.Errorf("%+v", far)
	}
	if headers, err := far.Headers.Expand(os.LookupEnv); err != nil || headers["Authorization"] != "Bearer hunter2" {
		t.Errorf("%v", err)
	}
	none := func(string) (string, error) { return "", os.ErrNotExist }
	if why := far.Usable(none); why != nil || far.Listens() != "wss://agents.example.com/acp" {
		t.Errorf("%v, %q", why, far.Listens())
	}
	if build.Usable(none) == nil || build.Listens() != "" {
		t.Errorf("%+v", build)
	}
	// A known name does not bring its program along.
	if claude.Command != "" || claude.Args != nil || claude.ServeFiles || claude.ServeTerminals {
		t.Errorf("%+v", claude)
	}
}

// Where an agent listens may hold a secret, which is not shown.
func TestWhereAnAgentListensForPeople(t *testing.T) {
	a := Agent{Address: "https://agents.example.com/acp?token=hunter2"}
	if got := a.Listens(); got != "https://agents.example.com/acp" {
		t.Error(got)
	}
}

// The configuration's own table adds to an agent that was added by its URL.
func TestSettingsOfAnAddedAgentThatListens(t *testing.T) {
	config := filepath.Join(t.TempDir(), "config.toml")
	team := Agent{ID: "team", Address: "wss://agents.example.com/acp", Headers: NewSecrets(map[string]string{"A": "b"}), Insecure: true}
	if _, err := SavedBeside(config).Put(team); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, []byte("[agents.team]\nname = \"The team's\"\nserve_files = true\nheaders = { C = \"d\" }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Load(config, TestActions)
	if err != nil {
		t.Fatal(err)
	}
	a := c.Agents[0]
	if a.Name != "The team's" || a.Address != "wss://agents.example.com/acp" || !a.Insecure || !a.ServeFiles || a.Command != "" ||
		!maps.Equal(a.Headers.all(), map[string]string{"A": "b", "C": "d"}) {
		t.Errorf("%+v", a)
	}
}

func TestWhatIsWrongWithAnAgentThatListens(t *testing.T) {
	for text, want := range map[string]string{
		`url = "agents.example.com"`:                    "is not a valid agent URL",
		`url = "ftp://agents.example.com"`:              "is not a valid agent URL",
		`url = "https://me:hunter2@agents.example.com"`: "is not a valid agent URL",
		`url = ""`: "is not a valid agent URL",
		"url = \"wss://a.example\"\ncommand = \"x\"":     "does not apply to an agent with a url",
		"url = \"wss://a.example\"\nargs = [\"x\"]":      "does not apply to an agent with a url",
		"url = \"wss://a.example\"\nenv = { A = \"b\" }": "does not apply to an agent with a url",
		"command = \"x\"\nheaders = { A = \"hunter2\" }": "applies only to an agent with a url",
		"command = \"x\"\nserve_files = true":            "applies only to a remote agent",
		"command = \"x\"\nremote_root = \"srv\"":         "is not an absolute path",
		"command = \"x\"\ninsecure = true":               "applies only to an agent with a url",
	} {
		_, err := Parse("/etc/config.toml", []byte("[agents.far]\n"+text+"\n"), TestActions)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
