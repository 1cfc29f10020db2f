//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"parley/internal/test/ptytest"
)

// slowTmux notes that it was called, and does not answer before somebody writes to the
// gate.
const slowTmux = `#!/bin/sh
echo "$@" >>"$(dirname "$0")/calls"
read -r answer <"$(dirname "$0")/gate"
echo "$answer"
`

// parley asks tmux about its colours once, and nothing waits for the answer.
func TestNothingWaitsForTmux(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gate := filepath.Join(dir, "gate")
	must(t, os.WriteFile(filepath.Join(dir, "tmux"), []byte(slowTmux), 0o700))
	must(t, unix.Mkfifo(gate, 0o600))
	p := Start(t, Options{Script: "handshake\n", Env: []string{
		"PATH=" + dir + ":" + os.Getenv("PATH"), "TMUX=/tmp/socket,1,0", "TERM=tmux-256color", "COLORTERM=",
	}})
	exact := func(s ptytest.Screen) bool {
		x, y, _ := s.Find("Type a prompt")
		return strings.HasPrefix(s.Cell(x, y).FG, "#")
	}
	p.Ready()
	if exact(p.Screen()) {
		t.Error("parley knew the answer before tmux has answered")
	}
	must(t, os.WriteFile(gate, []byte("198: Tc: (flag) true\n"), 0))
	p.WaitUntil("the text has its exact colour", exact)
	calls, err := os.ReadFile(filepath.Join(dir, "calls"))
	must(t, err)
	if string(calls) != "info\n" {
		t.Errorf("tmux was called with %q, want info, once", calls)
	}
}
