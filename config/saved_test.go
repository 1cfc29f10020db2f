package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// An agent that parley saves is one as those of the configuration are, and the configuration
// adds to it what it says under the same name.
func TestSavedAgents(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config.toml")
	amp := Agent{
		ID: "amp-acp", Name: "Amp", Command: "/data/amp-acp", Args: []string{"acp", `a "b"`}, Env: NewSecrets(map[string]string{"A": "$$b"}),
		Origin: &Origin{Version: "0.9.0", Kind: "binary", License: "Apache-2.0", Source: "https://amp", Dir: "/data", At: time.Unix(0, 0).UTC()},
	}
	file := SavedBeside(path)
	for _, a := range []Agent{{ID: "mine", Command: "old"}, amp, {ID: "mine", Command: "my-agent", Cwd: "/src"}} {
		if _, err := file.Put(a); err != nil {
			t.Fatal(err)
		}
	}
	list, err := file.Agents()
	if err != nil {
		t.Fatal(err)
	}
	amp.Source, amp.URL = SourceInstalled, "https://amp"
	mine := Agent{ID: "mine", Name: "mine", Command: "my-agent", Cwd: "/src", Source: SourceConfigured}
	env := cmp.Comparer(func(a, b Secrets) bool { return cmp.Equal(a.all(), b.all()) })
	if diff := cmp.Diff([]Agent{amp, mine}, list, env); diff != "" {
		t.Error(diff)
	}
	if info, err := os.Stat(file.Path); err != nil || info.Mode().Perm() != FileMode {
		t.Errorf("%v, %v", info, err)
	}

	writeFile(t, filepath.Dir(path), "config.toml", "default_agent = \"mine\"\n[agents.amp-acp]\nmode = \"plan\"\nenv = { B = \"2\" }\n")
	c, err := Load(path, TestActions)
	if err != nil {
		t.Fatal(err)
	}
	both, err := c.Agent("Amp")
	if err != nil || both.Command != "/data/amp-acp" || both.Mode != "plan" || both.Origin == nil || both.Env.Len() != 2 || both.Args[1] != `a "b"` {
		t.Errorf("%+v, %v", both, err)
	}
	if mine, err := c.Agent("mine"); err != nil || !mine.Default || mine.Cwd != "/src" || mine.Source != SourceConfigured {
		t.Errorf("%+v, %v", mine, err)
	}
	if removed, err := file.Remove("mine"); err != nil || removed == nil || removed.Command != "my-agent" {
		t.Errorf("%+v, %v", removed, err)
	}
	if removed, err := file.Remove("mine"); err != nil || removed != nil {
		t.Errorf("%+v, %v", removed, err)
	}
}

// An agent that could not be started is not saved; a file that cannot be read is reported, and
// stays as it is.
func TestSavesNothingWrong(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config.toml")
	file := SavedBeside(path)
	for _, a := range []Agent{
		{ID: "../x", Command: "x"},
		{ID: "", Command: "x"},
		{ID: "-a", Command: "x"},
		{ID: "x"},
		{ID: "x", Command: "x", Address: "wss://x"},
		{ID: "x", Address: "wss://me:secret@x"},
		{ID: "x", Command: "x", Env: NewSecrets(map[string]string{"A=B": "x"})},
		{ID: "x", Command: "x", Env: NewSecrets(map[string]string{"A": "$"})},
	} {
		if _, err := file.Put(a); err == nil {
			t.Errorf("%+v was saved", a)
		} else if strings.Contains(err.Error(), "secret") {
			t.Error(err)
		}
	}
	for _, text := range []string{"no toml", "[agents.x]\nname = \"X\"\n", "agents = 3\n", "choices = 3\n", strings.Repeat("#", maxFileSize+1)} {
		if err := os.WriteFile(file.Path, []byte(text), FileMode); err != nil {
			t.Fatal(err)
		}
		_, err := Load(path, TestActions)
		var reported *Error
		if !errors.As(err, &reported) || !strings.Contains(reported.File, "saved.toml") {
			t.Errorf("%.20q: %v", text, err)
		}
		if _, err := file.Put(Agent{ID: "x", Command: "x"}); err == nil {
			t.Errorf("%.20q was overwritten", text)
		}
	}
}

// What the user chooses in parley counts until the user changes the setting in the
// configuration, which parley never writes. None leaves a trace when it is undone.
func TestChoices(t *testing.T) {
	const command = "[agents.a]\ncommand = \"x\"\n"
	for _, c := range []struct {
		name, config string
		value        any
		key          string
	}{
		{"no file", "", "nord", "theme"},
		{"another value", "theme = \"light\" # mine\n", "nord", "theme"},
		{"a byte order mark", "\ufeffvim = true\r\n", "nord", "theme"},
		{"a known agent", "", "plan", "agents.claude.mode"},
		{"an agent of the file", command, "plan", "agents.a.mode"},
		{"another mode", command + "mode = 'ask'\n", "plan", "agents.a.mode"},
		{"no mode", command + "mode = 'ask'\n", nil, "agents.a.mode"},
		{"an option", command + "[agents.a.options]\nweb = true\n", `the "m"`, "agents.a.options.model"},
		{"a switch", command + "options = { web = true }\n", false, "agents.a.options.web"},
		{"an inline agent", "agents = { a = { command = \"x\" } }\n", "m", "agents.a.options.model"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "config.toml")
			writeFile(t, dir, "config.toml", c.config)
			key := strings.Split(c.key, ".")
			now := func() any {
				_, root, err := load(path, TestActions)
				if err != nil {
					t.Fatal(err)
				}
				return valueAt(root.values, key)
			}
			before, file := now(), SavedBeside(path)
			other := any("dracula")
			if c.value == false {
				other = true
			}
			for _, value := range []any{other, c.value} {
				if err := file.Choose(value, key...); err != nil || now() != value {
					t.Errorf("%v is %v (%v), want %v", c.key, now(), err, value)
				}
			}
			if data, _ := os.ReadFile(path); string(data) != c.config {
				t.Errorf("the configuration is now %q", data)
			}
			if err := file.Choose(before, key...); err != nil || now() != before {
				t.Errorf("undone it is %v (%v), want %v", now(), err, before)
			}
			if data, _ := os.ReadFile(file.Path); strings.Contains(string(data), "choices") {
				t.Errorf("what is saved is %s", data)
			}
		})
	}
}

func TestTheUserHasTheLastWord(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "config.toml")
	writeFile(t, dir, "config.toml", "theme = \"dark\"\n[agents.gone]\ncommand = \"x\"\n")
	for _, err := range []error{
		SavedBeside(path).Choose("nord", "theme"), SavedBeside(path).Choose("plan", "agents", "gone", "mode"), SavedBeside(path).Choose("plan", "agents", "claude", "mode"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	writeFile(t, dir, "config.toml", "theme = \"light\"\n")
	c, err := Load(path, TestActions)
	if err != nil || c.Themes.Chosen != ThemeLight || len(c.Agents) != 1 || c.Agents[0].Mode != "plan" {
		t.Errorf("%v, %+v", err, c)
	}
	writeFile(t, dir, "config.toml", "agents = 3\n")
	if _, err := Load(path, TestActions); err == nil || !strings.Contains(err.Error(), "config.toml:1:10: agents must be a table") {
		t.Error(err)
	}
	if err := SavedBeside(path).Choose("nord", "theme"); err == nil || !strings.Contains(err.Error(), "parley config check") {
		t.Error(err)
	}
	writeFile(t, dir, "config.toml", "")
	if err := SavedBeside(path).Choose("nowhere", "theme"); err == nil {
		t.Error("a theme that does not exist was saved")
	}
}

// What two parleys choose at the same time is both saved.
func TestSavesAllThatIsChosenAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if err := SavedBeside(path).Choose("v", "agents", "claude", "options", fmt.Sprint("option", i)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	c, err := Load(path, TestActions)
	if err != nil || len(c.Agents) != 1 || len(c.Agents[0].Options) != 20 {
		t.Errorf("%+v, %v", c.Agents, err)
	}
}

func TestSettingsOfOneAgent(t *testing.T) {
	c := parse(t, `
[mcp.all]
command = "all"
[agents.mine]
command = "mine"
mode = "plan"
options = { model = "large", thinking = true }
roots = ["/notes"]
[agents.mine.mcp.own]
command = "own"
[agents.mine.rules]
allow = ["read", "edit(a/**) mode=code"]
`)
	a := c.Agents[0]
	if diff := cmp.Diff(map[string]string{"model": "large", "thinking": "true"}, a.Options); diff != "" || a.Mode != "plan" {
		t.Error(a.Mode, diff)
	}
	if len(a.MCP) != 1 || a.MCP[0].Name != "own" || len(a.Roots) != 1 || a.Roots[0] != "/notes" {
		t.Errorf("%+v", a)
	}
	if len(c.Rules) != 2 || c.Rules[0].String() != "allow read agent=mine" || c.Rules[1].String() != "allow edit(a/**) agent=mine mode=code" {
		t.Errorf("%v", c.Rules)
	}
	for _, text := range []string{
		"[agents.mine]\ncommand = \"x\"\nroots = [\"a\"]", "[agents.mine]\ncommand = \"x\"\noptions = { a = 3 }",
		"[agents.mine]\ncommand = \"x\"\n[agents.mine.rules]\nallow = [\"read agent=other\"]", "registry = \"http://example.com\"",
	} {
		if _, err := Parse("config.toml", []byte(text), TestActions); err == nil {
			t.Errorf("no error: %s", text)
		}
	}
}

// What is kept elsewhere stays there.
func TestALinkedFileStaysALink(t *testing.T) {
	dir := t.TempDir()
	file, kept := SavedBeside(filepath.Join(dir, "config.toml")), filepath.Join(dir, "dotfiles.toml")
	writeFile(t, dir, "dotfiles.toml", "")
	if err := os.Symlink(kept, file.Path); err != nil {
		t.Skip(err)
	}
	if err := file.Choose("nord", "theme"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(file.Path); err != nil || info.Mode().Type() != os.ModeSymlink {
		t.Errorf("it is no link: %v %v", info, err)
	}
	if got, _ := os.ReadFile(kept); !strings.Contains(string(got), "nord") {
		t.Errorf("the file is %q", got)
	}
}
