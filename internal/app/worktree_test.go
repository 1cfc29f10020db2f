package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/config"
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

// A worktree is dropped once its session has ended, and not at all if that does not end, or if another
// session works there.
func TestAWorktreeOutlivesItsSession(t *testing.T) {
	dir, _ := test.New(t, map[string]string{"poem.txt": "one\n"})
	tree, err := git.CreateWorktree(t.Context(), dir, git.WorktreeOptions{})
	must(t, err)
	there := func() bool { _, err := os.Stat(tree.Path); return err == nil }
	leave, err := workIn([]string{tree.Path})
	must(t, err)
	if _, err := DropWorktree(t.Context(), endingSession{look: func() {}}, tree); err == nil || !there() {
		t.Errorf("dropped while another session works there: %v", err)
	}
	leave()
	for _, fails := range []error{errors.New("it does not end"), nil} {
		ended := false
		_, err := DropWorktree(t.Context(), endingSession{err: fails, look: func() { ended = there() }}, tree)
		if !errors.Is(err, fails) || !ended || there() == (fails == nil) {
			t.Errorf("%v: dropped with %v; there at the end of the session %v, now %v", fails, err, ended, there())
		}
	}
}

// The question before a merge names each file that a write would ask about, however many there are, and
// there is none if a rule denies one, whichever agent and mode it names.
func TestAMergeIsJudgedAsAWrite(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	for rule, denied := range map[string]bool{`deny = ["edit(vendor) agent=aa"]`: true, `deny = ["edit(vendor) mode=plan"]`: true, `allow = ["edit(vendor) agent=aa"]`: false} {
		dir, _ := test.New(t, map[string]string{"vendor/gone": "one\n", "poem.txt": "one\n"})
		cfg, err := config.Parse("x", []byte("[rules]\n"+rule), nil)
		must(t, err)
		tree, err := git.CreateWorktree(t.Context(), dir, git.WorktreeOptions{})
		must(t, err)
		must(t, os.Remove(filepath.Join(tree.Path, "vendor/gone")))
		must(t, os.Symlink(".", filepath.Join(tree.Path, "top")))
		must(t, os.Symlink("top/../../secret", filepath.Join(tree.Path, "out")))
		for i := range 20 {
			must(t, os.WriteFile(filepath.Join(tree.Path, fmt.Sprint("a", i)), nil, 0o600))
		}
		must(t, os.WriteFile(filepath.Join(tree.Path, ".envrc"), nil, 0o600))
		must(t, tree.Commit(t.Context(), "all"))
		out, err := (&Launcher{Config: cfg}).MergeWorktree(t.Context(), tree, nil)
		must(t, err)
		if denied {
			if out.Ask.Title != "Nothing was merged" || !strings.Contains(out.Ask.Text, "• vendor/gone (denied by") || !strings.Contains(out.Ask.Text, "git merge parley/") {
				t.Errorf("%s: %+v", rule, out.Ask)
			}
			continue
		}
		for _, want := range []string{"and 12 more", "• .envrc (it may hold secrets)", "• out (it is a link that may lead out"} {
			if !strings.Contains(out.Ask.Text, want) {
				t.Errorf("%q is missing: %+v", want, out.Ask)
			}
		}
		if strings.Contains(out.Ask.Text, "top (") || !out.Ask.Choices[0].Risky {
			t.Errorf("%s: %+v", rule, out.Ask)
		}
	}
}
