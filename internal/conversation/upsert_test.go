package conversation

import (
	"strings"
	"testing"

	"parley/acpclient"
)

// told folds a session update, given as JSON.
func told(t *testing.T, c *Conversation, updates ...string) {
	t.Helper()
	for _, u := range updates {
		var n acpclient.SessionNotification
		if err := acpclient.Unmarshal([]byte(`{"sessionId":"s","update":`+u+`}`), &n); err != nil {
			t.Fatal(err)
		}
		c.Apply(FromNotification(&n))
	}
}

func prompted(text string) *Conversation {
	c := New()
	c.Apply(SessionOpened{ID: "s"})
	c.Apply(PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock(text)}})
	return c
}

// messages are the texts of all messages, each behind its kind.
func messages(c *Conversation) string {
	var all []string
	for _, i := range c.Items {
		if m, ok := i.(*Message); ok {
			kind, _, _ := strings.Cut(string(m.Chunk), "_")
			all = append(all, kind+":"+m.Parts.Plain())
		}
	}
	return strings.Join(all, "|")
}

// However the agent tells of the prompt, it stands once, as the user wrote it.
func TestThePromptStandsOnce(t *testing.T) {
	for name, updates := range map[string][]string{
		"whole":              {`{"sessionUpdate":"user_message","messageId":"u","content":[{"type":"text","text":"hi\n"}]}`},
		"in pieces":          {`{"sessionUpdate":"user_message_chunk","messageId":"u","content":{"type":"text","text":"h"}}`, `{"sessionUpdate":"user_message_chunk","messageId":"u","content":{"type":"text","text":"i"}}`},
		"accepted, expanded": {`{"sessionUpdate":"prompt_accepted","messageId":"u"}`, `{"sessionUpdate":"user_message","messageId":"u","content":[{"type":"text","text":"something longer"}]}`},
		"accepted last":      {`{"sessionUpdate":"user_message","messageId":"u","content":[{"type":"text","text":"hi"}]}`, `{"sessionUpdate":"prompt_accepted","messageId":"u"}`},
	} {
		c := prompted("hi")
		told(t, c, updates...)
		told(t, c, `{"sessionUpdate":"user_message","messageId":"u","content":[{"type":"text","text":"corrected"}]}`)
		if got := messages(c); got != "user:hi" {
			t.Errorf("%s: %s", name, got)
		}
	}
	c := prompted("hi")
	told(t, c, `{"sessionUpdate":"prompt_accepted","messageId":"u"}`, `{"sessionUpdate":"user_message","messageId":"other","content":[{"type":"text","text":"from elsewhere"}]}`)
	if got := messages(c); got != "user:hi|user:from elsewhere" {
		t.Error(got)
	}
}

func TestWholeMessages(t *testing.T) {
	c := prompted("hi")
	told(t, c,
		`{"sessionUpdate":"agent_message","messageId":"m","content":[{"type":"text","text":"A"}]}`,
		`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"B"}}`,
		`{"sessionUpdate":"agent_message","messageId":"m"}`,
	)
	if got := messages(c); got != "user:hi|agent:AB" {
		t.Error(got)
	}
	c.Apply(TurnEnded{})
	c.Apply(PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("again")}})
	told(t, c, `{"sessionUpdate":"agent_message","messageId":"m","content":[{"type":"text","text":"C"}]}`)
	if got := messages(c); got != "user:hi|agent:C|user:again" {
		t.Error(got)
	}
	told(t, c, `{"sessionUpdate":"agent_message","messageId":"m","content":null}`)
	if got := messages(c); got != "user:hi|agent:|user:again" {
		t.Error(got)
	}
}

// Those who have shown a message know whether they only have to show more of it.
func TestAMessageThatIsReplacedSaysSo(t *testing.T) {
	c := prompted("hi")
	for _, step := range []struct {
		update   string
		replaced int
	}{
		{`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"A"}}`, 0},
		{`{"sessionUpdate":"agent_message","messageId":"m","content":[{"type":"text","text":"A"}]}`, 0},
		{`{"sessionUpdate":"agent_message","messageId":"m","content":[{"type":"text","text":"A, and "},{"type":"text","text":"B"}]}`, 0},
		{`{"sessionUpdate":"agent_message","messageId":"m","content":[{"type":"text","text":"A, and B"},{"type":"resource_link","name":"c","uri":"file:///c"}]}`, 0},
		{`{"sessionUpdate":"agent_message","messageId":"m"}`, 0},
		{`{"sessionUpdate":"agent_message","messageId":"m","content":[{"type":"text","text":"A, and B"},{"type":"resource_link","name":"d","uri":"file:///d"}]}`, 1},
		{`{"sessionUpdate":"agent_message","messageId":"m","content":[{"type":"text","text":"C"}]}`, 2},
		{`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"D"}}`, 2},
		{`{"sessionUpdate":"agent_message","messageId":"m","content":null}`, 3},
		{`{"sessionUpdate":"agent_message","messageId":"m","content":[{"type":"text","text":"E"}]}`, 3},
	} {
		told(t, c, step.update)
		if got := c.Items[1].(*Message).Replaced(); got != step.replaced {
			t.Errorf("after %s it was replaced %d times, want %d", step.update, got, step.replaced)
		}
	}
}

func TestContentOfACallPieceByPiece(t *testing.T) {
	c := prompted("hi")
	told(t, c,
		`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"c","content":[{"type":"content","content":{"type":"text","text":"a"}}]}`,
		`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"c","content":[{"type":"terminal","terminalId":"x"}]}`,
	)
	call := c.Tool("c")
	if len(call.Content) != 2 || len(call.Terminals) != 1 {
		t.Fatalf("%+v", call)
	}
	told(t, c, `{"sessionUpdate":"tool_call_update","toolCallId":"c","content":[]}`)
	if len(call.Content) != 0 {
		t.Errorf("%+v", call.Content)
	}
}

func TestTerminalsOfTheAgent(t *testing.T) {
	c := prompted("hi")
	told(t, c,
		`{"sessionUpdate":"terminal_output_chunk","terminalId":"x","data":"4g=="}`, // half a character
		`{"sessionUpdate":"terminal_output_chunk","terminalId":"x","data":"nJM="}`,
	)
	x := c.Terminals["x"]
	if got, _ := x.Since(0); string(got) != "✓" || !x.Own {
		t.Errorf("%q of %+v", got, x)
	}
	told(t, c, `{"sessionUpdate":"terminal_update","terminalId":"x","output":{"data":"bmV3"},"command":"make","exitStatus":{"exitCode":1},"size":{"cols":80,"rows":24}}`)
	if got, _ := x.Since(0); string(got) != "new" || x.Replaced() != 1 || x.Command != "make" || *x.Exit.ExitCode != 1 {
		t.Errorf("%q of %+v", got, x)
	}
	told(t, c, `{"sessionUpdate":"terminal_update","terminalId":"x","output":null,"command":null,"exitStatus":null}`)
	if got, _ := x.Since(0); len(got) != 0 || x.Command != "" || x.Exit != nil {
		t.Errorf("%q of %+v", got, x)
	}
	// What runs on this machine is not the agent's to speak of.
	c.Apply(ShellStarted{ID: "mine", Command: "vi"})
	c.Apply(TerminalOutput{ID: "mine", Data: []byte("safe")})
	told(t, c, `{"sessionUpdate":"terminal_output_chunk","terminalId":"mine","data":"YQ=="}`, `{"sessionUpdate":"terminal_update","terminalId":"mine","output":null,"exitStatus":{}}`)
	if got, _ := c.Terminals["mine"].Since(0); string(got) != "safe" || c.Terminals["mine"].Exit != nil {
		t.Errorf("the user's own says %q", got)
	}
}

func TestWorkInTheBackground(t *testing.T) {
	c := prompted("hi")
	told(t, c,
		`{"sessionUpdate":"tool_call_update","toolCallId":"a","title":"A","status":"in_progress","capabilities":{"cancel":{}}}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"b","title":"B","status":"in_progress"}`,
		`{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn","background":[{"type":"tool_call","toolCallId":"a"}]}`,
	)
	c.Apply(TurnEnded{Reason: acpclient.StopEndTurn})
	if !c.Busy() || !c.Tool("a").Running() || c.Tool("b").Live {
		t.Errorf("%+v: %+v, %+v", c.Work, c.Tool("a"), c.Tool("b"))
	}
	if pieces := c.Operations(); len(pieces) != 1 || pieces[0].Call.ID != "a" {
		t.Errorf("%+v", pieces)
	}
	told(t, c,
		`{"sessionUpdate":"tool_call_update","toolCallId":"a","status":"cancelled"}`,
		`{"sessionUpdate":"state_update","state":"idle","background":[]}`,
	)
	if c.Busy() || c.Tool("a").Running() || !c.Tool("a").Cancelled || len(c.Operations()) != 0 {
		t.Errorf("%+v: %+v", c.Work, c.Tool("a"))
	}
}
