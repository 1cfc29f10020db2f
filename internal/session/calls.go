package session

import (
	"errors"

	"parley/acpclient"
)

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
		acpclient.GoWith(a.client, m, p, func(r *R, err error) {
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

// isClosed reports whether an error only says that the agent exited.
func isClosed(err error) bool { return errors.Is(err, acpclient.ErrClosed) }
