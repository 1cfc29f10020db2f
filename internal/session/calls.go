package session

import (
	"errors"

	"parley/acpclient"
)

// blockedCall is a call that the agent refused because the person has to sign in
// first. One of its functions is called in the end, once and with Session.mu held.
type blockedCall struct {
	again  func() // makes the call once more
	giveUp func() // takes the refusal for the answer
	callHooks
}

// callHooks are what a call needs besides its answer while it waits for the person
// to sign in. All of them are called with Session.mu held.
type callHooks struct {
	// opens says that the call opens a session.
	opens bool
	// emptied, if set, is called before the call is made again if the transcript
	// was emptied meanwhile.
	emptied func()
	// agentGone, if set, is called if the agent goes before the call is made again.
	agentGone func()
}

// call sends a request to the agent; s.mu is held. done is called with s.mu held,
// in the order of the wire. It is not called at all if another epoch has begun or
// the agent has gone: the stream says so by then. If the agent wants the person to
// sign in first, the call waits for that and is made once more, with new params; a
// second refusal is its answer.
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

// request is call for what is made once only.
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

// isClosed reports an error that only says that the agent has gone.
func isClosed(err error) bool { return errors.Is(err, acpclient.ErrClosed) }
