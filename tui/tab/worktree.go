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
	"parley/internal/conversation"
	"parley/internal/safetext"
	"parley/internal/worktree"
	"parley/tui/dialog"
	"parley/tui/toolface"
)

// treeMark stands before the name of what is in a worktree that was made for sessions.
const treeMark = "♣ "

// treeMsg is what follows from something that was done with a worktree, beside the
// screen.
type treeMsg func() tea.Cmd

// withTree does something with a worktree beside the screen. What do returns is what
// follows in the tab; errors are told.
func (t *Tab) withTree(do func(context.Context, *worktree.Tree) (func() tea.Cmd, error)) tea.Cmd {
	ctx, tree := t.program.Context, t.tree
	if tree == nil {
		return nil
	}
	return func() tea.Msg {
		then, err := do(ctx, tree)
		if err != nil {
			return treeMsg(func() tea.Cmd { return t.treeTrouble(err) })
		}
		return treeMsg(then)
	}
}

// treeTrouble tells of something that could not be done, until it is read.
func (t *Tab) treeTrouble(err error) tea.Cmd {
	t.ask(dialog.Confirmation{Title: "That could not be done", Text: safetext.Block(err.Error()), Choices: []dialog.Choice{{Name: "Close", Do: dialog.Close{}}}})
	return nil
}

// treeItems are what the palette has about worktrees.
func (t *Tab) treeItems() []dialog.Item {
	var items []dialog.Item
	if t.program.Worktree != nil && t.session != nil {
		items = append(items, dialog.Item{ID: "new-worktree", Title: "new session in a worktree", Do: dialog.Do(t.openWorktree)})
	}
	if t.tree == nil || t.session == nil {
		return items
	}
	items = append(items, dialog.Item{ID: "worktree-diff", Title: "worktree: show what is not merged", Do: dialog.Do(t.showTree)})
	if t.tree.Into != "" {
		items = append(items, dialog.Item{ID: "worktree-merge", Title: "worktree: merge it into " + safetext.Line(t.tree.Into), Do: dialog.Do(t.mergeTree)})
	}
	return append(items,
		dialog.Item{ID: "worktree-keep", Title: "worktree: keep it, and say where it is", Do: dialog.Do(t.keepTree)},
		dialog.Item{ID: "worktree-drop", Title: "worktree: drop it", Do: dialog.Do(t.dropTree)})
}

// openWorktree makes a worktree, and opens a session with the same agent in it, in a tab
// of its own.
func (t *Tab) openWorktree() tea.Cmd {
	ctx, dir, agent, row := t.program.Context, t.cwd, t.agent, t.row()
	return tea.Batch(t.say("making a worktree"), func() tea.Msg {
		path, err := t.program.Worktree(ctx, dir)
		return treeMsg(func() tea.Cmd {
			if err != nil {
				return t.treeTrouble(err)
			}
			return row.OpenIn(agent, path)
		})
	})
}

// showTree shows the changes in the worktree on the whole screen.
func (t *Tab) showTree() tea.Cmd {
	return t.withTree(func(ctx context.Context, tree *worktree.Tree) (func() tea.Cmd, error) {
		changes, more, err := tree.Changes(ctx)
		if err != nil {
			return nil, err
		}
		return func() tea.Cmd {
			if len(changes) == 0 {
				return t.say("there is nothing in the worktree that is not merged")
			}
			call := &conversation.ToolCall{Title: "Changes in the worktree " + tree.Name, Kind: acpclient.ToolEdit, Status: acpclient.ToolCompleted, Content: contentOf(changes, more)}
			t.dialogs.Push(newPager(t, call, nil))
			return t.locate(toolface.Fragments(call.Content))
		}, nil
	})
}

// contentOf makes the content of a tool call from changes.
func contentOf(changes []worktree.Change, more int) []acpclient.ToolCallContent {
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

// keepTree says where the worktree is, and what is in it.
func (t *Tab) keepTree() tea.Cmd {
	return t.withTree(func(ctx context.Context, tree *worktree.Tree) (func() tea.Cmd, error) {
		work, err := tree.Work(ctx)
		if err != nil {
			return nil, err
		}
		return func() tea.Cmd {
			t.ask(dialog.Confirmation{
				Title: "The worktree " + tree.Name,
				Text: fmt.Sprintf("It stays in %s, on the branch %s, with %s.\nTo come back to it: parley --worktree=%s",
					safetext.Line(tree.Path), tree.Branch, work, tree.Name),
				Choices: []dialog.Choice{{Name: "Close", Do: dialog.Close{}}},
			})
			return nil
		}, nil
	})
}

// atRest says why nothing can be done with the worktree while the agent works, nil if it
// does not.
func (t *Tab) atRest() tea.Cmd {
	if !t.Works() {
		return nil
	}
	return t.say("the agent is at work in the worktree: wait for it, or cancel with " + keyName(t.program.Keys, config.ActionCancel))
}

// mergeTree asks whether to merge the worktree; what is not committed has to be first.
func (t *Tab) mergeTree() tea.Cmd {
	if busy := t.atRest(); busy != nil {
		return busy
	}
	return t.withTree(func(ctx context.Context, tree *worktree.Tree) (func() tea.Cmd, error) {
		work, err := tree.Work(ctx)
		if err != nil {
			return nil, err
		}
		return func() tea.Cmd {
			switch {
			case work.Empty():
				return t.say("there is nothing in the worktree that is not merged")
			case len(work.Uncommitted) > 0:
				t.askToCommit(work)
			default:
				t.askToMerge(tree, work)
			}
			return nil
		}, nil
	})
}

// askToCommit asks whether to commit what is not committed, with which message.
func (t *Tab) askToCommit(work *worktree.Work) {
	write := func() tea.Cmd {
		t.dialogs.Push(dialog.NewEntry(t.env(), dialog.Entry{Title: "Commit with this message", Hint: "what was done", Do: t.commitTree}))
		return nil
	}
	t.ask(dialog.Confirmation{
		Title: "Commit first?",
		Text:  "Only what is committed can be merged. This is not:\n" + bulleted(work.Uncommitted),
		Choices: []dialog.Choice{
			{Name: "Commit it", Key: "c", Do: dialog.Do(write)},
			{Name: "Do nothing", Key: "n", Do: dialog.Close{}},
		},
	})
}

// commitTree commits everything in the worktree, and goes on to merge it.
func (t *Tab) commitTree(message string) tea.Cmd {
	if strings.TrimSpace(message) == "" {
		return t.say("nothing was committed: a commit needs a message")
	}
	return t.withTree(func(ctx context.Context, tree *worktree.Tree) (func() tea.Cmd, error) {
		return t.mergeTree, tree.Commit(ctx, message)
	})
}

func (t *Tab) askToMerge(tree *worktree.Tree, work *worktree.Work) {
	merge := func() tea.Cmd {
		return t.withTree(func(ctx context.Context, tree *worktree.Tree) (func() tea.Cmd, error) {
			n, err := tree.Merge(ctx)
			return func() tea.Cmd { t.merged(tree, n, err); return nil }, nil
		})
	}
	t.ask(dialog.Confirmation{
		Title: "Merge into " + safetext.Line(tree.Into) + "?",
		Text:  fmt.Sprintf("%s of the worktree, with changes of these files:\n%s", dialog.Count(work.Commits, "commit"), bulleted(work.Files)),
		Choices: []dialog.Choice{
			{Name: "Merge", Key: "m", Do: dialog.Do(merge)},
			{Name: "Do nothing", Key: "n", Do: dialog.Close{}},
		},
	})
}

// merged says how a merge came out.
func (t *Tab) merged(tree *worktree.Tree, commits int, err error) {
	q := dialog.Confirmation{
		Title:   "Merged",
		Text:    fmt.Sprintf("%s went into %s. The worktree is still there.", dialog.Count(commits, "commit"), safetext.Line(tree.Into)),
		Choices: []dialog.Choice{{Name: "Keep the worktree", Key: "k", Do: dialog.Close{}}, {Name: "Drop the worktree", Do: dialog.Do(t.dropTree)}},
	}
	if err != nil {
		q.Title, q.Text = "Nothing was merged", safetext.Block(err.Error())
		q.Choices = []dialog.Choice{{Name: "Close", Do: dialog.Close{}}}
	}
	var conflict *worktree.ConflictError
	if errors.As(err, &conflict) {
		q.Text = "Both sides have changed the same lines of:\n" + bulleted(conflict.Files) +
			"\nEverything is as it was before. Let the agent merge " + safetext.Line(tree.Into) + " in the worktree, where conflicts can be resolved; then merge again."
	}
	t.ask(q)
}

// dropTree asks whether to drop the worktree, and says what is in it.
func (t *Tab) dropTree() tea.Cmd {
	if busy := t.atRest(); busy != nil {
		return busy
	}
	if t.row().Shared() {
		return t.say("another tab has a session in this worktree: close it first")
	}
	return t.withTree(func(ctx context.Context, tree *worktree.Tree) (func() tea.Cmd, error) {
		work, err := tree.Work(ctx)
		if err == nil {
			err = work.Whole()
		}
		if err != nil {
			return nil, err
		}
		return func() tea.Cmd { t.askToDrop(tree, work); return nil }, nil
	})
}

func (t *Tab) askToDrop(tree *worktree.Tree, work *worktree.Work) {
	text := "The directory and the branch " + tree.Branch + " are removed, and the agent is ended. Everything in it is merged."
	if !work.Empty() {
		text = fmt.Sprintf("The directory and the branch %s are removed, and the agent is ended.\n\nNot merged are %s:\n%s\nThat stays in the repository, under refs/parley/dropped.",
			tree.Branch, work, bulleted(work.Files))
	}
	if len(work.Ignored) > 0 {
		text += "\nWhat git ignores is lost for good:\n" + bulleted(work.Ignored)
	}
	t.ask(dialog.Confirmation{
		Title: "Drop the worktree " + tree.Name + "?", Text: text,
		Choices: []dialog.Choice{
			{Name: "Keep it", Key: "k", Do: dialog.Close{}},
			{Name: "Drop it", Key: "d", Risky: true, Do: dialog.Do(t.dropNow)},
		},
	})
}

// agentEnds is how long an agent has to end before its worktree is dropped.
const agentEnds = 4 * time.Second

// dropNow ends the agent, which must not write any more, and drops the worktree.
func (t *Tab) dropNow() tea.Cmd {
	s := t.session
	t.back.readOnly = "the worktree is being dropped"
	return t.withTree(func(ctx context.Context, tree *worktree.Tree) (func() tea.Cmd, error) {
		bounded, stop := context.WithTimeout(ctx, agentEnds)
		defer stop()
		s.Close(bounded)
		kept, err := tree.Drop(context.WithoutCancel(ctx)) // not half of it
		return func() tea.Cmd { t.dropped(tree, kept, err); return nil }, nil
	})
}

// dropped says what has become of a worktree that was to be dropped.
func (t *Tab) dropped(tree *worktree.Tree, kept string, err error) {
	q := dialog.Confirmation{
		Title:   "The worktree " + tree.Name + " was dropped",
		Text:    "Nothing in it was left to keep.",
		Choices: []dialog.Choice{t.wayOut("q"), {Name: "Stay here and read", Key: "s", Do: dialog.Close{}}},
	}
	if kept != "" {
		q.Text = fmt.Sprintf("What was in it is kept as %s. To have it back:\ngit branch %s %s", kept, tree.Name, kept)
	}
	t.back.readOnly = "its worktree was dropped"
	if err != nil {
		q.Title, q.Text = "The worktree was not dropped", "The agent was ended before. The worktree is in "+safetext.Line(tree.Path)+".\n"+safetext.Block(err.Error())
		t.back.readOnly = "its agent was ended"
	} else {
		t.tree = nil
	}
	t.ask(q)
}

// mostBullets bounds how many names a question lists.
const mostBullets = 12

// bulleted are names, one in a line, as many as can be read.
func bulleted(names []string) string {
	var b strings.Builder
	for i, name := range names {
		if i == mostBullets {
			fmt.Fprintf(&b, "• and %d more\n", len(names)-i)
			break
		}
		b.WriteString("• " + safetext.VisibleLine(name) + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}
