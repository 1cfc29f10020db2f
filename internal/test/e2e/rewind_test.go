//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// forking is an agent that writes files as the prompts say. Its answer to initialize and
// to opening a session come first.
func forking(info, capabilities string) string {
	return `
expect initialize
reply {"protocolVersion": 1, "agentInfo": ` + info + `, "agentCapabilities": ` + capabilities + `}
expect session/new|session/fork|session/resume as open
if open.method is session/fork
  reply {"sessionId": "copy"}
else
  if open.method is session/resume
    reply {}
  else
    reply {"sessionId": "original"}
  end
end
repeat 9
  expect session/prompt as p
  if p.params.prompt.0.text is first
    request fs/write_text_file {"sessionId": "${session}", "path": "${cwd}/a.txt", "content": "one\n"} as w
    await w
  end
  if p.params.prompt.0.text is second
    request fs/write_text_file {"sessionId": "${session}", "path": "${cwd}/a.txt", "content": "two\n"} as w
    await w
    request fs/write_text_file {"sessionId": "${session}", "path": "${cwd}/b.txt", "content": "new\n"} as w
    await w
  end
  if p.params.prompt.0.text is wait
    wait-cancel
  end
  update {"sessionUpdate": "agent_message_chunk", "messageId": "m${n}", "content": {"type": "text", "text": "Answer ${n}."}}
  end-turn
end
`
}

var (
	forksAtMessages = forking(`{"name": "@agentclientprotocol/claude-agent-acp", "version": "0.101.0"}`, `{"sessionCapabilities": {"fork": {}, "resume": {}}}`)
	forksNothing    = forking(`{"name": "plain", "version": "1"}`, `{}`)
)

// talk has the two turns that the tests go back in.
func (p *Parley) talk() *Parley {
	p.t.Helper()
	p.Ready().Ask("first").Shows("Answer 1.").Idle().Ask("second").Shows("Answer 2.").Idle()
	return p.holds("a.txt", "two\n").holds("b.txt", "new\n")
}

func TestRewindsConversationAndFiles(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: forksAtMessages, Home: t.TempDir(), Files: map[string]string{"a.txt": "zero\n"}}).talk()
	p.Press("alt+z").Shows("Rewind to before a prompt", "second", "2 files  +2 −1", "first", "deletes b.txt", "The agent forks the session at this message.")
	p.Press("enter").Question("Rewind to before prompt 2?", "restores a.txt  +1 −1", "deletes b.txt  +1 −0", "Outside a git work tree parley does not see").Answer("Conversation and files")
	p.Shows("Answer 1.", "Continues an earlier session from here", "Rewound the files to before prompt 2", "2 files changed. /rewind can undo it.", "❯ second").Gone("Answer 2.")
	p.holds("a.txt", "one\n").holds("b.txt", "-")
	if fork := p.WaitSent("session/fork", 1); !strings.Contains(fork, `"sessionId":"original"`) || !strings.Contains(fork, `"messageId":"m1"`) {
		t.Errorf("the fork was asked for with %s", fork)
	}
	p.Press("alt+z").Shows("Undo the rewind").Press("enter").Shows("undid the rewind: 2 files changed")
	p.holds("a.txt", "two\n").holds("b.txt", "new\n")
	p.Press("ctrl+c", "ctrl+s").Shows("second", "Session").Press("esc").Leave()
}

// An agent that cannot fork goes on in a new session, which gets the conversation with the
// next prompt.
func TestRewindsTheConversationOfAnAgentThatCannotFork(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: forksNothing, Home: t.TempDir(), Files: map[string]string{"a.txt": "zero\n"}}).talk()
	p.Type("a draft").Press("alt+z").Shows("alt+o fork from here", "Opens a new session; your next prompt sends")
	p.Press("enter").Question("Rewind to before prompt 2?").Answer("Conversation only")
	p.Shows("Answer 1.", "Continues an earlier session from here", "❯ second").Gone("Answer 2.")
	p.holds("a.txt", "two\n").Press("enter").Shows("Answer 1.", "Continues an earlier session from here", "❯ second").Idle()
	if sent := p.WaitSent("session/prompt", 3); !strings.Contains(sent, "Answer 1.") || strings.Contains(sent, "Answer 2.") {
		t.Errorf("the new session was sent %s", sent)
	}
	p.Shows("This was said in an earlier session").Leave()
}

// Files alone go back; what the user has changed since stays, unless they choose it.
func TestRewindsFilesOnly(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: forksNothing, Home: t.TempDir(), Files: map[string]string{"a.txt": "zero\n"}}).talk()
	must(t, os.WriteFile(filepath.Join(p.Dir(), "a.txt"), []byte("mine\n"), 0o644))
	p.Press("alt+z").Shows("leaves a.txt").Press("enter")
	p.Question("deletes b.txt", "leaves a.txt", "you have changed the same lines since").Answer("Files only")
	p.Shows("Rewound the files to before prompt 2", "1 file changed").Shows("Answer 2.").holds("a.txt", "mine\n").holds("b.txt", "-")

	p.Press("alt+z").Shows("Undo the rewind").Press("enter").Shows("undid the rewind: 1 file changed").holds("b.txt", "new\n")
	p.Press("alt+z").Shows("second").Press("enter").Question("leaves a.txt").Answer("Choose more files…")
	p.Shows("Rewind these files too", "a.txt").Press("space").Shows("●").Press("esc")
	p.Question("loses what has changed since").Answer("Files only")
	p.Shows("2 files changed. /rewind").holds("a.txt", "one\n").holds("b.txt", "-").Leave()
}

// The rewind survives the end of parley, and so does its undo.
func TestUndoesARewindAfterARestart(t *testing.T) {
	t.Parallel()
	home, project := t.TempDir(), filepath.Join(t.TempDir(), "project")
	o := Options{Script: forksAtMessages, Home: home, Project: project, Files: map[string]string{"a.txt": "zero\n"}}
	p := Start(t, o).talk()
	p.Press("alt+z").Shows("deletes b.txt").Press("enter").Question("Rewind to before prompt 2?").Answer("Conversation and files")
	p.Shows("❯ second", "Rewound the files to before prompt 2").Press("ctrl+c").Shows("❯ Type a prompt").Ask("third")
	p.WaitSent("session/prompt", 3)
	p.Shows("❯ third", "❯ Type a prompt").Leave().Exits(0)

	o.Files, o.Args = nil, []string{"--continue"}
	q := Start(t, o)
	q.Shows("Answer 1.", "Rewound the files to before prompt 2").Idle().holds("a.txt", "one\n")
	q.Press("alt+z").Shows("Undo the rewind").Press("enter").Shows("undid the rewind: 2 files changed")
	q.holds("a.txt", "two\n").holds("b.txt", "new\n").Leave()
}

func TestForksBeforeAPromptInANewTab(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: forksAtMessages, Home: t.TempDir(), Files: map[string]string{"a.txt": "zero\n"}}).talk()
	p.Press("alt+z").Shows("fork from here").Press("ctrl+f").Question("Fork before prompt 2", "The agent forks the session at this message").Answer("In a new tab")
	p.Shows(" 2 ", "Answer 1.", "❯ second").Gone("Answer 2.").holds("a.txt", "two\n")
	if fork := p.WaitSent("session/fork", 1); !strings.Contains(fork, `"messageId":"m1"`) {
		t.Errorf("the fork was asked for with %s", fork)
	}
	p.Press("alt+1").Shows("Answer 2.", "Continued from before prompt 2 in another session").Leave()
}

func TestForksTheWholeSessionInANewTab(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: forksAtMessages, Home: t.TempDir()}).talk()
	p.Palette("Fork this session").Question("Fork this session", "The agent forks the session.").Answer("In a new tab")
	p.Shows(" 2 ", "Answer 2.", "Continues an earlier session from here")
	if fork := p.WaitSent("session/fork", 1); !strings.Contains(fork, `"sessionId":"original"`) || strings.Contains(fork, "messageId") {
		t.Errorf("the fork was asked for with %s", fork)
	}
	p.Press("alt+1").Shows("Continued from before prompt 3 in another session").Leave()
}

func TestDoesNotRewindWhileTheAgentWorks(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: forksAtMessages, Home: t.TempDir()})
	p.Ready().Ask("wait").Shows("working").Press("alt+z").Shows("the agent is working: wait, or cancel with esc")
	p.Press("esc").Shows("Cancelled").Idle().Leave()
}

func TestPlainRewindsFiles(t *testing.T) {
	t.Parallel()
	p := startPlain(t, Options{Script: forksNothing, Files: map[string]string{"a.txt": "zero\n"}})
	p.Hears(invitation).Tells("first").Hears("Answer 1.", invitation).Tells("second").Hears("Answer 2.", invitation)
	p.Tells("/rewind").Hears("1. first: ", "2 files  +2 −1", "2. second: ", "2 files  +2 −1", "/rewind N: rewind, /rewind fork N: fork from here.")
	p.Tells("/rewind 2").Hears("parley asks: Rewind to before prompt 2?", "restores a.txt  +1 −1", "deletes b.txt", "2. Files only", "Answer 1 to 4")
	p.Tells("2").Hears("Rewound the files to before prompt 2").holds("a.txt", "one\n").holds("b.txt", "-")
	p.Tells("/rewind undo").Hears("Undid the rewind: 2 files changed.").holds("a.txt", "two\n").holds("b.txt", "new\n")
	p.Tells("/quit").Exits(0)
}

// Line mode goes on before a prompt, too, and what is typed meanwhile waits for that.
func TestPlainRewindsTheConversation(t *testing.T) {
	t.Parallel()
	p := startPlain(t, Options{Script: forksNothing, Home: t.TempDir(), Files: map[string]string{"a.txt": "zero\n"}})
	p.Hears(invitation).Tells("first").Hears("Answer 1.", invitation).Tells("second").Hears("Answer 2.", invitation)
	p.Tells("/rewind 2").Hears("your next prompt sends the conversation along as text", "1. Conversation and files", "Answer 1 to 4")
	p.Tells("1").Tells("third").Hears("You: first", "Answer 1.", "Your prompt was: second", "Rewound the files to before prompt 2")
	p.holds("a.txt", "one\n").holds("b.txt", "-")
	if sent := p.WaitSent("session/prompt", 3); !strings.Contains(sent, "Answer 1.") || strings.Contains(sent, "Answer 2.") {
		t.Errorf("the new session was sent %s", sent)
	}
	p.Hears("Agent: Answer 1.", invitation).Tells("/rewind fork 1").Hears("Your prompt was: first", invitation)
	p.Tells("/quit").Exits(0)
}

// A session whose files went back without its conversation says so when it is reopened,
// as after a kill between the two.
func TestSaysThatOnlyTheFilesWentBack(t *testing.T) {
	t.Parallel()
	o := Options{Script: forksAtMessages, Home: t.TempDir(), Project: filepath.Join(t.TempDir(), "project"), Files: map[string]string{"a.txt": "zero\n"}}
	p := Start(t, o).talk()
	p.Press("alt+z").Shows("deletes b.txt").Press("enter").Question("Rewind to before prompt 2?").Answer("Conversation and files")
	p.Shows("❯ second", "Rewound the files to before prompt 2").Press("ctrl+c").Shows("❯ Type a prompt")
	p.WaitSent("session/fork", 1)
	p.Idle().Leave().Exits(0)

	o.Files, o.Args = nil, []string{"--resume=original"}
	q := Start(t, o)
	q.Shows("Answer 2.", "Rewound the files to before prompt 2", "The conversation was not rewound.").holds("b.txt", "-").Leave()
}

// A fork that the agent refuses can be had as a new session with the conversation.
func TestOffersANewSessionIfTheAgentDoesNotFork(t *testing.T) {
	t.Parallel()
	refuses := strings.Replace(forksAtMessages, `reply {"sessionId": "copy"}`, `reply-error -32602 Fork point was not found
  expect session/new
  reply {"sessionId": "another"}`, 1)
	p := Start(t, Options{Script: refuses, Home: t.TempDir()}).talk()
	p.Press("alt+z").Shows("deletes b.txt").Press("enter").Question("Rewind to before prompt 2?").Answer("Conversation only")
	p.Question("The agent did not fork the session", "Fork point was not found").Answer("New session with this conversation")
	p.WaitSent("session/new", 2)
	p.Shows("❯ second").Idle().Press("enter")
	if sent := p.WaitSent("session/prompt", 3); !strings.Contains(sent, "Answer 1.") || !strings.Contains(sent, `"another"`) {
		t.Errorf("the new session was sent %s", sent)
	}
	p.Shows("This was said in an earlier session").Leave() // otherwise the screen may be older than the turn
}

// An undo of a file that a write asks about asks too, by name; what an agent only claims to
// have changed there is shown and stays.
func TestAnUndoAsksAsAWriteDoes(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	for name, content := range map[string]string{"served": "before\n", "claimed": "alias ll\n"} {
		must(t, os.WriteFile(filepath.Join(outside, name), []byte(content), 0o644))
	}
	p := Start(t, Options{Files: map[string]string{"a.txt": "zero\n"}, Script: `
expect initialize
reply {"protocolVersion": 1}
expect session/new
reply {"sessionId": "s"}
expect session/prompt
request fs/write_text_file {"sessionId": "s", "path": "` + outside + `/served", "content": "agent\n"} as w
await w
update {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "Edit", "kind": "edit", "status": "completed", "content": [{"type": "diff", "path": "` + outside + `/claimed", "oldText": "made up\n", "newText": "alias ll\n"}]}
end-turn
expect never
`})
	p.Ready().Ask("go").Question("The agent wants to write this file:", "served").Answer("Allow once")
	p.Idle().holds(filepath.Join(outside, "served"), "agent\n")
	p.Press("f5").Shows("served", "claimed", "as reported by the agent").Press("u")
	p.Question("The undo would write this file:", "served", "It is outside the session's directories.").Answer("No")
	p.Shows("you denied writing it").holds(filepath.Join(outside, "served"), "agent\n")
	p.Press("u").Question("The undo would write this file:").Answer("Allow once")
	p.Shows("1 file", "left alone").holds(filepath.Join(outside, "served"), "before\n").holds(filepath.Join(outside, "claimed"), "alias ll\n")
	p.Press("q").Leave()
}
