package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"unicode/utf8"

	"parley/acpclient"
)

// Running is a running agent, or the connection to one that listens.
type Running struct {
	Stdin  io.WriteCloser
	Stdout io.Reader
	// Done is closed when the agent has exited. ExitCode is valid after that; it is -1 if a
	// signal ended the agent.
	Done     <-chan struct{}
	ExitCode func() int
	// Lost says why the connection to an agent that listens was lost. It is nil for an
	// agent that was started.
	Lost func() error
	// Unordered says that messages may arrive in another order than they were sent in.
	Unordered bool
	// Stop ends the agent, by force when ctx ends.
	Stop func(ctx context.Context)
}

// listens reports whether the agent listens on the network.
func (r *Running) listens() bool { return r.Lost != nil }

// Process starts an agent's command. It makes an Options.Start.
func Process(c acpclient.Command) func(stderr io.Writer) (*Running, error) {
	return func(stderr io.Writer) (*Running, error) {
		c := c
		c.Stderr = stderr
		p, err := acpclient.StartProcess(c)
		if err != nil {
			return nil, err
		}
		code := func() int {
			if end, ok := p.Err().(*acpclient.ExitError); ok && end != nil {
				return end.State.ExitCode()
			}
			return -1
		}
		return &Running{
			Stdin: p.Stdin, Stdout: p.Stdout, Done: p.Done(), ExitCode: code,
			Stop: func(ctx context.Context) { p.Stop(ctx); _ = p.Stdout.Close() },
		}, nil
	}
}

// Connection is a connection to an agent that listens.
type Connection interface {
	acpclient.Transport
	// Done is closed when the connection has ended. Err says why it was lost; it is nil
	// otherwise.
	Done() <-chan struct{}
	Err() error
	// Stop ends it, by force when ctx ends.
	Stop(ctx context.Context)
}

// Listener connects to an agent that listens. It makes an Options.Start. ordered says
// whether messages arrive in the order they were sent in.
func Listener(connect func() Connection, ordered bool) func(stderr io.Writer) (*Running, error) {
	return func(stderr io.Writer) (*Running, error) {
		c := connect()
		stdout, lines := io.Pipe()
		go receive(c, lines, stderr)
		return &Running{
			Stdin: sender{c}, Stdout: stdout, Done: c.Done(), ExitCode: func() int { return -1 }, Lost: c.Err, Unordered: !ordered,
			Stop: func(ctx context.Context) { c.Stop(ctx); _ = stdout.Close() },
		}, nil
	}
}

// receive writes the messages of a connection as lines until it ends.
func receive(c Connection, lines *io.PipeWriter, stderr io.Writer) {
	for {
		message, err := c.Read()
		switch {
		case errors.Is(err, acpclient.ErrMessageRefused):
			fmt.Fprintln(stderr, err) // for the report
			continue
		case err != nil:
			_ = c.Close()
			_ = lines.Close()
			return
		}
		if _, err := lines.Write(line(message)); err != nil {
			return // the reader has closed it
		}
	}
}

// line returns a message as a line. A message from the network may contain line ends.
func line(message []byte) []byte {
	if bytes.ContainsAny(message, "\r\n") {
		var compact bytes.Buffer
		if json.Compact(&compact, message) == nil {
			return append(compact.Bytes(), '\n')
		}
		message = bytes.Join(bytes.Fields(message), []byte(" "))
	}
	return append(bytes.Clone(message), '\n')
}

// sender sends each line as a message.
type sender struct{ to Connection }

// Write implements io.Writer for one line at a time.
func (s sender) Write(line []byte) (int, error) {
	if err := s.to.Write(bytes.Clone(bytes.TrimSuffix(line, []byte("\n")))); err != nil {
		return 0, err
	}
	return len(line), nil
}

// Close implements io.Closer. Stop ends the connection itself.
func (s sender) Close() error { return nil }

// tail keeps the end of what is written to it. It is safe for concurrent use.
type tail struct {
	mu      sync.Mutex
	data    []byte
	written int // bytes in all
	mark    int // of these, before the last request
}

// maxStderr is how much of an agent's stderr is kept, in bytes.
const maxStderr = 8 << 10

// Write implements io.Writer. It never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.written += len(p)
	t.data = append(t.data, p...)
	if over := len(t.data) - maxStderr; over > 0 {
		for over < len(t.data) && !utf8.RuneStart(t.data[over]) {
			over++ // a whole character
		}
		t.data = bytes.Clone(t.data[over:])
	}
	return len(p), nil
}

// String returns all that is kept.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.data)
}

// begin marks where a request begins.
func (t *tail) begin() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.mark = t.written
}

// since returns what was written since the last request, as far as it is kept.
func (t *tail) since() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.data[max(0, len(t.data)-(t.written-t.mark)):])
}
