//go:build unix

package host

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/internal/record"
	"parley/internal/test"
)

// heard is a command for [notify], and what it says, once for each time that it runs.
func heard(t *testing.T, script string) (command []string, said func() string) {
	t.Helper()
	pipe := filepath.Join(t.TempDir(), "said")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"sh", "-c", "(" + script + `) > "$0"`, pipe}, func() string {
		all, err := os.ReadFile(pipe) // waits for the command
		if err != nil {
			t.Fatal(err)
		}
		return string(all)
	}
}

// The command of the user's is run when nobody looks on, with what has happened in its
// environment, and nothing that a terminal would obey.
func TestNotify(t *testing.T) {
	command, said := heard(t, "env")
	f := newFake(
		conversation.AgentStarting{Command: "a", At: time.Unix(1, 0)},
		test.Sent("go"),
		test.Up(t, `{"sessionUpdate":"session_info_update","title":"Tidy \u001b[2J up hunter2-hunter2"}`),
	)
	f.cwd = t.TempDir()
	h := run(t, Options{Session: f, Notify: command, Secrets: record.NewRedactor([]string{"hunter2-hunter2"})})
	c := h.attach(t, ClientOptions{})
	f.post(conversation.TurnEnded{Reason: acpclient.StopEndTurn}) // somebody looks on
	c.until(t, func() bool { return len(c.events) == 1 })
	c.Close(t.Context())
	for _, tt := range []struct {
		event       conversation.Event
		name, words string
	}{
		{conversation.PermissionOpened{ID: 1, Request: test.Permission(1, test.FullCall).Request}, "question", "asks for permission"},
		{conversation.ElicitationOpened{ID: 2, Request: &acpclient.CreateElicitationRequest{Message: "Which \x1b]0;one\x07\nof them? hunter2-hunter2"}}, "question", "Which"},
		{conversation.TurnEnded{Reason: acpclient.StopEndTurn}, "turn", "ended its turn"},
	} {
		f.post(tt.event)
		env := said()
		lines := strings.Split(env, "\n")
		for _, want := range []string{"PARLEY_SESSION=id", "PARLEY_EVENT=" + tt.name, "PARLEY_CWD=" + f.cwd} {
			if !slices.Contains(lines, want) {
				t.Errorf("there is no %s in\n%s", want, env)
			}
		}
		if strings.ContainsAny(env, "\x1b\x07") || strings.Contains(env, "hunter2") || !strings.Contains(env, "PARLEY_TITLE=Tidy ") || !strings.Contains(env, tt.words) {
			t.Errorf("of %s it is told %q", tt.name, env)
		}
	}
}

// It runs where no project is, is told of every end, also while somebody only gives an order,
// and nothing that an agent says makes it fail.
func TestNotifyOfEveryEnd(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	if err := os.MkdirAll(filepath.Dir(config.ConfigFile()), 0o700); err != nil {
		t.Fatal(err)
	}
	command, said := heard(t, `pwd -P; env`)
	f := newFake()
	f.cwd = t.TempDir()
	h := run(t, Options{Session: f, Notify: command})
	c := h.attach(t, ClientOptions{Passing: true})
	here, err := filepath.EvalSymlinks(filepath.Dir(config.ConfigFile()))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		event conversation.Event
		name  string
	}{
		{conversation.TurnEnded{Reason: acpclient.StopEndTurn}, "turn"},
		{conversation.ElicitationOpened{ID: 2, Request: &acpclient.CreateElicitationRequest{Message: strings.Repeat("ü", 200<<10)}}, "question"},
		{conversation.AgentLost{Err: errors.New("crashed")}, "lost"},
	} {
		f.post(tt.event)
		lines := strings.Split(said(), "\n")
		if lines[0] != here || !slices.Contains(lines, "PARLEY_EVENT="+tt.name) {
			t.Errorf("%s: in %s, want %s: %.300q", tt.name, lines[0], here, lines)
		}
		if i := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "PARLEY_TEXT=") }); i < 0 || !utf8.ValidString(lines[i]) {
			t.Errorf("%s: it is told %.100q", tt.name, lines)
		}
	}
	c.Close(t.Context())
}

// It is told of the agent's end although that ends the host, and of what happens while the host
// ends; but not what a user knows who ends the session.
func TestNotifyOfTheEnd(t *testing.T) {
	lost := conversation.AgentLost{Err: errors.New("crashed")}
	for name, post := range map[string]func(f *fake, h *running){
		"the agent exits":       func(f *fake, _ *running) { f.post(lost) },
		"while the host ends":   func(f *fake, h *running) { f.closing = lost; h.Host.end(errors.New("the machine goes down")) },
		"a user ends something": nil,
	} {
		t.Run(name, func(t *testing.T) {
			command, said := heard(t, "")
			command[2] = `read line < "$1"; env > "$0"`
			gate := command[3] + "-gate"
			if err := syscall.Mkfifo(gate, 0o600); err != nil {
				t.Fatal(err)
			}
			command = append(command, gate)
			log := logged{make(chan string, 8)}
			f := newFake(atWork...)
			f.cwd = t.TempDir()
			h := start(t, Options{Session: f, Notify: command, Log: slog.New(slog.NewTextHandler(log, nil))})
			c := h.attach(t, ClientOptions{})
			if post == nil {
				f.closing = lost
				c.Close(t.Context())
				h.Host.end(errEnded)
				<-h.ended // it waits for commands
				return
			}
			c.Close(t.Context())
			post(f, h)
			<-h.ctx.Done()
			if err := os.WriteFile(gate, []byte("go\n"), 0o600); err != nil { // waits for the command
				t.Fatal(err)
			}
			if env := said(); !strings.Contains(env, "PARLEY_EVENT=lost\n") {
				t.Errorf("it is told %q", env)
			}
			<-h.ended
			if len(log.lines) > 0 {
				t.Errorf("it logs %s", <-log.lines)
			}
		})
	}
}

// That it fails is told in the transcript, once.
func TestNotifyFails(t *testing.T) {
	f := newFake()
	f.cwd = t.TempDir()
	command, said := heard(t, `true`)
	command[2] = `echo no mail >&2; : > "$0"; exit 3`
	h := run(t, Options{Session: f, Notify: command})
	c := h.attach(t, ClientOptions{Passing: true})
	told := func() (all []conversation.NoticeAdded) {
		for _, e := range c.events {
			if n, ok := e.(conversation.NoticeAdded); ok {
				all = append(all, n)
			}
		}
		return all
	}
	f.post(conversation.TurnEnded{Reason: acpclient.StopEndTurn})
	said()
	c.until(t, func() bool { return len(told()) == 1 })
	if n := told()[0]; !strings.Contains(n.Title, "[notify]") || !strings.Contains(n.Detail, "no mail") || !strings.Contains(n.Detail, "exit status 3") {
		t.Errorf("it is told %+v", n)
	}
}

// A command that fails or hangs does no harm: the host ends, and so does what it has started.
func TestNotifyHangs(t *testing.T) {
	command, said := heard(t, "")
	command[2] = `sleep 1000 > /dev/null & echo $! $$ > "$0"; wait`
	f := newFake()
	f.cwd = t.TempDir()
	h := start(t, Options{Session: f, Notify: command})
	f.post(conversation.TurnEnded{})
	var pids []int
	for _, word := range strings.Fields(said()) {
		pid, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	h.end()
	for _, pid := range pids {
		for syscall.Kill(pid, 0) == nil && !zombie(pid) {
			time.Sleep(time.Millisecond) // until the kernel is done with it
		}
	}
	for _, none := range [][]string{{"false"}, {"/nosuch"}} {
		f := newFake()
		f.cwd = t.TempDir()
		log := logged{make(chan string, 8)}
		h := start(t, Options{Session: f, Notify: none, Log: slog.New(slog.NewTextHandler(log, nil))})
		f.post(conversation.TurnEnded{})
		if line := <-log.lines; !strings.Contains(line, "notify failed") {
			t.Errorf("%q logs %s", none, line)
		}
		h.end()
	}
}

// logged hands on what is logged.
type logged struct{ lines chan string }

func (l logged) Write(b []byte) (int, error) {
	l.lines <- string(b)
	return len(b), nil
}

// zombie reports whether nobody has waited for a process that has ended.
func zombie(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(stat), ") Z ")
}
