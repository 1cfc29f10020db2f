package config

import (
	"os"
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
	// A known name does not bring its program along.
	if claude.Command != "" || claude.Args != nil || claude.ServeFiles || claude.ServeTerminals {
		t.Errorf("%+v", claude)
	}
}

func TestWhatIsWrongWithAnAgentThatListens(t *testing.T) {
	for text, want := range map[string]string{
		`url = "agents.example.com"`:                    "is not where an agent listens",
		`url = "ftp://agents.example.com"`:              "is not where an agent listens",
		`url = "https://me:hunter2@agents.example.com"`: "is not where an agent listens",
		`url = ""`: "is not where an agent listens",
		"url = \"wss://a.example\"\ncommand = \"x\"":     "has no meaning for an agent that listens",
		"url = \"wss://a.example\"\nargs = [\"x\"]":      "has no meaning for an agent that listens",
		"url = \"wss://a.example\"\nenv = { A = \"b\" }": "has no meaning for an agent that listens",
		"command = \"x\"\nheaders = { A = \"hunter2\" }": "has no meaning for an agent that is started",
		"command = \"x\"\nserve_files = true":            "has no meaning for an agent of this machine",
		"command = \"x\"\nremote_root = \"srv\"":         "begins nowhere",
		"command = \"x\"\ninsecure = true":               "has no meaning for an agent that is started",
	} {
		_, err := Parse("/etc/config.toml", []byte("[agents.far]\n"+text+"\n"))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
