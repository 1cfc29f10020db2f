//go:build unix

package e2e

import "testing"

// looking is an agent that reads some files, asks about one of them, and has a
// subagent look at others.
const looking = `
handshake
expect session/prompt
update {"sessionUpdate": "tool_call", "toolCallId": "a", "title": "Read a.go", "kind": "read", "status": "completed",
  "content": [{"type": "content", "content": {"type": "text", "text": "straw"}}]}
update {"sessionUpdate": "tool_call", "toolCallId": "b", "title": "Read b.go", "kind": "read", "status": "completed",
  "content": [{"type": "content", "content": {"type": "text", "text": "hay and a needle"}}]}
update {"sessionUpdate": "tool_call", "toolCallId": "c", "title": "Read c.go", "kind": "read", "status": "in_progress"}
request session/request_permission {"sessionId": "${session}", "toolCall": {"toolCallId": "p", "title": "Read secret.go", "kind": "read"},
  "options": [{"optionId": "yes", "name": "Allow it", "kind": "allow_once"}]} as answer
await answer
update {"sessionUpdate": "tool_call_update", "toolCallId": "p", "status": "completed"}
update {"sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "completed"}
update {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "Explore", "kind": "think", "status": "in_progress"}
update {"sessionUpdate": "tool_call", "toolCallId": "d", "title": "Read d.go", "kind": "read", "status": "completed", "_meta": {"claudeCode": {"parentToolUseId": "t"}}}
update {"sessionUpdate": "tool_call", "toolCallId": "e", "title": "Read e.go", "kind": "read", "status": "failed", "_meta": {"claudeCode": {"parentToolUseId": "t"}}}
update {"sessionUpdate": "tool_call_update", "toolCallId": "t", "status": "completed"}
say All read.
update {"sessionUpdate": "tool_call", "toolCallId": "f", "title": "Run f", "kind": "execute", "status": "completed", "_meta": {"claudeCode": {"parentToolUseId": "t"}}}
end-turn
`

func TestFoldsWhatWentByQuietly(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: looking, Cols: 80, Rows: 30})
	p.Ready().Ask("go").Question("Read secret.go").Shows("▸ 2 reads  a.go, b.go", "◐ ◇ Read c.go")
	p.Answer("Allow it").Shows("▸ 3 reads  a.go, b.go, c.go", "◇ Read secret.go  ", "  you: Allow it", "Explore  ▸ 3 calls, 1 failed", "All read.").Idle()
	if s := p.Screen(); s.Contains("Read d.go") || s.Contains("Run f") {
		t.Errorf("the calls of a subagent that is done are not folded:\n%s", s)
	}
	p.Press("tab", "k", "enter").Shows("▾ 3 calls, 1 failed", "│ ✓ ◇ Read d.go", "│ ✗ ◇ Read e.go", "│ ✓ $ Run f")
	p.Press("enter").Shows("▸ 3 calls, 1 failed").Gone("Read d.go").Press("tab")
	p.Press("ctrl+f").Type("needle").Shows("▾ 3 reads", "hay and a needle", "1 of 1").Press("esc").Gone("1 of 1")
	p.ClickOn("3 reads")
	p.Shows("▌ 3 reads", "enter collapse")
	p.Press("y").WaitClipboard("Read a.go\n\nstraw\n\nRead b.go\n\nhay and a needle\n\nRead c.go")
	p.Press("enter").Gone("hay and a needle").Shows("▌ 3 reads  a.go, b.go, c.go")
}
