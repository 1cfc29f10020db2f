//go:build unix

package machine

import (
	"context"
	"errors"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/internal/session"
	"parley/terminal"
)

// start starts a command of the user's own.
func start(t *testing.T, m *Machine, line string) acpclient.TerminalID {
	t.Helper()
	id, err := m.StartShell(t.Context(), session.ShellSpec{Line: line, Cols: 100, Rows: 30})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestOwnCommandRunsInTheDirectory(t *testing.T) {
	t.Setenv("SHELL", "/bin/sh")
	m, r, _ := newMachine(t)
	id := start(t, m, `stty size; basename "$PWD"; read x; echo "<$x>"; exit 3`)
	if err := m.TypeInto(id, []byte("hello\r")); err != nil {
		t.Fatal(err)
	}
	<-r.exited
	r.mu.Lock()
	output := r.output[id]
	r.mu.Unlock()
	if !strings.Contains(output, "30 100\r\n") || !strings.Contains(output, "<hello>") {
		t.Errorf("it printed %q", output)
	}
	if got := r.got(); !strings.HasPrefix(got, "own stty size;") || !strings.HasSuffix(got, "lasts false; exited 3") {
		t.Errorf("the observer saw %q", got)
	}
	if err := m.TypeInto(id, []byte("x")); !errors.Is(err, terminal.ErrEnded) {
		t.Errorf("typing into what has ended: %v", err)
	}
}

func TestShellLastsWithoutTheAgent(t *testing.T) {
	t.Setenv("SHELL", "/bin/sh")
	m, r, _ := newMachine(t)
	shell := start(t, m, "")
	created, err := m.CreateTerminal(context.Background(), &acpclient.CreateTerminalRequest{Command: "sleep", Args: []string{"1000"}})
	if err != nil {
		t.Fatal(err)
	}
	// The agent cannot touch what is the user's.
	if _, err := m.KillTerminal(t.Context(), &acpclient.KillTerminalRequest{TerminalID: shell}); err == nil {
		t.Error("the agent may end the user's shell")
	}
	if _, err := m.TerminalOutput(t.Context(), &acpclient.TerminalOutputRequest{TerminalID: shell}); err == nil {
		t.Error("the agent may read the user's shell")
	}
	m.EndTerminals()
	if ended := <-r.exited; ended != created.TerminalID {
		t.Errorf("%s has ended, not the agent's command", ended)
	}
	if err := m.TypeInto(shell, []byte("exit 7\r")); err != nil {
		t.Fatal(err)
	}
	if ended := <-r.exited; ended != shell || !strings.Contains(r.got(), "own sh in ") || !strings.HasSuffix(r.got(), "exited 7") {
		t.Errorf("the observer saw %q", r.got())
	}
}

func TestSomebodyTypesIntoCommandsOfTheAgent(t *testing.T) {
	for _, c := range []struct {
		name   string
		nobody bool
		want   string
	}{{"somebody", false, "<yes>"}, {"nobody", true, "<>"}} {
		t.Run(c.name, func(t *testing.T) {
			r := newRecord()
			m, err := New(r.observe, Options{Unattended: c.nobody}, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(m.Close)
			created, err := m.CreateTerminal(t.Context(), &acpclient.CreateTerminalRequest{Command: "sh", Args: []string{"-c", `read x; echo "<$x>"`}})
			if err != nil {
				t.Fatal(err)
			}
			if err := m.TypeInto(created.TerminalID, []byte("yes\r")); c.nobody == (err == nil) {
				t.Errorf("typing: %v", err)
			}
			<-r.exited
			out, err := m.TerminalOutput(t.Context(), &acpclient.TerminalOutputRequest{TerminalID: created.TerminalID})
			if err != nil || !strings.Contains(out.Output, c.want) {
				t.Errorf("got %+v, %v", out, err)
			}
		})
	}
}

func TestEndsACommandForThePerson(t *testing.T) {
	t.Setenv("SHELL", "/bin/sh")
	m, r, _ := newMachine(t)
	id := start(t, m, "sleep 1000")
	if err := m.EndTerminal(id); err != nil {
		t.Fatal(err)
	}
	<-r.exited
	if got := r.got(); !strings.HasSuffix(got, "exited by SIGTERM") && !strings.HasSuffix(got, "exited by SIGHUP") {
		t.Errorf("the observer saw %q", got)
	}
}
