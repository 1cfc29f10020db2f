package app

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"parley/acpclient"
	"parley/config"
	"parley/internal/git"
	"parley/internal/remote"
	"parley/internal/sandbox"
	"parley/internal/session"
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

// RemoteAgent is where an agent listens; nil if it is started with a command.
func RemoteAgent(a config.Agent) (*remote.Agent, error) {
	if a.Address == "" {
		return nil, nil
	}
	headers, err := a.Headers.Expand(os.LookupEnv)
	if err != nil {
		return nil, err
	}
	return remote.New(remote.Options{URL: a.Address, Headers: headers, Insecure: a.Insecure})
}

// remoteOf says to a session what of this machine an agent may use; nil if the agent runs
// on it.
func remoteOf(a config.Agent) *session.Remote {
	if !a.Remote() {
		return nil
	}
	return &session.Remote{Listens: a.Address != "", Files: a.ServeFiles, Terminals: a.ServeTerminals}
}

// rooted has a session speak of its directory by the path that it has on the agent's
// machine. Other directories have none there.
func rooted(root string, opt *session.Options) error {
	if root == "" {
		return nil
	}
	roots := remote.Roots{Local: opt.Cwd, Remote: root}
	for _, dir := range opt.AdditionalDirectories {
		if rel, err := filepath.Rel(opt.Cwd, dir); err != nil || !filepath.IsLocal(rel) {
			return WithHint("remote_root in "+config.ConfigFile()+" is about the session's directory alone.",
				"the agent runs on another machine, where the directory %s is not", dir)
		}
	}
	spawn := opt.Spawn
	opt.Spawn = func(c acpclient.Command) (*session.Peer, error) {
		p, err := spawn(c)
		if err != nil {
			return nil, err
		}
		if p.Transport == nil {
			p.Transport = acpclient.NewLines(p.In, p.Out)
		}
		p.Transport = roots.Over(p.Transport)
		return p, nil
	}
	return nil
}

// connectTo has a session connect to an agent instead of starting one. The agent keeps
// its cookies from one connection to the next.
func connectTo(far *remote.Agent, opt *session.Options) {
	opt.Command = acpclient.Command{Path: far.String()}
	opt.Spawn = func(acpclient.Command) (*session.Peer, error) {
		c := far.Connect()
		return &session.Peer{
			Transport: c, Done: c.Done(), Err: c.Err, Stop: c.Stop,
			Stderr: func() string { return "" },
		}, nil
	}
}

// protocol is the version that an agent is offered: that of the command line, or else of
// the configuration. The command line's is tried even with an agent that failed before.
func (l *Launcher) protocol(a config.Agent) (session.Protocol, session.VersionMemory) {
	memory := versionMemory{dir: filepath.Join(config.StateDir(), "protocol"), command: a.Words()}
	if l.Protocol != "" {
		memory.ignored = true
		return session.Protocol(l.Protocol), memory
	}
	return session.Protocol(a.Protocol), memory
}

// versionMemory remembers by the command of an agent that it fails when it is offered
// version 2 of the protocol: a file in a directory, named by the hash of the command.
type versionMemory struct {
	dir     string
	command []string
	ignored bool // what is remembered does not count
}

func (m versionMemory) file() string {
	sum := sha256.Sum256([]byte(strings.Join(m.command, "\x00")))
	return filepath.Join(m.dir, hex.EncodeToString(sum[:16]))
}

// Fails implements session.VersionMemory.
func (m versionMemory) Fails() bool {
	if m.ignored {
		return false
	}
	_, err := os.Lstat(m.file())
	return err == nil
}

// Failed implements session.VersionMemory.
func (m versionMemory) Failed() error {
	if err := config.MakeDir(m.dir); err != nil {
		return err
	}
	if err := os.WriteFile(m.file(), []byte("fails on version 2\n"), config.FileMode); err != nil {
		return fmt.Errorf("remember which version an agent takes: %w", err)
	}
	return nil
}
