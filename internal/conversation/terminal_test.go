package conversation_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

func happen(c *conversation.Conversation, all ...conversation.Event) {
	for _, e := range all {
		c.Apply(e)
	}
}

func TestOwnCommands(t *testing.T) {
	c, code := conversation.New(), 3
	happen(
		c, test.Sent("go on"), conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: "I am "},
		conversation.ShellStarted{ID: "c", Command: "make", Cwd: "/w", At: time.Unix(7, 0)},
		conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: "at work"},
		conversation.ShellStarted{ID: "sh", Command: "bash", Cwd: "/w", Lasts: true},
	)
	test.WantTranscript(t, c, "user: go on", "agent: I am at work", "own command: make", "own command: bash")
	own := c.Items[2].(*conversation.ShellCommand)
	if len(c.Running()) != 2 || c.Running()[0] != own.Terminal || c.Shell() == nil || c.Shell().Command != "bash" {
		t.Errorf("%d run, the shell is %v", len(c.Running()), c.Shell())
	}
	before := own.Version()
	happen(c, conversation.TerminalOutput{ID: "c", Data: []byte("no rule")}, conversation.TerminalExited{ID: "c", Status: acpclient.TerminalExitStatus{ExitCode: &code}})
	if own.Version() == before || own.Terminal.Exit == nil || len(c.Running()) != 1 {
		t.Errorf("the item does not show what became of its command: %+v", own.Terminal)
	}
	// Another session does not take the user's shell away, nor what it has printed.
	happen(c, conversation.TerminalOutput{ID: "sh", Data: []byte("$ ")}, conversation.TerminalCreated{ID: "agents", Command: "sleep"})
	happen(c, conversation.SessionOpening{How: conversation.OpenLoad, ID: "other", Clear: true})
	if len(c.Items) != 0 || c.Shell() == nil || c.Shell().Total() != 2 || c.Terminals["agents"] != nil || len(c.Running()) != 1 {
		t.Errorf("after another session was opened, the shell is %+v and %d run", c.Shell(), len(c.Running()))
	}
}

// However many commands there are, what is kept of their output has one bound, and
// the end of each is there.
func TestAllOutputHasOneBound(t *testing.T) {
	c, code := conversation.New(), 0
	block := bytes.Repeat([]byte("x"), 1<<20)
	const n = 100
	for i := range n {
		id := acpclient.TerminalID(fmt.Sprint(i))
		happen(c, conversation.TerminalCreated{ID: id, Command: "yes"}, conversation.TerminalOutput{ID: id, Data: block})
		if i > 0 { // the first one runs on
			happen(c, conversation.TerminalExited{ID: id, Status: acpclient.TerminalExitStatus{ExitCode: &code}})
		}
	}
	sum := 0
	for i := range n {
		term := c.Terminals[acpclient.TerminalID(fmt.Sprint(i))]
		kept, whole := term.Since(0)
		sum += len(kept)
		switch {
		case (i == 0 || i == n-1) && !whole:
			t.Errorf("command %d lost output: %d bytes are left", i, len(kept))
		case i == 1 && (whole || len(kept) == 0 || len(kept) > 64<<10):
			t.Errorf("of the command that ended first %d bytes are left", len(kept))
		}
	}
	if sum > 64<<20 {
		t.Errorf("%d bytes are kept", sum)
	}
}
