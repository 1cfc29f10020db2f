package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"parley/acpclient"
)

const (
	// readBuffer is the initial buffer for a message.
	readBuffer = 64 << 10
)

// socket carries messages over WebSocket, each as one text message. It reads from the
// network only inside read, so that a slow reader makes the server wait.
type socket struct {
	agent  *Agent
	ctx    context.Context // ends with the connection
	cancel context.CancelCauseFunc

	ready chan struct{}   // closed when there is a connection, or an error
	conn  *websocket.Conn // nil on error
	err   error
	raw   atomic.Pointer[net.Conn] // the underlying connection

	buf     []byte
	joined  acpclient.Joined
	waiting atomic.Bool  // a read waits for the network
	moved   atomic.Int64 // counts incoming bytes, and outgoing bytes of messages
}

func newSocket(a *Agent) *socket {
	s := &socket{agent: a, ready: make(chan struct{}), buf: make([]byte, readBuffer)}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	go func() {
		s.conn, s.err = s.dial()
		close(s.ready)
		if s.err == nil {
			s.keepAlive()
		}
	}()
	return s
}

func (s *socket) dial() (*websocket.Conn, error) {
	ctx, cancel := context.WithTimeout(s.ctx, connectPatience)
	defer cancel()
	t := s.agent.transport()
	dial := t.DialContext
	t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		s.raw.Store(&c)
		return moving{c, &s.moved}, nil
	}
	t.Protocols = new(http.Protocols)
	t.Protocols.SetHTTP1(true) // only HTTP/1.1 can be upgraded
	conn, answer, err := websocket.Dial(ctx, s.agent.url.String(), &websocket.DialOptions{
		HTTPClient: s.agent.client(t), HTTPHeader: s.agent.headers.Clone(),
	})
	if err != nil && answer != nil && answer.StatusCode != http.StatusSwitchingProtocols {
		err = s.agent.unexpected(answer, "a WebSocket")
	}
	if err != nil {
		t.CloseIdleConnections()
		return nil, err
	}
	conn.SetReadLimit(-1) // read enforces the bound
	return conn, nil
}

func (s *socket) connected() bool {
	select {
	case <-s.ready:
		return s.conn != nil
	default:
		return false
	}
}

func (s *socket) open() error {
	select {
	case <-s.ready:
		return s.err
	case <-s.ctx.Done():
		return context.Cause(s.ctx)
	}
}

func (s *socket) read() ([]byte, error) {
	if err := s.open(); err != nil {
		return nil, err
	}
	s.waiting.Store(true)
	defer s.waiting.Store(false)
	for {
		kind, r, err := s.conn.Reader(context.Background())
		if err != nil {
			return nil, s.cause(err)
		}
		if kind == websocket.MessageText {
			return s.message(r)
		}
		if _, err := io.Copy(io.Discard, r); err != nil {
			return nil, s.cause(err)
		}
	}
}

// message reads a message, or refuses one that is too long.
func (s *socket) message(r io.Reader) ([]byte, error) {
	s.joined.Limit = s.agent.opt.MaxMessage
	if _, err := io.CopyBuffer(&s.joined, r, s.buf); err != nil {
		return nil, s.cause(err)
	}
	return s.joined.Take()
}

// moving is a connection that counts bytes, so that a slow message is not mistaken for
// silence.
type moving struct {
	net.Conn
	count *atomic.Int64
}

// longestPing is more bytes than a ping takes on the wire, even with TLS. The pieces of
// a message are longer, except the last.
const longestPing = 512

func (m moving) Read(b []byte) (int, error) {
	n, err := m.Conn.Read(b)
	m.count.Add(int64(n))
	return n, err
}

// Write implements net.Conn. It does not count pings, which say nothing about the
// server.
func (m moving) Write(b []byte) (int, error) {
	n, err := m.Conn.Write(b)
	if n > longestPing {
		m.count.Add(int64(n))
	}
	return n, err
}

func (s *socket) write(message []byte) error {
	if err := s.open(); err != nil {
		return err
	}
	if err := s.conn.Write(context.Background(), websocket.MessageText, message); err != nil {
		return s.cause(err)
	}
	return nil
}

// cause returns why a read or write failed: the reason why the connection was given up,
// or else the error itself.
func (s *socket) cause(err error) error {
	if gaveUp := context.Cause(s.ctx); gaveUp != nil {
		return gaveUp
	}
	if end, is := errors.AsType[websocket.CloseError](err); is {
		if end.Reason != "" {
			return fmt.Errorf("the server closed it: %s", end.Reason)
		}
		return fmt.Errorf("the server closed it (code %d)", int(end.Code))
	}
	return err
}

// errSilent is the reason for giving up a connection without answers.
var errSilent = errors.New("the server stopped responding")

// keepAlive pings a silent server until the connection ends. It also shows proxies that
// the connection is in use.
func (s *socket) keepAlive() {
	tick := time.NewTicker(s.agent.pingEvery)
	defer tick.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-tick.C:
			s.ask()
		}
	}
}

// ask pings the server, and gives the connection up if nothing arrives in time. It does
// nothing while nothing is read, because the answer could not be seen.
func (s *socket) ask() {
	if !s.waiting.Load() {
		return
	}
	ctx, enough := context.WithCancel(s.ctx)
	defer enough()
	before := s.moved.Load()
	late := time.AfterFunc(s.agent.pingPatience, func() {
		if s.waiting.Load() && s.moved.Load() == before {
			s.cancel(errSilent) // before closing, so that reads and writes return this reason
			s.abort()
		}
		enough()
	})
	defer late.Stop()
	// A ping waits only some seconds for a message that is being written.
	for errors.Is(s.conn.Ping(ctx), context.DeadlineExceeded) {
	}
}

// abort ends the connection without notice.
func (s *socket) abort() {
	if raw := s.raw.Load(); raw != nil {
		_ = (*raw).Close() // best effort
	}
}

func (s *socket) close(ctx context.Context) {
	s.cancel(net.ErrClosed)
	<-s.ready
	if s.conn == nil {
		return
	}
	stop := context.AfterFunc(ctx, s.abort)
	defer stop()
	_ = s.conn.Close(websocket.StatusNormalClosure, "") // it ends in any case
}
