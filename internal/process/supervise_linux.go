package process

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// sweepTime is how long what is left may take to be gone once it was killed.
	sweepTime = 2 * time.Second
	// endTime is how long the program has to end when it was asked to.
	endTime = 4500 * time.Millisecond
)

var (
	// begun says that Begin was called.
	begun atomic.Bool
	// childEnded gets SIGCHLD once Begin was called.
	childEnded = make(chan os.Signal, 1)
)

// The main thread is kept to the main goroutine, for Main.
func init() { runtime.LockOSThread() }

// Main calls run and returns what it returns. It must be called by the main
// goroutine. If run has called Begin, all that descends from the process is ended
// before Main returns.
func Supervise(run func() int) int {
	done := make(chan int)
	go func() { done <- run() }()
	for {
		select {
		case <-childEnded:
			reapOrphans()
		case code := <-done:
			if begun.Load() {
				sweep()
			}
			return code
		}
	}
}

// Begin takes care from now on of what the process starts. It must be called once,
// below Main. The end of ctx is the wish that the process ends: if it does not, it is
// killed. end is to be called when the process ends by itself. An error says that
// nobody watches in case it is killed; all else is taken care of.
func BeginSupervision(ctx context.Context) (end func(), err error) {
	owner := rand.Text()
	if err := errors.Join(os.Setenv(SpareMark, owner), os.Unsetenv(OwnerMark)); err != nil {
		return func() {}, fmt.Errorf("mark what is started: %w", err)
	}
	// A subreaper is the new parent of whoever loses theirs below it.
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) // every Linux that Go runs on has it
	signal.Notify(childEnded, unix.SIGCHLD)
	begun.Store(true)
	stop := context.AfterFunc(ctx, func() {
		time.AfterFunc(endTime, func() { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL) })
	})
	watcher, err := watch(owner)
	if err != nil {
		return func() { stop() }, err
	}
	return func() { stop(); watcher() }, nil
}

// script has the mark of what is to be ended as its argument. It waits until nobody
// holds its standard input open any more. A process that starts another while it is
// killed is the reason to look again. It waits by itself and not with cat, which would
// be one more process for as long as parley runs.
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

// watch starts a shell that ends what this process has started when it is killed.
// The result ends the shell. It is a shell and not this program once more, which
// would take ten times the memory.
func watch(owner string) (end func(), err error) {
	shell := exec.Command("/bin/sh", "-c", script, "parley: ends what is left", OwnerMark+"="+owner)
	shell.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // signals from the terminal are not for it
	line, err := shell.StdinPipe()
	if err == nil {
		err = shell.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("start the shell that ends what parley leaves behind: %w", err)
	}
	return func() {
		_ = shell.Process.Kill() // before it sees the end of its input
		_ = shell.Wait()
		_ = line.Close()
	}, nil
}

// reapOrphans waits for the orphans that have ended. The kernel gives orphans to the
// main thread, which starts no commands: so none of these is a child that somebody
// else waits for.
func reapOrphans() {
	for {
		pid, err := unix.Wait4(-1, nil, unix.WNOHANG|unix.WNOTHREAD, nil)
		if !errors.Is(err, unix.EINTR) && (err != nil || pid <= 0) {
			return
		}
	}
}

// sweep ends all that descends from this process.
func sweep() {
	ctx, cancel := context.WithTimeout(context.Background(), sweepTime)
	defer cancel()
	_ = EndBelow(ctx) // what the kernel holds, or belongs to others, stays
	reapOrphans()
}
