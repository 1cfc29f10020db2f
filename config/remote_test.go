package config

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
`))
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
	if why := far.Unusable(none); why != "" || far.Listens() != "wss://agents.example.com/acp" {
		t.Errorf("%q, %q", why, far.Listens())
	}
	if build.Unusable(none) == "" || build.Listens() != "" {
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
	f := AddedBeside(filepath.Join(t.TempDir(), "config.toml"))
	if _, err := f.Put(Added{ID: "team", URL: "wss://agents.example.com/acp", Headers: map[string]string{"A": "b"}, Insecure: true}); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(filepath.Dir(f.path), "config.toml")
	if err := os.WriteFile(config, []byte("[agents.team]\nname = \"The team's\"\nserve_files = true\nheaders = { C = \"d\" }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Load(config)
	if err != nil {
		t.Fatal(err)
	}
	a := c.Agents[0]
	if a.Name != "The team's" || a.Address != "wss://agents.example.com/acp" || !a.Insecure || !a.ServeFiles || a.Command != "" ||
		!maps.Equal(a.Headers.all(), map[string]string{"A": "b", "C": "d"}) {
		t.Errorf("%+v", a)
	}
}

func TestWhatIsWrongWithAnAddedAgentThatListens(t *testing.T) {
	const url = "wss://agents.example.com"
	for want, a := range map[string]Added{
		"takes no command":                {URL: url, Command: "x"},
		"args, env or cwd":                {URL: url, Cwd: "/w"},
		"its URL is invalid":              {URL: "https://me:hunter2@agents.example.com"},
		"only to an agent with a url":     {Command: "x", Insecure: true},
		"is not a valid name of a header": {URL: url, Headers: map[string]string{"A B": "c"}},
		"the header A":                    {URL: url, Headers: map[string]string{"A": "$"}},
	} {
		a.ID = "a"
		if err := a.Check(); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v", want, err)
		}
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
		_, err := Parse("/etc/config.toml", []byte("[agents.far]\n"+text+"\n"))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
