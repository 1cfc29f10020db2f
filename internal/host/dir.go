package host

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
)

// ErrGone means that the host has ended.
var ErrGone = app.ErrGone

// socketEnd ends the names of the hosts' sockets.
const socketEnd = ".sock"

// Dir returns the directory of the hosts' sockets, which is the user's alone, and makes it.
// It fails if somebody else could put something there.
func Dir() (string, error) {
	dir := config.RunDir()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make the directory of running sessions: %w", err)
	}
	if err := ownDir(dir); err != nil {
		return "", err
	}
	return dir, nil
}

// NewID makes the id of a session that begins.
func NewID() string { return strings.ToLower(rand.Text()[:8]) }

// Listen makes the socket of a session. It appears under its name when it can be connected
// to, so that nobody takes it for that of a host that has died.
func Listen(id string) (net.Listener, error) {
	dir, err := Dir()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, id+socketEnd)
	hidden := filepath.Join(dir, "."+id)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: hidden, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("listen for viewers: %w", err)
	}
	l.SetUnlinkOnClose(false)
	if err := errors.Join(os.Chmod(hidden, 0o600), os.Rename(hidden, path)); err != nil {
		return nil, errors.Join(err, l.Close(), os.Remove(hidden))
	}
	return &socket{l, path}, nil
}

// socket is a listener that removes its file when it is closed.
type socket struct {
	*net.UnixListener
	path string
}

// Close implements [net.Listener].
func (s *socket) Close() error {
	return errors.Join(os.Remove(s.path), s.UnixListener.Close())
}

// connect connects to the host of an id. The error wraps [ErrGone] if there is none; the
// socket of one that has died is removed.
func connect(ctx context.Context, id string) (net.Conn, error) {
	dir, err := Dir()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, id+socketEnd)
	c, err := new(net.Dialer).DialContext(ctx, "unix", path)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		_ = os.Remove(path) // the next one tries again
		return nil, fmt.Errorf("session %s: %w", id, ErrGone)
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("session %s: %w", id, ErrGone)
	case err != nil:
		return nil, err
	}
	if err := ownPeer(c); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// askTime is how long a host has to say what it does.
const askTime = 2 * time.Second

// List returns the sessions that run in hosts, the one that was busy last first. A host that
// does not answer is left out.
func List(ctx context.Context) ([]Status, error) {
	dir, err := Dir()
	if err != nil {
		return nil, err
	}
	names, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var all []Status
	var mu sync.Mutex
	var asking sync.WaitGroup
	for _, n := range names {
		id, is := strings.CutSuffix(n.Name(), socketEnd)
		if !is || strings.HasPrefix(id, ".") {
			continue
		}
		asking.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, askTime)
			defer cancel()
			if s, err := StatusOf(ctx, id); err == nil {
				mu.Lock()
				defer mu.Unlock()
				all = append(all, s)
			}
		})
	}
	asking.Wait()
	slices.SortFunc(all, func(a, b Status) int { return b.Since.Compare(a.Since) })
	return all, nil
}

// StatusOf returns what a host does.
func StatusOf(ctx context.Context, id string) (s Status, err error) {
	err = request(ctx, id, requestStatus, &s)
	return s, err
}

// End ends the session of a host, and waits until the host has ended.
func End(ctx context.Context, id string) error { return request(ctx, id, requestEnd, nil) }

// request asks a host for something without attaching to it.
func request(ctx context.Context, id, method string, result any) error {
	c, err := connect(ctx, id)
	if err != nil {
		return err
	}
	conn := acpclient.NewConn(over(c), nobody{}, acpclient.ConnOptions{})
	defer conn.Close()
	if err := call(ctx, conn, method, struct{}{}, result); err != nil {
		return err
	}
	if method == requestEnd {
		select {
		case <-conn.Done():
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// call is [acpclient.Conn.Call] for a result that is not of the protocol, so that the names
// of its members are those of package json.
func call(ctx context.Context, conn *acpclient.Conn, method string, params, result any) error {
	var raw json.RawMessage
	if err := conn.Call(ctx, method, params, &raw); err != nil || result == nil {
		return err
	}
	return json.Unmarshal(raw, result)
}

// nobody takes nothing from a host.
type nobody struct{}

// HandleNotification implements [acpclient.Receiver].
func (nobody) HandleNotification(context.Context, string, json.RawMessage) {}

// HandleRequest implements [acpclient.Receiver].
func (nobody) HandleRequest(_ context.Context, method string, _ json.RawMessage) (any, error) {
	return nil, &acpclient.Error{Code: acpclient.CodeMethodNotFound, Message: method + " is not known"}
}
