//go:build linux || darwin

package host

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"parley/config"
	"parley/internal/app"
)

// echo serves a client by what it says.
func echo(_ context.Context, c net.Conn, _ *Process) { _, _ = io.Copy(c, c) }

// serveClients listens for clients until the test ends, and serves them.
func serveClients(t *testing.T, serve func(context.Context, net.Conn, *Process)) (c *Clients, stop func()) {
	t.Helper()
	c, err := ListenForClients(func(int64, error) {})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- c.Serve(ctx, serve) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return c, stop
}

// dialClients connects to the socket for clients.
func dialClients(t *testing.T, c *Clients) net.Conn {
	t.Helper()
	conn, err := net.Dial("unix", c.Path())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// mustEcho checks that a new client is served.
func mustEcho(t *testing.T, c *Clients) {
	t.Helper()
	conn := dialClients(t, c)
	defer conn.Close()
	if err := prove(conn, proof{Key: c.key}); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, "hello\n"); err != nil {
		t.Fatal(err)
	}
	if said, err := bufio.NewReader(conn).ReadString('\n'); said != "hello\n" {
		t.Errorf("it is told %q, %v", said, err)
	}
}

// A client gets in with the key beside the socket in its first line, and with nothing else.
func TestOnlyTheKeyLetsClientsIn(t *testing.T) {
	runDir(t)
	c, stop := serveClients(t, echo)
	for _, path := range []string{c.Path(), c.Path() + ".key"} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info, err)
		}
	}
	key := func(key string) string {
		var line strings.Builder
		_ = prove(&line, proof{Key: key})
		return line.String()
	}
	for name, first := range map[string]string{
		"another key":     key(c.key + "x"),
		"no key":          key(""),
		"another message": strings.Replace(key(c.key), notifyProve, "initialize", 1),
		"a second line":   "{}\n" + key(c.key),
		"a long line":     strings.Repeat(" ", mostProof) + key(c.key),
	} {
		conn := dialClients(t, c)
		_, _ = io.WriteString(conn, first+"hello\n") // closed before it is read
		_ = conn.(*net.UnixConn).CloseWrite()
		said, _ := io.ReadAll(conn)
		if strings.Contains(string(said), "hello") || !strings.Contains(string(said), errNoProof.Error()) {
			t.Errorf("%s: it is told %q", name, said)
		}
	}
	mustEcho(t, c)
	stop()
	left, err := os.ReadDir(filepath.Dir(c.Path()))
	if len(left) != 1 || left[0].Name() != "serve.acp.lock" {
		t.Errorf("%v is left, %v", left, err)
	}
}

// Whoever says nothing keeps nobody out, and is cut off.
func TestClientsThatSayNothing(t *testing.T) {
	runDir(t)
	c, _ := serveClients(t, echo)
	var silent []net.Conn
	for range 1000 {
		silent = append(silent, dialClients(t, c))
	}
	mustEcho(t, c)
	for _, conn := range silent[:len(silent)-mostUnproven] {
		if _, err := conn.Read(make([]byte, 1)); err == nil {
			t.Fatal("it is told something")
		}
	}
}

// A client that does not read costs the others nothing, and does not keep the process.
func TestAClientThatDoesNotRead(t *testing.T) {
	runDir(t)
	full := make(chan struct{})
	c, stop := serveClients(t, func(ctx context.Context, c net.Conn, p *Process) {
		line, _ := bufio.NewReader(c).ReadString('\n')
		if line == "hello\n" {
			_, _ = io.WriteString(c, line)
			return
		}
		close(full)
		_, _ = io.Copy(c, endless{})
	})
	conn := dialClients(t, c)
	if err := prove(conn, proof{Key: c.key}); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, "\n"); err != nil {
		t.Fatal(err)
	}
	<-full
	mustEcho(t, c)
	stop()
}

// endless never ends.
type endless struct{}

func (endless) Read(b []byte) (int, error) { return len(b), nil }

// Of several at once one listens, and the others say so; also if the file of its lock is gone.
func TestOneListensForClients(t *testing.T) {
	runDir(t)
	results := make(chan error, 20)
	var listening sync.Mutex
	var c *Clients
	for range cap(results) {
		go func() {
			one, err := ListenForClients(nil)
			if err == nil {
				listening.Lock()
				c = one
				listening.Unlock()
			}
			results <- err
		}()
	}
	refused := 0
	for range cap(results) {
		if err := <-results; err != nil {
			refused++
			if !strings.Contains(err.Error(), "runs already") {
				t.Error(err)
			}
		}
	}
	if refused != cap(results)-1 {
		t.Errorf("%d of %d are refused", refused, cap(results))
	}
	if err := os.Remove(c.Path() + ".lock"); err != nil {
		t.Fatal(err)
	}
	if _, err := ListenForClients(nil); err == nil || !strings.Contains(err.Error(), "runs already") {
		t.Errorf("without its lock: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	// One whose files were removed leaves those of the next one alone.
	old, err := ListenForClients(nil)
	if err == nil {
		err = errors.Join(os.Remove(old.Path()), os.Remove(old.Path()+".key"), os.Remove(old.Path()+".lock"))
	}
	next, listens := ListenForClients(nil)
	if err := errors.Join(err, listens); err != nil {
		t.Fatal(err)
	}
	for _, c := range []*Clients{old, next} {
		if key, err := os.ReadFile(next.Path() + ".key"); string(key) != next.key {
			t.Errorf("the key is %q, %v", key, err)
		}
		if _, err := os.Lstat(next.Path()); err != nil {
			t.Error(err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Lstat(next.Path()); err == nil {
		t.Error("a socket is left")
	}
	// One that is just about to listen holds the lock.
	lock, err := os.OpenFile(c.Path()+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if locked, err := config.TryLock(lock); !locked {
		t.Fatal(err)
	}
	if _, err := ListenForClients(nil); err == nil || !strings.Contains(err.Error(), "runs already") {
		t.Errorf("with its lock: %v", err)
	}
}

// What a killed process has left is replaced.
func TestADeadSocketForClients(t *testing.T) {
	dir := runDir(t)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"serve.acp", ".serve.acp"} {
		dead(t, filepath.Join(dir, name))
	}
	if err := os.WriteFile(filepath.Join(dir, "serve.acp.key"), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, _ := serveClients(t, echo)
	mustEcho(t, c)
	if key, err := os.ReadFile(c.Path() + ".key"); string(key) != c.key || err != nil {
		t.Errorf("the key is %q, %v", key, err)
	}
}

// A file that is not parley's is neither replaced nor removed, whoever looks.
func TestFilesOfOthersStay(t *testing.T) {
	for _, name := range []string{"serve.acp", ".serve.acp", "serve.acp.key", "serve.acp.lock", "dead.sock"} {
		t.Run(name, func(t *testing.T) {
			dir := runDir(t)
			kept := filepath.Join(filepath.Dir(dir), "kept")
			path := filepath.Join(dir, name)
			err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(kept, []byte("kept"), 0o600))
			if name == "serve.acp.key" || name == "serve.acp.lock" {
				err = errors.Join(err, os.Symlink(kept, path))
			} else {
				err = errors.Join(err, os.WriteFile(path, []byte("kept"), 0o600))
			}
			if err != nil {
				t.Fatal(err)
			}
			c, err := ListenForClients(nil)
			if name == "dead.sock" {
				_ = c.Close()
				_, _ = List(t.Context())
			} else if err == nil || !strings.Contains(err.Error(), path+" is not parley's") {
				t.Errorf("it listens: %v", err)
			}
			if got, err := os.ReadFile(path); string(got) != "kept" {
				t.Errorf("of it is left %q, %v", got, err)
			}
		})
	}
}

// The socket for clients is not taken for a host's.
func TestTheSocketForClientsIsNoHost(t *testing.T) {
	runDir(t)
	c, _ := serveClients(t, echo)
	if all, err := List(t.Context()); len(all) > 0 || err != nil {
		t.Errorf("it is listed: %v, %v", all, err)
	}
	for _, id := range []string{"serve", clientSocket} {
		if _, err := StatusOf(t.Context(), id); !errors.Is(err, ErrGone) {
			t.Errorf("%s: %v", id, err)
		}
	}
	mustEcho(t, c)
}

// A host that does not say whether it has started a client could have done so.
func TestClientsOfWhichAHostDoesNotTell(t *testing.T) {
	dir := runDir(t)
	c, _ := serveClients(t, echo)
	l, err := net.Listen("unix", filepath.Join(dir, "silent.sock"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_ = conn.Close()
		}
	}()
	conn := dialClients(t, c)
	if err := prove(conn, proof{Key: c.key}); err != nil {
		t.Fatal(err)
	}
	if said, _ := io.ReadAll(conn); !strings.Contains(string(said), "the session silent does not say") {
		t.Errorf("it is told %q", said)
	}
}

// A viewer that acts for another process gets what that would get.
func TestWhoIsBehindAViewer(t *testing.T) {
	runDir(t)
	h := host(t, "one")
	l, err := h.Listen()
	if err != nil {
		t.Fatal(err)
	}
	s := l.(*socket)
	s.admits = func(p Process) error {
		if p.PID == 1234 {
			return errOwnChild
		}
		return nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		h.Run(ctx, l)
	}()
	defer func() { cancel(); <-ended }()
	stays, err := AttachTo(t.Context(), ClientOptions{Running: "one"}) // the host ends without viewers
	if err != nil {
		t.Fatal(err)
	}
	defer stays.Close(t.Context())
	for pid, want := range map[int]error{1234: errOwnChild, 5678: nil} {
		b := Keeping(&app.Launcher{Version: "1.0.0"}, app.Backend{}, &Process{PID: pid})
		visitor, visiting := b.Visit(t.Context(), "one")
		made, making := b.Make(t.Context(), app.Spec{Running: "one"})
		for _, err := range []error{visiting, making} {
			if (err == nil) != (want == nil) || want != nil && !strings.Contains(err.Error(), want.Error()) {
				t.Errorf("for %d: %v", pid, err)
			}
		}
		if visiting == nil {
			visitor.Close(t.Context())
		}
		if making == nil {
			made.Session.Close(t.Context())
		}
	}
}
