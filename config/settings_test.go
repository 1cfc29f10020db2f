package config

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// settingsOf are the settings of a file, each on a line, without those that nobody set.
func settingsOf(t *testing.T, text string) []string {
	t.Helper()
	dir := t.TempDir()
	writeFile(t, dir, "config.toml", text)
	list, err := Settings(filepath.Join(dir, "config.toml"), TestActions)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, s := range list {
		if !s.Default {
			lines = append(lines, strings.TrimSpace(fmt.Sprintf("%d: %s = %s %s", s.Line, s.Key, s.Value, s.Variable)))
		}
	}
	return lines
}

func TestSettingsSayWhereTheyComeFrom(t *testing.T) {
	t.Setenv(markdownVariable, "dracula")
	got := settingsOf(t, `mouse = false
[agents.mine]
command = "x"
args = ["--acp", "a \"b\""]
default = true
env = { KEY = "sk-secret", OTHER = "$TOKEN", MIXED = "Bearer $TOKEN" }
[mcp.docs]
type = "http"
url = "https://ada:pass@example.com/mcp?key=sk-secret"
headers.Authorization = "sk-secret"
[rules]
allow = ["read"]
[keys]
send = "ctrl+s"
sessions = []
`)
	want := []string{
		`0: markdown_style = "dracula" GLAMOUR_STYLE`,
		`1: mouse = false`,
		`5: default_agent = "mine"`,
		`3: agents.mine.command = "x"`,
		`4: agents.mine.args = ["--acp", "a \"b\""]`,
		`5: agents.mine.default = true`,
		`6: agents.mine.env.KEY = "…"`,
		`6: agents.mine.env.OTHER = "$TOKEN" TOKEN`,
		`6: agents.mine.env.MIXED = "…"`,
		`8: mcp.docs.type = "http"`,
		`9: mcp.docs.url = "https://…@example.com/mcp?…"`,
		`10: mcp.docs.headers.Authorization = "…"`,
		`12: rules.allow = ["read"]`,
		`15: keys.sessions = []`,
		`14: keys.send = "ctrl+s"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Every key with a default is in the list, and the defaults are in the example.
func TestDefaultsAreListed(t *testing.T) {
	list, err := Settings(filepath.Join(t.TempDir(), "config.toml"), TestActions)
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]string{}
	for _, s := range list {
		have[s.Key] = s.Value
	}
	for key, want := range map[string]string{
		"theme": `"auto"`, "mouse": "true", "journal_days": "30", "host.keep": "false", "host.idle": `"12h"`, "attention.when": `"unfocused"`,
		"attention.on": `["turn", "question", "lost"]`, "attention.command": "[]", "notify.command": "[]", "prompt.enter": `"queue"`,
		"files.ask_read": "[]", "rules.deny": "[]", "keys.quit": `["ctrl+d"]`,
	} {
		if have[key] != want {
			t.Errorf("the default of %s is %q, want %s", key, have[key], want)
		}
	}
}

func TestSettingsOfAFileWithMistakes(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "config.toml", "theme = \"drak\"\n")
	if _, err := Settings(filepath.Join(dir, "config.toml"), TestActions); err == nil {
		t.Error("no error")
	}
}
