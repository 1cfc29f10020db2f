// Package ptytest drives a program as a user would: the program runs on a real
// pseudo-terminal, a terminal emulator draws its screen, and a test types, clicks and
// reads what is shown.
//
//	term := ptytest.Start(t, ptytest.Options{Cmd: []string{test.Parley(t), "--", "agent"}})
//	term.WaitFor("Ask anything")
//	term.Type("hello").Press("enter")
//	term.WaitFor("Hello to you")
//
// Rules:
//
//   - Nothing sleeps. The program's output wakes a wait, which sees only complete frames: what is drawn inside a synchronized update appears when that ends.
//   - There is no wait for "the program is idle": from outside, a program that has finished looks like one that has not begun. Wait for something on the screen.
//   - The program has an environment of its own: fresh home, fresh XDG directories.
//   - A process that the program leaves running fails the test.
package ptytest

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

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
	// Keep keeps all output of the program, for Raw and Reads.
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
	screen *Emulator
	frame  chan struct{} // closed and replaced when the screen may have changed
	shown  bool          // the failure that was reported last has shown the screen
	raw    *os.File
	hold   *sync.Cond // on mu: while held, nothing is read
	held   bool
	bytes  int64 // that the program has written
	copied io.Writer
	kept   *record

	input  chan []byte // keys and the terminal's answers
	closed chan struct{}
	exited chan struct{} // the program has ended; cmd.ProcessState is set
	eof    chan struct{} // and everything it wrote is on the screen
	gone   chan struct{} // the replies and the input have stopped as well
}

var terminals atomic.Int64

// maxPending is how many keys and answers wait for a program that does not read: more than
// a test sends, so that neither the test nor the emulator waits.
const maxPending = 1 << 14

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
	o.Cols, o.Rows = cmp.Or(o.Cols, 120), cmp.Or(o.Rows, 40)
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
		input:  make(chan []byte, maxPending),
		closed: make(chan struct{}),
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

// Hold stops reading the program's output, like a terminal behind a dead link. Earlier
// output may still appear. Resume ends it.
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
	writers.Go(term.pushAnswers)
	writers.Go(term.writeInput)
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
			_, _ = term.screen.Write(buf[:n])
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

// environment returns the program's environment, which shows nothing else of this machine.
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

// patience limits every wait: 2 min, times PARLEY_TEST_TIMEOUT. No passing test waits so
// long, on a busy machine either.
func patience() time.Duration {
	const bound = 2 * time.Minute
	if f, err := strconv.ParseFloat(os.Getenv("PARLEY_TEST_TIMEOUT"), 64); err == nil && f > 0 {
		return time.Duration(float64(bound) * f)
	}
	return bound
}

// Screen is the last whole frame.
func (term *Terminal) Screen() Screen {
	term.mu.Lock()
	defer term.mu.Unlock()
	return *term.screen.current()
}

// Cell is the character at column x, row y, from 0.
func (term *Terminal) Cell(x, y int) Cell { return term.Screen().Cell(x, y) }

// Cursor is where the text cursor is, and whether it is shown.
func (term *Terminal) Cursor() Cursor { return term.Screen().Cursor }

// AltScreen reports whether the program has taken the whole screen.
func (term *Terminal) AltScreen() bool { return term.Screen().AltScreen }

// WaitFor waits until every one of the texts is on the screen at once.
func (term *Terminal) WaitFor(texts ...string) *Terminal {
	term.t.Helper()
	return term.WaitUntil("the screen shows "+quoted(texts), func(s Screen) bool {
		for _, text := range texts {
			if !s.Contains(text) {
				return false
			}
		}
		return true
	})
}

// WaitForRegexp waits until the text of the screen matches.
func (term *Terminal) WaitForRegexp(expr string) *Terminal {
	term.t.Helper()
	re := regexp.MustCompile(expr)
	return term.WaitUntil(fmt.Sprintf("the screen matches %#q", expr), func(s Screen) bool { return re.MatchString(s.String()) })
}

// WaitGone waits until text is not on the screen. It holds at once when the
// text has not come yet: wait for the text first.
func (term *Terminal) WaitGone(text string) *Terminal {
	term.t.Helper()
	return term.WaitUntil(fmt.Sprintf("%q is gone from the screen", text), func(s Screen) bool { return !s.Contains(text) })
}

// WaitUntil waits until ok holds for the screen, and ends the test when it
// does not within 2 min (see PARLEY_TEST_TIMEOUT) or can no longer, because the
// program has ended. The description completes "expected that …".
func (term *Terminal) WaitUntil(description string, ok func(Screen) bool) *Terminal {
	term.t.Helper()
	term.await(func() (bool, string) { return ok(term.Screen()), description })
	return term
}

// await waits until look, which is called again after each output, reports true, and else
// ends the test with what look expected.
func (term *Terminal) await(look func() (ok bool, expected string)) {
	term.t.Helper()
	bound := patience()
	timeout := time.NewTimer(bound)
	defer timeout.Stop()
	for ended := false; ; {
		term.mu.Lock()
		frame := term.frame
		term.mu.Unlock()
		ok, expected := look()
		if ok {
			return
		}
		if ended {
			term.failf("expected that %s, but the program has ended%s", expected, term.exitNote())
		}
		select {
		case <-frame:
		case <-term.eof:
			ended = true
		case <-timeout.C:
			term.failf("expected within %v that %s", bound, expected)
		}
	}
}

// exitNote describes how the program ended. Its terminal closes a moment before its exit
// code is known.
func (term *Terminal) exitNote() string {
	if within(patience(), term.exited) {
		return " with " + term.cmd.ProcessState.String()
	}
	return ""
}

// failf ends the test with a message and the screen.
func (term *Terminal) failf(format string, args ...any) {
	term.t.Helper()
	term.shown = true
	term.t.Fatalf("%s\n%s", fmt.Sprintf(format, args...), term.picture())
}

func (term *Terminal) picture() string {
	term.mu.Lock()
	defer term.mu.Unlock()
	note := ""
	if n := term.screen.panics; n > 0 {
		note = fmt.Sprintf("\n(the emulator could not draw %d pieces of the output)", n)
	}
	return "the screen of " + strings.Join(term.cmd.Args, " ") + ":\n" + term.screen.current().framed() + note
}

func quoted(texts []string) string {
	var all []string
	for _, text := range texts {
		all = append(all, strconv.Quote(text))
	}
	return strings.Join(all, " and ")
}

// Signal sends a signal to the program itself, not to its children.
func (term *Terminal) Signal(sig syscall.Signal) *Terminal {
	term.t.Helper()
	if err := term.cmd.Process.Signal(sig); err != nil {
		term.failf("send %v: %v", sig, err)
	}
	return term
}

// HangUp closes the terminal, as a user does who closes its window: the program gets SIGHUP,
// and can write no more.
func (term *Terminal) HangUp() *Terminal {
	_ = term.pty.Close()
	return term
}

// WaitExit waits until the program has ended and its last output is on the
// screen. It returns the exit code; 128 plus the signal's number when one
// ended it.
func (term *Terminal) WaitExit() int {
	term.t.Helper()
	if bound := patience(); !within(bound, term.exited) {
		term.failf("expected within %v that the program ends", bound)
	}
	term.Resume()
	// A child that still holds the terminal delays its end: that child is
	// reported when the test ends.
	within(patience(), term.eof)
	state := term.cmd.ProcessState
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return state.ExitCode()
}

// end is the cleanup of every terminal.
func (term *Terminal) end() {
	if term.t.Failed() && !term.shown {
		term.t.Log(term.picture())
	}
	term.Resume()
	term.endProgram()
	for _, p := range leftovers(term.Pid(), term.mark, patience()) {
		term.t.Errorf("the program left a process behind: %s", p)
		p.kill()
	}
	if !within(patience(), term.eof) {
		term.t.Error("something still writes to the terminal")
	}
	_ = term.pty.Close()
	<-term.eof
	close(term.closed)
	term.screen.Close()
	<-term.gone
	if term.raw != nil {
		_ = term.raw.Close()
	}
}

// endProgram asks the program to end, then kills it.
func (term *Terminal) endProgram() {
	if within(0, term.exited) {
		return
	}
	_ = term.cmd.Process.Signal(syscall.SIGTERM)
	if within(patience(), term.exited) {
		return
	}
	term.t.Errorf("the program did not end when asked to\n%s", term.picture())
	if err := unix.Kill(-term.Pid(), unix.SIGKILL); err != nil && !errors.Is(err, unix.ESRCH) {
		term.t.Errorf("kill the program: %v", err)
	}
	<-term.exited
}

// within reports whether done was closed in time.
func within(bound time.Duration, done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
	}
	timeout := time.NewTimer(bound)
	defer timeout.Stop()
	select {
	case <-done:
		return true
	case <-timeout.C:
		return false
	}
}

// record is the output of a program, byte by byte, as a screen reader or a terminal that
// cannot move its cursor gets it.
type record struct {
	all  strings.Builder
	read int // up to where a test has read
}

func (r *record) add(b []byte) {
	if r != nil {
		r.all.Write(b)
	}
}

// Raw returns everything that the program has written so far, with all control sequences.
// It needs Options.Keep.
func (term *Terminal) Raw() string {
	term.mu.Lock()
	defer term.mu.Unlock()
	return term.kept.all.String()
}

// Reads waits for each text in turn in the program's output, starting where the last Reads
// ended. It does not look at the screen. It needs Options.Keep.
func (term *Terminal) Reads(texts ...string) *Terminal {
	term.t.Helper()
	for _, text := range texts {
		term.await(func() (bool, string) {
			term.mu.Lock()
			defer term.mu.Unlock()
			rest := term.kept.all.String()[term.kept.read:]
			at := strings.Index(rest, text)
			if at >= 0 {
				term.kept.read += at + len(text)
			}
			return at >= 0, fmt.Sprintf("the program writes %q after %q", text, rest)
		})
	}
	return term
}
