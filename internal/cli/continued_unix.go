//go:build unix

package cli

import (
	"os"
	"os/signal"
	"syscall"
)

// notifyContinued sends a signal when the process continues after a stop.
func notifyContinued(c chan<- os.Signal) { signal.Notify(c, syscall.SIGCONT) }
