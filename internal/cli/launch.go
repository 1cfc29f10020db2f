package cli

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/acpclient"
	"parley/config"
	"parley/fs"
	"parley/internal/conversation"
	"parley/internal/demoagent"
	"parley/internal/journal"
	"parley/internal/machine"
	"parley/internal/policy"
	"parley/internal/record"
	"parley/internal/sandbox"
	"parley/internal/session"
	"parley/internal/store"
)

// launcher makes sessions with agents.
type launcher struct {
	config  *config.Config
	cwd     string
	addDirs []string
	command []string     // the agent's command, if the command line has one
	resume  string       // the session to open instead of a new one
	store   *store.Store // nil stores nothing
	sandbox *bool        // what the command line says of it; nil if nothing
	// protocol is the version that the command line says to offer, "" if it says none.
	protocol string
	// unattended says that nobody is there; rules are those of the command line, and
	// unruled says that no rule may answer anything.
	unattended bool
	// inLines says that there is no screen, and so no inspector.
	inLines bool
	rules   []policy.Rule
	unruled bool
	// recorder records the first session; nil records none.
	recorder *recorder

	mu        sync.Mutex
	resumed   bool // the session to open instead of a new one was asked for
	made      []temporary
	recorders []*store.Recorder // of all sessions
}

// temporary is a directory that goes with this program, such as the tour's project. It
// is locked while it is in use.
type temporary struct {
	dir  string
	lock *os.File
}

// samplePrefix begins the names of the tour's projects.
const samplePrefix = "parley-tour-"

// start makes a session with an agent. It does not wait for the agent, and may be
// called from any goroutine.
func (l *launcher) start(a config.Agent) (*session.Session, error) {
	cwd := l.cwd
	if a.ID == tourID {
		var err error
		if cwd, err = l.sample(); err != nil {
			return nil, err
		}
	}
	return l.session(a, session.Options{
		Keeper: l.keeper(a, cwd), Cwd: cwd, AdditionalDirectories: l.addDirs, ResumeID: l.first(),
	}, nil)
}

// load is start for a session that the agent remembers, in its directory.
func (l *launcher) load(a config.Agent, info acpclient.SessionInfo) (*session.Session, error) {
	return l.session(a, session.Options{
		Keeper: l.keeper(a, info.Cwd), Cwd: info.Cwd, AdditionalDirectories: l.addDirs, ResumeID: info.SessionID,
	}, nil)
}

// startIn makes a new session in a directory, as start does.
func (l *launcher) startIn(a config.Agent, cwd string) (*session.Session, error) {
	return l.session(a, session.Options{Keeper: l.keeper(a, cwd), Cwd: cwd, AdditionalDirectories: l.addDirs}, nil)
}

// session makes a session with an agent, of options that say where, and with what
// history. before are the events of a stored session with which it goes on.
func (l *launcher) session(a config.Agent, opt session.Options, before []conversation.Event) (*session.Session, error) {
	servers, left, err := mcpServers(serversFor(l.config, a), a.Remote())
	if err != nil {
		return nil, err
	}
	if opt.AdditionalDirectories, err = rootsFor(a, opt.AdditionalDirectories); err != nil {
		return nil, err
	}
	roots := append([]string{opt.Cwd}, opt.AdditionalDirectories...)
	box, err := l.bound(a, roots)
	if err != nil {
		return nil, err
	}
	var hidden []string // parley itself is not behind the walls
	if box != nil {
		hidden = l.sandboxOf(a).Hide
	}
	files, err := askedFiles(l.config.Files, hidden)
	if err != nil {
		return nil, err
	}
	if err := l.reach(a, box, &opt); err != nil {
		return nil, err
	}
	book, unread := l.book(a, roots)
	opt.Client = acpclient.Implementation{Name: "parley", Title: "parley", Version: currentVersion()}
	opt.MCPServers, opt.Mode, opt.Values = servers, a.Mode, a.Options
	opt.Protocol, opt.Versions = l.protocolFor(a)
	if opt.Judge = book; l.unruled {
		opt.Judge = nil
	}
	opt.Unattended = l.unattended
	header, secrets := recorded(a, &opt)
	if !l.unattended && !l.inLines {
		opt.Ring = record.NewRing(header, secrets, time.Now)
	}
	if err := l.recorder.record(header, secrets, &opt, before); err != nil {
		return nil, err
	}
	changes, unrecorded := l.journal(opt.Cwd, roots, opt.ResumeID) // last, for the session closes it
	opt.Journal, opt.Machine = changes, machineFor(machine.Options{Sensitive: files, Unattended: l.unattended}, box, changes, roots)
	s, err := session.NewSession(opt)
	if err != nil {
		return nil, err
	}
	tellOfRules(s, book, unread)
	tellOfServers(s, left)
	if unrecorded != nil {
		s.Said(acpclient.NoticeWarning, "What the agent changes is not recorded, and cannot be taken back here", unrecorded.Error())
	}
	return s, nil
}

// reach says how the agent is started, behind the sandbox if there is one, or how it is
// reached on the network.
func (l *launcher) reach(a config.Agent, box *sandbox.Sandbox, opt *session.Options) error {
	env, err := a.Env.Environ(os.LookupEnv)
	if err != nil {
		return err
	}
	far, err := remoteAgent(a)
	if err != nil {
		return err
	}
	opt.Command = behind(box, acpclient.Command{Path: a.Command, Args: a.Args, Env: env, Dir: cmp.Or(a.Cwd, opt.Cwd)})
	opt.Bounds, opt.Spawn = boundsFor(box, l.sandboxOf(a)), session.Spawn
	if far != nil {
		connectTo(far, opt)
		opt.Bounds = "" // the agent itself is not bounded, wherever it runs
	}
	opt.Remote = remoteOf(a)
	return rooted(a.RemoteRoot, opt)
}

// machineFor makes the machine on which files and commands of a session are, in these
// roots. Commands run in the box and changes are recorded; both may be nil.
func machineFor(opt machine.Options, box *sandbox.Sandbox, changes *journal.Journal, roots []string) func(session.Witness, session.Asker) (session.Machine, error) {
	if box != nil {
		opt.Wrap = box.Wrap
	}
	return func(w session.Witness, a session.Asker) (session.Machine, error) {
		opt := opt
		opt.Asker = a
		m, err := machine.New(w, opt, roots...)
		if err == nil && changes != nil {
			m.Journal(changes)
		}
		return m, err
	}
}

// askedFiles is the table of the files that the person is asked about. parley's own
// files are those of its configuration and of its state, by the names that they have
// and by those that links to them lead to. hidden are what the sandbox keeps the agent from
// reading by itself: no line of the person's takes these out.
func askedFiles(f config.Files, hidden []string) (*policy.SensitiveFiles, error) {
	reading := slices.Clone(f.AskRead)
	for _, path := range hidden {
		path = strings.TrimRight(filepath.Clean(path), " ")
		reading = append(reading, policy.LiteralFilePattern(path))
		if real, err := fs.Resolve(path); err == nil && real != path {
			reading = append(reading, policy.LiteralFilePattern(real))
		}
	}
	var own []string
	for _, dir := range []string{filepath.Dir(config.ConfigFile()), config.StateDir()} {
		own = append(own, dir)
		if real, err := fs.Resolve(dir); err == nil && real != dir {
			own = append(own, real)
		}
	}
	home, _ := os.UserHomeDir() // "" if it is not known
	table, err := policy.NewSensitiveFiles(reading, f.AskWrite, own, home)
	if err != nil {
		return nil, fmt.Errorf("the configuration's [files]: %w", err)
	}
	return table, nil
}

// first is the session to open instead of a new one. It is for the first agent that
// is started: what is opened beside it is new.
func (l *launcher) first() acpclient.SessionID {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.resumed {
		return ""
	}
	l.resumed = true
	return acpclient.SessionID(l.resume)
}

// sample makes a temporary project for the tour.
func (l *launcher) sample() (string, error) {
	dir, err := l.temporary(samplePrefix)
	if err != nil {
		return "", fmt.Errorf("make a directory for the tour: %w", err)
	}
	if err := demoagent.WriteSample(dir); err != nil {
		return "", fmt.Errorf("write the tour's sample project: %w", err)
	}
	return dir, nil
}

// temporary makes a directory that goes with this program. Those that one which was
// killed has left behind are removed. Until it is locked, it has a name by which no other
// program takes it for one of these.
func (l *launcher) temporary(prefix string) (string, error) {
	removeAbandoned(os.TempDir(), prefix)
	const unlocked = "new-"
	made, err := os.MkdirTemp("", unlocked+prefix)
	if err != nil {
		return "", err
	}
	lock, _ := lockDirectory(made) // without it, nobody may remove the directory but cleanUp
	dir := filepath.Join(filepath.Dir(made), strings.TrimPrefix(filepath.Base(made), unlocked))
	if err := os.Rename(made, dir); err != nil {
		dir = made // its name is of no use to anybody
	}
	l.mu.Lock()
	l.made = append(l.made, temporary{dir, lock})
	l.mu.Unlock()
	return filepath.EvalSymlinks(dir)
}

// cleanUp removes the directories that go with this program, and ends the logs of
// sessions that did not end in time.
func (l *launcher) cleanUp() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.recorders {
		_ = r.Close()
	}
	for _, s := range l.made {
		_ = os.RemoveAll(s.dir)
		if s.lock != nil {
			_ = s.lock.Close()
		}
	}
}

// mcpServers puts the configured servers into the protocol's form. An agent on another
// machine could not start those that are programs of this one: they are left out, by name.
func mcpServers(servers []config.MCPServer, elsewhere bool) (out []acpclient.MCPServer, left []string, err error) {
	for _, s := range servers {
		if elsewhere && s.Type == config.MCPStdio {
			left = append(left, s.Name)
			continue
		}
		m, err := mcpServer(s)
		if err != nil {
			return nil, nil, fmt.Errorf("the MCP server %s: %w", s.Name, err)
		}
		out = append(out, m)
	}
	return out, left, nil
}

func mcpServer(s config.MCPServer) (acpclient.MCPServer, error) {
	m := acpclient.MCPServer{Name: s.Name, Type: acpclient.MCPTransport(s.Type), URL: s.URL, Args: s.Args}
	env, err := s.Env.Expand(os.LookupEnv)
	if err != nil {
		return m, err
	}
	for _, name := range s.Env.Names() {
		m.Env = append(m.Env, acpclient.EnvVariable{Name: name, Value: env[name]})
	}
	headers, err := s.Headers.Expand(os.LookupEnv)
	if err != nil {
		return m, err
	}
	for _, name := range s.Headers.Names() {
		m.Headers = append(m.Headers, acpclient.HTTPHeader{Name: name, Value: headers[name]})
	}
	if s.Command == "" {
		return m, nil
	}
	// The protocol asks for an absolute path.
	path, err := exec.LookPath(s.Command)
	if err != nil {
		return m, fmt.Errorf("%s is not installed, or not on PATH", s.Command)
	}
	m.Command, err = filepath.Abs(path)
	return m, err
}
