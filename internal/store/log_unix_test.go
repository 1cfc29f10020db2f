//go:build unix

package store

import (
	"testing"

	"golang.org/x/sys/unix"
)

// A log is free as soon as it is closed, also if a program is being started at that
// moment, which has a copy of the open file until it runs.
func TestAClosedLogIsFreeWhileAProgramIsStarted(t *testing.T) {
	s, l := newLog(t)
	inherited, err := unix.Dup(int(l.file.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(inherited)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := s.Continue(l.ID())
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}
