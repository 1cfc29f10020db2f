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
	taken atomic.Bool // the terminal is
	// signals are the terminal's, for listen; continued tells it that the process goes on
	// after it was stopped.
	signals, continued chan os.Signal
}

func newJobs() jobs {
	return jobs{signals: make(chan os.Signal, 8), continued: make(chan os.Signal, 1)}
}

// hear has the signals wait for listen. It comes before the terminal is asked for its size:
// what happens to it afterwards is told.
func (j *jobs) hear() {
	signal.Notify(j.signals, unix.SIGWINCH, unix.SIGTSTP)
	signal.Notify(j.continued, unix.SIGCONT)
}

// end leaves the signals to whoever comes next.
func (j *jobs) end() {
	signal.Stop(j.signals)
	signal.Stop(j.continued)
}

// listen makes messages of the terminal's signals until the screen is closed.
func (s *screen) listen() {
	for {
		select {
		case <-s.closed:
			return
		case <-s.jobs.continued:
			s.mail.post(continuedMsg{})
			s.tellSize()
		case sig := <-s.jobs.signals:
			switch {
			case sig == unix.SIGWINCH:
				s.tellSize()
			case s.jobs.taken.Load():
				s.mail.post(tea.SuspendMsg{})
			default: // the program that has the terminal stops, and we with it
				stop(os.Getpid())
			}
		}
	}
}

// tellSize tells the program the terminal's size, which may have changed.
func (s *screen) tellSize() {
	width, height := s.tty.size()
	s.mail.post(tea.WindowSizeMsg{Width: width, Height: height})
}

// stop stops a process, or our own group with 0. Who has once been notified of
// SIGTSTP is never again stopped by it: Go does not give the signal its effect
// back. SIGTTIN has the same, and does nothing either where no shell would
// continue the process.
func stop(pid int) { _ = unix.Kill(pid, unix.SIGTTIN) }

// suspend gives the terminal back, stops the process with all of its group, and
// takes the terminal again when it is continued.
//
// That the process goes on is no news for listen then. It must not hear of it at all: the
// time for which this waits has passed as well when a process goes on that was stopped for
// longer, so that nothing here could tell whether listen will still hear of it.
func (s *screen) suspend() {
	if err := s.release(); err != nil {
		s.fail(err)
		return
	}
	signal.Stop(s.jobs.continued)
	defer signal.Notify(s.jobs.continued, unix.SIGCONT)
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, unix.SIGCONT)
	defer signal.Stop(continued)
	stop(0)
	select {
	case <-continued:
	case <-time.After(stopTime):
	}
	if err := s.take(); err != nil {
		s.fail(err)
	}
	s.tellSize()
}

// again takes the terminal once more after the process was stopped without
// having given it back.
func (s *screen) again() {
	err := s.release()
	if err == nil {
		err = s.take()
	}
	if err != nil {
		s.fail(err)
	}
}
