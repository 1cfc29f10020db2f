//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/test"
	"parley/internal/test/ptytest"
)

func TestFirstPromptOfTheCommandLineIsSent(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Args: []string{"--prompt", "what is @notes.txt?"}, Files: map[string]string{"notes.txt": "x"}, Script: `
handshake
expect session/prompt contains "what is @notes.txt?"
say a file
end-turn`})
	p.Shows("❯ what is @notes.txt?", "a file")
	p.Idle()
	p.Leave()
}

func TestPipedInputIsToldWhereItBelongs(t *testing.T) {
	t.Parallel()
	bin := test.Parley(t)
	term := ptytest.Start(t, ptytest.Options{Cmd: []string{"sh", "-c", `echo fix the bug | "$0" -a tour`, bin}})
	term.WaitFor("parley reads keys, but its input is a pipe", "| parley run", "parley --prompt TEXT")
	if code := term.WaitExit(); code != 1 {
		t.Errorf("exit code %d", code)
	}
}

// On a terminal the answer is drawn, and each tool call has a line.
func TestRunOnATerminal(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Args: []string{"run", "hi"}, Script: `
handshake
expect session/prompt
update {"sessionUpdate":"tool_call","toolCallId":"a","title":"Look around","kind":"search","status":"completed"}
say "It is **done**.\n\n- one\n- two"
end-turn`})
	p.Shows("✓ search: Look around", "It is done.", "• one")
	p.Exits(0)
}

// What ran without a screen is among the sessions that are stored.
func TestRunIsStored(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	p := Start(t, Options{Args: []string{"run", "--output", "json", "remember the milk"}, Home: home, Script: `
handshake
expect session/prompt
say I will remember the milk.
end-turn`})
	p.Exits(0)
	logs, err := filepath.Glob(filepath.Join(home, ".local", "state", "parley", "sessions", "*.jsonl"))
	if err != nil || len(logs) != 1 {
		t.Fatalf("the logs are %q, %v", logs, err)
	}
	log, err := os.ReadFile(logs[0])
	if err != nil || !strings.Contains(string(log), "I will remember the milk.") || !strings.Contains(string(log), `"turn_ended"`) {
		t.Errorf("%v: %s", err, log)
	}
}
