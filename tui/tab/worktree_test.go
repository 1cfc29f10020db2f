package tab

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley/internal/conversation"
	"parley/internal/git"
	"parley/internal/test"
	"parley/tui/dialog"
)

// place is a tab whose agent works in a worktree.
type worktreesPlace struct {
	works, shared bool
	shown         *conversation.ToolCall
	opened        string
	why           string
	ended         bool
}

func (p *worktreesPlace) Works() bool  { return p.works }
func (p *worktreesPlace) Shared() bool { return p.shared }
func (p *worktreesPlace) WayOut(string) dialog.Choice {
	return dialog.Choice{Name: "Leave", Do: dialog.Close{}}
}

func (p *worktreesPlace) ShowCall(c *conversation.ToolCall) tea.Cmd {
	p.shown = c
	return nil
}

func (p *worktreesPlace) Opener() func(string) tea.Cmd {
	return func(dir string) tea.Cmd {
		p.opened = dir
		return nil
	}
}

func (p *worktreesPlace) LetGo(why string) func(context.Context) {
	p.why = why
	return func(context.Context) { p.ended = true }
}

// project makes a repository with a worktree, in which a file was changed, and returns
// both directories.
func project(t *testing.T) (dir string, tree *git.Worktree) {
	t.Helper()
	dir, _ = test.New(t, map[string]string{"poem.txt": "one\n"})
	tree, err := git.CreateWorktree(t.Context(), dir, "feature", "")
	if err != nil {
		t.Fatal(err)
	}
	worktreesWrite(t, filepath.Join(tree.Path, "poem.txt"), "one\ntwo\n")
	return dir, git.WorktreeAt(tree.Path)
}

func worktreesWrite(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// do carries out what the palette offers under a title that begins like this.
func do(t *testing.T, b *deskBench, w *worktree, title string) {
	t.Helper()
	for _, item := range w.Items() {
		if action, ok := item.Do.(dialog.Do); ok && strings.HasPrefix(item.Title, title) {
			b.Do(action())
			return
		}
	}
	t.Fatalf("%q is not offered", title)
}

// What is not committed is committed first, with a message of the person's, and then
// merged; after that the worktree can be dropped.
func TestMergeAndDrop(t *testing.T) {
	dir, tree := project(t)
	runBench(t, func(t *testing.T, b *deskBench) {
		p := &worktreesPlace{}
		w := newWorktree(t.Context(), b.desk, p, nil)
		w.Is(tree)
		do(t, b, w, "worktree: show")
		if p.shown == nil || len(p.shown.Content) != 1 {
			t.Fatalf("shown is %+v", p.shown)
		}
		do(t, b, w, "worktree: merge")
		b.MustSay("Commit first?")
		b.Choose("Commit it")
		b.Press("x", "enter")
		b.MustSay("Merge into main?")
		b.Choose("Merge")
		b.MustSay("1 commit went into main")
		if text, err := os.ReadFile(filepath.Join(dir, "poem.txt")); string(text) != "one\ntwo\n" {
			t.Errorf("merged is %q, %v", text, err)
		}
		b.Choose("Drop the worktree")
		b.MustSay("and the agent is ended. Everything in")
		b.Choose("Drop it")
		b.MustSay("The worktree feature was dropped")
		if !p.ended || p.why != "its worktree was dropped" || w.There() || !git.WorktreeGone(tree.Path) {
			t.Errorf("the agent has ended: %v, %q, and the worktree is there: %v", p.ended, p.why, w.There())
		}
	})
}

// While the agent works in it, or another tab does, a worktree is left alone.
func TestNotWhileItIsInUse(t *testing.T) {
	_, tree := project(t)
	runBench(t, func(t *testing.T, b *deskBench) {
		w := newWorktree(t.Context(), b.desk, &worktreesPlace{works: true}, nil)
		w.Is(tree)
		for _, title := range []string{"worktree: merge", "worktree: drop"} {
			do(t, b, w, title)
			b.MustSay("the agent is at work in the worktree")
		}
		w = newWorktree(t.Context(), b.desk, &worktreesPlace{shared: true}, nil)
		w.Is(tree)
		do(t, b, w, "worktree: drop")
		if b.MustSay("another tab has a session in this worktree"); !b.Dialogs.Empty() {
			t.Errorf("it asks\n%s", b.Screen())
		}
	})
}

// A worktree that somebody else has removed while it is asked about cannot be dropped any
// more: the agent is not let go for that.
func TestDropWhatIsGone(t *testing.T) {
	_, tree := project(t)
	runBench(t, func(t *testing.T, b *deskBench) {
		p := &worktreesPlace{}
		w := newWorktree(t.Context(), b.desk, p, nil)
		w.Is(tree)
		do(t, b, w, "worktree: drop")
		w.Is(nil)
		b.Choose("Drop it")
		b.MustSay("the worktree is not there any more")
		if p.why != "" {
			t.Errorf("nothing can be sent: %s", p.why)
		}
	})
}

// Another worktree is made beside the screen; why it was not is told.
func TestOpen(t *testing.T) {
	runBench(t, func(t *testing.T, b *deskBench) {
		p := &worktreesPlace{}
		w := newWorktree(t.Context(), b.desk, p, func(_ context.Context, cwd string) (string, error) {
			if p.opened == "" {
				return cwd + "/other", nil
			}
			return "", git.ErrNoRepository
		})
		if len(w.Items()) != 1 {
			t.Errorf("outside of a worktree %d things are offered", len(w.Items()))
		}
		do(t, b, w, "new session in a worktree")
		if p.opened != b.Env.Cwd+"/other" {
			t.Errorf("%q was opened", p.opened)
		}
		do(t, b, w, "new session in a worktree")
		b.MustSay("That could not be done")
	})
}
