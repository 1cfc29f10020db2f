package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"parley/acpclient"
	"parley/config"
	"parley/fs"
	"parley/internal/git"
	"parley/internal/rules"
	"parley/internal/sandbox"
	"parley/internal/termtext"
)

// sandboxPrefix begins the names of the sandboxes' temporary directories.
const sandboxPrefix = "parley-sandbox-"

// sandboxConfig returns the configuration of an agent's sandbox, with the overrides of the
// command line.
func (l *Launcher) sandboxConfig(a config.Agent) config.Sandbox {
	s := l.Config.SandboxFor(a)
	if l.Sandbox != nil {
		s.On = *l.Sandbox
	}
	return s
}

// sandbox returns the sandbox of an agent that works in the roots, nil if it has none.
func (l *Launcher) sandbox(a config.Agent, roots []string) (*sandbox.Sandbox, error) {
	s := l.sandboxConfig(a)
	if !s.On {
		return nil, nil
	}
	self, err := l.self()
	if err != nil {
		return nil, err
	}
	b, err := l.bounds(s, roots)
	if err != nil {
		return nil, err
	}
	b.Write = append(b.Write, roots...)
	var guards []*git.Guard
	for _, dir := range guarded(s.Write, roots) {
		g, err := git.GuardOf(context.Background(), dir)
		if err != nil {
			return nil, WithHint("Start without the sandbox: --sandbox=false", "guard the git repository from the agent: %w", err)
		}
		b.Write, b.Keep, b.Fixed, b.NoDirs = append(b.Write, g.Write...), append(b.Keep, g.Keep...), append(b.Fixed, g.Fixed...), append(b.NoDirs, g.NoDirs...)
		maps.Copy(b.NoFiles, g.NoFiles)
		guards = append(guards, g)
	}
	for _, dir := range b.Fixed { // what is not there could be made elsewhere
		if slices.ContainsFunc(b.Write, func(w string) bool { return inside(w, dir) }) {
			_ = makeStraight(dir) // or else filters say why
		}
	}
	box, err := sandbox.New(b, []string{self, "sandboxed"})
	if opened, ok := errors.AsType[*sandbox.PrivateError](err); ok {
		return nil, WithHint("Start in another directory, remove it from sandbox_write, or start without the sandbox: --sandbox=false",
			"%s is parley's own, which no agent in a sandbox may use", termtext.Line(opened.Path))
	}
	linked, is := errors.AsType[*sandbox.LinkError](err)
	switch {
	case is:
		return nil, WithHint("If it is yours, name where it leads in sandbox_write; if not, remove it", "%s is a link in a directory that agents may write", termtext.Line(linked.Link))
	case errors.Is(err, sandbox.ErrUnavailable):
		return nil, WithHint("Install bubblewrap, or start without the sandbox: --sandbox=false, or sandbox = false in "+config.ConfigFile(), "%w", err)
	case err != nil:
		return nil, WithHint("Try again when other agents have ended; if it stays, repair bubblewrap, or start without the sandbox: --sandbox=false", "make the sandbox: %w", err)
	}
	l.mu.Lock()
	l.boxes, l.guards = append(l.boxes, box), append(l.guards, guards...)
	l.mu.Unlock()
	return box, nil
}

// bounds returns those of every sandbox, whatever runs in it in the roots.
func (l *Launcher) bounds(s config.Sandbox, roots []string) (sandbox.Bounds, error) {
	temp, err := l.TempDir(sandboxPrefix)
	if err != nil {
		return sandbox.Bounds{}, fmt.Errorf("make a directory for temporary files: %w", err)
	}
	// The agents that parley starts, and its data about others: the agent may read but not
	// write them, even inside a writable directory.
	private, keep := config.PrivatePaths(), []string{config.DataDir(), config.CacheDir()}
	for _, path := range slices.Concat(private, keep) {
		// A missing file cannot be hidden or kept, and parley may create it later; but not where this
		// user may not create files.
		if _, err := os.Stat(path); err == nil {
			continue
		}
		if err := os.MkdirAll(path, 0o700); err != nil && !errors.Is(err, os.ErrPermission) {
			return sandbox.Bounds{}, fmt.Errorf("make parley's own directory: %w", err)
		}
	}
	return sandbox.Bounds{
		Write: s.Write, Hide: rules.HiddenCopies(s.Hide, roots), MustHide: s.HideSet, Private: private, Temp: temp, Offline: s.Offline,
		Keep: keep, NoFiles: map[string]string{},
	}, nil
}

// self returns the path of this program.
func (l *Launcher) self() (string, error) {
	if l.program != "" {
		return l.program, nil
	}
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find parley's own program: %w", err)
	}
	return self, nil
}

// RunFilter runs the shell command of a filter or merge driver of the user's for git in the working directory, for a
// repository: in the sandbox of agents, since it reads what those have written. It writes in the given directories
// only. Without a sandbox here, it runs as it is, unless agents are to be in one. The error is an *exec.ExitError only
// if the command has run.
func (l *Launcher) RunFilter(ctx context.Context, repository string, write []string, command string) error {
	top, err := os.Getwd()
	if err != nil {
		return err
	}
	self, err := l.self()
	if err != nil {
		return err
	}
	s := l.Config.SandboxFor(config.Agent{})
	b, err := l.bounds(s, []string{top})
	if err != nil {
		return err
	}
	b.Keep = append(b.Keep, self, repository, os.Getenv("GIT_DIR"), os.Getenv("GIT_OBJECT_DIRECTORY")) // also below /tmp
	keep := top
	for _, dir := range write {
		if dir == "." {
			dir, keep = top, filepath.Join(top, ".git")
		} else if err := makeStraight(dir); err != nil {
			return err
		}
		b.Write = append(b.Write, dir)
	}
	b.Keep = append(b.Keep, keep)
	list, _ := fs.ReadHead(filepath.Join(repository, "objects", "info", "alternates"), 64<<10) // of a submodule, the repository that it was filled from
	for objects := range strings.Lines(string(list)) {
		b.Keep = append(b.Keep, filepath.Dir(strings.TrimSpace(objects)))
	}
	on := slices.ContainsFunc(l.Config.Agents, func(a config.Agent) bool { return l.Config.SandboxFor(a).On })
	box, err := sandbox.New(b, []string{self, "sandboxed"})
	switch {
	case err == nil:
		defer box.Close()
	case s.On || on || !errors.Is(err, sandbox.ErrUnavailable):
		return err
	}
	for range 4 { // a socket of another program's may go before it is mounted over
		var began bool
		if began, err = runIn(ctx, box, command); began {
			return err
		}
	}
	return fmt.Errorf("the sandbox does not start: %v", err)
}

// runIn runs a shell command in a sandbox, unless that is nil, and reports whether the command has begun.
func runIn(ctx context.Context, box *sandbox.Sandbox, command string) (began bool, err error) {
	in, out, err := os.Pipe()
	if err != nil {
		return false, err
	}
	defer in.Close()
	program, args := "sh", []string{"-c", "echo >&3; exec 3>&-; " + command}
	if box != nil {
		program, args = box.Command(program, args)
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = os.Stdin, os.Stdout, os.Stderr, []*os.File{out}
	err = cmd.Run()
	_ = out.Close()
	_, unsaid := in.Read(make([]byte, 1))
	return unsaid == nil, err
}

// makeStraight makes a directory, as Git LFS does, and fails where a link is on the way: an agent may have made it.
func makeStraight(dir string) error {
	real, err := filepath.EvalSymlinks(dir)
	if errors.Is(err, os.ErrNotExist) {
		if err = makeStraight(filepath.Dir(dir)); err == nil {
			err = os.MkdirAll(dir, 0o777)
		}
	} else if err == nil && real != dir {
		err = fmt.Errorf("a symbolic link leads from %s to %s: if it is yours, set lfs.storage to where it leads; if not, remove it", termtext.Line(dir), termtext.Line(real))
	}
	return err
}

// cleanGit repairs what agents have changed in .git, and returns a warning if there was
// anything.
func (l *Launcher) cleanGit() (title, detail string) {
	l.mu.Lock()
	guards := slices.Clone(l.guards)
	l.mu.Unlock()
	var removed []string
	var failed error
	for _, g := range guards {
		paths, err := g.Clean()
		removed, failed = append(removed, paths...), errors.Join(failed, err)
	}
	return gitWarning(removed, failed)
}

// gitWarning says what was removed from .git, and what could not be; "" for nothing.
func gitWarning(removed []string, failed error) (title, detail string) {
	if len(removed) == 0 && failed == nil {
		return "", ""
	}
	const most = 20
	slices.Sort(removed)
	removed = slices.Compact(removed)
	var lines []string
	for _, path := range removed {
		lines = append(lines, termtext.Line(path))
	}
	lines = atMost(lines, most)
	if title = "Removed links and special files from .git"; failed != nil {
		title = "Links or special files are left in .git: remove them before you use git"
		for line := range strings.SplitSeq(failed.Error(), "\n") {
			if len(lines) < 2*most {
				lines = append(lines, termtext.Line(line))
			}
		}
	}
	return title, strings.Join(append(lines, "Git would have followed them out of the sandbox, or waited for them."), "\n")
}

// guarded returns the directories in which an agent must not change which programs git runs:
// the session's, and other repositories that it may write.
func guarded(written, roots []string) []string {
	dirs := slices.Clone(roots)
	for _, dir := range written {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// Wrap returns how a command of the user's runs in a directory where an agent has worked: in
// the sandbox that the agent has there, since it runs what the agent wrote. It is nil if the
// agent has none. See terminal.Options.
func (l *Launcher) Wrap(a config.Agent, dir string) (func(program string, args, env []string) (string, []string, error), error) {
	box, err := l.sandbox(a, []string{dir})
	if box == nil {
		return nil, err
	}
	return box.Wrap, nil
}

// CheckSandbox returns an error if a sandbox is wanted but unavailable. The agent is nil if it
// is not chosen yet.
func (l *Launcher) CheckSandbox(a *config.Agent) error {
	if a == nil {
		a = new(config.Agent)
	}
	_, err := l.sandbox(*a, []string{l.Cwd})
	return err
}

// sandboxed returns an agent's command as it runs in a sandbox. It fails if the sandbox hides
// the program. A missing program is left for the start to report.
func sandboxed(box *sandbox.Sandbox, c acpclient.Command) (acpclient.Command, error) {
	if box == nil {
		return c, nil
	}
	program, err := exec.LookPath(c.Path)
	if err != nil {
		return c, nil
	}
	for _, path := range append([]string{program}, c.Args...) {
		if !filepath.IsAbs(path) {
			path = filepath.Join(c.Dir, path)
		}
		if path, err = filepath.Abs(path); err == nil && box.Hides(path) {
			return c, WithHint("Move it to another directory, or add its directory to sandbox_write in "+config.ConfigFile(),
				"the sandbox hides %s, which the agent's command names", termtext.Line(path))
		}
	}
	bounded := c
	bounded.Path, bounded.Args = box.Command(c.Path, c.Args)
	bounded.Runs = &c
	return bounded, nil
}

// boundsText describes for the status line what confines an agent.
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
