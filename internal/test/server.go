package test

import (
	"context"
	"crypto/rand"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"

	"github.com/coder/websocket"
)

// Agent is an agent that reads and writes lines. It returns when in ends.
type Agent func(ctx context.Context, in io.Reader, out io.Writer)

// Command returns an agent that is a program, started for each connection.
func Command(env []string, name string, args ...string) Agent {
	return func(ctx context.Context, in io.Reader, out io.Writer) {
		cmd := exec.CommandContext(ctx, name, args...)
		cmd.Env = append(os.Environ(), env...)
		cmd.Stdout, cmd.Stderr = out, os.Stderr
		stdin, err := cmd.StdinPipe()
		if err != nil || cmd.Start() != nil {
			return
		}
		go func() {
			_, _ = io.Copy(stdin, in)
			_ = stdin.Close()
		}()
		_ = cmd.Wait()
	}
}

// Server serves an agent at every path over the protocol's network transports,
// WebSocket and streamable HTTP. The zero value with an Agent is usable.
type Server struct {
	Agent Agent
	// Seen, if set, is called with every request before it is served, from any
	// goroutine. It returns false if it has answered the request.
	Seen func(http.ResponseWriter, *http.Request) bool

	work sync.WaitGroup // requests and agents; none begin after down
	mu   sync.Mutex
	open map[string]*link
	down bool
}

// link is a connection with a client, and its running agent.
type link struct {
	id     string
	in     *io.PipeWriter
	out    *io.PipeReader
	cancel context.CancelFunc
	ctx    context.Context
	routes *routes // of streamable HTTP
}

// begin starts an agent for a connection.
func (s *Server) begin() *link {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	l := &link{id: rand.Text(), in: inW, out: outR}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	s.mu.Lock()
	if s.open == nil {
		s.open = map[string]*link{}
	}
	s.open[l.id] = l
	down := s.down
	s.mu.Unlock()
	s.work.Go(func() {
		s.Agent(l.ctx, inR, outW)
		_ = outW.Close()
		_ = inR.Close()
	})
	if down { // nothing else would end it
		s.end(l)
	}
	return l
}

// end ends the agent of a connection.
func (s *Server) end(l *link) {
	s.mu.Lock()
	delete(s.open, l.id)
	s.mu.Unlock()
	l.cancel() // first, so that the agent knows why its pipes are closed
	_ = l.in.Close()
	_ = l.out.Close()
}

func (s *Server) find(id string) *link {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open[id]
}

// Cut breaks all connections off, like a failing network.
func (s *Server) Cut() {
	s.mu.Lock()
	var all []*link
	for _, l := range s.open {
		all = append(all, l)
	}
	s.mu.Unlock()
	for _, l := range all {
		s.end(l)
	}
}

// Close ends all connections, and waits for their agents and for running requests.
func (s *Server) Close() {
	s.mu.Lock()
	s.down = true
	s.mu.Unlock()
	s.Cut()
	s.work.Wait()
}

// enter counts a request, or refuses it once the server is down.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.down {
		s.work.Add(1)
	}
	return !s.down
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.enter() {
		http.Error(w, "Service Unavailable", http.StatusServiceUnavailable)
		return
	}
	defer s.work.Done()
	if s.Seen != nil && !s.Seen(w, r) {
		return
	}
	switch {
	case r.Method == http.MethodGet && strings.EqualFold(r.Header.Get("Upgrade"), "websocket"):
		s.serveSocket(w, r)
	case r.Method == http.MethodGet:
		s.serveStream(w, r)
	case r.Method == http.MethodPost:
		s.servePost(w, r)
	case r.Method == http.MethodDelete:
		s.serveDelete(w, r)
	default:
		http.Error(w, "Method Not Allowed", http.StatusMethodNotAllowed)
	}
}

// serveSocket serves a connection over WebSocket.
func (s *Server) serveSocket(w http.ResponseWriter, r *http.Request) {
	l := s.begin()
	defer s.end(l)
	w.Header().Set("Acp-Connection-Id", l.id)
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer conn.CloseNow()
	stop := context.AfterFunc(l.ctx, func() { _ = conn.CloseNow() })
	defer stop()
	conn.SetReadLimit(-1)
	s.work.Go(func() {
		defer l.cancel()
		lines(l.out, func(line []byte) error { return conn.Write(l.ctx, websocket.MessageText, line) })
	})
	for {
		kind, message, err := conn.Read(context.Background())
		if err != nil {
			return
		}
		if kind != websocket.MessageText {
			continue
		}
		if _, err := l.in.Write(append(message, '\n')); err != nil {
			return
		}
	}
}

// Listen serves on a port of this machine, without TLS, until stop is called.
func (s *Server) Listen() (address string, stop func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: s}
	s.work.Go(func() { _ = server.Serve(listener) })
	return listener.Addr().String(), func() {
		_ = server.Close()
		s.Close()
	}, nil
}
