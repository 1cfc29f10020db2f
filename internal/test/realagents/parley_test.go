//go:build realagents

package realagents

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/test/e2e"
	"parley/internal/test/fakemodel"
	"parley/internal/test/ptytest"
)

func TestMain(m *testing.M) { e2e.Main(m) }

// TestParley uses parley as a person does, with each of the agents.
func TestParley(t *testing.T) {
	agents := Install(t)
	for _, c := range []struct {
		setUp func(testing.TB, string) Agent
		// What the agent calls things: the options of a permission, and the
		// modes that shift+tab goes from and to.
		allow, reject, mode, nextMode string
		// An option to choose with f3, and what the status line says then.
		model, modelShown string
	}{
		{agents.OpenCode, "Allow once", "Reject", "build", "plan", "Other Model", "fake/other-model"},
		{agents.Claude, "Yes", "No", "Manual", "Accept edits", "Haiku", "haiku"},
	} {
		agent := c.setUp(t, fakemodel.Start(t).URL)
		t.Run(agent.Name, func(t *testing.T) {
			term := e2e.Start(t, e2e.Options{Agent: agent.Cmd, Env: agent.Env, Home: agent.Home, Loose: true}).Terminal
			term.WaitFor(c.mode)

			term.Type("SAY hello from the model\n").WaitFor("❯ SAY hello from the model", " hello from the model")

			allowed := filepath.Join(term.Dir(), "allowed.txt")
			// Pasted, since parley does not take the key that has just answered a
			// question for text, and a test types faster than any person.
			term.Paste("WRITE " + allowed + " allowed").Press("enter")
			answer(term, c.allow).WaitFor("DONE write")
			if got, err := os.ReadFile(allowed); err != nil || string(got) != "allowed\n" {
				t.Errorf("the file holds %q, error %v", got, err)
			}

			rejected := filepath.Join(term.Dir(), "rejected.txt")
			term.Paste("WRITE " + rejected + " rejected").Press("enter")
			answer(term, c.reject)
			idle(term).WaitFor("failed")
			if _, err := os.Stat(rejected); err == nil {
				t.Error("the file was written though it was rejected")
			}

			// Agents do not ask for a harmless echo.
			term.Paste("RUN touch made.txt && echo the number is $((6 * 7))").Press("enter")
			answer(term, c.allow).WaitFor("the number is 42", "DONE run")

			term.Press("shift+tab")
			term.WaitUntil("the mode is "+c.nextMode, lastLinesShow(c.nextMode))
			term.Press("f3").WaitFor(c.model).Type(c.model).Press("enter")
			term.WaitUntil("the model is "+c.modelShown, lastLinesShow(c.modelShown))

			term.Type("SLOW 9999\n").WaitFor("chunk 2 ")
			term.Press("esc")
			idle(term)
			term.Type("SAY still here\n").WaitFor(" still here")

			idle(term)
			term.Press("ctrl+d")
			if code := term.WaitExit(); code != 0 {
				t.Errorf("exit code %d, want 0", code)
			}
		})
	}
}

// answer picks the option with that name in a permission dialog, by its
// number, when the dialog takes keys.
func answer(term *ptytest.Terminal, option string) *ptytest.Terminal {
	term.WaitFor("Permission", option, "cancel the turn")
	screen := term.Screen()
	_, top, _ := screen.Find("─ Permission ") // the transcript above may name the option too
	for y := top; y < screen.Rows; y++ {
		before, _, found := strings.Cut(screen.Line(y), option)
		for _, field := range strings.Fields(before) {
			if found && field >= "1" && field <= "9" {
				return term.Press(field).WaitGone("Permission")
			}
		}
	}
	return term
}

// idle waits until no turn runs.
func idle(term *ptytest.Terminal) *ptytest.Terminal {
	return term.WaitUntil("no turn runs", func(s ptytest.Screen) bool {
		return !s.Contains("working ") && !s.Contains("cancelling ")
	})
}

// lastLinesShow is true when the status says it: text below the prompt.
func lastLinesShow(text string) func(ptytest.Screen) bool {
	return func(s ptytest.Screen) bool {
		return strings.Contains(s.Line(s.Rows-1)+s.Line(s.Rows-2), text)
	}
}
