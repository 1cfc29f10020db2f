//go:build unix

package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// What these tests' agents send, real agents have been seen to send.

func TestAThoughtOfALoadedSessionIsOver(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Args: []string{"--resume=old-1"}, Script: `
expect initialize
reply {` + initialized + `, "agentCapabilities": {"loadSession": true}}
expect session/load
update {"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "an old question"}}
update {"sessionUpdate": "agent_thought_chunk", "content": {"type": "text", "text": "**Weighing** it"}}
reply {}
`})
	p.Shows("❯ an old question", "✻ Thought: Weighing it").Gone("Thinking…")
}

func TestOutputOfToolsIsShownAsItIs(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: `
handshake
expect session/prompt
update {"sessionUpdate": "tool_call", "toolCallId": "c", "title": "cat a.py", "kind": "execute", "status": "completed", "content": [{"type": "content", "content": {"type": "text", "text": "def __init__(self):\n\treturn ` + "`x`" + `\n# end\n"}}]}
update {"sessionUpdate": "tool_call", "toolCallId": "o", "title": "Ask an oracle", "kind": "other", "status": "completed", "content": [{"type": "content", "content": {"type": "text", "text": "It is **so**."}}]}
end-turn
`})
	p.Ready().Ask("go")
	p.Shows("│ def __init__(self):\n  │         return `x`\n  │ # end", "│ It is so.")
}

const sourceFile = "package a\n\nvar one = 1\n\nvar two = 2\n\nvar three = 3\n"

// A part of a file has the numbers that it has in the file, in the question and in
// the transcript, where it stays when the agent replaces it.
func TestAChangeIsNumberedAndStays(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Files: map[string]string{"a.go": sourceFile}, Script: `
handshake
expect session/prompt
request session/request_permission {"sessionId": "${session}", "toolCall": {"toolCallId": "t", "title": "${cwd}/a.go", "kind": "edit", "content": [
  {"type": "diff", "path": "${cwd}/a.go", "oldText": "var two = 2\n", "newText": "var two = 22\n"}]}, "options": [
  {"optionId": "yes", "name": "Allow", "kind": "allow_once"}]} as answer
await answer
update {"sessionUpdate": "tool_call_update", "toolCallId": "t", "status": "completed", "title": "a.go", "content": [{"type": "content", "content": {"type": "text", "text": "Wrote **it** well."}}]}
end-turn
`})
	p.Ready().Ask("go")
	p.Question("5   - var two = 2", "  5 + var two = 22").Answer("Allow")
	p.Shows("✓ ✎ a.go +1 −1  ", "you: Allow\n  │ 5   - var two = 2\n  │   5 + var two = 22\n  │ Wrote it well.")
}

func TestFilesOfAPatchHaveHeadings(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Files: map[string]string{"a.go": sourceFile, "b.go": "package b\n"}, Script: `
handshake
expect session/prompt
update {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "Apply a patch", "kind": "edit", "status": "in_progress", "content": [
  {"type": "diff", "path": "${cwd}/a.go", "oldText": "var one = 1\n", "newText": "var one = 11\n"},
  {"type": "diff", "path": "${cwd}/b.go", "oldText": "package b\n", "newText": ""},
  {"type": "diff", "path": "${cwd}/c.go", "oldText": null, "newText": "package c\n"}]}
wait-cancel
end-turn cancelled
`})
	p.Ready().Ask("go")
	p.Shows("Apply a patch a.go and 2 more +2 −2",
		"│ a.go +1 −1\n  │ 3   - var one = 1\n  │   3 + var one = 11",
		"│ b.go +0 −1 deleted\n  │ 1 - package b",
		"│ c.go +1 −0 new file\n  │ 1 + package c")
	p.Press("esc").Shows("Cancelled")
}

func TestTwoQuestionsAboutOneCallAreTwo(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: `
handshake
expect session/prompt
request session/request_permission {"sessionId": "${session}", "toolCall": {"toolCallId": "t", "title": "Write a.txt", "kind": "edit"}, "options": [{"optionId": "a", "name": "Write it", "kind": "allow_once"}]} as one
request session/request_permission {"sessionId": "${session}", "toolCall": {"toolCallId": "t", "title": "Run a.txt", "kind": "execute", "rawInput": {"command": "sh a.txt"}}, "options": [{"optionId": "b", "name": "Run it", "kind": "allow_once"}]} as two
await one contains "optionId":"a"
await two contains "optionId":"b"
end-turn
`})
	p.Ready().Ask("go")
	p.Question("Write a.txt", "1 of 2").Answer("Write it")
	p.Question("Run a.txt", "$ sh a.txt").Answer("Run it")
}

func TestQuestionsInARequestAreShown(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: `
handshake
expect session/prompt
request session/request_permission {"sessionId": "${session}", "toolCall": {"toolCallId": "t", "title": "ask_user", "kind": "other",
  "rawInput": {"questions": [{"header": "Colour", "question": "Which colour?", "options": [{"label": "Red", "description": "Warm"}, {"label": "Blue", "description": "Cold"}]}]}}, "options": [
  {"optionId": "0", "name": "Red", "kind": "allow_once"}, {"optionId": "1", "name": "Blue", "kind": "allow_once"}]} as answer
await answer contains "optionId":"1"
end-turn
`})
	p.Ready().Ask("go")
	p.Question("Colour: Which colour?", "• Red: Warm", "• Blue: Cold").Answer("Blue")
	p.Shows("│ Colour: Which colour?", "you: Blue")
}

// qwenQuestions is a turn in which qwen-code asks two questions.
const qwenQuestions = `
expect initialize
reply {"protocolVersion": 1, "agentInfo": {"name": "qwen-code", "title": "Qwen Code", "version": "1"}}
expect session/new
reply {"sessionId": "s"}
expect session/prompt
request session/request_permission {"sessionId": "${session}", "toolCall": {"toolCallId": "t", "title": "Please answer the following question(s):", "kind": "think",
  "_meta": {"toolName": "ask_user_question", "qwenInteractionKind": "user_question", "qwenQuestions": [
    {"header": "Colour", "question": "Which colour?", "options": [{"label": "Red", "description": "Warm"}, {"label": "Blue", "description": "Cold"}]},
    {"header": "Parts", "question": "Which parts?", "multiSelect": true, "options": [{"label": "Cache", "description": "c"}, {"label": "Logs", "description": "l"}, {"label": "Metrics", "description": "m"}]}]}},
  "options": [{"optionId": "proceed_once", "name": "Submit", "kind": "allow_once"}, {"optionId": "cancel", "name": "Cancel", "kind": "reject_once"}]} as answer
`

func TestQuestionsInAPermissionRequestAreAForm(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: qwenQuestions + `
await answer contains {"outcome":{"outcome":"selected","optionId":"proceed_once"},"answers":{"0":"Blue","1":"Cache, Metrics"}}
say Thank you.
end-turn
expect session/prompt
request session/request_permission {"sessionId": "${session}", "toolCall": {"toolCallId": "u", "_meta": {"qwenInteractionKind": "user_question"},
  "rawInput": {"questions": [{"header": "Size", "question": "Which size?", "options": [{"label": "Small", "description": "s"}, {"label": "Large", "description": "l"}]}]}},
  "options": [{"optionId": "proceed_once", "name": "Submit", "kind": "allow_once"}, {"optionId": "cancel", "name": "Cancel", "kind": "reject_once"}]} as second
await second contains "optionId":"cancel"
say As you like.
end-turn
`})
	p.Ready().Ask("go")
	p.Question("Which colour?", "Red", "Warm", "Which parts?", "Metrics", "Accept", "Decline").TakesKeys()
	p.Press("2", "tab", "tab", "1", "3", "tab", "tab", "enter")
	p.Shows("Thank you.", "Colour: Blue", "Parts: Cache, Metrics")
	p.Ask("again")
	p.Question("Which size?", "Small", "Large").TakesKeys().Press("esc")
	p.Shows("As you like.")
}

func TestAnswersStay(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: `
handshake
expect session/prompt
request elicitation/create {"sessionId": "${session}", "mode": "form", "message": "About the release", "requestedSchema": {"type": "object", "properties": {
  "name": {"type": "string", "title": "Name"}, "token": {"type": "string", "title": "Token"}}}} as answer
await answer contains "token":"hunter2"
say Thank you.
end-turn
`})
	p.Ready().Ask("go")
	p.Question("About the release").TakesKeys()
	p.Type("parley").Press("tab").Type("hunter2").Press("tab", "enter")
	p.Shows("? About the release\n  Name: parley\n  Token: (not shown: it may be secret)", "Thank you.").Gone("hunter2")
}

func TestARejectedCallSaysSo(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: permission + `
await answer contains "optionId":"no"
end-turn cancelled
`})
	p.Ready().Ask("go")
	p.Question("Never").Answer("Never")
	p.Shows("⊘ $ ", "you: Never (rejects this once)")
}

func TestModesAnnouncedInMessages(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: `
expect initialize
reply {"protocolVersion": 1, "agentInfo": {"name": "gemini-cli", "title": "Gemini CLI", "version": "1"}}
expect session/new
reply {"sessionId": "s", "modes": {"currentModeId": "default", "availableModes": [
  {"id": "default", "name": "Default"}, {"id": "autoEdit", "name": "Auto Edit"}, {"id": "yolo", "name": "YOLO"}, {"id": "plan", "name": "Plan"}]}}
expect session/prompt
say "It is "
update {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "[MODE_UPDATE] autoEdit"}}
say "done."
update {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "[MODE_UPDATE] plan"}}
end-turn
`})
	p.Ready().Mode("mode Default").Ask("go")
	p.Shows("● It is done.").Mode("Auto Edit").Gone("MODE_UPDATE")
}

func TestAnErrorComesOnce(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: `
handshake
expect session/prompt
say API Error: 402 Your credit is used up.
reply-error -32603 "Internal error: API Error: 402 Your credit is used up." {"errorKind": "billing_error"}
`})
	p.Ready().Ask("go")
	p.Shows("● API Error: 402 Your credit is used up.", "✗ The agent answered with an error")
	if s := p.Screen().String(); strings.Count(s, "credit") != 1 || strings.Contains(s, "errorKind") {
		t.Errorf("the error comes twice, or raw:\n%s", s)
	}
	p.Press("tab", "enter")
	p.Shows("as the agent sent it", `"errorKind": "billing_error"`)
}

func TestLongPastesAndAttachmentsAreShort(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Files: map[string]string{"src/a b.go": "package a\n"}, Script: `
handshake
expect session/prompt
say Well.
end-turn
`})
	p.Ready()
	var lines strings.Builder
	for i := 1; i <= 500; i++ {
		fmt.Fprintf(&lines, "pasted line %d\n", i)
	}
	p.Paste(lines.String())
	p.Shows("pasted text #1")
	p.Type(` @"src/a b.go" `).Press("enter")
	p.Shows("❯ pasted line 1\n", "pasted line 8\n  … 493 more lines\n  ▣ file src/a b.go", "● Well.").Gone("%20")
}

func TestTaskListsArePlans(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: `
expect initialize
reply {"protocolVersion": 1, "agentInfo": {"name": "OpenCode", "version": "1"}}
expect session/new
reply {"sessionId": "s"}
expect session/prompt
update {"sessionUpdate": "tool_call", "toolCallId": "p", "title": "2 todos", "kind": "other", "status": "completed", "rawInput": {"todos": [{"content": "Look around", "status": "completed"}, {"content": "Build it", "status": "in_progress"}]},
  "content": [{"type": "content", "content": {"type": "text", "text": "[{\"content\":\"Look around\"}]"}}]}
update {"sessionUpdate": "tool_call", "toolCallId": "s", "title": "Explore", "kind": "think", "status": "completed", "content": [{"type": "content", "content": {"type": "text", "text": "<task id=\"s\" state=\"completed\">\n<task_result>\nAll is well.\n</task_result>\n</task>"}}]}
update {"sessionUpdate": "tool_call", "toolCallId": "c", "title": "make", "kind": "execute", "status": "completed", "locations": [{"path": "${cwd}"}], "content": [{"type": "content", "content": {"type": "text", "text": "built\n\n<shell_metadata>\nIt took long.\n</shell_metadata>"}}]}
wait-cancel
end-turn cancelled
`})
	p.Ready().Ask("go")
	p.Shows("✓ • 2 todos\n  │ ✓ Look around\n  │ ◐ Build it", "1/2 Build it", "│ All is well.", "✓ $ make\n  │ built\n  │\n  │ It took long.").Gone("<task")
	p.Press("esc").Shows("Cancelled")
}
