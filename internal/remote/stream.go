package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"parley/acpclient"
)

// errUnknownSession means that the server has no stream for a session.
var errUnknownSession = errors.New("unknown session")

// follow opens a stream unless it is open. It returns when the server has answered, or
// after streamGrace.
func (s *streamable) follow(session string) error {
	s.mu.Lock()
	st := s.streams[session]
	if st == nil {
		ctx, stop := context.WithCancel(s.ctx)
		st = &stream{session: session, opened: make(chan struct{}), stop: stop}
		s.streams[session] = st
		s.live++
		s.spawn(func() { s.run(ctx, st) })
	}
	s.mu.Unlock()
	late := time.NewTimer(streamGrace)
	defer late.Stop()
	select {
	case <-st.opened:
		return st.err
	case <-late.C:
		return nil
	case <-s.ctx.Done():
		return context.Cause(s.ctx)
	}
}

// run opens a stream and reads it to its end.
func (s *streamable) run(ctx context.Context, st *stream) {
	defer st.stop()
	answer, err := s.do(ctx, http.MethodGet, st.session, nil)
	if err == nil {
		defer answer.Body.Close()
		err = s.checkStream(answer, st)
	}
	if err != nil {
		st.err = err
		s.ended(st, err) // whoever waits for it may open another
		close(st.opened)
		return
	}
	close(st.opened)
	s.ended(st, s.receive(answer.Body))
}

// checkStream checks the answer that begins a stream.
func (s *streamable) checkStream(answer *http.Response, st *stream) error {
	switch {
	case answer.StatusCode == http.StatusNotFound && st.session != "":
		return errUnknownSession
	case answer.StatusCode != http.StatusOK:
		return s.agent.unexpected(answer, "a stream")
	case !isType(answer, "text/event-stream"):
		return fmt.Errorf("the server answered with the type %q where a stream was expected", answer.Header.Get("Content-Type"))
	}
	return nil
}

// receive delivers the messages of a stream until it ends.
func (s *streamable) receive(r io.Reader) error {
	e := newEvents(r, s.agent.opt.MaxMessage)
	for {
		message, err := e.next()
		switch {
		case err == nil:
			if err := s.look(message); err != nil {
				return err
			}
		case !errors.Is(err, acpclient.ErrMessageRefused):
			return err
		}
		s.deliver(arrival{message, err})
	}
}

// look extracts from a message of the agent what concerns the streams. A message
// without an id is a notification, as nearly all are.
func (s *streamable) look(message []byte) error {
	if !bytes.Contains(message, []byte(`"id"`)) {
		return nil
	}
	e := open(message)
	if len(e.ID) == 0 {
		return nil
	}
	id := string(e.ID)
	s.mu.Lock()
	if e.Method != "" {
		if e.Params.SessionID != "" {
			s.theirs[id] = e.Params.SessionID
		}
		s.mu.Unlock()
		return nil
	}
	request := s.asked[id]
	delete(s.asked, id)
	s.mu.Unlock()
	switch failed := len(e.Error) > 0; {
	case closes(request.method):
		s.leave(request.session, !failed)
		if !failed {
			s.unfollow(request.session)
		}
	case failed:
	case request.method == acpclient.SessionNew.Name, request.method == acpclient.SessionFork.Name:
		return s.followOpened(e.Result.SessionID)
	case request.method == acpclient.SessionLoad.Name, request.method == acpclient.SessionResume.Name:
		return s.followOpened(request.session)
	}
	return nil
}

// followOpened is follow for a session that the agent has just opened.
func (s *streamable) followOpened(session string) error {
	if session == "" {
		return nil
	}
	if err := s.follow(session); err != nil {
		return fmt.Errorf("the session %q opened without its stream: %v", session, err) // not wrapped: errUnknownSession must not be tolerated here
	}
	return nil
}

// closes reports whether a method ends a session.
func closes(method string) bool {
	return method == acpclient.SessionClose.Name || method == acpclient.SessionDelete.Name
}

// leave records whether the stream of a session may end.
func (s *streamable) leave(session string, left bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st := s.streams[session]; st != nil && session != "" {
		st.left = left
	}
}

// unfollow ends the stream of a session. Opening the session again gets a new stream,
// even if this one takes a moment to end.
func (s *streamable) unfollow(session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st := s.streams[session]; st != nil && session != "" {
		delete(s.streams, session)
		st.stop()
	}
}

// ended handles the end of a stream. Unless its session is closed, a stream must last
// as long as the connection, since nothing tells what was missed on a reopened one.
// What has arrived on the others is still read.
func (s *streamable) ended(st *stream, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.streams[st.session] == st {
		delete(s.streams, st.session)
	}
	s.live--
	if !errors.Is(err, errUnknownSession) && !st.left && s.ending == nil {
		s.ending = err
		late := time.AfterFunc(drainGrace, func() { s.cancel(err) })
		context.AfterFunc(s.ctx, func() { late.Stop() })
	}
	if s.ending != nil && s.live == 0 {
		s.cancel(s.ending)
	}
}
