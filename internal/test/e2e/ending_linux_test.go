package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// stubborn starts what does not want to end: itself, a child, one in a session of
// its own, and a daemon that has left its parent as well. All of them ignore what can
// be ignored. Each makes a file when it has begun.
const stubborn = `trap '' TERM HUP INT
stay='while :; do sleep 1000; done'
sh -c "touch child; $stay" &
setsid sh -c "touch session; $stay" &
(setsid sh -c "(setsid sh -c 'touch daemon; $stay' </dev/null >/dev/null 2>&1 &)")
eval "$stay"`

// begun ends when all of stubborn runs.
const begun = `until [ -e child -a -e session -a -e daemon ]; do sleep 0.02; done`

// endingScript is an agent with such a terminal, and a child of its own. It says when
// all of it runs, and dies when it is asked again.
var endingScript = `
handshake
spawn-child
request terminal/create {"sessionId": "${session}", "command": "sh", "args": ["-c", ` + strconv.Quote(stubborn) + `], "cwd": "${cwd}"} as term
request terminal/create {"sessionId": "${session}", "command": "sh", "args": ["-c", ` + strconv.Quote(begun) + `], "cwd": "${cwd}"} as begun
await begun
request terminal/wait_for_exit {"sessionId": "${session}", "terminalId": "${begun.result.terminalId}"} as exit
await exit
expect session/prompt
say It has begun.
end-turn
expect session/prompt
kill-self
`

// startEnding starts parley with that agent and waits until all of it runs. When the
// test ends, no process may be left.
func startEnding(t *testing.T) *Parley {
	t.Helper()
	p := Start(t, Options{Script: endingScript})
	p.Ready().Ask("begin").Shows("It has begun.")
	return p
}

func TestNothingIsLeftWhenParleyEnds(t *testing.T) {
	for name, end := range map[string]struct {
		do   func(*testing.T, *Parley)
		code int
	}{
		"left":                      {func(_ *testing.T, p *Parley) { p.Press("ctrl+d") }, 0},
		"SIGTERM":                   {func(_ *testing.T, p *Parley) { p.Signal(syscall.SIGTERM) }, 0},
		"SIGHUP":                    {func(_ *testing.T, p *Parley) { p.Signal(syscall.SIGHUP) }, 0},
		"SIGQUIT":                   {func(_ *testing.T, p *Parley) { p.Signal(syscall.SIGQUIT) }, 2},
		"SIGKILL":                   {func(_ *testing.T, p *Parley) { p.Signal(syscall.SIGKILL) }, 128 + 9},
		"SIGKILL of what it starts": {func(t *testing.T, p *Parley) { kill(t, program(t, p)) }, 128 + 9},
	} {
		t.Run(name, func(t *testing.T) {
			p := startEnding(t)
			end.do(t, p)
			if code := p.WaitExit(); code != end.code {
				t.Errorf("exit code %d, want %d", code, end.code)
			}
		})
	}
}

func kill(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}

// program is the process that the supervisor has started.
func program(t *testing.T, p *Parley) int {
	t.Helper()
	lists, _ := filepath.Glob(filepath.Join("/proc", strconv.Itoa(p.Pid()), "task", "*", "children"))
	if len(lists) == 0 {
		t.Skip("the kernel does not list children")
	}
	for _, list := range lists { // one for each thread
		b, err := os.ReadFile(list)
		if pid, notOne := strconv.Atoi(strings.TrimSpace(string(b))); err == nil && notOne == nil {
			return pid
		}
	}
	t.Fatal("the supervisor has no child")
	return 0
}
