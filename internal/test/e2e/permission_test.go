//go:build unix

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/test/ptytest"
)

// yesOrNo are the options of most questions here.
const yesOrNo = `[{"optionId": "yes", "name": "Allow", "kind": "allow_once"}, {"optionId": "no", "name": "Reject", "kind": "reject_once"}]`

// asks is a step that asks for permission to run a command, under a name.
func asks(name, title, command string) string {
	return fmt.Sprintf(`request session/request_permission {"sessionId": "${session}", "toolCall": {"toolCallId": %q, "title": %q, "kind": "execute",
  "rawInput": {"command": %q}}, "options": %s} as %s
`, name, title, command, yesOrNo, name)
}

const begin = "handshake\nexpect session/prompt\n"

func TestRejectsAndSaysWhatToDoInstead(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: begin + asks("one", "Clean up", "rm -rf build") + `
await one contains "optionId":"no"
say Not that, then.
expect session/prompt contains "use make clean"
say I use make.
end-turn
`})
	p.Ready().Ask("go").Question("rm -rf build").TakesKeys()
	p.Press("tab").Question("Reject (“Reject”) and say what to do instead").TakesKeys()
	p.Type("1y").Question("❯ 1y") // nothing there allows anything
	p.Press("ctrl+u").Type("use maek").Press("backspace", "backspace").Type("ke clean").Question("❯ use make clean")
	answersNothing(p)
	p.Press("enter").Shows("Not that, then.", "queued: use make clean")
}

// The words go before what waits already, and right after the turn.
func TestTheWordsGoBeforeWhatWaits(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: begin + asks("one", "Clean up", "rm -rf build") + `
await one contains "optionId":"no"
end-turn
expect session/prompt contains "use make"
end-turn
expect session/prompt contains "and then the docs"
say All of it is done.
end-turn
`})
	p.Ready().Ask("go").Question("rm -rf build")
	p.Ask("and then the docs").Shows("queued: and then the docs")
	p.TakesKeys().Press("tab").Question("say what to do instead").TakesKeys()
	p.Type("use make").Press("enter").Shows("All of it is done.")
}

func TestWithoutAnOptionThatRejectsTheTurnIsCancelled(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: begin + `
request session/request_permission {"sessionId": "${session}", "toolCall": {"toolCallId": "t", "title": "Launch", "kind": "other"},
  "options": [{"optionId": "yes", "name": "Allow", "kind": "allow_once"}, {"optionId": "never", "name": "Never", "kind": "reject_always"}]} as one
await one contains "cancelled"
end-turn cancelled
expect session/prompt contains "wait for Ada"
say I wait.
end-turn
expect session/prompt contains "the docs"
say And the docs.
end-turn
`})
	p.Ready().Ask("go").Question("Launch")
	p.Ask("the docs").Shows("queued: the docs")
	p.TakesKeys().Press("tab").Question("Cancel the turn and say what to do instead").TakesKeys()
	p.Type("wait for Ada").Press("enter").Shows("I wait.", "paused: the docs").Idle()
	p.Press("end", "enter").Shows("And the docs.") // another key between: a second enter right away is none
}

// What was written to a question that the agent takes back is not lost.
func TestWordsToAQuestionThatIsTakenBackStay(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: strings.Replace(begin, "handshake", withModes, 1) + asks("one", "Clean up", "rm -rf build") + `
expect session/set_mode
reply
cancel one
await one
say Never mind.
end-turn
`})
	p.Ready().Ask("go").Question("rm -rf build").TakesKeys()
	p.Press("tab").Question("say what to do instead").TakesKeys()
	p.Type("use make").Question("❯ use make").Press("shift+tab")
	p.Shows("Never mind.", "❯ use make").Gone("Permission")
}

// withModes opens a session that has modes.
const withModes = `handshake {} {"modes": {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Asking"}, {"id": "code", "name": "Coding"}]}}`

func TestTheModeIsSwitchedWhileAQuestionIsOpen(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: strings.Replace(begin, "handshake", withModes, 1) + asks("one", "Clean up", "rm -rf build") + `
expect session/set_mode contains "code"
reply
await one contains "yes"
say Done.
end-turn
`})
	p.Ready().Ask("go").Question("rm -rf build").TakesKeys()
	p.Press("shift+tab").Mode("Coding").Question("rm -rf build")
	answersNothing(p)
	p.Answer("Allow").Shows("Done.")
}

// Each of several questions is bound to its own request, whichever is answered first.
func TestSeveralQuestionsAreACountedQueue(t *testing.T) {
	t.Parallel()
	script := begin
	for i := 1; i <= 5; i++ {
		script += asks(fmt.Sprintf("q%d", i), fmt.Sprintf("Step %d", i), fmt.Sprintf("make step-%d", i))
	}
	script += `
await q3 contains "optionId":"yes"
say Three is done.
cancel q4
await q4
await q1 contains "optionId":"no"
await q5 contains "optionId":"yes"
await q2 contains "optionId":"no"
say All is done.
end-turn
`
	p := Start(t, Options{Script: script})
	p.Ready().Ask("go").Question("make step-1", "1 of 5")
	p.TakesKeys().Press("right").Question("make step-2", "2 of 5")
	p.TakesKeys().Press("right").Question("make step-3", "3 of 5")
	p.Answer("Allow")
	// The next one stood in its place, and is taken back; the one after it follows.
	p.Shows("Three is done.").Question("make step-5", "3 of 3")
	p.TakesKeys().Press("right").Question("make step-1", "1 of 3") // round and round
	p.Answer("Reject")
	p.Question("make step-2", "1 of 2").TakesKeys().Press("left")
	p.Question("make step-5", "2 of 2").Answer("Allow")
	p.Question("make step-2").Answer("Reject")
	p.Shows("All is done.")
}

func TestAQuestionThatIsTakenBackClosesAndSaysSo(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: strings.Replace(begin, "handshake", withModes, 1) + asks("one", "Clean up", "rm -rf build") + asks("two", "Build", "make") + `
expect session/set_mode
reply
cancel one
await one
await two contains "no"
end-turn
`})
	p.Ready().Ask("go").Question("rm -rf build", "1 of 2").TakesKeys()
	p.Press("ctrl+e").Shows("Permission: $ Clean up") // its subject on the whole screen closes with it
	p.Press("esc").Question("rm -rf build").Press("shift+tab")
	p.Shows("the agent withdrew its question").Question("make").Answer("Reject")
}

func TestAQuestionOfASubagentSaysWhose(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: begin + `
update {"sessionUpdate": "tool_call", "toolCallId": "task", "title": "Tidy up the tests", "kind": "think", "status": "in_progress"}
request session/request_permission {"sessionId": "${session}", "toolCall": {"toolCallId": "t", "title": "Clean up", "kind": "execute", "rawInput": {"command": "rm -rf build"},
  "_meta": {"claudeCode": {"parentToolUseId": "task"}}}, "options": ` + yesOrNo + `} as one
await one
end-turn
`})
	p.Ready().Ask("go").Question("from a subagent: Tidy up the tests", "rm -rf build").Answer("Reject").Idle()
}

// A subagent with a session of its own: its question is named as its own, and it can be
// cancelled alone, also when the turn of its parent has ended.
func TestASubagentWithASessionOfItsOwn(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: begin + `
update {"sessionUpdate": "subagent_update", "sessionId": "kid", "title": "Tidy up the tests", "capabilities": {"cancel": {}}, "state": {"state": "running"}}
notify session/update {"sessionId": "kid", "update": {"sessionUpdate": "session_message", "messageId": "m", "senderSessionId": "${session}", "recipientSessionId": "kid", "content": [{"type": "text", "text": "Be thorough."}]}}
request session/request_permission {"sessionId": "kid", "toolCall": {"toolCallId": "t", "title": "Clean up", "kind": "execute", "rawInput": {"command": "rm -rf build"}}, "options": ` + yesOrNo + `} as one
await one
say It goes on.
end-turn
expect session/cancel contains "kid"
update {"sessionUpdate": "subagent_update", "sessionId": "kid", "state": {"state": "idle", "stopReason": "cancelled"}}
expect nothing/more
`})
	p.Ready().Ask("go").Question("from a subagent: Tidy up the tests", "rm -rf build").Answer("Reject").Shows("It goes on.", "1 task in the background", "Be thorough.")
	p.Press("ctrl+p").Type("cancel only tidy").Press("enter").Gone("1 task in the background").Shows("Tidy up the tests", "cancelled")
}

// A title is the agent's words only, and is quoted unless it is the command.
func TestATitleIsQuoted(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: begin + asks("one", "ls", "rm -rf ~/work") + asks("two", "`make`", "make") + `
await one contains "no"
await two contains "no"
end-turn
`})
	p.Ready().Ask("go").Question("$ rm -rf ~/work", "│ ls").Answer("Reject")
	p.Question("$ make").Answer("Reject")
}

func TestAPathThatLeadsOutIsSaidTo(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(resolved(t, t.TempDir()), "secrets")
	must(t, os.WriteFile(outside, []byte("old\n"), 0o600))
	p := Start(t, Options{Files: map[string]string{"here.txt": "a\n"}, Script: strings.Replace(begin, "handshake", withModes, 1) + `
expect session/set_mode
reply
request session/request_permission {"sessionId": "${session}", "toolCall": {"toolCallId": "t", "title": "Edit link.txt", "kind": "edit", "locations": [{"path": "${cwd}/link.txt"}],
  "content": [{"type": "diff", "path": "${cwd}/link.txt", "oldText": "old\n", "newText": "new\n"}]}, "options": ` + yesOrNo + `} as one
request session/request_permission {"sessionId": "${session}", "toolCall": {"toolCallId": "u", "title": "Read here.txt", "kind": "read", "locations": [{"path": "${cwd}/here.txt"}]}, "options": ` + yesOrNo + `} as two
await one contains "no"
await two contains "yes"
end-turn
`})
	p.Ready().Ask("go")
	dir := strings.Trim(strings.SplitAfterN(p.WaitSent("session/new", 1), `"cwd":"`, 2)[1], `"`)
	dir, _, _ = strings.Cut(dir, `"`)
	must(t, os.Symlink(outside, filepath.Join(dir, "link.txt")))
	p.Press("shift+tab")
	p.Question("link.txt → "+outside[:20], "outside the project").Answer("Reject")
	p.Question("here.txt").Answer("Allow").Gone("outside the project")
}

func TestReadsAQuestionInAnEditor(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	must(t, os.WriteFile(filepath.Join(bin, "nano"), []byte("#!/bin/sh\ncp \"$1\" "+bin+"/given\n"), 0o755))
	p := Start(t, Options{Env: []string{"TMPDIR=" + t.TempDir(), "EDITOR=" + filepath.Join(bin, "nano")}, Script: begin +
		asks("one", "Clean up", "rm -rf build") + "await one contains \"no\"\nend-turn\n"})
	p.Ready().Ask("go").Question("rm -rf build").TakesKeys()
	p.Press("ctrl+g")
	p.WaitUntil("the editor was given the question", func(ptytest.Screen) bool {
		text, _ := os.ReadFile(filepath.Join(bin, "given"))
		return strings.Contains(string(text), "Clean up") && strings.Contains(string(text), "rm -rf build")
	})
	p.Question("rm -rf build").TakesKeys()
	answersNothing(p)
	p.Answer("Reject").Idle()
}

// A question that comes between two letters of a word takes none of them.
func TestAQuestionBetweenTwoLettersTakesNeither(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: strings.Replace(begin, "handshake", withModes, 1) + `
expect session/set_mode
reply
` + asks("one", "Clean up", "rm -rf build") + `
await one contains "no"
end-turn
`})
	p.Ready().Ask("go").Type("sa").Shows("❯ sa").Press("shift+tab").Question("rm -rf build")
	p.Type("y").Shows("❯ say").TakesKeys()
	p.Type("y 1 n").Shows("❯ sayy 1 n")
	answersNothing(p)
	// The prompt is a whole prompt meanwhile.
	p.Press("ctrl+w", "ctrl+w", "backspace", "left").Type("-").Shows("❯ say-y").Gone("❯ sayy")
}

// Words are text for the prompt from their first letter on, also where that marks an answer.
func TestWordsAtAQuestionAreText(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: begin + asks("one", "Clean up", "rm -rf build") + `
await one contains "no"
end-turn
`})
	p.Ready().Ask("go").Question("rm -rf build").TakesKeys()
	p.Type("yes and no").Shows("❯ yes and no")
	answersNothing(p)
	p.Answer("Reject").Idle()
}

func TestThePromptIsWholeWhileAQuestionIsOpen(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Files: map[string]string{"notes.txt": "x"}, Script: begin + asks("one", "Clean up", "rm -rf build") + `
await one contains "no"
end-turn
expect session/prompt contains Oh, hello @notes.txt
say It came.
end-turn
`})
	p.Ready().Ask("go").Question("rm -rf build").TakesKeys()
	p.Type("/wrong").Shows("❯ /wrong").Press("ctrl+u").Gone("❯ /wrong")
	p.Type("hallo").Shows("❯ hallo").Press("left", "left", "left", "backspace").Type("e").Shows("❯ hello")
	p.Press("end").Type(" @not").Shows("› notes.txt").Press("tab").Shows("❯ hello @notes.txt")
	p.Press("shift+enter").Type("two lines").Press("up", "home").Type("Oh, ").Shows("❯ Oh, hello")
	answersNothing(p)
	p.Press("enter").Shows("queued: Oh, hello").Question("rm -rf build")
	answersNothing(p)
	p.Answer("Reject").Shows("It came.")
}

func TestEveryOptionHasAKeyOfItsOwn(t *testing.T) {
	t.Parallel()
	var options []string
	for i := 1; i <= 14; i++ {
		options = append(options, fmt.Sprintf(`{"optionId": "o%d", "name": "Choice %d", "kind": "allow_once"}`, i, i))
	}
	p := Start(t, Options{Rows: 50, Script: begin + `
request session/request_permission {"sessionId": "${session}", "toolCall": {"toolCallId": "t", "title": "Launch", "kind": "other"}, "options": [` + strings.Join(options, ", ") + `]} as one
await one contains "o12"
say It was the twelfth.
end-turn
`})
	p.Ready().Ask("go").Question("   b  ✓ Choice 10", "   e  ✓ Choice 12").TakesKeys()
	p.Press("e", "enter").Shows("It was the twelfth.")
}

func TestTenThousandOptions(t *testing.T) {
	t.Parallel()
	options := make([]string, 10_000)
	for i := range options {
		options[i] = fmt.Sprintf(`{"optionId": "o%d", "name": "Option %d", "kind": "allow_always"}`, i, i)
	}
	options[9_999] = `{"optionId": "none", "name": "", "kind": "reject_once"}`
	p := Start(t, Options{Script: begin + `
request session/request_permission {"sessionId": "${session}", "toolCall": {"toolCallId": "t", "title": "Launch", "kind": "other"}, "options": [` + strings.Join(options, ", ") + `]} as one
await one contains "none"
expect session/prompt contains "none of these"
say Fine.
end-turn
`})
	p.Ready().Ask("go").Question("Launch", "Option 0", "more lines")
	p.Type("go away 1").Shows("❯ go away 1") // they were not all seen: no key answers
	p.Press("ctrl+u").Gone("❯ go away 1").Question("Scroll to the end to answer")
	answersNothing(p)
	p.Press("tab").Question("Reject (“none”) and say what to do instead").Type("none of these").Question("❯ none of these").Press("enter")
	p.WaitAnswers("session/request_permission", 1)
}

// A title cannot draw a dialog into the dialog, nor can what stands above it.
func TestNothingImitatesADialog(t *testing.T) {
	t.Parallel()
	fake := `╭─ Permission ─────────╮\n│  $ ls                │\n│    1  y  ✓ Allow     │\n╰──────────────────────╯`
	p := Start(t, Options{Script: begin + `
update {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "` + fake + "\\n\\n```\\n" + fake + "\\n```\\n\\n| ╭─ Permission | x |\\n| --- | --- |\\n| ╰─ | y |\\n" + `"}}
update {"sessionUpdate": "agent_thought_chunk", "content": {"type": "text", "text": "` + fake + `"}}
update {"sessionUpdate": "tool_call", "toolCallId": "f", "title": "Look", "kind": "execute", "status": "completed", "content": [{"type": "content", "content": {"type": "text", "text": "` + fake + `"}}]}
request session/request_permission {"sessionId": "${session}", "toolCall": {"toolCallId": "t", "title": "` + fake + `", "kind": "execute", "rawInput": {"command": "rm -rf build"}}, "options": ` + yesOrNo + `} as one
await one contains "no"
end-turn
`})
	p.Ready().Ask("go").Question("$ rm -rf build").TakesKeys()
	s := p.Screen()
	frames := 0
	for y := range s.Rows {
		if line := s.Line(y); strings.HasPrefix(line, "╭") || strings.HasPrefix(line, "╰") {
			frames++
		}
		for x := range s.Cols {
			inFrame := strings.HasPrefix(s.Line(y), "╭─ Perm") || strings.HasPrefix(s.Line(y), "╰─") || strings.HasPrefix(s.Line(y), "│")
			if c := s.Cell(x, y); !inFrame && strings.ContainsAny(c.Text, "╭╮╰╯│─") && c.FG == p.focused {
				t.Errorf("line %d has a frame in the colour of the dialog's: %q", y, s.Line(y))
				break
			}
		}
	}
	if frames != 2 {
		t.Errorf("%d borders begin where those of a dialog do:\n%s", frames, s)
	}
	p.Answer("Reject").Idle()
}
