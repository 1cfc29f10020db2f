package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"parley/acpclient"

	"parley/config"
	"parley/internal/conversation"
	"parley/internal/git"
	"parley/internal/session"
	"parley/internal/store"
)

// UntrustedError means that the agent of a stored session came from the command line, as a
// command or a URL. The user has to agree to it once more, for all sessions of the project.
type UntrustedError struct {
	Command string
	Listens string // the agent's URL, "" if it has a command

	agent  projectAgent
	agreed *sync.Map // keys are the projectAgents that the user has agreed to
}

// projectAgent is an agent's exact command line or URL, in a project.
type projectAgent struct{ project, command string }

// Agree records the user's agreement, until parley exits.
func (e *UntrustedError) Agree() {
	if e.agreed != nil {
		e.agreed.Store(e.agent, true)
	}
}

// Agreed reports whether the user has agreed since the session was read.
func (e *UntrustedError) Agreed() bool {
	if e.agreed == nil {
		return false
	}
	_, ok := e.agreed.Load(e.agent)
	return ok
}

// Same reports whether both errors are about one agent and one project.
func (e *UntrustedError) Same(o *UntrustedError) bool { return e.agent == o.agent }

func (e *UntrustedError) Error() string {
	if e.Listens != "" {
		return "its agent was given on the command line as " + e.Listens
	}
	return "its agent was started by the command " + e.Command
}

// Question asks whether the agent may be started or connected to, with these choices.
func (e *UntrustedError) Question(yes, no Choice) Question {
	if e.Listens != "" {
		yes.Name = "Connect"
		return Question{
			Title: "Connect to the agent of this session?", Text: "It was given on the command line as:",
			Lines: []string{e.Listens}, Choices: []Choice{yes, no},
		}
	}
	yes.Name = "Start it"
	return Question{
		Title: "Start the agent of this session?", Text: "It was started by this command:",
		Lines: []string{e.Command}, Choices: []Choice{yes, no},
	}
}

// LastStored returns the last stored session of a directory, with the given agent unless it is
// nil; "" if there is none.
func LastStored(ctx context.Context, lib *store.Library, cwd string, agent *config.Agent) (store.ID, error) {
	return firstStored(ctx, lib, store.Query{Cwd: cwd}, agent)
}

// StoredNamed returns the stored session with an id, with the given agent unless it is nil; ""
// if there is none. The id is the agent's, or a prefix of parley's.
func StoredNamed(ctx context.Context, lib *store.Library, name string, agent *config.Agent) (store.ID, error) {
	id, err := firstStored(ctx, lib, store.Query{All: true, Session: acpclient.SessionID(name)}, agent)
	if err != nil || id != "" {
		return id, err
	}
	id, err = lib.Resolve(name)
	if errors.Is(err, store.ErrNotStored) || agent != nil && errors.As(err, new(*store.AmbiguousError)) {
		return "", nil // only the agent knows it
	}
	return id, err
}

func firstStored(ctx context.Context, lib *store.Library, q store.Query, agent *config.Agent) (store.ID, error) {
	if q.Limit = 1; agent != nil {
		q.Agent = agent.ID
	}
	list, err := lib.List(ctx, q)
	if err != nil || len(list) == 0 {
		return "", err
	}
	return list[0].ID, nil
}

// errLookOn is why a session is not continued by who only looks.
var errLookOn = errors.New("you only look on at this session")

// reopen reads a stored session and makes the session that continues it, or one that can only
// be read.
func (l *Launcher) reopen(ctx context.Context, s Spec) (*Opened, error) {
	var log *store.Log
	locked := errLookOn
	if !s.LookOn {
		log, locked = l.Store.Continue(s.Stored) // first, so that nothing is written after reading
	}
	r, err := l.read(ctx, s)
	if err != nil {
		if log != nil {
			err = errors.Join(err, log.Close())
		}
		return nil, err
	}
	if r.ReadOnly == nil && locked != nil {
		r.ReadOnly = locked
	}
	if r.ReadOnly == nil {
		if v, err := l.Store.TakeView(s.Stored); err == nil {
			r.View = v
		}
		r.Session, r.ReadOnly = l.resume(r, log, s.MCP)
		log = nil
	}
	if r.ReadOnly == nil {
		return r, nil
	}
	r.Branched = Branched{} // nothing can be sent
	if log != nil {
		if err := log.Close(); err != nil {
			return nil, err
		}
	}
	r.Session, err = Here(session.Options{Cwd: r.Transcript.Meta.Cwd, Machine: noMachine})
	return r, err
}

// idleMachine is the machine of a session that offers an agent nothing: a read-only one has no agent.
type idleMachine struct{ session.Machine }

func noMachine(session.Observer, session.Asker) (session.Machine, error) { return idleMachine{}, nil }

func (idleMachine) EndTerminals() {}
func (idleMachine) Close()        {}

// read reads a stored session, and finds the agent to continue it with.
func (l *Launcher) read(ctx context.Context, s Spec) (*Opened, error) {
	t, err := l.Store.Read(ctx, s.Stored)
	if err != nil {
		return nil, err
	}
	r := &Opened{Transcript: t}
	if r.View, err = l.Store.View(s.Stored); err != nil {
		r.View = store.View{} // without its draft
	}
	r.Agent, r.ReadOnly = l.StoredAgent(t.Meta, s)
	if m := t.Meta; m.Worktree != "" && git.WorktreeGone(m.Cwd) {
		r.ReadOnly = fmt.Errorf("its worktree %s is gone. If the branch %s still exists, 'parley --worktree=%s' in %s restores it",
			m.Cwd, m.Worktree, git.WorktreeName(m.Worktree), m.From)
	}
	if r.ReadOnly == nil {
		for _, dir := range append([]string{t.Meta.Stored}, t.Meta.Dirs...) {
			if now, err := Directory(dir); err != nil {
				r.ReadOnly = err
			} else if now != dir { // an agent that works around it can make the link
				r.ReadOnly = fmt.Errorf("%s is a link to %s now, and was a directory when the session began: put it back, or begin a new session", dir, now)
			}
		}
	}
	return r, nil
}

// StoredAgent returns the agent that continues a stored session. The error is an
// *UntrustedError if the user has to agree first.
func (l *Launcher) StoredAgent(m store.Meta, s Spec) (config.Agent, error) {
	switch {
	case s.Agent != nil:
		return *s.Agent, nil
	case len(m.Command) == 0:
		return AgentNamed(l.Config, m.Agent)
	}
	a := AgentOf(m.Agent, m.Command)
	switch {
	case slices.Equal(m.Command, l.Command):
		return a, nil
	}
	untrusted := &UntrustedError{
		agent:  projectAgent{cmp.Or(m.From, m.Cwd), strings.Join(m.Command, "\x00")},
		agreed: &l.agreed,
	}
	switch {
	case untrusted.Agreed():
		return a, nil
	case a.Address != "":
		untrusted.Listens = a.Listens()
	default:
		untrusted.Command = strings.Join(a.Words(), " ")
	}
	return a, untrusted
}

// resume makes the session that continues a stored one, with more MCP servers, and takes over its
// log. On an error it closes the log.
func (l *Launcher) resume(r *Opened, log *store.Log, servers []acpclient.MCPServer) (Session, error) {
	t := r.Transcript
	if r.Tells() { // it goes on as the branch began
		r.Earlier = EarlierText(t.Conversation)
		r.TakeMoved()
	} else {
		queueUnsent(t, r.View.Unsent)
	}
	if err := log.Append(t.Ending); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	if r.View.Unsent != nil && r.Queue == nil {
		r.View.Unsent = nil
		_ = l.Store.SaveView(t.Meta.ID, r.View) // at worst they are queued again
	}
	m, c := t.Meta, t.Conversation
	opt := session.Options{
		Recorder: l.record(m, log), Cwd: m.Cwd, AdditionalDirectories: m.Dirs,
		ResumeID: c.ID, JournalOf: c.JournalOf, HasTranscript: c.ID != "", Told: c.Told(), Past: &c.State, MCPServers: servers,
	}
	var before []conversation.Event
	if l.Recording != nil {
		for e, err := range l.Store.Events(m.ID) {
			if err != nil {
				opt.Recorder.Close()
				return nil, err
			}
			before = append(before, e)
		}
	}
	s, err := l.session(r.Agent, opt, before)
	if err != nil {
		opt.Recorder.Close()
		return nil, err
	}
	noteOldRewind(s, c)
	return s, nil
}

// queueUnsent puts the prompts that did not arrive into the paused queue, behind those in it.
func queueUnsent(t *store.Transcript, u *store.Unsent) {
	if u == nil {
		return
	}
	queue := slices.Clone(t.Conversation.Queue)
	for i, p := range u.Prompts {
		queue = append(queue, conversation.QueuedPrompt{ID: t.Conversation.LastNumber + 1 + i, Prompt: p.Prompt.Prompt, Folds: p.Prompt.Folds, Files: p.Prompt.Files})
	}
	e := conversation.QueueChanged{Queue: queue, Paused: true}
	t.Ending = append(t.Ending, e)
	t.Conversation.Apply(e)
}

// Left is a session that the user has left.
type Left struct {
	// Title is what it was called, sanitised.
	Title string
	Agent config.Agent
	// Session is the id by which the agent can reopen it, and Stored its id in the store. Each
	// may be "".
	Session acpclient.SessionID
	Stored  store.ID
	Cwd     string
	// Running is the id under which it keeps running, "" if it has ended.
	Running string
	// Unsent are the prompts that it has not received, each as one line.
	Unsent []string
}

// ResumableID returns the id by which the agent can reopen the session of a conversation, ""
// if it cannot, or if nothing was said.
func ResumableID(c *conversation.Conversation) acpclient.SessionID {
	if caps := c.Agent.Capabilities; len(c.Items) > 0 && (caps.LoadSession || caps.SessionCapabilities.Resume != nil) {
		return c.ID
	}
	return ""
}
