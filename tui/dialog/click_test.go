package dialog

import (
	"errors"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/acpclient"
	"parley/internal/conversation"
)

// lineWith is the line of a view on which some words stand.
func lineWith(t *testing.T, v View, words string) int {
	t.Helper()
	for y, line := range v.Lines {
		if strings.Contains(ansi.Strip(line), words) {
			return y
		}
	}
	t.Fatalf("no line has %q:\n%s", words, ansi.Strip(strings.Join(v.Lines, "\n")))
	return -1
}

func click(d Dialog, y int) Action {
	return d.Mouse(tea.MouseClickMsg{Button: tea.MouseLeft, X: 10, Y: y}, 10, y)
}

// While words are written to a question its answers are out of sight: no click gives one
// of them, wherever the line with the words stands.
func TestClicksAnswerNothingWhileWordsAreWritten(t *testing.T) {
	d, _ := armed(editPermission())
	d.View(80, 40)
	presses(t, d, "tab", "n", "o")
	v := d.View(80, 40)
	for _, words := range []string{"❯ no", "No, and tell the agent what"} {
		y := lineWith(t, v, words)
		for range 2 {
			if got := click(d, y); got != nil {
				t.Errorf("a click on %q did %#v", words, got)
			}
		}
	}
	if got := presses(t, d, "enter"); got != (RejectWith{7, "no", "no"}) {
		t.Errorf("enter did %#v", got)
	}
}

// A click that comes before the answers are drawn anew is on none of them.
func TestAClickOnAnswersThatAreNotDrawnYet(t *testing.T) {
	env, c := newEnv()
	d := NewAuth(env, "Gemini", "no credentials", authMethods())
	c.pass(LookTime)
	y := lineWith(t, d.View(100, 30), "Log in with Google")
	d.Busy("Log in with Google")
	d.Failed(errors.New("the token has expired"))
	for range 2 {
		if got := click(d, y); got != nil {
			t.Errorf("a click did %#v", got)
		}
	}
	y = lineWith(t, d.View(100, 30), "Log in with Google")
	if got := click(d, y); got != (SignIn{"oauth"}) {
		t.Errorf("once they are drawn, a click did %#v", got)
	}
}

// A click answers what was drawn: if the agent has changed what it asks since then, it is
// no answer to that.
func TestAClickOnAQuestionThatHasChanged(t *testing.T) {
	conv, p := proposed()
	d, c := armed(p)
	y := lineWith(t, d.View(100, 30), p.Options[0].Name)
	conv.Apply(conversation.Update{Update: &acpclient.ToolCallUpdate{ToolCallID: "t", RawInput: []byte(`{"command":"rm"}`)}})
	if got := click(d, y); got != (NotTaken{}) {
		t.Errorf("a click on what has changed did %#v", got)
	}
	c.pass(ReplaceTime)
	y = lineWith(t, d.View(100, 30), p.Options[0].Name)
	if got := click(d, y); got != (Answer{7, p.Options[0].OptionID}) {
		t.Errorf("once it was seen, a click did %#v", got)
	}
}
