package tab

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/git"
	"parley/internal/termtext"
	"parley/tui/dialog"
	"parley/tui/toolview"
)

// worktreeMark precedes the names of sessions in worktrees.
const worktreeMark = "♣ "

// worktree shows, merges, keeps and drops the git worktree of a session, and opens new
// ones.
type worktree struct {
	tab  *Tab
	tree *git.Worktree
}

// set sets the session's worktree, or nil.
func (w *worktree) set(tree *git.Worktree) { w.tree = tree }

// active reports whether the session works in a worktree created for sessions.
func (w *worktree) active() bool { return w.tree != nil }

// with runs do on the worktree in the background, then its continuation. It reports
// errors.
func (w *worktree) with(do func(context.Context, *git.Worktree) (then, error)) tea.Cmd {
	ctx, tree := w.tab.program.Context, w.tree
	if tree == nil {
		return nil
	}
	return inBackground(func() then {
		then, err := do(ctx, tree)
		if err != nil {
			return w.showError(err)
		}
		return then
	})
}

// showError shows an error until it is closed.
func (w *worktree) showError(err error) then {
	return func() tea.Cmd {
		w.tab.tell("That could not be done", termtext.Block(err.Error()))
		return nil
	}
}

// Items returns the palette items for worktrees.
func (w *worktree) Items() []dialog.Item {
	var items []dialog.Item
	if w.tab.program.Worktree != nil {
		items = append(items, dialog.Item{ID: "new-worktree", Title: "new session in a worktree", Do: dialog.Do(w.open)})
	}
	if w.tree == nil {
		return items
	}
	items = append(items, dialog.Item{ID: "worktree-diff", Title: "worktree: show what is not merged", Do: dialog.Do(w.show)})
	if w.tree.Into != "" {
		items = append(items, dialog.Item{ID: "worktree-merge", Title: "worktree: merge it into " + termtext.Line(w.tree.Into), Do: dialog.Do(w.merge)})
	}
	return append(items,
		dialog.Item{ID: "worktree-keep", Title: "worktree: keep it, and say where it is", Do: dialog.Do(w.keep)},
		dialog.Item{ID: "worktree-drop", Title: "worktree: drop it", Do: dialog.Do(w.drop)})
}

// open creates a worktree and opens a session with the same agent there, in a new tab.
func (w *worktree) open() tea.Cmd {
	dir, agent, row, p := w.tab.cwd, w.tab.agent, w.tab.tabs(), w.tab.program
	return tea.Batch(w.tab.say("making a worktree"), inBackground(func() then {
		path, err := p.Worktree(p.Context, dir)
		if err != nil {
			return w.showError(err)
		}
		return func() tea.Cmd { return row.OpenIn(agent, path) }
	}))
}

// show shows the unmerged changes on the whole screen.
func (w *worktree) show() tea.Cmd {
	return w.with(func(ctx context.Context, tree *git.Worktree) (then, error) {
		changes, more, err := tree.Changes(ctx)
		if err != nil {
			return nil, err
		}
		return func() tea.Cmd {
			if len(changes) == 0 {
				return w.tab.say("there is nothing in the worktree that is not merged")
			}
			call := &conversation.ToolCall{Title: "Changes in the worktree " + tree.Name, Kind: acpclient.ToolEdit, Status: acpclient.ToolCompleted, Content: contentOf(changes, more)}
			w.tab.dialogs.Push(newPager(w.tab, call))
			return w.tab.diffPositions.Locate(toolview.Fragments(call.Content))
		}, nil
	})
}

// contentOf converts changes to the content of a tool call.
func contentOf(changes []git.WorktreeChange, more int) []acpclient.ToolCallContent {
	content := make([]acpclient.ToolCallContent, 0, len(changes)+1)
	for _, c := range changes {
		switch {
		case c.Opaque:
			content = append(content, acpclient.TextContent("`"+strings.ReplaceAll(c.Path, "`", "'")+"` has changed: it is no text, or too large to be shown."))
		case c.New == nil:
			content = append(content, acpclient.DiffContent(c.Path, c.Old, ""))
		default:
			content = append(content, acpclient.DiffContent(c.Path, c.Old, *c.New))
		}
	}
	if more > 0 {
		content = append(content, acpclient.TextContent(fmt.Sprintf("%d more files have changed.", more)))
	}
	return content
}

// keep reports where the worktree is and what it contains.
func (w *worktree) keep() tea.Cmd {
	return w.with(func(ctx context.Context, tree *git.Worktree) (then, error) {
		work, err := tree.Work(ctx)
		if err != nil {
			return nil, err
		}
		return func() tea.Cmd {
			w.tab.tell("The worktree "+tree.Name, fmt.Sprintf("It stays in %s, on the branch %s, with %s.\nTo come back to it: parley --worktree=%s",
				termtext.Line(tree.Path), tree.Branch, work, tree.Name))
			return nil
		}, nil
	})
}

// sayBusy says that the agent is working in the worktree, or returns nil if it is not.
func (w *worktree) sayBusy() tea.Cmd {
	if !w.tab.Works() {
		return nil
	}
	return w.tab.say("the agent is at work in the worktree: wait for it, or cancel with " + w.tab.keyOf(config.ActionCancel))
}

// merge asks whether to merge the worktree. Uncommitted changes must be committed first.
func (w *worktree) merge() tea.Cmd {
	if busy := w.sayBusy(); busy != nil {
		return busy
	}
	return w.with(func(ctx context.Context, tree *git.Worktree) (then, error) {
		work, err := tree.Work(ctx)
		if err != nil {
			return nil, err
		}
		return func() tea.Cmd {
			switch {
			case work.Empty():
				return w.tab.say("there is nothing in the worktree that is not merged")
			case len(work.Uncommitted) > 0:
				w.askToCommit(work)
			default:
				w.askToMerge(tree, work)
			}
			return nil
		}, nil
	})
}

// askToCommit asks whether to commit, and with which message.
func (w *worktree) askToCommit(work *git.WorktreeWork) {
	write := func() tea.Cmd {
		w.tab.dialogs.Push(dialog.NewEntry(w.tab.env(), dialog.Entry{Title: "Commit with this message", Hint: "what was done", Do: w.commit}))
		return nil
	}
	w.tab.ask(dialog.Confirmation{
		Title: "Commit first?",
		Text:  "Only what is committed can be merged. This is not:\n" + app.Bulleted(work.Uncommitted),
		Choices: []dialog.Choice{
			{Name: "Commit it", Key: "c", Do: dialog.Do(write)},
			{Name: "Do nothing", Key: "n", Do: dialog.Close{}},
		},
	})
}

// commit commits everything and continues with the merge.
func (w *worktree) commit(message string) tea.Cmd {
	if strings.TrimSpace(message) == "" {
		return w.tab.say("nothing was committed: a commit needs a message")
	}
	return w.with(func(ctx context.Context, tree *git.Worktree) (then, error) {
		return w.merge, tree.Commit(ctx, message)
	})
}

func (w *worktree) askToMerge(tree *git.Worktree, work *git.WorktreeWork) {
	merge := func() tea.Cmd {
		return w.with(func(ctx context.Context, tree *git.Worktree) (then, error) {
			n, err := tree.Merge(ctx)
			return func() tea.Cmd { w.merged(tree, n, err); return nil }, nil
		})
	}
	q := w.tab.confirmation(app.MergeWorktreeQuestion(tree, work))
	q.Choices[0].Do = dialog.Do(merge)
	w.tab.ask(q)
}

// merged reports the outcome of a merge.
func (w *worktree) merged(tree *git.Worktree, commits int, err error) {
	q := dialog.Confirmation{
		Title:   "Merged",
		Text:    fmt.Sprintf("%s went into %s. The worktree is still there.", termtext.Count(commits, "commit"), termtext.Line(tree.Into)),
		Choices: []dialog.Choice{{Name: "Keep the worktree", Key: "k", Do: dialog.Close{}}, {Name: "Drop the worktree", Do: dialog.Do(w.drop)}},
	}
	if err != nil {
		q.Title, q.Text = "Nothing was merged", termtext.Block(err.Error())
		q.Choices = []dialog.Choice{{Name: "Close", Do: dialog.Close{}}}
	}
	var conflict *git.MergeConflictError
	if errors.As(err, &conflict) {
		q.Text = "Both sides have changed the same lines of:\n" + app.Bulleted(conflict.Files) +
			"\nEverything is as it was before. Let the agent merge " + termtext.Line(tree.Into) + " in the worktree, where conflicts can be resolved; then merge again."
	}
	w.tab.ask(q)
}

// drop asks whether to drop the worktree, and says what it contains.
func (w *worktree) drop() tea.Cmd {
	if busy := w.sayBusy(); busy != nil {
		return busy
	}
	if w.tab.tabs().Shared() {
		return w.tab.say("another tab has a session in this worktree: close it first")
	}
	return w.with(func(ctx context.Context, tree *git.Worktree) (then, error) {
		work, err := tree.Work(ctx)
		if err == nil {
			err = work.Whole()
		}
		if err != nil {
			return nil, err
		}
		return func() tea.Cmd { w.askToDrop(tree, work); return nil }, nil
	})
}

func (w *worktree) askToDrop(tree *git.Worktree, work *git.WorktreeWork) {
	q := w.tab.confirmation(app.DropWorktreeQuestion(tree, work))
	q.Choices[1].Do = dialog.Do(w.dropNow)
	w.tab.ask(q)
}

// agentEnds is how long an agent may take to end before its worktree is dropped.
const agentEnds = 4 * time.Second

// dropNow ends the agent, which must not write any more, and drops the worktree.
func (w *worktree) dropNow() tea.Cmd {
	if w.tree == nil {
		return w.tab.say("the worktree is not there any more")
	}
	end := w.detach("the worktree is being dropped")
	return w.with(func(ctx context.Context, tree *git.Worktree) (then, error) {
		bounded, stop := context.WithTimeout(ctx, agentEnds)
		defer stop()
		end(bounded)
		kept, err := tree.Drop(context.WithoutCancel(ctx)) // do not stop halfway
		return func() tea.Cmd { w.dropped(tree, kept, err); return nil }, nil
	})
}

// dropped reports the outcome of dropping.
func (w *worktree) dropped(tree *git.Worktree, kept string, err error) {
	q := dialog.Confirmation{
		Title:   "The worktree " + tree.Name + " was dropped",
		Text:    "Nothing in it was left to keep.",
		Choices: []dialog.Choice{w.tab.lifecycle.LeaveChoice("q"), {Name: "Stay here and read", Key: "s", Do: dialog.Close{}}},
	}
	if kept != "" {
		q.Text = fmt.Sprintf("What was in it is kept as %s. To have it back:\ngit branch %s %s", kept, tree.Name, kept)
	}
	w.detach("its worktree was dropped")
	if err != nil {
		q.Title, q.Text = "The worktree was not dropped", "The agent was ended before. The worktree is in "+termtext.Line(tree.Path)+".\n"+termtext.Block(err.Error())
		w.detach("its agent was ended")
	} else {
		w.tree = nil
	}
	w.tab.ask(q)
}

// detach makes the session read-only for a reason, and returns the function that ends the
// agent.
func (w *worktree) detach(why string) (end func(context.Context)) {
	w.tab.stored.readOnly = why
	return w.tab.session.Close
}
