//go:build unix

package e2e

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"parley/internal/test/ptytest"
)

// streams is an agent that streams for longer than any test takes, whatever it is
// asked meanwhile.
const streams = `
handshake
expect session/prompt
repeat 1000000
  say "${n} "
  sleep 10ms
end
end-turn
`

// asksInTheMiddle is an agent that streams, asks and streams on.
const asksInTheMiddle = `
handshake
expect session/prompt
repeat 20
  say "${n} "
  sleep 5ms
end
request session/request_permission {"sessionId": "${session}", "toolCall": {"toolCallId": "t", "title": "Launch", "kind": "execute"}, "options": [
  {"optionId": "yes", "name": "Allow", "kind": "allow_once"}, {"optionId": "no", "name": "Never", "kind": "reject_once"}]} as answer
await answer contains "optionId":"yes"
say Launched.
wait-cancel
end-turn cancelled
`

// TabLine waits until every one of the texts is in the line of tabs.
func (p *Parley) TabLine(texts ...string) *Parley {
	p.t.Helper()
	p.WaitUntil("the line of tabs has "+strings.Join(texts, ", "), func(s ptytest.Screen) bool {
		for _, text := range texts {
			if !strings.Contains(s.Line(0), text) {
				return false
			}
		}
		return true
	})
	return p
}

// TabLineGone waits until there is no line of tabs.
func (p *Parley) TabLineGone() *Parley {
	p.t.Helper()
	p.WaitUntil("there is no line of tabs", func(s ptytest.Screen) bool { return !hasTabLine(s) })
	return p
}

// Titled waits until the title of the window begins so.
func (p *Parley) Titled(beginning string) *Parley {
	p.t.Helper()
	p.WaitUntil("the title begins with "+beginning, func(s ptytest.Screen) bool { return strings.HasPrefix(s.Title, beginning) })
	return p
}

// Pick opens a tab with another agent.
func (p *Parley) Pick(agent string) *Parley {
	p.t.Helper()
	p.Palette("New tab with another").Shows("New tab: choose an agent", agent)
	return p.Type(agent).Press("enter").TabLine(agent).Ready()
}

func TestTwoAgentsStreamAtOnce(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: streams, Others: map[string]string{"asker": asksInTheMiddle}})
	p.Ready().Ask("count").Shows("1 2 3")
	p.TabLineGone().Pick("asker")
	asker := p.Other("asker")
	p.Ask("launch").Shows("● 1").Press("alt+,") // with a number it might answer the question
	p.TabLine("1 ◐ count", "2 ? launch")        // it asks, and streams on in front
	p.Titled("(asks 1) ")

	// No key answers what is behind: all of this is for the prompt in front.
	p.Shows("count").Type("y1").Shows("❯ y1")
	p.Press("alt+2").Question("Launch", "Allow").Gone("❯ y1")
	if got := asker.Answers("session/request_permission"); len(got) > 0 {
		t.Fatalf("it was answered from another tab: %s", got)
	}
	p.Answer("Allow").Shows("Launched.")
	p.Press("esc").Shows("Cancelled")
	p.Press("alt+1").Shows("❯ y1", "count").TabLine("2 · launch")
	p.Press("ctrl+c", "esc").Shows("cancelling").Press("alt+2", "alt+w").TabLineGone()
}

func TestLeavingSaysWhichAgentsWork(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: streams, Others: map[string]string{"asker": asksInTheMiddle}})
	p.Ready().Ask("count").Shows("1 2 3")
	p.Pick("asker").Press("ctrl+d")
	p.Question("An agent is working in another tab", "• count").Answer("Quit").Exits(0)
}

const restartable = `
expect initialize
reply {` + initialized + `, "agentCapabilities": {"sessionCapabilities": {"resume": {}}}}
`

// mortal is an agent that can be killed, and resumes its session the next time.
const mortal = restartable + `
expect session/new|session/resume
reply {"sessionId": "s1"}
expect session/prompt
stderr Segmentation fault
stderr my last words
say Half an ans
wait-cancel
`

// kill kills the agent that was started last.
func (p *Parley) kill() {
	p.t.Helper()
	b, err := os.ReadFile(pidFile(p.log))
	must(p.t, err)
	pid, err := strconv.Atoi(string(b))
	must(p.t, err)
	must(p.t, syscall.Kill(pid, syscall.SIGKILL))
}

func TestAnAgentThatDiesInATurn(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: mortal})
	p.Ready().Ask("go").Shows("Half an ans")
	p.Ask("then this").Shows("queued: then this")
	p.kill()
	p.Question("The agent exited", "my last words").Answer("Stay and read")

	// It stays said, and nothing is lost.
	p.Shows("❯ go", "Half an ans", "✗ the agent exited", "alt+r restarts it", "kept: then this").Status(" exited ")
	p.Ask("and that").Shows("kept: and that")
	p.Press("alt+r")
	p.Question("Send the queued prompts?", "❯ then this", "❯ and that").TakesKeys().Press("n", "n") // enter would count as pressed twice below
	p.Gone("Send the queued prompts?").Shows("paused: then this", "❯ go", "Half an ans").Gone("the agent exited")
	p.WaitSent("session/resume", 1)
	if sent := p.Sent("session/prompt"); len(sent) != 1 {
		t.Fatalf("sent unasked: %s", sent)
	}
	p.Press("enter")
	if sent := p.WaitSent("session/prompt", 2); !strings.Contains(sent, "then this") {
		t.Errorf("sent %s", sent)
	}
}

// The key that is said to start the agent again does so while it is asked about, too.
func TestStartsAgainWhileItIsAsked(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: mortal})
	p.Ready().Ask("go").Shows("Half an ans")
	p.kill()
	p.Question("The agent exited").TakesKeys()
	p.Press("alt+r").Gone("Restart it").WaitSent("session/resume", 1)
}

func TestAnAgentThatDiesWhileIdle(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: mortal})
	p.Ready()
	p.kill()
	p.Question("The agent exited").Answer("Stay and read")
	p.Shows("✗ the agent exited")
	p.Ask("hello").Shows("kept: hello")
	p.Press("ctrl+p").Type("restart").Shows("Restart the agent").Press("enter")
	p.Question("Send the queued prompts?", "❯ hello").Answer("Send")
	p.Shows("Half an ans")
	if sent := p.Sent("session/prompt"); len(sent) != 1 || !strings.Contains(sent[0], "hello") {
		t.Errorf("sent %s", sent)
	}
}

func TestAnAgentThatDiesWhileItStarts(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: "expect initialize\nstderr installing it failed\nexit 3\n"})
	p.Question("The agent could not be started", "installing it failed").Answer("Stay and read")
	p.Shows("✗ the agent could not be started", "alt+r restarts it").Status(" failed ")
}

// An agent that takes its time says what it does meanwhile, and can be left for
// another one.
func TestAnAgentThatStartsSlowly(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: "expect initialize\nstderr fetching \x1b[31mpackage 1 of 2\nhang\n", Others: map[string]string{"asker": asksInTheMiddle}})
	p.Shows("starting", "│ fetching package 1 of 2").Type("my draft").Press("esc")
	p.Shows("Choose an agent", "asker", "my draft").Type("asker").Press("enter")
	p.Shows("Type a prompt, /", "❯ my draft")
	p.Press("ctrl+c").Leave()
}

// An agent that ends before there is a session says what it printed, and another can be
// chosen.
func TestAnAgentThatFailsToStart(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Loose: true, Script: "expect initialize\nraw Please update me\nstderr no licence\nexit 3\n", Others: map[string]string{"asker": asksInTheMiddle}})
	p.Question("The agent could not be started", "stdout: Please update me", "no licence", "Restart it").Answer("Choose another agent")
	p.Shows("Choose an agent").Type("asker").Shows("❯   asker").Press("enter")
	p.Ready().Leave()
}

// An agent that is silent is said to be.
func TestWhatAStartingAgentPrints(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Loose: true, Script: "expect initialize\nraw Choose a theme:\nhang\n"})
	p.Shows("│ stdout: Choose a theme:").Press("esc").Shows("Choose an agent")
}

// remembers is an agent that lists another session, and loads it when it is started
// again.
const remembers = `
expect initialize
reply {` + initialized + `, "agentCapabilities": {"loadSession": true, "sessionCapabilities": {"list": {}}}}
expect session/new|session/load
reply {"sessionId": "a"}
`

// To look at another session ends no turn, and drops no prompt that waits.
func TestAnotherSessionInARunningTurn(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: remembers + `
expect session/prompt
say Working.
expect session/list
reply {"sessions": [{"sessionId": "b", "cwd": "${cwd}", "title": "About bananas"}]}
wait-cancel
end-turn cancelled
`})
	p.Ready().Ask("a long task").Shows("Working.").Ask("and then this").Shows("and then this")
	p.Press("ctrl+s").Shows("About bananas").Type("bananas").Press("enter")
	p.TabLine("1 ◐ a long task", "2 ").WaitSent("session/load", 1)
	p.Gone("Working.").Press("alt+1").Shows("Working.", "and then this")
	if n := len(p.Sent("session/cancel")); n != 0 {
		t.Errorf("the turn was cancelled %d times", n)
	}
	p.Press("esc").Shows("Cancelled")
}
