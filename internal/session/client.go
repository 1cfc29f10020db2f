package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/acpclient"
	v2 "parley/acpclient/v2"
	"parley/internal/conversation"
)

// ErrUnsupported means that the agent does not offer a method or feature.
var ErrUnsupported = errors.New("the agent does not offer it")

// errNoAgent means that no agent is running.
var errNoAgent = errors.New("the agent is not running")

// VersionMemory remembers which agents fail when offered version 2 of the protocol. Its
// methods may block.
type VersionMemory interface {
	// Fails reports whether the agent of this session is known to fail.
	Fails() bool
	// Failed remembers that it does.
	Failed() error
}

// initialize introduces the client to the agent and negotiates the protocol version.
func (a *agent) initialize(ctx context.Context) error {
	r := &acpclient.InitializeRequest{ClientInfo: &a.owner.opt.Client, ClientCapabilities: a.owner.opt.capabilities()}
	var c acpclient.Requester = a.conn
	var info *acpclient.InitializeResponse
	var err error
	if a.offersV2 {
		c, info, err = v2.Negotiate(ctx, a.first, a, r, a.log)
	} else {
		info, err = a.first.Initialize(ctx, r)
	}
	if err != nil {
		var version *acpclient.VersionError
		wantsV2 := errors.As(err, &version) && version.Agent == v2.Version || acpclient.IsCode(err, acpclient.CodeUnsupportedVersion)
		if wantsV2 && !a.owner.opt.OfferV2 {
			return fmt.Errorf(`%w: offer version 2 with --protocol auto, or with protocol = "auto" in the configuration`, err)
		}
		return err
	}
	a.client = c
	a.hello.Store(info)
	return nil
}

// fallBack restarts an agent with version 1 if it failed when offered version 2, and
// reports whether it did so. s.mu must be held.
func (a *agent) fallBack(err error) bool {
	s := a.owner
	if s.agent != a || s.closed || !a.offersV2 || a.hello.Load() != nil {
		return false
	}
	s.failedOnV2 = err
	s.closeQuestions()
	a.retire()
	s.agent = nil
	s.replaceAgent(a)
	return true
}

// fellBack adds a notice, once, that the agent works only with version 1. s.mu must be
// held.
func (s *Session) fellBack() {
	err := s.failedOnV2
	if err == nil || !s.warnOnce("protocol", "The agent failed with version 2 of the protocol",
		"parley restarted it with version 1 and will keep using that: "+err.Error()) || s.opt.Versions == nil {
		return
	}
	s.work.Go(func() {
		if err := s.opt.Versions.Failed(); err != nil {
			s.opt.Log.Warn("could not save the agent's protocol version", "error", err)
		}
	})
}

// CancelOperation asks the agent to cancel one operation and to continue the turn.
// The error wraps ErrUnsupported if the agent cannot do that.
type CancelOperation struct {
	Call     acpclient.ToolCallID
	Subagent acpclient.SessionID // which works in the call
	Terminal acpclient.TerminalID
}

func (o CancelOperation) Do(ctx context.Context, s *Session) (None, error) {
	s.mu.Lock()
	a, id, ready := s.agent, s.state.ID, s.ready()
	s.unlock()
	if !ready || a == nil {
		return None{}, errNotOpen
	}
	if o.Subagent != "" {
		return None{}, a.conn.Notify(acpclient.SessionCancel.Name, &acpclient.CancelNotification{SessionID: o.Subagent})
	}
	if _, ok := a.client.(*v2.Client); !ok {
		return None{}, fmt.Errorf("cancel a single call: %w", ErrUnsupported)
	}
	method, params := v2.ToolCallCancel, map[string]any{"sessionId": id, "toolCallId": o.Call}
	if o.Terminal != "" {
		method, params = v2.TerminalCancel, map[string]any{"sessionId": id, "terminalId": o.Terminal}
	}
	defer a.expectAnswer(method)()
	return None{}, a.conn.Call(ctx, method, params, nil)
}

// CancelOf returns the act that cancels an operation.
func CancelOf(o conversation.Operation) CancelOperation {
	a := CancelOperation{Call: o.Call.ID, Terminal: o.Terminal}
	if o.Call.Subagent != nil {
		a.Subagent = o.Call.Subagent.Session
	}
	return a
}

// StopTask asks the agent to stop a task that works in the background.
type StopTask struct{ ID string }

func (t StopTask) Do(ctx context.Context, s *Session) (None, error) {
	s.mu.Lock()
	a, open, ready := s.agent, s.state.ID, s.ready()
	s.unlock()
	if !ready || a == nil {
		return None{}, errNotOpen
	}
	defer a.expectAnswer(acpclient.SessionStopTask.Name)()
	r, err := acpclient.Call(ctx, a.conn, acpclient.SessionStopTask, &acpclient.StopTaskRequest{SessionID: open, AsyncTaskID: t.ID})
	switch {
	case err != nil:
		return None{}, fmt.Errorf("stop the task: %w", err)
	case !r.Stopped:
		return None{}, errors.New("the agent did not stop the task")
	}
	return None{}, nil
}

// blockedCall is a call that the agent refused until the user signs in. Exactly one of
// its functions is called, once and with Session.mu held.
type blockedCall struct {
	again  func() // repeats the call
	giveUp func() // passes on the refusal as the answer
	callHooks
}

// callHooks are what a call needs, besides its answer, while it waits for the user to
// sign in. All are called with Session.mu held.
type callHooks struct {
	// opens means that the call opens a session.
	opens bool
	// emptied, if set, is called before the call is repeated if the transcript was
	// emptied meanwhile.
	emptied func()
	// agentGone, if set, is called if the agent exits before the call is repeated.
	agentGone func()
}

// call sends a request to the agent. s.mu must be held. done is called with s.mu held,
// in the order of the wire, but not if another epoch has begun or the agent has exited,
// which the stream reports. If the agent requires signing in first, the call waits for
// that and is repeated with new params; a second refusal is its answer.
func call[P, R any](s *Session, m acpclient.Method[P, R], params func() *P, done func(*R, error), hooks callHooks) {
	request(s, m, params, func(r *R, err error) {
		if !acpclient.IsCode(err, acpclient.CodeAuthRequired) {
			done(r, err)
			return
		}
		if m.Name == acpclient.SessionPrompt.Name {
			s.judgeUnfinished() // the user may never sign in, and then no end of the turn checks them
		}
		s.block(err, blockedCall{
			again:     func() { request(s, m, params, done) },
			giveUp:    func() { done(nil, err) },
			callHooks: hooks,
		})
	})
}

// request is call without the repetition.
func request[P, R any](s *Session, m acpclient.Method[P, R], params func() *P, done func(*R, error)) {
	a, epoch, p := s.agent, s.epoch, params()
	s.outbox = append(s.outbox, func() {
		answered := func() {}
		if m.Name != acpclient.SessionPrompt.Name { // a turn takes its time, and shows it
			answered = a.expectAnswer(m.Name)
		}
		acpclient.Go(a.client, m, p, func(r *R, err error) {
			answered()
			if isClosed(err) {
				a.breakOff()
				return
			}
			s.mu.Lock()
			defer s.unlock()
			if s.epoch == epoch {
				done(r, err)
			}
		})
	})
}

// answerTime is how long the agent may take to answer a request before the user is told.
const answerTime = 30 * time.Second

// expectAnswer tells the user if the agent does not answer a request in time. The function
// that it returns is called with the answer.
func (a *agent) expectAnswer(method string) (answered func()) {
	s := a.owner
	late := time.AfterFunc(answerTime, func() {
		s.mu.Lock()
		defer s.unlock()
		if s.agent == a && !s.closed {
			s.post(conversation.NoticeAdded{
				Severity: acpclient.NoticeWarning, Unanswered: true,
				Title:  fmt.Sprintf("The agent has not answered %s for %d seconds", method, answerTime/time.Second),
				Detail: "Wait, or restart the agent.",
			})
		}
	})
	return func() { late.Stop() }
}

// isClosed reports whether an error only says that the agent exited.
func isClosed(err error) bool { return errors.Is(err, acpclient.ErrClosed) }

// ask makes a call and waits for its answer. If the agent requires signing in first,
// ask waits for that too, and repeats the call. offered reports whether the agent has
// the method.
func ask[P, R any](
	ctx context.Context, s *Session, what string, m acpclient.Method[P, R], params *P,
	offered func(acpclient.AgentCapabilities) bool,
) (*R, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()

	for signedIn := false; ; signedIn = true {
		s.mu.Lock()
		if !s.connected() {
			s.unlock()
			return nil, fmt.Errorf("%s: %w", what, errNoAgent)
		}
		a := s.agent
		s.unlock()
		if !offered(a.hello.Load().AgentCapabilities) {
			return nil, fmt.Errorf("%s: %w", what, ErrUnsupported)
		}
		answered := a.expectAnswer(m.Name)
		r, err := acpclient.Call(ctx, a.client, m, params)
		answered()
		if err == nil {
			return r, nil
		}
		if signedIn || !acpclient.IsCode(err, acpclient.CodeAuthRequired) || !s.waitForAuth(ctx, err) {
			return nil, fmt.Errorf("%s: %w", what, err)
		}
	}
}

// connected reports whether an agent runs and has answered initialize. s.mu must be
// held.
func (s *Session) connected() bool {
	return !s.closed && s.agent != nil && s.agent.hello.Load() != nil && s.agent.conn.Err() == nil
}
