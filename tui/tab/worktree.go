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
	s := t.session()
	t.stored.readOnly = "the worktree is being dropped"
	f.InBackground(func(ctx context.Context) func() {
		text, err := app.DropWorktree(ctx, s, tree)
		return func() { t.dropped(tree, text, err) }
	})
}

// dropped reports the outcome of dropping.
func (t *Tab) dropped(tree *git.Worktree, text string, err error) {
	q := app.Question{
		Title:   "The worktree " + tree.Name + " was dropped",
		Text:    text,
		Choices: []app.Choice{t.leaving.LeaveChoice("q"), {Name: "Stay and read", Key: "s"}},
	}
	t.stored.readOnly = "its worktree was dropped"
	if err != nil {
		q.Title, q.Text = "The worktree was not dropped", "The agent was stopped. The worktree is in "+termtext.Line(tree.Path)+".\n"+termtext.Block(err.Error())
		t.stored.readOnly = "its agent was stopped"
	} else {
		t.worktree, t.note = nil, compare.Note{}
	}
	t.ask(q)
}
