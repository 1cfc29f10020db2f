//go:build unix

package e2e

import (
	"strings"
	"testing"

	"parley/internal/test/ptytest"
)

// commandAgent is an agent that runs a command in a terminal, shows it, and says how it
// ended.
func commandAgent(command, more string) string {
	return `
handshake {"promptCapabilities": {"embeddedContext": true}}
expect session/prompt
request terminal/create {"sessionId": "${session}", "command": "sh", "args": ["-c", "` + command + `"], "cwd": "${cwd}"} as term
await term
update {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "Deploy", "kind": "execute", "status": "in_progress", "content": [{"type": "terminal", "terminalId": "${term.result.terminalId}"}]}
` + more + `
request terminal/wait_for_exit {"sessionId": "${session}", "terminalId": "${term.result.terminalId}"} as exit
await exit
request terminal/output {"sessionId": "${session}", "terminalId": "${term.result.terminalId}"} as out
await out
update {"sessionUpdate": "tool_call_update", "toolCallId": "t", "status": "completed"}
say It is over.
end-turn
`
}

func TestStepsIntoACommandOfTheAgent(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: commandAgent(`stty -echo; printf 'Password: '; read p; stty echo; echo; printf 'Go on? '; read a; echo \"$a $(printf %s $p | wc -c)\"`, "")})
	p.Ready().Ask("deploy")
	p.Shows("◐ $ Deploy", "│ Password:")
	p.Press("f7").Shows("AGENT'S COMMAND", "keys go to this command", "step out")
	p.Type("s3cret").Press("enter").Shows("│Go on?")
	p.Type("yes").Press("enter")
	p.Shows("ENDED", "exit code 0", "│yes 6")
	p.Press("enter").Shows("It is over.", "Type a prompt").Gone("ENDED")
	p.Status("Scripted")
	if out := p.WaitAnswers("terminal/output", 1); !strings.Contains(out, `Password: \nGo on? yes\nyes 6\n`) {
		t.Errorf("the agent got %s", out)
	}
	for _, m := range p.Wire() {
		if strings.Contains(string(m.Line), "s3cret") {
			t.Errorf("the password is in %s", m.Line)
		}
	}
	p.Leave()
}

func TestInterruptsACommandOfTheAgentAndStepsOut(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: commandAgent(`trap 'echo caught; exit 9' INT; echo ready; sleep 1000`, "")})
	p.Ready().Ask("deploy")
	p.Shows("◐ $ Deploy", "ready")
	p.Press("tab").Shows("step in").Press("t").Shows("AGENT'S COMMAND")
	p.Press("ctrl+]").Gone("AGENT'S COMMAND").Shows("▌ $ Deploy", "step in") // the transcript has the keys again
	p.Press("t").Shows("AGENT'S COMMAND").Press("ctrl+c")
	p.Shows("ENDED", "exit code 9", "caught").Press("q").Shows("It is over.")
	p.Press("tab").Leave()
}

func TestEndsACommandOfTheAgentIfTheUserIsSure(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: commandAgent(`echo ready; sleep 1000`, "")})
	p.Ready().Ask("deploy")
	p.Shows("◐ $ Deploy", "ready").Press("tab").Shows("stop it").Press("x")
	p.Question("Stop the agent's command?", "Keep it running").Press("enter").Gone("Stop the agent's command?")
	p.Press("x").Question("Stop the agent's command?", "Stop it").Press("down").Shows("❯   Stop it").Press("enter")
	p.Shows("ended by SIGTERM", "It is over.")
	if exit := p.WaitAnswers("terminal/wait_for_exit", 1); !strings.Contains(exit, "SIGTERM") {
		t.Errorf("the agent got %s", exit)
	}
}

// A question that comes up while the user types into a command takes none of the
// keys, nor do those answer it that come right after stepping out.
func TestNoQuestionTakesKeysOfACommand(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Files: map[string]string{"x": ""}, Script: commandAgent(`echo ready; while read l; do echo \"got $l\"; case $l in ask*) echo asked >asked;; stop) exit;; esac; done; echo`, `
request session/request_permission {"sessionId": "${session}", "toolCall": {"toolCallId": "p", "title": "Remove everything", "kind": "delete"}, "options": [{"optionId": "yes", "name": "Allow", "kind": "allow_once"}, {"optionId": "no", "name": "Reject", "kind": "reject_once"}]} as permission
await permission contains "no"
`)})
	p.Ready().Ask("deploy")
	p.Question("Remove everything", "Allow").TakesKeys()
	p.Press("f7").Shows("AGENT'S COMMAND", "a question waits for you")
	for range 3 {
		p.Type("y").Press("enter")
	}
	p.Type("1").Press("enter").Shows("got 1", "got y")
	p.PressAtOnce("ctrl+]", "y", "enter")
	p.Question("Remove everything").Shows("queued: y")
	if got := p.Answers("session/request_permission"); len(got) > 0 {
		t.Fatalf("keys of the command have answered: %s", got)
	}
	p.Answer("Reject")
	p.Press("f7").Shows("AGENT'S COMMAND").Type("stop").Press("enter").Shows("ENDED").Press("enter").Shows("It is over.")
}

func TestRunsACommandOfOnesOwn(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Env: []string{"SHELL=/bin/sh"}, Files: map[string]string{"notes.txt": ""}, Script: `
handshake {"promptCapabilities": {"embeddedContext": true}}
expect session/prompt
say Working.
expect session/cancel
end-turn cancelled
expect session/prompt as second
say I have read it.
end-turn
`})
	p.Ready().Type("!ls; printf '10%%\\r100%%\\n'; exit 3").Shows("your command, not a prompt", "run it").Press("enter")
	p.Shows("$ ls;", "exit code 3", "notes.txt", "100%", "f8 adds its output")
	// Also while a turn runs, and it can be stepped into and ended.
	p.Ask("go").Shows("Working.").Type("!cat; echo over").Press("enter").Shows("cat; echo over  running")
	p.Press("f7").Shows("YOUR COMMAND").Type("hello").Press("enter", "ctrl+d").Shows("over", "ENDED").Press("enter").Gone("ENDED")
	p.Ask("!sleep 1000").Shows("sleep 1000  running").Press("tab").Shows("stop it").Press("x").Shows("sleep 1000  ended by")
	p.Press("tab", "esc").Idle()

	p.Press("up", "up").Shows("!cat; echo over").Press("ctrl+c") // the history has them
	p.Type("!ls").Press("enter").Shows("ls: exit code 0  f8 adds its output")
	p.Press("f8").Shows("[output of $ ls: 1 line, exit code 0]").Press("f8").Gone("[output of")
	p.Press("f8").Shows("[output of $ ls: 1 line, exit code 0]").Type("what is this?").Press("enter")
	p.Shows("I have read it.", "▣ output of $ ls")
	sent := p.WaitSent("session/prompt", 2)
	for _, want := range []string{`[output of $ ls: 1 line, exit code 0] what is this?`, `"type":"resource"`, `"uri":"terminal://`, `$ ls\nnotes.txt\n[exit code 0]`} {
		if !strings.Contains(sent, want) {
			t.Errorf("%s is not in %s", want, sent)
		}
	}
	p.Leave()
}

func TestShellOfOnesOwnLasts(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Env: []string{"SHELL=/bin/sh", "PS1=own> "}, Script: "handshake\nserve"})
	p.Ready().Type("!").Shows("open your shell").Press("enter")
	p.Shows("YOUR SHELL", "own> ").Type("kept=still; stty size").Press("enter").Shows("36 118")
	p.Press("ctrl+]").Gone("YOUR SHELL").Shows("your shell, running")
	p.Ask("!").Shows("YOUR SHELL").Type("echo $kept here").Press("enter").Shows("still here")
	p.Resize(100, 30)
	p.WaitUntil("the shell has the size of the screen", func(s ptytest.Screen) bool { return strings.HasSuffix(s.Line(0), "╮") && s.Cols == 100 })
	p.Type("stty size").Press("enter").Shows("26 98")
	p.Type("exit 4").Press("enter").Gone("YOUR SHELL").Shows("your shell, exit code 4")
	p.Ask("!").Shows("YOUR SHELL").Press("ctrl+]").Gone("YOUR SHELL").Leave()
}

func TestPastesIntoACommand(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Env: []string{"SHELL=/bin/sh"}, Script: "handshake\nserve"})
	p.Ready().Ask(`!printf '\033[?2004h'; stty raw -echo; echo re""ady; head -c 19 | od -c; stty sane`)
	p.Shows("running", "ready").Press("f7").Shows("YOUR COMMAND", "ready")
	p.Paste("one\ntwo")
	p.Shows(`033   [   2   0   0   ~`, `o   n   e  \r`, "ENDED")
}
