package session

import (
	"errors"

	"parley/acpclient"
)

// blockedCall is a call that the agent refused until the person has signed in.
// Both functions are called with Session.mu held, one of them and once.
type blockedCall struct {
	again  func()
	giveUp func()
	callKind
}

// callKind says what a call means beyond its method.
type callKind struct {
	opening bool // it opens a session
	// forgotten, if set, is called before the call is done again after the
	// transcript was emptied.
	forgotten func()
	// gone, if set, is called when the agent has gone and nobody can do it again.
	gone func()
}

// call sends a request to the agent of this epoch; s.mu is held, and done is
// called with s.mu held, where the answer stands among the updates. When another
// epoch has begun, or the agent has gone, it is not called at all: what ended
// the epoch has said so. If the agent wants the person to sign in first, the
// call waits for that and is made once more, with params as they are then; the
// second refusal counts.
func call[P, R any](s *Session, m acpclient.Method[P, R], params func() *P, done func(*R, error), kind callKind) {
	request(s, m, params, func(r *R, err error) {
		if !acpclient.IsCode(err, acpclient.CodeAuthRequired) {
			done(r, err)
			return
		}
		s.block(err, blockedCall{
			again:    func() { request(s, m, params, done) },
			giveUp:   func() { done(nil, err) },
			callKind: kind,
		})
	})
}

// request is call without a second try.
func request[P, R any](s *Session, m acpclient.Method[P, R], params func() *P, done func(*R, error)) {
	a, epoch, p := s.agent, s.epoch, params()
	s.outbox = append(s.outbox, func() {
		acpclient.Go(a.client.Conn(), m, p, func(r *R, err error) {
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

// isClosed reports an error that only says that the agent has gone.
func isClosed(err error) bool { return errors.Is(err, acpclient.ErrClosed) }
