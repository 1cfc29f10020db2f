package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
)

// endGrace is how long an agent that has closed its output has to exit before it is
// stopped.
const endGrace = time.Second

// Start starts the agent and opens the session. After the agent was lost it does so
// again; if only the session could not be opened, it opens that again. It returns at
// once.
type Start struct{}

func (Start) Do(_ context.Context, s *Session) (None, error) {
	switch {
	case s.closed || s.starting():
	case s.agent == nil:
		s.replaceAgent(nil)
	case s.connected() && !s.ready() && s.state.Phase != conversation.PhaseOpening:
		s.open(false)
	}
	return None{}, nil
}

// Reconnect restarts the agent, whatever it has not answered, and reopens the session. After
// the user has signed in on a terminal, it repeats the calls that waited for that. It cancels
// a running turn. It returns at once.
type Reconnect struct{}

func (Reconnect) Do(_ context.Context, s *Session) (None, error) {
	if s.closed || s.starting() {
		return None{}, nil // its process is being started
	}
	old := s.agent
	// A turn that waits for signing in goes on.
	if !slices.ContainsFunc(s.blocked, func(c blockedCall) bool { return c.emptied != nil }) {
		s.cutTurn()
	}
	s.closeQuestions()
	if old != nil {
		old.retire()
	}
	s.agent = nil
	s.blocked = slices.DeleteFunc(s.blocked, func(c blockedCall) bool { return c.opens }) // it is reopened anyway
	s.replaceAgent(old)
	return None{}, nil
}

// Kill ends the agent without asking it first, for instance if it ignores a cancel. The
// stream reports the loss, and Start starts it again. It returns at once.
type Kill struct{}

func (Kill) Do(_ context.Context, s *Session) (None, error) {
	a := s.agent
	if s.closed || a == nil {
		return None{}, nil
	}
	s.work.Go(func() {
		now, cancel := context.WithCancel(s.ctx)
		cancel()
		a.peer.Stop(now)
	})
	return None{}, nil
}

// replaceAgent starts an agent once the previous one, if any, has ended. s.mu must be
// held.
func (s *Session) replaceAgent(old *agent) {
	s.epoch++
	s.post(conversation.AgentStarting{Command: s.opt.Command.String(), At: s.opt.Now()})
	s.work.Go(func() {
		if old != nil {
			old.end(s.ctx)
			s.machine.EndTerminals()
		}
		s.runAgent()
	})
}

// runAgent starts the agent, initializes it and opens the session.
func (s *Session) runAgent() {
	offersV2 := s.opt.OfferV2
	if offersV2 {
		s.mu.Lock()
		failed := s.failedOnV2
		s.unlock()
		offersV2 = failed == nil && (s.opt.Versions == nil || !s.opt.Versions.Fails())
	}
	command := s.opt.Command
	command.Stderr = stderrTap{&s.opt}
	peer, err := s.opt.Spawn(command)
	s.mu.Lock()
	if err != nil {
		if !s.closed {
			s.lost(err, "")
		}
		s.unlock()
		return
	}
	a := connect(s, peer, offersV2)
	if s.closed {
		s.unlock()
		a.end(s.ctx)
		return
	}
	s.agent = a
	s.work.Go(func() { a.watch() })
	s.unlock()

	if err := a.initialize(s.ctx); err != nil {
		a.unusable(err)
		return
	}
	s.mu.Lock()
	defer s.unlock()
	if s.agent == a && !s.closed {
		s.post(conversation.AgentReady{Info: withoutSecrets(a.hello.Load()), Name: s.opt.Name})
		s.fellBack()
		s.open(false)
	}
}

// withoutSecrets returns the agent's answer to initialize without the values of
// environment variables, which must not be among the events.
func withoutSecrets(info *acpclient.InitializeResponse) *acpclient.InitializeResponse {
	shown := *info
	shown.AuthMethods = slices.Clone(info.AuthMethods)
	for i := range shown.AuthMethods {
		m := &shown.AuthMethods[i]
		m.Env = maps.Clone(m.Env)
		for name := range m.Env {
			m.Env[name] = ""
		}
		m.Meta = withoutAuthEnv(m.Meta)
	}
	return &shown
}

// capabilities returns what the agent may ask of this client.
func (o *Options) capabilities() acpclient.ClientCapabilities {
	yes := &acpclient.Supported{}
	c := acpclient.ClientCapabilities{
		FS:       acpclient.FileSystemCapabilities{ReadTextFile: o.Remote.files(), WriteTextFile: o.Remote.files()},
		Terminal: o.Remote == nil || o.Remote.Terminals,
		Session: &acpclient.ClientSessionCapabilities{
			Compaction:    yes,
			ConfigOptions: &acpclient.SessionConfigOptionsCapabilities{Boolean: yes},
			Notices:       yes,
		},
		Subagents: yes,
		Plan:      yes,
		Meta:      acpclient.Meta(`{"terminal_output":true}`),
	}
	if !o.Unattended {
		if !o.Remote.listens() { // else there is no program here to sign in with
			c.Auth.Terminal, c.Meta = true, acpclient.Meta(`{"terminal_output":true,"`+TerminalAuthMeta+`":true}`)
		}
		c.Elicitation = &acpclient.ElicitationCapabilities{Form: yes, URL: yes}
	}
	if o.SignsIn {
		c = acpclient.ClientCapabilities{Auth: c.Auth, Meta: c.Meta}
	}
	return c
}

// unusable ends an agent whose answer to initialize is unusable.
func (a *agent) unusable(err error) {
	s := a.owner
	if isClosed(err) {
		a.breakOff() // then watch reports how the connection ended
		return
	}
	s.mu.Lock()
	if a.fallBack(err) {
		s.unlock()
		return
	}
	current := s.agent == a && !s.closed
	if current {
		s.lost(notStarted(err), a.output())
	}
	s.unlock()
	if current {
		a.end(s.ctx)
	}
}

// notStarted says why an agent cannot be used, from the error of initialize.
func notStarted(err error) error {
	if answer, is := errors.AsType[*acpclient.Error](err); is && answer.Code == acpclient.CodeMethodNotFound {
		return fmt.Errorf("this command does not speak ACP: its answer to initialize is %w\nMany agents need an argument for it, such as --acp or acp: see the agent's documentation", err)
	}
	return fmt.Errorf("the agent did not start a conversation: %w", err)
}

// watch waits for the end of the connection, ends the agent, and reports in the stream
// that it is lost, and why.
func (a *agent) watch() {
	s := a.owner
	select {
	case <-a.conn.Done():
	case <-a.broken:
		a.conn.Close()
	}
	s.mu.Lock()
	if s.agent == a {
		s.closeQuestions()
	}
	s.unlock()

	grace := time.NewTimer(endGrace)
	defer grace.Stop()
	select {
	case <-a.peer.Done:
	case <-s.ctx.Done(): // Close ends the agent
	case <-grace.C:
		a.peer.Stop(s.ctx)
	}
	err := a.cause()
	s.mu.Lock()
	defer s.unlock()
	if s.agent != a || s.closed {
		return
	}
	// A program that exits when offered version 2 does not support it. The end of a
	// network connection does not show that.
	if s.opt.Remote.listens() || !a.fallBack(err) {
		s.lost(err, a.output())
	}
}

// lost records that there is no agent any more, and reports it in the stream. s.mu must
// be held.
func (s *Session) lost(err error, stderr string) {
	if s.agent != nil {
		s.agent.retire()
		s.work.Go(s.machine.EndTerminals) // no agent is left to release them
	}
	s.agent = nil
	s.epoch++
	if s.state.Turn.Running {
		s.notice(acpclient.NoticeWarning, "The agent exited during this turn", "")
	}
	s.closeQuestions()
	for _, c := range s.takeBlocked() {
		if c.agentGone != nil {
			c.agentGone()
		}
	}
	s.pauseQueue()
	s.post(conversation.AgentLost{Err: err, Stderr: stderr, At: s.opt.Now()})
}
