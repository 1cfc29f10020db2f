package tab

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/compare"
	"parley/internal/git"
	"parley/internal/termtext"
)

// worktreeItems returns the palette items for worktrees.
func (t *Tab) worktreeItems() []command.Item {
	items := command.WorktreeItems(t.acting)
	for i := range items {
		items[i].ID, items[i].Title = "worktree-"+items[i].ID, "Worktree: "+items[i].Title
	}
	return slices.Insert(items, 0, command.Item{ID: "new-worktree", Title: "New session in a worktree", Do: t.here(t.openWorktree)})
}

const cannotMake = "Cannot make a worktree"

// openWorktree creates a worktree and opens a session with the same agent there, in a new tab.
func (t *Tab) openWorktree() tea.Cmd {
	dir, agent, p := t.cwd, t.agent(), t.program
	return t.working("making a worktree", func(tell func(string)) then {
		path, err := p.Worktree(p.Context, dir, tell)
		if err != nil {
			return t.failed(cannotMake, err)
		}
		return func() tea.Cmd { return t.openBeside(app.Spec{Agent: &agent, Cwd: path}) }
	})
}

// Worktree implements command.Front, as Drop does.
func (f *front) Worktree() *git.Worktree { return f.tab.worktree }

func (f *front) Drop(tree *git.Worktree) {
	t := f.tab
	if t.worktree == nil {
		f.Say("the worktree is gone")
		return
	}
	s, over := t.session(), t.dropping()
	f.InBackground(func(ctx context.Context) func() {
		text, err := app.DropWorktree(ctx, s, tree)
		return func() {
			over(err == nil)
			t.dropped(tree, text, err)
		}
	})
}

// dropping lets nobody write in the tab while its worktree is being dropped, until over is called. If it is
// not dropped, the session goes on as before, unless it has ended for that.
func (t *Tab) dropping() (over func(dropped bool)) {
	was := t.stored.readOnly
	t.stored.readOnly = "its worktree is being dropped"
	return func(dropped bool) {
		t.stored.readOnly = was
		switch l, open := t.live(); {
		case dropped:
			t.stored.readOnly = "its worktree was dropped"
		case open && l.Session.Disconnected() && !(l.HostGone() && l.Conversation.Gone()):
			t.stored.readOnly = "its agent was stopped"
		}
	}
}

// dropped reports the outcome of dropping.
func (t *Tab) dropped(tree *git.Worktree, text string, err error) {
	q := app.Question{
		Title:   "The worktree " + tree.Name + " was dropped",
		Text:    text,
		Choices: []app.Choice{t.leaving.LeaveChoice("q"), {Name: "Stay and read", Key: "s"}},
	}
	if err != nil {
		q.Title, q.Text = "The worktree was not dropped", "The worktree is in "+termtext.Line(tree.Path)+".\n"+termtext.Block(err.Error())
	} else {
		t.worktree, t.note = nil, compare.Note{}
	}
	t.ask(q)
}
