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

// stopTime bounds how long a process waits to be stopped by its own signal. A process
// that no shell could continue is not stopped.
const stopTime = 100 * time.Millisecond

// continuedMsg means that the process was stopped and continued.
type continuedMsg struct{}

// jobs handles job control: on SIGTSTP the process restores the terminal before it
// stops.
type jobs struct {
	taken atomic.Bool // the terminal is
	// signals are the terminal's, for listen; continued tells it that the process was
	// continued.
	signals, continued chan os.Signal
}

func newJobs() jobs {
	return jobs{signals: make(chan os.Signal, 8), continued: make(chan os.Signal, 1)}
}

// hear starts to collect the signals for listen. Call it before asking for the
// terminal's size, so that no later change is missed.
func (j *jobs) hear() {
	signal.Notify(j.signals, unix.SIGWINCH, unix.SIGTSTP)
	signal.Notify(j.continued, unix.SIGCONT)
}

// end stops collecting signals.
func (j *jobs) end() {
	signal.Stop(j.signals)
	signal.Stop(j.continued)
}

// listen turns the terminal's signals into messages until the screen is closed.
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

// tellSize sends the program the terminal's size, which may have changed.
func (s *screen) tellSize() {
	width, height := s.tty.size()
	s.mail.post(tea.WindowSizeMsg{Width: width, Height: height})
}

// stop stops a process, or our own group with 0. It uses SIGTTIN, because Go does not
// restore the effect of SIGTSTP once the program has been notified of it. Like SIGTSTP
// it does nothing where no shell would continue the process.
func stop(pid int) { _ = unix.Kill(pid, unix.SIGTTIN) }

// suspend restores the terminal, stops the process group, and takes the terminal again
// when it is continued.
//
// listen must not see this SIGCONT at all: a process that is continued after a long
// stop has also exceeded the time for which suspend waits, so suspend could not tell
// whether listen will still see the signal.
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
	if err := s.take(nil); err != nil {
		s.fail(err)
	}
	s.tellSize()
}

// again takes the terminal after the process was stopped without restoring it.
func (s *screen) again() {
	err := s.release()
	if err == nil {
		err = s.take(nil)
	}
	if err != nil {
		s.fail(err)
	}
}
