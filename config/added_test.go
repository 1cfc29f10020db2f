package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What parley writes down is an agent as those of the configuration are, and the
// configuration adds to it what it says under the same name.
func TestAddedAgents(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config.toml")
	added := Added{
		ID: "amp-acp", Name: "Amp", Command: "/data/amp-acp", Args: []string{"acp", `a "b"`}, Env: map[string]string{"A": "$$b"},
		Origin: &Origin{Version: "0.9.0", Kind: "binary", License: "Apache-2.0", Dir: "/data", At: time.Unix(0, 0).UTC()},
	}
	file := AddedBeside(path)
	for _, a := range []Added{{ID: "mine", Command: "old"}, added, {ID: "mine", Command: "my-agent", Cwd: "/src"}} {
		if _, err := file.Put(a); err != nil {
			t.Fatal(err)
		}
	}
	list, err := file.Agents()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Added{added, {ID: "mine", Command: "my-agent", Cwd: "/src"}}, list); diff != "" {
		t.Error(diff)
	}
	if info, err := os.Stat(file.path); err != nil || info.Mode().Perm() != FileMode {
		t.Errorf("%v, %v", info, err)
	}

	text := "default_agent = \"mine\"\n[agents.amp-acp]\nmode = \"plan\"\nenv = { B = \"2\" }\n"
	if err := os.WriteFile(path, []byte(text), FileMode); err != nil {
		t.Fatal(err)
	}
	c, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	amp, err := c.Agent("Amp")
	if err != nil || amp.Command != "/data/amp-acp" || amp.Mode != "plan" || amp.Origin == nil || amp.Env.Len() != 2 || amp.Args[1] != `a "b"` {
		t.Errorf("%+v, %v", amp, err)
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

// An agent that could not be started is not written down; a file that cannot be read is
// told, and stays as it is.
func TestAddedAgentsThatAreWrong(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config.toml")
	file := AddedBeside(path)
	for _, a := range []Added{
		{ID: "../x", Command: "x"},
		{ID: "", Command: "x"},
		{ID: "-a", Command: "x"},
		{ID: "x"},
		{ID: "x", Command: "x", Env: map[string]string{"A=B": "x"}},
		{ID: "x", Command: "x", Env: map[string]string{"A": "$"}},
	} {
		if _, err := file.Put(a); err == nil {
			t.Errorf("%+v was written down", a)
		}
	}
	for _, text := range []string{"no toml", "[agents.x]\nname = \"X\"\n", "agents = 3\n", strings.Repeat("#", maxFileSize+1)} {
		if err := os.WriteFile(file.path, []byte(text), FileMode); err != nil {
			t.Fatal(err)
		}
		_, err := Load(path)
		_ = os.WriteFile(path, nil, FileMode)
		if err == nil {
			_, err = Load(path)
		}
		var told *Error
		if !errors.As(err, &told) || !strings.Contains(told.File, "agents.toml") {
			t.Errorf("%.20q: %v", text, err)
		}
		if _, err := file.Put(Added{ID: "x", Command: "x"}); err == nil {
			t.Errorf("%.20q was written over", text)
		}
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
		if _, err := Parse("config.toml", []byte(text)); err == nil {
			t.Errorf("no error: %s", text)
		}
	}
}
