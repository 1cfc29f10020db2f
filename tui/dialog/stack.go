package dialog

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/conversation"
	"parley/tui/theme"
)

// Stack holds the open dialogs. The top one is drawn and has the keys.
//
// A dialog that appears by itself is inert whenever it becomes visible: when it is pushed,
// uncovered, or a hidden stack is shown again. The stack tells the [Guard] so, except
// while hidden, when the guard belongs to another stack.
type Stack struct {
	guard *Guard
	list  []Dialog
	shown bool
	// withdrawn says that the agent has taken back the question in sight.
	withdrawn bool
	// typed are characters that have marked answers of questions that are out of sight now.
	typed []tea.KeyPressMsg
}

// NewStack returns an empty, hidden stack.
func NewStack(g *Guard) *Stack { return &Stack{guard: g} }

// Top returns the dialog that has the keys, or nil.
func (s *Stack) Top() Dialog {
	if len(s.list) == 0 {
		return nil
	}
	return s.list[len(s.list)-1]
}

// Empty reports whether no dialog is open.
func (s *Stack) Empty() bool { return len(s.list) == 0 }

// Has reports whether a dialog is open.
func (s *Stack) Has(d Dialog) bool { return slices.Contains(s.list, d) }

// Any reports whether one of the open dialogs is of a kind.
func (s *Stack) Any(is func(Dialog) bool) bool { return s.Topmost(is) != nil }

// Topmost returns the uppermost of the open dialogs of a kind, or nil.
func (s *Stack) Topmost(is func(Dialog) bool) Dialog {
	for _, d := range slices.Backward(s.list) {
		if is(d) {
			return d
		}
	}
	return nil
}

// Asks reports whether the top dialog appeared by itself.
func (s *Stack) Asks() bool {
	_, asks := s.Top().(Guarded)
	return asks
}

// Push opens a dialog on top of the others.
func (s *Stack) Push(d Dialog) {
	s.change(func() { s.list = append(s.list, d) })
}

// PushBelow opens a dialog that the user asked for earlier: below a question that has
// appeared since, else on top.
func (s *Stack) PushBelow(d Dialog) {
	at := len(s.list)
	if s.Asks() {
		at--
	}
	s.change(func() { s.list = slices.Insert(s.list, at, d) })
}

// PushUnder opens a dialog below an open one, or on top if that is not open.
func (s *Stack) PushUnder(above, d Dialog) {
	at := slices.Index(s.list, above)
	if at < 0 {
		at = len(s.list)
	}
	s.change(func() { s.list = slices.Insert(s.list, at, d) })
}

// Pop closes the dialog on top.
func (s *Stack) Pop() { s.Close(s.Top()) }

// Close closes a dialog at any position, if it is open.
func (s *Stack) Close(d Dialog) {
	s.closeIf(func(open Dialog) bool { return open == d })
}

func (s *Stack) closeIf(gone func(Dialog) bool) {
	var closed []interface{ Gone() }
	s.change(func() {
		s.list = slices.DeleteFunc(s.list, func(d Dialog) bool {
			is := gone(d)
			if told, tells := d.(interface{ Gone() }); is && tells {
				closed = append(closed, told)
			}
			return is
		})
	})
	for _, d := range closed {
		d.Gone()
	}
}

// Withdraw closes a question that is over, and that Follow does not close. It reports whether that was in
// sight, and the user has not answered it.
func (s *Stack) Withdraw(d Dialog) (unanswered bool) {
	if unanswered = s.shown && s.Top() == d && !s.guard.settled; unanswered {
		s.guard.withdrawn, s.guard.bereft = s.guard.now(), true
	}
	s.Close(d)
	return unanswered
}

// Follow updates the dialogs from the conversation: it closes those that are over, and
// reports whether an open question of the agent has a dialog.
func (s *Stack) Follow(c *conversation.Conversation) (asking bool) {
	s.Renew()
	visible, settled := s.Top(), s.guard.settled
	if a, ok := visible.(Attached); ok && a.About() != nil {
		visible = a.About()
	}
	s.closeIf(func(d Dialog) bool {
		q, is := d.(AgentQuestion)
		if !is {
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
	_, agents := visible.(AgentQuestion)
	s.withdrawn = s.bereaves(visible, settled) && agents
	return asking
}

// Renew brings parley's own questions up to date with what they are about: it closes those that no
// longer apply, and replaces those whose words have changed. It reports whether there were any.
func (s *Stack) Renew() (renewed bool) {
	visible, settled := s.Top(), s.guard.settled
	s.closeIf(func(d Dialog) bool {
		q, is := d.(*Confirm)
		if !is {
			return false
		}
		over, changed := q.renew()
		if changed && d == visible {
			s.Regain()
		}
		renewed = renewed || over || changed
		return over
	})
	s.bereaves(visible, settled)
	return renewed
}

// bereaves reports whether the visible question was closed without an answer. The next key was meant for it,
// and does nothing.
func (s *Stack) bereaves(visible Dialog, settled bool) bool {
	_, guarded := visible.(Guarded)
	gone := s.shown && guarded && !settled && !s.Has(visible)
	if gone {
		s.guard.withdrawn, s.guard.bereft = s.guard.now(), true
	}
	return gone
}

// Withdrawn reports whether the last Follow closed the visible question because the agent
// withdrew it.
func (s *Stack) Withdrawn() bool { return s.withdrawn }

// Show makes the stack visible.
func (s *Stack) Show() {
	s.shown = true
	s.Regain()
}

// Hide hides the stack.
func (s *Stack) Hide() {
	s.release(s.Top())
	s.shown = false
}

// Release unmarks the answer that a key has marked in the top dialog: see Typed.
func (s *Stack) Release() { s.release(s.Top()) }

// Typed returns, once, the characters that had marked answers of questions that are out of
// sight, and still open: they are text for the prompt. Those of a question that is over are
// dropped.
func (s *Stack) Typed() []tea.KeyPressMsg {
	all := s.typed
	s.typed = nil
	return all
}

// release takes the characters back that have marked an answer.
func (s *Stack) release(d Dialog) {
	if g, ok := d.(Guarded); ok {
		s.typed = append(s.typed, g.Release()...)
	}
}

// GivesIn returns in how long the top dialog gives the answer whose key was pressed twice; 0
// if there is none.
func (s *Stack) GivesIn(now time.Time) time.Duration {
	if g, ok := s.Top().(Guarded); ok && s.shown {
		return g.GivesIn(now)
	}
	return 0
}

// Due gives that answer, once its time has come.
func (s *Stack) Due() Action {
	if g, ok := s.Top().(Guarded); ok && s.shown {
		return g.Due()
	}
	return nil
}

// ArmsIn returns how long the top dialog stays inert if no key is pressed; 0 if it takes
// keys, there is none, or it is hidden. Draw it again then.
func (s *Stack) ArmsIn(now time.Time) time.Duration {
	if s.shown && s.Asks() {
		return s.guard.ArmsIn(now)
	}
	return 0
}

// SetTheme changes the theme of all dialogs.
func (s *Stack) SetTheme(th *theme.Theme) {
	for _, d := range s.list {
		d.SetTheme(th)
	}
}

// change changes the list, and starts to guard a new top dialog.
func (s *Stack) change(do func()) {
	before := s.Top()
	do()
	if s.Top() != before {
		if s.Has(before) {
			s.release(before)
		}
		s.Regain()
	}
}

// Regain returns the keys to the top dialog, which is inert at first.
func (s *Stack) Regain() {
	s.release(s.Top())
	if s.shown && s.Asks() {
		s.guard.open()
	}
}

const (
	// LookTime is how long a dialog that appears by itself is inert at least once it is on
	// the screen, because an earlier key cannot be an answer.
	LookTime = 450 * time.Millisecond
	// QuietTime is the pause in typing after which such a dialog takes keys.
	QuietTime = 500 * time.Millisecond
	// ReplaceTime is how long keys are ignored after the agent withdraws the visible
	// question, because they may have been meant for it.
	ReplaceTime = time.Second
	// repeatTime is within which a key that has answered a question is pressed again, or
	// repeated by the keyboard.
	repeatTime = 300 * time.Millisecond
)

// Guard keeps keys meant for the prompt away from dialogs that appear by themselves. The
// program has one, shared by all such dialogs.
//
// A dialog is inert for [LookTime] after it becomes visible, and until [QuietTime] has
// passed since the last key. Keys pressed meanwhile go to the prompt.
type Guard struct {
	// Watched means that [Guard.Seen] is called when a dialog is on the screen, which may
	// be long after it was drawn: until then it is inert.
	Watched bool

	now    func() time.Time
	opened time.Time // or seen
	unseen bool
	opens  int // number of calls of open
	typed  time.Time

	answerKey string
	answered  time.Time

	settled   bool      // the user has answered the visible question
	withdrawn time.Time // when the agent last withdrew a visible question
	bereft    bool      // a dialog that was open then is in sight

	unfocused string // why the dialog takes no keys, or ""
}

// NewGuard returns a guard with a clock.
func NewGuard(now func() time.Time) *Guard { return &Guard{now: now} }

// Typed notes a key that went to the prompt, except those that an inert dialog passed on.
// After it no key counts as a second press of an answer: see [Guard.Repeats].
func (g *Guard) Typed() {
	g.typed = g.now()
	g.answerKey = ""
}

// Repeats reports whether a key repeats the one that has just answered a question, so that
// neither the next question nor the prompt may get it. Each repetition extends the time,
// so a key held down has no effect.
func (g *Guard) Repeats(key string) bool {
	now := g.now()
	if key == "" || key != g.answerKey || now.Sub(g.answered) >= repeatTime {
		return false
	}
	g.answered = now
	g.opened = now
	return true
}

// Forget notes that another key was pressed: the answering key is no longer a repetition.
func (g *Guard) Forget() { g.answerKey = "" }

// Unfocus says that keys go elsewhere, with the words that the dialog shows for it; "" means
// that the dialog takes them again.
func (g *Guard) Unfocus(words string) { g.unfocused = words }

// ArmsIn returns how long the dialog stays inert, 0 if it takes keys.
func (g *Guard) ArmsIn(now time.Time) time.Duration {
	if g.unseen {
		return LookTime
	}
	arms := g.opened.Add(LookTime)
	if quiet := g.typed.Add(QuietTime); quiet.After(arms) {
		arms = quiet
	}
	if replaced := g.withdrawn.Add(ReplaceTime); replaced.After(arms) {
		arms = replaced
	}
	return max(0, arms.Sub(now))
}

// Bereft reports whether a visible question has just gone without an answer: a key may have been meant
// for it, and no page or list may take it.
func (g *Guard) Bereft() bool { return g.bereft && g.now().Before(g.withdrawn.Add(ReplaceTime)) }

// Acts notes that the user does something else, which may open a page or list with keys of its own.
func (g *Guard) Acts() { g.bereft = false }

// open starts to guard a dialog that becomes visible or changes its contents.
func (g *Guard) open() {
	g.opened, g.settled, g.unseen = g.now(), false, g.Watched
	g.opens++
}

// Unseen reports whether a dialog has become visible that is not on the screen yet, and
// returns what to call [Guard.Seen] with once it is.
func (g *Guard) Unseen() (opening int, unseen bool) { return g.opens, g.unseen }

// Seen begins the pause of the dialog that Unseen returned, unless another one has become
// visible meanwhile.
func (g *Guard) Seen(opening int) {
	if g.unseen && opening == g.opens {
		g.opened, g.unseen = g.now(), false
	}
}

// Ended notes a key that ended something else while a question is open: a second press
// must not reach the question.
func (g *Guard) Ended(key string) { g.answerKey, g.answered = key, g.now() }

// answer notes the key that answered a question.
func (g *Guard) answer(key string) { g.answerKey, g.answered, g.settled = key, g.now(), true }

// Typing reports whether the user types, or did within QuietTime.
func (g *Guard) Typing() bool { return g.now().Sub(g.typed) < QuietTime }

// inert reports whether the dialog takes no keys now.
func (g *Guard) inert() bool { return g.ArmsIn(g.now()) > 0 }
