// Package serve is parley as an agent: a front end whose user is a client of the Agent Client
// Protocol, such as an editor.
//
// Its sessions are those of this machine, each in a host of its own, which a client shares with the
// screen and with other clients. What a client asks for becomes acts; what happens in a session is
// folded as everywhere, and what that changes becomes updates ([view]): so a client gets the same
// messages from every agent, and the same ones when it loads a session as when it has seen it happen.
//
// Whatever decides stays with the session: rules, sandbox, budget, files and terminals.
package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"parley/acpclient"
	v2 "parley/acpclient/v2"
	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/store"
)

// Options say what is served, and how.
type Options struct {
	// Backend makes the sessions, and Agent is that of new ones; nil lets the client choose among
	// the available ones, beginning with First.
	Backend app.Backend
	Agent   *config.Agent
	First   string
	// Running is the one session that is served, by its id in a host; "" serves all.
	Running string
	// EditorFiles lets sessions ask a client for the unsaved text of files, if it offers them.
	EditorFiles bool
	// ReadOnly lets the client look only.
	ReadOnly bool
	// Hello asks an agent what it offers, without a session.
	Hello func(context.Context, config.Agent) (conversation.AgentState, error)
	// Version is the version of this parley.
	Version string
}

// Run serves the client behind two streams until in or ctx ends. Sessions in which something goes on
// outlive it. A pending read of in continues until in ends.
func Run(ctx context.Context, in io.Reader, out io.Writer, opt Options) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &server{opt: opt, ctx: ctx, answers: acpclient.Answers[*server]{Methods: methods}, sessions: map[acpclient.SessionID]*served{}, finding: map[acpclient.SessionID]chan struct{}{}, ids: map[int64]acpclient.MessageID{}}
	s.mu.Lock() // until conn is set
	s.conn = v2.Serve(acpclient.NewLines(in, out), s, acpclient.ConnOptions{})
	s.mu.Unlock()
	select {
	case <-s.conn.Done():
	case <-ctx.Done():
	}
	s.conn.Close()
	s.mu.Lock()
	left := s.sessions
	s.sessions = nil
	s.mu.Unlock()
	cancel()
	var leaving sync.WaitGroup
	for _, one := range left {
		leaving.Go(one.leave)
	}
	leaving.Wait()
	s.answers.End()
}

// server serves one client.
type server struct {
	opt  Options
	ctx  context.Context
	conn *v2.Agent

	answers acpclient.Answers[*server]

	mu       sync.Mutex
	client   *acpclient.InitializeRequest    // nil before initialize
	sessions map[acpclient.SessionID]*served // nil once the client is gone
	// finding has the sessions that are looked for and opened; closed when that is over.
	finding map[acpclient.SessionID]chan struct{}
	// ids are those that the client has for its prompts, by when they were sent, in nanoseconds.
	ids map[int64]acpclient.MessageID
	// waiting is a new session whose agent wants the user to sign in first, and asked an open one whose
	// agent wants it; nil if there is none.
	waiting, asked *served
}

// methods are the requests that a client may make.
var methods = map[string]func(*server, context.Context, json.RawMessage) (any, error){
	acpclient.Initialize.Name:             acpclient.Answering((*server).initialize),
	acpclient.Authenticate.Name:           acpclient.Answering((*server).authenticate),
	acpclient.SessionNew.Name:             acpclient.Answering((*server).newSession),
	acpclient.SessionList.Name:            acpclient.Answering((*server).listSessions),
	acpclient.SessionLoad.Name:            acpclient.Answering((*server).loadSession),
	acpclient.SessionResume.Name:          acpclient.Answering((*server).resumeSession),
	acpclient.SessionFork.Name:            acpclient.Answering((*server).forkSession),
	acpclient.SessionClose.Name:           of((*served).close),
	acpclient.SessionPrompt.Name:          of((*served).prompt),
	acpclient.SessionSteering.Name:        of((*served).steer),
	acpclient.SessionSetMode.Name:         of((*served).setMode),
	acpclient.SessionSetConfigOption.Name: of((*served).setOption),
	MethodStatus:                          of((*served).status),
	MethodChanges:                         of((*served).changes),
	MethodUnqueue:                         of((*served).unqueue),
	MethodResumeQueue:                     of((*served).resumeQueue),
}

// of decodes the params of a request for the function of the session that it names.
func of[P any](answer func(*served, context.Context, *P) (any, error)) func(*server, context.Context, json.RawMessage) (any, error) {
	return func(s *server, ctx context.Context, params json.RawMessage) (any, error) {
		var named acpclient.SessionRequest
		p := new(P)
		if err := errors.Join(acpclient.Unmarshal(params, &named), acpclient.Unmarshal(params, p)); err != nil {
			return nil, invalid("%v", err)
		}
		one, err := s.session(named.SessionID)
		if err != nil {
			return nil, err
		}
		return answer(one, ctx, p)
	}
}

func invalid(format string, args ...any) error {
	return &acpclient.Error{Code: acpclient.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}

// errReadOnly is the answer to what would take part in a session.
var errReadOnly = &acpclient.Error{Code: acpclient.CodeInvalidRequest, Message: "parley serve --read-only: this client can only look"}

// HandleNotification implements [acpclient.Receiver].
func (s *server) HandleNotification(_ context.Context, method string, params json.RawMessage) {
	var n acpclient.CancelNotification
	if method != acpclient.SessionCancel.Name || acpclient.Unmarshal(params, &n) != nil || s.opt.ReadOnly {
		return
	}
	if one, _ := s.session(n.SessionID); one != nil {
		one.withdraw(true)
	}
}

// HandleRequest implements [acpclient.Receiver].
func (s *server) HandleRequest(ctx context.Context, name string, params json.RawMessage) (any, error) {
	return s.answers.Request(ctx, s, name, params)
}

// initialize answers with what the agent behind it offers, as far as parley passes it on.
func (s *server) initialize(ctx context.Context, r *acpclient.InitializeRequest) (any, error) {
	acpclient.Async(ctx) // the client may leave while the agent is silent
	info, err := s.hello(ctx)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	again := s.client != nil
	if !again {
		s.client = r
	}
	s.mu.Unlock()
	if again { // what a client can do does not change under its sessions
		return nil, &acpclient.Error{Code: acpclient.CodeInvalidRequest, Message: "initialize was answered before"}
	}
	yes, caps := &acpclient.Supported{}, info.Capabilities
	goesOn := yes // with a session that has ended; an agent that resumes none has those that run
	if s.opt.Agent != nil && s.opt.Running == "" && !caps.LoadSession && caps.SessionCapabilities.Resume == nil {
		goesOn = nil
	}
	out := &acpclient.InitializeResponse{
		ProtocolVersion: acpclient.ProtocolVersion,
		AgentInfo:       &acpclient.Implementation{Name: "parley", Title: "parley", Version: s.opt.Version},
		AgentCapabilities: acpclient.AgentCapabilities{
			LoadSession: goesOn != nil, PromptCapabilities: caps.PromptCapabilities, MCPCapabilities: caps.MCPCapabilities,
			SessionCapabilities: acpclient.SessionCapabilities{
				List: yes, Resume: goesOn, Close: yes, Fork: caps.SessionCapabilities.Fork, AdditionalDirectories: caps.SessionCapabilities.AdditionalDirectories,
			},
			Meta: acpclient.Meta(`{"parley":{"status":true}}`),
		},
	}
	if name := info.Name(); name != "" {
		out.AgentInfo.Title = name + " (parley)"
	}
	if info.Steering {
		out.Meta = acpclient.Meta(`{"steering":{"supported":true}}`)
	}
	for _, m := range info.AuthMethods {
		if !session.RunsInTerminal(m) { // those would run parley, not the agent, in the client's terminal
			m.Args, m.Env, m.Meta = nil, nil, nil
			out.AuthMethods = append(out.AuthMethods, m)
		}
	}
	return out, nil
}

// hello returns what the agent offers. Where the client chooses the agent, it is what parley makes of
// any prompt.
func (s *server) hello(ctx context.Context) (conversation.AgentState, error) {
	anything := conversation.AgentState{Capabilities: acpclient.AgentCapabilities{
		PromptCapabilities: acpclient.PromptCapabilities{Image: true, EmbeddedContext: true},
	}}
	switch {
	case s.opt.Running != "":
		c, err := s.opt.Backend.Visit(ctx, s.opt.Running)
		if err != nil {
			return anything, err
		}
		defer app.Leave(ctx, c)
		return c.Past().Agent, nil
	case s.opt.Agent != nil:
		return s.opt.Hello(ctx, *s.opt.Agent)
	}
	return anything, nil
}

// session returns an open session, or an error.
func (s *server) session(id acpclient.SessionID) (*served, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.sessions[id]; one != nil {
		return one, nil
	}
	return nil, acpclient.NotFoundError("session " + string(id))
}

// newSession makes a session; where only one is served, it opens that, and sends what was said in it.
func (s *server) newSession(ctx context.Context, r *acpclient.NewSessionRequest) (any, error) {
	acpclient.Async(ctx)
	if s.opt.Running != "" {
		one, err := s.again(ctx, acpclient.SessionID(s.opt.Running), nil)
		if err != nil {
			return nil, err
		}
		return one.opened(ctx, after), nil
	}
	a, err := s.chosen()
	if err != nil {
		return nil, err
	}
	spec, err := s.fresh(r.Cwd, r.AdditionalDirectories, r.MCPServers)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	one := s.waiting // the user has signed in since
	s.waiting = nil
	s.mu.Unlock()
	if one == nil || one.spec.Cwd != spec.Cwd {
		spec.Agent = &a
		if one, err = s.open(ctx, "", spec); err != nil {
			return nil, err
		}
	} else if err := one.await(ctx); err != nil {
		return nil, s.failed(one, err)
	}
	return one.opened(ctx, before), nil
}

// fresh is the spec of a new session.
func (s *server) fresh(cwd string, dirs []string, servers []acpclient.MCPServer) (spec app.Spec, err error) {
	if s.opt.ReadOnly {
		return spec, errReadOnly
	}
	spec = app.Spec{Keep: true, As: store.NewID(time.Now()), MCP: servers}
	if err := checkServers(servers); err != nil {
		return spec, err
	}
	if spec.Cwd, err = directory(cwd); err != nil {
		return spec, err
	}
	for _, dir := range dirs {
		if dir, err = directory(dir); err != nil {
			return spec, err
		}
		spec.Dirs = append(spec.Dirs, dir)
	}
	return spec, nil
}

// checkServers refuses MCP servers that the protocol does not know, and commands that would depend on a
// directory.
func checkServers(servers []acpclient.MCPServer) error {
	for _, m := range servers {
		switch {
		case m.Type != "" && m.Type != acpclient.MCPStdio && m.Type != acpclient.MCPHTTP && m.Type != acpclient.MCPSSE:
			return invalid("the MCP server %q has the unknown type %q", m.Name, m.Type)
		case m.URL == "" && !filepath.IsAbs(m.Command):
			return invalid("the command of the MCP server %q is no absolute path: %q", m.Name, m.Command)
		}
	}
	return nil
}

// directory is [app.Directory] of a path that the client has to give in full.
func directory(dir string) (string, error) {
	if !filepath.IsAbs(dir) {
		return "", invalid("the directory %q is not absolute", dir)
	}
	dir, err := app.Directory(dir)
	if err != nil {
		return "", invalid("%v", err)
	}
	return dir, nil
}

// chosen returns the agent of new sessions, until the client chooses another.
func (s *server) chosen() (config.Agent, error) {
	if s.opt.Agent != nil {
		return *s.opt.Agent, nil
	}
	all, err := s.opt.Backend.Available()
	if err != nil {
		return config.Agent{}, err
	}
	s.opt.Backend.SortByUse(all)
	if i := slices.IndexFunc(all, func(a config.Agent) bool { return a.ID == s.opt.First }); i >= 0 {
		return all[i], nil
	}
	if len(all) == 0 {
		return config.Agent{}, errors.New("no agent is installed: 'parley agents' lists those that parley can install")
	}
	return all[0], nil
}

// open opens a session, and waits until its agent is ready.
func (s *server) open(ctx context.Context, id acpclient.SessionID, spec app.Spec) (*served, error) {
	one, err := s.enter(ctx, id, spec)
	if err != nil {
		return nil, err
	}
	if err := one.await(ctx); err != nil {
		return nil, s.failed(one, err)
	}
	return one, nil
}

// enter makes a session, or attaches to it, and does not wait for its agent. id is the name that the client
// has for it, "" for that under which it is stored.
func (s *server) enter(ctx context.Context, id acpclient.SessionID, spec app.Spec) (*served, error) {
	spec.LookOn = s.opt.ReadOnly
	opened := s.offerFiles(&spec)
	made, err := s.opt.Backend.Make(ctx, spec)
	if err != nil {
		return nil, err
	}
	if made.ReadOnly != nil && !s.opt.ReadOnly {
		app.End(ctx, made.Session)
		return nil, &acpclient.Error{Code: acpclient.CodeInvalidRequest, Message: "this session can only be read: " + made.ReadOnly.Error() + ". 'parley' opens it."}
	}
	if about := made.Session.About(); id == "" && about.Stored {
		id = acpclient.SessionID(spec.As)
	} else if id == "" {
		id = acpclient.SessionID(about.Host)
	}
	one := newServed(s, id, spec, made)
	opened(one)
	s.mu.Lock()
	ending := s.sessions == nil
	if !ending {
		s.sessions[id] = one
	}
	s.mu.Unlock()
	go one.follow()
	if ending {
		one.leave()
		return nil, acpclient.ErrClosed
	}
	return one, nil
}

// failed lets go of a session that could not be opened. One whose agent wants the user to sign in
// waits for that.
func (s *server) failed(one *served, err error) error {
	s.mu.Lock()
	signIn := errors.Is(err, errSignIn) && s.waiting == nil && s.sessions != nil
	if signIn {
		s.waiting = one
	} else {
		delete(s.sessions, one.id)
	}
	s.mu.Unlock()
	if !signIn {
		one.letGo(one.ctx)
	}
	return err
}

// errSignIn is wrapped by the answer to a request for which the user has to sign in first.
var errSignIn = errors.New("the agent wants you to sign in")

// codeSignIn is the protocol's code for that.
const codeSignIn acpclient.ErrorCode = -32000

// authenticate signs in to the agent that has asked for it.
func (s *server) authenticate(ctx context.Context, r *acpclient.AuthenticateRequest) (any, error) {
	acpclient.Async(ctx)
	if s.opt.ReadOnly {
		return nil, errReadOnly
	}
	s.mu.Lock()
	one := cmp.Or(s.waiting, s.asked)
	s.mu.Unlock()
	if one == nil { // it has not asked: there is nothing to sign in to
		return nil, nil
	}
	if err := one.signIn(ctx, r.MethodID); err != nil {
		return nil, err
	}
	return nil, nil
}

// listPage is the number of sessions on a page of the list.
const listPage = 100

// listSessions lists the sessions that run here, and then those that are stored.
func (s *server) listSessions(ctx context.Context, r *acpclient.ListSessionsRequest) (any, error) {
	acpclient.Async(ctx)
	after, err := placeOf(r.Cursor)
	if err != nil {
		return nil, err
	}
	cwd := r.Cwd
	if dir, err := app.Directory(cwd); cwd != "" && err == nil {
		cwd = dir
	}
	res := &acpclient.ListSessionsResponse{}
	seen := map[store.ID]bool{}
	running, err := s.running(ctx)
	if err != nil {
		return nil, err
	}
	for _, one := range running {
		seen[one.Stored] = true
		if r.Cursor == "" && (cwd == "" || one.Cwd == cwd) {
			res.Sessions = append(res.Sessions, acpclient.SessionInfo{
				SessionID: s.nameOf(one), Cwd: one.Cwd, Title: app.Title(one.Overview.Title), UpdatedAt: one.Active.UTC().Format(time.RFC3339),
				Meta: metaOf(map[string]any{"parley": map[string]any{"running": true, "agent": one.Agent, "state": one.State()}}),
			})
		}
	}
	if s.opt.Running != "" || s.opt.Backend.Stored == nil {
		return res, nil
	}
	stored, err := s.opt.Backend.Stored.List(ctx, store.Query{Cwd: cwd, Limit: listPage, After: after})
	if err != nil {
		return nil, err
	}
	for _, m := range stored {
		if !seen[m.ID] {
			res.Sessions = append(res.Sessions, acpclient.SessionInfo{
				SessionID: acpclient.SessionID(m.ID), Cwd: m.Cwd, AdditionalDirectories: m.Dirs, Title: app.Title(m.Name()), UpdatedAt: m.Updated.UTC().Format(time.RFC3339),
				Meta: metaOf(map[string]any{"parley": map[string]any{"agent": cmp.Or(m.AgentName, m.Agent)}}),
			})
		}
	}
	if len(stored) == listPage {
		last := stored[listPage-1]
		res.NextCursor = fmt.Sprintf("%d-%s", last.Updated.UnixNano(), last.ID)
	}
	return res, nil
}

// placeOf returns where a page of the list begins: behind the last session of the page before, so that none
// is listed twice while others move to the front.
func placeOf(cursor string) (at store.Place, err error) {
	if cursor == "" {
		return at, nil
	}
	updated, id, _ := strings.Cut(cursor, "-")
	nanos, err := strconv.ParseInt(updated, 10, 64)
	if err != nil || id == "" {
		return at, invalid("unknown cursor %q", cursor)
	}
	return store.Place{Updated: time.Unix(0, nanos), ID: store.ID(id)}, nil
}

// running lists the running sessions that are served.
func (s *server) running(ctx context.Context) ([]app.Running, error) {
	if s.opt.Backend.Running == nil {
		return nil, nil
	}
	all, err := s.opt.Backend.Running(ctx)
	if s.opt.Running != "" {
		all = slices.DeleteFunc(all, func(r app.Running) bool { return r.ID != s.opt.Running })
	}
	return all, err
}

// idOf is the name of a running session for clients: that under which it is stored, if it is.
func idOf(r app.Running) acpclient.SessionID {
	return acpclient.SessionID(cmp.Or(string(r.Stored), r.ID))
}

// nameOf is idOf, or the name by which the client has opened it.
func (s *server) nameOf(r app.Running) acpclient.SessionID {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, one := range s.sessions {
		if one.live.Session.About().Host == r.ID {
			return id
		}
	}
	return idOf(r)
}

// specOf finds a session by the name that a client has for it: parley's, that of its host, or the
// agent's.
func (s *server) specOf(ctx context.Context, id acpclient.SessionID) (app.Spec, error) {
	running, err := s.running(ctx)
	if err != nil {
		return app.Spec{}, err
	}
	for _, r := range running {
		if idOf(r) == id || r.ID == string(id) || r.Session == id {
			return app.Spec{Running: r.ID, Stored: r.Stored}, nil
		}
	}
	if s.opt.Running == "" && s.opt.Backend.Stored != nil && id != "" {
		stored, err := s.stored(ctx, id)
		if err != nil {
			return app.Spec{}, err
		}
		if stored != "" {
			return s.fromLog(stored), nil
		}
	}
	return app.Spec{}, acpclient.NotFoundError("session " + string(id))
}

// stored returns the stored session of an id, parley's or the agent's, "" if there is none. Clients give
// ids whole.
func (s *server) stored(ctx context.Context, id acpclient.SessionID) (store.ID, error) {
	if _, err := s.opt.Backend.Stored.Meta(store.ID(id)); err == nil {
		return store.ID(id), nil
	}
	found, err := s.opt.Backend.Stored.List(ctx, store.Query{All: true, Session: id, Limit: 1})
	if err != nil || len(found) == 0 {
		return "", err
	}
	return found[0].ID, nil
}

// loadSession opens a session, and sends what was said in it before it answers.
func (s *server) loadSession(ctx context.Context, r *acpclient.LoadSessionRequest) (any, error) {
	one, err := s.again(ctx, r.SessionID, r.MCPServers)
	if err != nil {
		return nil, err
	}
	return one.opened(ctx, before), nil
}

// resumeSession opens a session of which the client knows what was said.
func (s *server) resumeSession(ctx context.Context, r *acpclient.ResumeSessionRequest) (any, error) {
	one, err := s.again(ctx, r.SessionID, r.MCPServers)
	if err != nil {
		return nil, err
	}
	return one.opened(ctx, nothing), nil
}

// again opens a session that was there before, or returns it if it is open.
func (s *server) again(ctx context.Context, id acpclient.SessionID, servers []acpclient.MCPServer) (*served, error) {
	acpclient.Async(ctx)
	one, err := s.find(ctx, id, servers)
	if err != nil {
		return nil, err
	}
	one.mu.Lock()
	one.restart()
	one.mu.Unlock()
	if err := one.await(ctx); err != nil {
		return nil, s.failed(one, err)
	}
	return one, nil
}

// fromLog is the spec of a stored session that does not run. For a client that only looks, it does not begin to.
func (s *server) fromLog(stored store.ID) app.Spec {
	return app.Spec{Stored: stored, Keep: !s.opt.ReadOnly}
}

// alone waits until no other request looks for a session, and returns what to call when this one is done.
func (s *server) alone(ctx context.Context, id acpclient.SessionID) (over func(), err error) {
	s.mu.Lock()
	for busy := s.finding[id]; busy != nil; busy = s.finding[id] {
		s.mu.Unlock()
		select {
		case <-busy:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		s.mu.Lock()
	}
	defer s.mu.Unlock()
	done := make(chan struct{})
	s.finding[id] = done
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.finding, id)
		close(done)
	}, nil
}

// find returns an open session, or opens it. Of two requests for one session, the second finds it open.
func (s *server) find(ctx context.Context, id acpclient.SessionID, servers []acpclient.MCPServer) (*served, error) {
	over, err := s.alone(ctx, id)
	if err != nil {
		return nil, err
	}
	defer over()
	if one, _ := s.session(id); one != nil && !one.live.HostGone() && one.live.Session.About().Host != "" {
		return one, nil
	} else if one != nil { // it is opened from its log, or may run by now
		s.forget(one)
		one.leave()
	}
	spec, err := s.specOf(ctx, id)
	if err != nil {
		return nil, err
	}
	spec.MCP = servers
	if err := checkServers(servers); err != nil {
		return nil, err
	}
	one, err := s.enter(ctx, id, spec)
	if errors.Is(err, app.ErrGone) && spec.Stored != "" && s.opt.Running == "" { // its host was just ending
		spec = s.fromLog(spec.Stored)
		spec.MCP = servers
		return s.enter(ctx, id, spec)
	}
	return one, err
}

// forget removes a session from the open ones, and reports whether it was one.
func (s *server) forget(one *served) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	open := s.sessions[one.id] == one
	if open {
		delete(s.sessions, one.id)
	}
	if s.asked == one {
		s.asked = nil
	}
	if s.waiting == one {
		s.waiting = nil
	}
	return open
}

// forkSession makes a session that goes on with the conversation of another.
func (s *server) forkSession(ctx context.Context, r *acpclient.ForkSessionRequest) (any, error) {
	acpclient.Async(ctx)
	spec, err := s.fresh(r.Cwd, r.AdditionalDirectories, r.MCPServers)
	if err != nil {
		return nil, err
	}
	if one, _ := s.session(r.SessionID); one != nil {
		if spec.Beside = one.live.Session; one.live.HostGone() {
			spec.Stored = one.live.Session.StoredID()
		} else if now := one.listed(ctx); now != nil { // of which this client may not have heard yet
			spec.Stored = now.Stored
		}
	} else if from, err := s.specOf(ctx, r.SessionID); err != nil {
		return nil, err
	} else {
		spec.Stored = from.Stored
	}
	if spec.Stored == "" {
		return nil, invalid("nothing of the session is stored: begin a new one")
	}
	t, err := s.opt.Backend.Stored.Read(ctx, spec.Stored)
	if err != nil {
		return nil, err
	}
	spec.Branch = len(t.Conversation.Prompts()) + 1
	one, err := s.open(ctx, "", spec)
	if err != nil {
		return nil, err
	}
	return one.opened(ctx, nothing), nil
}

// metaOf encodes values for a _meta field.
func metaOf(v any) acpclient.Meta {
	raw, _ := acpclient.Marshal(v) // of plain values
	return raw
}
