//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/test"
)

// An agent of the second version is used as any other, and shows what only that
// version can say.
func TestAnAgentOfTheSecondVersion(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Args: []string{"--protocol=auto"}, Script: `
speaks v2
handshake {"session": {"prompt": {}, "mcp": {"stdio": {}}}} {"configOptions": [{"configId": "mode", "name": "Mode", "category": "mode", "type": "select", "currentValue": "ask", "options": [{"value": "ask", "name": "Ask"}, {"value": "code", "name": "Code"}]}]}
serve session/set_config_option
expect session/prompt
accept
update {"sessionUpdate": "agent_message", "messageId": "m1", "content": [{"type": "text", "text": "First words."}]}
update {"sessionUpdate": "agent_message", "messageId": "m1", "content": [{"type": "text", "text": "Better words"}]}
update {"sessionUpdate": "agent_message_chunk", "messageId": "m1", "content": {"type": "text", "text": ", and more."}}
update {"sessionUpdate": "tool_call_update", "toolCallId": "c1", "title": "Run the tests", "kind": "execute", "status": "in_progress", "content": [{"type": "terminal", "terminalId": "t1"}]}
update {"sessionUpdate": "terminal_update", "terminalId": "t1", "command": "make test", "cwd": "/w"}
update {"sessionUpdate": "terminal_output_chunk", "terminalId": "t1", "data": "d3Jvbmcg"}
update {"sessionUpdate": "terminal_update", "terminalId": "t1", "output": {"data": "cmlnaHQg"}}
update {"sessionUpdate": "terminal_output_chunk", "terminalId": "t1", "data": "4pyTIGFsbCBncmVlbgo="}
update {"sessionUpdate": "terminal_update", "terminalId": "t1", "exitStatus": {"exitCode": 0}}
update {"sessionUpdate": "tool_call_update", "toolCallId": "c1", "status": "completed"}
update {"sessionUpdate": "state_update", "state": "requires_action"}
request session/request_permission {"sessionId": "${session}", "title": "May this go?", "description": "It is not needed.", "subject": {"type": "command", "command": "rm -rf build", "cwd": "/w"}, "options": [{"optionId": "y", "name": "Allow once", "kind": "allow_once"}, {"optionId": "n", "name": "Reject", "kind": "reject_once"}]} as permission
await permission contains "y"
update {"sessionUpdate": "state_update", "state": "running"}
update {"sessionUpdate": "plan_update", "plan": {"type": "items", "planId": "p", "entries": [{"content": "Clean up", "priority": "medium", "status": "completed"}]}}
end-turn
update {"sessionUpdate": "state_update", "state": "idle", "background": [{"type": "tool_call", "toolCallId": "c9"}]}
expect session/prompt
end-turn
expect session/prompt
accept
say It has begun.
wait-cancel
say So it goes.
end-turn cancelled
serve
`})
	p.Ready().Shows("Ask", "Scripted agent 1 ACP 2").Ask("hello there")
	p.Question("rm -rf build", "May this go?", "the agent says: It is not needed.").Answer("Allow once")
	p.Shows("❯ hello there", "Better words, and more.", "right ✓ all green", "1 task in the background")
	if s := p.Terminal.Screen().String(); strings.Contains(s, "First words") || strings.Count(s, "hello there") != 1 {
		t.Errorf("the transcript is\n%s", s)
	}
	p.Ask("again").WaitSent("session/prompt", 2)
	p.Shows("❯ again").Idle()
	p.Ask("and cancelled").Shows("It has begun.").Press("esc").Shows("So it goes.", "Cancelled")
	if got := p.Sent("session/cancel"); len(got) != 1 {
		t.Errorf("cancelled by %q", got)
	}
	p.Press("shift+tab")
	if got := p.WaitSent("session/set_config_option", 1); !strings.Contains(got, `"configId":"mode"`) || !strings.Contains(got, `"type":"id"`) {
		t.Errorf("the mode was set by %s", got)
	}
	p.Shows("Code")
}

// An agent that knows the first version only goes on with that, with all that it was
// told beside.
func TestAnAgentOfTheFirstVersionUnderAuto(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Args: []string{"--protocol=auto"}, Files: map[string]string{"a.txt": "the text"}, Script: `
handshake
expect session/prompt
request fs/read_text_file {"sessionId": "${session}", "path": "${cwd}/a.txt"} as read
await read contains "the text"
say I have read it.
end-turn
`})
	p.Ready().Ask("read").Shows("I have read it.")
	if got := p.Sent("initialize"); len(got) != 1 || !strings.Contains(got[0], `"protocolVersion":2`) {
		t.Errorf("it was offered %q", got)
	}
}

// An agent that fails on the offer is started again with the first version, which is
// said once and remembered.
func TestAnAgentThatFailsOnTheOffer(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]string{"dies": "refuses v2", "answers an error": "refuses v2 unknown version"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			home := filepath.Join(dir, "home")
			agent := func() *Parley {
				return Start(t, Options{Home: home, Loose: true, Config: "[agents.mine]\ncommand = \"x\"\n", Script: refusal + `
handshake
expect session/prompt
say All is well.
end-turn
`, Args: []string{"--protocol=auto"}})
			}
			p := agent()
			p.Shows("The agent failed with version 2 of the protocol").Ask("go").Shows("All is well.")
			if got := p.Sent("initialize"); len(got) != 2 || !strings.Contains(got[1], `"protocolVersion":1`) {
				t.Errorf("it was offered %q", got)
			}
			kept := filepath.Join(home, ".local", "state", "parley", "protocol")
			if files, err := os.ReadDir(kept); err != nil || len(files) != 1 {
				t.Errorf("%v in %s: %v", files, kept, err)
			}
			p.Leave()
		})
	}
}

// A call that can be cancelled alone is cancelled from the palette, and the turn goes on.
func TestCancellingASingleCall(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Args: []string{"--protocol=auto"}, Script: `
speaks v2
handshake
expect session/prompt
accept
update {"sessionUpdate": "tool_call_update", "toolCallId": "c1", "title": "Count to a million", "kind": "other", "status": "in_progress", "capabilities": {"cancel": {}}}
expect tool_call/cancel contains "c1"
reply {}
update {"sessionUpdate": "tool_call_update", "toolCallId": "c1", "status": "cancelled"}
say The rest is done.
end-turn
`})
	p.Ready().Ask("count").Shows("Count to a million").Press("ctrl+p").Type("cancel only").Shows("cancel only: Count to a million").Press("enter")
	p.Shows("⊘", "The rest is done.").Idle()
	if got := p.Sent("session/cancel"); len(got) > 0 {
		t.Errorf("the turn was cancelled: %q", got)
	}
}

// So is the command of a single terminal; the question about a command that belongs to no
// call does not stay in the transcript as something that has yet to begin.
func TestCancellingASingleCommand(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Args: []string{"--protocol=auto"}, Script: `
speaks v2
handshake
expect session/prompt
accept
request session/request_permission {"sessionId": "${session}", "title": "May I watch?", "subject": {"type": "command", "command": "watch files", "cwd": "${cwd}", "terminalId": "t1"}, "options": [{"optionId": "y", "name": "Allow once", "kind": "allow_once"}]} as permission
await permission contains "y"
update {"sessionUpdate": "terminal_update", "terminalId": "t1", "command": "watch files", "cwd": "${cwd}", "capabilities": {"cancel": {}}}
update {"sessionUpdate": "tool_call_update", "toolCallId": "c1", "title": "Watch the files", "kind": "execute", "status": "in_progress", "content": [{"type": "terminal", "terminalId": "t1"}]}
expect terminal/cancel contains "t1"
reply {}
update {"sessionUpdate": "terminal_update", "terminalId": "t1", "exitStatus": {"signal": "SIGTERM"}, "capabilities": null}
update {"sessionUpdate": "tool_call_update", "toolCallId": "c1", "status": "failed"}
say The rest is done.
end-turn
`})
	p.Ready().Ask("watch").Question("watch files", "May I watch?").Answer("Allow once").Shows("Watch the files")
	p.Press("ctrl+p").Type("cancel only").Shows("cancel only: ").Press("enter")
	p.Shows("✗ $ Watch the files", "ended by SIGTERM", "The rest is done.", "✓ $ May I watch?").Idle()
	if s := p.Screen().String(); strings.Contains(s, "○") {
		t.Errorf("something has yet to begin:\n%s", s)
	}
	if got := p.Sent("session/cancel"); len(got) > 0 {
		t.Errorf("the turn was cancelled: %q", got)
	}
	p.Leave()
}

// The tour speaks the second version to whoever offers it, and does itself what it has
// the client do otherwise. A session of it is replayed when it is opened again.
func TestTheTourInTheSecondVersion(t *testing.T) {
	t.Parallel()
	agent := []string{test.Parley(t), "demo-agent"}
	project := t.TempDir()
	p := Start(t, Options{Args: []string{"--protocol=auto"}, Agent: agent, Project: project})
	p.Shows("I am the tour")
	// First of all, for it may have said much by then, and what follows is to be in sight.
	p.Ask("/slow 500").Shows("Still talking").Press("esc").Shows("Cancelled").Idle()
	p.Ask("/run echo it is $((40+2))").Question("echo it is $((40+2))").Answer("Allow")
	p.Shows("it is 42").Idle()
	p.Ask("/edit remember the milk").Question("remember the milk").Answer("Allow")
	p.Idle()
	if text, err := os.ReadFile(filepath.Join(project, "parley-tour-1.md")); err != nil || !strings.Contains(string(text), "remember the milk") {
		t.Errorf("the notes are %q: %v", text, err)
	}
	for _, method := range []string{"session/load", "session/set_mode"} {
		if got := p.Sent(method); len(got) > 0 {
			t.Errorf("%s was sent: %q", method, got)
		}
	}
}
