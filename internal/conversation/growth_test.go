package conversation_test

import (
	"bytes"
	"fmt"
	"strconv"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
)

// What an agent sends very much of costs no more than its length: otherwise these tests
// take minutes, or do not end.

// contentChunk adds a line of text to the call "t".
func contentChunk() conversation.Update {
	return conversation.Update{Update: &acpclient.ToolCallContentChunk{
		ToolCallID: "t", Content: acpclient.ToolCallContents{acpclient.TextContent("line")},
	}}
}

func TestManyPiecesOfOneCall(t *testing.T) {
	const many = 200_000
	c := conversation.New()
	for range many {
		c.Apply(contentChunk())
	}
	if got := onlyTool(t, c).Content; len(got) != many || got[many-1].Content.Text != "line" {
		t.Errorf("%d contents", len(got))
	}
}

// Pieces that are added to a call change neither what was asked about it before nor what
// was received, also if two conversations fold the same.
func TestPiecesAreAddedToTheCallAlone(t *testing.T) {
	said := conversation.Update{Update: &acpclient.ToolCall{ToolCallID: "t", Content: append(make(acpclient.ToolCallContents, 0, 8), acpclient.TextContent("first"))}}
	piece := func(text string) conversation.Update {
		return conversation.Update{Update: &acpclient.ToolCallContentChunk{ToolCallID: "t", Content: acpclient.ToolCallContents{acpclient.TextContent(text)}}}
	}
	one, other := conversation.New(), conversation.New()
	one.Apply(said)
	other.Apply(said)
	one.Apply(piece("a"))
	other.Apply(piece("x"))
	one.Apply(conversation.PermissionOpened{ID: 1, Request: &acpclient.RequestPermissionRequest{ToolCall: acpclient.ToolCallUpdate{ToolCallID: "t"}}})
	asked := one.Permissions[0].Asked.Content
	one.Apply(piece("b"))
	for name, tt := range map[string]struct{ got, want string }{
		"the one":             {texts(onlyTool(t, one).Content), "first a b "},
		"the other":           {texts(onlyTool(t, other).Content), "first x "},
		"when it was asked":   {texts(asked), "first a "},
		"what is asked about": {texts(one.Permissions[0].Asked.Content), "first a b "},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %q, want %q", name, tt.got, tt.want)
		}
	}
}

func texts(content acpclient.ToolCallContents) (all string) {
	for i := range content {
		all += content[i].Content.Text + " "
	}
	return all
}

func TestManyTerminalsInOneCall(t *testing.T) {
	const many = 300_000
	var content acpclient.ToolCallContents
	for i := range many {
		content = append(content, acpclient.ToolCallContent{Type: acpclient.ToolContentTerminal, TerminalID: acpclient.TerminalID(strconv.Itoa(i))})
	}
	c := conversation.New()
	for range 2 {
		c.Apply(conversation.Update{Update: &acpclient.ToolCall{ToolCallID: "t", Content: content}})
	}
	if got := len(onlyTool(t, c).Terminals); got != many {
		t.Errorf("%d terminals", got)
	}
}

// The ends of so many outputs are more than is kept of output in all.
func TestOutputOfManyTerminals(t *testing.T) {
	const many = 20_000
	c := conversation.New()
	print := func(i int, data []byte) {
		c.Apply(conversation.Update{Update: &acpclient.TerminalOutputChunk{TerminalID: acpclient.TerminalID(fmt.Sprint(i)), Data: data}})
	}
	for i := range many {
		print(i, bytes.Repeat([]byte("x"), 4<<10))
	}
	for range 200_000 {
		print(0, []byte("more"))
	}
	if end, _ := c.Terminals["0"].Since(c.Terminals["0"].Total() - 4); string(end) != "more" {
		t.Errorf("the last output is %q", end)
	}
}

// What an agent says of a command that is not its own is shown by nobody.
func TestOutputThatNobodyShows(t *testing.T) {
	c := conversation.New()
	for i := range 20_000 {
		c.Apply(conversation.TerminalOutput{ID: acpclient.TerminalID(fmt.Sprint("t", i)), Data: []byte("x")})
	}
	c.Apply(conversation.ShellStarted{ID: "mine", Command: "ls"})
	for range 200_000 {
		c.Apply(conversation.Update{Update: &acpclient.TerminalOutputChunk{TerminalID: "mine", Data: []byte("evil")}})
	}
	if got := c.Terminals["mine"].Total(); got != 0 {
		t.Errorf("the agent has written %d bytes into the person's command", got)
	}
}

// A call that works for another one, which works for another one, and so on.
func TestQuestionOfADeepCall(t *testing.T) {
	const deep = 20_000
	c := conversation.New()
	c.Apply(conversation.PromptSent{})
	for i := range deep {
		c.Apply(conversation.Update{Update: &acpclient.ToolCall{
			ToolCallID: acpclient.ToolCallID(fmt.Sprint(i)), Meta: acpclient.Meta(fmt.Sprintf(`{"parentToolUseId":"%d"}`, i-1)),
		}})
	}
	for id := range 200 {
		c.Apply(conversation.PermissionOpened{ID: id, Request: &acpclient.RequestPermissionRequest{ToolCall: acpclient.ToolCallUpdate{ToolCallID: acpclient.ToolCallID(fmt.Sprint(deep - 1))}}})
	}
	for id := range 200 {
		c.Apply(conversation.PermissionClosed{ID: id})
	}
	if len(c.Permissions) > 0 {
		t.Errorf("%d questions are open", len(c.Permissions))
	}
}

func TestManyCallsInTheBackground(t *testing.T) {
	const many = 100_000
	c := conversation.New()
	c.Apply(conversation.PromptSent{})
	u := &acpclient.StateUpdate{State: acpclient.WorkIdle}
	for i := range many {
		id := acpclient.ToolCallID(strconv.Itoa(i))
		c.Apply(conversation.Update{Update: &acpclient.ToolCall{ToolCallID: id}})
		u.Background = append(u.Background, acpclient.BackgroundWork{ToolCallID: acpclient.ToolCallID(strconv.Itoa(many + i))})
	}
	c.Apply(conversation.Update{Update: u})
	c.Apply(conversation.TurnEnded{})
	if tool := c.Tool("7"); tool.Live {
		t.Error("a call that is not in the background goes on")
	}
}
