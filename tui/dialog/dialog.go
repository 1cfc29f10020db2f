// Package dialog draws the panels above the prompt, which get keys first: questions from
// the agent, lists, forms and the help.
//
// A dialog never acts. It takes keys and returns an [Action], which the caller carries
// out:
//
//	switch a := d.Key(msg).(type) {
//	case nil: // taken, nothing to do
//	case dialog.NotTaken: // it was meant for the prompt
//	case dialog.Answer: // …
//	}
//
// A [Guard] delays questions that appear by themselves, so that a key meant for the
// prompt answers none of them.
//
// Everything from the agent is drawn as plain text. Commands and addresses, which a
// user decides on, are drawn in full, with every misleading character made visible.
//
// Nothing in this package is safe for concurrent use.
package dialog

import (
	"slices"
	"strings"
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
	// Key handles a key press. It returns nil if there is nothing to do, and [NotTaken]
	// if the key is for another layer.
	Key(tea.KeyPressMsg) Action
	// Paste handles pasted text likewise.
	Paste(string) Action
	// Mouse handles a mouse event at a position inside the last view.
	Mouse(msg tea.MouseMsg, x, y int) Action
	// View draws the panel: at most maxHeight lines, none wider than width.
	View(width, maxHeight int) View
	// Hints returns the keys that matter now.
	Hints() []Hint
	// SetTheme changes the theme.
	SetTheme(*theme.Theme)
}

// View is a drawn dialog.
type View struct {
	// Lines have no line ends.
	Lines []string
	// Cursor is relative to the view, nil if there is none.
	Cursor *tea.Cursor
}

// Hint says what a key does now.
type Hint struct{ Key, Text string }

// Guarded is a dialog that appears by itself and is inert at first, as long as the [Guard] says.
type Guarded interface {
	Dialog
	// GivesIn returns in how long the answer is given whose key was pressed twice, if
	// nothing follows it; 0 if there is none. Call Due then.
	GivesIn(now time.Time) time.Duration
	// Due gives that answer, once its time has come.
	Due() Action
	// Release unmarks the answer that keys have marked, and returns them as text for the
	// prompt.
	Release() []tea.KeyPressMsg
}

// AgentQuestion is a dialog for a question of the agent.
type AgentQuestion interface {
	Guarded
	// Follow updates the dialog from the conversation.
	Follow(*conversation.Conversation) State
	// Begin enters the question, and Unmark leaves it, with its answers unmarked. Marked reports whether
	// it is entered.
	Begin() Action
	Marked() bool
	Unmark()
	// TakeWords removes and returns what was written in place of an answer.
	TakeWords() string
}

// Attached is a dialog that shows more of a question, and closes with it.
type Attached interface {
	Dialog
	// About returns the question's dialog, or nil.
	About() Dialog
}

// State is the state of an agent's question.
type State uint8

const (
	// Over means answered or withdrawn: the dialog closes.
	Over State = iota
	// Open means that the question awaits an answer.
	Open
	// Visiting means that an address was opened, and the dialog awaits the agent's
	// completion.
	Visiting
)

// Env is what all dialogs share.
type Env struct {
	Theme *theme.Theme
	Keys  config.Keys
	// Guard delays the dialogs that appear by themselves. The program has one; a [Stack]
	// tells it when such a dialog becomes visible.
	Guard *Guard
	// Cwd is the session's directory; paths inside it are shown relative to it.
	Cwd string
	// Diffs is the user's preference for diffs; nil means the default.
	Diffs *diffview.Preference
	// Facts are what is known of the files that calls name; it may be nil.
	Facts *toolview.Facts
	// Now is the clock.
	Now func() time.Time
	// Asker names who asks where that is not plain to see, "" elsewhere. It may be nil.
	Asker func() string
	// Foreign means that another session asks: closing a question only leads back.
	Foreign bool
	// Drafting reports whether the prompt holds more than blanks: it gets letters and digits then.
	// Nil means an empty prompt.
	Drafting func() bool
	// Press reports whether the key of an answer gives it at an ordinary question: the user wants that,
	// and the prompt is empty, also behind a page. It may be nil.
	Press func() bool
	// Sends says what the key that sends does with that now. It may be nil.
	Sends func() string
	// Edits reports whether a key edits the prompt's text or moves in it, and so is for
	// the prompt, too. It may be nil.
	Edits func(key string) bool
}

// drafts reports whether a key is for the prompt because it holds text.
func (e Env) drafts(key string) bool {
	return e.drafting() && (config.Types(key) || e.Edits != nil && e.Edits(key))
}

func (e Env) drafting() bool { return e.Drafting != nil && e.Drafting() }

// asker is the end of a title that names who asks, or "".
func (e Env) asker() string {
	if e.Asker == nil || e.Asker() == "" {
		return ""
	}
	return ", " + e.Asker()
}

// closing is what the key that closes dialogs does at a question of the agent; words is what it does to
// one of the session itself.
func (e Env) closing(words string) string {
	if e.Foreign {
		return "back"
	}
	return words
}

// hint adds a hint for the first key of an action that works now, if any.
func (e Env) hint(hints []Hint, a config.Action, text string) []Hint {
	h := HintList{Keys: e.Keys, List: hints, taken: e.drafts}
	h.Add(a, text)
	return h.List
}

// done notes the key of a decision, because an accidental second press must not reach the
// prompt.
func (e Env) done(msg tea.KeyPressMsg, a Action) Action {
	if a != nil {
		e.Guard.answer(msg.String())
	}
	return a
}

// HintList builds hints from the keys of actions.
type HintList struct {
	Keys config.Keys
	List []Hint

	taken func(key string) bool // keys that work otherwise now; nil means none
}

// Add adds a hint for the action's first key that works, if any.
func (h *HintList) Add(a config.Action, words string) { h.AddAll(words, a) }

// AddAll is Add for related actions, with one hint for all of them.
func (h *HintList) AddAll(words string, actions ...config.Action) {
	var names []string
	for _, a := range actions {
		free := func(key string) bool { return h.taken == nil || !h.taken(key) }
		if keys := h.Keys.For(a); slices.ContainsFunc(keys, free) {
			names = append(names, config.ShownKey(keys[slices.IndexFunc(keys, free)]))
		}
	}
	if len(names) > 0 {
		h.List = append(h.List, Hint{Key: strings.Join(names, "/"), Text: words})
	}
}
