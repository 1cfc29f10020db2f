package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// stubborn starts what does not want to end: itself, a child, one in a session of
// its own, and a daemon that has left its parent as well. All of them ignore what can
// be ignored. Each writes its id into a file when it has begun.
const stubborn = `trap '' TERM HUP INT
stay='while :; do sleep 1000; done'
sh -c "echo \$\$ >child; $stay" &
setsid sh -c "echo \$\$ >session; $stay" &
(setsid sh -c "(setsid sh -c 'echo \$\$ >daemon; $stay' </dev/null >/dev/null 2>&1 &)")
eval "$stay"`

// begun ends when all of stubborn runs.
const begun = `until [ -s child -a -s session -a -s daemon ]; do sleep 0.02; done`

// endingScript is an agent with such a terminal. It says when all of it runs, and
// dies when it is asked again.
const endingScript = `
handshake
request terminal/create {"sessionId": "${session}", "command": "sh", "args": ["-c", STUBBORN], "cwd": "${cwd}"} as term
request terminal/create {"sessionId": "${session}", "command": "sh", "args": ["-c", BEGUN], "cwd": "${cwd}"} as begun
await begun
request terminal/wait_for_exit {"sessionId": "${session}", "terminalId": "${begun.result.terminalId}"} as exit
await exit
expect session/prompt
end-turn
say It has begun.
expect session/prompt
kill-self
`

// startEnding starts parley with that agent, which does the first step first, and
// waits until all of it runs. When the test ends, no process may be left.
func startEnding(t *testing.T, first string) *Parley {
	t.Helper()
	fill := strings.NewReplacer("handshake", "handshake\n"+first, "STUBBORN", strconv.Quote(stubborn), "BEGUN", strconv.Quote(begun))
	p := Start(t, Options{Script: fill.Replace(endingScript)})
	p.Shows("Type a prompt").Ask("begin").Shows("It has begun.")
	return p
}

func TestNothingIsLeftWhenParleyEnds(t *testing.T) {
	for name, end := range map[string]struct {
		do   func(*testing.T, *Parley)
		code int
	}{
		"left":    {func(_ *testing.T, p *Parley) { p.Press("ctrl+d") }, 0},
		"SIGTERM": {func(_ *testing.T, p *Parley) { p.Signal(syscall.SIGTERM) }, 0},
		"SIGHUP":  {func(_ *testing.T, p *Parley) { p.Signal(syscall.SIGHUP) }, 0},
		"SIGQUIT": {func(_ *testing.T, p *Parley) { p.Signal(syscall.SIGQUIT) }, 2},
		"SIGKILL": {func(_ *testing.T, p *Parley) { p.Signal(syscall.SIGKILL) }, 128 + 9},
	} {
		t.Run(name, func(t *testing.T) {
			p := startEnding(t, "spawn-child") // a stubborn one of the agent's own
			end.do(t, p)
			if code := p.WaitExit(); code != end.code {
				t.Errorf("exit code %d, want %d", code, end.code)
			}
		})
	}
}

// The agent dies, parley stays, and the terminal's programs end.
func TestTerminalsEndWithTheirAgent(t *testing.T) {
	p := startEnding(t, "")
	var running []int
	for _, name := range []string{"child", "session"} {
		b, err := os.ReadFile(filepath.Join(p.Dir(), name))
		must(t, err)
		pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
		must(t, err)
		fd, err := unix.PidfdOpen(pid, 0)
		must(t, err)
		defer unix.Close(fd)
		running = append(running, fd)
	}
	p.Ask("die")
	for i, fd := range running {
		ready := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		for {
			n, err := unix.Poll(ready, 30_000)
			if err == unix.EINTR {
				continue
			}
			if err != nil || n != 1 {
				t.Errorf("process %d of the terminal runs on: %v", i, err)
			}
			break
		}
	}
	p.Shows("signal: killed")
}
