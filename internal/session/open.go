package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
)

// errNotOpen means that there is no open session.
var errNotOpen = errors.New("no session is open yet")

// ErrCannotReopen means that the agent cannot continue an earlier session.
var ErrCannotReopen = errors.New("this agent cannot resume sessions")

// plan is what a session opens next.
type plan struct {
	// session is the one to open, empty for a new one: the State has the one that is open.
	session acpclient.SessionID
	// known means that the stream already has its transcript, which may also come from a log.
	known bool
	// told are Options.Told until the session is open.
	told []string
	// fork is opened in place of a new session. It is nil once it is.
	fork *ForkPoint
	// earlier are the options as they were before: opening the session may clear the State.
	earlier []acpclient.SessionConfigOption
}

// OpenSession opens another session of the same agent in place of this one, by session/load
// if the agent offers that, else by session/resume. The error wraps ErrUnsupported if it
// offers neither. A session of another directory is an error, because files and commands are
// served in this one. It cancels a running turn and drops the queue.
type OpenSession struct{ Info acpclient.SessionInfo }

func (a OpenSession) Do(_ context.Context, s *Session) (None, error) {
	if cwd := a.Info.Cwd; cwd != "" && filepath.Clean(cwd) != filepath.Clean(s.opt.Cwd) {
		return None{}, fmt.Errorf("that session belongs to %s: start parley there to open it", cwd)
	}
	if err := s.canSwitch(); err != nil {
		return None{}, err
	}
	caps := s.agent.hello.Load().AgentCapabilities
	if !caps.LoadSession && caps.SessionCapabilities.Resume == nil {
		return None{}, fmt.Errorf("open another session: %w", ErrUnsupported)
	}
	s.switchTo(a.Info.SessionID)
	return None{}, nil
}

// OpenAnew opens a new session after a kept one could not be reopened. The transcript
// stays, but the agent does not know it.
type OpenAnew struct{}

func (OpenAnew) Do(_ context.Context, s *Session) (None, error) {
	switch err := s.canSwitch(); {
	case err != nil:
		return None{}, err
	case s.ready():
		return None{}, errors.New("a session is open")
	}
	s.plan.session, s.plan.known, s.plan.fork = "", false, nil
	s.openNew(false)
	return None{}, nil
}

// canSwitch returns why another session cannot be opened now, or nil. s.mu must be
// held.
func (s *Session) canSwitch() error {
	switch {
	case !s.connected():
		return errNoAgent
	case s.state.Phase == conversation.PhaseOpening:
		return errors.New("a session is being opened")
	}
	return nil
}

// switchTo leaves the open session for another. s.mu must be held.
func (s *Session) switchTo(id acpclient.SessionID) {
	s.dropBlocked()
	s.cutTurn()
	s.closeQuestions()
	dropped := len(s.state.Queue)
	s.postQueue(nil, false)
	s.epoch++
	s.leave()
	s.plan.session, s.plan.known = id, false
	s.open(true)
	if dropped == 1 {
		s.notice(acpclient.NoticeWarning, "A queued prompt was dropped", "It was meant for the previous session.")
	} else if dropped > 1 {
		s.notice(acpclient.NoticeWarning, fmt.Sprintf("%d queued prompts were dropped", dropped),
			"They were meant for the previous session.")
	}
}

// leave stops accepting updates of the open session, and closes it if the agent offers
// that. s.mu must be held.
func (s *Session) leave() {
	a, id := s.agent, s.state.ID
	if a == nil || id == "" {
		return
	}
	a.leave(id)
	if a.hello.Load().AgentCapabilities.SessionCapabilities.Close == nil {
		return
	}
	s.outbox = append(s.outbox, func() {
		acpclient.Go(a.client, acpclient.SessionClose, &acpclient.CloseSessionRequest{SessionID: id},
			func(_ *acpclient.CloseSessionResponse, err error) {
				if err != nil && !isClosed(err) {
					s.opt.Log.Info("the agent did not close the session", "error", err)
				}
			})
	})
}

// open opens the session s.plan.session in the best way that the agent offers. fresh means
// that the session is unrelated to the transcript so far. s.mu must be held.
func (s *Session) open(fresh bool) {
	if s.opt.SignsIn {
		return
	}
	if now := s.options(); fresh {
		s.plan.earlier = nil
	} else if len(now) > 0 {
		s.plan.earlier = now
	}
	caps := s.agent.hello.Load().AgentCapabilities
	switch id := s.plan.session; {
	case id == "" && s.plan.fork != nil:
		s.openFork(s.plan.fork)
	case id == "":
		s.openNew(fresh)
	case caps.SessionCapabilities.Resume != nil && (s.plan.known && s.plan.told == nil || !caps.LoadSession):
		s.openResume(id, fresh)
	case caps.LoadSession:
		s.openLoad(id)
	case s.plan.known && s.opt.HasTranscript && s.state.Said:
		s.openFailed(ErrCannotReopen)
	case s.plan.known:
		s.openInstead("It does not know the conversation above.")
	default:
		s.post(conversation.SessionFailed{Err: errors.New("this agent cannot resume sessions: start without --resume")})
	}
}

// openInstead opens a new session in place of one that cannot be reopened. s.mu must be
// held.
func (s *Session) openInstead(why string) {
	if !s.state.Said {
		why = "No prompt was sent in it: nothing is lost. " + why
	}
	s.notice(acpclient.NoticeWarning, "The agent cannot resume the earlier session", why)
	s.plan.session = ""
	s.openNew(false)
}

// requestOpen asks the agent to open a session. s.mu must be held.
func requestOpen[P, R any](s *Session, m acpclient.Method[P, R], params P, opened func(*R), failed func(error)) {
	call(s, m, func() *P { return &params }, func(r *R, err error) {
		if err != nil {
			failed(err)
			return
		}
		opened(r)
	}, callHooks{opens: true})
}

// openNew opens a new session. s.mu must be held.
func (s *Session) openNew(fresh bool) {
	s.post(conversation.SessionOpening{How: conversation.OpenNew, Clear: fresh})
	s.agent.expecting = true
	requestOpen(s, acpclient.SessionNew, acpclient.NewSessionRequest{
		Cwd: s.opt.Cwd, AdditionalDirectories: s.agent.extraDirectories(), MCPServers: s.agent.usableServers(),
	}, func(r *acpclient.NewSessionResponse) {
		s.opened(conversation.OpenNew, r.SessionID, r.SessionState)
	}, s.openFailed)
}

// openLoad opens a session and makes the agent replay its history. s.mu must be held.
// It skips what the stream has of the replay: what parley saw itself has more than an agent
// stores, such as a turn that was cut, and the user's own words.
func (s *Session) openLoad(id acpclient.SessionID) {
	s.post(conversation.SessionOpening{How: conversation.OpenLoad, ID: id, Clear: !s.plan.known})
	s.agent.quiet, s.agent.works = s.plan.known, false
	s.agent.elsewhere = elsewhere{told: s.plan.told, all: len(s.plan.told)}
	s.agent.attach(id)
	requestOpen(s, acpclient.SessionLoad, acpclient.LoadSessionRequest{
		SessionID: id, Cwd: s.opt.Cwd, AdditionalDirectories: s.agent.extraDirectories(), MCPServers: s.agent.usableServers(),
	}, func(r *acpclient.LoadSessionResponse) {
		s.opened(conversation.OpenLoad, id, r.SessionState)
	}, func(err error) { s.notReopened(id, err, true) })
}

// openResume opens a session without its history. s.mu must be held.
func (s *Session) openResume(id acpclient.SessionID, fresh bool) {
	s.post(conversation.SessionOpening{How: conversation.OpenResume, ID: id, Clear: fresh})
	s.agent.works = false
	s.agent.attach(id)
	requestOpen(s, acpclient.SessionResume, acpclient.ResumeSessionRequest{
		SessionID: id, Cwd: s.opt.Cwd, AdditionalDirectories: s.agent.extraDirectories(), MCPServers: s.agent.usableServers(),
	}, func(r *acpclient.ResumeSessionResponse) {
		if !s.plan.known {
			s.notice(acpclient.NoticeInfo, "The history of this session is not available", "The agent resumes the session, but cannot show it.")
		}
		s.opened(conversation.OpenResume, id, r.SessionState)
	}, func(err error) { s.notReopened(id, err, s.opt.HasTranscript) })
}

// notReopened reports that the agent cannot reopen a session. In place of that of the transcript it
// opens a new one, unless something was said in it and waits for the user's word. s.mu must be held.
func (s *Session) notReopened(id acpclient.SessionID, err error, waits bool) {
	if !s.plan.known || waits && s.state.Said || acpclient.IsCode(err, acpclient.CodeAuthRequired) {
		s.openFailed(err)
		return
	}
	s.agent.leave(id)
	s.openInstead("It says: " + err.Error())
}

// Fork continues with a copy of the open session (unstable); the original stays as it
// is. The error wraps ErrUnsupported if the agent does not offer that. Fork fails while
// a turn is running.
type Fork struct{}

func (Fork) Do(_ context.Context, s *Session) (None, error) {
	switch {
	case !s.ready():
		return None{}, errNotOpen
	case s.state.Turn.Running:
		return None{}, errors.New("wait for the turn to end before you fork the session")
	case s.agent.hello.Load().AgentCapabilities.SessionCapabilities.Fork == nil:
		return None{}, fmt.Errorf("fork the session: %w", ErrUnsupported)
	}
	id := s.state.ID
	s.plan.earlier = s.options() // an agent may begin a copy with its defaults
	s.post(conversation.SessionOpening{How: conversation.OpenFork, ID: id})
	s.requestFork(&ForkPoint{ID: id}, func(err error) { // the original is still open
		s.notice(acpclient.NoticeError, "The session was not forked", err.Error())
		s.opened(conversation.OpenFork, id, acpclient.SessionState{})
	})
	return None{}, nil
}

// ForkPoint is where a session is forked.
type ForkPoint struct {
	ID acpclient.SessionID
	// At is the agent's message that the copy ends with, for an agent that
	// [conversation.AgentState.ForksAtMessage]; "" copies the whole session.
	At acpclient.MessageID
}

// meta names the message to fork at.
func (p *ForkPoint) meta() acpclient.Meta {
	if p.At == "" {
		return nil
	}
	id, _ := json.Marshal(p.At) // a string can be encoded
	return acpclient.Meta(fmt.Sprintf(`{"jetbrains":{"air":{"fork":{"version":1,"messageId":%s}}}}`, id))
}

// openFork opens a copy of an earlier session. It never copies more than was asked for: if
// the agent that was started cannot fork there, opening fails. s.mu must be held.
func (s *Session) openFork(p *ForkPoint) {
	s.post(conversation.SessionOpening{How: conversation.OpenFork, ID: p.ID})
	if able := s.state.Agent; able.Capabilities.SessionCapabilities.Fork == nil || p.At != "" && !able.ForksAtMessage() {
		s.openFailed(fmt.Errorf("fork the session: %w", ErrUnsupported))
		return
	}
	s.requestFork(p, s.openFailed)
}

// requestFork asks the agent for a copy of a session, and opens that. s.mu must be held.
func (s *Session) requestFork(p *ForkPoint, failed func(error)) {
	s.agent.expecting = true
	requestOpen(s, acpclient.SessionFork, acpclient.ForkSessionRequest{
		SessionID: p.ID, Cwd: s.opt.Cwd, AdditionalDirectories: s.agent.extraDirectories(), MCPServers: s.agent.usableServers(), Meta: p.meta(),
	}, func(r *acpclient.ForkSessionResponse) {
		s.plan.fork = nil
		s.agent.leave(p.ID)
		s.opened(conversation.OpenFork, r.SessionID, r.SessionState)
	}, failed)
}

// openFailed reports that the session was not opened. s.mu must be held.
func (s *Session) openFailed(err error) {
	s.post(conversation.SessionFailed{Err: err})
	s.dropBlocked()
}

// opened records that the session is open, makes the calls that waited for that, and
// sends the first prompt of the queue. s.mu must be held.
func (s *Session) opened(how conversation.Opening, id acpclient.SessionID, state acpclient.SessionState) {
	s.agent.works = how == conversation.OpenNew
	s.agent.attach(id)
	s.showElsewhere()
	s.plan.session, s.plan.known, s.plan.told = id, true, nil
	s.post(conversation.SessionOpened{ID: id, Cwd: s.opt.Cwd, State: state})
	switch earlier := s.plan.earlier; {
	case len(earlier) > 0:
		s.plan.earlier = nil
		s.restoreOptions(earlier)
	case how == conversation.OpenNew:
		s.setInitialOptions()
	}
	for _, c := range s.takeBlocked() { // they waited for the restart of the agent
		if how == conversation.OpenLoad && !s.agent.quiet && c.emptied != nil {
			c.emptied()
		}
		c.again()
	}
	s.sendNext()
}

// extraDirectories returns the additional directories, if the agent supports them. s.mu
// must be held.
func (a *agent) extraDirectories() []string {
	dirs := a.owner.opt.AdditionalDirectories
	if len(dirs) > 0 && a.hello.Load().AgentCapabilities.SessionCapabilities.AdditionalDirectories == nil {
		a.owner.notice(acpclient.NoticeWarning, "The agent does not support additional directories",
			"Not sent: "+strings.Join(dirs, ", ")+".")
		return nil
	}
	return dirs
}

// usableServers returns the configured MCP servers that the agent can connect to. s.mu
// must be held.
func (a *agent) usableServers() []acpclient.MCPServer {
	caps := a.hello.Load().AgentCapabilities.MCPCapabilities
	var take []acpclient.MCPServer
	var left []string
	for _, m := range a.owner.opt.MCPServers {
		stdio := m.Type == acpclient.MCPStdio || m.Type == ""
		if stdio && caps.NoStdio || m.Type == acpclient.MCPHTTP && !caps.HTTP || m.Type == acpclient.MCPSSE && !caps.SSE {
			left = append(left, fmt.Sprintf("%s (%s)", m.Name, m.Type))
			continue
		}
		take = append(take, m)
	}
	if len(left) > 0 {
		a.owner.notice(acpclient.NoticeWarning, "Some MCP servers were left out",
			"The agent does not support the transport of "+strings.Join(left, ", ")+".")
	}
	return take
}
