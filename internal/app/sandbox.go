package app

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"parley/acpclient"
	"parley/config"
	"parley/internal/git"
	"parley/internal/sandbox"
)

// sandboxPrefix begins the names of the sandboxes' directories for temporary files.
const sandboxPrefix = "parley-sandbox-"

// sandboxConfig is the configuration's sandbox for an agent; the command line overrides
// it.
func (l *Launcher) sandboxConfig(a config.Agent) config.Sandbox {
	s := l.Config.SandboxFor(a)
	if l.Sandbox != nil {
		s.On = *l.Sandbox
	}
	return s
}

// sandbox makes the sandbox of an agent that works in the roots; nil if it has none.
func (l *Launcher) sandbox(a config.Agent, roots []string) (*sandbox.Sandbox, error) {
	s := l.sandboxConfig(a)
	if !s.On {
		return nil, nil
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find parley's own program: %w", err)
	}
	temp, err := l.TempDir(sandboxPrefix)
	if err != nil {
		return nil, fmt.Errorf("make a directory for temporary files: %w", err)
	}
	b := sandbox.Bounds{Write: append(s.Write, roots...), Hide: s.Hide, MustHide: s.HideSet, Temp: temp, Offline: s.Offline}
	for _, root := range roots {
		// The repository of a linked worktree lies elsewhere. What git writes when it
		// commits may be written, what says what git runs may not.
		written, trusted := git.WorktreePaths(root)
		b.Write, b.Keep = append(b.Write, written...), append(b.Keep, trusted...)
		// What is written there would run outside of the sandbox one day.
		b.Keep = append(b.Keep, filepath.Join(root, ".git", "hooks"), filepath.Join(root, ".git", "config"))
	}
	box, err := sandbox.New(b, []string{self, "sandboxed"})
	if err != nil {
		return nil, WithHint("Install bubblewrap, or start without the sandbox: --sandbox=false, or sandbox = false in "+config.ConfigFile(), "%w", err)
	}
	return box, nil
}

// CheckSandbox reports that there is no sandbox where one is wanted. The agent is nil if
// it has yet to be chosen.
func (l *Launcher) CheckSandbox(a *config.Agent) error {
	if a == nil {
		a = new(config.Agent)
	}
	_, err := l.sandbox(*a, []string{l.Cwd})
	return err
}

// sandboxed is an agent's command as it runs in a sandbox. A program that is missing stays
// as it is: starting it says so.
func sandboxed(box *sandbox.Sandbox, c acpclient.Command) acpclient.Command {
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

// boundsText says for the status line what bounds an agent.
func boundsText(box *sandbox.Sandbox, s config.Sandbox) string {
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
