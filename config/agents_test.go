package config

import (
	"errors"
	"os/exec"
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
		if a.Name == "" || a.InstallHint == "" || strings.Contains(a.InstallHint, "\n") || !isHTTP(a.URL) || a.Source != SourceBuiltIn {
			t.Errorf("%s: %+v", a.ID, a)
		}
		if n := len(a.Alternative); n > 0 && !slices.Equal(a.Alternative[n-len(a.Args):], a.Args) {
			t.Errorf("%s: the alternative has other arguments: %v", a.ID, a.Alternative)
		}
	}
	for program := range want {
		t.Errorf("%s is not known", program)
	}
}

func TestDiscover(t *testing.T) {
	if found := discover(have()); len(found) != 0 {
		t.Errorf("found %v", ids(found))
	}
	found := discover(have("goose", "cursor-agent", "claude-agent-acp", "bash"))
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
