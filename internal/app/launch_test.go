package app

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/acpclient"
	"parley/config"
	"parley/internal/policy"
	"parley/internal/rules"
)

func TestServersAreHandedOverInTheProtocolsForm(t *testing.T) {
	t.Setenv("TOKEN", "hunter2")
	sh, err := filepath.Abs("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	got, leftOut := mcpServers([]config.MCPServer{
		{Name: "tools", Type: config.MCPStdio, Command: sh, Args: []string{"-c", "echo $${A} ${TOKEN}"}, Env: config.NewSecrets(map[string]string{"B": "2", "A": "$TOKEN"})},
		{Name: "web", Type: config.MCPHTTP, URL: "https://example.com/$TOKEN", Headers: config.NewSecrets(map[string]string{"Authorization": "Bearer $TOKEN"})},
	}, false)
	if leftOut != nil {
		t.Fatal(leftOut)
	}
	want := []acpclient.MCPServer{
		{Name: "tools", Type: "stdio", Command: sh, Args: []string{"-c", "echo ${A} hunter2"}, Env: []acpclient.EnvVariable{{Name: "A", Value: "hunter2"}, {Name: "B", Value: "2"}}},
		{Name: "web", Type: "http", URL: "https://example.com/hunter2", Headers: []acpclient.HTTPHeader{{Name: "Authorization", Value: "Bearer hunter2"}}},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported()); diff != "" {
		t.Error(diff)
	}
}

func TestServersThatCannotBeStartedAreLeftOutByName(t *testing.T) {
	t.Setenv("TOKEN", "hunter2")
	t.Setenv("PATH", "")
	got, leftOut := mcpServers([]config.MCPServer{
		{Name: "a", Type: config.MCPStdio, Command: "no-such-program", Env: config.NewSecrets(map[string]string{"A": "$TOKEN"})},
		{Name: "b", Type: config.MCPHTTP, Headers: config.NewSecrets(map[string]string{"Authorization": "$TOKEN $UNSET_HERE"})},
		{Name: "c", Type: config.MCPHTTP, URL: "https://$TOKEN.example.com/$UNSET_HERE"},
		{Name: "d", Type: config.MCPStdio, Command: "/bin/sh", Args: []string{"$TOKEN", "$UNSET_HERE"}},
		{Name: "e", Type: config.MCPHTTP, URL: "https://example.com"},
	}, false)
	want := []string{
		"a: no-such-program is not installed, or not on PATH",
		"b: Authorization: environment variable UNSET_HERE is not set",
		"c: environment variable UNSET_HERE is not set",
		"d: environment variable UNSET_HERE is not set",
	}
	if diff := cmp.Diff(want, leftOut); diff != "" || len(got) != 1 || got[0].Name != "e" {
		t.Errorf("%v; left out:\n%s", got, diff)
	}
}

// parley reads files for an agent outside of the walls: what they hide is asked about, or the
// agent has parley read it.
func TestWhatTheSandboxHidesIsAskedAbout(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	link, ledger := filepath.Join(dir, "link"), filepath.Join(dir, "led[g]er")
	if err := os.Mkdir(ledger, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(ledger, link); err != nil {
		t.Fatal(err)
	}
	for _, hidden := range []string{ledger + "/", link} {
		table, err := rules.SensitiveFiles(config.Files{AskRead: []string{"!accounts"}}, []string{hidden})
		if err != nil {
			t.Fatal(err)
		}
		for name, asked := range map[string]bool{filepath.Join(ledger, "accounts"): true, filepath.Join(dir, "ledger", "x"): false} {
			if got := table.Match(policy.Reading, name); (got != "") != asked {
				t.Errorf("%s hidden: %s is asked about for %q", hidden, name, got)
			}
		}
	}
}

func TestTheToursProjectIsRemoved(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	l := &Launcher{}
	dir, err := l.sampleProject()
	if err != nil {
		t.Fatal(err)
	}
	if files, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(files) == 0 {
		t.Errorf("the sample project is empty: %v", err)
	}
	l.Close()
	if files, _ := filepath.Glob(filepath.Join(dir, "*")); len(files) > 0 {
		t.Errorf("left behind: %s", files)
	}
}

// What the inspector shows is kept where there is a screen to show it on, and nowhere else.
func TestTheInspectorsMessagesAreKeptForAScreen(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	for name, c := range map[string]struct {
		launcher *Launcher
		kept     bool
	}{
		"on a screen":     {&Launcher{}, true},
		"in lines":        {&Launcher{NoInspector: true}, false},
		"without anybody": {&Launcher{Unattended: true}, false},
	} {
		t.Run(name, func(t *testing.T) {
			l := c.launcher
			l.Config, l.Cwd = config.Default(nil), t.TempDir()
			defer l.Close()
			made, err := l.Make(t.Context(), Spec{Agent: &config.Agent{ID: "a", Command: "sh"}})
			if err != nil {
				t.Fatal(err)
			}
			defer made.Session.Close(t.Context())
			if kept := made.Session.Ring() != nil; kept != c.kept {
				t.Errorf("it is kept: %t, want %t", kept, c.kept)
			}
		})
	}
}
