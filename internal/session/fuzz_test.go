package session

import (
	"bytes"
	"encoding/json"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

// FuzzFold folds any updates, one a line, in any order: nothing panics, nothing
// is counted twice, and the conversation holds no more than came in. A line that
// begins with one of the letters below stands for something of parley's own.
func FuzzFold(f *testing.F) {
	f.Add([]byte("p\n" + test.AgentSays("a", "") + "\n" + test.Thinks("b", "1") + "\n" + test.UserSays("hi", "") + "\ne"))
	f.Add([]byte("p\n" + compact(test.FullCall) + "\nq\n" + `{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed","content":null}` + "\na\nc\ne"))
	f.Add([]byte(test.Plan("pending") + "\n" + test.Plan() + "\n" + test.OptionsUpdate(test.ModeOption+","+test.ThinkOption) + "\nm\n" + `{"sessionUpdate":"current_mode_update","modeId":"code"}` + "\ns"))
	f.Add([]byte(`{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","_meta":{"terminal_info":{"terminal_id":"y"},"terminal_output":{"terminal_id":"y","data":"x"},"terminal_exit":{"terminal_id":"y","exit_code":0}}}` + "\nl\no\nn"))
	f.Add([]byte(`{"sessionUpdate":"compaction_update","compactionId":"c","summary":[{"type":"text","text":"s"}]}` + "\n" + `{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"b","content":"B"}}` + "\n" + `{"sessionUpdate":"plan_removed","planId":"b"}`))
	f.Add([]byte(`{"sessionUpdate":"subagent_update","sessionId":"c","title":null}` + "\n" + `{"sessionUpdate":"usage_update","used":1,"size":2}` + "\n" + `{"sessionUpdate":7}` + "\nr"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var all []conversation.Event
		for i, line := range bytes.Split(data, []byte("\n")) {
			if e := fuzzEvent(i, line); e != nil {
				all = append(all, e)
			}
		}
		c, again, merged := conversation.New(), conversation.New(), conversation.New()
		stream := NewStream()
		in := 0
		for _, e := range all {
			c.Apply(e)
			in += conversation.SizeOf(e)
		}
		for _, e := range all {
			again.Apply(e)
			stream.post(e)
		}
		for _, e := range stream.Take() {
			merged.Apply(e)
		}
		if d := test.Diff(c, again); d != "" {
			t.Fatalf("folding twice differs:\n%s", d)
		}
		// Merging is not seen, but for the repetition of a prompt, which is
		// recognised by its pieces.
		if a, b := len(c.Items), len(merged.Items); a != b && !bytes.Contains(data, []byte("user_message_chunk")) {
			t.Fatalf("%d items, %d when merged on the way", a, b)
		}
		if n := len(c.Items); n > 2*len(all) {
			t.Fatalf("%d items of %d events", n, len(all))
		}
		out := 0
		for _, i := range c.Items {
			if m, ok := i.(*conversation.Message); ok {
				out += len(m.Parts.Plain())
			}
		}
		if out > in {
			t.Fatalf("%d bytes of text of %d", out, in)
		}
		if !c.Turn.Running {
			for _, i := range c.Items {
				if tool, ok := i.(*conversation.ToolCall); ok && tool.Running() {
					t.Fatal("a tool call runs outside of a turn")
				}
			}
		}
	})
}

func compact(s string) string {
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(s)); err != nil {
		panic(err)
	}
	return b.String()
}

func fuzzEvent(i int, line []byte) conversation.Event {
	if len(line) == 0 {
		return nil
	}
	switch line[0] {
	case 'p':
		return test.Sent("hi")
	case 'e':
		return conversation.TurnEnded{Reason: acpclient.StopEndTurn}
	case 'c':
		return conversation.CancelRequested{}
	case 'q':
		return test.Permission(1, `{"toolCallId":"t"}`)
	case 'a':
		return conversation.QuestionClosed{ID: 1, Outcome: acpclient.PermissionSelected("y")}
	case 'l':
		return conversation.AgentLost{}
	case 'o':
		return conversation.SessionOpening{How: []conversation.Opening{conversation.OpenNew, conversation.OpenLoad, conversation.OpenResume, conversation.OpenFork}[len(line)%4], ID: "s", Clear: len(line)%2 == 0}
	case 'n':
		return conversation.SessionOpened{ID: "s"}
	case 'm':
		return conversation.OptionChosen{Seq: i, Option: "m", Value: acpclient.SelectValue("code")}
	case 's':
		return conversation.OptionSettled{Seq: i, Option: "m", Value: acpclient.SelectValue("code")}
	case 'r':
		return conversation.TerminalOutput{ID: "y", Data: line}
	}
	n := new(acpclient.SessionNotification)
	wire, err := json.Marshal(map[string]json.RawMessage{"sessionId": json.RawMessage(`"s"`), "update": json.RawMessage(line)})
	if err != nil || acpclient.Unmarshal(wire, n) != nil {
		return nil
	}
	return conversation.FromNotification(n)
}
