// Package dialog draws what stands above the prompt and takes keys before it:
// questions of the agent, lists to choose from, forms, the help.
//
// A dialog never acts. It takes keys and returns an [Action], and whoever shows
// it carries that out:
//
//	switch a := d.Key(msg).(type) {
//	case nil: // taken, nothing to do
//	case dialog.NotTaken: // it was meant for the prompt
//	case dialog.Answer: // …
//	}
//
// Questions that come up by themselves are held back by a [Guard], so that none
// is answered by a key that was meant for the prompt.
//
// Whatever comes from the agent is drawn as text and nothing else; commands and
// addresses, which a person decides on, are drawn whole, with every character
// in them that could hide something made visible.
//
// Nothing in this package is safe for concurrent use.
package dialog

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/conversation"
	"parley/tui/diffview"
	"parley/tui/theme"
	"parley/tui/toolview"
)

// Dialog is a panel above the prompt.
type Dialog interface {
	// Key takes a key press. The result is nil if there is nothing to carry
	// out, and [NotTaken] if the key belongs to somebody else.
	Key(tea.KeyPressMsg) Action
	// Paste takes pasted text, in the same manner.
	Paste(string) Action
	// Mouse takes a mouse event at a position inside the last view.
	Mouse(msg tea.MouseMsg, x, y int) Action
	// View draws the panel: at most maxHeight lines, none wider than width.
	View(width, maxHeight int) View
	// Hints are the keys that matter now.
	Hints() []Hint
	// SetTheme draws everything in another theme from now on.
	SetTheme(*theme.Theme)
}

// View is what a dialog looks like.
type View struct {
	// Lines are complete terminal lines, without line ends.
	Lines []string
	// Cursor is where the cursor stands inside the view, nil if there is none.
	Cursor *tea.Cursor
}

// Hint says what a key does now.
type Hint struct{ Key, Text string }

// Guarded is a dialog that comes up by itself and is inert at first.
type Guarded interface {
	Dialog
	// ArmsIn is how long the dialog stays inert if no key is pressed; 0 if it
	// takes keys. It should be drawn again then.
	ArmsIn(now time.Time) time.Duration
	// Release unmarks the answer that a letter has marked, and returns the letter: it is
	// text for the prompt. ok is false if no letter has marked any.
	Release() (letter tea.KeyPressMsg, ok bool)
}

// AgentQuestion is a dialog with a question of the agent.
type AgentQuestion interface {
	Guarded
	// Follow takes over how the question stands in the conversation.
	Follow(*conversation.Conversation) State
}

// Attached is a dialog that shows more of a question: it closes with it.
type Attached interface {
	Dialog
	// About is the dialog of the question; nil if it is of none.
	About() Dialog
}

// State is how a question of the agent stands.
type State uint8

const (
	// Over is a question that is answered, or that the agent has taken back: its
	// dialog is of no more use.
	Over State = iota
	// Open is a question that waits for an answer.
	Open
	// Visiting is a question that was answered by opening an address. Its dialog
	// waits for the agent to say that it is done there.
	Visiting
)

// Staying is a dialog that stays open when something was chosen in it.
type Staying interface {
	Dialog
	stays()
}

// Trying is a dialog from which something is tried that may go wrong. It stays
// open meanwhile.
type Trying interface {
	Dialog
	// Failed says that it went wrong, and why.
	Failed(error)
}

// Env is what all dialogs share.
type Env struct {
	Theme *theme.Theme
	Keys  config.Keys
	// Guard holds back the dialogs that come up by themselves. There is one in
	// the program; a [Stack] tells it when such a dialog gets into sight.
	Guard *Guard
	// Cwd is the session's directory: paths inside it are shown relative to it.
	Cwd string
	// Diffs is how the person wants to see changes of files; nil is as [diffview] does
	// it by itself.
	Diffs *diffview.Preference
	// DiffPositions are the places that changes have in their files; nil if none is known.
	DiffPositions *toolview.DiffPositions
	// Reach knows which paths lead out of the session's directories; it may be nil.
	Reach *toolview.Reach
	// Now is the clock.
	Now func() time.Time
	// Drafting reports whether the prompt holds text: letters and digits are the
	// prompt's then. If it is nil, the prompt is empty.
	Drafting func() bool
	// Edits reports whether a key edits the text that the prompt holds, or moves in
	// it: it is the prompt's then, too. It may be nil.
	Edits func(key string) bool
}

// drafts reports whether a key belongs to the prompt because text stands there.
func (e Env) drafts(key string) bool {
	return e.drafting() && (config.Types(key) || e.Edits != nil && e.Edits(key))
}

func (e Env) drafting() bool { return e.Drafting != nil && e.Drafting() }

// hint is a hint for the first key of an action that means it now; it is left out if
// there is none.
func (e Env) hint(hints []Hint, a config.Action, text string) []Hint {
	for _, key := range e.Keys.For(a) {
		if !e.drafts(key) {
			return append(hints, Hint{key, text})
		}
	}
	return hints
}

// done notes the key that ended something: a second press of it, which often
// follows, is not meant for the prompt below.
func (e Env) done(msg tea.KeyPressMsg, a Action) Action {
	if a != nil {
		e.Guard.answer(msg.String())
	}
	return a
}
