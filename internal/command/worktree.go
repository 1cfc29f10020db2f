package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/git"
	"parley/internal/termtext"
)

// worktree shows, merges, keeps and drops the git worktree of a session.
type worktree struct {
	f    Front
	tree *git.Worktree
}

// WorktreeItems are what can be done with the worktree of the session: nothing if it works in none.
func WorktreeItems(f Front) []Item {
	w := worktree{f, f.Worktree()}
	if w.tree == nil {
		return nil
	}
	items := []Item{{ID: "diff", Title: "show unmerged changes", Do: w.show}}
	if w.tree.Into != "" {
		items = append(items, Item{ID: "merge", Title: "merge into " + termtext.Line(w.tree.Into), Do: w.merge})
	}
	return append(items,
		Item{ID: "keep", Title: "show where it is", Do: w.keep},
		Item{ID: "drop", Title: "drop", Do: w.drop})
}

func chooseWorktree(f Front) {
	items := WorktreeItems(f)
	for i := range items {
		items[i].Title = termtext.Capital(items[i].Title)
	}
	f.Choose(Choice{Title: "Worktree", Ask: "The worktree " + f.Worktree().Name + ":", Items: items})
}

// with does do in the background and then what it returns. It reports errors: failed says what did
// not happen.
func (w worktree) with(failed string, do func(context.Context) (func(), error)) {
	getOr(w.f, func(err error) { w.f.Tell(failed, err.Error()) }, do, func(then func()) { then() })
}

// show shows the unmerged changes.
func (w worktree) show() {
	w.with("Cannot show the changes", func(ctx context.Context) (func(), error) {
		changes, more, err := w.tree.Changes(ctx, nil)
		return func() {
			if len(changes) == 0 {
				w.f.Say(app.NothingToMerge)
				return
			}
			w.f.ShowCall(&conversation.ToolCall{Title: "Changes in the worktree " + w.tree.Name, Kind: acpclient.ToolEdit, Status: acpclient.ToolCompleted, Content: contentOf(changes, more)})
		}, err
	})
}

// contentOf converts changes to the content of a tool call.
func contentOf(changes []git.WorktreeChange, more int) []acpclient.ToolCallContent {
	content := make([]acpclient.ToolCallContent, 0, len(changes)+1)
	for _, c := range changes {
		switch {
		case c.Opaque:
			content = append(content, acpclient.TextContent("`"+strings.ReplaceAll(c.Path, "`", "'")+"` has changed: binary, or too large to show."))
		case c.ModeWords() != "" && c.Old != nil && c.New != nil && *c.Old == *c.New:
			content = append(content, acpclient.TextContent("`"+strings.ReplaceAll(c.Path, "`", "'")+"` is "+c.ModeWords()+"."))
		case c.New == nil:
			content = append(content, acpclient.DiffContent(c.Path, c.Old, ""))
		default:
			content = append(content, acpclient.DiffContent(c.Path, c.Old, *c.New))
		}
	}
	if more > 0 {
		content = append(content, acpclient.TextContent(fmt.Sprintf("%d more files changed.", more)))
	}
	return content
}

// keep reports where the worktree is and what it contains.
func (w worktree) keep() {
	w.with("Cannot read the worktree", func(ctx context.Context) (func(), error) {
		work, err := w.tree.Work(ctx)
		return func() {
			w.f.Tell("The worktree "+w.tree.Name, fmt.Sprintf("It stays in %s, on the branch %s, with %s.\nTo come back to it: parley --worktree=%s",
				termtext.Line(w.tree.Path), w.tree.Branch, work, w.tree.Name))
		}, err
	})
}

// busy says that the agent is working in the worktree, and reports whether it is.
func (w worktree) busy() bool {
	l := w.f.Live()
	busy := l != nil && l.Conversation.Turn.Running
	if busy {
		w.f.Say("the agent is working in the worktree: wait, or cancel with " + w.f.KeyOf(Cancel))
	}
	return busy
}

// merge merges the worktree, after asking.
func (w worktree) merge() {
	if w.busy() {
		return
	}
	w.with("Cannot merge the worktree", func(ctx context.Context) (func(), error) {
		out, err := w.f.Backend().Launcher.MergeWorktree(ctx, w.tree, w.drop)
		return func() {
			if out.Say != "" {
				w.f.Say(out.Say)
			}
			if out.Ask != nil {
				w.f.Ask(*out.Ask)
			}
		}, err
	})
}

// drop asks whether to drop the worktree, and says what it contains.
func (w worktree) drop() {
	if w.busy() {
		return
	}
	if slices.ContainsFunc(w.f.Seats(), func(s Seat) bool { return !s.Current && w.tree.Has(s.Cwd) }) {
		w.f.Say("another tab has a session in this worktree: close it first")
		return
	}
	w.with("Cannot drop the worktree", func(ctx context.Context) (func(), error) {
		q, err := app.DropWorktreeQuestion(ctx, w.tree, func() { w.f.Drop(w.tree) })
		return func() { w.f.Ask(q) }, err
	})
}
