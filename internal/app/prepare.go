package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"parley/acpclient"
	"parley/config"
	"parley/internal/git"
	"parley/internal/policy"
	"parley/internal/rules"
	"parley/internal/session"
	"parley/internal/termtext"
	"parley/terminal"
)

// Ran is how a command of the user's has ended.
type Ran struct {
	// Passed means that the command has exited with 0; Why says how it ended otherwise.
	Passed bool   `json:"passed"`
	Why    string `json:"why,omitempty"`
	// Output is the end of what it printed.
	Output string `json:"output,omitempty"`
}

// ranOutput limits what is kept of the output of a command, in bytes, and ranTime how long it runs.
const (
	ranOutput = 16 << 10
	ranTime   = 30 * time.Minute
)

// RunFor runs a shell command of the user's in a directory, in the sandbox that an agent has there, for
// at most a time, which is never longer than half an hour, and that if it is 0. A command that fails is no
// error.
func (l *Launcher) RunFor(ctx context.Context, a config.Agent, dir, command string, most time.Duration) (Ran, error) {
	return l.runFor(ctx, a, dir, command, most, func(string) {})
}

// runFor is RunFor that says each line of the output as it comes.
func (l *Launcher) runFor(ctx context.Context, a config.Agent, dir, command string, most time.Duration, say func(line string)) (Ran, error) {
	wrap, err := l.Wrap(a, dir)
	if err != nil {
		return Ran{}, err
	}
	if most == 0 || most > ranTime {
		most = ranTime
	}
	ctx, cancel := context.WithTimeoutCause(ctx, most, fmt.Errorf("it ran longer than %v", most))
	defer cancel()
	m := terminal.NewManager(terminal.Options{Wrap: wrap})
	defer m.Close()
	limit, rest := uint64(ranOutput), ""
	whole := func(_ string, data []byte) {
		lines := strings.SplitAfter(rest+string(data), "\n")
		for _, line := range lines[:len(lines)-1] {
			say(LineOf(line))
		}
		rest = lines[len(lines)-1]
		rest = rest[max(0, len(rest)-ranOutput):]
	}
	id, err := m.Create(ctx, terminal.Spec{
		Command: "sh", Args: []string{"-c", command}, Cwd: dir, OutputByteLimit: &limit,
		OnOutput: whole, OnExit: func(id string, _ terminal.ExitStatus) {
			if rest != "" {
				whole(id, []byte("\n"))
			}
		},
	})
	if err != nil {
		return Ran{}, err
	}
	status, err := m.WaitForExit(ctx, id)
	text, _, _, _ := m.Output(id)
	r := Ran{Output: strings.TrimSpace(termtext.Block(text))}
	switch {
	case err != nil && ctx.Err() != nil:
		r.Why = context.Cause(ctx).Error()
	case err != nil:
		return r, err
	case status.ExitCode != nil && *status.ExitCode == 0:
		r.Passed = true
	default:
		r.Why = status.String()
	}
	return r, nil
}

// LineOf returns what a terminal shows in the end of a line of output, which may overwrite itself.
func LineOf(raw string) string {
	raw = strings.TrimRight(raw, "\r\n")
	return strings.TrimRight(termtext.Line(raw[strings.LastIndexByte(raw, '\r')+1:]), " ")
}

// Tell says what the preparation of a worktree does: that a step begins, if line is "", or that it has printed
// a line. It may wait, which slows the step down, and returns whether what was printed stays in sight.
type Tell func(step, line string) bool

// Prepare prepares the new worktree in which a session is to work: it copies the ignored files that are
// to be there, and runs the setup. Any other session needs nothing. It takes its time; tell is
// told what it does. What the user has to know is returned, for the session. An interrupted preparation
// is done again for the next session.
func (l *Launcher) Prepare(ctx context.Context, s Spec, tell Tell) (notes []session.AddNotice) {
	if !s.New() || s.Agent == nil || s.Agent.ID == TourID {
		return nil
	}
	s.Cwd = cmp.Or(s.Cwd, l.Cwd)
	t := git.WorktreeOf(s.Cwd)
	if t == nil || !t.Fresh {
		return nil
	}
	unlock, err := lockToPrepare(ctx, t, tell)
	if err == nil {
		defer unlock()
		t = git.WorktreeAt(t.Path)
	}
	if ctx.Err() != nil || t == nil || !t.Fresh { // another session has prepared it meanwhile
		return nil
	}
	p := &preparation{l: l, s: s, t: t, tell: tell}
	prepared, unnoted := t.Preparing(ctx)
	if there(t.Path, ".gitmodules") {
		tell("filling submodules", "")
	}
	unfilled := t.FillSubmodules(ctx)
	full := p.files(ctx) || git.DiskFull(unfilled)
	p.setup(ctx)
	p.lacks()
	if empty, err := t.EmptySubmodules(ctx); err == nil && len(empty) > 0 { // the setup may have filled them
		why := "To fill them there: git submodule update --init --recursive"
		if unfilled != nil {
			why = unfilled.Error() + "\n" + why
		}
		p.warn("Submodules are empty in the worktree: "+named(empty), termtext.Block(why))
	}
	if unnoted == nil && ctx.Err() == nil {
		unnoted = prepared(p.given.Setup != "", p.failed, full)
	}
	if unnoted == nil && full {
		unnoted = errors.New("the disk is full")
	}
	if unnoted != nil && ctx.Err() == nil {
		p.warn("The next session prepares the worktree again", unnoted.Error())
	}
	return p.notes
}

// lockToPrepare waits until no other session prepares a worktree, and notes that this one works there. If
// it cannot be locked, it is prepared all the same.
func lockToPrepare(ctx context.Context, t *git.Worktree, tell Tell) (unlock func(), err error) {
	f, err := t.Lock()
	if err != nil {
		return nil, err
	}
	if err := config.AwaitLock(ctx, f, func() { tell("another session is setting up the worktree", "") }); err != nil {
		_ = f.Close()
		return nil, err
	}
	leave, _ := workIn([]string{t.Path}) // best effort
	return func() {
		leave()
		config.Unlock(f)
		_ = f.Close()
	}, nil
}

// preparation is a Prepare that goes on.
type preparation struct {
	l       *Launcher
	s       Spec
	t       *git.Worktree
	tell    Tell
	given   config.Worktree // the user's, with a trusted project's
	notes   []session.AddNotice
	missing []string // ignored entries that were not copied
	// failed is how the setup has failed.
	failed string
}

func (p *preparation) note(title, detail string) {
	p.notes = append(p.notes, session.AddNotice{Severity: acpclient.NoticeInfo, Title: title, Detail: detail})
}

func (p *preparation) warn(title, detail string) {
	p.notes = append(p.notes, session.AddNotice{Severity: acpclient.NoticeWarning, Title: title, Detail: detail})
}

func there(dir, name string) bool {
	_, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(name)))
	return err == nil
}

// read reads what the worktree is to be given.
func (p *preparation) read() (*policy.SensitiveFiles, error) {
	p.given = p.l.Config.Worktree
	files, err := rules.SensitiveFiles(p.l.Config.Files, nil, p.t.From)
	if err != nil {
		return nil, err
	}
	own, err := rules.Open(rules.Options{Cwd: p.s.Cwd, Store: rules.NewStore(config.StateDir()), Files: p.l.Config.Files})
	if own == nil {
		return nil, err
	}
	switch of := own.Project().Worktree; {
	case own.Trust() == rules.Trusted && !p.l.NoRules:
		p.given.Include = append(p.given.Include[:len(p.given.Include):len(p.given.Include)], of.Include...)
		if p.given.Setup == "" {
			p.given.Setup = of.Setup
		}
	case len(of.Include) > 0 || of.Setup != "":
		p.note("The project's worktree setup does not apply: its "+filepath.ToSlash(config.ProjectFile)+" is not trusted", "")
	}
	return files, nil
}

// files copies ignored files, and reports whether the disk was full.
func (p *preparation) files(ctx context.Context) (full bool) {
	secrets, err := p.read()
	if top, _ := git.Top(p.t.From); len(p.given.Include) > 0 || there(top, git.IncludeFile) {
		p.tell("copying ignored files", "")
	}
	hide := rules.HiddenCopies(p.l.sandboxConfig(*p.s.Agent).Hide, nil)
	var b *git.Brought
	if err == nil {
		b, err = p.t.Bring(ctx, p.t.From, p.given.Include, func(path string) bool {
			return secrets.Own(path) || secrets.Match(policy.Reading, path) != ""
		}, func(path string) bool {
			return slices.ContainsFunc(hide, func(dir string) bool {
				below, err := filepath.Rel(dir, path)
				return err == nil && filepath.IsLocal(below)
			})
		})
	}
	if err != nil && ctx.Err() == nil {
		p.warn("Ignored files were not copied into the worktree", err.Error())
	}
	if b == nil {
		return git.DiskFull(err)
	}
	if len(b.Copied) > 0 {
		p.note("Copied into the worktree: "+named(b.Copied), "")
	}
	p.missing = b.Missing
	const how = "To copy one, name it without wildcards in " + git.IncludeFile + "."
	if len(b.Secrets) > 0 {
		p.warn("Files that may hold secrets were not copied into the worktree: "+named(b.Secrets), how)
	}
	if len(b.Hidden) > 0 {
		p.warn("Files that the sandbox hides were not copied into the worktree: "+named(b.Hidden), "To copy one, name it without wildcards in [worktree] include.")
	}
	if len(b.Links) > 0 {
		p.warn("Links that lead out of the worktree were not copied: "+named(b.Links), how)
	}
	if len(b.Repositories) > 0 {
		p.warn("Repositories in ignored folders were not copied into the worktree: "+named(b.Repositories), "A setup can clone them.")
	}
	if len(b.Failed) > 0 {
		p.warn("Not copied into the worktree: "+named(b.Failed), "")
	}
	return b.Full
}

// lacks names the ignored entries that neither a copy nor the setup has made.
func (p *preparation) lacks() {
	missing := slices.DeleteFunc(p.missing, func(entry string) bool {
		return there(p.t.Path, entry)
	})
	switch len(missing) {
	case 0:
	case 1:
		p.note("1 ignored entry is not in the worktree: "+named(missing), "")
	default:
		p.note(fmt.Sprintf("%d ignored entries are not in the worktree: %s", len(missing), named(missing)), "")
	}
}

// named lists names in a line.
func named(names []string) string {
	const most, mostOfName = 8, 120
	var shown []string
	for _, name := range names {
		shown = append(shown, termtext.TruncateStart(termtext.VisibleLine(strings.TrimSuffix(name, "/")), mostOfName, "…"))
	}
	return strings.Join(atMost(shown, most), ", ")
}

// setupLines limits the lines of output that are shown of a setup.
const setupLines = 20

// setup runs the setup.
func (p *preparation) setup(ctx context.Context) {
	if p.given.Setup == "" || ctx.Err() != nil {
		return
	}
	command := termtext.VisibleLine(p.given.Setup)
	step, seen := "setting up the worktree: "+command, atomic.Bool{}
	p.tell(step, "")
	began := time.Now()
	r, err := p.l.runFor(ctx, *p.s.Agent, p.s.Cwd, p.given.Setup, 0, func(line string) {
		if line != "" {
			seen.Store(p.tell(step, line))
		}
	})
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		r.Why = context.Cause(ctx).Error()
	case ctx.Err() != nil:
		r.Why = "interrupted"
	case err != nil:
		r.Why = err.Error()
	}
	lines, took := strings.Split(r.Output, "\n"), termtext.Elapsed(time.Since(began))
	output := strings.Join(lines[max(0, len(lines)-setupLines):], "\n")
	if seen.Load() {
		output = ""
	}
	if r.Passed {
		p.note("Set up the worktree in "+took+": "+command, output)
		return
	}
	p.failed = r.Why
	p.warn("The setup of the worktree failed after "+took+": "+command+": "+termtext.Line(r.Why), output)
}
