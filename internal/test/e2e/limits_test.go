//go:build unix

package e2e

import (
	"syscall"
	"testing"
)

// limited is an agent whose plan is used up twice, as claude-agent-acp says it.
func limited(in string) string {
	return `
handshake ` + resumes + ` {"sessionId": "s1"}
repeat 2
  expect session/prompt as heard
  update {"sessionUpdate": "usage_update", "used": 1, "size": 2, "_meta": {"_claude/rateLimit": {"status": "rejected", "rateLimitType": "five_hour", "resetsAt": ${now+` + in + `}}}}
  reply-error -32603 "You've hit your limit" {"errorKind": "rate_limit"}
end
repeat 5
  expect session/prompt as heard
  say "Heard ${heard.params.prompt.0.text}."
  end-turn
end
`
}

// At a limit, nothing is sent unasked. One yes waits until the prompt gets through.
func TestWaitsForALimitTwice(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: limited("6s")})
	p.Ready().Ask("mend it").Question("5-hour limit reached", "mend it").Answer("Wait and go on")
	p.Shows("Heard mend it.").Gone("Waiting for").Idle().Ask("next").Shows("Heard next.").Leave()
}

// The wait can be stopped; the prompt stays, and goes when the user says so.
func TestStopsWaitingForALimit(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: limited("3h")})
	p.Ready().Ask("mend it").Question("5-hour limit reached", "resets").Answer("Wait and go on")
	p.Shows("Waiting for the plan's limit", "in 3 hours", "waits: mend it", "esc stop waiting").Press("esc").Gone("Waiting for")
	p.Shows("paused: mend it").Press("enter").Question("5-hour limit reached").Answer("Stop here")
	p.Shows("paused: mend it").Type("x").Press("backspace") // the same key again would count as a second press of the answer
	p.Press("enter").Shows("Heard mend it.").Idle().Leave()
}

// Who was killed while waiting is asked again, and nothing was lost.
func TestKilledWhileWaitingForALimit(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	p := at.start(limited("3h"))
	p.Ready().Ask("mend it").Question("5-hour limit reached").Answer("Wait and go on").Shows("Waiting for the plan's limit")
	p.Signal(syscall.SIGKILL)
	p.WaitExit()
	again := at.start(limited("3h"), "--continue")
	again.Question("5-hour limit reached", "mend it").Answer("Stop here").Shows("paused: mend it")
	again.Press("alt+q").Shows("mend it").Press("esc").Press("ctrl+d").WaitExit()
}

// A session that is kept waits without a terminal.
func TestAKeptSessionWaitsForALimit(t *testing.T) {
	t.Parallel()
	k := newKept(t)
	p := k.open(Options{Script: limited("6s")})
	p.Ready().Ask("mend it").Question("5-hour limit reached").Answer("Wait and go on").Shows("Waiting for the plan's limit")
	p.HangUp().WaitExit()
	q := k.attach()
	q.Shows("Heard mend it.").Idle().Leave()
}

func TestRunWaitsForALimit(t *testing.T) {
	t.Parallel()
	Start(t, Options{Script: limited("1s"), Args: []string{"run", "mend it"}}).Shows("5-hour limit is reached").Exits(13)
	Start(t, Options{Script: limited("1s"), Args: []string{"run", "--wait-for-limit", "mend it"}}).Shows("Waiting for the plan's limit", "Heard mend it.").Exits(0)
}
