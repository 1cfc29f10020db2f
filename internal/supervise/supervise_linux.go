package supervise

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"parley/internal/proctree"
)

// sweepTime is how long what is left may take to be gone once it was killed.
const sweepTime = 2 * time.Second

// supervised says that the process has a supervisor. Main sets it.
var supervised bool

// The main thread is kept to the main goroutine, for Main.
func init() { runtime.LockOSThread() }

// Main calls run and returns what it returns. It must be called by the main
// goroutine. In a program that has a supervisor, all that descends from the program
// is ended before Main returns.
func Main(run func() int) int {
	supervised = os.Getenv(proctree.SpareMark) == strconv.Itoa(os.Getppid())
	if !supervised {
		runtime.UnlockOSThread()
		return run()
	}
	adoptOrphans()
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, unix.SIGCHLD)
	done := make(chan int)
	go func() { done <- run() }()
	for {
		select {
		case <-ended:
			reapOrphans()
		case code := <-done:
			sweep()
			return code
		}
	}
}

// adoptOrphans makes this process a subreaper: below it, whoever loses the parent
// becomes its child.
func adoptOrphans() {
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) // every Linux that Go runs on has it
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
	_ = proctree.EndBelow(ctx) // what the kernel holds, or belongs to others, stays
	reapOrphans()
}
