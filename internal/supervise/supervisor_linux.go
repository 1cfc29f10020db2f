package supervise

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"parley/internal/proctree"
)

// endTime is how long the program has to end when a signal has asked it to. Then it
// is killed.
const endTime = 4500 * time.Millisecond

// exitFatal is the exit code of a Go program that was ended by its own runtime.
const exitFatal = 2

// handedOn are the signals that the program gets from the supervisor. Those of the
// terminal reach both of them, and the program bears to get them twice.
var handedOn = []os.Signal{
	unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT, unix.SIGABRT, unix.SIGTSTP, unix.SIGUSR1, unix.SIGUSR2,
}

// Run makes this process the supervisor of the same program, started once more with
// the same arguments, and returns the program's exit code when it has ended and
// nothing is left of what it has started. ran is false if this process has a
// supervisor already, or cannot have one: then it is the program, and goes on.
func Run() (code int, ran bool, err error) {
	if supervised {
		return 0, false, nil
	}
	// The signal of the parent's death comes when the thread ends that has started
	// the program. This one stays as long as the process.
	runtime.LockOSThread()
	adoptOrphans()
	if err := os.Setenv(proctree.SpareMark, strconv.Itoa(os.Getpid())); err != nil {
		return 0, false, fmt.Errorf("prepare to start the program: %w", err)
	}
	signals := make(chan os.Signal, len(handedOn))
	signal.Notify(signals, handedOn...)
	terminal := rememberTerminal()
	pid, err := syscall.ForkExec("/proc/self/exe", os.Args, &syscall.ProcAttr{
		Env: os.Environ(), Files: []uintptr{0, 1, 2},
		Sys: &syscall.SysProcAttr{Pdeathsig: unix.SIGTERM},
	})
	if errors.Is(err, unix.ENOENT) {
		return 0, false, nil // there is no /proc: nothing could be found either
	}
	if err != nil {
		return 0, false, fmt.Errorf("start the program under its supervisor: %w", err)
	}
	over := make(chan struct{})
	go handOn(pid, signals, over)
	status := await(pid)
	close(over)
	sweepAll()
	if status.Signaled() || status.ExitStatus() == exitFatal {
		terminal.giveBack()
	}
	if status.Signaled() {
		return 128 + int(status.Signal()), true, nil
	}
	return status.ExitStatus(), true, nil
}

// handOn sends the program the signals that the supervisor gets, until over is
// closed. If the program does not end when it is asked to, it is killed.
func handOn(pid int, signals <-chan os.Signal, over <-chan struct{}) {
	var late <-chan time.Time
	for {
		select {
		case s := <-signals:
			_ = syscall.Kill(pid, s.(syscall.Signal)) // it may just have ended
			switch s {
			case unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT, unix.SIGABRT:
				if late == nil {
					late = time.After(endTime)
				}
			}
		case <-late:
			_ = syscall.Kill(pid, unix.SIGKILL)
		case <-over:
			return
		}
	}
}

// await waits until the program has ended. While the program is stopped, as by
// ctrl+z, so is the supervisor: its shell looks at that.
func await(pid int) unix.WaitStatus {
	for {
		var status unix.WaitStatus
		_, err := unix.Wait4(pid, &status, unix.WUNTRACED, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil || !status.Stopped():
			return status
		default:
			_ = syscall.Kill(os.Getpid(), unix.SIGSTOP)
			_ = syscall.Kill(pid, unix.SIGCONT)
		}
	}
}

// sweepAll ends all that the program has left behind, and waits for all of it.
func sweepAll() {
	sweep()
	for {
		pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
		if !errors.Is(err, unix.EINTR) && (err != nil || pid <= 0) {
			return
		}
	}
}
