//go:build unix

package terminal

import (
	"os"
	"os/signal"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// What is started in the background of a script ignores interrupts, and so does all that
// it starts in turn: these tests are about commands that do not.
func TestMain(m *testing.M) {
	if script := os.Getenv(guestEnv); script != "" {
		runGuest(script)
	}
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	goleak.VerifyTestMain(m)
}

// openManager closes the manager at the end, and fails if that fails.
func openManager(t *testing.T) *Manager {
	t.Helper()
	// Long enough that no well-behaved program is killed on a busy machine.
	return openManagerWithGrace(t, 10*time.Second)
}

func openManagerWithGrace(t *testing.T, grace time.Duration) *Manager {
	t.Helper()
	m := NewManager(Options{Grace: grace})
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// watcher records what the callbacks bring, and lets a test wait for it.
type watcher struct {
	mu      sync.Mutex
	output  strings.Builder
	ended   bool
	changed chan struct{}
}

func (w *watcher) spec(command string, args ...string) Spec {
	w.changed = make(chan struct{}, 1)
	return Spec{
		Command: command, Args: args,
		OnOutput: func(_ string, data []byte) {
			w.update(func() { w.output.Write(data) })
		},
		OnExit: func(string, ExitStatus) {
			w.update(func() { w.ended = true })
		},
	}
}

func (w *watcher) update(change func()) {
	w.mu.Lock()
	change()
	w.mu.Unlock()
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

// waitFor returns the output once it contains text.
func (w *watcher) waitFor(t *testing.T, text string) string {
	t.Helper()
	return w.wait(t, text, func(output string, _ bool) bool { return strings.Contains(output, text) })
}

// says waits for text in the output, and reports false if the command ends without it.
func (w *watcher) says(t *testing.T, text string) bool {
	t.Helper()
	got := w.wait(t, text, func(output string, ended bool) bool { return ended || strings.Contains(output, text) })
	return strings.Contains(got, text)
}

// wait returns the output once something is so of it.
func (w *watcher) wait(t *testing.T, what string, so func(output string, ended bool) bool) string {
	t.Helper()
	for {
		w.mu.Lock()
		got, ended := w.output.String(), w.ended
		w.mu.Unlock()
		if so(got, ended) {
			return got
		}
		select {
		case <-w.changed:
		case <-t.Context().Done():
			t.Fatalf("no %q in %q", what, got)
		}
	}
}

func create(t *testing.T, m *Manager, spec Spec) string {
	t.Helper()
	id, err := m.Create(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func wait(t *testing.T, m *Manager, id string) ExitStatus {
	t.Helper()
	status, err := m.WaitForExit(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return status
}

// waitForCallbacks waits for the end of a command and of its callbacks, which a viewer may
// hold up for longer than whoever waits for the command.
func waitForCallbacks(t *testing.T, m *Manager, id string) {
	t.Helper()
	wait(t, m, id)
	<-m.terminals[id].readDone
}

// run runs a shell script to its end and returns what Output says.
func run(t *testing.T, m *Manager, script string) (string, ExitStatus) {
	t.Helper()
	id := create(t, m, Spec{Command: "sh", Args: []string{"-c", script}})
	status := wait(t, m, id)
	text, truncated, known, err := m.Output(id)
	if err != nil || truncated || known == nil || known.String() != status.String() {
		t.Fatalf("Output = %q, %v, %v, %v", text, truncated, known, err)
	}
	return text, status
}
