//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// In plain lines nothing is drawn: what a test reads is what a screen reader reads, in
// the order in which it is written.

// startPlain starts parley in plain lines, on a terminal that can do nothing else.
func startPlain(t *testing.T, o Options) *Parley {
	t.Helper()
	o.Keep, o.Env = true, append(o.Env, "TERM=dumb")
	p := Start(t, o)
	t.Cleanup(func() {
		if raw := p.Raw(); strings.ContainsRune(raw, '\x1b') {
			t.Errorf("there are control sequences in %q", raw)
		}
	})
	return p
}

// Tells types a line.
func (p *Parley) Tells(line string) *Parley {
	p.Send(line + "\n")
	return p
}

// Hears reads on to each of the texts.
func (p *Parley) Hears(texts ...string) *Parley {
	p.t.Helper()
	p.Reads(texts...)
	return p
}

// invitation is where a prompt can be typed.
const invitation = "\n> "

func TestPlainReadsLikeAConversation(t *testing.T) {
	t.Parallel()
	p := startPlain(t, Options{Script: begin + `
think Let me look.
say "The first line is whole.\nThe second "
say "one comes in pieces.\n\nAnd a paragraph."
update {"sessionUpdate": "plan", "entries": [{"content": "Read", "status": "completed", "priority": "high"}, {"content": "Write", "status": "in_progress", "priority": "high"}]}
update {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "Read a.txt", "kind": "read", "status": "in_progress"}
update {"sessionUpdate": "tool_call_update", "toolCallId": "t", "status": "completed"}
say "No \u001b[31mcolours\u001b[0m here."
end-turn
`})
	p.Hears(" is ready, in ", invitation).Tells("look at it")
	p.Hears("\nThought: Let me look.\r\n",
		"\nAgent: The first line is whole.\r\nThe second one comes in pieces.\r\n\r\nAnd a paragraph.\r\n",
		"\nPlan:\r\n1. Read (done)\r\n2. Write (in progress)\r\n",
		"Tool 1: Read a.txt", "done\r\n", "\nAgent: No ", "colours", invitation)
	p.Send("\x04").WaitExit()
	p.Hears("Leaving.")
}

func TestPlainAsksWithNumbers(t *testing.T) {
	t.Parallel()
	p := startPlain(t, Options{Script: begin + asks("one", "Clean up", "rm -rf build") + `
await one contains "optionId":"yes"
say It is clean.
` + asks("two", "Clean up more", "rm -rf src") + `
await two contains "optionId":"no"
end-turn
expect session/prompt contains "keep the sources"
say They are kept.
end-turn
`})
	p.Hears(invitation).Tells("go")
	p.Hears("Question: may the agent do this?", "# command\r\nrm -rf build\r\n", "1. Allow\r\n2. Reject", "Answer 1 to 2, or /help: ")
	p.Tells("y").Hears("Not one of the choices. Nothing was answered.", "Answer 1 to 2")
	p.Tells("1 please").Hears("1 takes no words after it.", "Answer 1 to 2")
	p.Tells("3").Hears("Not one of the choices.", "Answer 1 to 2")
	if n := len(p.Answers("session/request_permission")); n != 0 {
		t.Errorf("%d answers were given", n)
	}
	p.Tells("1").Hears("Agent: It is clean.", "rm -rf src", "Answer 1 to 2").Tells("2 keep the sources")
	p.Hears("You: keep the sources", "Agent: They are kept.", invitation)
}

func TestPlainCancelsTheTurnAndLeaves(t *testing.T) {
	t.Parallel()
	p := startPlain(t, Options{Script: begin + asks("one", "Clean up", "rm -rf build") + `
wait-cancel
await one contains "cancelled"
end-turn cancelled
expect session/prompt
say "Again.\n"
wait-cancel
hang
`})
	p.Hears(invitation).Tells("go").Hears("Answer 1 to 2")
	p.Send("\x03").Reads("Cancelling. Press ctrl+c again to quit.", "Cancelled", "\n> ")
	p.Tells("once more").Hears("Agent: Again.")
	p.Send("\x03").Reads("Cancelling.")
	p.Send("\x03").Reads("Leaving.")
	p.Exits(0)
}

func TestPlainTellsThatTheAgentHasGone(t *testing.T) {
	t.Parallel()
	p := startPlain(t, Options{Script: "handshake\nexpect session/prompt\n" + `
say Half a sentence
stderr panic: out of cheese
kill-self
`})
	p.Hears(invitation).Tells("go")
	p.Hears("Agent: Half a sentence", "The agent exited", "panic: out of cheese", "/start restarts it")
	p.Tells("and now?").Hears("the prompt is queued")
	p.Tells("/start").Hears(" is ready, in ", invitation)
	p.Tells("/quit").Hears("Leaving.").Exits(0)
}

func TestPlainRunsCommandsOfTheirOwn(t *testing.T) {
	t.Parallel()
	p := startPlain(t, Options{Script: begin + "say I have read it.\nend-turn\n"})
	p.Hears(invitation).Tells("/add").Hears("No output to add")
	p.Tells(`!printf 'one\n\033[31mtwo\033[0m\n50%%\r100%%\n'; false`)
	p.Hears("You ran: printf", "\none\r\ntwo\r\n100%\r\n", ": exit code 1\r\n")
	p.Tells("/run printf 'Your name? '; read name; echo \"Hello, $name.\"").Hears("You ran:", "Your name? \r\n")
	p.Tells("/type Ada").Hears("Hello, Ada.", ": exit code 0\r\n")
	p.Tells("/run sleep 1000").Hears("You ran: sleep 1000").Tells("/end").Hears("sleep 1000: ended by SIGTERM")
	p.Tells("/end").Hears("No command is running.")
	p.Tells("!echo marbles").Hears("You ran: echo marbles", "\nmarbles\r\n", "exit code 0")
	p.Tells("/add").Hears("is added to your next prompt").Tells("read that").Hears("Agent: I have read it.", invitation)
	if sent := p.WaitSent("session/prompt", 1); !strings.Contains(sent, "read that") || !strings.Contains(sent, `marbles\n`) {
		t.Errorf("the agent was sent %s", sent)
	}
	p.Tells("/quit").Exits(0)
}

func TestPlainReviewsWhatWasChanged(t *testing.T) {
	t.Parallel()
	p := startPlain(t, Options{Script: twoTurns, Files: map[string]string{"a.txt": "1\n2\n3\n4\n5\n6\n7\n", "b.txt": "b\n"}})
	p.Hears(invitation).Tells("/changes").Hears("No changes in this session.")
	p.Tells("first").Hears("The first turn is done.", invitation).Tells("second").Hears("The second turn is done.", invitation)
	p.Tells("/changes").Hears("\n1. a.txt: 2 lines added, 2 removed\r\n2. b.txt: 1 line added, 1 removed", "\r\n3. new/c.txt: new, 1 line\r\n", "/changes N") // the agent writes b.txt at once: parley may have seen it before, or not
	p.Tells("/changes 1").Hears("--- a/a.txt\r\n", "\n-1\r\n+one\r\n")
	p.Tells("/changes 4").Hears("No such change.")
	p.Tells("/changes keep 2").Hears("b.txt is kept")
	p.Tells("/changes revert 1").Hears("Undid the changes in a.txt · /changes redo redoes it.")
	p.holds("a.txt", "1\n2\n3\n4\n5\n6\n7\n")
	p.Tells("/changes redo").Hears("Redid 1 file.")
	p.holds("a.txt", "one\n2\n3\n4\n5\n6\nseven\n")
	p.Tells("/changes undo").Hears("Undid “second”: 1 file · /changes redo redoes it.")
	p.holds("new/c.txt", "-").Tells("/changes").Hears("1. a.txt: 2 lines added", "2. b.txt: kept", "3. new/c.txt: as it was before")
	p.Tells("/quit").Exits(0)
}

// An edit that parley could read before it was made is seen; one that was made before its report
// is only reported.
func TestPlainSaysWhichEditsWereSeen(t *testing.T) {
	t.Parallel()
	p := startPlain(t, Options{Script: `handshake
expect session/prompt
update {"sessionUpdate": "tool_call", "toolCallId": "seen", "title": "Edit b.txt", "kind": "edit", "status": "pending",
  "content": [{"type": "diff", "path": "${cwd}/b.txt", "oldText": "b\n", "newText": "B\n"}]}
say I am about to edit.
request terminal/create {"sessionId": "${session}", "command": "cat", "args": ["gate"], "cwd": "${cwd}"} as gate
await gate
request terminal/wait_for_exit {"sessionId": "${session}", "terminalId": "${gate.result.terminalId}"} as open
await open
save ${cwd}/b.txt "B\n"
update {"sessionUpdate": "tool_call_update", "toolCallId": "seen", "status": "completed"}
save ${cwd}/d.txt "D\n"
update {"sessionUpdate": "tool_call", "toolCallId": "told", "title": "Edit d.txt", "kind": "edit", "status": "pending",
  "content": [{"type": "diff", "path": "${cwd}/d.txt", "oldText": "d\n", "newText": "D\n"}]}
update {"sessionUpdate": "tool_call_update", "toolCallId": "told", "status": "completed"}
say Both are edited.
end-turn
`, Files: map[string]string{"b.txt": "b\n", "d.txt": "d\n"}})
	gate := filepath.Join(p.Dir(), "gate")
	mkfifo(t, gate)
	p.Hears(invitation).Tells("go").Hears("I am about to edit.").Tells("/changes").Hears("No changes in this session.") // the report is read by now
	openGate(t, gate)
	p.Hears("Both are edited.", invitation).Tells("/changes")
	p.Hears("\n1. b.txt: 1 line added, 1 removed\r\n2. d.txt: 1 line added, 1 removed, as reported by the agent: not undone\r\n")
	p.Tells("/quit").Exits(0)
}

// What parley did not see the agent write is undone only after a question.
func TestPlainAsksBeforeItUndoesWhatTheUserMayHaveWritten(t *testing.T) {
	t.Parallel()
	at := repositoryPlace(t)
	p := startPlain(t, Options{Home: at.home, Project: at.dir, Script: begin + `
say "I am working.\n\n"
expect session/cancel
end-turn cancelled
`})
	p.Hears(invitation).Tells("go").Hears("I am working.").Tells("/changes").Hears("No changes in this session.")
	must(t, os.WriteFile(filepath.Join(p.Dir(), "poem.txt"), []byte("mine\n"), 0o600))
	p.Tells("/cancel").Hears(invitation)
	p.Tells("/changes").Hears("1. poem.txt: 1 line added, 3 removed (during a turn, not through parley)")
	p.Tells("/changes undo").Hears("No changes of the agent to undo.")
	p.Tells("/changes revert 1").Hears("Undo a change that may be your own?", "poem.txt", "2. Undo it", "Answer 1 to 2")
	p.holds("poem.txt", "mine\n")
	p.Tells("2").Hears("Undid the changes in poem.txt")
	p.holds("poem.txt", "one\ntwo\nthree\n")
	p.Tells("/quit").Exits(0)
}

// Another session is opened only once the user agrees to end the turn that runs.
func TestPlainOpensAnotherSession(t *testing.T) {
	t.Parallel()
	p := startPlain(t, Options{Script: `
expect initialize
reply {"protocolVersion": 1, "agentCapabilities": {"loadSession": true}}
expect session/new
reply {"sessionId": "first"}
expect session/prompt
say "Of apples.\n"
wait-cancel
hang
`})
	p.Hears(invitation).Tells("apples").Hears("Agent: Of apples.")
	p.Tells("/sessions pears").Hears("Not one of the choices: pears. /sessions lists them. /sessions all: all directories.")
	p.Tells("/sessions").Hears("The agent is working", "1. Keep waiting", "2. Resume another session", "Answer 1 to 2")
	p.Tells("2").Hears("Which session?", "1. apples", "Answer 1").Tells("2").Send("\x04").WaitExit()
}

// A session that was left can be gone on with at once, and the one that is open stays open.
func TestPlainGoesBackToTheSessionThatItHasLeft(t *testing.T) {
	t.Parallel()
	p := startPlain(t, Options{Script: `handshake {"loadSession": true}
expect session/prompt
say "Of apples.\n"
end-turn
`})
	p.Hears(invitation).Tells("apples").Hears("Agent: Of apples.", invitation)
	p.Tells("/rename Fruit").Hears("The session is called Fruit.", invitation)
	p.Tells("/new").Hears(" is ready, in ", invitation)
	p.Tells("/sessions").Hears("Which session?", "1. Fruit", "Answer 1").Tells("1")
	p.Hears("You: apples", "Agent: Of apples.", " is ready, in ", invitation)
	p.Tells("/sessions").Hears("Which session?", "1. Fruit", "Answer 1").Tells("1")
	p.Hears("This session is already open.", invitation).Tells("/quit").Exits(0)
}
