//go:build realagents

package e2e

import (
	"os"
	"path/filepath"
	"testing"
)

// A turn that is begun in one terminal goes on in another: its question is answered there,
// and what it did is reviewed in the first.
func TestRealATurnIsAttachedToFromAnotherTerminal(t *testing.T) {
	agents := Install(t)
	for _, c := range []struct {
		setUp       func(testing.TB, string) Agent
		mode, allow string
	}{
		{agents.OpenCode, "build", "Allow once"},
		{agents.Claude, "Manual", "Yes"},
	} {
		agent := c.setUp(t, startModel(t).URL)
		t.Run(agent.Name, func(t *testing.T) {
			p := Start(t, Options{
				Agent: agent.Cmd, Env: agent.Env, Home: agent.Home, Config: "[host]\nkeep = true\n",
				Loose: true, Legacy: []string{"session/set_model"},
			})
			t.Cleanup(func() { EndHosts(agent.Home) })
			p.Shows(c.mode)
			made := filepath.Join(p.Dir(), "made.txt")
			p.Paste("WRITE " + made + " made").Press("enter")
			p.Question("Permission")

			q := Start(t, Options{Args: []string{"attach"}, Env: agent.Env, Home: agent.Home, Project: p.Dir(), Cols: 90, Rows: 30})
			t.Cleanup(func() { EndHosts(agent.Home) })
			q.Question("Permission").Answer(c.allow).Shows("DONE write").Idle()
			if got, err := os.ReadFile(made); err != nil || string(got) != "made\n" {
				t.Errorf("the file holds %q, error %v", got, err)
			}
			q.Leave()

			p.Shows("DONE write", "Answered on ").Idle()
			p.Press("f5").Shows("Session changes", "A  made.txt", "+1 −0").Press("u").Shows("undid")
			if _, err := os.Stat(made); !os.IsNotExist(err) {
				t.Errorf("the file that was taken back is still there: %v", err)
			}
			p.Press("q").Leave()
		})
	}
}
