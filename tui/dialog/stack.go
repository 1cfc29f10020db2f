package dialog

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/conversation"
	"parley/tui/theme"
)

// Stack holds the dialogs that are open above one prompt. The one on top is
// drawn and takes keys.
//
// A dialog that comes up by itself is inert at first whenever it gets into
// sight: when it is pushed, when what stood above it is closed, and when a
// hidden stack is shown again. The stack tells the program's [Guard] so. While
// it is hidden it leaves the guard alone, for that one watches over another.
type Stack struct {
	guard *Guard
	list  []Dialog
	shown bool
	// withdrawn says that the agent has taken back the question in sight.
	withdrawn bool
	// typed are letters that have marked answers of questions that are out of sight now.
	typed []tea.KeyPressMsg
}

// NewStack makes an empty stack, which is hidden.
func NewStack(g *Guard) *Stack { return &Stack{guard: g} }

// Top is the dialog that takes keys, nil if none is open.
func (s *Stack) Top() Dialog {
	if len(s.list) == 0 {
		return nil
	}
	return s.list[len(s.list)-1]
}

// Visible reports whether a dialog is the one on the screen.
func (s *Stack) Visible(d Dialog) bool { return s.shown && s.Top() == d }

// Empty reports whether no dialog is open.
func (s *Stack) Empty() bool { return len(s.list) == 0 }

// Has reports whether a dialog is open.
func (s *Stack) Has(d Dialog) bool { return slices.Contains(s.list, d) }

// Asks reports whether the dialog on top came up by itself.
func (s *Stack) Asks() bool {
	_, asks := s.Top().(Guarded)
	return asks
}

// Push opens a dialog on top of the others.
func (s *Stack) Push(d Dialog) {
	s.change(func() { s.list = append(s.list, d) })
}

// PushBelow opens a dialog that the person has asked for a while ago: below a
// question that has come up meanwhile, else on top.
func (s *Stack) PushBelow(d Dialog) {
	at := len(s.list)
	if s.Asks() {
		at--
	}
	s.change(func() { s.list = slices.Insert(s.list, at, d) })
}

// Pop closes the dialog on top.
func (s *Stack) Pop() { s.Close(s.Top()) }

// Chosen closes the dialog on top, in which something was chosen, unless it is
// one that stays open then.
func (s *Stack) Chosen() {
	if _, stays := s.Top().(Staying); !stays {
		s.Pop()
	}
}

// Close closes a dialog, wherever it stands. One that is not open changes
// nothing.
func (s *Stack) Close(d Dialog) {
	s.closeIf(func(open Dialog) bool { return open == d })
}

func (s *Stack) closeIf(gone func(Dialog) bool) {
	s.change(func() { s.list = slices.DeleteFunc(s.list, gone) })
}

// Follow takes over how the agent's questions stand: it closes those that are
// over, and reports whether one of those that are open has its dialog.
func (s *Stack) Follow(c *conversation.Conversation) (asking bool) {
	visible, settled := s.Top(), s.guard.settled
	if a, ok := visible.(Attached); ok && a.About() != nil {
		visible = a.About()
	}
	s.closeIf(func(d Dialog) bool {
		q, ok := d.(AgentQuestion)
		if !ok {
			return false
		}
		state := q.Follow(c)
		asking = asking || state == Open
		return state == Over
	})
	s.closeIf(func(d Dialog) bool {
		a, ok := d.(Attached)
		return ok && a.About() != nil && !s.Has(a.About())
	})
	_, asked := visible.(AgentQuestion)
	s.withdrawn = s.shown && asked && !settled && !s.Has(visible)
	if s.withdrawn {
		s.guard.withdrawn = s.guard.now()
	}
	return asking
}

// Withdrawn reports whether the last Follow closed the question in sight without
// an answer of the person: the agent has taken it back.
func (s *Stack) Withdrawn() bool { return s.withdrawn }

// Show says that the dialogs are on the screen from now on.
func (s *Stack) Show() {
	s.shown = true
	s.arise()
}

// Hide says that something else is on the screen from now on.
func (s *Stack) Hide() {
	s.release(s.Top())
	s.shown = false
}

// Release takes the letter back that has marked an answer of the dialog on top: see Typed.
func (s *Stack) Release() { s.release(s.Top()) }

// Typed returns the letters that have marked answers of questions that went out of sight
// before one was given, once: they are text for the prompt.
func (s *Stack) Typed() []tea.KeyPressMsg {
	all := s.typed
	s.typed = nil
	return all
}

// release takes the letter back that has marked an answer.
func (s *Stack) release(d Dialog) {
	if g, ok := d.(Guarded); ok {
		if k, ok := g.Release(); ok {
			s.typed = append(s.typed, k)
		}
	}
}

// Regain gives the keys back to the dialog on top, after they went elsewhere for a
// while.
func (s *Stack) Regain() { s.arise() }

// ArmsIn is how long the dialog on top stays inert if no key is pressed; 0 if it
// takes keys, if there is none, or if it is not on the screen. It should be drawn
// again then.
func (s *Stack) ArmsIn(now time.Time) time.Duration {
	if g, ok := s.Top().(Guarded); ok && s.shown {
		return g.ArmsIn(now)
	}
	return 0
}

// SetTheme draws all dialogs in another theme from now on.
func (s *Stack) SetTheme(th *theme.Theme) {
	for _, d := range s.list {
		d.SetTheme(th)
	}
}

// change carries out a change of the list. If another dialog is on top after it,
// that one begins to be guarded.
func (s *Stack) change(do func()) {
	before := s.Top()
	do()
	if s.Top() != before {
		s.release(before)
		s.arise()
	}
}

// arise begins to guard the dialog on top.
func (s *Stack) arise() {
	s.release(s.Top())
	if s.shown && s.Asks() {
		s.guard.open()
	}
}
