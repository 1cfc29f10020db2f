package host

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	files "parley/fs"
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

// Listen makes the socket of a session, and the key beside it that viewers have to show. The
// socket appears under its name when it can be connected to, so that nobody takes it for that
// of a host that has died.
func (h *Host) Listen() (net.Listener, error) {
	dir, err := Dir()
	if err == nil && len(dir) > config.MostRunDir {
		err = app.WithHint("Set XDG_RUNTIME_DIR to a shorter directory.",
			"the path of the directory of running sessions, %s, has %d bytes, and the system takes at most %d", dir, len(dir), config.MostRunDir)
	}
	if err != nil {
		return nil, err
	}
	s := &socket{path: filepath.Join(dir, h.opt.ID+socketEnd), key: filepath.Join(dir, h.opt.ID+keyEnd)}
	hidden := filepath.Join(dir, "."+h.opt.ID)
	s.UnixListener, err = net.ListenUnix("unix", &net.UnixAddr{Name: hidden, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("listen for viewers: %w", err)
	}
	s.SetUnlinkOnClose(false)
	key := rand.Text()
	err = writeKey(s.key, key)
	if err == nil {
		err = errors.Join(os.Chmod(hidden, 0o600), os.Rename(hidden, s.path))
	}
	if err != nil {
		return nil, errors.Join(err, s.UnixListener.Close(), os.Remove(hidden), os.RemoveAll(s.key))
	}
	return newDoor(s, key, h.opt.Version, h.ownPeer, h.opt.Log), nil
}

// keyEnd ends the names of the files with the keys of sessions.
const keyEnd = ".key"

// mostKey bounds what is read of a key, in bytes.
const mostKey = 256

// writeKey writes the key of a session into a new file.
func writeKey(path, key string) error {
	_ = os.Remove(path) // of a host with this id that was killed
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, config.FileMode)
	if err != nil {
		return fmt.Errorf("write the key of the session: %w", err)
	}
	_, err = f.WriteString(key)
	return errors.Join(err, f.Close())
}

func readKey(path string) (string, error) {
	f, err := files.OpenRegular(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	key, err := io.ReadAll(io.LimitReader(f, mostKey))
	return string(key), err
}

// socket is a listener that removes its file, and its key, when it is closed.
type socket struct {
	*net.UnixListener
	path, key string
}

// Close implements [net.Listener].
func (s *socket) Close() error {
	return errors.Join(os.Remove(s.path), os.Remove(s.key), s.UnixListener.Close())
}

// connect connects to the host of an id, see [Connect].
func connect(ctx context.Context, id string) (net.Conn, error) {
	dir, err := Dir()
	if err != nil {
		return nil, err
	}
	c, err := Connect(ctx, filepath.Join(dir, id+socketEnd))
	if err != nil {
		return nil, fmt.Errorf("session %s: %w", id, err)
	}
	return c, nil
}

// Connect connects to the host with this socket, and proves to be the user's. The error wraps
// [ErrGone] if there is none; what one that has died has left is removed.
func Connect(ctx context.Context, path string) (net.Conn, error) {
	key := strings.TrimSuffix(path, socketEnd) + keyEnd
	c, err := new(net.Dialer).DialContext(ctx, "unix", path)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		_, _ = os.Remove(path), os.Remove(key) // the next one tries again
		return nil, ErrGone
	case errors.Is(err, fs.ErrNotExist):
		return nil, ErrGone
	case err != nil:
		return nil, err
	}
	err = ownPeer(c)
	var secret string
	if err == nil {
		secret, err = readKey(key) // without one, the host says why that is not enough
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = prove(ctx, c, secret)
	}
	if err == nil {
		return c, nil
	}
	_ = c.Close()
	if _, there := os.Lstat(path); errors.Is(there, fs.ErrNotExist) {
		return nil, ErrGone // it has ended meanwhile
	}
	return nil, err
}

// askTime is how long a host has to say what it does.
const askTime = 2 * time.Second

// NoAnswer is what a host does that is stopped or busy.
const NoAnswer = "does not answer"

// List returns the sessions that run in hosts, the one that was busy last first. Of a host that
// does not answer in time, or refuses this parley, it says what is known without.
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
			soon, cancel := context.WithTimeout(ctx, askTime)
			defer cancel()
			s, err := StatusOf(soon, id)
			switch {
			case err == nil:
			case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
				s = silent(id, NoAnswer)
			case errors.As(err, new(refusedError)):
				s = silent(id, "refuses this parley")
			default:
				return
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, s)
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
	conn := acpclient.NewConn(over(c, mostToViewer), nobody{}, acpclient.ConnOptions{})
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
