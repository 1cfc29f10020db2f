//go:build unix

package terminal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/terminal/screen"
)

func TestExitStatusAndOutput(t *testing.T) {
	m := openManager(t)
	for _, c := range []struct{ name, script, output, status string }{
		{"success", "echo hello", "hello\n", "exit code 0"},
		{"failure", "printf oops; exit 3", "oops", "exit code 3"},
		{"stderr is output too", "echo one; echo two >&2", "one\ntwo\n", "exit code 0"},
		{"signal", "kill -KILL $$", "", "killed by SIGKILL"},
		{"another signal", "kill -SEGV $$", "", "killed by SIGSEGV"},
		{"colours are not for models", `printf '\033[31mred\033[0m\n'`, "red\n", "exit code 0"},
		{"progress", `printf '10%%\r50%%\r100%%\ndone\n'`, "100%\ndone\n", "exit code 0"},
		{"tabs are kept", `printf 'a\tb\n\tc\n'`, "a\tb\n\tc\n", "exit code 0"},
		{"it is a terminal", "test -t 1 && test -t 2 && echo yes", "yes\n", "exit code 0"},
		{"of the default size", "stty size </dev/tty", "24 80\n", "exit code 0"},
		{"The queue is empty for input", "cat; read x; echo \"<$x>\"", "<>\n", "exit code 0"},
		{"no pager, a known terminal", `echo $TERM $PAGER $GIT_PAGER`, "xterm-256color cat cat\n", "exit code 0"},
		{"it closes its terminal", "echo bye; exec >/dev/null 2>&1; exit 4", "bye\n", "exit code 4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			output, status := run(t, m, c.script)
			if output != c.output || status.String() != c.status {
				t.Errorf("got %q, %v; want %q, %v", output, status, c.output, c.status)
			}
		})
	}
}

func TestLongLinesAreJoinedAgain(t *testing.T) {
	long := strings.Repeat("0123456789", 50)
	if got, _ := run(t, openManager(t), "echo "+long); got != long+"\n" {
		t.Errorf("got %q", got)
	}
}

func TestSpecIsObeyed(t *testing.T) {
	m := openManager(t)
	dir := t.TempDir()
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	id := create(t, m, Spec{
		Command: "sh", Args: []string{"-c", `echo "$GREETING $PAGER $PWD"; stty size </dev/tty`},
		Env: []string{"GREETING=a", "GREETING=hello there", "PAGER=less"},
		Cwd: real, Cols: 100, Rows: 30,
	})
	wait(t, m, id)
	text, _, _, _ := m.Output(id)
	if want := "hello there less " + real + "\n30 100\n"; strings.ReplaceAll(text, "\n", "") != strings.ReplaceAll(want, "\n", "") {
		t.Errorf("got %q, want %q", text, want)
	}
}

func TestProgramIsFoundWithTheRequestsPathAndDirectory(t *testing.T) {
	m := openManager(t)
	dir := t.TempDir()
	writeScript(t, filepath.Join(dir, "hello-parley"), 0o755)
	for _, spec := range []Spec{
		{Command: "hello-parley", Env: []string{"PATH=" + dir + ":/usr/bin:/bin"}},
		{Command: "./hello-parley", Cwd: dir},
		{Command: filepath.Join(dir, "hello-parley")},
	} {
		id := create(t, m, spec)
		wait(t, m, id)
		if text, _, _, _ := m.Output(id); text != "hello\n" {
			t.Errorf("%q: got %q", spec.Command, text)
		}
	}
}

func writeScript(t *testing.T, file string, mode fs.FileMode) {
	t.Helper()
	if err := os.WriteFile(file, []byte("#!/bin/sh\necho hello\n"), mode); err != nil {
		t.Fatal(err)
	}
}

func TestShellLine(t *testing.T) {
	m := openManager(t)
	for line, want := range map[string]string{
		"echo one && echo two | tr a-z A-Z": "one\nTWO\n",
		"/bin/echo one/two":                 "one/two\n", // looks like a path
	} {
		id := create(t, m, Spec{Command: line})
		wait(t, m, id)
		if text, _, _, _ := m.Output(id); text != want {
			t.Errorf("%s: got %q", line, text)
		}
	}
}

func TestCreateErrors(t *testing.T) {
	m := openManager(t)
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	writeScript(t, plain, 0o644)
	for _, c := range []struct {
		name string
		spec Spec
		want string
		is   error
	}{
		{"no command", Spec{}, "the command is empty", nil},
		{"missing program", Spec{Command: "no-such-program"}, `cannot run "no-such-program": executable file not found in $PATH`, exec.ErrNotFound},
		{"missing program with arguments", Spec{Command: "no such program", Args: []string{"x"}}, "executable file not found", exec.ErrNotFound},
		{"missing file", Spec{Command: "./nothing", Cwd: dir}, "/nothing: no such file or directory", fs.ErrNotExist},
		{"not executable", Spec{Command: plain}, "is not executable", fs.ErrPermission},
		{"a directory", Spec{Command: dir}, "is a directory", nil},
		{"missing directory", Spec{Command: "true", Cwd: dir + "/none"}, `cannot run a command in "` + dir + `/none": no such file or directory`, fs.ErrNotExist},
		{"a file as directory", Spec{Command: "true", Cwd: plain}, "is not a directory", nil},
		{"a relative directory", Spec{Command: "true", Cwd: "x"}, "must be an absolute path", nil},
		{"bad environment", Spec{Command: "true", Env: []string{"NONSENSE"}}, `"NONSENSE" is not of the form NAME=value`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := m.Create(t.Context(), c.spec)
			if err == nil || !strings.Contains(err.Error(), c.want) || c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	t.Run("a value is never shown", func(t *testing.T) {
		_, err := m.Create(t.Context(), Spec{Command: "true", Env: []string{"TOKEN=secret\x00"}})
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := m.Create(ctx, Spec{Command: "true"}); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}

func TestUnknownIDs(t *testing.T) {
	m := openManager(t)
	id := create(t, m, Spec{Command: "true"})
	if err := m.Release(id); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{id, "", "term_x"} {
		_, _, _, outputErr := m.Output(id)
		_, waitErr := m.WaitForExit(t.Context(), id)
		for _, err := range []error{outputErr, waitErr, m.Kill(id), m.Release(id)} {
			if !errors.Is(err, ErrUnknownTerminal) {
				t.Errorf("%q: got %v", id, err)
			}
		}
	}
}

func TestManyWaitersAndOneThatGivesUp(t *testing.T) {
	m := openManager(t)
	id := create(t, m, Spec{Command: "sleep", Args: []string{"1000"}})

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.WaitForExit(ctx, id); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}

	var waiters sync.WaitGroup
	for range 20 {
		waiters.Go(func() {
			status, err := m.WaitForExit(t.Context(), id)
			if err != nil || status.String() != "killed by SIGTERM" {
				t.Errorf("got %v, %v", status, err)
			}
		})
	}
	if err := m.Kill(id); err != nil {
		t.Fatal(err)
	}
	waiters.Wait()
}

func TestCallbacksComeInOrder(t *testing.T) {
	m := openManager(t)
	var events []string // no lock: the callbacks come from one goroutine, and are waited for
	id := create(t, m, Spec{
		Command: "sh", Args: []string{"-c", "seq 1 20000"},
		OnOutput: func(_ string, data []byte) {
			if len(data) == 0 || len(data) > 32<<10 {
				t.Errorf("a piece of %d bytes", len(data))
			}
			events = append(events, string(data))
		},
		OnExit: func(_ string, s ExitStatus) { events = append(events, s.String()) },
	})
	waitForCallbacks(t, m, id)
	var want strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&want, "%d\r\n", i+1)
	}
	want.WriteString("exit code 0")
	if strings.Join(events, "") != want.String() {
		t.Error("the output has not come whole and in order")
	}
}

func TestViewerHoldsTheCommandUp(t *testing.T) {
	m := openManager(t)
	gate := make(chan struct{})
	var total int
	id := create(t, m, Spec{
		Command:  "sh",
		Args:     []string{"-c", "head -c 3000000 /dev/zero | tr '\\0' x"},
		OnOutput: func(_ string, data []byte) { <-gate; total += len(data) },
	})
	if _, _, status, err := m.Output(id); status != nil || err != nil {
		t.Errorf("it has ended: %v, %v", status, err)
	}
	close(gate)
	waitForCallbacks(t, m, id)
	text, truncated, _, _ := m.Output(id)
	if total != 3000000 || len(text) != DefaultOutputLimit || !truncated {
		t.Errorf("%d bytes came, %d are kept, truncated %v", total, len(text), truncated)
	}
}

func TestBlockedViewerDoesNotHoldUpTheEnd(t *testing.T) {
	m := openManagerWithGrace(t, 50*time.Millisecond)
	gate, blocked := make(chan struct{}), make(chan struct{})
	var once sync.Once
	id := create(t, m, Spec{
		Command:  "yes",
		OnOutput: func(string, []byte) { once.Do(func() { close(blocked) }); <-gate },
	})
	<-blocked
	if err := m.Release(id); err != nil {
		t.Fatal(err)
	}
	close(gate) // the reader ends by itself now, which goleak sees to
}

func TestOutputLimit(t *testing.T) {
	m := openManager(t)
	for _, c := range []struct {
		limit     uint64
		want      string
		truncated bool
	}{
		{0, "", true},
		{1, "", true},    // half a character
		{4, "ü\n", true}, // ü is two bytes, the line end on a pty too
		{5, "ü\n", true}, // no half character
		{100, "äöü\n", false},
	} {
		id := create(t, m, Spec{Command: "echo", Args: []string{"äöü"}, OutputByteLimit: &c.limit})
		wait(t, m, id)
		if text, truncated, _, _ := m.Output(id); strings.TrimPrefix(text, "\n") != c.want || truncated != c.truncated {
			t.Errorf("limit %d: %q, %v", c.limit, text, truncated)
		}
	}
}

func TestClosedManagerRefuses(t *testing.T) {
	m := openManager(t)
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Create(t.Context(), Spec{Command: "true"}); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
}

func TestConcurrentUse(t *testing.T) {
	m := openManager(t)
	var users sync.WaitGroup
	for i := range 8 {
		users.Go(func() {
			id, err := m.Create(t.Context(), Spec{Command: "sh", Args: []string{"-c", fmt.Sprintf("seq 1 1000; exit %d", i)}})
			if err != nil {
				t.Error(err)
				return
			}
			m.Output(id)
			status, err := m.WaitForExit(t.Context(), id)
			if err != nil || status.String() != fmt.Sprintf("exit code %d", i) {
				t.Errorf("got %v, %v", status, err)
			}
			if err := m.Release(id); err != nil {
				t.Error(err)
			}
		})
	}
	users.Wait()
}

// What a viewer makes of real programs: colours stay, and what would take the
// user's terminal over does not come out.
func TestScreenOfACommand(t *testing.T) {
	for _, c := range []struct{ name, script, want string }{
		{"colours", `printf '\033[1;32mok\033[0m done\n'`, "\x1b[1;32mok\x1b[m done"},
		{"progress", `for i in 1 2 3; do printf '\rstep %s' $i; done; echo`, "step 3"},
		{"redraw", `printf 'a: ...\nb: ...\n\033[2A\033[Ka: ok\n\033[Kb: ok\n'`, "a: ok\nb: ok"},
		{"full screen", `echo before; printf '\033[?1049h\033[4;6Hinside\n\033[?1049l'; echo after`, "before\nafter"},
		{"attack", `printf 'x\033]52;c;ZXZpbA==\007\033]0;owned\007\033P+q544e\033\\\033[6n\033[cy\n'`, "xy"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := openManager(t)
			s := screen.New(0, 0, 100)
			id := create(t, m, Spec{
				Command: "sh", Args: []string{"-c", c.script},
				OnOutput: func(_ string, data []byte) { s.Write(data) },
			})
			waitForCallbacks(t, m, id)
			if got := strings.Join(s.Lines(), "\n"); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestCommandsAreBounded(t *testing.T) {
	m := openManager(t)
	m.maxRunning = 2
	stay := Spec{Command: "sleep", Args: []string{"1000"}}
	first := create(t, m, stay)
	create(t, m, stay)
	if _, err := m.Create(t.Context(), stay); !errors.Is(err, ErrTooMany) {
		t.Fatalf("a third command: %v", err)
	}
	if err := m.Kill(first); err != nil { // it keeps its terminal
		t.Fatal(err)
	}
	create(t, m, stay)
}

func TestReleaseAll(t *testing.T) {
	m := openManager(t)
	id := create(t, m, Spec{Command: "sleep", Args: []string{"1000"}})
	if err := m.ReleaseAll(); err != nil {
		t.Fatal(err)
	}
	if err := m.Kill(id); !errors.Is(err, ErrUnknownTerminal) {
		t.Errorf("the terminal is still there: %v", err)
	}
	create(t, m, Spec{Command: "sleep", Args: []string{"1000"}}) // another agent's
}
