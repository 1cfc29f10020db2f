package session

import (
	"parley/acpclient"
)

// blockedCall is a call that the agent refused until the person has signed in.
type blockedCall struct {
	again  func()
	giveUp func()
}

// call sends a request whose answer is handled where it stands among the
// updates. If the agent wants the person to sign in first, the call waits for
// that and is made once more; the second refusal counts.
func call[P, R any](s *Session, a *agent, m acpclient.Method[P, R], params *P, done func(*R, error)) {
	acpclient.Go(a.client.Conn(), m, params, func(r *R, err error) {
		if !acpclient.IsCode(err, acpclient.CodeAuthRequired) {
			done(r, err)
			return
		}
		s.mu.Lock()
		s.waiting = append(s.waiting, blockedCall{
			again:  func() { acpclient.Go(s.connection(a), m, params, done) },
			giveUp: func() { done(nil, err) },
		})
		s.mu.Unlock()
		s.stream.post(AuthRequired{err})
	})
}

// connection is the connection of the agent that runs now: signing in on a
// terminal may have started it again.
func (s *Session) connection(a *agent) *acpclient.Conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.agent != nil {
		a = s.agent
	}
	return a.client.Conn()
}

func (s *Session) takeBlocked() []blockedCall {
	s.mu.Lock()
	defer s.mu.Unlock()
	calls := s.waiting
	s.waiting = nil
	return calls
}

// dropBlocked gives up what waits for signing in; s.mu is held.
func (s *Session) dropBlocked() {
	calls := s.waiting
	s.waiting = nil
	for _, c := range calls {
		s.work.Go(c.giveUp)
	}
}

// Authenticate signs in with a method of the agent's own. What waited for it is
// done again when it has succeeded.
func (s *Session) Authenticate(id acpclient.AuthMethodID) {
	a := s.current()
	if a == nil {
		return
	}
	acpclient.Go(a.client.Conn(), acpclient.Authenticate, &acpclient.AuthenticateRequest{MethodID: id},
		func(_ *acpclient.AuthenticateResponse, err error) {
			s.stream.post(AuthDone{Method: id, Err: err})
			if err == nil {
				for _, c := range s.takeBlocked() {
					c.again()
				}
			}
		})
}

// DismissAuth gives up what waits for signing in.
func (s *Session) DismissAuth() {
	for _, c := range s.takeBlocked() {
		c.giveUp()
	}
	s.stream.post(AuthDone{})
}

// SetMode switches the mode by session/set_mode.
func (s *Session) SetMode(mode acpclient.SessionModeID) {
	a, id, seq := s.next()
	if a == nil {
		return
	}
	s.stream.post(ModeChosen{seq, mode})
	call(s, a, acpclient.SessionSetMode, &acpclient.SetSessionModeRequest{SessionID: id, ModeID: mode},
		func(_ *acpclient.SetSessionModeResponse, err error) {
			if !isClosed(err) {
				s.stream.post(ModeSettled{seq, mode, err})
			}
		})
}

// SetOption sets a config option.
func (s *Session) SetOption(option acpclient.ConfigID, value acpclient.ConfigValue) {
	a, id, seq := s.next()
	if a == nil {
		return
	}
	s.stream.post(OptionChosen{seq, option, value})
	call(s, a, acpclient.SessionSetConfigOption, &acpclient.SetSessionConfigOptionRequest{SessionID: id, ConfigID: option, Value: value},
		func(r *acpclient.SetSessionConfigOptionResponse, err error) {
			if isClosed(err) {
				return
			}
			e := OptionSettled{Seq: seq, Option: option, Err: err}
			if r != nil {
				e.Options = r.ConfigOptions
			}
			s.stream.post(e)
		})
}

// SetModel switches the model by the older session/set_model.
func (s *Session) SetModel(model string) {
	a, id, seq := s.next()
	if a == nil {
		return
	}
	call(s, a, acpclient.SessionSetModel, &acpclient.SetSessionModelRequest{SessionID: id, ModelID: model},
		func(_ *acpclient.SetSessionModelResponse, err error) {
			if !isClosed(err) {
				s.stream.post(ModelSettled{seq, model, err})
			}
		})
}

// next returns the open session's agent and id, and a number for what is sent
// to it. The agent is nil if no session is open.
func (s *Session) next() (*agent, acpclient.SessionID, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ready {
		return nil, "", 0
	}
	s.seq++
	return s.agent, s.id, s.seq
}

// current is the agent that runs now, nil if none does.
func (s *Session) current() *agent {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.agent
}

// Kill stops the agent's process, without asking it to end the turn first. The
// loss is told as any other.
func (s *Session) Kill() {
	if a := s.current(); a != nil {
		s.work.Go(func() { a.peer.Stop(s.ctx) })
	}
}
