package host

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"parley/acpclient"
	"parley/config"
	"parley/fs"
	"parley/internal/sandbox"
)

// errand says what [TestAsAnotherProcess] does: "connect DIR", "dial PATH", "listen PATH", "serve" or
// "client DIR".
const errand = "PARLEY_TEST_ERRAND"

// TestAsAnotherProcess is no test, but what the tests start. It begins when its input ends,
// and says on its output how it went.
func TestAsAnotherProcess(t *testing.T) {
	if flag.NArg() > 0 {
		t.Fatal(sandbox.Enter(flag.Args()))
	}
	do, path, _ := strings.Cut(os.Getenv(errand), " ")
	switch do {
	case "":
		t.Skip("of other tests")
	case "connect":
		_, _ = io.Copy(io.Discard, os.Stdin)
		fmt.Printf("connected: %v\n", enter(t.Context(), path))
		if all, err := List(t.Context()); err == nil { // another user has other ones
			for _, s := range all {
				fmt.Printf("%s %s\n", s.ID, s.State())
			}
		}
	case "serve":
		c, err := ListenForClients(func(int64, error) {})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			cancel()
		}()
		fmt.Println("listening")
		fmt.Println(c.Serve(ctx, echo))
	case "client":
		_, _ = io.Copy(io.Discard, os.Stdin)
		fmt.Println(asClient(path))
	case "dial":
		if _, err := net.Dial("unix", path); err != nil {
			t.Fatal(err)
		}
		fmt.Println("connected")
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "listen":
		l, err := net.Listen("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println("listening")
		c, err := l.Accept()
		if err == nil {
			_, _ = io.Copy(os.Stdout, c)
		}
	}
	os.Exit(0)
}

// asClient says hello at the socket for clients, and returns the answer.
func asClient(dir string) (string, error) {
	key, unreadable := os.ReadFile(filepath.Join(dir, "serve.acp.key"))
	c, err := net.Dial("unix", filepath.Join(dir, "serve.acp"))
	if err != nil {
		return "", errors.Join(unreadable, err)
	}
	defer c.Close()
	if err := prove(c, proof{Key: string(key)}); err != nil {
		return "", err
	}
	_, _ = io.WriteString(c, "hello\n") // a refused one is closed
	said, err := bufio.NewReader(c).ReadString('\n')
	return said, errors.Join(unreadable, err)
}

// enter connects to the host "one" without any check of its own.
func enter(ctx context.Context, dir string) error {
	key, err := fs.ReadHead(filepath.Join(dir, "one.key"), mostKey)
	if err != nil {
		return err
	}
	c, err := net.Dial("unix", filepath.Join(dir, "one.sock"))
	if err != nil {
		return err
	}
	defer c.Close()
	if err := prove(c, proof{Key: string(key)}); err != nil {
		return err
	}
	conn := acpclient.NewConn(over(c, mostToViewer), noReceiver{}, acpclient.ConnOptions{})
	defer conn.Close()
	return call(ctx, conn, requestStatus, struct{}{}, nil)
}

// another makes a command that runs TestAsAnotherProcess, as another user if that is not 0.
func another(t *testing.T, user uint32, do string) *exec.Cmd {
	t.Helper()
	program := filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "test")
	if _, err := os.Stat(program); err != nil {
		self, err := os.ReadFile(os.Args[0])
		if err == nil {
			err = os.WriteFile(program, self, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(program, "-test.run=^TestAsAnotherProcess$", "-test.v=false")
	cmd.Dir, cmd.Env = "/", append(os.Environ(), errand+"="+do, "TMPDIR=/tmp")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if user != 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: user, Gid: user}
	}
	return cmd
}

// says runs a command that connects, and returns what it says. One that is detached has lost
// its parent, and has a session of its own, before it begins.
func says(t *testing.T, cmd *exec.Cmd, detached bool) string {
	t.Helper()
	in, out := launch(t, cmd, detached)
	_ = in.Close()
	said, err := io.ReadAll(out)
	if err != nil {
		t.Fatal(err)
	}
	if !detached {
		_ = cmd.Wait()
	}
	_ = out.Close()
	return string(said)
}

// launch starts a command, for says.
func launch(t *testing.T, cmd *exec.Cmd, detached bool) (in, out *os.File) {
	t.Helper()
	begin, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if detached {
		cmd.Args = append([]string{"sh", "-c", `exec 3<&0; setsid "$0" "$@" <&3 &`, cmd.Path}, cmd.Args[1:]...)
		cmd.Path = "/bin/sh"
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = begin, to, to
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = errors.Join(begin.Close(), to.Close())
	if detached {
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	return in, out
}

// runOne runs the host "one".
func runOne(t *testing.T, notify ...string) *Host {
	t.Helper()
	h := host(t, "one")
	h.opt.Notify = notify
	l, err := h.Listen()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		h.Run(ctx, l)
	}()
	t.Cleanup(func() { cancel(); <-ended })
	return h
}

// What a host has started may not be its viewer, even with the key: neither a child nor one
// that has left its parent and its session, since orphans return to the host.
func TestWhatAHostHasStartedIsRefused(t *testing.T) {
	dir := runDir(t)
	runOne(t)
	if got := says(t, another(t, 0, "connect "+dir), true); !strings.Contains(got, "connected: <nil>") {
		t.Errorf("a viewer of the user's: %s", got)
	}
	if got := says(t, another(t, 0, "connect "+dir), false); !strings.Contains(got, errOwnChild.Error()) || !strings.Contains(got, "one refuses this parley") {
		t.Errorf("a child of the host: %s", got)
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	defer unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
	if got := says(t, another(t, 0, "connect "+dir), true); !strings.Contains(got, errOwnChild.Error()) {
		t.Errorf("an orphan of the host: %s", got)
	}
	_, _ = syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
}

// The command of notify is the user's: it may ask, answer and send.
func TestTheUsersOwnCommandIsNotRefused(t *testing.T) {
	dir := runDir(t)
	h := runOne(t)
	cmd := another(t, 0, "connect "+dir)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := h.alert(cmd); err != nil || !strings.Contains(said.String(), "connected: <nil>") {
		t.Errorf("%v: %s", err, said.String())
	}
	if _, still := h.own.Load(cmd.Process.Pid); still {
		t.Error("its process id counts after its end")
	}
}

const otherUser = 12345

func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can become another user")
	}
}

// Another user gets nothing, even past the modes of directory, socket and key.
func TestOtherUsersAreRefused(t *testing.T) {
	needRoot(t)
	dir := runDir(t)
	runOne(t)
	for path, mode := range map[string]os.FileMode{filepath.Dir(dir): 0o755, dir: 0o755, dir + "/one.sock": 0o666, dir + "/one.key": 0o644} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	// It has the key, and is closed out all the same.
	got := says(t, another(t, otherUser, "connect "+dir), true)
	if !strings.Contains(got, acpclient.ErrClosed.Error()) && !strings.Contains(got, "connection reset") && !strings.Contains(got, "broken pipe") {
		t.Errorf("another user: %s", got)
	}
}

// A viewer shows its key to nobody else: whoever could put a socket into the directory.
func TestTheHostOfAnotherUserIsRefused(t *testing.T) {
	needRoot(t)
	dir := runDir(t)
	listen(t, "one").Close()
	if err := errors.Join(os.Chmod(filepath.Dir(dir), 0o755), os.Chmod(dir, 0o777), os.WriteFile(filepath.Join(dir, "one.key"), []byte("secret"), 0o600)); err != nil {
		t.Fatal(err)
	}
	cmd := another(t, otherUser, "listen "+filepath.Join(dir, "one.sock"))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, len("listening\n"))); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	c, err := connect(t.Context(), "one", nil)
	if err == nil {
		_ = c.Close()
		t.Error("it is taken for the user's")
	} else if !strings.Contains(err.Error(), fmt.Sprint(otherUser)) {
		t.Error(err)
	}
	if got, err := io.ReadAll(out); len(got) > 0 || err != nil {
		t.Errorf("it has been told %q, %v", got, err)
	}
	_ = cmd.Wait()
}

// The id of a process that has connected and ended may be another one's by now: it proves
// nothing.
func TestAPeerThatHasEndedIsRefused(t *testing.T) {
	runDir(t)
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	cmd := another(t, 0, "dial "+path)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	p, err := peerAt(c)
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	if p.handle < 0 {
		t.Skip("this kernel does not tell")
	}
	was, err := p.process()
	if err != nil {
		t.Fatal(err)
	}
	if child, err := was.child(); err != nil || child != cmd.Process.Pid {
		t.Errorf("while it lives it is the child %d, %v", child, err)
	}
	_ = in.Close()
	_ = cmd.Wait()
	p.pid, was.PID = os.Getpid(), os.Getpid() // as if it had been given to this one
	if _, err := p.process(); !errors.Is(err, errPeerEnded) {
		t.Errorf("its id is believed: %v", err)
	}
	if _, err := was.child(); !errors.Is(err, errPeerEnded) {
		t.Errorf("its id is believed later: %v", err)
	}
	if who, err := processAt(c); err == nil {
		t.Errorf("one that had ended before it was asked about is %v", who)
	}
}

// What a host has started does not reach it, or another one, as a client of somebody else: neither a child
// nor one that has left its parent and its session.
func TestClientsThatAHostHasStarted(t *testing.T) {
	dir := runDir(t)
	// Neither the host, which this process is, nor the one that serves is above the other.
	in, out := launch(t, another(t, 0, "serve"), true)
	served := bufio.NewReader(out)
	if line, err := served.ReadString('\n'); line != "listening\n" {
		t.Fatalf("%q, %v", line, err)
	}
	client := func(detached bool) string { return says(t, another(t, 0, "client "+dir), detached) }
	if got := client(false); !strings.Contains(got, "hello") {
		t.Errorf("without a host: %s", got)
	}
	runOne(t)
	if got := client(true); !strings.Contains(got, "hello") {
		t.Errorf("a client of the user's: %s", got)
	}
	if got := client(false); !strings.Contains(got, errOwnChild.Error()) {
		t.Errorf("a child of the host: %s", got)
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	defer unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
	if got := client(true); !strings.Contains(got, errOwnChild.Error()) {
		t.Errorf("an orphan of the host: %s", got)
	}
	_, _ = syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
	_ = in.Close()
	if rest, err := io.ReadAll(served); string(rest) != "<nil>\n" || err != nil {
		t.Errorf("it has ended with %q, %v", rest, err)
	}
}

// What the process that serves has started is not its client.
func TestClientsThatServeHasStarted(t *testing.T) {
	dir := runDir(t)
	serveClients(t, echo)
	if got := says(t, another(t, 0, "client "+dir), false); !strings.Contains(got, errOwnChild.Error()) {
		t.Errorf("a child: %s", got)
	}
	if got := says(t, another(t, 0, "client "+dir), true); !strings.Contains(got, "hello") {
		t.Errorf("a client of the user's: %s", got)
	}
}

// Another user is no client, even past the modes of directory, socket and key, and is told nothing.
func TestClientsOfOtherUsers(t *testing.T) {
	needRoot(t)
	dir := runDir(t)
	serveClients(t, echo)
	for path, mode := range map[string]os.FileMode{filepath.Dir(dir): 0o755, dir: 0o755, dir + "/serve.acp": 0o666, dir + "/serve.acp.key": 0o644} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	if got := says(t, another(t, otherUser, "client "+dir), true); strings.ContainsAny(got, "{}") || !strings.Contains(got, "read unix") && !strings.Contains(got, "broken pipe") {
		t.Errorf("another user: %s", got)
	}
}

// What runs in a sandbox reads no key, and is no client.
func TestClientsInASandbox(t *testing.T) {
	t.Setenv("TMPDIR", "/var/tmp") // /tmp is another one in the sandbox, which hides the sockets of other tests
	dir := runDir(t)
	serveClients(t, echo)
	program := another(t, 0, "").Path
	enter := []string{program, "-test.run=^TestAsAnotherProcess$", "--"}
	for _, path := range []string{os.Getenv("PATH"), t.TempDir()} { // with bubblewrap, and without
		was := os.Getenv("PATH")
		t.Setenv("PATH", path)
		box, err := sandbox.New(sandbox.Bounds{Write: []string{t.TempDir()}, Temp: t.TempDir(), Private: config.PrivatePaths()}, enter)
		t.Setenv("PATH", was)
		if errors.Is(err, sandbox.ErrUnavailable) {
			t.Log(err)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		got := "bwrap: "
		for strings.HasPrefix(got, "bwrap: ") && t.Context().Err() == nil { // a socket of another test has gone meanwhile
			cmd := another(t, 0, "client "+dir)
			var args []string
			cmd.Path, args = box.Command(program, cmd.Args[1:])
			cmd.Args = append([]string{cmd.Path}, args...)
			got = says(t, cmd, true)
		}
		if strings.Contains(got, "hello") || !strings.Contains(got, "open "+filepath.Join(dir, "serve.acp.key")+": ") {
			t.Errorf("%s: %s", box.Name, got)
		}
		box.Close()
	}
}
