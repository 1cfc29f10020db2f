package conversation_test

import (
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

// A command that parley runs is in the transcript, whether a call shows it or not, and once.
func TestEveryCommandIsInTheTranscript(t *testing.T) {
	created := func(command string) conversation.Event {
		return conversation.TerminalCreated{ID: "x", Command: command, Cwd: "/w"}
	}
	const shows = `"content":[{"type":"terminal","terminalId":"x"}]`
	naming := func(input string) string {
		return `{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","kind":"execute","rawInput":` + input + `}`
	}
	code := 0
	exited := conversation.TerminalExited{ID: "x", Status: acpclient.TerminalExitStatus{ExitCode: &code}}
	for name, c := range map[string]struct {
		events []any
		want   []string
	}{
		"that no call shows":             {[]any{created("rm x")}, []string{"tool : rm x (in_progress)"}},
		"that has ended":                 {[]any{created("rm x"), exited}, []string{"tool : rm x (completed)"}},
		"whose agent is lost":            {[]any{created("rm x"), conversation.AgentLost{}}, []string{"tool : rm x (in_progress)"}},
		"after the turn":                 {[]any{conversation.TurnEnded{}, created("rm x")}, []string{"tool : rm x (in_progress)"}},
		"that a new call shows":          {[]any{created("rm x"), `{"sessionUpdate":"tool_call","toolCallId":"t","title":"T",` + shows + `}`}, []string{"tool t: T"}},
		"that an update shows":           {[]any{created("rm x"), exited, `{"sessionUpdate":"tool_call_update","toolCallId":"t","title":"T",` + shows + `}`}, []string{"tool t: T"}},
		"that a call will show":          {[]any{naming(`{"command":"rm x"}`), created("rm x")}, []string{"tool t: T"}},
		"that a call has shown":          {[]any{naming(`{"command":"rm x"}`), created("rm x"), `{"sessionUpdate":"tool_call_update","toolCallId":"t",` + shows + `}`, conversation.TurnEnded{}}, []string{"tool t: T"}},
		"that a call never showed":       {[]any{naming(`{"command":"rm x"}`), created("rm x"), exited, conversation.TurnEnded{}}, []string{"tool t: T", "tool : rm x (completed)"}},
		"named as words":                 {[]any{naming(`{"command":["rm","x"]}`), created("rm x")}, []string{"tool t: T"}},
		"named for a shell":              {[]any{naming(`{"command":"rm x"}`), created("/bin/bash -lc 'rm x'")}, []string{"tool t: T"}},
		"named in the title":             {[]any{`{"sessionUpdate":"tool_call","toolCallId":"t","title":"` + "`rm x`" + `"}`, created("rm x")}, []string{"tool t: `rm x`"}},
		"beside a call of another":       {[]any{naming(`{"command":"ls"}`), created("rm x")}, []string{"tool t: T", "tool : rm x (in_progress)"}},
		"that ends as another":           {[]any{naming(`{"command":"x"}`), created("rm x")}, []string{"tool t: T", "tool : rm x (in_progress)"}},
		"named by a call that has ended": {[]any{`{"sessionUpdate":"tool_call","toolCallId":"t","title":"rm x","status":"completed"}`, created("rm x")}, []string{"tool t: rm x (completed)", "tool : rm x (in_progress)"}},
	} {
		t.Run(name, func(t *testing.T) {
			conv := fold(t, append([]any{test.Sent("go")}, c.events...)...)
			test.WantTranscript(t, conv, append([]string{"user: go"}, c.want...)...)
			showing := 0
			for _, item := range conv.Items {
				if call, ok := item.(*conversation.ToolCall); ok {
					showing += len(call.Terminals)
				}
			}
			if showing > 1 {
				t.Errorf("%d calls show the command", showing)
			}
		})
	}
}

// A call that takes over the one of a command stands in its place, with what belongs to it.
func TestACallTakesOverACommand(t *testing.T) {
	c := fold(t, test.Sent("go"), conversation.TerminalCreated{ID: "x", Command: "make"},
		`{"sessionUpdate":"tool_call","toolCallId":"below","title":"B","_meta":{"parentToolCallId":"t"}}`,
		`{"sessionUpdate":"tool_call","toolCallId":"p","title":"P"}`,
		`{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","status":"completed","content":[{"type":"terminal","terminalId":"x"}],"_meta":{"parentToolCallId":"p"}}`)
	call := c.Tool("t")
	if call.Kind != acpclient.ToolExecute || len(call.Terminals) != 1 || call.Parent != "p" || len(c.Items) != 4 {
		t.Fatalf("%+v", call)
	}
	if below := c.Below(call); len(below) != 1 {
		t.Errorf("below it is %v", below)
	}
	if below := c.Below(c.Tool("p")); len(below) != 2 {
		t.Errorf("below its parent is %v", below)
	}
}
