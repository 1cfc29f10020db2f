//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"parley/internal/test"
	"parley/internal/test/ptytest"
)

func TestMain(m *testing.M) { runTests(m) }

// modes is a session with the three modes of the protocol's page.
const modes = `handshake {} {"modes": {"currentModeId": "ask", "availableModes": [
  {"id": "ask", "name": "Ask", "description": "Request permission before making any changes"},
  {"id": "architect", "name": "Architect", "description": "Design and plan"},
  {"id": "code", "name": "Code", "description": "Write and modify code"}]}}
`

func TestPromptAndStreamedAnswer(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: `
handshake
expect session/prompt contains "hello there"
say "# A heading\n\nSome **bold** text"
say " and ` + "`code`" + `.\n\n- one\n- two\n"
update {"sessionUpdate": "usage_update", "used": 12000, "size": 200000, "cost": {"amount": 0.25, "currency": "USD"}}
end-turn
`})
	p.Ready().Ask("hello there")
	p.Shows("❯ hello there", "A heading", "Some bold text and code.", "two", "6% of 200k", "$0.25")
	p.Gone("working")
}

func TestPermissionAllowedByNumber(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: permission + `
await answer contains "optionId":"yes"
say I may.
end-turn
`})
	p.Ready().Ask("go")
	p.Question("Permission", "rm -rf build", "Allow once", "Never").TakesKeys().Press("1", "1")
	p.Shows("I may.")
	if got, want := p.WaitAnswers("session/request_permission", 1), `{"outcome":{"outcome":"selected","optionId":"yes"}}`; got != want {
		t.Errorf("answered %s, want %s", got, want)
	}
}

func TestPermissionRejectedIsNotCancelled(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: permission + `
await answer contains "optionId":"no"
say Then not.
end-turn
`})
	p.Ready().Ask("go")
	p.Question("Never").TakesKeys().Press("n", "enter")
	p.Shows("Then not.")
}

// Enter marks the first answer that allows once; the arrows move the mark.
func TestEnterMarksAnAnswerFirst(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: permission + `
await answer contains "optionId":"no"
say Then not.
end-turn
`})
	p.Ready().Ask("go")
	p.Question("Never").TakesKeys()
	p.Press("enter").Shows("❯ 1", "enter: Allow once")
	answersNothing(p)
	p.Press("down", "enter")
	p.Shows("Then not.")
}

// permission asks about a command.
const permission = `
handshake
expect session/prompt
update {"sessionUpdate": "tool_call", "toolCallId": "t1", "title": "Clean up", "kind": "execute", "status": "pending", "rawInput": {"command": "rm -rf build"}}
request session/request_permission {"sessionId": "${session}", "toolCall": {"toolCallId": "t1"}, "options": [
  {"optionId": "yes", "name": "Allow once", "kind": "allow_once"},
  {"optionId": "no", "name": "Never", "kind": "reject_once"}]} as answer
`

// The terminal has not said how it measures text: what is behind the emoji of a
// command must be seen nevertheless.
func TestEmojiHideNothingOfACommand(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Cols: 100, Script: strings.Replace(permission, "rm -rf build",
		"echo "+strings.Repeat("👍🏽", 30)+" ; rm -rf ~/important ; echo ok", 1)})
	p.Ready().Ask("go")
	p.Question("echo 👍🏽", "; rm -rf ~/important ; echo ok")
}

func TestTypingGoesOnUnderAPermission(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: permission + `
await answer
say Answered.
end-turn
`})
	// A user who types on does not look: the question comes up below their fingers.
	p.Ready().Ask("go").Press("1", "y", "n")
	p.Question("Never").Shows("❯ 1yn")
	if got := p.Answers("session/request_permission"); len(got) > 0 {
		t.Fatalf("typing answered the permission: %s", got)
	}
	p.Answer("Never")
	p.Shows("Answered.", "❯ 1yn")
}

func TestFileWrittenAndShownAsDiff(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{
		Files: map[string]string{"main.go": "package main\n\nfunc main() {\n\tprintln(\"old\")\n}\n"},
		Script: `
handshake
expect session/prompt
request fs/read_text_file {"sessionId": "${session}", "path": "${cwd}/main.go"} as file
await file contains println
request fs/write_text_file {"sessionId": "${session}", "path": "${cwd}/main.go", "content": "package main\n\nfunc main() {\n\tprintln(\"new\")\n}\n"} as written
await written
update {"sessionUpdate": "tool_call", "toolCallId": "e", "title": "Edit main.go", "kind": "edit", "status": "completed", "content": [
  {"type": "diff", "path": "${cwd}/main.go", "oldText": "package main\n\nfunc main() {\n\tprintln(\"old\")\n}\n", "newText": "package main\n\nfunc main() {\n\tprintln(\"new\")\n}\n"}]}
request fs/read_text_file {"sessionId": "${session}", "path": "/etc/passwd"} as outside
await outside contains "error"
request fs/read_text_file {"sessionId": "${session}", "path": "${cwd}/missing.txt"} as missing
await missing contains "Resource not found: ${cwd}/missing.txt"
end-turn
`,
	})
	p.Ready().Ask("fix it")
	p.Question("parley asks", "/etc/passwd").Answer("No")
	p.Shows("Edit main.go", "+1", "−1", `println("old")`, `println("new")`, "1 file changed")
	p.Gone("working")
	p.Press("f5")
	p.Shows("Session changes", "main.go", "+1 −1")
	p.Press("esc")
	b, err := os.ReadFile(filepath.Join(p.Dir(), "main.go"))
	if err != nil || !strings.Contains(string(b), `println("new")`) {
		t.Errorf("the file has %q, %v", b, err)
	}
}

func TestCommandRunsLive(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: `
handshake
expect session/prompt
request terminal/create {"sessionId": "${session}", "command": "sh", "args": ["-c", "echo first; read x < gate; echo second; exit 3"], "cwd": "${cwd}"} as term
await term
update {"sessionUpdate": "tool_call", "toolCallId": "c", "title": "Run it", "kind": "execute", "status": "in_progress", "content": [{"type": "terminal", "terminalId": "${term.result.terminalId}"}]}
request terminal/wait_for_exit {"sessionId": "${session}", "terminalId": "${term.result.terminalId}"} as exit
await exit contains "exitCode":3
request terminal/output {"sessionId": "${session}", "terminalId": "${term.result.terminalId}"} as out
await out contains second
request terminal/release {"sessionId": "${session}", "terminalId": "${term.result.terminalId}"} as released
await released
update {"sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "failed"}
end-turn
`})
	p.Ready()
	mkfifo(t, filepath.Join(p.Dir(), "gate"))
	p.Ask("run")
	p.Shows("Run it", "first") // while the command still runs
	openGate(t, filepath.Join(p.Dir(), "gate"))
	p.Shows("second", "exit code 3", "failed")
}

func TestPlan(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: `
handshake
expect session/prompt
update {"sessionUpdate": "plan", "entries": [{"content": "Read the code", "priority": "high", "status": "in_progress"}, {"content": "Fix the bug", "priority": "low", "status": "pending"}]}
expect session/cancel
update {"sessionUpdate": "plan", "entries": [{"content": "Read the code", "priority": "high", "status": "completed"}, {"content": "Fix the bug", "priority": "low", "status": "in_progress"}]}
end-turn cancelled
`})
	p.Ready().Ask("plan")
	p.Shows("Plan 0 of 2", "◐ Read the code", "○ Fix the bug")
	p.Press("esc")
	p.Shows("Plan 1 of 2", "✓ Read the code", "◐ Fix the bug", "Cancelled")
}

func TestModeCycledByShiftTab(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Loose: true, Script: modes + `
expect session/set_mode contains "modeId":"architect"
reply
expect session/prompt
say Working on it.
expect session/set_mode contains "modeId":"code"
reply-error -32603 The code mode is locked
notify session/update {"sessionId": "${session}", "update": {"sessionUpdate": "current_mode_update", "modeId": "ask"}}
say Back to asking.
end-turn
`})
	p.Shows("shift+tab mode").Mode("Ask")
	p.Press("shift+tab").Mode("Architect")
	p.Ask("go").Shows("Working on it.")
	p.Press("shift+tab") // while the turn runs
	p.Shows("Mode was not changed", "The code mode is locked", "Back to asking.")
	p.Mode("Ask") // as the agent has said
}

func TestOptionSet(t *testing.T) {
	t.Parallel()
	const options = `[
  {"id": "model", "name": "Model", "category": "model", "type": "select", "currentValue": "CUR", "options": [
    {"group": "fast", "name": "Fast ones", "options": [{"value": "swift", "name": "Swift", "description": "The fastest"}]},
    {"group": "good", "name": "Good ones", "options": [{"value": "sage", "name": "Sage", "description": "The wisest"}]}]},
  {"id": "web", "name": "Web search", "type": "boolean", "currentValue": true},
  {"id": "odd", "name": "Odd", "type": "_slider", "currentValue": 3}]`
	p := Start(t, Options{Loose: true, Script: `
handshake {} {"configOptions": ` + strings.Replace(options, "CUR", "swift", 1) + `}
expect session/set_config_option contains "value":"sage"
reply {"configOptions": ` + strings.Replace(options, "CUR", "sage", 1) + `}
`})
	p.Ready().Status("Swift")
	p.Press("f3")
	p.Shows("Fast ones", "The fastest", "Good ones", "The wisest")
	p.Press("down", "enter")
	p.Gone("The wisest").Status("Sage")
	if got := p.WaitSent("session/set_config_option", 1); !strings.Contains(got, `"configId":"model"`) {
		t.Errorf("sent %s", got)
	}
}

func TestCancelAnswersThePermission(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: permission + `
expect session/cancel
await answer contains "outcome":"cancelled"
end-turn cancelled
`})
	p.Ready().Ask("go")
	p.Question("Never").Press("esc")
	p.Shows("Clean up", "cancelled", "Cancelled")
}

func TestQueuedPromptsGoOutInOrder(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: `
handshake
expect session/prompt contains first
say Busy with the first.
expect session/cancel
end-turn cancelled
expect session/prompt contains second
say Busy with the second.
end-turn
expect session/prompt contains third
say Busy with the third.
end-turn
`})
	p.Ready().Ask("first")
	p.Shows("Busy with the first.")
	p.Ask("second")
	p.Shows("queued: second")
	p.Ask("third")
	p.Shows("queued: third")
	p.Press("esc") // cancels the turn, and pauses the queue
	p.Shows("Cancelled", "paused: second", "paused: third")
	p.Press("enter")
	p.Shows("Busy with the second.", "Busy with the third.")
	p.Gone("paused")
}

func TestAgentKilledInATurn(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: `
handshake
expect session/prompt
say Something that must stay.
stderr panic: out of cheese
kill-self
`})
	p.Ready().Ask("go")
	p.Shows("The agent exited", "panic: out of cheese", "Restart it", "Something that must stay.")
}

func TestPlanExitOfTheSessionModesPage(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Loose: true, Script: modes + `
expect session/prompt
request session/request_permission {"sessionId": "${session}",
  "toolCall": {"toolCallId": "call_switch_mode_001", "title": "Ready for implementation", "kind": "switch_mode", "status": "pending",
    "content": [{"type": "text", "text": "## Implementation Plan\n\n1. Do it"}]},
  "options": [
    {"optionId": "code", "name": "Yes, and auto-accept all actions", "kind": "allow_always"},
    {"optionId": "ask", "name": "Yes, and manually accept actions", "kind": "allow_once"},
    {"optionId": "reject", "name": "No, stay in architect mode", "kind": "reject_once"}]} as exit
await exit contains "optionId":"code"
notify session/update {"sessionId": "${session}", "update": {"sessionUpdate": "current_mode_update", "modeId": "code"}}
end-turn
`})
	p.Shows("shift+tab mode").Mode("Ask").Ask("plan it")
	p.Question("Ready for implementation", "Implementation Plan", "Yes, and auto-accept all actions", "No, stay in architect mode")
	p.Answer("Yes, and auto-accept all actions").Mode("Code")
}

func TestResizeWhileStreaming(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: `
handshake
expect session/prompt
repeat 200
  say "Line ${n} of a long answer that goes on for a while, so that it wraps when the window is narrow.\n\n"
  sleep 2ms
end
say The very end.
end-turn
`})
	p.Ready().Ask("go")
	p.WaitForRegexp(`Line \d+ of`)
	p.Resize(70, 20)
	p.WaitForRegexp(`Line \d+ of a long answer`)
	p.Resize(140, 45)
	p.Shows("The very end.", "Line 200 of a long answer")
	p.Press("home")
	p.Shows("Line 1 of a long answer", "more below")
	p.Press("end")
	p.Gone("more below")
}

func TestLeavesTheTerminalAsItWas(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(*Parley){
		"by ctrl+c twice": func(p *Parley) {
			p.Press("ctrl+c")
			p.Shows("again: quit")
			p.PressAtOnce("ctrl+c", "ctrl+c") // twice: for the first it may be too late
		},
		"by ctrl+d":   func(p *Parley) { p.Press("ctrl+d") },
		"by a signal": func(p *Parley) { p.Signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := Start(t, Options{Script: "handshake\n"})
			p.Ready()
			leave(p)
			p.Exits(0)
			if p.AltScreen() || !p.Cursor().Visible {
				t.Error("the terminal was not restored")
			}
		})
	}
}

func TestLeavingSaysHowToGoOn(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: `
expect initialize
reply {` + initialized + `, "agentCapabilities": {"loadSession": true}}
expect session/new
reply {"sessionId": "talk 1"}
expect session/prompt
say Until next time.
end-turn
`})
	p.Ready().Ask("goodbye").Shows("Until next time.").Idle()
	p.Leave().Shows("To resume this session: parley --resume='talk 1' -- ")
}

func TestAsksBeforeItLeavesATurn(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: "handshake\nexpect session/prompt\nsay Working.\n"})
	p.Ready().Ask("go")
	p.Shows("Working.")
	p.Press("ctrl+d")
	p.Answer("Quit") // its letter or number, and enter
	p.Exits(0)
}

func TestKeysComeFromTheTerminalWhateverTheInputIs(t *testing.T) {
	t.Parallel()
	bin := test.Parley(t)
	term := ptytest.Start(t, ptytest.Options{Cmd: []string{"sh", "-c", `exec "$0" </dev/null`, bin}})
	term.WaitFor("Choose an agent").Press("esc")
	if code := term.WaitExit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestOutputThatIsNoTerminalIsAnError(t *testing.T) {
	t.Parallel()
	bin := test.Parley(t)
	term := ptytest.Start(t, ptytest.Options{Cmd: []string{"sh", "-c", `exec "$0" -a tour >/dev/null`, bin}})
	term.WaitFor("output is not a terminal", "Start parley in a terminal")
	if code := term.WaitExit(); code != 1 {
		t.Errorf("exit code %d", code)
	}
}

func TestStartErrorsAreForPeople(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		agent []string
		want  string
	}{
		"missing":       {[]string{"/nonexistent/agent"}, "/nonexistent/agent"},
		"ends at once":  {[]string{"sh", "-c", "echo no licence found >&2; exit 4"}, "no licence found"},
		"wrong version": {[]string{"sh", "-c", `read x; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":7}}'; cat >/dev/null`}, "version 7"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := Start(t, Options{Agent: c.agent, Loose: true})
			p.Shows("could not be started", c.want)
		})
	}
}
