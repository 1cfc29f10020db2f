package tab

import (
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/safetext"
)

// branchMsg is the git branch of a directory, "" if there is none.
type branchMsg struct{ dir, branch string }

// readBranch finds out the branch by git's own file, without running git.
func readBranch(dir string) tea.Cmd {
	return func() tea.Msg { return branchMsg{dir, branch(dir)} }
}

func (t *Tab) takeBranch(msg branchMsg) {
	if msg.dir == t.cwd {
		t.branch = msg.branch
	}
}

func branch(dir string) string {
	for d := dir; ; d = filepath.Dir(d) {
		git := filepath.Join(d, ".git")
		info, err := os.Stat(git)
		if err == nil && !info.IsDir() { // a worktree or a submodule: "gitdir: PATH"
			b, err := os.ReadFile(git)
			if err != nil {
				return ""
			}
			git = strings.TrimSpace(strings.TrimPrefix(string(b), "gitdir:"))
			if !filepath.IsAbs(git) {
				git = filepath.Join(d, git)
			}
		}
		if err == nil {
			head, err := os.ReadFile(filepath.Join(git, "HEAD"))
			if err != nil {
				return ""
			}
			ref := strings.TrimSpace(string(head))
			if name, ok := strings.CutPrefix(ref, "ref: refs/heads/"); ok {
				return safetext.Line(name)
			}
			return safetext.Line(ref[:min(len(ref), 8)])
		}
		if filepath.Dir(d) == d {
			return ""
		}
	}
}
