//go:build unix

package screen

import (
	"os"
	"os/signal"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/sys/unix"
)

// stopTime is how long a process waits to be stopped by its own signal. One that
// no shell could continue is not stopped.
const stopTime = 100 * time.Millisecond

// continuedMsg says that the process was stopped, and has been continued.
type continuedMsg struct{}

// jobs is what a shell does with the process while it has the terminal: SIGTSTP
// stops it as one that has given the terminal back before.
type jobs struct {
	taken  atomic.Bool // the terminal is
	missed int         // continuations that listen will hear of, and suspend has seen to
}

// listen makes messages of the terminal's signals until the screen is closed.
func (s *screen) listen() {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, unix.SIGWINCH, unix.SIGCONT, unix.SIGTSTP)
	defer signal.Stop(signals)
	for {
		var sig os.Signal
		select {
		case <-s.closed:
			return
		case sig = <-signals:
		}
		switch {
		case sig == unix.SIGTSTP && s.jobs.taken.Load():
			s.mail.post(tea.SuspendMsg{})
			continue
		case sig == unix.SIGTSTP: // the program that has it stops, and we with it
			stop(os.Getpid())
			continue
		case sig == unix.SIGCONT:
			s.mail.post(continuedMsg{})
		}
		width, height := s.tty.size() // it may have changed while the process was stopped
		s.mail.post(tea.WindowSizeMsg{Width: width, Height: height})
	}
}

// stop stops a process, or our own group with 0. Who has once been notified of
// SIGTSTP is never again stopped by it: Go does not give the signal its effect
// back. SIGTTIN has the same, and does nothing either where no shell would
// continue the process.
func stop(pid int) { _ = unix.Kill(pid, unix.SIGTTIN) }

// suspend gives the terminal back, stops the process with all of its group, and
// takes the terminal again when it is continued.
func (s *screen) suspend() {
	if err := s.release(); err != nil {
		s.fail(err)
		return
	}
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, unix.SIGCONT)
	defer signal.Stop(continued)
	stop(0)
	select {
	case <-continued:
		s.jobs.missed++
	case <-time.After(stopTime):
	}
	if err := s.take(); err != nil {
		s.fail(err)
	}
}

// again takes the terminal once more after the process was stopped without
// having given it back. It reports whether there was a need to.
func (s *screen) again() bool {
	if s.jobs.missed > 0 {
		s.jobs.missed--
		return false
	}
	err := s.release()
	if err == nil {
		err = s.take()
	}
	if err != nil {
		s.fail(err)
	}
	return true
}
