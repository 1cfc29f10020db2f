package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"parley/internal/host"
	"parley/internal/test"
	"parley/internal/test/ptytest"
)

// processIn is the process whose id is in a file.
func processIn(t *testing.T, path string) (fd int) {
	t.Helper()
	waitForFile(t, path, "\n")
	b, err := os.ReadFile(path)
	must(t, err)
	var pid int
	_, err = fmt.Sscan(string(b), &pid)
	must(t, err)
	return process(t, pid)
}

// process is a handle of a process.
func process(t *testing.T, pid int) (fd int) {
	t.Helper()
	fd, err := unix.PidfdOpen(pid, 0)
	must(t, err)
	t.Cleanup(func() { _ = unix.Close(fd) })
	return fd
}

// mustEnd waits until a process has ended.
func mustEnd(t *testing.T, fd int, what string) {
	t.Helper()
	waitFor(t, what+" has ended", func() bool {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
		return err == nil && n == 1
	})
}

// Whenever a host is killed, those who look on learn it, the agent and its commands end, and
// what was shown is in the store.
func TestAKilledHostLosesNothing(t *testing.T) {
	t.Parallel()
	for round := range moments(t, 2) {
		k := newKept(t)
		p := k.open(Options{Loose: true, Script: `
handshake ` + resumes + ` {"sessionId": "s1"}
request terminal/create {"sessionId": "${session}", "command": "sh", "args": ["-c", "echo $$ >child; sleep 1000"], "cwd": "${cwd}"} as term
await term
expect session/prompt
repeat 400
  say "line ${n}\n\n"
  sleep 1ms
end
hang
`}) // loose: it is killed while it writes a line
		until := rand.IntN(300) + 1
		p.Shows("Type a prompt").Ask("count")
		child, agent := processIn(t, filepath.Join(k.dir, "child")), process(t, p.agentPID())
		p.WaitUntil("some lines are there", func(s ptytest.Screen) bool { return lastLine(s) >= until })
		must(t, syscall.Kill(k.host().PID, syscall.SIGKILL))
		p.Shows("the process that kept the session has ended")
		shown := lastLine(p.Screen())
		mustEnd(t, agent, "the agent")
		mustEnd(t, child, "its command")
		if round%2 == 1 {
			p.Question("does not run any more").Answer("Open it again")
			p.Shows("What is stored ends in the middle of this turn")
			p.WaitUntil("what was shown is there", func(s ptytest.Screen) bool { return lastLine(s) >= shown })
			k.endHosts()
		}
		p.Leaves()
		k.runs("sessions")
		if text := k.runs("board", "--json"); strings.Contains(text, `"over": true`) != (round%2 == 0) {
			t.Errorf("the board is %s", text)
		}
		if left := k.sockets(); len(left) > 0 {
			_, _, err := askHost(left[0])
			t.Errorf("the sockets %q are left: %v", left, err)
		}

		p = k.start(talk(resumes, "Again."), "--continue")
		p.WaitUntil("what was shown is there", func(s ptytest.Screen) bool { return lastLine(s) >= shown })
		p.Shows("What is stored ends in the middle of this turn").Ask("more").Shows("Again.").Idle()
		p.Leave()
		k.endHosts()
		text, _ := strings.CutSuffix(strings.Join(stored(t, k.home), ""), "Again.")
		n := strings.Count(text, "line ")
		var want strings.Builder
		for i := range n {
			fmt.Fprintf(&want, "line %d\n\n", i+1)
		}
		if !strings.HasPrefix(want.String(), text) || n < shown {
			t.Errorf("%d lines were shown, stored is %q", shown, text)
		}
	}
}

// agentPID is the process of the agent behind the tap.
func (p *Parley) agentPID() (pid int) {
	p.t.Helper()
	b, err := os.ReadFile(pidFile(p.log))
	must(p.t, err)
	_, err = fmt.Sscan(string(b), &pid)
	must(p.t, err)
	return pid
}

// runs runs a command of parley's there, and returns what it prints.
func (k kept) runs(args ...string) string {
	k.t.Helper()
	out, err := k.output(args...)
	if err != nil {
		k.t.Errorf("parley %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// An agent that the command line names is called what it calls itself, while its session runs and later.
func TestAnAgentOfTheCommandLineHasOneName(t *testing.T) {
	t.Parallel()
	k := newKept(t)
	k.start(talk(resumes, "Here.")).Ready().Ask("first").Shows("Here.").Idle()
	var list []struct {
		AgentName string
		Running   *host.Status
	}
	must(t, json.Unmarshal([]byte(k.runs("sessions", "--json")), &list))
	if len(list) != 1 || list[0].AgentName != "Scripted agent" || list[0].Running == nil || list[0].Running.Agent != "Scripted agent" {
		t.Errorf("listed are %+v", list)
	}
	if board := k.runs("board"); !strings.Contains(board, "Scripted agent") {
		t.Errorf("the board is\n%s", board)
	}
}

// fails is runs for a command that must fail.
func (k kept) fails(args ...string) string {
	k.t.Helper()
	out, err := k.output(args...)
	if err == nil {
		k.t.Errorf("parley %s succeeds\n%s", strings.Join(args, " "), out)
	}
	return out
}

func (k kept) output(args ...string) (string, error) {
	cmd := exec.Command(test.Parley(k.t), args...)
	cmd.Dir = k.dir
	cmd.Env = []string{
		"HOME=" + k.home, "PATH=" + os.Getenv("PATH"), "XDG_CONFIG_HOME=" + k.home + "/.config",
		"XDG_STATE_HOME=" + k.home + "/.local/state", "XDG_RUNTIME_DIR=" + k.home + "/.run",
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// The disk of the host is full: it says so, and everything is shown to all who come. Once
// there is room, all of it is stored.
func TestAHostGoesOnWhenItsDiskIsFull(t *testing.T) {
	t.Parallel()
	k := newKept(t)
	state := filepath.Join(k.home, ".local", "state")
	must(t, os.MkdirAll(state, 0o700))
	if err := unix.Mount("tmpfs", state, "tmpfs", 0, "size=256k,mode=0700"); err != nil {
		t.Skipf("a small disk cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(state, unix.MNT_DETACH); err != nil {
			t.Errorf("unmount the small disk: %v", err)
		}
	})
	p := k.start(`
handshake ` + resumes + ` {"sessionId": "s1"}
expect session/prompt
repeat 100
  say "- line ${n} ${x:8000}\n"
end
say "\n\nAll is told."
end-turn
expect session/prompt
say "The second answer."
end-turn
`)
	p.Ready().Ask("tell").Shows("All is told.").Idle()
	q := k.attach()
	q.Shows("All is told.", "This session cannot be stored at the moment").Idle()
	must(t, unix.Mount("tmpfs", state, "tmpfs", unix.MS_REMOUNT, "size=8m,mode=0700"))
	waitFor(t, "what was said is stored", func() bool { return strings.Contains(strings.Join(stored(t, k.home), ""), "All is told.") })
	q.Ask("second")
	p.Shows("The second answer.").Idle()
	q.Shows("The second answer.").Idle()
	mustBeSame(t, transcript(k.attach().Shows("The second answer.").Idle().Screen()), transcript(q.Screen()))
}

// suspend stops a process. On a busy machine its threads do not all stop at once.
func suspend(t *testing.T, pid int) {
	t.Helper()
	must(t, syscall.Kill(pid, syscall.SIGSTOP))
	waitFor(t, "all threads are stopped", func() bool {
		threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
		return err == nil && !slices.ContainsFunc(threads, func(path string) bool {
			stat, err := os.ReadFile(path)
			return err == nil && !strings.Contains(string(stat), ") T ")
		})
	})
}

// A prompt that a host did not get before it was killed waits in the queue of whoever resumes the
// session, whether its viewer left before or after that.
func TestUnsentPromptsAreQueued(t *testing.T) {
	t.Parallel()
	for _, leaveFirst := range []bool{true, false} {
		k := newKept(t)
		p := k.open(Options{Script: talk(resumes, "One."), Loose: true}) // loose: the tap of a killed agent
		p.Ready().Ask("first").Shows("One.").Idle()
		h := k.host()
		suspend(t, h.PID)
		p.Ask("unsent words").Shows("not sent yet: unsent words")
		leave := func() {
			if leaveFirst {
				p.Press("ctrl+z")
			} else {
				p.Question("does not run any more").Answer("Stay and read")
				p.Shows("unsent words").Press("ctrl+d")
			}
			p.WaitExit()
		}
		if leaveFirst {
			leave()
		}
		must(t, syscall.Kill(h.PID, syscall.SIGKILL))
		if !leaveFirst {
			leave()
		}
		waitFor(t, "the host has ended", func() bool { return len(k.hosts()) == 0 })
		if out := k.fails("attach", h.ID); !strings.Contains(out, "has ended") || !strings.Contains(out, "unsent words") {
			t.Errorf("attach says %q", out)
		}
		p = k.start(talk(resumes, "Two."), "--continue")
		p.Shows("paused: unsent words").Press("enter").Shows("Two.").Idle()
		if got := p.prompts(); !slices.Equal(got, []string{"unsent words"}) {
			t.Errorf("the agent got %q", got)
		}
		p.Leave()
		k.endHosts()
		p = k.start(talk(resumes, "Three."), "--continue")
		p.Shows("Two.").Idle()
		if strings.Contains(p.Screen().String(), "paused") {
			t.Error("it is queued again")
		}
		p.Leave()
	}
}

// A prompt that is typed when the host has just ended waits in the session that is opened again,
// once.
func TestAPromptForAHostThatIsGoneWaits(t *testing.T) {
	t.Parallel()
	k := newKept(t)
	p := k.start(talk(resumes, "The first answer."))
	p.Ready().Ask("first").Shows("The first answer.").Idle()
	must(t, syscall.Kill(k.host().PID, syscall.SIGKILL))
	p.Question("does not run any more").Ask("and then?").Shows("not sent yet: and then?")
	p.Question("does not run any more").Answer("Open it again")
	p.Shows("paused: and then?", "Type a prompt")
	if n := strings.Count(p.Screen().String(), "and then?"); n != 1 {
		t.Errorf("it is there %d times:\n%s", n, p.Screen())
	}
	k.endHosts()
	p.Leaves()
}
