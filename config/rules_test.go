package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/policy"
)

func lines(rules []policy.Rule) (out []string) {
	for _, r := range rules {
		out = append(out, r.Source+" "+r.String())
	}
	return out
}

func TestRules(t *testing.T) {
	text := `[rules]
allow = [
	"read", # a comment
	"execute(go test *)",
]
ask = "edit(vendor/**)"
deny = ["execute(git push *)", "read(**/*.pem) agent=claude"]
`
	want := []string{
		"config.toml:3 allow read", "config.toml:4 allow execute(go test *)", "config.toml:6 ask edit(vendor/**)",
		"config.toml:7 deny execute(git push *)", "config.toml:7 deny read(**/*.pem) agent=claude",
	}
	if d := cmp.Diff(want, lines(parse(t, text).Rules)); d != "" {
		t.Error(d)
	}
	project, err := ParseProject("config.toml", []byte(text))
	if d := cmp.Diff(want, lines(project.Rules)); d != "" || err != nil {
		t.Error(d, err)
	}
}

// Mistakes in rules are told with the line of the rule and what was meant.
func TestBadRules(t *testing.T) {
	for text, want := range map[string]string{
		"[rules]\nallow = [\n\"read\",\n\"Bash(ls)\",\n]": `config.toml:4:1: the rule "allow Bash(ls)": unknown kind "Bash": use one of read, edit, delete, move, search, execute, fetch, mcp, other: did you mean "execute"?
    4 | "Bash(ls)",`,
		"[rules]\nallow = [\"raed\"]":           `did you mean "read"?`,
		"[rules]\nallow = [\"execute\"]":        `config.toml:2:10: the rule "allow execute": execute cannot be allowed as a whole`,
		"[rules]\ndeny = [\"switch_mode\"]":     "always asks before the mode changes",
		"[rules]\nallow = \"fetch(*)\"":         "config.toml:2:9: the rule \"allow fetch(*)\": fetch cannot",
		"[rules]\nallow = [1]":                  "rules.allow must be a string or a list of strings",
		"[rules]\nalow = [\"read\"]":            `unknown key "alow" in rules: did you mean "allow"?`,
		"[permissions]\nallow = [\"read\"]":     `did you mean "rules"?`,
		"rules = 1":                             "rules must be a table",
		"[rules]\nallow = [\"read(a\u202eb\"]":  "closing parenthesis",
		"[rules]\nallow = ['execute(go test)']": "",
	} {
		_, err := Parse("config.toml", []byte(text), TestActions)
		if want == "" {
			if err != nil {
				t.Errorf("%q: %v", text, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\u202e") {
			t.Errorf("%q: %v\nwant %s", text, err, want)
		}
	}
}

// A project has rules and what its worktrees are given, and nothing else.
func TestProjectsSetUpNothingButRulesAndWorktrees(t *testing.T) {
	text := "[worktree]\ninclude = \".env\"\nsetup = \"npm ci\"\n"
	want := Worktree{Include: []string{".env"}, Setup: "npm ci"}
	if p, err := ParseProject("config.toml", []byte(text)); err != nil || !cmp.Equal(p.Worktree, want) || !cmp.Equal(parse(t, text).Worktree, want) {
		t.Errorf("%+v, %v", p, err)
	}
	for text, want := range map[string]string{
		"[agents.x]\ncommand = \"evil\"":      "agents has no effect in a project",
		"default_agent = \"x\"":               "default_agent has no effect in a project",
		"[mcp.x]\ncommand = \"evil\"":         "mcp has no effect in a project",
		"[notify]\ncommand = [\"evil\"]":      "notify has no effect in a project",
		"[questions]\nanswer = \"press\"":     "questions has no effect in a project",
		"host.keep = true":                    "host has no effect in a project",
		"[rules]\nallow = [\"walk\"]":         "unknown kind",
		"x":                                   "config.toml:1",
		strings.Repeat("#", MaxProjectFile+1): "larger",
	} {
		if rules, err := ParseProject("config.toml", []byte(text)); err == nil || !cmp.Equal(rules, Project{}) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, %v, want %s", text, rules, err, want)
		}
	}
}
