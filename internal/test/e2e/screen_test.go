//go:build unix

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"parley/internal/test/ptytest"
)

// asJob starts parley as a shell does that can stop and continue it, and writes
// its process id into a file.
var asJob = []string{"sh", "-mc", `
echo before; read go
sh -c 'echo $$ >parley.pid; exec "$0" "$@"' "$0" "$@"; echo "stopped $?"; read go
fg >/dev/null; echo "ended $?"; read go`}

func TestSuspendsAndContinues(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Under: asJob, Script: `
handshake
expect session/prompt contains "hello"
say Hello to you.
end-turn
`})
	p.WaitFor("before")
	before := p.State()
	p.Press("enter")
	p.Ready()
	p.Type("draft").WaitFor("❯ draft")
	p.Press("ctrl+_").WaitFor("Type a prompt") // undone
	p.Press("ctrl+z").WaitFor("before", fmt.Sprint("stopped ", 128+int(syscall.SIGTTIN)))
	if d := cmp.Diff(before, p.State()); d != "" {
		t.Errorf("the terminal is not as it was:\n%s", d)
	}
	p.Press("enter")
	p.Ready().Ask("hello").Shows("Hello to you.").Idle()
	p.Press("ctrl+d").WaitFor("before", "ended 0")
	if d := cmp.Diff(before, p.State()); d != "" {
		t.Errorf("the terminal is not as it was:\n%s", d)
	}
	p.Press("enter")
}

// Whatever ends parley, the terminal is the shell's again.
func TestGivesTheTerminalBack(t *testing.T) {
	t.Parallel()
	signal := func(sig syscall.Signal) func(*Parley) {
		return func(p *Parley) { p.signal(sig) }
	}
	for name, leave := range map[string]func(*Parley){
		"by a key":    func(p *Parley) { p.Press("ctrl+d") },
		"by a hangup": signal(syscall.SIGHUP),
		"by an end":   signal(syscall.SIGTERM),
		"by a kill":   signal(syscall.SIGKILL),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := Start(t, Options{Under: asJob, Script: "handshake\n"})
			p.WaitFor("before")
			before := p.State()
			p.Press("enter")
			p.Ready()
			p.WaitState("the terminal is taken", func(s ptytest.State) bool {
				return s.Raw && s.Has(ansi.ModeAltScreenSaveCursor) && s.Has(ansi.ModeMouseButtonEvent)
			})
			leave(p)
			p.WaitState("the terminal is as it was", func(s ptytest.State) bool { return cmp.Equal(before, s) })
			p.Press("enter", "enter")
		})
	}
}

// signal sends a signal to a parley that was started as a job.
func (p *Parley) signal(sig syscall.Signal) {
	p.t.Helper()
	b, err := os.ReadFile(filepath.Join(p.Dir(), "parley.pid"))
	must(p.t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	must(p.t, err)
	must(p.t, syscall.Kill(pid, sig))
}
