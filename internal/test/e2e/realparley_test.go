//go:build realagents

package e2e

import (
	"os"
	"path/filepath"
	"testing"
)

// TestRealParley uses parley as a user does, with each of the agents.
func TestRealParley(t *testing.T) {
	agents := Install(t)
	for _, c := range []struct {
		setUp func(testing.TB, string) Agent
		// What the agent calls things: the options of a permission, and the
		// modes that shift+tab goes from and to.
		allow, reject, mode, nextMode string
		// An option to choose with f3, and what the status line says then.
		model, modelShown string
		printed           string // the last thing that a command shows
	}{
		{agents.OpenCode, "Allow once", "Reject", "build", "plan", "Other Model", "fake/Other Model", "the number is 42"},
		{agents.Claude, "Yes", "No", "Manual", "Accept edits", "Haiku", "Haiku 5.5", "the number is 42"},
		// Gemini CLI keeps what a command printed to itself.
		{agents.Gemini, "Allow", "Reject", "mode Default", "Auto Edit", "gemini-2.5-pro", "gemini-2.5-pro", "DONE run"},
	} {
		agent := c.setUp(t, startModel(t).URL)
		t.Run(agent.Name, func(t *testing.T) {
			p := Start(t, Options{Agent: agent.Cmd, Env: agent.Env, Home: agent.Home, Loose: true, Legacy: []string{"session/set_model"}})
			p.Shows(c.mode)

			p.Ask("SAY hello from the model").Shows("❯ SAY hello from the model", "● hello from the model")

			allowed := filepath.Join(p.Dir(), "allowed.txt")
			// Pasted, since parley does not take the key that has just answered a
			// question for text, and a test types faster than any user.
			p.Paste("WRITE " + allowed + " allowed").Press("enter")
			p.Question("Permission").Answer(c.allow).Shows("DONE write")
			if got, err := os.ReadFile(allowed); err != nil || string(got) != "allowed\n" {
				t.Errorf("the file holds %q, error %v", got, err)
			}

			rejected := filepath.Join(p.Dir(), "rejected.txt")
			p.Paste("WRITE " + rejected + " rejected").Press("enter")
			p.Question("Permission").Answer(c.reject).Idle().Shows("rejected.txt", "you: "+c.reject)
			if _, err := os.Stat(rejected); err == nil {
				t.Error("the file was written though it was rejected")
			}

			// Agents do not ask for a harmless echo.
			p.Paste("RUN touch made.txt && echo the number is $((6 * 7))").Press("enter")
			p.Question("Permission").Answer(c.allow).Shows(c.printed, "DONE run")

			p.Press("shift+tab").Status(c.nextMode)
			p.Press("f3").Shows(c.model).Type(c.model).Press("enter").Status(c.modelShown)

			p.Ask("SLOW 9999").Shows("chunk 2 ")
			p.Press("esc").Idle()
			p.Ask("SAY still here").Shows("● still here")
			p.Idle()

			// Whoever wrote the file, it is among the changes, and can be taken back.
			p.Press("f5").Shows("Session changes", "A  allowed.txt", "+1 −0").Press("u").Shows("undid")
			if _, err := os.Stat(allowed); !os.IsNotExist(err) {
				t.Errorf("the file that was taken back is still there: %v", err)
			}
			p.Press("q").Leave()
		})
	}
}
