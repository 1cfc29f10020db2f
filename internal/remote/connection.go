package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"parley/acpclient"
)

// closeTimeout is how long a server has to acknowledge the end of a connection.
const closeTimeout = time.Second

// wire is one way to carry messages. read and write are each called from one goroutine;
// close and abort from any, also while those block.
type wire interface {
	read() ([]byte, error)
	write(message []byte) error
	// close tells the server that the connection ends, and returns when it knows, or
	// when ctx ends. Blocked reads and writes then return an error.
	close(ctx context.Context)
	// connected reports whether a connection was ever made.
	connected() bool
}

// Connection is a connection to an agent, and an acpclient.Transport.
type Connection struct {
	to   string
	wire wire

	ending sync.Once
	done   chan struct{}

	mu   sync.Mutex
	err  error // why it was lost
	gone bool
}

var _ acpclient.Transport = (*Connection)(nil)

func newConnection(to string, w wire) *Connection {
	return &Connection{to: to, wire: w, done: make(chan struct{})}
}

// Read implements [acpclient.Transport]. Any error but [acpclient.ErrMessageRefused] ends the connection.
func (c *Connection) Read() ([]byte, error) {
	m, err := c.wire.read()
	if err != nil && !errors.Is(err, acpclient.ErrMessageRefused) {
		err = c.lost(err)
	}
	return m, err
}

// Write implements acpclient.Transport. It never repeats a message that failed, because
// it may have arrived.
func (c *Connection) Write(message []byte) error {
	if err := c.wire.write(message); err != nil {
		return c.lost(err)
	}
	return nil
}

// Close implements [acpclient.Transport]. It ends the connection in the background, once, and never fails.
func (c *Connection) Close() error {
	c.ending.Do(func() { go c.end(context.Background()) })
	return nil
}

// Stop ends the connection. It returns when the server knows, soon after if that does
// not answer, or at once when ctx ends.
func (c *Connection) Stop(ctx context.Context) {
	c.ending.Do(func() { go c.end(ctx) })
	<-c.done
}

func (c *Connection) end(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, closeTimeout)
	defer cancel()
	c.mu.Lock()
	if c.gone {
		cancel() // there is no server to notify
	}
	c.gone = true
	c.mu.Unlock()
	c.wire.close(ctx)
	close(c.done)
}

// Done is closed when the connection has ended.
func (c *Connection) Done() <-chan struct{} { return c.done }

// Err returns why the connection was lost, as an *Error; nil if it was not, or if this
// side ended it.
func (c *Connection) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// lost records the first reason why the connection was lost.
func (c *Connection) lost(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.gone {
		c.gone = true
		c.err = &Error{URL: c.to, Connected: c.wire.connected(), Err: plain(err)}
	}
	if c.err == nil {
		return net.ErrClosed // this side ended it
	}
	return c.err
}

// Error is the error of a connection to an agent.
type Error struct {
	// URL is where the agent listens, without secrets.
	URL string
	// Connected means that an existing connection was lost.
	Connected bool
	Err       error
}

// Error names the agent's address and what went wrong.
func (e *Error) Error() string {
	if e.Connected {
		return fmt.Sprintf("connection to %s lost: %v", e.URL, e.Err)
	}
	return fmt.Sprintf("cannot connect to %s: %v", e.URL, e.Err)
}

// Unwrap returns what went wrong.
func (e *Error) Unwrap() error { return e.Err }

// plain returns an error without the URL that net/http adds, which may hold secrets,
// and in plain words for known errors.
func plain(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the server closed it")
	case errors.Is(err, context.DeadlineExceeded):
		return errors.New("the server did not respond in time")
	}
	return err
}

// unexpected returns the error for an answer that violates the protocol. It removes
// secrets, because a server may repeat what it was sent.
func (a *Agent) unexpected(r *http.Response, want string) error {
	const most = 200 // bytes; the rest adds nothing
	said := ""
	if r.Body != nil {
		b, _ := io.ReadAll(io.LimitReader(r.Body, maxHeaders))
		line, _, _ := strings.Cut(strings.TrimSpace(a.secrets.Replace(string(b))), "\n")
		if line != "" && !strings.HasPrefix(line, "<") {
			said = " (" + strings.ToValidUTF8(line[:min(len(line), most)], "�") + ")"
		}
	}
	status := a.secrets.Replace(r.Status)
	switch {
	case r.StatusCode >= 300 && r.StatusCode < 400:
		to := "another address"
		if u, err := r.Location(); err == nil {
			to = shown(u)
		}
		return fmt.Errorf("the server redirects to %s; if you trust that address, use it as the URL", to)
	case r.StatusCode == http.StatusUnauthorized, r.StatusCode == http.StatusForbidden, r.StatusCode == http.StatusProxyAuthRequired:
		return fmt.Errorf("the server answered %s%s: it may want headers = { Authorization = \"…\" } in the agent's configuration", status, said)
	}
	return fmt.Errorf("the server answered %s%s where %s was expected", status, said, want)
}
