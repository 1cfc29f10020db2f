package app

import (
	"context"
	"errors"
	"os"
	"testing"

	"parley/internal/git"
	"parley/internal/test"
)

// endingSession is a session in a worktree that ends with an error, or after a look at the worktree.
type endingSession struct {
	Session
	err  error
	look func()
}

func (s endingSession) End(context.Context) error {
	s.look()
	return s.err
}

// A worktree is dropped once its session has ended, and not at all if that does not end.
func TestAWorktreeOutlivesItsSession(t *testing.T) {
	dir, _ := test.New(t, map[string]string{"poem.txt": "one\n"})
	tree, err := git.CreateWorktree(t.Context(), dir, git.WorktreeOptions{})
	must(t, err)
	there := func() bool { _, err := os.Stat(tree.Path); return err == nil }
	for _, fails := range []error{errors.New("it does not end"), nil} {
		ended := false
		_, err := DropWorktree(t.Context(), endingSession{err: fails, look: func() { ended = there() }}, tree)
		if !errors.Is(err, fails) || !ended || there() == (fails == nil) {
			t.Errorf("%v: dropped with %v; there at the end of the session %v, now %v", fails, err, ended, there())
		}
	}
}
