//go:build realagents

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The user edits one line while the agent works, then the agent edits another with its own
// tool: only that is the agent's, in review, undo, rewind and fork.
func TestRealAnEditDuringATurnStaysTheUsers(t *testing.T) {
	agents := Install(t)
	for _, c := range []struct {
		setUp       func(testing.TB, string) Agent
		mode, allow string
		work        []string // runs a command that is asked about, then changes five to FIVE
	}{
		{agents.Claude, "Manual", "Yes", []string{
			"RUN touch made.txt",
			`CALL Read {"file_path":"DIR/main.txt"}`,
			`CALL Edit {"file_path":"DIR/main.txt","old_string":"five","new_string":"FIVE"}`,
		}},
		{agents.Codex, "Read-only", "Yes, proceed", []string{
			`CALL exec_command {"cmd":"touch made.txt","sandbox_permissions":"require_escalated"}`,
			`CALL exec_command {"cmd":"apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: main.txt\n@@\n-five\n+FIVE\n*** End Patch\nEOF"}`,
		}},
	} {
		agent := c.setUp(t, startModel(t).URL)
		t.Run(agent.Name, func(t *testing.T) {
			p := Start(t, Options{Agent: agent.Cmd, Env: agent.Env, Home: agent.Home, Rows: 45, Loose: true, Legacy: []string{"session/set_model"}})
			p.Shows(c.mode)
			file := filepath.Join(p.Dir(), "main.txt")
			write := func(text string) {
				t.Helper()
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			holds := func(want string) {
				t.Helper()
				if got, err := os.ReadFile(file); err != nil || string(got) != want {
					t.Errorf("the file holds %q, error %v, want %q", got, err, want)
				}
			}
			const users, both = "ONE by the user\ntwo\nthree\nfour\nfive\n", "ONE by the user\ntwo\nthree\nfour\nFIVE\n"
			write("one\ntwo\nthree\nfour\nfive\n")
			p.Ask("SAY first answer").Shows("● first answer").Idle()

			p.Paste(strings.ReplaceAll(strings.Join(c.work, "\n"), "DIR", p.Dir())).Press("enter")
			p.Question("Permission", "touch made.txt")
			write(users)
			p.Answer(c.allow).Question("Permission", "+ FIVE").Answer(c.allow).Shows("DONE call").Idle()
			holds(both)

			p.Press("f5").Shows("M  main.txt", "+1 −1", "- five", "+ FIVE").Gone("ONE by the user")
			p.Press("u").Shows("undid")
			holds(users)
			p.Press("r").Shows("redid")
			holds(both)
			p.Press("q").Shows("DONE call")

			p.Press("alt+z").Shows("Rewind to before a prompt").Press("ctrl+f")
			p.Question("Fork before prompt 2", "The agent forks the session at this message.").Answer("In a new tab")
			p.WaitSent("session/fork", 1)
			p.Shows("● first answer", "Continues an earlier session from here").Gone("DONE call").Status(c.mode)
			holds(both)
			p.Press("ctrl+c").Shows("Type a prompt").Ask("SAY in the fork").Shows("● in the fork").Idle()

			p.Press("alt+1").Shows("DONE call").Press("alt+z").Shows("Rewind to before a prompt").Press("enter")
			p.Question("Rewind to before prompt 2?", "main.txt").Answer("Conversation and files")
			p.WaitSent("session/fork", 2)
			p.Shows("● first answer", "Continues an earlier session from here").Gone("DONE call").Status(c.mode)
			holds(users)
			p.Press("ctrl+c").Shows("Type a prompt").Ask("SAY after the rewind").Shows("● after the rewind").Idle()
			p.Leave()
		})
	}
}
