package compare

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"sync/atomic"

	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/git"
	"parley/internal/session"
)

// Contest follows the sides of a comparison: what each has changed, how its check has ended, and
// what all of them have spent. It is for one goroutine at a time, or one for each side.
type Contest struct {
	*Comparison
	// Background does work in the background, and then what that returns.
	Background func(work func(context.Context) func())
	// Run runs the check where a side has worked.
	Run func(ctx context.Context, side int) (Checked, error)
	// Session returns the session of a side, nil without one.
	Session func(side int) app.Session
	// States are those of the sides.
	States []State
	// Trusted means that the user has seen the check, which anybody may have noted with a worktree
	// that was found.
	Trusted bool
}

// State is what is known of a side.
type State struct {
	Dropped bool
	// Changed is what it has changed, nil until it is read. Err is why it could not be read.
	Changed *Changed
	Err     error
	// SetupFailed is how the setup of its worktree has failed, "" if it has not.
	SetupFailed string
	// Checked is the outcome of the check, nil before it, and once the side has changed more.
	Checked *Checked

	mu   sync.Mutex // for seen
	seen *seen      // of the last check, nil until it is read

	works          atomic.Int32 // how often it has begun to work
	reading, again bool
	next           []func() // called once it is read
	check          *check
	// spent is what it has spent, and shared what it was told that the others have.
	spent, shared conversation.Spent
}

// check is a check that runs.
type check struct {
	stop  context.CancelCauseFunc
	ended chan struct{} // closed once it runs no more
	again bool          // once more: the side has worked since it began
}

// Checked is the outcome of a check.
type Checked = app.Ran

// errStopped ends a check.
var errStopped = errors.New("stopped")

// NewContest follows a comparison.
func NewContest(c *Comparison) *Contest {
	return &Contest{Comparison: c, States: make([]State, len(c.Sides)), Trusted: !c.Found}
}

// Over reports whether all sides were dropped.
func (c *Contest) Over() bool {
	for i := range c.States {
		if !c.States[i].Dropped {
			return false
		}
	}
	return true
}

// Read reads what a side has changed, then calls next, which may be nil. While it is being read
// it is read once more afterwards: it may have changed since.
func (c *Contest) Read(side int, next func()) {
	s := &c.States[side]
	if s.Dropped {
		return
	}
	if next != nil {
		s.next = append(s.next, next)
	}
	if s.again = s.reading; s.reading {
		return
	}
	s.reading = true
	c.Background(func(ctx context.Context) func() {
		changed, checked, err := c.changed(ctx, side)
		tree := git.WorktreeAt(c.Sides[side].Tree.Path)
		return func() {
			s.reading = false
			if s.again && !s.Dropped {
				c.Read(side, nil)
				return
			}
			if tree != nil {
				s.SetupFailed = tree.Failed
			}
			if s.Err = err; err == nil && !s.Dropped {
				s.Changed, s.Checked = changed, checked
			}
			all := s.next
			s.next = nil
			for _, next := range all {
				next()
			}
		}
	})
}

// Works notes that a side begins to work.
func (c *Contest) Works(side int) {
	c.States[side].works.Add(1)
	c.States[side].Checked = nil
}

// Checking reports whether the check of a side runs.
func (c *Contest) Checking(side int) bool { return c.States[side].check != nil }

// RunCheck runs the check of a side, once more if it runs already.
func (c *Contest) RunCheck(side int) {
	s := &c.States[side]
	switch {
	case s.Dropped, c.Check == "", !c.Trusted:
		return
	case s.check != nil:
		s.check.again = true
		s.check.stop(errStopped)
		return
	}
	stopped, stop := context.WithCancelCause(context.Background())
	running := &check{stop: stop, ended: make(chan struct{})}
	s.check = running
	c.Background(func(ctx context.Context) func() {
		unbind := context.AfterFunc(ctx, func() { stop(context.Cause(ctx)) })
		checked, err := c.Test(stopped, side)
		unbind()
		stop(nil)
		close(running.ended)
		return func() {
			if s.check = nil; running.again {
				c.RunCheck(side)
				return
			}
			if err != nil {
				checked = Checked{Why: err.Error()}
			}
			s.Checked = &checked
		}
	})
}

// StopCheck ends the check of a side, and returns what waits until it runs no more.
func (c *Contest) StopCheck(side int) (wait func()) {
	running := c.States[side].check
	if running == nil {
		return func() {}
	}
	running.again = false
	running.stop(errStopped)
	return func() { <-running.ended }
}

// Spent notes what a side has spent, and tells each what the others have of the budget, which is
// for all of them.
func (c *Contest) Spent(side int, s conversation.Spent) {
	if reflect.DeepEqual(c.States[side].spent, s) {
		return
	}
	c.States[side].spent = s
	all := make([]conversation.Spent, len(c.States))
	for i := range c.States {
		all[i] = c.States[i].spent
	}
	for i, others := range Shared(all) {
		if on := c.Session(i); on != nil && !reflect.DeepEqual(others, c.States[i].shared) {
			c.States[i].shared = others
			session.Post(on, session.ShareBudget{Spent: others})
		}
	}
}
