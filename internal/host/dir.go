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
	files "parley/fs"
	"parley/internal/app"
)

// ErrGone means that the host has ended.
var ErrGone = app.ErrGone

// socketEnd is the extension of the hosts' sockets.
const socketEnd = ".sock"

// Dir creates and returns the directory of the hosts' sockets, which only the user can access.
// It fails if anyone else could write there.
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

// NewID returns an id for a new session.
func NewID() string { return strings.ToLower(rand.Text()[:8]) }

// Listen creates the socket of a session, and beside it the key that viewers must show. The
// socket gets its name only once it accepts connections, so that no one mistakes it for that
// of a dead host.
func (h *Host) Listen() (net.Listener, error) {
	dir, err := socketDir()
	if err != nil {
		return nil, err
	}
	s, err := listenIn(dir, h.opt.ID, socketEnd, h.admits, h.refused)
	if err != nil {
		return nil, fmt.Errorf("listen for viewers: %w", err)
	}
	return s, nil
}

// socketDir is Dir, and fails if the system takes no socket there.
func socketDir() (string, error) {
	dir, err := Dir()
	if err == nil && len(dir) > config.MostRunDir {
		err = app.WithHint("Set XDG_RUNTIME_DIR to a shorter directory.",
			"the path of the directory of running sessions, %s, has %d bytes, and the system takes at most %d", dir, len(dir), config.MostRunDir)
	}
	return dir, err
}

// listenIn creates a socket with a name and an extension, and its key beside it.
func listenIn(dir, name, end string, admits func(Process) error, refused func(error)) (*socket, error) {
	hidden := filepath.Join(dir, "."+name)
	s := &socket{path: filepath.Join(dir, name+end), keyPath: filepath.Join(dir, name+keyEnd), key: rand.Text(), admits: admits, refused: refused}
	s.check = s.checkPeer
	// What a killed process has left.
	if err := errors.Join(remove(hidden, os.ModeSocket), remove(s.path, os.ModeSocket), remove(s.keyPath, 0)); err != nil {
		return nil, err
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: hidden, Net: "unix"})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false)
	s.Listener = l
	if s.file, err = os.Lstat(hidden); err == nil {
		err = os.WriteFile(s.keyPath, []byte(s.key), config.FileMode)
	}
	if err == nil {
		err = errors.Join(os.Chmod(hidden, 0o600), os.Rename(hidden, s.path))
	}
	if err != nil {
		return nil, errors.Join(err, l.Close(), remove(hidden, os.ModeSocket), remove(s.keyPath, 0))
	}
	return s, nil
}

// remove removes a file of a type, if there is one. Another file is not parley's, and stays.
func remove(path string, kind fs.FileMode) error {
	there, err := ours(path, kind)
	if there {
		err = os.Remove(path)
	}
	return err
}

// ours reports whether there is a file of a type at a path. Another file is not parley's, and an error.
func ours(path string, kind fs.FileMode) (there bool, err error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err == nil && info.Mode().Type() != kind:
		err = fmt.Errorf("%s is not parley's: move it away", path)
	}
	return err == nil, err
}

// keyEnd is the extension of the sessions' keys.
const keyEnd = ".key"

// mostKey limits how much of a key is read, in bytes.
const mostKey = 256

// connect connects to the host with an id, like [Connect], for a process; nil means this one.
func connect(ctx context.Context, id string, behind *Process) (net.Conn, error) {
	dir, err := Dir()
	if err != nil {
		return nil, err
	}
	c, err := dial(ctx, filepath.Join(dir, id+socketEnd), behind)
	if err != nil {
		return nil, fmt.Errorf("session %s: %w", id, err)
	}
	return c, nil
}

// Connect connects to the host at a socket, and shows that it is the user's. The error wraps
// [ErrGone] if there is no host; Connect then removes what a dead one has left.
func Connect(ctx context.Context, path string) (net.Conn, error) { return dial(ctx, path, nil) }

func dial(ctx context.Context, path string, behind *Process) (net.Conn, error) {
	key := strings.TrimSuffix(path, socketEnd) + keyEnd
	c, err := new(net.Dialer).DialContext(ctx, "unix", path)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		if remove(path, os.ModeSocket) == nil { // otherwise the next attempt removes it
			_ = remove(key, 0)
		}
		return nil, ErrGone
	case errors.Is(err, fs.ErrNotExist):
		return nil, ErrGone
	case err != nil:
		return nil, err
	}
	err = ownPeer(c)
	var secret []byte
	if err == nil {
		secret, err = files.ReadHead(key, mostKey) // without one, the host says why it refuses
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = prove(c, proof{string(secret), behind})
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// askTime is how long a host may take to report its status.
const askTime = 2 * time.Second

// NoAnswer describes a host that is stopped or busy.
const NoAnswer = "does not answer"

// List returns the sessions in hosts, the most recently active first. If a host does not
// answer in time, or refuses this parley, its entry has what is known without asking.
func List(ctx context.Context) ([]Status, error) {
	dir, err := Dir()
	if err != nil {
		return nil, err
	}
	ids, err := hostsIn(dir)
	if err != nil {
		return nil, err
	}
	var all []Status
	var mu sync.Mutex
	var asking sync.WaitGroup
	for _, id := range ids {
		asking.Go(func() {
			s, there := statusOrSilent(ctx, id)
			if !there {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, s)
		})
	}
	asking.Wait()
	slices.SortFunc(all, latestFirst)
	return all, nil
}

// latestFirst compares by when something last happened.
func latestFirst(a, b Status) int { return b.Active.Compare(a.Active) }

// hostsIn returns the ids of the hosts in a directory. Some may be dead.
func hostsIn(dir string) (ids []string, err error) {
	names, err := os.ReadDir(dir)
	for _, n := range names {
		if id, is := strings.CutSuffix(n.Name(), socketEnd); is && !strings.HasPrefix(id, ".") {
			ids = append(ids, id)
		}
	}
	return ids, err
}

// statusOrSilent is StatusOf, or what is known of a host that does not answer in time; there is
// false if there is no host.
func statusOrSilent(ctx context.Context, id string) (s Status, there bool) {
	soon, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	s, err := StatusOf(soon, id)
	switch {
	case err == nil:
		return s, true
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return silent(id, NoAnswer), true
	case errors.As(err, new(refusedError)):
		return silent(id, "refuses this parley"), true
	}
	return Status{}, false
}

// StatusOf returns the status of a host.
func StatusOf(ctx context.Context, id string) (s Status, err error) {
	err = request(ctx, id, requestStatus, &s)
	return s, err
}

// End ends the session of a host, and waits until the host has ended.
func End(ctx context.Context, id string) error { return request(ctx, id, requestEnd, nil) }

// request makes a request without attaching.
func request(ctx context.Context, id, method string, result any) error {
	return requestFor(ctx, id, nil, method, result)
}

// requestFor is request for a process.
func requestFor(ctx context.Context, id string, behind *Process, method string, result any) error {
	c, err := connect(ctx, id, behind)
	if err != nil {
		return err
	}
	conn := acpclient.NewConn(over(c, mostToViewer), noReceiver{}, acpclient.ConnOptions{})
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

// call is [acpclient.Conn.Call] for results outside the protocol, whose members package json
// must name.
func call(ctx context.Context, conn *acpclient.Conn, method string, params, result any) error {
	var raw json.RawMessage
	err := conn.Call(ctx, method, params, &raw)
	if refused, is := errors.AsType[*acpclient.Error](err); is && refused.Code == notAdmitted {
		return refusedError(refused.Message)
	}
	if err != nil || result == nil {
		return err
	}
	return json.Unmarshal(raw, result)
}

// noReceiver ignores what a host sends.
type noReceiver struct{}

// HandleNotification implements [acpclient.Receiver].
func (noReceiver) HandleNotification(context.Context, string, json.RawMessage) {}

// HandleRequest implements [acpclient.Receiver].
func (noReceiver) HandleRequest(_ context.Context, method string, _ json.RawMessage) (any, error) {
	return nil, &acpclient.Error{Code: acpclient.CodeMethodNotFound, Message: method + " is not known"}
}
