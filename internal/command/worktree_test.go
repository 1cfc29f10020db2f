package command

import (
	"strings"
	"testing"

	"parley/internal/git"
)

// inTree is a front end whose session works in a worktree, maybe beside others.
type inTree struct {
	*screen
	tree  *git.Worktree
	seats []Seat
}

func (f *inTree) Worktree() *git.Worktree { return f.tree }
func (f *inTree) Seats() []Seat           { return f.seats }

// A worktree in which another session works is not dropped.
func TestASharedWorktreeIsLeftAlone(t *testing.T) {
	tree := &git.Worktree{Name: "wren", Path: t.TempDir()}
	here := Seat{Current: true, Cwd: tree.Path}
	for _, c := range []struct {
		seats  []Seat
		shared bool
	}{{[]Seat{here}, false}, {[]Seat{here, {Cwd: t.TempDir()}}, false}, {[]Seat{here, {Cwd: tree.Path}}, true}} {
		f := &inTree{newScreen(t), tree, c.seats}
		f.holds = true
		chooseWorktree(f)
		f.choose("Drop")
		if said := strings.Join(f.said, "\n"); strings.Contains(said, "another tab has a session in this worktree") != c.shared || (len(f.work) == 0) != c.shared {
			t.Errorf("with %+v it says %q and does %d things", c.seats, said, len(f.work))
		}
	}
	if items := WorktreeItems(&inTree{screen: newScreen(t)}); len(items) != 0 {
		t.Errorf("without a worktree, there is %+v", items)
	}
}
