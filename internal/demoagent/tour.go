// Package demoagent is parley's built-in agent, the tour: an agent without a model that shows a
// newcomer around, with real tool calls on a sample project. It speaks versions 1 and 2 of ACP
// over stdio, needs no account and no other agent, and keeps nothing when it ends. Its texts and
// actions are in scenes (scenes/*.scene): scripts with further verbs of this package. A slash
// command plays the scene of its name.
package demoagent

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"sync"

	"parley/acpclient"
	v2 "parley/acpclient/v2"
	"parley/internal/conversation"
)

// envSpeed is the environment variable that multiplies the pauses: 1 is normal, 0 is none.
const envSpeed = "PARLEY_DEMO_SPEED"

// DelayFromEnv returns the factor of the pauses from the environment.
func DelayFromEnv() float64 {
	if d, err := strconv.ParseFloat(os.Getenv(envSpeed), 64); err == nil && d >= 0 {
		return d
	}
	return 1
}

// Run serves one client until in ends, ctx ends, or the user asks for a crash, and returns the
// exit code. A pending read of in continues until in ends. It multiplies its pauses by delay.
func Run(ctx context.Context, in io.Reader, out, stderr io.Writer, delay float64) int {
	a := &agent{delay: delay, stderr: stderr, crashed: make(chan struct{}), answers: acpclient.Answers[*agent]{Methods: methods}, sessions: map[acpclient.SessionID]*session{}}
	a.mu.Lock() // until conn is set
	a.conn = v2.Serve(acpclient.NewLines(in, out), a, acpclient.ConnOptions{})
	a.mu.Unlock()
	defer a.end()
	select {
	case <-a.conn.Done():
		return 0
	case <-ctx.Done():
		return 0
	case <-a.crashed:
		return 1
	}
}

// agent is one run of the tour: the connection and its sessions.
type agent struct {
	delay  float64
	stderr io.Writer
	conn   *v2.Agent

	answers acpclient.Answers[*agent]

	crash   sync.Once
	crashed chan struct{}

	mu       sync.Mutex
	client   *acpclient.ClientCapabilities // nil before initialize
	sessions map[acpclient.SessionID]*session
}

// HandleNotification implements acpclient.Receiver.
func (a *agent) HandleNotification(_ context.Context, method string, params json.RawMessage) {
	var n acpclient.CancelNotification // a skip has the same fields
	if acpclient.Unmarshal(params, &n) != nil {
		return
	}
	switch s, _ := a.session(n.SessionID); {
	case s == nil:
	case method == acpclient.SessionCancel.Name:
		s.cancelTurn()
	case method == conversation.SkipAhead:
		s.skipAhead()
	}
}

var methods = map[string]func(*agent, context.Context, json.RawMessage) (any, error){
	acpclient.Initialize.Name:             acpclient.Answering((*agent).initialize),
	acpclient.SessionNew.Name:             acpclient.Answering((*agent).newSession),
	acpclient.SessionList.Name:            acpclient.Answering((*agent).listSessions),
	acpclient.SessionLoad.Name:            acpclient.Answering((*agent).loadSession),
	acpclient.SessionResume.Name:          acpclient.Answering((*agent).resumeSession),
	acpclient.SessionClose.Name:           acpclient.Answering((*agent).closeSession),
	acpclient.SessionDelete.Name:          acpclient.Answering((*agent).deleteSession),
	acpclient.SessionPrompt.Name:          acpclient.Answering((*agent).prompt),
	acpclient.SessionSetMode.Name:         acpclient.Answering((*agent).setMode),
	acpclient.SessionSetConfigOption.Name: acpclient.Answering((*agent).setConfigOption),
}

// HandleRequest implements acpclient.Receiver.
func (a *agent) HandleRequest(ctx context.Context, name string, params json.RawMessage) (any, error) {
	return a.answers.Request(ctx, a, name, params)
}

// end cancels what runs and waits for it.
func (a *agent) end() {
	a.conn.Close()
	a.answers.End()
}

func (a *agent) initialize(_ context.Context, r *acpclient.InitializeRequest) (any, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.client = &r.ClientCapabilities
	return json.RawMessage(embedded("initialize.json")), nil
}

// capabilities returns the client's capabilities; nil before initialize.
func (a *agent) capabilities() *acpclient.ClientCapabilities {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.client
}

func invalid(format string, args ...any) error {
	return &acpclient.Error{Code: acpclient.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}

// session returns an open session, or an error.
func (a *agent) session(id acpclient.SessionID) (*session, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s := a.sessions[id]; s != nil && !s.closed {
		return s, nil
	}
	return nil, acpclient.NotFoundError("session " + string(id))
}

// listSessions returns the sessions of this run.
func (a *agent) listSessions(_ context.Context, r *acpclient.ListSessionsRequest) (any, error) {
	if r.Cursor != "" {
		return nil, invalid("unknown cursor %q", r.Cursor)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	res := &acpclient.ListSessionsResponse{}
	for _, id := range slices.Sorted(maps.Keys(a.sessions)) {
		if cwd := a.sessions[id].cwd; r.Cwd == "" || r.Cwd == cwd {
			res.Sessions = append(res.Sessions, acpclient.SessionInfo{SessionID: id, Cwd: cwd})
		}
	}
	return res, nil
}

func (a *agent) loadSession(ctx context.Context, r *acpclient.ResumeSessionRequest) (any, error) {
	state, err := a.resumeSession(ctx, r)
	if s, _ := a.session(r.SessionID); s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, u := range s.history {
			s.send(u)
		}
	}
	return state, err
}

// resumeSession opens a session of this run again.
func (a *agent) resumeSession(_ context.Context, r *acpclient.ResumeSessionRequest) (any, error) {
	a.mu.Lock()
	if s := a.sessions[r.SessionID]; s != nil {
		s.closed = false
	}
	a.mu.Unlock()
	s, err := a.session(r.SessionID)
	if err != nil {
		return nil, err
	}
	return s.state(), nil
}

func (a *agent) closeSession(_ context.Context, r *acpclient.CloseSessionRequest) (any, error) {
	s, err := a.session(r.SessionID)
	if err != nil {
		return nil, err
	}
	s.cancelTurn()
	a.mu.Lock()
	defer a.mu.Unlock()
	s.closed = true
	return nil, nil
}

func (a *agent) deleteSession(ctx context.Context, r *acpclient.DeleteSessionRequest) (any, error) {
	_, _ = a.closeSession(ctx, (*acpclient.CloseSessionRequest)(r)) // it may be closed
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.sessions, r.SessionID)
	return nil, nil
}
