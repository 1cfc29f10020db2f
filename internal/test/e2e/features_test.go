//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/test/ptytest"
)

const initialized = `"protocolVersion": 1, "agentInfo": {"name": "scripted", "title": "Scripted", "version": "1"}`

func TestSignsInAndTriesAgain(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: `
expect initialize
reply {` + initialized + `, "authMethods": [{"id": "key", "name": "Use the API key", "description": "From the vault"}]}
expect session/new
reply-error -32000 Please sign in to Acme first
expect authenticate contains "methodId":"key"
reply
expect session/new
reply {"sessionId": "s"}
expect session/prompt
reply-error -32000 Your sign-in has run out
expect authenticate
reply
expect session/prompt
reply-error -32000 It really has
`})
	p.Question("Please sign in to Acme first", "Use the API key", "From the vault").Answer("Use the API key")
	p.Gone("Please sign in")
	p.Ready().Ask("hello")
	p.Question("Your sign-in has run out").Answer("Use the API key")
	p.Shows("The agent answered with an error", "It really has") // once more, and not again
	if n := len(p.Sent("session/prompt")); n != 2 {
		t.Errorf("the prompt was sent %d times", n)
	}
}

func TestLoadsASessionWithItsHistory(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Args: []string{"--resume=old-1"}, Script: `
expect initialize
reply {` + initialized + `, "agentCapabilities": {"loadSession": true}}
expect session/load contains "sessionId":"old-1"
update {"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "an old question"}}
update {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "an old answer"}}
update {"sessionUpdate": "session_info_update", "title": "An old talk"}
reply {}
update {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": ", and the rest of it"}}
`})
	p.Shows("❯ an old question", "an old answer, and the rest of it")
	p.WaitUntil("the window has the title", func(s ptytest.Screen) bool { return strings.Contains(s.Title, "An old talk") })
}

func TestListsSessionsByPages(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: `
expect initialize
reply {` + initialized + `, "agentCapabilities": {"loadSession": true, "sessionCapabilities": {"list": {}, "close": {}, "delete": {}}}}
expect session/new
reply {"sessionId": "first"}
expect session/list
reply {"sessions": [{"sessionId": "a", "cwd": "${cwd}", "title": "About apples"}], "nextCursor": "page2"}
expect session/list contains "cursor":"page2"
reply {"sessions": [{"sessionId": "a", "cwd": "${cwd}", "title": "Once more"}, {"sessionId": "b", "cwd": "${cwd}", "title": "About bananas"}], "nextCursor": "page2"}
expect session/delete contains "sessionId":"a"
reply
expect session/close contains "sessionId":"first"
reply
expect session/load contains "sessionId":"b"
update {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Bananas are berries."}}
reply {}
`})
	p.Ready()
	p.Press("ctrl+s")
	p.Shows("About apples", "About bananas").Gone("Once more")
	p.Type("apple")
	p.Gone("About bananas")
	p.Press("ctrl+x")
	p.Answer("Delete it")
	p.Gone("About apples")
	p.Press("esc") // clears the filter
	p.Shows("About bananas")
	p.Press("enter")
	p.Shows("Bananas are berries.")
	p.Press("ctrl+n")
	p.Gone("Bananas are berries.")
	p.WaitSent("session/new", 2)
	p.Press("alt+1").Shows("Bananas are berries.") // nothing was thrown away
}

const form = `
handshake
expect session/prompt
request elicitation/create {"sessionId": "${session}", "mode": "form", "message": "About the release", "requestedSchema": {"type": "object",
  "properties": {
    "name": {"type": "string", "title": "Name", "minLength": 2},
    "count": {"type": "integer", "title": "Count", "minimum": 1, "default": 3},
    "loud": {"type": "boolean", "title": "Loud", "default": true}},
  "required": ["name"]}} as answer
`

func TestFormIsCheckedAndAccepted(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: form + `
await answer contains "action":"accept"
say Thank you.
end-turn
`})
	p.Ready().Ask("go")
	p.Question("About the release", "Name", "required", "Count", "Loud", "Accept", "Decline", "Cancel").TakesKeys()
	p.Type("x").Press("tab", "tab", "tab", "enter") // too short
	p.Shows("at least 2 characters")
	p.Press("shift+tab", "shift+tab", "shift+tab")
	p.Type("yz").Press("tab", "tab", "tab", "enter")
	p.Shows("Thank you.")
	got := p.WaitAnswers("elicitation/create", 1)
	for _, want := range []string{`"name":"xyz"`, `"count":3`, `"loud":true`} {
		if !strings.Contains(got, want) {
			t.Errorf("answered %s, without %s", got, want)
		}
	}
}

func TestFormCancelled(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: form + `
await answer contains "action":"cancel"
say Never mind.
end-turn
`})
	p.Ready().Ask("go")
	p.Question("About the release").TakesKeys().Press("esc")
	p.Shows("Never mind.")
}

func TestAddressIsShownWholeAndOpenedOnConsentOnly(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: `
handshake
expect session/prompt
request elicitation/create {"sessionId": "${session}", "mode": "url", "message": "Sign in there", "elicitationId": "e1", "url": "http://xn--pypal-4ve.example/login?next=%2Fhome"} as answer
await answer contains "action":"decline"
say As you like.
end-turn
`})
	p.Ready().Ask("go")
	p.Question("http://xn--pypal-4ve.example/login?next=%2Fhome", "Open in the browser", "Decline").TakesKeys().Press("n", "enter")
	p.Shows("As you like.")
}

func TestUpdatesOfEveryKindAreShown(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Loose: true, Script: `
handshake
expect session/prompt
update {"sessionUpdate": "agent_thought_chunk", "content": {"type": "text", "text": "Let me think."}}
update {"sessionUpdate": "notice", "severity": "warning", "title": "Rate limited", "description": "Slower for an hour."}
update {"sessionUpdate": "compaction_update", "compactionId": "c", "status": "in_progress"}
update {"sessionUpdate": "compaction_summary_chunk", "compactionId": "c", "content": {"type": "text", "text": "We talked."}}
update {"sessionUpdate": "compaction_update", "compactionId": "c", "status": "completed"}
update {"sessionUpdate": "agent_message_chunk", "content": {"type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo="}}
update {"sessionUpdate": "agent_message_chunk", "content": {"type": "resource_link", "name": "notes.md", "uri": "file:///notes.md", "size": 2048}}
update {"sessionUpdate": "agent_message_chunk", "content": {"type": "hologram", "depth": 3}}
update {"sessionUpdate": "weather_update", "sky": "blue"}
update {"sessionUpdate": "tool_call", "toolCallId": "own", "title": "make", "kind": "execute", "status": "in_progress", "_meta": {"terminal_info": {"terminal_id": "x1", "cwd": "/"}}}
update {"sessionUpdate": "tool_call_update", "toolCallId": "own", "_meta": {"terminal_output": {"terminal_id": "x1", "data": "cc main.c\nok\n"}}}
update {"sessionUpdate": "tool_call_update", "toolCallId": "own", "status": "failed", "_meta": {"terminal_exit": {"terminal_id": "x1", "exit_code": 2}}}
update {"sessionUpdate": "tool_call_update", "toolCallId": "late", "title": "Never announced", "status": "completed", "kind": "juggle"}
request something/unknown {} as unknown
await unknown contains -32601
end-turn refusal
`})
	p.Ready().Ask("go")
	p.Shows("Thought: Let me think.", "Rate limited", "Slower for an hour.", "The context was compacted",
		"image/png", "notes.md", "hologram", "weather_update",
		"cc main.c", "exit code 2", "Never announced", "refused")
}

func TestServersAndDirectoriesOnlyForAgentsThatTakeThem(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{
		Args: []string{"--add-dir", "/"},
		Config: `
[mcp.web]
type = "http"
url = "https://example.com/mcp"
headers = { Authorization = "Bearer $MCP_TOKEN" }
[mcp.tools]
command = "sh"
args = ["-c", "true"]
`,
		Env:    []string{"MCP_TOKEN=hunter2"},
		Script: "handshake\n",
	})
	p.Shows("Some MCP servers were left out", "web (http)", "does not support additional directories")
	sent := p.WaitSent("session/new", 1)
	if !strings.Contains(sent, `"name":"tools"`) || strings.Contains(sent, "example.com") || strings.Contains(sent, "additionalDirectories") {
		t.Errorf("sent %s", sent)
	}
	if p.Screen().Contains("hunter2") {
		t.Error("a secret is on the screen")
	}
}

func TestPermissionThatBringsItsToolCall(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: `
handshake
expect session/prompt
request session/request_permission {"sessionId": "${session}", "toolCall": {"toolCallId": "t", "title": "Delete the moon", "kind": "delete", "rawInput": {"path": "/moon"}}, "options": [
  {"optionId": "a", "name": "For this moon", "kind": "allow_always"},
  {"optionId": "b", "name": "For all moons", "kind": "allow_always"}]} as one
request session/request_permission {"sessionId": "${session}", "toolCall": {"toolCallId": "u", "title": "Delete the sun", "kind": "delete"}, "options": [
  {"optionId": "only", "name": "Once", "kind": "allow_once"}]} as two
await one contains "optionId":"b"
await two contains "optionId":"only"
update {"sessionUpdate": "tool_call_update", "toolCallId": "t", "status": "completed"}
end-turn
`})
	p.Ready().Ask("go")
	p.Question("Delete the moon", "For this moon", "For all moons", "1 of 2").TakesKeys()
	p.Press("a").Shows("❯ 1") // of two options of this kind the first has the letter
	p.Answer("For all moons")
	p.Question("Once").Gone("For this moon")
	p.Answer("Once")
	p.Shows("✓ × Delete the moon  ", "you: For all moons", "you: Once") // the record of what was answered
}

func TestAWordDoesNotAnswerAQuestionThatIsOpen(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: permission + `
await answer contains "optionId":"no"
say Then not.
end-turn
`})
	p.Ready().Ask("go")
	p.Question("Never").TakesKeys()
	p.Type("/yay 1") // begun long after the question had come up
	p.Shows("❯ /yay 1")
	p.Answer("Never")
	p.Shows("Then not.", "❯ /yay 1")
}

func TestAnAgentThatDoesNotReadFreezesNothing(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: `
handshake
expect session/prompt
stop-reading
say I am not listening.
hang
`})
	p.Ready().Ask("go")
	p.Shows("I am not listening.")
	p.Paste(strings.Repeat("a large prompt that fills the pipe\n", 20000))
	p.Shows("pasted text")
	p.Press("enter", "shift+tab", "esc")
	p.Shows("cancelling")
	p.Type("still alive")
	p.Shows("❯ still alive")
}

func TestAnAgentThatIgnoresACancelCanBeStopped(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: `
handshake
expect session/prompt
ignore-sigterm
spawn-child
say I go on and on.
hang
`})
	p.Ready().Ask("go")
	p.Shows("I go on and on.")
	p.Press("esc")
	p.Shows("does not respond")
	p.Press("esc")
	p.Question("Stop the agent", "Keep waiting").Answer("Stop the agent")
	p.Shows("The agent exited", "I go on and on.")
}

// Agents store no session in which nothing was said: the new one is for the draft.
func TestRestartBeforeTheFirstPrompt(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Agent: []string{"sh", "-c", `
read init; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}}'
read open
if [ -e died ]; then
  echo '{"jsonrpc":"2.0","id":2,"error":{"code":-32002,"message":"Resource not found: s"}}'
  read open; echo '{"jsonrpc":"2.0","id":3,"result":{"sessionId":"s2"}}'
  read prompt && echo '{"jsonrpc":"2.0","id":4,"result":{"stopReason":"end_turn"}}'
  cat >/dev/null
else
  echo '{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}'
  while ! [ -e die ]; do sleep 0.01; done; touch died; exit 139
fi`}})
	p.Ready().Type("half a tho").Shows("❯ half a tho")
	must(t, os.WriteFile(filepath.Join(p.Project(), "die"), nil, 0o600))
	p.Question("The agent exited", "Restart it").TakesKeys().Press("alt+r")
	p.Gone("Restart it").Shows("The agent cannot resume the earlier session", "No prompt was sent in it: nothing is lost", "❯ half a tho")
	p.Type("ught").Press("enter")
	if got := p.WaitSent("session/prompt", 1); !strings.Contains(got, `"sessionId":"s2"`) || !strings.Contains(got, "half a thought") {
		t.Errorf("sent %s", got)
	}
}

func TestRestartGoesOnWithTheSession(t *testing.T) {
	t.Parallel()
	// The agent of the script dies in its first life and is told apart by the
	// file that it finds in its second.
	home := t.TempDir()
	p := Start(t, Options{Home: home, Agent: []string{"sh", "-c", `
read init; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}}'
read open
if [ -e died ]; then
  echo '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"<session_context>"}}}}'
  echo '{"jsonrpc":"2.0","id":2,"result":{}}'
  read prompt
  echo '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"From the second life."}}}}'
  echo '{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}'
  cat >/dev/null
else
  echo '{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}'
  read prompt; echo '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Half an ans"}}}}'
  touch died; echo 'segmentation fault' >&2; exit 139
fi`}})
	p.Ready().Ask("go")
	p.Question("The agent exited", "segmentation fault", "Restart it").TakesKeys().Press("r", "enter")
	p.Gone("Restart it").Shows("❯ go", "Half an ans", "The agent exited during this turn") // parley's own record stays
	p.Ask("on").Shows("From the second life.").Gone("<session_context>")
	if got := p.WaitSent("session/load", 1); !strings.Contains(got, `"sessionId":"s"`) {
		t.Errorf("sent %s", got)
	}
	if got := stored(t, home); len(got) != 1 {
		t.Errorf("stored are %d sessions", len(got))
	}
}
