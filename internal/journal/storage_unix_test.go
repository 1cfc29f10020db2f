//go:build unix

package journal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"parley/internal/conversation"
)

// A record of which only the beginning was written costs itself, and not the one behind it.
func TestARecordThatIsCutShortCostsItself(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	go func() { // takes the beginning, as a disk does that is full then
		_, _ = io.ReadFull(r, make([]byte, 10))
		_ = r.Close()
	}()
	l := &log{file: w}
	if err := l.add(record{Kind: kindTurn, Turn: 1, Prompt: strings.Repeat("x", 1<<20)}, false); !errors.Is(err, syscall.EPIPE) {
		t.Fatalf("the pipe takes it: %v", err)
	}
	path := filepath.Join(t.TempDir(), logName)
	if l.file, err = os.Create(path); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(l.add(record{Kind: kindTurn, Turn: 2}, false), l.close()); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "\n"+`{"kind":"turn","turn":2}`+"\n" {
		t.Errorf("what follows is %q, %v", got, err)
	}
}

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

// An act changes more files than the process may have open.
func TestAnActOfMoreFilesThanMayBeOpen(t *testing.T) {
	p := newProject(t)
	var changes []Change
	for i := range 1200 {
		name := fmt.Sprint("f", i)
		p.write(name, "1\n")
		changes = append(changes, p.changed(name, "1\n", "2\n"))
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	few := limit
	few.Cur = min(limit.Cur, 1100)
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit) }()
	p.must(p.Merge(t.Context(), changes))
	p.holds("f1199", "2\n")
}
