package conversation_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
)

// background names what works in the background.
func background(c *conversation.Conversation) (all []string) {
	for _, b := range c.Background() {
		switch {
		case b.Call != nil:
			all = append(all, b.Call.Title)
		case b.Task != nil:
			all = append(all, b.Task.Name)
		default:
			all = append(all, string(b.Terminal.ID))
		}
	}
	return all
}

// What works in the background is known until the agent says that it has ended, or the agent
// has gone. A task that has ended is a line in the transcript.
func TestBackground(t *testing.T) {
	c := conversation.New()
	c.Apply(conversation.SessionOpened{ID: "s", Cwd: "/w"})
	c.Apply(on(t, "s", `{"sessionUpdate":"subagent_update","sessionId":"k","title":"Look","state":{"state":"running"}}`))
	spawned := `{"sessionUpdate":"async_task_spawned","asyncTaskId":"b","name":"Wait","taskType":"shell","canStop":true}`
	c.Apply(on(t, "s", spawned))
	c.Apply(on(t, "s", spawned))
	c.Apply(on(t, "s", `{"sessionUpdate":"async_task_progress","asyncTaskId":"b","outputFilePath":"/tmp/x"}`))
	c.Apply(conversation.TerminalCreated{ID: "make", Command: "make", Cwd: "/w"})
	if got := background(c); !slices.Equal(got, []string{"Look", "Wait", "make"}) || !c.Busy() {
		t.Errorf("in the background are %q", got)
	}
	c.Apply(conversation.TerminalExited{ID: "make"})
	c.Apply(on(t, "s", `{"sessionUpdate":"async_task_state_update","asyncTaskId":"b","state":"failed","summary":"exit code 1"}`))
	if got := background(c); !slices.Equal(got, []string{"Look"}) {
		t.Errorf("then %q", got)
	}
	if n, ok := c.Items[len(c.Items)-1].(*conversation.Note); !ok || fmt.Sprint(n.Title, ", ", n.Detail) != "Background task failed: exit code 1, Wait" {
		t.Errorf("the transcript ends with %+v", c.Items[len(c.Items)-1])
	}
	c.Apply(on(t, "s", spawned))
	c.Apply(conversation.AgentLost{At: time.Unix(3, 0)})
	if got := background(c); got != nil || c.Busy() {
		t.Errorf("without an agent: %q", got)
	}
}

// What a subagent has done can be read by itself, however deep.
func TestWhatIsBelowACall(t *testing.T) {
	c := conversation.New()
	c.Apply(conversation.SessionOpened{ID: "s", Cwd: "/w"})
	for _, e := range []conversation.Event{
		on(t, "s", `{"sessionUpdate":"subagent_update","sessionId":"k","title":"Look"}`),
		on(t, "s", `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Meanwhile."}}`),
		on(t, "k", `{"sessionUpdate":"subagent_update","sessionId":"kk","title":"Look closer"}`),
		on(t, "kk", `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Here."}}`),
		on(t, "k", `{"sessionUpdate":"tool_call","toolCallId":"r","title":"Read it"}`),
	} {
		c.Apply(e)
	}
	var all []string
	for _, item := range c.Below(c.Subagent("k")) {
		switch item := item.(type) {
		case *conversation.ToolCall:
			all = append(all, item.Title)
		case *conversation.Message:
			all = append(all, item.Parts.Plain())
		}
	}
	if !slices.Equal(all, []string{"Look closer", "Here.", "Read it"}) {
		t.Errorf("below it are %q", all)
	}
	if got := c.Below(&conversation.ToolCall{ID: acpclient.ToolCallID("nowhere"), Title: "x"}); got != nil {
		t.Errorf("below a call that is not there: %v", got)
	}
}

// The currency is the agent's word: nothing of it acts on a terminal.
func TestMoneyIsCleaned(t *testing.T) {
	if got := conversation.Money(&acpclient.Cost{Amount: 2}); got != "2.00" {
		t.Errorf("without a currency: %q", got)
	}
	if got := conversation.Money(&acpclient.Cost{Amount: 2, Currency: "\x1b[31mcredits\n\u202e"}); got != "2.00 credits" {
		t.Errorf("it is %q", got)
	}
}
