package dialog

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/command"
)

func authMethods() []acpclient.AuthMethod {
	return []acpclient.AuthMethod{
		{ID: "oauth", Name: "Log in with Google", Description: "Opens your browser"},
		{ID: "tty", Name: "Sign in on the command line", Type: acpclient.AuthMethodTerminal, Args: []string{"login", "--no browser"}, Env: map[string]string{"TOKEN": "hush"}},
		{ID: "odd", Name: "Something new", Type: "smartcard"},
		{ID: "tty", Name: "In the browser (safe)"},
	}
}

// A method that is not supported is listed, and cannot be chosen.
func TestAuth(t *testing.T) {
	for keys, want := range map[string]Action{
		"enter": nil, "1": picked{"oauth"}, "down enter": picked{"oauth"}, "2": picked{"tty"}, "esc": Close{},
		"3": nil, "4": nil, // it has the ID of another one
		"up enter": nil, // marked, but not supported
	} {
		env, c := newEnv()
		d := newAuth(env, "no credentials", authMethods())
		if got := strike(d, "1"); got != (NotTaken{}) {
			t.Fatalf("at first 1 did %#v", got)
		}
		c.pass(QuietTime)
		if text := shownBy(d, 100, 30); !strings.Contains(text, "no credentials") || !strings.Contains(text, "• In the browser (safe)  cannot be used") {
			t.Errorf("it shows\n%s", text)
		}
		if got := did(presses(t, d, strings.Fields(keys)...)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s did %#v, want %#v", keys, got, want)
		}
	}
}

func TestConfirm(t *testing.T) {
	stop, wait := picked{"stop"}, picked{"wait"}
	q := app.Question{Title: "Stop it?", Text: "It does not respond.", Choices: []app.Choice{
		{Name: "Stop the agent", Key: "s", Risky: true, Here: pick("stop")}, {Name: "Wait", Here: pick("wait")},
	}}
	q.Closed = pick("closed")
	for _, tt := range []struct {
		keys string
		want Action
	}{
		{"enter", nil},
		{"s", nil}, // it ends something
		{"s enter", stop},
		{"1", nil},
		{"1 enter", stop},
		{"2", wait},
		{"up enter", wait},
		{"esc", picked{"closed"}},
	} {
		t.Run(tt.keys, func(t *testing.T) {
			env, c := newEnv()
			d := newConfirm(env, q)
			if got := strike(d, "s"); got != (NotTaken{}) {
				t.Fatalf("at first s did %#v", got)
			}
			c.pass(QuietTime)
			if got := did(presses(t, d, strings.Fields(tt.keys)...)); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("did %#v, want %#v", got, tt.want)
			}
		})
	}
}

func TestConfirmShowsTheEndOfTheDetail(t *testing.T) {
	env, c := newEnv()
	d := newConfirm(env, app.Question{Title: "Gone", Text: "It has stopped.", Detail: strings.Repeat("noise\n", 50) + "\x1b[31mthe reason\x1b[0m\n", Choices: []app.Choice{{Name: "Restart"}}})
	c.pass(LookTime)
	if text := shownBy(d, 80, 16); !strings.Contains(text, "the reason") || !strings.Contains(text, "It has stopped.") {
		t.Errorf("it shows\n%s", text)
	}
	strike(d, "home")
	if text := shownBy(d, 80, 16); strings.Contains(text, "the reason") || !strings.Contains(text, "It has stopped.") {
		t.Errorf("scrolled up it shows\n%s", text)
	}
}

func TestWheelScrollsEvenWhileInert(t *testing.T) {
	env, _ := newEnv()
	d := NewPermission(env, editPermission(), 1)
	before := shownBy(d, 80, 14)
	d.Mouse(tea.MouseWheelMsg{Button: tea.MouseWheelDown}, 3, 3)
	if shownBy(d, 80, 14) == before {
		t.Error("the wheel did nothing")
	}
	if got := d.Mouse(tea.MouseClickMsg{Button: tea.MouseLeft}, 3, 10); got != (NotTaken{}) {
		t.Errorf("a click did %#v", got)
	}
}

func TestInertDialogsHaveNoHints(t *testing.T) {
	env, c := newEnv()
	all := []Guarded{
		NewPermission(env, editPermission(), 1), NewElicitation(env, formElicitation(), "A"),
		NewElicitation(env, linkElicitation("https://a.b"), "A"), newAuth(env, "", authMethods()), newConfirm(env, app.Question{Choices: []app.Choice{{Name: "x"}}}),
	}
	for _, d := range all {
		if hints := d.Hints(); len(hints) > 0 {
			t.Errorf("%T hints at %v while it is inert", d, hints)
		}
	}
	c.pass(LookTime)
	for _, d := range all {
		if !slices.ContainsFunc(d.Hints(), func(h Hint) bool { return h.Key == "esc" }) {
			t.Errorf("%T does not say what esc does: %v", d, d.Hints())
		}
	}
}

// A second press of the key that closed something must not reach the prompt,
// where enter sends it and esc cancels the turn.
func TestKeysThatCloseBounce(t *testing.T) {
	for _, key := range []string{"enter", "esc"} {
		for name, open := range map[string]func(Env) Dialog{
			"selector": func(e Env) Dialog { return NewSelector(e, command.Choice{Items: manyModels(3)}) },
			"options":  func(e Env) Dialog { return NewSelector(e, command.Choice{Space: true, Items: optionItems()}) },
		} {
			env, _ := newEnv()
			d := open(env)
			if env.Guard.Repeats(key) {
				t.Errorf("%s: %s bounces before it was pressed", name, key)
			}
			if got := strike(d, key); got == nil {
				t.Errorf("%s: %s did nothing", name, key)
			}
			if !env.Guard.Repeats(key) {
				t.Errorf("%s: a second %s reaches the prompt", name, key)
			}
		}
	}
}
