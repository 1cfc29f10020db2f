package tab

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/app"
	"parley/internal/compare"
	"parley/internal/git"
	"parley/internal/test"
)

// project makes a repository with a worktree, in which a file was changed, and returns
// both directories.
func project(t *testing.T) (dir string, tree *git.Worktree) {
	t.Helper()
	dir, _ = test.New(t, map[string]string{"poem.txt": "one\n"})
	tree, err := git.CreateWorktree(t.Context(), dir, git.WorktreeOptions{Name: "feature"})
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(tree.Path, "poem.txt"), "one\ntwo\n")
	return dir, git.WorktreeAt(tree.Path)
}

// do carries out what the palette offers under a title that begins like this.
func do(t *testing.T, b *bench, title string) {
	t.Helper()
	for _, item := range b.worktreeItems() {
		if strings.HasPrefix(item.Title, title) {
			b.Do(b.acting.do(item.Do))
			return
		}
	}
	t.Fatalf("%q is not offered", title)
}

// What is not committed is committed first, with a message of the user's, and then
// merged; after that the worktree can be dropped.
func TestMergeAndDrop(t *testing.T) {
	dir, tree := project(t)
	runBench(t, func(t *testing.T, b *bench) {
		b.program.Launcher = &app.Launcher{Config: &config.Config{}}
		b.play("handshake\n")
		b.worktree = tree
		do(t, b, "Worktree: show")
		if p, ok := b.dialogs.Top().(*pager); !ok || !p.list.HasDiff() {
			t.Fatalf("shown is %T", b.dialogs.Top())
		}
		b.Press("q")
		do(t, b, "Worktree: merge")
		b.MustSay("Commit first?")
		b.Choose("Commit it")
		b.Press("x", "enter")
		b.MustSay("Merge into main?")
		b.Choose("Merge")
		b.MustSay("Merged 1 commit into main")
		if text, err := os.ReadFile(filepath.Join(dir, "poem.txt")); string(text) != "one\ntwo\n" {
			t.Errorf("merged is %q, %v", text, err)
		}
		b.Choose("Drop the worktree")
		b.MustSay("and the agent is stopped.")
		b.Choose("Drop it")
		b.MustSay("The worktree feature was dropped")
		if b.stored.readOnly != "its worktree was dropped" || !b.session().Stream().Closed() || b.worktree != nil || !git.WorktreeGone(tree.Path) {
			t.Errorf("%q, and the worktree is there: %v", b.stored.readOnly, b.worktree != nil)
		}
	})
}

// While the agent works in it, a worktree is left alone.
func TestNotWhileItIsInUse(t *testing.T) {
	_, tree := project(t)
	runBench(t, func(t *testing.T, b *bench) {
		b.work(t)
		b.worktree = tree
		for _, title := range []string{"Worktree: merge", "Worktree: drop"} {
			do(t, b, title)
			b.MustSay("the agent is working in the worktree")
		}
	})
}

// A worktree that somebody else has removed while it is asked about cannot be dropped any
// more: the agent is not let go for that.
func TestDropWhatIsGone(t *testing.T) {
	_, tree := project(t)
	runBench(t, func(t *testing.T, b *bench) {
		b.ready()
		b.worktree = tree
		do(t, b, "Worktree: drop")
		b.worktree = nil
		b.Choose("Drop it")
		b.MustSay("the worktree is gone")
		if b.stored.readOnly != "" {
			t.Errorf("nothing can be sent: %s", b.stored.readOnly)
		}
	})
}

// Another worktree is made beside the screen; why it was not is told.
func TestOpen(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		row := &twoTabs{}
		b.program.Tabs = row
		b.program.Worktree = func(_ context.Context, cwd string, _ func(string)) (string, error) {
			if row.opened == "" {
				return cwd + "/other", nil
			}
			return "", git.ErrNoRepository
		}
		if len(b.worktreeItems()) != 1 {
			t.Errorf("outside of a worktree %d things are offered", len(b.worktreeItems()))
		}
		do(t, b, "New session in a worktree")
		if row.opened != b.cwd+"/other" {
			t.Errorf("%q was opened", row.opened)
		}
		do(t, b, "New session in a worktree")
		b.MustSay("Cannot make a worktree")
	})
}

// What makes a worktree says that another parley makes one, for as long as it waits for that.
func TestAWorktreeThatWaitsForAnother(t *testing.T) {
	for name, begin := range map[string]func(*bench) tea.Cmd{
		"session": func(b *bench) tea.Cmd { return b.openWorktree() },
		"fork":    func(b *bench) tea.Cmd { l, _ := b.live(); return l.fork(1, true) },
		"comparison": func(b *bench) tea.Cmd {
			return (&compareForm{t: b.Tab, prompt: "sing", entrants: slices.Repeat([]compare.Entrant{{Word: "a"}}, 2)}).start()
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, tree := project(t)
			runBench(t, func(t *testing.T, b *bench) {
				lock, err := os.OpenFile(filepath.Join(dir, ".git/parley/create.lock"), os.O_RDWR, 0)
				if err != nil {
					t.Fatal(err)
				}
				defer lock.Close()
				if locked, err := config.TryLock(lock); !locked {
					t.Fatal(err)
				}
				b.program.Launcher = &app.Launcher{Config: &config.Config{}}
				b.program.Worktree, b.program.Tabs = b.program.Launcher.Backend().Worktree, &opensTabs{of: b, tabsOf: tabsOf{all: []*Tab{b.Tab}}}
				b.program.Make = func(context.Context, app.Spec) (*app.Opened, error) { return nil, errors.ErrUnsupported }
				creates, last := b.program.Worktree, ""
				b.program.Worktree = func(ctx context.Context, cwd string, tell func(string)) (string, error) {
					return creates(ctx, cwd, func(words string) {
						last = words
						tell(words)
					})
				}
				b.play("handshake\n")
				b.cwd = dir
				b.Do(begin(b))
				time.Sleep(time.Minute)
				b.Do(nil)
				b.mustShow(t, "waiting until another program ends, which creates a worktree")
				config.Unlock(lock)
				_ = lock.Close()
				time.Sleep(time.Minute)
				b.Do(nil)
				b.mustNotShow(t, "waiting until")
				if name != "comparison" && last != "making the worktree" {
					t.Errorf("it said last: %q", last)
				}
				if all, err := git.Worktrees(t.Context(), dir); len(all) < 2 {
					t.Errorf("beside %s there are %d, %v", tree.Name, len(all), err)
				}
			})
		})
	}
}

// That it waits is said no longer than it does.
func TestAWorktreeThatWaitsNoMore(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		free, done := make(chan struct{}), make(chan struct{})
		b.Do(b.working("making it", func(tell func(string)) then {
			waits := app.TellsWaits(tell)
			waits("/lock")
			<-free
			waits("")
			<-done
			return func() tea.Cmd { return nil }
		}))
		shows := func(words string) {
			time.Sleep(time.Minute)
			b.Do(nil)
			b.mustShow(t, words)
		}
		shows("waiting until another program ends")
		close(free)
		shows("making the worktree")
		b.mustNotShow(t, "waiting until")
		close(done)
	})
}
