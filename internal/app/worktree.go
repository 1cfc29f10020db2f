package app

import (
	"context"
	"errors"

	"parley/config"
	"parley/internal/git"
)

// MakeWorktree makes the worktree of a name for the repository that a directory belongs
// to, or returns the one that exists. "" makes a name up.
func MakeWorktree(ctx context.Context, cfg *config.Config, dir, name string) (*git.Worktree, error) {
	t, err := git.CreateWorktree(ctx, dir, name, cfg.Worktrees)
	var taken *git.WorktreeTakenError
	switch {
	case errors.Is(err, git.ErrNoRepository):
		return nil, WithHint("'git init' makes it one; without --worktree parley works in the directory itself.", "%w", err)
	case errors.Is(err, git.ErrNoCommit):
		return nil, WithHint("Commit something first: a worktree begins at a commit.", "%w", err)
	case errors.As(err, &taken):
		return nil, WithHint("Choose another name: --worktree=NAME.", "%w", err)
	}
	return t, err
}
