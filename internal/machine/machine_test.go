package machine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/acpclient"
	"parley/internal/conversation"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// record is an observer that writes down what it is told.
type record struct {
	mu     sync.Mutex
	lines  []string
	output map[acpclient.TerminalID]string
	exited chan acpclient.TerminalID
}

func newRecord() *record {
	return &record{output: map[acpclient.TerminalID]string{}, exited: make(chan acpclient.TerminalID, 10)}
}

func (r *record) add(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, fmt.Sprintf(format, args...))
}

func (r *record) got() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.lines, "; ")
}

// observe is the observer.
func (r *record) observe(e conversation.Event) {
	switch e := e.(type) {
	case conversation.FileWritten:
		now, _ := os.ReadFile(e.Path)
		r.add("wrote %s: %s", filepath.Base(e.Path), now)
	case conversation.NoticeAdded:
		r.add("%s", e.Title)
	case conversation.TerminalCreated:
		r.add("created %s in %s", e.Command, filepath.Base(e.Cwd))
	case conversation.ShellStarted:
		r.add("own %s in %s, lasts %v", e.Command, filepath.Base(e.Cwd), e.Lasts)
	case conversation.TerminalOutput:
		r.mu.Lock()
		defer r.mu.Unlock()
		if len(r.lines) == 0 {
			r.lines = append(r.lines, "output of nothing")
		}
		r.output[e.ID] += string(e.Data)
	case conversation.TerminalHidden:
		r.add("hidden %v", e.Hidden)
	case conversation.TerminalExited:
		if e.Status.ExitCode != nil {
			r.add("exited %d", *e.Status.ExitCode)
		} else {
			r.add("exited by %s", e.Status.Signal)
		}
		r.exited <- e.ID
	}
}

func newMachine(t *testing.T) (*Machine, *record, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "root")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	r := newRecord()
	m, err := New(r.observe, Options{}, dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m, r, dir
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestNew(t *testing.T) {
	if _, err := New(newRecord().observe, Options{}); err == nil {
		t.Error("made a machine without a directory")
	}
	if _, err := New(newRecord().observe, Options{}, filepath.Join(t.TempDir(), "missing")); err == nil {
		t.Error("made a machine of a directory that is not there")
	}
}

func TestFiles(t *testing.T) {
	m, r, dir := newMachine(t)
	file := filepath.Join(dir, "a.txt")
	write(t, file, "one\ntwo\nthree\n")
	two, one := 2, 1
	read, err := m.ReadTextFile(t.Context(), &acpclient.ReadTextFileRequest{Path: file, Line: &two, Limit: &one})
	if err != nil || read.Content != "two\n" {
		t.Errorf("read %+v %v", read, err)
	}
	if _, err := m.WriteTextFile(t.Context(), &acpclient.WriteTextFileRequest{Path: file, Content: "new"}); err != nil {
		t.Error(err)
	}
	if _, err := m.WriteTextFile(t.Context(), &acpclient.WriteTextFileRequest{Path: filepath.Join(dir, "sub", "b.txt"), Content: "b"}); err != nil {
		t.Error(err)
	}
	want := "wrote a.txt: new; wrote b.txt: b"
	if got := r.got(); got != want {
		t.Errorf("the observer saw %q, want %q", got, want)
	}
}

// Agents read these answers, and some match on their words.
func TestFileErrors(t *testing.T) {
	m, r, dir := newMachine(t)
	m.unattended = true
	outside := filepath.Join(filepath.Dir(dir), "outside.txt")
	write(t, outside, "secret")
	binary := filepath.Join(dir, "binary")
	write(t, binary, "\xff\xfe\x00")
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	minus := -1
	for name, c := range map[string]struct {
		request acpclient.ReadTextFileRequest
		code    acpclient.ErrorCode
		message string // is in the answer
	}{
		"missing":         {acpclient.ReadTextFileRequest{Path: filepath.Join(dir, "no")}, acpclient.CodeResourceNotFound, "Resource not found: " + filepath.Join(dir, "no")},
		"outside":         {acpclient.ReadTextFileRequest{Path: outside}, acpclient.CodeInvalidParams, outside},
		"by dots":         {acpclient.ReadTextFileRequest{Path: dir + "/../outside.txt"}, acpclient.CodeInvalidParams, "outside"},
		"by a link":       {acpclient.ReadTextFileRequest{Path: filepath.Join(dir, "link")}, acpclient.CodeInvalidParams, "outside"},
		"relative":        {acpclient.ReadTextFileRequest{Path: "a.txt"}, acpclient.CodeInvalidParams, "not absolute"},
		"not text":        {acpclient.ReadTextFileRequest{Path: binary}, acpclient.CodeInvalidParams, "not a text file"},
		"a directory":     {acpclient.ReadTextFileRequest{Path: dir}, acpclient.CodeInvalidParams, "not a regular file"},
		"a negative line": {acpclient.ReadTextFileRequest{Path: binary, Line: &minus}, acpclient.CodeInvalidParams, "negative"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := m.ReadTextFile(t.Context(), &c.request)
			var answer *acpclient.Error
			if !errors.As(err, &answer) || answer.Code != c.code || !strings.Contains(answer.Message, c.message) {
				t.Errorf("answered %v, want %d with %q", err, c.code, c.message)
			}
			if strings.Contains(fmt.Sprint(err), "secret") {
				t.Error("the answer tells what is in the file")
			}
		})
	}
	_, err := m.WriteTextFile(t.Context(), &acpclient.WriteTextFileRequest{Path: outside, Content: "x"})
	if !acpclient.IsCode(err, acpclient.CodeInvalidParams) {
		t.Errorf("writing outside is answered %v", err)
	}
	if got, _ := os.ReadFile(outside); string(got) != "secret" {
		t.Error("it was written all the same")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.ReadTextFile(ctx, &acpclient.ReadTextFileRequest{Path: binary}); err == nil {
		t.Error("read for nobody")
	}
	if r.got() != "" {
		t.Errorf("the observer saw %q", r.got())
	}
}

func run(t *testing.T, m *Machine, command string, args ...string) acpclient.TerminalID {
	t.Helper()
	res, err := m.CreateTerminal(t.Context(), &acpclient.CreateTerminalRequest{Command: command, Args: args})
	if err != nil {
		t.Fatal(err)
	}
	return res.TerminalID
}

func TestTerminal(t *testing.T) {
	m, r, _ := newMachine(t)
	res, err := m.CreateTerminal(t.Context(), &acpclient.CreateTerminalRequest{
		Command: "sh", Args: []string{"-c", `echo "$GREETING from $(basename "$PWD")"; exit 3`},
		Env: []acpclient.EnvVariable{{Name: "GREETING", Value: "hi"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	id := res.TerminalID
	status, err := m.WaitForTerminalExit(t.Context(), &acpclient.WaitForTerminalExitRequest{TerminalID: id})
	if err != nil || status.ExitCode == nil || *status.ExitCode != 3 || status.Signal != "" {
		t.Errorf("it ended with %+v %v", status, err)
	}
	out, err := m.TerminalOutput(t.Context(), &acpclient.TerminalOutputRequest{TerminalID: id})
	if err != nil || out.Output != "hi from root\n" || out.Truncated || out.ExitStatus == nil || *out.ExitStatus.ExitCode != 3 {
		t.Errorf("output %+v %v", out, err)
	}
	<-r.exited
	if got := r.output[id]; !strings.HasPrefix(got, "hi from root") {
		t.Errorf("the observer saw %q", got)
	}
	want := `created sh -c 'echo "$GREETING from $(basename "$PWD")"; exit 3' in root; exited 3`
	if got := r.got(); got != want {
		t.Errorf("the observer saw %s, want %s", got, want)
	}
	if _, err := m.ReleaseTerminal(t.Context(), &acpclient.ReleaseTerminalRequest{TerminalID: id}); err != nil {
		t.Error(err)
	}
	for name, call := range map[string]func() error{
		"output": func() error {
			_, err := m.TerminalOutput(t.Context(), &acpclient.TerminalOutputRequest{TerminalID: id})
			return err
		},
		"wait_for_exit": func() error {
			_, err := m.WaitForTerminalExit(t.Context(), &acpclient.WaitForTerminalExitRequest{TerminalID: id})
			return err
		},
		"kill": func() error {
			_, err := m.KillTerminal(t.Context(), &acpclient.KillTerminalRequest{TerminalID: id})
			return err
		},
		"release": func() error {
			_, err := m.ReleaseTerminal(t.Context(), &acpclient.ReleaseTerminalRequest{TerminalID: id})
			return err
		},
	} {
		if err := call(); !acpclient.IsCode(err, acpclient.CodeResourceNotFound) {
			t.Errorf("%s after release is answered %v", name, err)
		}
	}
}

func TestKilledTerminalKeepsItsOutput(t *testing.T) {
	m, r, _ := newMachine(t)
	id := run(t, m, "sh", "-c", "echo ready; exec sleep 1000")
	other := run(t, m, "sleep", "1000")
	if _, err := m.KillTerminal(t.Context(), &acpclient.KillTerminalRequest{TerminalID: id}); err != nil {
		t.Fatal(err)
	}
	if got := <-r.exited; got != id {
		t.Errorf("killing %s has ended %s", id, got)
	}
	out, err := m.TerminalOutput(t.Context(), &acpclient.TerminalOutputRequest{TerminalID: id})
	if err != nil || out.ExitStatus == nil || out.ExitStatus.Signal == "" || out.ExitStatus.ExitCode != nil {
		t.Errorf("output %+v %v", out, err)
	}
	if out, err := m.TerminalOutput(t.Context(), &acpclient.TerminalOutputRequest{TerminalID: other}); err != nil || out.ExitStatus != nil {
		t.Errorf("the other command: %+v %v", out, err)
	}
	// Waiting can be given up, and Close ends what still runs.
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := m.WaitForTerminalExit(ctx, &acpclient.WaitForTerminalExitRequest{TerminalID: other}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("waiting ended with %v", err)
	}
	m.Close()
	if got := <-r.exited; got != other {
		t.Errorf("closing has ended %s", got)
	}
	if _, err := m.CreateTerminal(t.Context(), &acpclient.CreateTerminalRequest{Command: "true"}); err == nil {
		t.Error("a command was started after the end")
	}
}

func TestCommandsThatCannotBeStarted(t *testing.T) {
	m, r, dir := newMachine(t)
	for name, request := range map[string]acpclient.CreateTerminalRequest{
		"no such program":   {Command: "no-such-program-anywhere"},
		"no such directory": {Command: "true", Cwd: filepath.Join(dir, "missing")},
		"relative":          {Command: "true", Cwd: "sub"},
	} {
		if _, err := m.CreateTerminal(t.Context(), &request); err == nil {
			t.Errorf("%s: it was started", name)
		}
	}
	if r.got() != "" {
		t.Errorf("the observer saw %q", r.got())
	}
}

func TestOutputLimit(t *testing.T) {
	m, r, _ := newMachine(t)
	limit := uint64(10)
	res, err := m.CreateTerminal(t.Context(), &acpclient.CreateTerminalRequest{
		Command: "printf", Args: []string{"0123456789é0123456789"}, OutputByteLimit: &limit,
	})
	if err != nil {
		t.Fatal(err)
	}
	<-r.exited
	out, err := m.TerminalOutput(t.Context(), &acpclient.TerminalOutputRequest{TerminalID: res.TerminalID})
	if err != nil || !out.Truncated || !strings.HasSuffix(out.Output, "0123456789") || len(out.Output) > 10 {
		t.Errorf("output %+v %v", out, err)
	}
}

func TestCommandLine(t *testing.T) {
	for want, words := range map[string][]string{
		"ls -l":            {"ls", "-l"},
		"make && ls":       {"make && ls"}, // a whole shell line, as some agents send
		"echo 'a b' '$x'":  {"echo", "a b", "$x"},
		"'my prog' --flag": {"my prog", "--flag"},
	} {
		if got := commandLine(words[0], words[1:]); got != want {
			t.Errorf("%q is shown as %s, want %s", words, got, want)
		}
	}
}
