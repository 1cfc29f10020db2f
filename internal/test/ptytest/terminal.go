package ptytest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// Options say what to run and on what kind of terminal. Only Cmd is required.
type Options struct {
	Cmd  []string // program and arguments
	Env  []string // KEY=value, on top of the isolated environment
	Dir  string   // working directory; a fresh temporary one when empty
	Home string   // HOME, with the XDG folders below it; a fresh temporary one when empty
	Cols int      // 120 when zero
	Rows int      // 40 when zero

	// Legacy makes a terminal that does not know the kitty keyboard protocol.
	Legacy bool
	// Light makes a terminal that reports a light background.
	Light bool
	// Widths is how the terminal measures text.
	Widths Widths
	// Output, if it is not nil, gets everything that the program writes as well. It
	// must not wait.
	Output io.Writer
	// Keep keeps all that the program writes, for Raw and Reads.
	Keep bool
}

// Terminal is a running program and the screen it draws on. Its methods are
// meant for the test's own goroutine: they end the test when something fails.
type Terminal struct {
	t    testing.TB
	cmd  *exec.Cmd
	pty  *os.File
	home string
	dir  string
	mark string // in the environment of everything the program starts

	mu     sync.Mutex
	screen *emulator
	frame  chan struct{} // closed and replaced when the screen may have changed
	shown  bool          // the failure that was reported last has shown the screen
	raw    *os.File
	hold   *sync.Cond // on mu: while held, nothing is read
	held   bool
	bytes  int64 // that the program has written
	copied io.Writer
	kept   *record

	keys   *inputQueue
	exited chan struct{} // the program has ended; cmd.ProcessState is set
	eof    chan struct{} // and everything it wrote is on the screen
	gone   chan struct{} // the replies and the input have stopped as well
}

var terminals atomic.Int64

// Start runs the program and ends it with the test. When the test ends, the
// program is asked to end, then killed with its process group; a process that
// it left behind, or that had to be killed, fails the test. The screen of a
// failed test is logged; with PARLEY_TEST_RAW naming a directory, the raw
// output is kept there in a file named after the test.
func Start(t testing.TB, o Options) *Terminal {
	t.Helper()
	if len(o.Cmd) == 0 {
		t.Fatal("ptytest: no program to start")
	}
	o.Cols, o.Rows = orDefault(o.Cols, 120), orDefault(o.Rows, 40)
	if o.Home == "" {
		o.Home = t.TempDir()
	}
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	term := &Terminal{
		t:      t,
		cmd:    exec.Command(o.Cmd[0], o.Cmd[1:]...),
		home:   o.Home,
		dir:    o.Dir,
		mark:   fmt.Sprintf("PARLEY_PTYTEST=%d.%d", os.Getpid(), terminals.Add(1)),
		screen: newEmulator(o),
		copied: o.Output,
		frame:  make(chan struct{}),
		keys:   newInputQueue(),
		exited: make(chan struct{}),
		eof:    make(chan struct{}),
		gone:   make(chan struct{}),
	}
	term.hold = sync.NewCond(&term.mu)
	if o.Keep {
		term.kept = &record{}
	}
	term.cmd.Dir = o.Dir
	term.cmd.Env = append(append(environment(t, o.Home), o.Env...), term.mark)
	term.openRaw()
	if err := term.start(o); err != nil {
		t.Fatalf("ptytest: start %s: %v", o.Cmd[0], err)
	}
	t.Cleanup(term.end)
	return term
}

// Home is the program's home directory.
func (term *Terminal) Home() string { return term.home }

// Dir is the directory that the program was started in.
func (term *Terminal) Dir() string { return term.dir }

// Hold makes the terminal take nothing more of what the program writes, as one
// does that is behind a dead link. What has been written already may still be
// shown. Resume makes it go on.
func (term *Terminal) Hold() *Terminal {
	term.mu.Lock()
	defer term.mu.Unlock()
	term.held = true
	return term
}

// Resume ends Hold.
func (term *Terminal) Resume() *Terminal {
	term.mu.Lock()
	defer term.mu.Unlock()
	term.held = false
	term.hold.Broadcast()
	return term
}

// Written is how many bytes the program has written so far.
func (term *Terminal) Written() int64 {
	term.mu.Lock()
	defer term.mu.Unlock()
	return term.bytes
}

// Updates is how many synchronized updates the program has written so far.
func (term *Terminal) Updates() int {
	term.mu.Lock()
	defer term.mu.Unlock()
	return term.screen.updates
}

// Pid is the process id of the program, which leads its session.
func (term *Terminal) Pid() int { return term.cmd.Process.Pid }

func (term *Terminal) start(o Options) error {
	master, err := pty.StartWithSize(term.cmd, winsize(o.Cols, o.Rows))
	// It happened, with many tests at once, that a new terminal was named before it was
	// there. Nothing has been started then.
	for again := 0; again < 3 && errors.Is(err, os.ErrNotExist) && term.cmd.Process == nil; again++ {
		master, err = pty.StartWithSize(term.cmd, winsize(o.Cols, o.Rows))
	}
	if err != nil {
		return err
	}
	// The pty library leaves the master in blocking mode, where closing it
	// would not wake the reader.
	if term.pty, err = nonblocking(master); err != nil {
		return err
	}
	go func() {
		_ = term.cmd.Wait() // the exit code is read from ProcessState
		close(term.exited)
	}()
	go term.read()
	var writers sync.WaitGroup
	writers.Go(func() { term.keys.forward(term.screen.emu) })
	writers.Go(func() { term.keys.drain(term.pty) })
	go func() { writers.Wait(); close(term.gone) }()
	return nil
}

// read feeds the program's output to the screen until the pty closes.
func (term *Terminal) read() {
	defer close(term.eof)
	buf := make([]byte, 64<<10)
	for {
		n, err := term.pty.Read(buf)
		if n > 0 {
			term.mu.Lock()
			for term.held {
				term.hold.Wait()
			}
			term.bytes += int64(n)
			if term.raw != nil {
				_, _ = term.raw.Write(buf[:n])
			}
			if term.copied != nil {
				_, _ = term.copied.Write(buf[:n])
			}
			term.screen.write(buf[:n])
			term.kept.add(buf[:n])
			close(term.frame)
			term.frame = make(chan struct{})
			term.mu.Unlock()
		}
		if err != nil {
			return // EIO: the last process closed the terminal
		}
	}
}

func (term *Terminal) openRaw() {
	dir := os.Getenv("PARLEY_TEST_RAW")
	if dir == "" {
		return
	}
	name := strings.NewReplacer("/", "_", " ", "_").Replace(term.t.Name())
	f, err := os.CreateTemp(dir, name+".*.raw")
	if err != nil {
		term.t.Fatalf("ptytest: keep the raw output: %v", err)
	}
	term.raw = f
}

// environment is all that the program gets to see of this machine.
func environment(t testing.TB, home string) []string {
	t.Helper()
	env := []string{
		"HOME=" + home, "PATH=" + os.Getenv("PATH"),
		"TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8",
	}
	for key, dir := range map[string]string{
		"XDG_CONFIG_HOME": ".config", "XDG_DATA_HOME": ".local/share", "XDG_STATE_HOME": ".local/state",
		"XDG_CACHE_HOME": ".cache", "XDG_RUNTIME_DIR": ".run",
	} {
		path := filepath.Join(home, dir)
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatalf("ptytest: make %s: %v", key, err)
		}
		env = append(env, key+"="+path)
	}
	if dir := os.Getenv("GOCOVERDIR"); dir != "" {
		env = append(env, "GOCOVERDIR="+dir)
	}
	return env
}

func winsize(cols, rows int) *pty.Winsize {
	return &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows), X: uint16(cols * 8), Y: uint16(rows * 16)}
}

func nonblocking(f *os.File) (*os.File, error) {
	defer f.Close()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("duplicate the pty: %w", err)
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		return nil, errors.Join(fmt.Errorf("make the pty non-blocking: %w", err), unix.Close(fd))
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

func orDefault(n, def int) int {
	if n <= 0 {
		return def
	}
	return n
}
