package tab

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/app/command"
	"parley/internal/conversation"
	"parley/internal/git"
	"parley/internal/termtext"
	"parley/tui/dialog"
	"parley/tui/toolview"
)

// worktreeMark precedes the names of sessions in worktrees.
const worktreeMark = command.WorktreeMark

// worktree shows, merges, keeps and drops the git worktree of a session, and opens new
// ones.
type worktree struct {
	tab  *Tab
	tree *git.Worktree // nil if the session works in none
}

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
			return w.tab.failed(err)
		}
		return then
	})
}

// Items returns the palette items for worktrees.
func (w *worktree) Items() []dialog.Item {
	items := []dialog.Item{{ID: "new-worktree", Title: "New session in a worktree", Do: dialog.Do(w.open)}}
	if w.tree == nil {
		return items
	}
	items = append(items, dialog.Item{ID: "worktree-diff", Title: "Worktree: show unmerged changes", Do: dialog.Do(w.show)})
	if w.tree.Into != "" {
		items = append(items, dialog.Item{ID: "worktree-merge", Title: "Worktree: merge into " + termtext.Line(w.tree.Into), Do: dialog.Do(w.merge)})
	}
	return append(items,
		dialog.Item{ID: "worktree-keep", Title: "Worktree: show where it is", Do: dialog.Do(w.keep)},
		dialog.Item{ID: "worktree-drop", Title: "Worktree: drop", Do: dialog.Do(w.drop)})
}

// open creates a worktree and opens a session with the same agent there, in a new tab.
func (w *worktree) open() tea.Cmd {
	dir, agent, row, p := w.tab.cwd, w.tab.state.agent(), w.tab.program.Tabs, w.tab.program
	return tea.Batch(w.tab.say("making a worktree"), inBackground(func() then {
		path, err := p.Worktree(p.Context, dir)
		if err != nil {
			return w.tab.failed(err)
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
				return w.tab.say(app.NothingToMerge)
			}
			call := &conversation.ToolCall{Title: "Changes in the worktree " + tree.Name, Kind: acpclient.ToolEdit, Status: acpclient.ToolCompleted, Content: contentOf(changes, more)}
			if r, ok := w.tab.state.transcript(); ok {
				w.tab.dialogs.Push(r.reader.pager(call))
			}
			return w.tab.diffPositions.Locate(w.tab.cwd, toolview.Fragments(call.Content))
		}, nil
	})
}

// contentOf converts changes to the content of a tool call.
func contentOf(changes []git.WorktreeChange, more int) []acpclient.ToolCallContent {
	content := make([]acpclient.ToolCallContent, 0, len(changes)+1)
	for _, c := range changes {
		switch {
		case c.Opaque:
			content = append(content, acpclient.TextContent("`"+strings.ReplaceAll(c.Path, "`", "'")+"` has changed: binary, or too large to show."))
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
	return w.tab.say("the agent is working in the worktree: wait, or cancel with " + w.tab.keyOf(command.Cancel))
}

// merge merges the worktree, after asking.
func (w *worktree) merge() tea.Cmd {
	if busy := w.sayBusy(); busy != nil {
		return busy
	}
	ctx, tree := w.tab.program.Context, w.tree
	return w.tab.carryOut(func() (app.Outcome, error) { return app.MergeWorktree(ctx, tree) })
}

// drop asks whether to drop the worktree, and says what it contains.
func (w *worktree) drop() tea.Cmd {
	if busy := w.sayBusy(); busy != nil {
		return busy
	}
	if w.tab.program.Tabs.Shared() {
		return w.tab.say("another tab has a session in this worktree: close it first")
	}
	return w.with(func(ctx context.Context, tree *git.Worktree) (then, error) {
		q, err := app.DropWorktreeQuestion(ctx, tree)
		return func() tea.Cmd {
			c := w.tab.confirmation(q)
			c.Choices[1].Do = dialog.Do(w.dropNow)
			w.tab.ask(c)
			return nil
		}, err
	})
}

// dropNow ends the agent and drops the worktree.
func (w *worktree) dropNow() tea.Cmd {
	if w.tree == nil {
		return w.tab.say("the worktree is gone")
	}
	s := w.tab.session()
	w.tab.stored.readOnly = "the worktree is being dropped"
	return w.with(func(ctx context.Context, tree *git.Worktree) (then, error) {
		text, err := app.DropWorktree(ctx, s, tree)
		return func() tea.Cmd { w.dropped(tree, text, err); return nil }, nil
	})
}

// dropped reports the outcome of dropping.
func (w *worktree) dropped(tree *git.Worktree, text string, err error) {
	q := dialog.Confirmation{
		Title:   "The worktree " + tree.Name + " was dropped",
		Text:    text,
		Choices: []dialog.Choice{w.tab.leaving.LeaveChoice("q"), {Name: "Stay and read", Key: "s", Do: dialog.Close{}}},
	}
	w.tab.stored.readOnly = "its worktree was dropped"
	if err != nil {
		q.Title, q.Text = "The worktree was not dropped", "The agent was stopped. The worktree is in "+termtext.Line(tree.Path)+".\n"+termtext.Block(err.Error())
		w.tab.stored.readOnly = "its agent was stopped"
	} else {
		w.tree = nil
	}
	w.tab.ask(q)
}
