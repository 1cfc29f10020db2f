//go:build unix

package terminal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"parley/internal/process"
)

// child is a command on a pty, leader of a session of its own.
type child struct {
	cmd    *exec.Cmd
	master *os.File
	tree   *process.Tree
}

// start runs c on a new pty, which becomes the controlling terminal of a new session.
// Without input, its standard input is empty.
func start(c command, cols, rows int, input bool) (*child, error) {
	master, tty, err := openPTY(cols, rows)
	if err != nil {
		return nil, fmt.Errorf("cannot open a pty for %q: %w", c.argv[0], err)
	}
	defer tty.Close()
	cmd := &exec.Cmd{
		Path: c.path, Args: c.argv, Env: c.env, Dir: c.dir,
		Stdout: tty, Stderr: tty,
		SysProcAttr: &syscall.SysProcAttr{Setctty: true, Ctty: 1},
	}
	if input {
		cmd.Stdin = tty
	}
	process.Lead(cmd)
	if err := cmd.Start(); err != nil {
		master.Close()
		if p, ok := errors.AsType[*fs.PathError](err); ok {
			err = p.Err // the command is named here
		}
		if errors.Is(err, unix.ENOEXEC) {
			err = fmt.Errorf("it is neither a program for this machine nor a script with a #! line: %w", err)
		}
		return nil, fmt.Errorf("cannot run %q: %w", c.argv[0], err)
	}
	return &child{cmd: cmd, master: master, tree: process.NewTree(cmd.Process.Pid)}, nil
}

// openPTY opens a pty whose master supports deadlines and whose pending reads end when
// it is closed. The library's own pty is in blocking mode and supports neither.
func openPTY(cols, rows int) (master, tty *os.File, err error) {
	m, tty, err := pty.Open()
	if err != nil {
		return nil, nil, err
	}
	defer m.Close()
	fd, err := unix.FcntlInt(m.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err == nil {
		err = unix.SetNonblock(fd, true)
	}
	if err != nil {
		tty.Close()
		return nil, nil, err
	}
	master = os.NewFile(uintptr(fd), m.Name())
	if err := setSize(master, cols, rows); err != nil {
		master.Close()
		tty.Close()
		return nil, nil, err
	}
	return master, tty, nil
}

func setSize(f *os.File, cols, rows int) error {
	var ioctlErr error
	err := control(f, func(fd int) {
		ioctlErr = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Col: uint16(cols), Row: uint16(rows)})
	})
	return errors.Join(err, ioctlErr)
}

// control uses the descriptor without switching it to blocking mode, as Fd would.
func control(f *os.File, use func(fd int)) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	return conn.Control(func(fd uintptr) { use(int(fd)) })
}

// read waits for output and then takes everything available: the kernel returns at
// most 4 KB at a time, and larger pieces are cheaper to process.
func (p *child) read(buf []byte) (int, error) {
	n, err := p.master.Read(buf)
	if err != nil || n == 0 {
		return n, err
	}
	_ = control(p.master, func(fd int) { // the next read reports the error again
		for n < len(buf) {
			more, err := unix.Read(fd, buf[n:])
			if err != nil || more <= 0 {
				return
			}
			n += more
		}
	})
	return n, nil
}

// write writes all of data. It blocks while the pty is full.
func (p *child) write(data []byte) error {
	_, err := p.master.Write(data)
	return err
}

// resize notifies the programs on the pty of a new size.
func (p *child) resize(cols, rows int) error { return setSize(p.master, cols, rows) }

// hidesInput reports whether a program reads a line without showing it. Programs that
// take keys one by one do more than that, and are none.
func (p *child) hidesInput() (hides bool) {
	_ = control(p.master, func(fd int) {
		if modes, err := term.GetState(uintptr(fd)); err == nil {
			hides = modes.Lflag&unix.ECHO == 0 && modes.Lflag&unix.ICANON != 0
		}
	})
	return hides
}

// stopReadingIn makes pending and later reads fail with os.ErrDeadlineExceeded after d;
// zero removes the deadline.
func (p *child) stopReadingIn(d time.Duration) {
	var t time.Time
	if d > 0 {
		t = time.Now().Add(d)
	}
	_ = p.master.SetReadDeadline(t) // fails only on a closed pty, where reads end anyway
}

// hangUp closes the pty: pending reads end, and processes that still hold the other
// side get SIGHUP and errors.
func (p *child) hangUp() { _ = p.master.Close() }

// wait returns when the command itself has ended. Call it once.
func (p *child) wait() ExitStatus {
	_ = p.cmd.Wait() // the process state says more than the error
	p.tree.Reaped()
	state, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if ok && state.Signaled() {
		name := unix.SignalName(state.Signal())
		if name == "" {
			name = fmt.Sprintf("signal %d", int(state.Signal()))
		}
		return ExitStatus{Signal: &name}
	}
	code := uint32(max(p.cmd.ProcessState.ExitCode(), 0))
	return ExitStatus{ExitCode: &code}
}

func executable(file string, _ fs.FileInfo) bool { return unix.Access(file, unix.X_OK) == nil }

// spellings returns the files that a program name may mean: on Unix, just the name.
func spellings(file string) []string { return []string{file} }

func shell(line string) []string { return []string{"sh", "-c", line} }
