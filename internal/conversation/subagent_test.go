package conversation_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

// on is an update of a session, given as JSON, as the agent sends it.
func on(t *testing.T, session, update string) conversation.Event {
	t.Helper()
	n := new(acpclient.SessionNotification)
	if err := acpclient.Unmarshal([]byte(fmt.Sprintf(`{"sessionId":%q,"update":%s}`, session, update)), n); err != nil {
		t.Fatal(err)
	}
	e := conversation.FromNotification(n)
	if text, ok := e.(conversation.Text); ok && session != "s" { // as the session has it
		block := acpclient.TextBlock(text.Text)
		e = conversation.Update{Session: n.SessionID, Update: &acpclient.ContentChunk{Chunk: text.Chunk, Content: block, MessageID: text.MessageID}, Raw: n.Raw}
	}
	if u, ok := e.(conversation.Update); ok {
		u.At = time.Unix(10, 0)
		return u
	}
	return e
}

// parented lists the items with what they belong to.
func parented(c *conversation.Conversation) (all []string) {
	for _, item := range c.Items {
		switch item := item.(type) {
		case *conversation.Message:
			all = append(all, fmt.Sprintf("%s %q in %q", item.Chunk, item.Parts.Plain(), item.Parent))
		case *conversation.ToolCall:
			all = append(all, fmt.Sprintf("call %q %s in %q", item.Title, item.Status, item.Parent))
		}
	}
	return all
}

// A subagent with a session of its own is a call; what happens in that session nests below it.
// What it says to its parent, and the other way round, comes on both sessions and stands once.
// Its plan and its usage are not those of the parent.
func TestTheSessionOfASubagent(t *testing.T) {
	c := conversation.New()
	c.Apply(conversation.SessionOpened{ID: "s", Cwd: "/w"})
	c.Apply(conversation.PromptSent{At: time.Unix(1, 0)})
	play := func(session, update string) { c.Apply(on(t, session, update)) }
	play("s", `{"sessionUpdate":"subagent_update","sessionId":"k","title":"Look around","description":"explorer","capabilities":{"cancel":{}},"state":{"state":"running"}}`)
	play("s", `{"sessionUpdate":"session_message","messageId":"m1","senderSessionId":"s","recipientSessionId":"k","content":[{"type":"text","text":"find it"}],"recipientMessageId":"m2"}`)
	play("k", `{"sessionUpdate":"session_message","messageId":"m2","senderSessionId":"s","recipientSessionId":"k","content":[{"type":"text","text":"find it"}],"senderMessageId":"m1"}`)
	play("k", `{"sessionUpdate":"session_message_chunk","messageId":"m2","content":{"type":"text","text":" soon"}}`)
	play("k", `{"sessionUpdate":"tool_call","toolCallId":"r","title":"Read it","kind":"read","status":"completed","_meta":{"claudeCode":{"parentToolUseId":"launch"}}}`)
	play("k", `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"It is here."}}`)
	play("k", `{"sessionUpdate":"plan","entries":[{"content":"look","priority":"high","status":"completed"}]}`)
	play("k", `{"sessionUpdate":"usage_update","used":1,"size":2}`)
	play("s", `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Thanks."}}`)
	want := []string{
		`user_message_chunk "" in ""`,
		`call "Look around" in_progress in ""`,
		`user_message_chunk "find it soon" in "subagent k"`,
		`call "Read it" completed in "subagent k"`,
		`agent_message_chunk "It is here." in "subagent k"`,
		`agent_message_chunk "Thanks." in ""`,
	}
	if got := parented(c); !slices.Equal(got, want) {
		t.Errorf("the transcript is %q, want %q", got, want)
	}
	child := c.Subagent("k")
	if c.Plan != nil || c.Usage != nil || len(child.Tasks) != 1 || child.Subagent.Description != "explorer" {
		t.Errorf("the parent has the plan %v and the usage %v, the child the tasks %v", c.Plan, c.Usage, child.Tasks)
	}
	if all := c.Operations(); len(all) != 1 || all[0].Call != child {
		t.Errorf("what can be cancelled alone: %v", all)
	}
}

// A subagent goes on when the turn of its parent has ended, and the agent is busy as long as
// it does; then its state says how it ended. Called again, it works again.
func TestASubagentOutlivesTheTurn(t *testing.T) {
	for state, want := range map[string]acpclient.ToolCallStatus{
		`{"state":"idle","stopReason":"end_turn"}`:                                                acpclient.ToolCompleted,
		`{"state":"idle","stopReason":"cancelled"}`:                                               acpclient.ToolCancelled,
		`{"state":"idle","stopReason":"error","error":{"code":-32603,"message":"out of memory"}}`: acpclient.ToolFailed,
	} {
		c := conversation.New()
		c.Apply(conversation.SessionOpened{ID: "s", Cwd: "/w"})
		c.Apply(conversation.PromptSent{At: time.Unix(1, 0)})
		running := `{"sessionUpdate":"subagent_update","sessionId":"k","state":{"state":"running"}}`
		c.Apply(on(t, "s", running))
		c.Apply(conversation.TurnEnded{At: time.Unix(2, 0)})
		child := c.Subagent("k")
		if !c.Busy() || !child.Running() {
			t.Errorf("it has ended with the turn: %s", child.Status)
		}
		c.Apply(on(t, "s", `{"sessionUpdate":"subagent_update","sessionId":"k","state":`+state+`}`))
		if c.Busy() || child.Status != want || (want == acpclient.ToolFailed) != (len(child.Content) > 0) {
			t.Errorf("%s: %s, %v, busy %v", state, child.Status, child.Content, c.Busy())
		}
		c.Apply(on(t, "s", running))
		if !c.Busy() || !child.Running() {
			t.Errorf("called again, it does not work: %s", child.Status)
		}
		c.Apply(conversation.AgentLost{At: time.Unix(3, 0)})
		if c.Busy() || child.Running() {
			t.Errorf("without an agent it works: %s", child.Status)
		}
	}
}

// A question in the session of a subagent is about a call of that subagent.
func TestAQuestionOfASubagentsSession(t *testing.T) {
	c := conversation.New()
	c.Apply(conversation.SessionOpened{ID: "s", Cwd: "/w"})
	c.Apply(conversation.PromptSent{At: time.Unix(1, 0)})
	c.Apply(on(t, "s", `{"sessionUpdate":"subagent_update","sessionId":"k","title":"Look","state":{"state":"running"}}`))
	title := "Clean up"
	c.Apply(conversation.PermissionOpened{ID: 1, At: time.Unix(2, 0), Request: &acpclient.RequestPermissionRequest{
		SessionID: "k", ToolCall: acpclient.ToolCallUpdate{ToolCallID: "t", Title: &title, RawInput: json.RawMessage(`{"command":"rm x"}`)},
	}})
	if got := test.Permissions(c)[0].ToolCall.Parent; got != c.Subagent("k").ID {
		t.Errorf("the call belongs to %q", got)
	}
	if !c.Subagent("k").Waits() {
		t.Error("the clock of the subagent goes on")
	}
}

// What claude-agent-acp tells its model of a subagent that it has started is not for the user.
func TestALaunchNoteIsNotShown(t *testing.T) {
	for name, want := range map[string]int{"@agentclientprotocol/claude-agent-acp": 1, "another": 2} {
		c := conversation.New()
		c.Apply(conversation.AgentReady{Info: &acpclient.InitializeResponse{AgentInfo: &acpclient.Implementation{Name: name}}})
		c.Apply(conversation.SessionOpened{ID: "s", Cwd: "/w"})
		c.Apply(on(t, "s", `{"sessionUpdate":"subagent_update","sessionId":"k","title":"Look"}`))
		c.Apply(on(t, "s", `{"sessionUpdate":"session_message","messageId":"r","senderSessionId":"k","recipientSessionId":"s","content":[{"type":"text","text":"Async agent launched successfully. (internal)"}]}`))
		if len(c.Items) != want {
			t.Errorf("%s: %q", name, parented(c))
		}
	}
}
