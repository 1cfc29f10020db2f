// This file is where a tab and its parts speak to the person: what is said for a
// moment, and the dialogs that stand before the transcript.
//
// A part of a tab, such as the list of its rules or the way to export it, has a type of
// its own, in a package of its own. It gets the tab's [Desk], and an interface of what
// else it needs. What takes time is a command, whose message says by itself what follows
// ([Then]): the tab carries that out and need not know which part it is for.

package tab

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/app"
	"parley/internal/termtext"
	"parley/tui/dialog"
)

// flashTime is how long something is said above the prompt.
const flashTime = 3 * time.Second

// Then is what follows in the tab from something that was done beside the screen. It is
// the message of a command, and is called in the program's Update.
type then func() tea.Cmd

// ErrorMsg tells of something that went wrong outside of the session.
type ErrorMsg struct{ Err error }

// Beside does something that takes its time beside the screen. What it returns follows in
// the tab; nil is nothing.
func beside(do func() then) tea.Cmd {
	return func() tea.Msg {
		if then := do(); then != nil {
			return then
		}
		return nil
	}
}

// AgainTime is how long the first of two presses of a key counts that does something only
// when it is pressed again.
const againTime = 2 * time.Second

// Redraw has the tab drawn again after a time, because a hint is over then.
func redraw(after time.Duration) tea.Cmd {
	return tea.Tick(after, func(time.Time) tea.Msg { return then(func() tea.Cmd { return nil }) })
}

// Quietly does something beside the screen of which it is no trouble of the person's that it
// may not succeed.
func quietly(do func() error) tea.Cmd {
	return func() tea.Msg {
		_ = do()
		return nil
	}
}

// Desk is what is said and asked in one tab.
type desk struct {
	Dialogs *dialog.Stack

	env     func() dialog.Env
	flash   string // said above the prompt for a moment
	flashes int    // counts them: only the end of the last one clears it
}

// New makes the desk of a tab. env is what its dialogs are made with at a moment.
func newDesk(guard *dialog.Guard, env func() dialog.Env) *desk {
	return &desk{Dialogs: dialog.NewStack(guard), env: env}
}

// Env is what a dialog is made with.
func (d *desk) Env() dialog.Env { return d.env() }

// Say shows words above the prompt for a moment.
func (d *desk) Say(words string) tea.Cmd {
	d.flash = termtext.Line(words) // it may quote the agent
	d.flashes++
	n := d.flashes
	return tea.Tick(flashTime, func(time.Time) tea.Msg {
		return then(func() tea.Cmd {
			if n == d.flashes {
				d.flash = ""
			}
			return nil
		})
	})
}

// SayIf says what went wrong, if something did.
func (d *desk) SayIf(err error) tea.Cmd {
	if err == nil {
		return nil
	}
	return d.Say(err.Error())
}

// Key is the key to show for an action.
func (d *desk) Key(a config.Action) string { return keyName(d.Env().Keys, a) }

// Way is the key of an action, or where to find it if it has none.
func (d *desk) Way(a config.Action) string { return way(d.Env().Keys, a) }

// Way is the key of an action, or where to find it if it has none.
func way(keys config.Keys, a config.Action) string {
	if len(keys.For(a)) > 0 {
		return keyName(keys, a)
	}
	return "the palette (" + keyName(keys, config.ActionPalette) + ")"
}

// KeyName is the key to show for an action.
func keyName(keys config.Keys, a config.Action) string {
	if keys := keys.For(a); len(keys) > 0 {
		return keys[0]
	}
	return "no key"
}

// Said is what is said at this moment, "" if nothing is.
func (d *desk) Said() string { return d.flash }

// Ask opens a question of parley's own.
func (d *desk) Ask(q dialog.Confirmation) { d.Dialogs.Push(dialog.NewConfirm(d.Env(), q)) }

// Confirmation shows a question as a dialog. Answers are carried out in the background.
func (d *desk) Confirmation(q app.Question) dialog.Confirmation {
	c := dialog.Confirmation{Title: q.Title, Text: q.Text, Lines: q.Lines}
	for _, choice := range q.Choices {
		do := dialog.Action(dialog.Close{})
		if choice.Do != nil {
			do = dialog.Do(func() tea.Cmd {
				return beside(func() then {
					said, err := choice.Do()
					if err != nil {
						said = err.Error()
					}
					return func() tea.Cmd { return d.Say(said) }
				})
			})
		}
		c.Choices = append(c.Choices, dialog.Choice{Name: choice.Name, Key: choice.Key, Risky: choice.Risky, Do: do})
	}
	return c
}

// Tell asks nothing: it shows something until it is read.
func (d *desk) Tell(title, text string) {
	d.Ask(dialog.Confirmation{Title: title, Text: text, Choices: []dialog.Choice{{Name: "Close", Do: dialog.Close{}}}})
}

// List opens a list to choose from.
func (d *desk) List(l dialog.List) *dialog.Selector {
	s := dialog.NewSelector(d.Env(), l)
	d.Dialogs.Push(s)
	return s
}
