// Package app is everything that a user does with sessions except their display: finding
// agents, launching them, reopening stored sessions, trust, signing in, the prompt queue,
// drafts, recovery, export. The screen, line mode, headless runs and the command line are its
// front ends. To ask the user, it returns a [Question], which a front end shows.
package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/internal/git"
	"parley/internal/journal"
	"parley/internal/machine"
	"parley/internal/policy"
	"parley/internal/prompt"
	"parley/internal/record"
	"parley/internal/registry"
	"parley/internal/remote"
	"parley/internal/rules"
	"parley/internal/sandbox"
	"parley/internal/session"
	"parley/internal/store"
	"parley/internal/termtext"
)

// Launcher makes sessions with agents. Close it after they have ended.
type Launcher struct {
	Config *config.Config
	// Version is parley's version.
	Version string
	// Cwd and Dirs are the directories of a session, absolute.
	Cwd  string
	Dirs []string
	// Command is the agent of the command line: its words, or the URL where it listens; nil if
	// the command line names none.
	Command []string
	// Resume is the agent's session to open with the first agent; "" for a new one.
	Resume string
	// Store keeps the sessions; nil keeps none.
	Store *store.Store
	// Unstored is a directory for the logs of sessions that are not stored, which their viewers
	// read; "" makes none.
	Unstored string
	Overrides
	// Keep runs sessions in hosts, which outlive the terminal.
	Keep bool
	// Editor is what sessions ask for unsaved text; nil asks nobody.
	Editor machine.Editor
	// Unattended means that no user is there to answer questions.
	Unattended bool
	// NoInspector disables the inspector's message buffer.
	NoInspector bool
	// Recording records the first session; nil records none.
	Recording *Recording

	// Warn, if not nil, tells the user what Close can no longer add to a transcript.
	Warn func(text string)

	program string // path of parley, "" for this process's own

	agreed sync.Map // keys are the projectAgents that the user has agreed to
	warned sync.Map // keys are the titles and details that warnOfRules has said

	mu      sync.Mutex
	resumed bool // Resume was used
	temps   []tempDir
	boxes   []*sandbox.Sandbox
	guards  []*git.Guard
	logs    []*store.Recorder // of all sessions
	asides  map[*Launcher]Session
	looks   bool // sessions change nothing: see aside
}

// Overrides are what the command line says in place of the configuration, about each session.
type Overrides struct {
	// Sandbox and Protocol override the configuration, unless they are zero.
	Sandbox  *bool  `json:"sandbox,omitempty"`
	Protocol string `json:"protocol,omitempty"`
	// Rules are added to those of the configuration; NoRules ignores all rules.
	Rules   []policy.Rule `json:"rules,omitempty"`
	NoRules bool          `json:"noRules,omitempty"`
	// MaxCost replaces the cost in the budget, unless it is 0.
	MaxCost float64 `json:"maxCost,omitempty"`
	// WaitForLimit has sessions wait for limits of the user's plan, whatever the configuration says.
	WaitForLimit bool `json:"waitForLimit,omitempty"`
}

// Spec says which session to make: a new one, one that the agent or parley stores, or a branch
// of a stored one; or to which running one to attach.
type Spec struct {
	// Agent is its agent; nil for that of the stored session.
	Agent *config.Agent `json:"-"`
	// Cwd is its directory; "" for the launcher's, or that of the stored session. Dirs are more of a
	// new one, and MCP more servers for its agent.
	Cwd  string                `json:"cwd,omitempty"`
	Dirs []string              `json:"dirs,omitempty"`
	MCP  []acpclient.MCPServer `json:"mcp,omitempty"`
	// As is the id under which a new one is stored; "" makes one up.
	As store.ID `json:"as,omitempty"`
	// Session is the agent's session to open; "" for a new one.
	Session acpclient.SessionID `json:"session,omitempty"`

	// Stored is the stored session to continue. With Branch, a new session continues it from
	// before that prompt, numbered as by [conversation.Conversation.Prompts]; one past the last
	// means after all of it. HandOver means that Agent goes on in place of the session's own.
	Stored   store.ID `json:"stored,omitempty"`
	Branch   int      `json:"branch,omitempty"`
	HandOver bool     `json:"handOver,omitempty"`
	// Last means that it is the last session of the directory, so a draft kept for the
	// directory since then comes back.
	Last bool `json:"-"`

	// Notes are notices of a new session, as [Launcher.Prepare] returns them.
	Notes *[]session.AddNotice `json:"notes,omitempty"`

	// Running is the session in a host, by its id or as ssh://HOST/ID; "" for none. LookOn
	// means to attach read-only, or to read the log. Attached, if not nil, is attached to it already.
	Running  string  `json:"-"`
	LookOn   bool    `json:"-"`
	Attached Session `json:"-"`
	// ReadFile reads a file as this front end's user sees it in an editor, by its path; nil if there
	// is no editor.
	ReadFile func(ctx context.Context, path string) (text string, err error) `json:"-"`
	// Keep means to make the session in a host.
	Keep bool `json:"-"`
	// Replaces, if not nil, is a session to end first, so that the new one takes over its undo;
	// viewers of one in a host follow. Beside is an open session that is branched and stays.
	Replaces, Beside Session `json:"-"`
}

// New reports whether it is for a session of which parley stores nothing.
func (s Spec) New() bool { return s.Stored == "" && s.Running == "" }

// Opened is a session that was made or attached to. It is not started yet, unless it runs.
type Opened struct {
	Agent   config.Agent
	Session Session
	// Transcript is what was said in the session before; nil in a new one. View is how the user
	// left it.
	Transcript *store.Transcript
	View       store.View
	// Runs means that it is already running.
	Runs bool
	// ReadOnly, if not nil, says why the session can only be read: do not start it. It is an
	// *UntrustedError if the user has to agree first.
	ReadOnly error
	// Branched is what comes along from a session that it branches.
	Branched
}

// Opening is a session that is being made, or attached to.
type Opening struct {
	Spec Spec
	Wait func() (*Opened, error) // waits for it
}

// Drop ends a new session, and leaves another one, once it is made.
func (o *Opening) Drop(ctx context.Context) {
	switch made, err := o.Wait(); {
	case err != nil:
	case o.Spec.New():
		End(ctx, made.Session)
	default: // if it runs in a host, it was there before
		Leave(ctx, made.Session)
	}
}

// EndReplaced ends the session that is to be replaced, if there is one.
func (s *Spec) EndReplaced(ctx context.Context) {
	if s.Replaces != nil {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), StopTime)
		defer cancel()
		End(ending, s.Replaces)
		s.Replaces = nil
	}
}

// Make makes a session, or one that can only be read. It does not wait for the agent, but may be
// slow. It may be called from any goroutine.
func (l *Launcher) Make(ctx context.Context, s Spec) (*Opened, error) {
	s.EndReplaced(ctx)
	switch {
	case s.Stored != "" && l.Store == nil:
		return nil, errors.New("no sessions are stored")
	case s.Branch != 0:
		return l.branch(ctx, s)
	case s.Stored != "":
		return l.reopen(ctx, s)
	}
	a, cwd, err := *s.Agent, cmp.Or(s.Cwd, l.Cwd), error(nil)
	if a.ID == TourID {
		if cwd, err = l.sampleProject(); err != nil {
			return nil, err
		}
	}
	dirs := slices.Concat(l.Dirs, s.Dirs)
	made, err := l.session(a, session.Options{
		Recorder: l.recorder(a, cwd, dirs, s.As), Cwd: cwd, AdditionalDirectories: dirs, ResumeID: l.first(s), MCPServers: s.MCP,
	}, nil)
	if err != nil {
		return nil, err
	}
	if s.Notes != nil {
		for _, n := range *s.Notes {
			session.Post(made, n)
		}
	}
	return &Opened{Agent: a, Session: made}, nil
}

// first returns the agent's session to open: that of the launcher with the first agent, unless
// another one is named.
func (l *Launcher) first(s Spec) acpclient.SessionID {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.resumed || s.Session != "" || s.Stored != "" {
		return s.Session
	}
	l.resumed = true
	return acpclient.SessionID(l.Resume)
}

// session makes a session with an agent. opt has its directories, history and own MCP servers; before
// are the events of the stored session that it continues.
func (l *Launcher) session(a config.Agent, opt session.Options, before []conversation.Event) (Session, error) {
	servers, leftOut := mcpServers(serversFor(l.Config, a), a.Remote())
	var err error
	if opt.AdditionalDirectories, err = rootsFor(a, opt.AdditionalDirectories); err != nil {
		return nil, err
	}
	roots := append([]string{opt.Cwd}, opt.AdditionalDirectories...)
	box, err := l.sandbox(a, roots)
	if err != nil {
		return nil, err
	}
	var hidden []string // parley runs outside the sandbox, and must ask itself before it reads these
	if box != nil {
		hidden = l.sandboxConfig(a).Hide
	}
	files, err := rules.SensitiveFiles(l.Config.Files, hidden, roots...)
	if err != nil {
		return nil, err
	}
	if err := l.setPeer(a, box, &opt); err != nil {
		return nil, err
	}
	own, unread := rules.Open(rules.Options{ // if an error leaves them unknown, they allow nothing
		Agent: a, Cwd: opt.Cwd, More: opt.AdditionalDirectories, Configured: append(ConfiguredRules(l.Config), l.Rules...),
		Store: rules.NewStore(config.StateDir()), Files: l.Config.Files,
	})
	opt.Client = l.client()
	for _, s := range servers {
		if !slices.ContainsFunc(opt.MCPServers, func(own acpclient.MCPServer) bool { return own.Name == s.Name }) {
			opt.MCPServers = append(opt.MCPServers, s)
		}
	}
	opt.Mode, opt.Values = a.Mode, a.Options
	opt.OfferV2, opt.Versions = l.offersV2(a)
	if opt.Judge = own; l.NoRules {
		opt.Judge = nil
	}
	opt.Unattended, opt.AtLimit = l.Unattended, l.atLimit()
	opt.Budget = l.budget(a)
	header, secrets := l.recordingOf(a, &opt)
	if !l.Unattended && !l.NoInspector {
		opt.Ring = record.NewRing(header, secrets, time.Now)
	}
	if err := l.Recording.record(header, secrets, &opt, before); err != nil {
		return nil, err
	}
	opt.Resolve = prompt.Resolve(opt.Cwd)
	if box != nil {
		opt.AfterTurn = l.cleanGit
	}
	changes, err := l.journal(opt.Cwd, roots, cmp.Or(opt.ResumeID, opt.JournalOf)) // last, because the session closes it
	if err != nil {
		return nil, err
	}
	opt.Journal, opt.Machine = changes, machineFor(machine.Options{Sensitive: files, Unattended: l.Unattended, Editor: l.Editor}, box, changes, roots)
	if l.looks {
		onlyLooks(&opt)
	}
	works, err := session.NewSession(opt)
	if err != nil {
		return nil, err
	}
	leave, unnoted := workIn(roots)
	s := here{works, leave}
	if unnoted != nil {
		session.Post(s, session.AddNotice{Severity: acpclient.NoticeWarning, Title: "parley worktree drop cannot tell that this session works here", Detail: unnoted.Error()})
	}
	l.warnOfRules(s, own, unread)
	if box != nil && box.Lack != "" {
		session.Post(s, session.AddNotice{Severity: acpclient.NoticeWarning, Title: "The sandbox is " + box.Name + ", which " + box.Lack, Detail: "The agent can read keys and passwords. Outside the sandbox, git may run what the agent puts into .git. Install bubblewrap to prevent both."})
	}
	if len(leftOut) > 0 {
		session.Post(s, session.AddNotice{Severity: acpclient.NoticeWarning, Title: "Some MCP servers were left out", Detail: strings.Join(leftOut, "\n")})
	}
	if changes != nil {
		for _, r := range changes.Recovered() {
			warnOfRecovered(s, r)
		}
		warnOfUnrecorded(s, changes.Unopened())
	}
	return s, nil
}

// client identifies parley to agents.
func (l *Launcher) client() acpclient.Implementation {
	return acpclient.Implementation{Name: "parley", Title: "parley", Version: l.Version}
}

// setPeer sets how a session reaches its agent: by a command, in the sandbox if there is one,
// or over the network.
func (l *Launcher) setPeer(a config.Agent, box *sandbox.Sandbox, opt *session.Options) error {
	command, far, err := commandOf(a, box, opt.Cwd)
	if err != nil {
		return err
	}
	if a.Source != "" { // else its name is only that of its program
		opt.Name = a.Name
	}
	opt.Command, opt.Bounds, opt.Spawn = command, boundsText(box, l.sandboxConfig(a)), acpclient.Spawn
	if far != nil {
		connectTo(far, opt)
		opt.Bounds = "" // the sandbox does not confine a remote agent
	}
	if a.Remote() {
		opt.Remote = &session.Remote{Listens: a.Address != "", Files: a.ServeFiles, Terminals: a.ServeTerminals}
	}
	return rooted(a.RemoteRoot, opt)
}

// CommandFor returns the command of an agent that works in a directory, in its sandbox if it
// has one. If far is not nil, the agent listens there instead.
func (l *Launcher) CommandFor(a config.Agent, cwd string) (c acpclient.Command, far *remote.Agent, err error) {
	box, err := l.sandbox(a, []string{cwd})
	if err != nil {
		return c, nil, err
	}
	return commandOf(a, box, "")
}

// commandOf is CommandFor in a given sandbox, which may be nil. dir is where the agent starts
// unless the configuration says otherwise.
func commandOf(a config.Agent, box *sandbox.Sandbox, dir string) (c acpclient.Command, far *remote.Agent, err error) {
	env, err := a.Env.Environ(os.LookupEnv)
	if err != nil {
		return c, nil, err
	}
	if far, err = RemoteAgent(a); err != nil {
		return c, nil, err
	}
	c, err = sandboxed(box, acpclient.Command{Path: a.Command, Args: a.Args, Env: env, Dir: cmp.Or(a.Cwd, dir)})
	return c, far, err
}

// warnOfUnrecorded tells the user why no changes are recorded; nil means that they are.
func warnOfUnrecorded(s Session, why error) {
	if why != nil {
		session.Post(s, session.AddNotice{
			Severity: acpclient.NoticeWarning, Title: "Undo is off: changes cannot be recorded",
			Detail: why.Error() + ". parley asks before the agent overwrites a file through it, and records changes as soon as it can.",
		})
	}
}

// journal opens the journal of a session's changes; nil if the user wants none. resumed is the
// session being reopened, "" for a new one.
func (l *Launcher) journal(cwd string, roots []string, resumed acpclient.SessionID) (*journal.Journal, error) {
	if l.Config.NoJournal {
		return nil, nil
	}
	return journal.Open(journal.Options{
		Dir: filepath.Join(config.StateDir(), "journal"), Ignore: config.StateDir(),
		Cwd: cwd, Roots: roots, Session: string(resumed),
		MaxBytes: l.Config.JournalBytes, MaxAge: l.Config.JournalAge,
	})
}

// MergeJournal opens a journal of a name for what is merged into a directory while no session there
// records it, also if the user wants no journals of sessions: what a merge replaces is kept, so that
// it happens whole or not at all.
func (l *Launcher) MergeJournal(dir, name string) (*journal.Journal, error) {
	opt := journal.Options{
		Dir: filepath.Join(config.StateDir(), "journal"), Cwd: dir, Roots: []string{dir}, Session: name,
		MaxBytes: l.Config.JournalBytes, MaxAge: l.Config.JournalAge,
	}
	j, err := journal.Open(opt)
	if err == nil {
		j.Watch(conversation.SessionOpened{ID: acpclient.SessionID(name)})
		err = j.Unopened()
	}
	return j, err
}

// machineFor returns a function that makes the machine for a session's files and commands in
// these roots. Commands run in the box and changes are recorded; both may be nil.
func machineFor(opt machine.Options, box *sandbox.Sandbox, changes *journal.Journal, roots []string) func(session.Observer, session.Asker) (session.Machine, error) {
	if box != nil {
		opt.Wrap = box.Wrap
	}
	return func(w session.Observer, a session.Asker) (session.Machine, error) {
		opt := opt
		opt.Asker = a
		m, err := machine.New(w, opt, roots...)
		if err == nil && changes != nil {
			m.Journal(changes)
		}
		return m, err
	}
}

// Close removes the temporary directories, ends the logs of sessions that have not ended in
// time, and repairs what agents have changed in .git.
func (l *Launcher) Close() {
	l.mu.Lock()
	asides := slices.Collect(maps.Values(l.asides))
	l.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), StopTime)
	defer cancel()
	for _, s := range asides {
		s.Close(ctx)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.logs {
		r.Close()
	}
	for _, t := range l.temps {
		_ = os.RemoveAll(t.path)
		if t.lock != nil {
			_ = t.lock.Close()
		}
	}
	var removed []string
	var failed error
	for _, g := range l.guards {
		paths, err := g.Restore()
		removed, failed = append(removed, paths...), errors.Join(failed, err)
	}
	for _, box := range l.boxes {
		box.Close()
	}
	if title, detail := gitWarning(removed, failed); title != "" && l.Warn != nil {
		l.Warn(title + ":\n" + detail)
	}
}

// serversFor returns the MCP servers for an agent: its own, and the general ones whose names
// it does not reuse.
func serversFor(cfg *config.Config, a config.Agent) []config.MCPServer {
	servers := slices.Clone(a.MCP)
	for _, s := range cfg.MCP {
		if !slices.ContainsFunc(a.MCP, func(own config.MCPServer) bool { return own.Name == s.Name }) {
			servers = append(servers, s)
		}
	}
	return servers
}

// mcpServers converts configured servers to the protocol's form. The session does without those
// that it cannot have: leftOut says for each of them why.
func mcpServers(servers []config.MCPServer, remote bool) (out []acpclient.MCPServer, leftOut []string) {
	for _, s := range servers {
		m, err := mcpServer(s)
		if remote && s.Type == config.MCPStdio {
			err = errors.New("it runs on this machine, but the agent runs on another")
		}
		if err != nil {
			leftOut = append(leftOut, strings.ReplaceAll(s.Name+": "+err.Error(), "\n", "; "))
			continue
		}
		out = append(out, m)
	}
	return out, leftOut
}

func mcpServer(s config.MCPServer) (acpclient.MCPServer, error) {
	m := acpclient.MCPServer{Name: s.Name, Type: acpclient.MCPTransport(s.Type)}
	env, unsetEnv := s.Env.Expand(os.LookupEnv)
	for _, name := range s.Env.Names() {
		m.Env = append(m.Env, acpclient.EnvVariable{Name: name, Value: env[name]})
	}
	headers, unsetHeader := s.Headers.Expand(os.LookupEnv)
	for _, name := range s.Headers.Names() {
		m.Headers = append(m.Headers, acpclient.HTTPHeader{Name: name, Value: headers[name]})
	}
	address, unset := config.Expand(s.URL, os.LookupEnv)
	m.URL = address
	for _, arg := range s.Args {
		arg, err := config.Expand(arg, os.LookupEnv)
		m.Args, unset = append(m.Args, arg), errors.Join(unset, err)
	}
	if err := errors.Join(unsetEnv, unsetHeader, unset); err != nil || s.Command == "" {
		return m, err
	}
	// The protocol requires an absolute path.
	path, err := exec.LookPath(s.Command)
	if err != nil {
		return m, fmt.Errorf("%s is not installed, or not on PATH", s.Command)
	}
	m.Command, err = filepath.Abs(path)
	return m, err
}

// rootsFor returns the additional directories of a session, including the configured ones of
// the agent.
func rootsFor(a config.Agent, dirs []string) ([]string, error) {
	all := slices.Clone(dirs)
	for _, root := range a.Roots {
		dir, err := Directory(root)
		if err != nil {
			return nil, fmt.Errorf("the configuration's agents.%s.roots: %w", a.ID, err)
		}
		if !slices.Contains(all, dir) {
			all = append(all, dir)
		}
	}
	return all, nil
}

// Backend is what a front end works with. Functions and pointers may be nil only where the
// comment says so.
type Backend struct {
	// Launcher starts agents of this machine, and knows what they may do; nil starts none.
	Launcher *Launcher
	// Available finds the agents to choose from. It may be slow; nil finds none.
	Available func() ([]config.Agent, error)
	// Missing finds the known agents that are not installed. It may be slow; nil finds none.
	Missing func() []config.Agent
	// Registry has the installable agents; nil has none.
	Registry *registry.Agents
	// News is the changelog, in Markdown.
	News string
	// Recent remembers what was last used; nil remembers nothing.
	Recent *config.RecentFile
	// Make makes a session, here or in a host, or attaches to one: see [Launcher.Make].
	Make func(context.Context, Spec) (*Opened, error)
	// Prepare prepares the worktree of a new session: see [Launcher.Prepare]. It is slow; nil prepares
	// nothing.
	Prepare func(ctx context.Context, s Spec, tell Tell) []session.AddNotice
	// Worktree makes a git worktree for a directory and returns its path. It may be slow, and tells what it
	// waits for; nil makes none.
	Worktree func(ctx context.Context, cwd string, tell func(string)) (string, error)
	// Stored are the stored sessions; nil stores none.
	Stored *store.Library
	// Running lists the sessions in hosts, the most recently active first. It is nil where hosts
	// are not supported.
	Running func(context.Context) ([]Running, error)
	// Watch returns a function that waits until that list changes, and returns it; the first time it
	// does not wait, and adds those of killed hosts. It fails when the context ends. Visit attaches to a session in a host for an
	// order, while no user watches; EndRunning ends one, and waits for that. TakeOff takes one that
	// has ended off all lists. All are nil where Running is.
	Watch      func(context.Context) func() ([]Running, error)
	Visit      func(ctx context.Context, running string) (Session, error)
	EndRunning func(ctx context.Context, running string) error
	TakeOff    func(Running) error
	// MCP are the servers for all agents.
	MCP []config.MCPServer
}

// MakePrepared makes a session after its worktree is prepared, for which preparing is the context.
func (b Backend) MakePrepared(ctx, preparing context.Context, s Spec, tell Tell) (*Opened, error) {
	if b.Prepare != nil {
		s.Notes = new(b.Prepare(preparing, s, tell))
	}
	return b.Make(ctx, s)
}

// Redactor returns [RedactorFor] an agent.
func (b Backend) Redactor(a config.Agent) *record.Redactor {
	return RedactorFor(&config.Config{MCP: b.MCP}, a)
}

// Backend returns the backend for front ends, with the agents of this machine.
func (l *Launcher) Backend() Backend {
	b := Backend{
		Launcher:  l,
		Available: func() ([]config.Agent, error) { return Available(reloaded(l.Config)) },
		Missing:   func() []config.Agent { return l.Config.Missing(exec.LookPath) },
		Registry:  registry.Here(l.Config.Registry),
		Recent:    config.NewRecentFile(config.StateDir()),
		Make:      l.Make,
		Prepare:   l.Prepare,
		MCP:       l.Config.MCP,
		Worktree: func(ctx context.Context, cwd string, tell func(string)) (string, error) {
			t, err := MakeWorktree(ctx, l.Config, cwd, "", tell)
			if err != nil {
				return "", err
			}
			return t.Place(cwd), nil
		},
	}
	if l.Store != nil {
		b.Stored = store.NewLibrary(l.Store)
	}
	return b
}

// MakeWorktree creates a named worktree of the repository that contains a directory, or
// returns the existing one. For "" it makes up a name. tell is told what it waits for.
func MakeWorktree(ctx context.Context, cfg *config.Config, dir, name string, tell func(string)) (*git.Worktree, error) {
	t, err := git.CreateWorktree(ctx, dir, git.WorktreeOptions{Name: name, Parent: cfg.Worktrees, Waits: TellsWaits(tell)})
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

// TellsWaits returns a function for the Waits of [git.WorktreeOptions].
func TellsWaits(tell func(string)) func(file string) {
	return func(file string) {
		if file == "" {
			tell("making the worktree")
			return
		}
		tell("waiting until another program ends, which creates a worktree or holds " + termtext.Line(file))
	}
}

// StopTime is how long an agent may take to exit by itself.
const StopTime = 4 * time.Second

// End ends a session, wherever it runs, and passes the rest of its events to its recorder. The
// agent may take until ctx ends to exit by itself.
func End(ctx context.Context, s Session) {
	_ = s.End(ctx) // an unreachable one has ended, or the user ends it
	s.Stream().Take()
}

// Leave is End for a session of this process, and detaches from one in a host.
func Leave(ctx context.Context, s Session) {
	s.Close(ctx)
	s.Stream().Take()
}

// StartErrorText describes an error of starting an agent, with how to install the agent if
// known.
func StartErrorText(a config.Agent, err error) string {
	text := err.Error()
	if how := a.InstallText(); how != "" && errors.As(err, new(*acpclient.StartError)) {
		text += "\n" + how
	}
	return text
}
