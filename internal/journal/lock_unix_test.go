//go:build unix

package journal

import (
	"syscall"
	"testing"

	"parley/internal/conversation"
)

// A journal can be gone on with as soon as it is closed, also if a program is being
// started at that moment, which has a copy of the open log until it runs.
func TestAClosedJournalIsFreeWhileAProgramIsStarted(t *testing.T) {
	p := newProject(t)
	p.Watch(conversation.SessionOpened{ID: "s1"})
	p.turn("", func() { p.serve("a", "1\n") })
	inherited, err := syscall.Dup(int(p.Journal.log.file.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(inherited)
	p.again("s1")
	if got := p.names(0); got != "a" {
		t.Errorf("files: %q", got)
	}
}
