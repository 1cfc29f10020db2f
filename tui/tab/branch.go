package tab

import (
	tea "charm.land/bubbletea/v2"

	"parley/internal/git"
	"parley/internal/worktree"
)

// branchMsg is the git branch of a directory, "" if there is none, and the worktree that
// it is, if it was made for sessions.
type branchMsg struct {
	dir, branch string
	tree        *worktree.Tree
}

// readBranch finds out the branch.
func readBranch(dir string) tea.Cmd {
	return func() tea.Msg { return branchMsg{dir, git.Branch(dir), worktree.At(dir)} }
}

func (t *Tab) takeBranch(msg branchMsg) {
	if msg.dir == t.cwd {
		t.branch = msg.branch
		t.worktree.Is(msg.tree)
	}
}
