package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley/acpclient"
)

// endGrace is how long an agent that has closed its output has to end by itself
// before it is stopped.
const endGrace = time.Second

// start runs an agent until it is lost or the session is closed.
func (s *Session) start() {
	s.mu.Lock()
	if s.agent != nil || s.ctx.Err() != nil {
		s.mu.Unlock()
		return
	}
	s.stream.post(AgentStarting{Command: s.opt.Command.String(), At: s.opt.Now()})
	peer, err := s.opt.Spawn(s.opt.Command)
	if err != nil {
		s.mu.Unlock()
		s.stream.post(AgentLost{Err: err})
		return
	}
	a := connect(peer, s.opt.Log, s.opt.Tap)
	s.agent = a
	s.mu.Unlock()

	s.work.Go(func() { s.watch(a) })
	info, err := a.client.Initialize(s.ctx, &acpclient.InitializeRequest{
		ClientInfo:         &s.opt.Client,
		ClientCapabilities: capabilities(),
	})
	if err != nil {
		s.refused(a, err)
		return
	}
	a.info = info
	s.stream.post(AgentReady{info})
	s.open(a)
}

// capabilities are what parley really does.
func capabilities() acpclient.ClientCapabilities {
	yes := &acpclient.Supported{}
	return acpclient.ClientCapabilities{
		FS:       acpclient.FileSystemCapabilities{ReadTextFile: true, WriteTextFile: true},
		Terminal: true,
		Session: &acpclient.ClientSessionCapabilities{
			Compaction:    yes,
			ConfigOptions: &acpclient.SessionConfigOptionsCapabilities{Boolean: yes},
			Notices:       yes,
		},
		Meta: acpclient.Meta(`{"terminal_output":true}`),
	}
}

// refused ends an agent that did not come as far as a session.
func (s *Session) refused(a *agent, err error) {
	if isClosed(err) || s.ctx.Err() != nil {
		return // watch tells what happened
	}
	s.mu.Lock()
	s.agent = nil
	s.mu.Unlock()
	s.stream.post(AgentLost{Err: fmt.Errorf("the agent did not start a conversation: %w", err), Stderr: a.peer.Stderr()})
	a.client.Conn().Close()
	a.peer.Stop(s.ctx)
}

// watch waits for the end of the connection and tells how it came.
func (s *Session) watch(a *agent) {
	<-a.client.Conn().Done()
	grace := time.NewTimer(endGrace)
	defer grace.Stop()
	select {
	case <-a.peer.Done:
	case <-grace.C:
		a.peer.Stop(s.ctx)
	case <-s.ctx.Done():
	}
	s.mu.Lock()
	current := s.agent == a
	if current {
		s.agent, s.ready, s.running, s.cancelling = nil, false, false, false
		s.closeQuestions()
		s.waiting = nil
		if len(s.queue) > 0 {
			s.paused = true
			s.queueChanged()
		}
	}
	s.mu.Unlock()
	if current && s.ctx.Err() == nil {
		s.stream.post(AgentLost{Err: a.lost(), Stderr: a.peer.Stderr()})
	}
	a.peer.Stop(s.ctx) // what is left of its process group
}

// open opens the session in the way that the agent has for it.
func (s *Session) open(a *agent) {
	s.mu.Lock()
	id := s.id
	s.mu.Unlock()
	again := id != ""
	if !again {
		id = s.opt.ResumeID
	}
	caps := a.info.AgentCapabilities
	switch {
	case id == "":
		s.openNew(a)
	case again && caps.SessionCapabilities.Resume != nil:
		s.openResume(a, id)
	case caps.LoadSession:
		s.openLoad(a, id)
	case caps.SessionCapabilities.Resume != nil:
		s.openResume(a, id)
	case again:
		s.Said(acpclient.NoticeWarning, "The agent cannot go on with an earlier session", "It remembers nothing of what stands above.")
		s.openNew(a)
	default:
		s.stream.post(SessionFailed{errors.New("this agent can neither load nor resume a session: start without --resume")})
	}
}

func (s *Session) openNew(a *agent) {
	s.stream.post(SessionOpening{New})
	call(s, a, acpclient.SessionNew, &acpclient.NewSessionRequest{
		Cwd: s.opt.Cwd, AdditionalDirectories: s.directories(a), MCPServers: s.mcpServers(a),
	}, func(r *acpclient.NewSessionResponse, err error) {
		if err != nil {
			s.openFailed(err)
			return
		}
		a.attach(r.SessionID, s)
		s.openedAs(a, r.SessionID, r.SessionState)
	})
}

func (s *Session) openLoad(a *agent, id acpclient.SessionID) {
	a.attach(id, s)
	s.stream.post(SessionOpening{Load})
	call(s, a, acpclient.SessionLoad, &acpclient.LoadSessionRequest{
		SessionID: id, Cwd: s.opt.Cwd, AdditionalDirectories: s.directories(a), MCPServers: s.mcpServers(a),
	}, func(r *acpclient.LoadSessionResponse, err error) {
		if err != nil {
			s.openFailed(err)
			return
		}
		s.openedAs(a, id, r.SessionState)
	})
}

func (s *Session) openResume(a *agent, id acpclient.SessionID) {
	a.attach(id, s)
	s.stream.post(SessionOpening{Resume})
	call(s, a, acpclient.SessionResume, &acpclient.ResumeSessionRequest{
		SessionID: id, Cwd: s.opt.Cwd, AdditionalDirectories: s.directories(a), MCPServers: s.mcpServers(a),
	}, func(r *acpclient.ResumeSessionResponse, err error) {
		if err != nil {
			s.openFailed(err)
			return
		}
		s.openedAs(a, id, r.SessionState)
	})
}

func (s *Session) openFailed(err error) {
	if !isClosed(err) {
		s.stream.post(SessionFailed{err})
	}
}

func (s *Session) openedAs(a *agent, id acpclient.SessionID, state acpclient.SessionState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.id, s.ready = id, true
	s.stream.post(SessionOpened{ID: id, Cwd: s.opt.Cwd, State: state})
	s.sendNext()
}

// directories are the additional roots, if the agent takes them.
func (s *Session) directories(a *agent) []string {
	if len(s.opt.AdditionalDirectories) > 0 && a.info.AgentCapabilities.SessionCapabilities.AdditionalDirectories == nil {
		s.Said(acpclient.NoticeWarning, "The agent takes no additional directories",
			"It was not told of "+strings.Join(s.opt.AdditionalDirectories, ", ")+".")
		return nil
	}
	return s.opt.AdditionalDirectories
}

// mcpServers are the configured servers that the agent can connect to.
func (s *Session) mcpServers(a *agent) []acpclient.MCPServer {
	caps := a.info.AgentCapabilities.MCPCapabilities
	var take []acpclient.MCPServer
	var left []string
	for _, m := range s.opt.MCPServers {
		if m.Type == acpclient.MCPHTTP && !caps.HTTP || m.Type == acpclient.MCPSSE && !caps.SSE {
			left = append(left, fmt.Sprintf("%s (%s)", m.Name, m.Type))
			continue
		}
		take = append(take, m)
	}
	if len(left) > 0 {
		s.Said(acpclient.NoticeWarning, "Some MCP servers were left out",
			"The agent does not take the transport of "+strings.Join(left, ", ")+".")
	}
	return take
}

// isClosed reports that an error only says that the agent has gone.
func isClosed(err error) bool {
	return errors.Is(err, acpclient.ErrClosed) || errors.Is(err, context.Canceled)
}
