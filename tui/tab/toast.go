package tab

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/app"
	"parley/internal/termtext"
	"parley/tui/dialog"
)

// toastTime is how long something is said above the prompt.
const toastTime = 3 * time.Second

// then is what follows in the tab from something that was done beside the screen. It is
// the message of a command, and is called in the program's Update.
type then func() tea.Cmd

// ErrorMsg tells of something that went wrong outside of the session.
type ErrorMsg struct{ Err error }

// inBackground does something that takes its time beside the screen. What it returns follows in
// the tab; nil is nothing.
func inBackground(do func() then) tea.Cmd {
	return func() tea.Msg {
		if then := do(); then != nil {
			return then
		}
		return nil
	}
}

// againTime is how long the first of two presses of a key counts that does something only
// when it is pressed again.
const againTime = 2 * time.Second

// redraw has the tab drawn again after a time, because a hint is over then.
func redraw(after time.Duration) tea.Cmd {
	return tea.Tick(after, func(time.Time) tea.Msg { return then(func() tea.Cmd { return nil }) })
}

// bestEffort does something beside the screen of which it is no trouble of the person's that it
// may not succeed.
func bestEffort(do func() error) tea.Cmd {
	return func() tea.Msg {
		_ = do()
		return nil
	}
}

// toast is what a tab says for a moment, above the prompt.
type toast struct {
	text  string // "" if nothing is said
	count int    // only the end of the last one clears it
}

// say shows words above the prompt for a moment.
func (t *Tab) say(words string) tea.Cmd {
	t.toast.text = termtext.Line(words) // it may quote the agent
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

// sayIf says what went wrong, if something did.
func (t *Tab) sayIf(err error) tea.Cmd {
	if err == nil {
		return nil
	}
	return t.say(err.Error())
}

// keyOf is the key to show for an action.
func (t *Tab) keyOf(a config.Action) string { return keyName(t.program.Keys, a) }

// keyOrPalette is the key of an action, or where to find it if it has none.
func keyOrPalette(keys config.Keys, a config.Action) string {
	if len(keys.For(a)) > 0 {
		return keyName(keys, a)
	}
	return "the palette (" + keyName(keys, config.ActionPalette) + ")"
}

// keyName is the key to show for an action.
func keyName(keys config.Keys, a config.Action) string {
	if keys := keys.For(a); len(keys) > 0 {
		return keys[0]
	}
	return "no key"
}

// ask opens a question of parley's own.
func (t *Tab) ask(q dialog.Confirmation) { t.dialogs.Push(dialog.NewConfirm(t.env(), q)) }

// tell shows something until it is read.
func (t *Tab) tell(title, text string) {
	t.ask(dialog.Confirmation{Title: title, Text: text, Choices: []dialog.Choice{{Name: "Close", Do: dialog.Close{}}}})
}

// choose opens a list to choose from.
func (t *Tab) choose(l dialog.List) *dialog.Selector {
	s := dialog.NewSelector(t.env(), l)
	t.dialogs.Push(s)
	return s
}

// confirmation shows a question as a dialog. Answers are carried out in the background.
func (t *Tab) confirmation(q app.Question) dialog.Confirmation {
	c := dialog.Confirmation{Title: q.Title, Text: q.Text, Lines: q.Lines}
	for _, choice := range q.Choices {
		do := dialog.Action(dialog.Close{})
		switch {
		case choice.Open != nil:
			do = dialog.Do(func() tea.Cmd { return send(Open(choice.Open)) })
		case choice.Do != nil:
			do = dialog.Do(func() tea.Cmd {
				return inBackground(func() then {
					said, err := choice.Do()
					if err != nil {
						said = err.Error()
					}
					if said == "" {
						return nil
					}
					return func() tea.Cmd { return t.say(said) }
				})
			})
		}
		c.Choices = append(c.Choices, dialog.Choice{Name: choice.Name, Key: choice.Key, Risky: choice.Risky, Do: do})
	}
	return c
}
