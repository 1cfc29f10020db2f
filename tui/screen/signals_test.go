//go:build unix

package screen

import (
	"os"
	"syscall"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// A window that gets another size while the program starts is not drawn in the old one:
// what comes before anybody listens is told then.
func TestHearsSignalsBeforeItListens(t *testing.T) {
	s := &screen{tty: &tty{out: os.Stdout}, mail: newMailbox(), jobs: newJobs(), closed: make(chan struct{})}
	s.jobs.hear()
	defer s.jobs.end()
	if err := syscall.Kill(os.Getpid(), syscall.SIGWINCH); err != nil {
		t.Fatal(err)
	}
	s.running.Go(s.listen)
	select {
	case <-s.mail.some:
	case <-time.After(2 * time.Minute):
		t.Fatal("nobody was told")
	}
	if _, is := s.mail.waiting[0].(tea.WindowSizeMsg); !is {
		t.Errorf("what was told is a %T", s.mail.waiting[0])
	}
	close(s.closed)
	s.running.Wait()
}
