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

// farewell is how long a server has to take the end of a connection.
const farewell = time.Second

// wire is one way of carrying messages. read and write are each called from one
// goroutine; close and abort from any, while they wait.
type wire interface {
	read() ([]byte, error)
	write(message []byte) error
	// close tells the server that the connection ends, and returns when it knows, or
	// when ctx ends. Reads and writes that wait return an error then.
	close(ctx context.Context)
	// connected reports whether there was a connection.
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

// Read implements acpclient.Transport.
func (c *Connection) Read() ([]byte, error) {
	m, err := c.wire.read()
	if err != nil && !errors.Is(err, acpclient.ErrMessageRefused) {
		err = c.lost(err)
	}
	return m, err
}

// Write implements acpclient.Transport. A message that was not taken is never sent
// again: nobody knows whether it has arrived.
func (c *Connection) Write(message []byte) error {
	if err := c.wire.write(message); err != nil {
		return c.lost(err)
	}
	return nil
}

// Close implements acpclient.Transport.
func (c *Connection) Close() error {
	c.ending.Do(func() { go c.end(context.Background()) })
	return nil
}

// Stop ends the connection, and returns when the server knows, or soon after if it does
// not listen, or at once when ctx ends.
func (c *Connection) Stop(ctx context.Context) {
	c.ending.Do(func() { go c.end(ctx) })
	<-c.done
}

func (c *Connection) end(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, farewell)
	defer cancel()
	c.mu.Lock()
	if c.gone {
		cancel() // there is nobody to be told
	}
	c.gone = true
	c.mu.Unlock()
	c.wire.close(ctx)
	close(c.done)
}

// Done is closed when the connection has ended.
func (c *Connection) Done() <-chan struct{} { return c.done }

// Err says why the connection was lost, as an *Error; nil if it was not, or was ended
// from this side.
func (c *Connection) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// lost notes why the connection was lost, if nothing is noted yet.
func (c *Connection) lost(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.gone {
		c.gone = true
		c.err = &Error{URL: c.to, Connected: c.wire.connected(), Err: plain(err)}
	}
	if c.err == nil {
		return net.ErrClosed // it was ended from this side
	}
	return c.err
}

// Error says what became of the connection to an agent.
type Error struct {
	// URL is where the agent listens, without what may be secret in it.
	URL string
	// Connected says that there was a connection, which is lost.
	Connected bool
	Err       error
}

// Error names the agent's address and what went wrong.
func (e *Error) Error() string {
	if e.Connected {
		return fmt.Sprintf("the connection to %s is lost: %v", e.URL, e.Err)
	}
	return fmt.Sprintf("cannot connect to %s: %v", e.URL, e.Err)
}

// Unwrap returns what went wrong.
func (e *Error) Unwrap() error { return e.Err }

// plain is an error without the URL that net/http puts into it, which may hold secrets,
// and in words where an error is known.
func plain(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the server closed it")
	case errors.Is(err, context.DeadlineExceeded):
		return errors.New("the server did not answer in time")
	}
	return err
}

// unexpected is the error of an answer that is not the one of the protocol. A server that
// repeats what it was sent does not have a secret shown.
func (a *Agent) unexpected(r *http.Response, want string) error {
	const most = 200 // bytes; what is left says nothing more
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
		return fmt.Errorf("the server sends on to %s, and redirects are not followed: if you trust that address, use it as the URL", to)
	case r.StatusCode == http.StatusUnauthorized, r.StatusCode == http.StatusForbidden, r.StatusCode == http.StatusProxyAuthRequired:
		return fmt.Errorf("the server answered %s%s: it may want headers = { Authorization = \"…\" } in the agent's configuration", status, said)
	}
	return fmt.Errorf("the server answered %s%s where %s was expected", status, said, want)
}
