//go:build unix

package cli

import (
	"os"
	"os/signal"
	"syscall"
)

// notifyContinued tells when the process goes on that was stopped.
func notifyContinued(c chan<- os.Signal) { signal.Notify(c, syscall.SIGCONT) }
