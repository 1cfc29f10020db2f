package tab

import (
	tea "charm.land/bubbletea/v2"

	"parley/internal/git"
)

// readBranch finds out the git branch of the tab's directory, "" if there is none, and the
// worktree that it is, if it was made for sessions.
func (st *starter) readBranch() tea.Cmd {
	t := st.tab
	dir := t.cwd
	return beside(func() then {
		branch, tree := git.Branch(dir), git.WorktreeAt(dir)
		return func() tea.Cmd {
			if dir == t.cwd {
				t.branch = branch
				t.worktree.Is(tree)
			}
			return nil
		}
	})
}
