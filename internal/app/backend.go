// Package app is everything that a person does with sessions and that is not drawing:
// which agents there are, launching them, reopening stored sessions, trust, signing in,
// the prompt queue, drafts, recovery, export. It has no view: the screen, line mode,
// headless runs and the command line are front ends of it. What it has to ask the person
// is a [Question], which a front end shows.
package app

import (
	"context"
	"errors"
	"os/exec"

	"parley/acpclient"
	"parley/config"
	"parley/internal/git"
	"parley/internal/registry"
	"parley/internal/session"
	"parley/internal/store"
)

// Backend is what a front end works with. Its functions may be nil, and its pointers,
// where that is said.
type Backend struct {
	// Available finds the agents to choose from. It may take its time; nil finds none.
	Available func() ([]config.Agent, error)
	// Missing finds the agents that are not installed. It may take its time; nil finds
	// none.
	Missing func() []config.Agent
	// Registry has the agents that can be installed; nil has none.
	Registry *registry.Agents
	// Recent remembers what was used last; nil remembers nothing.
	Recent *config.RecentFile
	// Start makes the session with an agent. It must not wait for the agent.
	Start func(config.Agent) (*session.Session, error)
	// Load is Start for a session that the agent remembers, in its directory.
	Load func(config.Agent, acpclient.SessionInfo) (*session.Session, error)
	// StartIn is Start in another directory. Worktree makes a git worktree for a directory
	// and returns its path; it takes its time. Both may be nil.
	StartIn  func(a config.Agent, cwd string) (*session.Session, error)
	Worktree func(ctx context.Context, cwd string) (string, error)
	// Stored are the stored sessions; nil stores none. Reopen reads one and makes the
	// session that continues it. It takes its time.
	Stored *store.Library
	Reopen func(context.Context, Open) (*Reopened, error)
}

// Backend is the front ends' backend, with the agents of this machine.
func (l *Launcher) Backend() Backend {
	b := Backend{
		Available: func() ([]config.Agent, error) { return Available(reloaded(l.Config)) },
		Missing:   func() []config.Agent { return l.Config.Missing(exec.LookPath) },
		Registry:  registry.Here(l.Config.Registry),
		Recent:    config.NewRecentFile(config.StateDir()),
		Start:     l.Start, Load: l.Load, StartIn: l.StartIn,
		Worktree: func(ctx context.Context, cwd string) (string, error) {
			t, err := MakeWorktree(ctx, l.Config, cwd, "")
			if err != nil {
				return "", err
			}
			return t.Path, nil
		},
	}
	if l.Store != nil {
		b.Stored, b.Reopen = store.NewLibrary(l.Store), l.Reopen
	}
	return b
}

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
