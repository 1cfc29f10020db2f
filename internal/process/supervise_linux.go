package process

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// sweepTime is how long killed processes may take to be gone.
	sweepTime = 2 * time.Second
	// endTime is how long the program may take to end when asked to.
	endTime = 4500 * time.Millisecond
)

var (
	// begun is set by BeginSupervision.
	begun atomic.Bool
	// childEnded receives SIGCHLD after BeginSupervision.
	childEnded = make(chan os.Signal, 1)
)

// The main goroutine keeps the main thread, for Supervise.
func init() { runtime.LockOSThread() }

// Supervise calls run and returns its result. Call it from the main goroutine. If run
// has called BeginSupervision, Supervise ends all descendants of the process before it
// returns.
func Supervise(run func() int) int {
	done := make(chan int)
	go func() { done <- run() }()
	for {
		select {
		case <-childEnded:
			reapOrphans()
		case code := <-done:
			if begun.Load() {
				ctx, cancel := context.WithTimeout(context.Background(), sweepTime)
				_ = endBelow(ctx) // best effort: some may be stuck in the kernel or belong to others
				cancel()
				reapOrphans()
			}
			return code
		}
	}
}

// Supervision supervises the processes that this one starts.
type Supervision struct {
	owner    string
	stop     func() bool
	starting sync.WaitGroup
	// shell ends the descendants of this process if it is killed; nil if it could not be
	// started. A second instance of this program would take ten times the memory.
	shell *exec.Cmd
	line  io.Closer // its standard input
}

// BeginSupervision starts to supervise the processes that this one starts. Call it
// once, inside Supervise, before the first of them is started. The end of ctx means
// that the process should end: it is killed if it does not.
func BeginSupervision(ctx context.Context) *Supervision {
	s := &Supervision{owner: rand.Text()}
	_ = errors.Join(os.Setenv(spareMark, s.owner), os.Unsetenv(ownerMark)) // fails for bad names only
	// A subreaper becomes the parent of its orphaned descendants.
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) // every Linux that Go supports has it
	signal.Notify(childEnded, unix.SIGCHLD)
	begun.Store(true)
	s.stop = context.AfterFunc(ctx, func() {
		time.AfterFunc(endTime, func() { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL) })
	})
	return s
}

// Watch starts, in the background, the shell that ends the descendants of this process
// if it is killed. Call it once, after the work that must not wait for a process to start.
// Without a shell nothing ends them; all else works.
func (s *Supervision) Watch() {
	s.starting.Go(func() {
		shell := exec.Command("/bin/sh", "-c", script, "parley: ends what is left", ownerMark+"="+s.owner)
		shell.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // signals from the terminal must not reach it
		line, err := shell.StdinPipe()
		if err == nil {
			err = shell.Start()
		}
		if err == nil {
			s.shell, s.line = shell, line
		}
	})
}

// End stops the supervision. Call it when the process ends by itself.
func (s *Supervision) End() {
	s.stop()
	s.starting.Wait()
	if s.shell != nil {
		_ = s.shell.Process.Kill() // before it sees the end of its input
		_ = s.shell.Wait()
		_ = s.line.Close()
	}
}

// script gets the mark of the processes to end as its argument. It waits until its
// standard input is closed. It looks again until nothing is left, because a process may
// start another while it is killed. It reads with the shell, because cat would be one
// more process during all of parley's life.
const script = `
while read -r line; do :; done
for again in 1 2 3 4 5; do
  found=
  for file in $(grep -lsF -- "$1" /proc/[0-9]*/environ); do
    id=${file#/proc/}
    kill -9 "${id%/environ}" 2>/dev/null && found=yes
  done
  [ -n "$found" ] || exit 0
done
`

// reapOrphans waits for orphans that have ended. The kernel gives orphans to the main
// thread, which starts no commands, so none of them is a child that another goroutine
// waits for.
func reapOrphans() {
	for {
		pid, err := unix.Wait4(-1, nil, unix.WNOHANG|unix.WNOTHREAD, nil)
		if !errors.Is(err, unix.EINTR) && (err != nil || pid <= 0) {
			return
		}
	}
}
