package conversation_test

import (
	"errors"
	"testing"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

// timed is an event, so many seconds after the beginning.
type timed struct {
	at    int
	event conversation.Event
}

var beginning = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func seconds(s int) time.Time { return beginning.Add(time.Duration(s) * time.Second) }

func foldTimed(stream []timed) *conversation.Conversation {
	c := conversation.New()
	for _, e := range stream {
		c.Apply(test.At(e.event, seconds(e.at)))
	}
	return c
}

func calls(c *conversation.Conversation) (all []*conversation.ToolCall) {
	for _, i := range c.Items {
		if t, ok := i.(*conversation.ToolCall); ok {
			all = append(all, t)
		}
	}
	return all
}

func allowed(id int) conversation.Event {
	return conversation.QuestionClosed{ID: id, Outcome: acpclient.PermissionSelected("y")}
}

func TestHowLongCallsTake(t *testing.T) {
	call := func(id, status string) conversation.Event {
		return test.Up(t, `{"sessionUpdate":"tool_call","toolCallId":"`+id+`","status":"`+status+`"}`)
	}
	child := func(id, parent string) conversation.Event {
		return test.Up(t, `{"sessionUpdate":"tool_call","toolCallId":"`+id+`","status":"pending","_meta":{"parentToolUseId":"`+parent+`"}}`)
	}
	update := func(id, status string) conversation.Event {
		return test.Up(t, `{"sessionUpdate":"tool_call_update","toolCallId":"`+id+`","status":"`+status+`"}`)
	}
	ask := func(n int, id string) conversation.Event { return test.Permission(n, `{"toolCallId":"`+id+`"}`) }
	ended := conversation.TurnEnded{Reason: acpclient.StopEndTurn}
	for name, test := range map[string]struct {
		stream []timed
		took   []int // seconds of each call, 0 if that is not known
	}{
		"from the announcement":                     {[]timed{{0, test.Sent("x")}, {1, call("a", "pending")}, {4, update("a", "completed")}, {9, ended}}, []int{3}},
		"from when it is in progress":               {[]timed{{0, test.Sent("x")}, {1, call("a", "pending")}, {4, update("a", "in_progress")}, {6, update("a", "in_progress")}, {9, update("a", "failed")}}, []int{5}},
		"what follows on its end changes nothing":   {[]timed{{0, test.Sent("x")}, {1, call("a", "pending")}, {4, update("a", "completed")}, {20, update("a", "completed")}}, []int{3}},
		"without the user's time":                   {[]timed{{0, test.Sent("x")}, {1, call("a", "pending")}, {2, ask(1, "a")}, {60, allowed(1)}, {62, update("a", "completed")}}, []int{3}},
		"without their time while it works":         {[]timed{{0, test.Sent("x")}, {1, call("a", "in_progress")}, {2, ask(1, "a")}, {3, ask(2, "a")}, {60, allowed(1)}, {70, allowed(2)}, {72, update("a", "completed")}}, []int{3}},
		"it begins while the user is asked":         {[]timed{{0, test.Sent("x")}, {1, call("a", "pending")}, {2, ask(1, "a")}, {3, update("a", "in_progress")}, {60, allowed(1)}, {61, update("a", "completed")}}, []int{1}},
		"a question about another call":             {[]timed{{0, test.Sent("x")}, {1, call("a", "in_progress")}, {2, call("b", "pending")}, {3, ask(1, "b")}, {60, allowed(1)}, {61, update("a", "completed")}, {62, update("b", "completed")}}, []int{60, 3}},
		"a question about a call that works for it": {[]timed{{0, test.Sent("x")}, {1, call("a", "in_progress")}, {2, child("b", "a")}, {3, ask(1, "b")}, {60, allowed(1)}, {61, update("b", "completed")}, {62, update("a", "completed")}}, []int{4, 2}},
		"calls that work for each other":            {[]timed{{0, test.Sent("x")}, {1, child("a", "b")}, {1, child("b", "a")}, {2, ask(1, "b")}, {60, allowed(1)}, {61, update("a", "completed")}}, []int{2, 0}},
		"the agent does not wait for the answer":    {[]timed{{0, test.Sent("x")}, {1, call("a", "in_progress")}, {2, ask(1, "a")}, {5, update("a", "completed")}, {60, allowed(1)}}, []int{1}},
		"until it was cancelled":                    {[]timed{{0, test.Sent("x")}, {1, call("a", "in_progress")}, {4, conversation.CancelRequested{}}, {30, conversation.TurnEnded{Reason: acpclient.StopCancelled}}}, []int{3}},
		"until the agent was lost":                  {[]timed{{0, test.Sent("x")}, {1, call("a", "in_progress")}, {4, conversation.AgentLost{}}}, []int{3}},
		"nobody says how it came out":               {[]timed{{0, test.Sent("x")}, {1, call("a", "in_progress")}, {4, ended}}, []int{0}},
		"after its turn":                            {[]timed{{0, test.Sent("x")}, {1, call("a", "in_progress")}, {4, ended}, {31, update("a", "completed")}}, []int{30}},
		"history":                                   {[]timed{{0, call("a", "pending")}, {4, update("a", "in_progress")}, {6, update("a", "completed")}}, []int{0}},
		"history that ends in a turn":               {[]timed{{0, call("a", "pending")}, {1, test.Sent("x")}, {4, update("a", "in_progress")}, {6, update("a", "completed")}}, []int{0}},
	} {
		t.Run(name, func(t *testing.T) {
			all := calls(foldTimed(test.stream))
			if len(all) != len(test.took) {
				t.Fatalf("there are %d calls", len(all))
			}
			for i, call := range all {
				if want := time.Duration(test.took[i]) * time.Second; call.Took() != want {
					t.Errorf("call %d took %v, want %v", i, call.Took(), want)
				}
			}
		})
	}
}

// Lines that were stored without times fold to calls and turns of which it is not
// known how long they took.
func TestWithoutTimes(t *testing.T) {
	c := conversation.New()
	for _, line := range []string{
		`{"v":1,"event":"prompt_sent","data":{"prompt":[]}}`,
		`{"v":1,"event":"update","data":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"a","title":"A","status":"pending"}}}`,
		`{"v":1,"event":"permission_opened","data":{"id":1,"request":{"sessionId":"s","toolCall":{"toolCallId":"a"},"options":[]}}}`,
		`{"v":1,"event":"permission_closed","data":{"id":1,"outcome":{"outcome":"cancelled"}}}`,
		`{"v":1,"event":"update","data":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"a","status":"completed"}}}`,
		`{"v":1,"event":"turn_ended","data":{"reason":"end_turn"}}`,
	} {
		e, err := conversation.Decode([]byte(line))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		c.Apply(e)
	}
	if took := calls(c)[0].Took(); took != 0 {
		t.Errorf("the call took %v", took)
	}
	test.WantTranscript(t, c, "user: ", "tool a: A (completed)")
}

func TestTheTurnsClockStandsStillWhileThePersonIsAsked(t *testing.T) {
	form := conversation.ElicitationOpened{ID: 2, Request: &acpclient.CreateElicitationRequest{Mode: acpclient.ElicitForm}}
	c := conversation.New()
	for _, step := range []struct {
		at     int
		event  conversation.Event
		worked int
	}{
		{0, test.Sent("x"), 0},
		{20, test.Permission(1, `{"toolCallId":"a"}`), 20},
		{60, form, 20},
		{70, allowed(1), 20}, // the form is open still
		{80, conversation.QuestionClosed{ID: 2, Action: acpclient.ElicitDecline}, 20},
		{85, test.Up(t, test.AgentSays("y", "m")), 25},
		{90, test.Permission(3, `{"toolCallId":"a"}`), 30},
		{95, allowed(3), 30},
	} {
		c.Apply(test.At(step.event, seconds(step.at)))
		if got := c.Turn.Worked(seconds(step.at)); got != time.Duration(step.worked)*time.Second {
			t.Errorf("at %ds: %v, want %ds", step.at, got, step.worked)
		}
	}
	if c.Turn.Waits() {
		t.Error("the turn still waits")
	}
	c.Apply(conversation.TurnEnded{Reason: acpclient.StopEndTurn, At: seconds(100)})
	if n, ok := c.Items[len(c.Items)-1].(*conversation.Note); !ok || n.Title != "" || n.Worked != 35*time.Second {
		t.Errorf("the turn ends with %+v", c.Items[len(c.Items)-1])
	}
	c.Apply(test.At(test.Sent("x"), seconds(200)))
	if got := c.Turn.Worked(seconds(205)); got != 5*time.Second {
		t.Errorf("the next turn begins with %v", got)
	}
}

// How a turn ended, and how long it had worked, is one line.
func TestHowLongTurnsThatDoNotEndWellWorked(t *testing.T) {
	for want, end := range map[string]conversation.TurnEnded{
		"Cancelled": {Reason: acpclient.StopCancelled},
		"Stopped: the answer reached the model's token limit": {Reason: acpclient.StopMaxTokens},
		"The agent answered with an error":                    {Err: &acpclient.Error{Code: 7, Message: "no"}},
	} {
		c := foldTimed([]timed{{0, test.Sent("x")}, {12, end}})
		if n, ok := c.Items[1].(*conversation.Note); !ok || len(c.Items) != 2 || n.Title != want || n.Worked != 12*time.Second {
			t.Errorf("%s: the turn ends with %+v", want, c.Items[1:])
		}
	}
}

func TestErrorsComeOnceAndInWords(t *testing.T) {
	fail := func(message, data string) conversation.Event {
		e := &acpclient.Error{Code: 400, Message: message}
		if data != "" {
			e.Data = []byte(data)
		}
		return conversation.TurnEnded{Err: e}
	}
	for name, c := range map[string]struct {
		events      []any
		detail, raw string
	}{
		"words": {[]any{fail("no credit", "")}, "no credit (code 400)", ""},
		"words and more words": {
			[]any{fail("Internal error", `{"details":"no credit"}`)},
			"Internal error: no credit (code 400)", `{"details":"no credit"}`,
		},
		"words for people, and some for programs": {
			[]any{fail("no credit", `{"errorKind":"billing"}`)},
			"no credit (code 400)", `{"errorKind":"billing"}`,
		},
		"only words for programs": {[]any{fail("", `{"errorKind":"billing"}`)}, `{"errorKind":"billing"} (code 400)`, `{"errorKind":"billing"}`},
		"a message that a server has sent": {
			[]any{fail(`{"error": {"code": 402, "message": "no credit"}}`, "")},
			"no credit (code 400)", `{"error": {"code": 402, "message": "no credit"}}`,
		},
		"already said by the agent": {
			[]any{test.Sent("x"), test.AgentSays("API Error: 400 no credit", ""), fail("Internal error: API Error: 400 no credit", `{"errorKind":"billing"}`)},
			"", `{"code":400,"message":"Internal error: API Error: 400 no credit","data":{"errorKind":"billing"}}`,
		},
		"said with a few words more": {
			[]any{test.Sent("x"), test.AgentSays("Sorry: your credit is used up", ""), fail("your credit is used up", "")},
			"", `{"code":400,"message":"your credit is used up"}`,
		},
		"said long before": {
			[]any{test.Sent("x"), test.AgentSays("no credit", ""), test.FullCall, fail("no credit", "")},
			"no credit (code 400)", "",
		},
		"a word of it was said": {
			[]any{test.Sent("x"), test.AgentSays("No", ""), fail("No credit is left on this account", "")},
			"No credit is left on this account (code 400)", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			items := fold(t, c.events...).Items
			n, ok := items[len(items)-1].(*conversation.Note)
			if !ok || n.Detail != c.detail || string(n.Raw) != c.raw {
				t.Errorf("%+v, raw %s; want %q, %s", n, n.Raw, c.detail, c.raw)
			}
		})
	}
	c := fold(t, conversation.SessionFailed{Err: errors.Join(errors.New("open the session"), &acpclient.Error{Code: 1, Message: "no", Data: []byte(`{"a":1}`)})})
	if n := c.Items[0].(*conversation.Note); n.Detail != "open the session\nno (code 1)" || string(n.Raw) != `{"a":1}` {
		t.Errorf("%+v", n)
	}
}

// An agent whose model has failed may end the turn as if it had answered.
func TestATurnWithoutAnAnswerSaysSo(t *testing.T) {
	const silent = "note: The agent ended the turn without an answer"
	ends := conversation.TurnEnded{Reason: acpclient.StopEndTurn}
	call := `{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","status":"completed"}`
	for name, c := range map[string]struct {
		events []any
		want   []string
	}{
		"nothing":            {[]any{test.Sent("x"), ends}, []string{"user: x", silent}},
		"after another turn": {[]any{test.Sent("x"), test.AgentSays("a", ""), ends, test.Sent("y"), ends}, []string{"user: x", "agent: a", "user: y", silent}},
		"an answer":          {[]any{test.Sent("x"), test.AgentSays("a", ""), ends}, []string{"user: x", "agent: a"}},
		"a call":             {[]any{test.Sent("x"), call, ends}, []string{"user: x", "tool t: T (completed)"}},
		"a command":          {[]any{test.Sent("/clear"), ends}, []string{"user: /clear"}},
		"in a replay":        {[]any{test.UserSays("x", ""), ends}, []string{"user: x"}},
	} {
		t.Run(name, func(t *testing.T) { test.WantTranscript(t, fold(t, c.events...), c.want...) })
	}
}
