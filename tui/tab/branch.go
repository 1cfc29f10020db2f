package tab

import (
	tea "charm.land/bubbletea/v2"

	"parley/internal/git"
)

// branchMsg is the git branch of a directory, "" if there is none.
type branchMsg struct{ dir, branch string }

// readBranch finds out the branch.
func readBranch(dir string) tea.Cmd {
	return func() tea.Msg { return branchMsg{dir, git.Branch(dir)} }
}

func (t *Tab) takeBranch(msg branchMsg) {
	if msg.dir == t.cwd {
		t.branch = msg.branch
	}
}
