package compare

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"sync"

	"parley/internal/app"
	"parley/internal/conversation"
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
	// Checked is the outcome of the check, nil before it.
	Checked *Checked

	mu sync.Mutex // for wrote
	// wrote are the files that a check has changed, by name.
	wrote map[string]written

	reading, again bool
	next           []func() // called once it is read
	check          *check
	// spent is what it has spent, and shared what it was told that the others have.
	spent, shared conversation.Spent
}

// written is a file that a check has changed: what it was before, nil if the side had not changed it,
// and after.
type written struct{ before, after *File }

// check is a check that runs.
type check struct {
	stop  context.CancelCauseFunc
	ended chan struct{} // closed once it runs no more
	again bool          // once more: the side has worked since it began
	mixed bool          // the side works while it runs: nobody knows whose a change is
}

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
		changed, err := c.changed(ctx, side)
		return func() {
			s.reading = false
			if s.again && !s.Dropped {
				c.Read(side, nil)
				return
			}
			if s.Err = err; err == nil && !s.Dropped {
				s.Changed = changed
			}
			all := s.next
			s.next = nil
			for _, next := range all {
				next()
			}
		}
	})
}

// changed reads what a side has changed. What its check has left of a file is the check's: it counts as
// it was before.
func (c *Contest) changed(ctx context.Context, side int) (*Changed, error) {
	changed, err := c.Sides[side].Changed(ctx)
	if err != nil {
		return nil, err
	}
	s := &c.States[side]
	s.mu.Lock()
	defer s.mu.Unlock()
	own := &Changed{More: changed.More, Added: changed.Added, Removed: changed.Removed}
	for _, f := range changed.Files {
		if w, is := s.wrote[f.Name]; is && f.is(w.after) {
			own.Added, own.Removed = own.Added-f.Added, own.Removed-f.Removed
			if w.before == nil {
				continue
			}
			f = *w.before
			own.Added, own.Removed = own.Added+f.Added, own.Removed+f.Removed
		}
		own.Files = append(own.Files, f)
	}
	return own, nil
}

// is reports whether a file is as another change has left it, as far as that is known.
func (f *File) is(other *File) bool {
	return f.NewMode == other.NewMode && f.Opaque == other.Opaque && reflect.DeepEqual(f.New, other.New)
}

// runCheck runs the check of a side, and returns what that has changed, nil if unknown.
func (c *Contest) runCheck(ctx context.Context, side int) (checked Checked, wrote map[string]written, failed error) {
	before, err := c.changed(ctx, side)
	if checked, failed = c.Run(ctx, side); err != nil {
		return checked, nil, failed
	}
	after, err := c.Sides[side].Changed(context.WithoutCancel(ctx))
	if err != nil {
		return checked, nil, failed
	}
	wrote = map[string]written{}
	for i := range after.Files {
		if f, was := &after.Files[i], before.Named(after.Files[i].Name); was == nil || !f.is(was) {
			wrote[f.Name] = written{was, f}
		}
	}
	return checked, wrote, failed
}

// Wrote names the files of a side that only its check has changed.
func (c *Contest) Wrote(side int) (names []string) {
	s := &c.States[side]
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, w := range s.wrote {
		if w.before == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Works notes that a side begins to work.
func (c *Contest) Works(side int) {
	if running := c.States[side].check; running != nil {
		running.mixed = true
	}
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
		checked, wrote, err := c.runCheck(stopped, side)
		unbind()
		stop(nil)
		close(running.ended)
		return func() {
			if s.check = nil; !running.mixed && wrote != nil {
				s.mu.Lock()
				s.wrote = wrote
				s.mu.Unlock()
			}
			if running.again {
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
