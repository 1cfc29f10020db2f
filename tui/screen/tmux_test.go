//go:build unix

package screen_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/test/ptytest"
)

// What is drawn at the end of a terminal does not go into what tmux has scrolled away,
// also if it takes all lines.
func TestInlineInTmux(t *testing.T) {
	t.Parallel()
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		t.Skip("tmux is not installed")
	}
	socket := filepath.Join(t.TempDir(), "socket")
	term := launch(t, ptytest.Options{
		Cmd: []string{tmux, "-S", socket, "-f", os.DevNull, "new-session", self(t)},
		Env: []string{"SHELL=/bin/sh", "INLINE=1"},
	})
	term.WaitFor("screen 80x23").Press("a", "n").WaitFor("count: 1.").Press("a", "n").WaitFor("count: 2.")
	kept, err := exec.Command(tmux, "-S", socket, "capture-pane", "-p", "-S", "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(kept), "a line that stays"); lines != 2 || strings.Count(string(kept), "screen 80x23") != 1 {
		t.Errorf("tmux keeps:\n%s", kept)
	}
	term.Press("q").WaitFor("[exited]").WaitExit()
}

func TestInTmux(t *testing.T) {
	t.Parallel()
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		t.Skip("tmux is not installed")
	}
	for name, tt := range map[string]struct {
		config, fg string
	}{
		"with 256 colours": {"", "196"},
		"with true colour": {`set -ga terminal-overrides ",*:Tc"`, "#ff0000"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			config := filepath.Join(dir, "tmux.conf")
			if err := os.WriteFile(config, []byte(tt.config), 0o600); err != nil {
				t.Fatal(err)
			}
			term := launch(t, ptytest.Options{
				Cmd: []string{tmux, "-S", filepath.Join(dir, "socket"), "-f", config, "new-session", self(t)},
				Env: []string{"SHELL=/bin/sh"},
			})
			term.WaitFor("screen 80x23") // the last line is tmux's
			term.Press("k").WaitFor("red bold").WaitUntil("red is "+tt.fg, func(s ptytest.Screen) bool { return s.Cell(0, 3).FG == tt.fg })
			term.Press("n").WaitFor("count: 1.", strings.Repeat("1", 80))
			term.Paste("pasted").WaitFor(`last: paste "pasted".`)
			term.Resize(100, 30).WaitFor("screen 100x29", strings.Repeat("1", 100))
			term.Press("e").WaitFor("IN CHARGE").Type("\n\n").WaitFor("last: ended: exit status 3.")
			term.Press("z").WaitFor("last: resumed.") // nobody could continue it
			term.Press("q").WaitFor("[exited]").WaitExit()
		})
	}
}
