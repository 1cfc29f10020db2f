package acpclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"parley/internal/process"
)

// Command is how to start an agent.
type Command struct {
	// Path is a program's name, looked up on PATH, or its path.
	Path string
	Args []string
	// Env adds to the environment of this process, as "NAME=value"; the last value of
	// a name wins.
	Env []string
	// Dir is the working directory; empty means this process's.
	Dir string
	// Stderr, if not nil, gets the program's raw stderr, from one goroutine. It must not
	// block for long, because that may block the program.
	Stderr io.Writer
	// Runs is the command that a sandbox wrapper runs, for messages.
	Runs *Command
}

// String returns the command for display, without its environment.
func (c Command) String() string {
	if c.Runs != nil {
		return c.Runs.String()
	}
	return strings.Join(append([]string{c.Path}, c.Args...), " ")
}

// name returns the name of the program for display.
func (c Command) name() string {
	if c.Runs != nil {
		return c.Runs.name()
	}
	return filepath.Base(c.Path)
}

// StartError says why an agent could not be started.
type StartError struct {
	Command Command
	Err     error
}

// Error says what is wrong with the command.
func (e *StartError) Error() string {
	switch {
	case errors.Is(e.Err, exec.ErrNotFound):
		return fmt.Sprintf("%s is not installed, or not on PATH", e.Command.Path)
	case errors.Is(e.Err, errDir):
		return fmt.Sprintf("cannot start %s in %s: cannot enter that directory", e.Command.Path, e.Command.Dir)
	case errors.Is(e.Err, os.ErrNotExist):
		return fmt.Sprintf("no such program %s, or its interpreter is missing", e.Command.Path)
	case errors.Is(e.Err, os.ErrPermission):
		return fmt.Sprintf("%s is not executable", e.Command.Path)
	}
	return fmt.Sprintf("cannot start %s: %v", e.Command.Path, e.Err)
}

// Unwrap returns the system's error.
func (e *StartError) Unwrap() error { return e.Err }

// errDir means that the working directory is missing, or a file.
var errDir = errors.New("the working directory cannot be entered")

// ExitError says how an agent's process ended.
type ExitError struct {
	Command Command
	State   *os.ProcessState
	// Stderr is the tail of its stderr.
	Stderr string
}

// Error names the program and how it ended.
func (e *ExitError) Error() string {
	return fmt.Sprintf("%s ended: %s", e.Command.name(), e.State)
}

// ExitCode returns the exit code, -1 if a signal ended the program.
func (e *ExitError) ExitCode() int { return e.State.ExitCode() }

// stdinGrace and termGrace are how long Stop waits after closing stdin and after
// SIGTERM. Some agents take seconds to notice that stdin is closed.
const (
	stdinGrace = time.Second
	termGrace  = 2 * time.Second
)

// drainGrace is how long to read an ended process's silent pipe that another process
// holds open.
const drainGrace = 500 * time.Millisecond

// stderrTail is how many bytes of stderr are kept.
const stderrTail = 64 << 10

// Peer is a running agent, with the means to talk to it and to end it.
type Peer struct {
	// Transport carries the messages; nil means lines on In and Out.
	Transport Transport
	In        io.Reader // from the agent
	Out       io.Writer // to the agent
	// Done is closed when the agent has ended; Err then says how.
	Done <-chan struct{}
	Err  func() error
	// Stderr returns the tail of its stderr, raw.
	Stderr func() string
	// Stop asks the agent to end and waits until it has. It kills the agent if that
	// takes too long or ctx ends.
	Stop func(ctx context.Context)
}

// Process is an agent that runs on this machine, the leader of its own session and process group. It
// is safe for concurrent use. Out closes itself when the process has ended, and In when its output
// has been read. Done is closed when the process and its tree have ended; In may still have output.
type Process struct {
	Peer
	cmd       *exec.Cmd
	command   Command
	stderr    tail
	stdin     *os.File
	termGrace time.Duration
	done      chan struct{}
	tree      *process.Tree
	err       *ExitError // set before done is closed
}

// Spawn is StartProcess for callers that do not care where the agent runs.
func Spawn(c Command) (*Peer, error) {
	p, err := StartProcess(c)
	if err != nil {
		return nil, err
	}
	return &p.Peer, nil
}

// StartProcess starts an agent. It always drains stderr and keeps the tail. The error is
// a *StartError.
func StartProcess(c Command) (*Process, error) {
	if info, err := os.Stat(c.Dir); c.Dir != "" && (err != nil || !info.IsDir()) {
		return nil, &StartError{c, errors.Join(errDir, err)}
	}
	p := &Process{
		cmd: exec.Command(c.Path, c.Args...), command: c, done: make(chan struct{}),
		stderr: tail{max: stderrTail}, termGrace: termGrace,
	}
	p.cmd.Env = append(os.Environ(), c.Env...)
	p.cmd.Dir = c.Dir
	process.Lead(p.cmd)

	// exec.Cmd would close its own pipes when the process ends, and lose its last
	// output.
	inR, inW, err := os.Pipe()
	if err != nil {
		return nil, &StartError{c, err}
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		_ = errors.Join(inR.Close(), inW.Close())
		return nil, &StartError{c, err}
	}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = inR, outW, &p.stderr
	if c.Stderr != nil {
		p.cmd.Stderr = io.MultiWriter(&p.stderr, c.Stderr)
	}
	p.cmd.WaitDelay = drainGrace // for stderr, if a child holds it
	err = p.cmd.Start()
	_ = errors.Join(inR.Close(), outW.Close())
	if err != nil {
		_ = errors.Join(inW.Close(), outR.Close())
		return nil, &StartError{c, err}
	}
	p.tree = process.NewTree(p.Pid())
	p.stdin = inW
	p.Peer = Peer{In: &output{file: outR, left: mostLeft}, Out: inW, Done: p.done, Err: p.ended, Stderr: p.stderr.String, Stop: p.stop}
	go p.wait(outR)
	return p, nil
}

func (p *Process) wait(stdout *os.File) {
	_ = p.cmd.Wait() // the process state says more
	p.tree.Reaped()
	// The rest of its tree is useless without it, and may hold its pipes.
	_ = p.tree.Kill() // best effort: the kernel may hold a process
	_ = p.stdin.Close()
	_ = stdout.SetReadDeadline(time.Now())
	p.err = &ExitError{Command: p.command, State: p.cmd.ProcessState, Stderr: p.Stderr()}
	close(p.done)
}

// Pid returns the id of the process and of its group.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// ended returns an *ExitError if the process has ended, or nil.
func (p *Process) ended() error {
	select {
	case <-p.done:
		return p.err
	default:
		return nil
	}
}

// stop ends the process and its whole tree, and returns when the process has ended. It
// closes stdin, then sends SIGTERM, then SIGKILL, with a grace period between them.
// When ctx ends, it skips to SIGKILL. It may be called again, for instance with a
// shorter deadline.
func (p *Process) stop(ctx context.Context) {
	// Descendants in sessions of their own cannot be found once their parents have
	// ended.
	p.tree.Note()
	_ = p.stdin.Close()
	if p.endsWithin(ctx, stdinGrace) {
		return
	}
	p.tree.Terminate()
	if p.endsWithin(ctx, p.termGrace) {
		return
	}
	_ = p.tree.Kill() // best effort: the kernel may hold a process
	<-p.done
}

func (p *Process) endsWithin(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-p.done:
		return true
	case <-t.C:
	case <-ctx.Done():
	}
	return false
}

// mostLeft limits the bytes read after the end of a process. It is more than a pipe
// holds, so only output of other processes is lost.
const mostLeft = 4 << 20

// output is the reading end of a process's stdout. A read deadline in the past signals
// that the process has ended. From then on output returns the rest of the pipe, and
// ends after drainGrace of silence, even if another process holds the other end.
type output struct {
	file  *os.File
	ended bool
	left  int   // how many more bytes to read once the process has ended
	err   error // the final error, after which the file is closed
}

// Read implements [io.Reader]: it ends with [io.EOF], also where another process holds the pipe.
func (o *output) Read(b []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	if !o.ended {
		n, err := o.file.Read(b)
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, o.closeOn(err)
		}
		o.ended = true
	}
	if o.left == 0 {
		return 0, o.closeOn(io.EOF)
	}
	_ = o.file.SetReadDeadline(time.Now().Add(drainGrace))
	n, err := o.file.Read(b[:min(len(b), o.left)])
	o.left -= n
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = io.EOF
	}
	return n, o.closeOn(err)
}

// closeOn closes the pipe if err is not nil, and returns err.
func (o *output) closeOn(err error) error {
	if err != nil {
		o.err = err
		_ = o.file.Close()
	}
	return err
}

// Close closes the pipe, which ends a Read that waits.
func (o *output) Close() error { return o.file.Close() }

// tail is a writer that keeps the last max bytes.
type tail struct {
	mu  sync.Mutex
	max int
	buf []byte
}

// Write keeps the end of the output.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b...)
	if len(t.buf) > 2*t.max {
		t.buf = append(t.buf[:0], t.buf[len(t.buf)-t.max:]...)
	}
	return len(b), nil
}

// String returns what was kept.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	b := t.buf[max(0, len(t.buf)-t.max):]
	return strings.ToValidUTF8(string(b), "\uFFFD")
}
