package remote

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"parley/acpclient"
)

const (
	// streamBuffer limits the bytes of a stream that wait on this side to be read.
	streamBuffer = 1 << 20
	// streamGrace is how long to wait for a stream to begin: some servers send the head
	// of an answer only with its first bytes.
	streamGrace = 2 * time.Second
	// drainGrace is how long to keep reading what has arrived when a stream has ended.
	drainGrace = time.Second
)

// streamable carries messages over streamable HTTP. Each message to the agent is a
// POST, sent after the previous one was accepted, so that the agent gets them in order.
// Messages from the agent come on streams: one for the connection, and one for each
// session. The protocol keeps the order within a stream, but not between two. A stream
// that is not read makes the server wait.
type streamable struct {
	agent  *Agent
	ctx    context.Context // ends with the connection
	cancel context.CancelCauseFunc
	work   sync.WaitGroup

	incoming chan arrival

	mu      sync.Mutex
	client  *http.Client
	closed  bool   // starts nothing new
	id      string // of the connection; "" before there is one
	streams map[string]*stream
	live    int
	ending  error                     // why the first stream ended unexpectedly
	pending map[string]pendingRequest // our requests without an answer, by id
	theirs  map[string]string         // the sessions of the agent's pending requests, by id
}

// pendingRequest is a request of ours.
type pendingRequest struct{ method, session string }

// arrival is a message of the agent, or its error.
type arrival struct {
	message []byte
	err     error
}

type stream struct {
	session string        // "" for the connection's own
	opened  chan struct{} // closed when the server has answered
	err     error         // of opening it
	stop    context.CancelFunc
	left    bool // the session is closed, so its stream may end
}

func newStreamable(a *Agent) *streamable {
	s := &streamable{
		agent: a, incoming: make(chan arrival), streams: map[string]*stream{},
		pending: map[string]pendingRequest{}, theirs: map[string]string{},
	}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	s.client = s.newClient(false)
	return s
}

// newClient creates the client. Without TLS it speaks HTTP/1.1, which most local
// servers do, or with two set HTTP/2.
func (s *streamable) newClient(two bool) *http.Client {
	t := s.agent.transport()
	t.Protocols = new(http.Protocols)
	t.Protocols.SetHTTP1(!two)
	t.Protocols.SetHTTP2(true)
	t.Protocols.SetUnencryptedHTTP2(two)
	t.HTTP2 = &http.HTTP2Config{
		MaxReceiveBufferPerStream: streamBuffer,
		SendPingTimeout:           s.agent.pingEvery, PingTimeout: s.agent.pingPatience,
	}
	return s.agent.client(t)
}

// spawn runs f in a goroutine, unless the connection is closed. s.mu must be held.
func (s *streamable) spawn(f func()) {
	if !s.closed {
		s.work.Go(f)
	}
}

// deliverSoon delivers a message in the background. s.mu must not be held.
func (s *streamable) deliverSoon(message []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spawn(func() { s.deliver(arrival{message: message}) })
}

func (s *streamable) connected() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.id != ""
}

func (s *streamable) read() ([]byte, error) {
	select {
	case a := <-s.incoming:
		return a.message, a.err
	default:
	}
	select {
	case a := <-s.incoming:
		return a.message, a.err
	case <-s.ctx.Done():
		return nil, context.Cause(s.ctx)
	}
}

// deliver waits until an arrival is read.
func (s *streamable) deliver(a arrival) {
	select {
	case s.incoming <- a:
	case <-s.ctx.Done():
	}
}

// envelope holds the fields of a message that decide how to send it.
type envelope struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		SessionID string `json:"sessionId"`
	} `json:"params"`
	Result struct {
		SessionID string `json:"sessionId"`
	} `json:"result"`
	Error json.RawMessage `json:"error"`
}

// open reads an envelope. Fields that do not parse stay empty.
func open(message []byte) (e envelope) {
	_ = json.Unmarshal(message, &e)
	return e
}

func (s *streamable) write(message []byte) error {
	if cause := context.Cause(s.ctx); cause != nil {
		return cause
	}
	e := open(message)
	if e.Method == acpclient.Initialize.Name && !s.connected() {
		return s.initialize(message)
	}
	session := e.Params.SessionID
	s.mu.Lock()
	switch {
	case e.Method == "":
		session = s.theirs[string(e.ID)]
		delete(s.theirs, string(e.ID))
	case len(e.ID) > 0:
		s.pending[string(e.ID)] = pendingRequest{e.Method, session}
	}
	s.mu.Unlock()
	follows := e.Method != "" && session != ""
	if follows {
		// A server may not know the session before it gets the message.
		err := s.follow(session)
		if follows = errors.Is(err, errUnknownSession); err != nil && !follows {
			return err
		}
	}
	if closes(e.Method) {
		s.leave(session, true)
	}
	if err := s.post(message, e, session); err != nil || !follows {
		return err
	}
	// By now the server knows the session, if ever: the answer may come on its stream.
	if err := s.follow(session); err != nil && !errors.Is(err, errUnknownSession) {
		return err
	}
	return nil
}

// post sends a message and waits until the server has accepted it.
func (s *streamable) post(message []byte, e envelope, session string) error {
	answer, err := s.do(s.ctx, http.MethodPost, session, message)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	switch code := answer.StatusCode; {
	case code >= 200 && code < 300:
		_, _ = io.CopyN(io.Discard, answer.Body, maxHeaders) // so that the connection can be reused
		return nil
	case code >= 400 && code < 500 && code != http.StatusNotFound && code != http.StatusGone && e.Method != "" && len(e.ID) > 0:
		// The server rejected this request; others may well succeed.
		s.refuse(e, s.agent.unexpected(answer, "202 Accepted"))
		return nil
	}
	return s.agent.unexpected(answer, "202 Accepted")
}

// refuse answers a request in place of the agent, which did not get it.
func (s *streamable) refuse(e envelope, why error) {
	s.mu.Lock()
	delete(s.pending, string(e.ID))
	s.mu.Unlock()
	if closes(e.Method) {
		s.leave(e.Params.SessionID, false)
	}
	message, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": e.ID,
		"error": acpclient.Error{Code: acpclient.CodeInternalError, Message: why.Error()},
	})
	if err == nil {
		s.deliverSoon(message)
	}
}

// do makes a request. message may be nil.
func (s *streamable) do(ctx context.Context, method, session string, message []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, s.agent.url.String(), bytes.NewReader(message))
	if err != nil {
		return nil, err
	}
	if message == nil {
		r.Body, r.GetBody = nil, nil
	}
	r.Header = s.agent.headers.Clone()
	s.mu.Lock()
	id, client := s.id, s.client
	s.mu.Unlock()
	for name, value := range map[string]string{headerConnection: id, headerSession: session} {
		if r.Header.Del(name); value != "" {
			r.Header.Set(name, value)
		}
	}
	switch method {
	case http.MethodPost:
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
	case http.MethodGet:
		r.Header.Set("Accept", "text/event-stream")
	}
	return client.Do(r)
}

// initialize makes the connection: the answer to the first message names it.
func (s *streamable) initialize(message []byte) error {
	answer, err := s.do(s.ctx, http.MethodPost, "", message)
	if err != nil && !secure(s.agent.url) && strings.Contains(err.Error(), "malformed HTTP") {
		s.mu.Lock()
		s.client.CloseIdleConnections()
		s.client = s.newClient(true)
		s.mu.Unlock()
		answer, err = s.do(s.ctx, http.MethodPost, "", message)
	}
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	id := answer.Header.Get(headerConnection)
	switch {
	case answer.StatusCode != http.StatusOK:
		return s.agent.unexpected(answer, "200 OK")
	case !isType(answer, "application/json"):
		return fmt.Errorf("the server answered with the type %q where JSON was expected: is it an agent's address?", answer.Header.Get("Content-Type"))
	case id == "":
		return fmt.Errorf("the server did not send a connection id (%s is missing): is it an agent's address?", headerConnection)
	}
	bound := int64(s.agent.opt.MaxMessage)
	first, err := io.ReadAll(io.LimitReader(answer.Body, bound+1))
	if err != nil {
		return err
	}
	if int64(len(first)) > bound {
		return fmt.Errorf("the agent's first answer is longer than %d bytes", bound)
	}
	s.mu.Lock()
	s.id = id
	s.mu.Unlock()
	if err := s.follow(""); err != nil {
		return err
	}
	s.deliverSoon(first)
	return nil
}

func isType(r *http.Response, want string) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == want
}

func (s *streamable) close(ctx context.Context) {
	if s.connected() && ctx.Err() == nil {
		if answer, err := s.do(ctx, http.MethodDelete, "", nil); err == nil { // best effort
			_ = answer.Body.Close()
		}
	}
	s.cancel(net.ErrClosed)
	s.mu.Lock()
	s.closed = true
	client := s.client
	s.mu.Unlock()
	s.work.Wait()
	client.CloseIdleConnections()
}

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
		switch {
		case answer.StatusCode == http.StatusNotFound && st.session != "":
			err = errUnknownSession
		case answer.StatusCode != http.StatusOK:
			err = s.agent.unexpected(answer, "a stream")
		case !isType(answer, "text/event-stream"):
			err = fmt.Errorf("the server answered with the type %q where a stream was expected", answer.Header.Get("Content-Type"))
		}
	}
	if err != nil {
		st.err = err
		s.ended(st, err) // a waiting caller may open another
		close(st.opened)
		return
	}
	close(st.opened)
	s.ended(st, s.receive(answer.Body, st.session))
}

// receive delivers the messages of a session's stream until it ends.
func (s *streamable) receive(r io.Reader, session string) error {
	e := newEvents(r, s.agent.opt.MaxMessage)
	for {
		message, err := e.next()
		seen := message
		if refused, is := errors.AsType[*acpclient.Refusal](err); is {
			seen = refused.Outline()
		} else if err != nil {
			return err
		}
		if err := s.look(seen, session); err != nil {
			return err
		}
		s.deliver(arrival{message, err})
	}
}

// look extracts from a message of the agent what concerns the streams: of one that is refused, from its outline.
// A message without an id is a notification, as nearly all are.
func (s *streamable) look(message []byte, session string) error {
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
		if session = cmp.Or(e.Params.SessionID, session); session != "" {
			s.theirs[id] = session
		}
		s.mu.Unlock()
		return nil
	}
	request := s.pending[id]
	delete(s.pending, id)
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

// events reads the messages of a stream of server-sent events: one from the data of
// each event. It skips everything else, such as keep-alive comments.
type events struct {
	r   *bufio.Reader
	max int // bytes of a message

	middle bool // the next bytes continue a line
	skip   bool // that line is not data
}

func newEvents(r io.Reader, most int) *events {
	return &events{r: bufio.NewReaderSize(r, readBuffer), max: most}
}

// next waits for the next message. It refuses only a message that is too long, not the
// stream. As the format requires, it drops what follows the last complete event.
func (e *events) next() ([]byte, error) {
	data, has := acpclient.Joined{Limit: e.max}, false
	for {
		part, err := e.r.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
		whole := err == nil
		if whole {
			part = bytes.TrimSuffix(part[:len(part)-1], []byte("\r"))
		}
		if !e.middle {
			if whole && len(part) == 0 && has {
				return data.Take()
			}
			value, ok := bytes.CutPrefix(part, []byte("data:"))
			if part, e.skip = bytes.TrimPrefix(value, []byte(" ")), !ok; ok && has {
				_, _ = data.Write([]byte("\n"))
			}
			has = has || ok
		}
		if !e.skip {
			_, _ = data.Write(part)
		}
		e.middle = !whole
	}
}
