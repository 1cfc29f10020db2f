//go:build unix

package terminal

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// typing is a watched shell script that a user can type into.
func typing(t *testing.T, m *Manager, w *watcher, script string) string {
	t.Helper()
	spec := w.spec("sh", "-c", script)
	spec.Input = true
	return create(t, m, spec)
}

func TestWhatIsTypedIsRead(t *testing.T) {
	m := openManager(t)
	var w watcher
	id := typing(t, m, &w, `printf 'Go on? '; read a; stty -echo; printf 'Password: '; read b; stty echo; echo; test "$b" = s3cret && echo "got $a and the password"`)
	w.waitFor(t, "Go on? ")
	if err := m.Write(id, []byte("y\r")); err != nil {
		t.Fatal(err)
	}
	w.waitFor(t, "Password: ")
	if err := m.Write(id, []byte("s3cret\r")); err != nil {
		t.Fatal(err)
	}
	if status := wait(t, m, id); status.String() != "exit code 0" {
		t.Errorf("got %v", status)
	}
	text, _, _, _ := m.Output(id)
	if text != "Go on? y\nPassword: \ngot y and the password\n" {
		t.Errorf("got %q", text)
	}
}

// lines is a script that goes on for ever. A shell such as dash loses a signal that comes
// while it starts a command, so whoever waits for it to take one sends it again after each
// of its lines, as a user would.
const lines = `n=0; while :; do n=$((n+1)); echo "line $n."; sleep 0.1; done`

func TestControlCEndsWhatRuns(t *testing.T) {
	m := openManager(t)
	var w watcher
	id := typing(t, m, &w, `trap 'exit 9' INT; `+lines)
	for n := 1; w.says(t, fmt.Sprintf("line %d.", n)); n++ {
		if err := m.Write(id, []byte{3}); err != nil && !errors.Is(err, ErrEnded) {
			t.Fatal(err)
		}
	}
	if status := wait(t, m, id); status.String() != "exit code 9" {
		t.Errorf("got %v", status)
	}
	if err := m.Write(id, []byte("x")); !errors.Is(err, ErrEnded) {
		t.Errorf("typing into what has ended: %v", err)
	}
}

func TestNobodyTypesWhereNobodyIs(t *testing.T) {
	m := openManager(t)
	var w watcher
	id := create(t, m, w.spec("sh", "-c", "echo ready; sleep 1000"))
	w.waitFor(t, "ready")
	if err := m.Write(id, []byte("x")); !errors.Is(err, ErrNoInput) {
		t.Errorf("got %v", err)
	}
	if err := m.Write("another", []byte("x")); !errors.Is(err, ErrUnknownTerminal) {
		t.Errorf("got %v", err)
	}
}

// A command that does not read takes a bounded paste, and ends all the same.
func TestPasteThatNobodyReads(t *testing.T) {
	m := openManager(t)
	var w watcher
	id := typing(t, m, &w, `stty raw -echo; echo ready; exec sleep 1000`)
	w.waitFor(t, "ready")
	var err error
	for range 64 {
		if err = m.Write(id, make([]byte, 64<<10)); err != nil {
			break
		}
	}
	if !errors.Is(err, ErrNotReading) {
		t.Errorf("4 MB were taken: %v", err)
	}
	if err := m.Release(id); err != nil {
		t.Error(err)
	}
}

func TestProgramsAreToldOfAnotherSize(t *testing.T) {
	m := openManager(t)
	var w watcher
	id := typing(t, m, &w, `trap 'echo "now $(stty size)"; exit' WINCH; `+lines)
	for n := 1; w.says(t, fmt.Sprintf("line %d.", n)); n++ {
		if err := m.Resize(id, 101+n%2, 33); err != nil && !errors.Is(err, ErrEnded) {
			t.Fatal(err)
		}
	}
	w.waitFor(t, "now 33 10")
}

func TestOwnCommandsHaveTheOwnPager(t *testing.T) {
	t.Setenv("PAGER", "my-pager")
	t.Setenv("GIT_PAGER", "")
	t.Setenv("TERM", "dumb")
	m := openManager(t)
	id := create(t, m, Spec{Command: "sh", Args: []string{"-c", `echo "$PAGER <$GIT_PAGER> $TERM"`}, Personal: true})
	wait(t, m, id)
	if text, _, _, _ := m.Output(id); strings.TrimSpace(text) != "my-pager <> xterm-256color" {
		t.Errorf("got %q", text)
	}
}

// A viewer is told when a command reads a line unseen, also if it says nothing about that.
func TestHiddenInput(t *testing.T) {
	for _, script := range []string{
		`stty -echo; printf 'Password: '; read a; stty echo; echo; read b`,
		`printf 'Password: '; stty -echo; read a; stty echo; read b`,
		`stty -echo; read a; stty echo; read b`,
		`stty raw -echo; printf x; sleep 0.1; stty -raw -echo; read a; stty echo; read b`,
	} {
		m := openManager(t)
		told := make(chan bool, 10)
		id := create(t, m, Spec{Command: "sh", Args: []string{"-c", script}, Input: true, OnHidden: func(_ string, hidden bool) { told <- hidden }})
		if !<-told {
			t.Errorf("%s: input is shown first", script)
		}
		if err := m.Write(id, []byte("s3cret\r")); err != nil {
			t.Fatal(err)
		}
		if <-told {
			t.Errorf("%s: input is hidden twice", script)
		}
		if err := m.Kill(id); err != nil {
			t.Fatal(err)
		}
	}
}
