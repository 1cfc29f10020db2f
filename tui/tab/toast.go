package tab

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/app"
	"parley/internal/termtext"
	"parley/tui/dialog"
)

// toastTime is how long a toast is shown.
const toastTime = 3 * time.Second

// then is the continuation of background work. It is a command's message, called in the
// program's Update.
type then func() tea.Cmd

// ErrorMsg reports an error outside the session.
type ErrorMsg struct{ Err error }

// inBackground runs do in the background and its continuation, which may be nil, in
// Update.
func inBackground(do func() then) tea.Cmd {
	return func() tea.Msg {
		if then := do(); then != nil {
			return then
		}
		return nil
	}
}

// againTime is how soon a key must be pressed again to confirm.
const againTime = 2 * time.Second

// redraw draws the tab again after a time, because a hint expires.
func redraw(after time.Duration) tea.Cmd {
	return tea.Tick(after, func(time.Time) tea.Msg { return then(func() tea.Cmd { return nil }) })
}

// bestEffort runs do in the background and ignores its error, which is not the person's
// problem.
func bestEffort(do func() error) tea.Cmd {
	return func() tea.Msg {
		_ = do()
		return nil
	}
}

// toast is a short message above the prompt.
type toast struct {
	text  string // "" if none
	count int    // number of the latest toast, the only one to clear
	// holds, if not nil, reports whether the text is still true.
	holds func() bool
}

// say shows a toast.
func (t *Tab) say(words string) tea.Cmd { return t.sayWhile(words, nil) }

// sayWhile shows a toast for as long as it holds, but no longer than others.
func (t *Tab) sayWhile(words string, holds func() bool) tea.Cmd {
	t.toast.text = termtext.Line(words) // it may contain the agent's text
	t.toast.holds = holds
	t.toast.count++
	n := t.toast.count
	return tea.Tick(toastTime, func(time.Time) tea.Msg {
		return then(func() tea.Cmd {
			if n == t.toast.count {
				t.toast.text = ""
			}
			return nil
		})
	})
}

// current returns the text of a toast that is still true, or "".
func (t *toast) current() string {
	if t.holds != nil && !t.holds() {
		t.text, t.holds = "", nil
	}
	return t.text
}

// sayIf shows an error, if any, as a toast.
func (t *Tab) sayIf(err error) tea.Cmd {
	if err == nil {
		return nil
	}
	return t.say(err.Error())
}

// keyOf returns the key to show for an action.
func (t *Tab) keyOf(a config.Action) string { return keyName(t.program.Keys, a) }

// keyOrPalette returns the key of an action, or refers to the palette if it has none.
func keyOrPalette(keys config.Keys, a config.Action) string {
	if len(keys.For(a)) > 0 {
		return keyName(keys, a)
	}
	return "the palette (" + keyName(keys, config.ActionPalette) + ")"
}

// keyName returns the first key of an action.
func keyName(keys config.Keys, a config.Action) string {
	if keys := keys.For(a); len(keys) > 0 {
		return keys[0]
	}
	return "no key"
}

// ask opens a confirmation.
func (t *Tab) ask(q dialog.Confirmation) { t.dialogs.Push(dialog.NewConfirm(t.env(), q)) }

// tell shows a message until it is closed.
func (t *Tab) tell(title, text string) {
	t.ask(dialog.Confirmation{Title: title, Text: text, Choices: []dialog.Choice{{Name: "Close", Do: dialog.Close{}}}})
}

// choose opens a list.
func (t *Tab) choose(l dialog.List) *dialog.Selector {
	s := dialog.NewSelector(t.env(), l)
	t.dialogs.Push(s)
	return s
}

// confirmation turns a question into a dialog. Its answers run in the background.
func (t actions) confirmation(q app.Question) dialog.Confirmation {
	c := dialog.Confirmation{Title: q.Title, Text: q.Text, Lines: q.Lines}
	for _, choice := range q.Choices {
		do := dialog.Action(dialog.Close{})
		switch {
		case choice.Open != nil:
			do = dialog.Do(func() tea.Cmd { return send(Open(choice.Open)) })
		case choice.Do != nil:
			do = dialog.Do(func() tea.Cmd { return t.carryOut(choice.Do) })
		case choice.DropWorktree:
			do = dialog.Do(t.worktree.drop)
		}
		c.Choices = append(c.Choices, dialog.Choice{Name: choice.Name, Key: choice.Key, Risky: choice.Risky, Do: do})
	}
	return c
}

// carryOut carries out an answer in the background, and asks what follows from it.
func (t actions) carryOut(do func() (app.Outcome, error)) tea.Cmd {
	return inBackground(func() then {
		out, err := do()
		if err != nil {
			return t.failed(err)
		}
		return func() tea.Cmd {
			switch q := out.Ask; {
			case q == nil:
			case q.Enter != nil:
				enter := func(text string) tea.Cmd {
					return t.carryOut(func() (app.Outcome, error) { return q.Enter(text) })
				}
				t.dialogs.Push(dialog.NewEntry(t.env(), dialog.Entry{Title: q.Title, Hint: q.Hint, Do: enter}))
			default:
				t.ask(t.confirmation(*q))
			}
			if out.Say == "" {
				return nil
			}
			return t.say(out.Say)
		}
	})
}

// failed shows an error until it is closed.
func (t actions) failed(err error) then {
	return func() tea.Cmd {
		t.tell("That failed", termtext.Block(err.Error()))
		return nil
	}
}
