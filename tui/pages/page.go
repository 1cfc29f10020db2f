// Package pages has what takes the whole screen beside the transcript: the review of what
// the agent has changed, the inspector of the protocol, the help and the guide.
package pages

import (
	tea "charm.land/bubbletea/v2"

	"parley/internal/app"
	"parley/internal/command"
	"parley/tui/dialog"
)

// Host does what a page cannot do itself.
type Host struct {
	// Edit opens a file in the user's editor, at a line from 1.
	Edit func(path string, line int) tea.Cmd
	// Copy puts text on the clipboard. what names it, as in "the change".
	Copy func(what, text string) tea.Cmd
	// Compose adds text to the prompt and closes the page.
	Compose func(text string) tea.Cmd
	// Choose opens a list above the page.
	Choose func(command.Choice)
	// Ask opens a question above the page.
	Ask func(app.Question)
	// Here turns a function of the page into one of such a list or question.
	Here func(func() tea.Cmd) func()
	// Flash returns the program's current message, such as that text was copied.
	Flash func() string
}

// stay carries a command out, which may be nil; the page stays.
func stay(cmd tea.Cmd) dialog.Action {
	if cmd == nil {
		return nil
	}
	return dialog.Stay(func() tea.Cmd { return cmd })
}

// pageFunc does a command of a page.
type pageFunc[V any] = func(V) dialog.Action

// just returns do as a pageFunc; the page stays.
func just[V any](do func(V)) pageFunc[V] {
	return func(v V) dialog.Action { do(v); return nil }
}

// runs is just for what returns a command, which may be nil.
func runs[V any](do func(V) tea.Cmd) pageFunc[V] {
	return func(v V) dialog.Action { return stay(do(v)) }
}
