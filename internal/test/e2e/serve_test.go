//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"parley/internal/test"
)

// parley works with an agent that another parley serves as with the agent itself: question, diff, a
// command's output, usage, modes, commands and cancel. All that parley sends as an agent is
// checked against the schema.
func TestParleyOnBothSides(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "agent.script")
	must(t, os.WriteFile(script, []byte(`
handshake {"loadSession": true} {"modes": {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Ask first"}, {"id": "code", "name": "Write code"}]}}
update {"sessionUpdate": "available_commands_update", "availableCommands": [{"name": "polish", "description": "Polish the code"}]}
serve session/set_mode
expect session/prompt
update {"sessionUpdate": "agent_thought_chunk", "content": {"type": "text", "text": "Hm, let me see."}}
update {"sessionUpdate": "plan", "entries": [{"content": "Write it down", "priority": "high", "status": "in_progress"}, {"content": "Read it", "priority": "low", "status": "pending"}]}
update {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "Write a.txt", "kind": "edit", "status": "pending", "content": [{"type": "diff", "path": "${cwd}/a.txt", "oldText": null, "newText": "a new line\n"}]}
request session/request_permission {"sessionId": "${session}", "toolCall": {"toolCallId": "t"}, "options": [{"optionId": "yes", "name": "Go on", "kind": "allow_once"}, {"optionId": "no", "name": "Leave it", "kind": "reject_once"}]} as asked
await asked contains "yes"
update {"sessionUpdate": "tool_call_update", "toolCallId": "t", "status": "completed"}
request terminal/create {"sessionId": "${session}", "command": "sh", "args": ["-c", "echo made of $((6 * 7)) pieces"], "cwd": "${cwd}"} as term
await term
update {"sessionUpdate": "tool_call", "toolCallId": "r", "title": "Count", "kind": "execute", "status": "in_progress", "content": [{"type": "terminal", "terminalId": "${term.result.terminalId}"}]}
request terminal/wait_for_exit {"sessionId": "${session}", "terminalId": "${term.result.terminalId}"} as exit
await exit
update {"sessionUpdate": "tool_call_update", "toolCallId": "r", "status": "completed"}
update {"sessionUpdate": "usage_update", "used": 1000, "size": 10000}
say It is **done**.
end-turn
expect session/prompt
say It takes long.
wait-cancel
end-turn cancelled
serve
`), 0o600))
	p := Start(t, Options{Agent: []string{test.Parley(t), "serve", "--", test.Scripted(t), script}})
	p.Ready().Shows("Ask first", "Scripted agent (parley)")
	p.Ask("hello there").Question("a.txt", "a new line").Answer("Go on")
	p.Shows("❯ hello there", "made of 42 pieces", "It is done.", "10% of 10k").Idle()
	p.Press("shift+tab").Status("Write code").Type("/pol").Shows("Polish the code").Press("ctrl+u")
	p.Ask("again").Shows("It takes long.").Press("esc").Shows("Cancelled").Idle().Leave()
	for method, want := range map[string]int{"session/prompt": 2, "session/cancel": 1} {
		if got := p.Sent(method); len(got) != want {
			t.Errorf("%s was sent %d times, want %d", method, len(got), want)
		}
	}
}
