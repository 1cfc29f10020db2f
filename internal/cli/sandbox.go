package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"

	"parley/acpclient"
	"parley/config"
	"parley/internal/git"
	"parley/internal/sandbox"
)

// sandboxPrefix begins the names of the directories for temporary files of what is
// bounded.
const sandboxPrefix = "parley-sandbox-"

// sandboxedCommand is how this program bounds itself, where a program has to, before
// it becomes an agent or a command of one.
func sandboxedCommand(*streams) *cobra.Command {
	return &cobra.Command{
		Use:                "sandboxed BOUNDS PROGRAM [ARG...]",
		Short:              "Become a program behind bounds",
		Hidden:             true,
		DisableFlagParsing: true,
		RunE:               func(_ *cobra.Command, args []string) error { return sandbox.Enter(args) },
	}
}

// sandboxOf is the configuration's sandbox for an agent, as the command line has it.
func (l *launcher) sandboxOf(a config.Agent) config.Sandbox {
	s := l.config.SandboxFor(a)
	if l.sandbox != nil {
		s.On = *l.sandbox
	}
	return s
}

// bound makes the sandbox of an agent that works in the roots; nil if it has none.
func (l *launcher) bound(a config.Agent, roots []string) (*sandbox.Sandbox, error) {
	s := l.sandboxOf(a)
	if !s.On {
		return nil, nil
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find parley's own program: %w", err)
	}
	temp, err := l.temporary(sandboxPrefix)
	if err != nil {
		return nil, fmt.Errorf("make a directory for temporary files: %w", err)
	}
	b := sandbox.Bounds{Write: append(s.Write, roots...), Hide: s.Hide, MustHide: s.HideSet, Temp: temp, Offline: s.Offline}
	for _, root := range roots {
		// The repository of a linked worktree lies elsewhere. What git writes when it
		// commits may be written, what says what git runs may not.
		written, trusted := git.WorktreePaths(root)
		b.Write, b.Keep = append(b.Write, written...), append(b.Keep, trusted...)
		// What is written there would run outside of the walls one day.
		b.Keep = append(b.Keep, filepath.Join(root, ".git", "hooks"), filepath.Join(root, ".git", "config"))
	}
	box, err := sandbox.New(b, []string{self, "sandboxed"})
	if err != nil {
		return nil, hinted("Install bubblewrap, or start without the sandbox: --sandbox=false, or sandbox = false in "+config.ConfigFile(), "%w", err)
	}
	return box, nil
}

// canBound finds out, before there is a screen, whether there is a sandbox where one
// is wanted. The agent is nil if it has yet to be chosen.
func (l *launcher) canBound(a *config.Agent) error {
	if a == nil {
		a = new(config.Agent)
	}
	_, err := l.bound(*a, []string{l.cwd})
	return err
}

// behind is an agent's command as it is run in a sandbox. A program that is not there
// stays as it is: starting it says so.
func behind(box *sandbox.Sandbox, c acpclient.Command) acpclient.Command {
	if box == nil {
		return c
	}
	if _, err := exec.LookPath(c.Path); err != nil {
		return c
	}
	bounded := c
	bounded.Path, bounded.Args = box.Command(c.Path, c.Args)
	bounded.Runs = &c
	return bounded
}

// boundsFor says for the status line what bounds an agent.
func boundsFor(box *sandbox.Sandbox, s config.Sandbox) string {
	if box == nil {
		return ""
	}
	words := "sandbox"
	if s.Offline {
		words += ", offline"
	}
	if box.Lack != "" {
		words += " (" + box.Name + ": " + box.Lack + ")"
	}
	return words
}
