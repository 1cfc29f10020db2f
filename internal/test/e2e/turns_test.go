//go:build unix

package e2e

import (
	"regexp"
	"testing"

	"parley/internal/test/ptytest"
)

// matches waits until the screen matches.
func (p *Parley) matches(pattern string) *Parley {
	p.t.Helper()
	re := regexp.MustCompile(pattern)
	p.WaitUntil("the screen matches "+pattern, func(s ptytest.Screen) bool { return re.MatchString(s.String()) })
	return p
}

// How long a call and a turn took stands where they ended. That the call has begun is
// known to have been read, and its time noted, before the time begins that it takes.
func TestHowLongItTook(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: `
handshake
expect session/prompt
update {"sessionUpdate": "tool_call", "toolCallId": "a", "title": "make all", "kind": "execute", "status": "pending"}
update {"sessionUpdate": "tool_call_update", "toolCallId": "a", "status": "in_progress"}
request _is/read {} as read
await read
sleep 1200ms
update {"sessionUpdate": "tool_call_update", "toolCallId": "a", "status": "failed"}
update {"sessionUpdate": "tool_call", "toolCallId": "b", "title": "make check", "kind": "execute", "status": "in_progress"}
say Checking.
wait-cancel
end-turn cancelled
`})
	p.Ready().Ask("go")
	p.matches(`✗ \$ make all  \d[\d.ms ]*s  failed`).Shows("◐ $ make check", "● Checking.")
	p.Press("esc").Shows("⊘ $ make check").matches(`· Cancelled  worked \d[\d.ms ]*s`)
}

// Of what an agent replays, nobody knows how long it took.
func TestHistoryHasNoTimes(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Args: []string{"--resume=old-1"}, Script: `
expect initialize
reply {` + initialized + `, "agentCapabilities": {"loadSession": true}}
expect session/load
update {"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "an old question"}}
update {"sessionUpdate": "tool_call", "toolCallId": "a", "title": "make all", "kind": "execute", "status": "in_progress"}
sleep 1200ms
update {"sessionUpdate": "tool_call_update", "toolCallId": "a", "status": "failed"}
reply {}
`})
	p.matches(`❯ an old question\n\n✗ \$ make all  failed\n`)
}

// A prompt stands on a ground of its own, from edge to edge. Beside the edge of a tool
// call code has no bar.
func TestPromptsAndToolsStandApart(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: `
handshake
expect session/prompt
update {"sessionUpdate": "tool_call", "toolCallId": "a", "title": "Ask an oracle", "kind": "fetch", "status": "completed", "content": [{"type": "content", "content": {"type": "text", "text": "` + "```go\\nx := 1\\n```" + `"}}]}
say "` + "```go\\nx := 1\\n```" + `"
end-turn
`})
	p.Ready().Ask("what is it?")
	p.Shows("❯ what is it?\n\n✓ ↓ Ask an oracle\n  │ x := 1\n\n● │ go\n  │ x := 1\n")
	p.WaitUntil("the prompt has a ground, and nothing else", func(s ptytest.Screen) bool {
		_, prompt, _ := s.Find("❯ what is it?")
		_, tool, _ := s.Find("✓ ↓ Ask an oracle")
		ground := s.Cell(0, prompt).BG
		if ground == "" {
			return false
		}
		for x := range s.Cols {
			if s.Cell(x, prompt).BG != ground || s.Cell(x, tool).BG != "" {
				return false
			}
		}
		return true
	})
}
