//go:build unix

package screen

import (
	"os"
	"os/signal"
	"time"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/sys/unix"
)

// stopTime is how long a process waits to be stopped by its own signal. One that
// no shell could continue is not stopped.
const stopTime = 100 * time.Millisecond

// continuedMsg says that the process was stopped, and has been continued.
type continuedMsg struct{}

// jobs is what a shell does with the process while it has the terminal: ctrl+z,
// or another way to send SIGTSTP, stops it as one that has given the terminal
// back before.
type jobs struct {
	stop   chan os.Signal
	missed int // continuations that listen will hear of, and suspend has seen to
}

func newJobs() jobs { return jobs{stop: make(chan os.Signal, 1)} }

// catch makes SIGTSTP a message. Without it the signal stops the process at
// once, which is right while another program has the terminal.
func (j *jobs) catch() { signal.Notify(j.stop, unix.SIGTSTP) }

func (j *jobs) leave() { signal.Stop(j.stop) }

// listen makes messages of the terminal's signals until the screen is closed.
func (s *screen) listen() {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, unix.SIGWINCH, unix.SIGCONT)
	defer signal.Stop(signals)
	for {
		select {
		case <-s.closed:
			return
		case <-s.jobs.stop:
			s.mail.post(tea.SuspendMsg{})
		case sig := <-signals:
			if sig == unix.SIGCONT {
				s.mail.post(continuedMsg{})
			}
			width, height := s.tty.size() // it may have changed while the process was stopped
			s.mail.post(tea.WindowSizeMsg{Width: width, Height: height})
		}
	}
}

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
	_ = unix.Kill(0, unix.SIGTSTP)
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
