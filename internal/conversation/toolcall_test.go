package conversation_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

func onlyTool(t testing.TB, c *conversation.Conversation) *conversation.ToolCall {
	t.Helper()
	for _, i := range c.Items {
		if tool, ok := i.(*conversation.ToolCall); ok {
			return tool
		}
	}
	t.Fatal("there is no tool call")
	return nil
}

// A thin request says less than the call that it is about, and takes nothing away.
func TestThinPermissionRequests(t *testing.T) {
	whole := onlyTool(t, fold(t, test.FullCall))
	for _, thin := range []string{
		`{"toolCallId":"t"}`,
		`{"toolCallId":"t","title":"","kind":"other","status":"pending","content":[],"locations":[],"rawInput":{}}`,
		`{"toolCallId":"t","title":"  ","kind":null,"status":null,"content":null,"rawInput":""}`,
		`{"toolCallId":"t","rawInput":[]}`,
		`{"toolCallId":"t","rawInput":{ }}`,
	} {
		c := fold(t, test.FullCall, test.Permission(1, thin))
		got := onlyTool(t, c)
		if len(c.Permissions) != 1 || c.Permissions[0].ToolCall != got {
			t.Fatalf("%s: permissions %v", thin, c.Permissions)
		}
		if d := cmp.Diff(whole, got, test.DeepEqual, test.IgnoreVersions); d != "" {
			t.Errorf("%s changed the call:\n%s", thin, d)
		}
	}
	// What it does say counts, and it may be the first to speak of a call.
	c := fold(t, test.Permission(1, `{"toolCallId":"t","title":"Run","kind":"execute","status":"pending","rawInput":{"command":"ls"}}`),
		conversation.PermissionClosed{ID: 1, Outcome: acpclient.PermissionSelected("y")},
		`{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed"}`)
	tool := onlyTool(t, c)
	if tool.Title != "Run" || tool.Kind != acpclient.ToolExecute || tool.Status != acpclient.ToolCompleted || tool.Answer.Option.Name != "Yes" {
		t.Errorf("%+v", tool)
	}
	// The bare blocks of the session modes page.
	c = fold(t, test.Permission(1, `{"toolCallId":"t","kind":"switch_mode","content":[{"type":"text","text":"the plan"}]}`))
	if got := onlyTool(t, c).Content; len(got) != 1 || got[0].Content.Text != "the plan" {
		t.Errorf("%+v", got)
	}
}

func TestToolCallUpdates(t *testing.T) {
	c := fold(t, test.FullCall,
		`{"sessionUpdate":"tool_call_update","toolCallId":"t","title":null,"content":null,"locations":null,"rawInput":null,"status":null,"kind":null}`)
	if d := cmp.Diff(onlyTool(t, fold(t, test.FullCall)), onlyTool(t, c), test.DeepEqual, test.IgnoreVersions); d != "" {
		t.Errorf("null has changed something:\n%s", d)
	}
	c = fold(t, test.FullCall, `{"sessionUpdate":"tool_call_update","toolCallId":"t","content":[{"type":"content","content":{"type":"text","text":"x"}}],"locations":[],"rawOutput":7}`)
	tool := onlyTool(t, c)
	if len(tool.Content) != 1 || tool.Content[0].Type != acpclient.ToolContentBlock || len(tool.Locations) != 0 || string(tool.RawOutput) != "7" {
		t.Errorf("arrays do not replace: %+v", tool)
	}
	if tool.Name != "write" {
		t.Errorf("name %q", tool.Name)
	}
}

func TestLivelinessOfToolCalls(t *testing.T) {
	call := `{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","status":"in_progress"}`
	for name, c := range map[string]struct {
		events             []any
		running, cancelled bool
	}{
		"in a turn":                    {[]any{test.Sent("x"), call}, true, false},
		"in a replay":                  {[]any{call}, false, false},
		"when its turn has ended":      {[]any{test.Sent("x"), call, conversation.TurnEnded{}}, false, false},
		"when the cancel went out":     {[]any{test.Sent("x"), call, conversation.CancelRequested{}}, false, true},
		"announced after the cancel":   {[]any{test.Sent("x"), conversation.CancelRequested{}, call, conversation.TurnEnded{Reason: acpclient.StopCancelled}}, false, true},
		"cancelled by the agent":       {[]any{test.Sent("x"), call, conversation.TurnEnded{Reason: acpclient.StopCancelled}}, false, true},
		"with the agent lost":          {[]any{test.Sent("x"), call, conversation.AgentLost{}}, false, true},
		"beside what the person added": {[]any{test.Sent("x"), call, test.UserSays("also", ""), conversation.CancelRequested{}}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			tool := onlyTool(t, fold(t, c.events...))
			if tool.Running() != c.running || tool.Cancelled != c.cancelled {
				t.Errorf("running %v, cancelled %v", tool.Running(), tool.Cancelled)
			}
		})
	}
}

func TestSubagentParents(t *testing.T) {
	for _, meta := range []string{
		`{"claudeCode":{"parentToolUseId":"p"}}`, `{"parentToolUseId":"p"}`, `{"parentToolCallId":"p"}`, `{"subagent":{"parentToolCallId":"p"}}`,
	} {
		// Also when the parent has completed before.
		c := fold(t, `{"sessionUpdate":"tool_call","toolCallId":"p","title":"P","status":"completed"}`,
			`{"sessionUpdate":"tool_call","toolCallId":"c","title":"C","_meta":`+meta+`}`)
		if got := c.Items[1].(*conversation.ToolCall).Parent; got != "p" {
			t.Errorf("%s: parent %q", meta, got)
		}
	}
	for _, meta := range []string{`null`, `{}`, `{"claudeCode":7}`, `{"parentToolUseId":"c"}`, `{"parentToolUseId":""}`} {
		c := fold(t, `{"sessionUpdate":"tool_call","toolCallId":"c","title":"C","_meta":`+meta+`}`)
		if got := onlyTool(t, c).Parent; got != "" {
			t.Errorf("%s: parent %q", meta, got)
		}
	}
}

func TestTerminals(t *testing.T) {
	c := fold(t,
		conversation.TerminalCreated{ID: "x", Command: "make", Cwd: "/w"},
		`{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","content":[{"type":"terminal","terminalId":"x"},{"type":"terminal","terminalId":"x"}]}`,
		conversation.TerminalOutput{ID: "x", Data: []byte("one\n")}, conversation.TerminalOutput{ID: "x", Data: []byte("two\n")}, conversation.TerminalExited{ID: "x"},
	)
	tool := onlyTool(t, c)
	if len(tool.Terminals) != 1 || tool.Terminals[0] != c.Terminals["x"] {
		t.Fatalf("terminals %v", tool.Terminals)
	}
	term := tool.Terminals[0]
	if out, whole := term.Since(4); string(out) != "two\n" || !whole || term.Total() != 8 || term.Exit == nil || term.Own {
		t.Errorf("%q of %+v", out, term)
	}
	if out, whole := term.Since(100); len(out) != 0 || !whole {
		t.Errorf("%q from beyond the end", out)
	}
	before := tool.Version()
	c.Apply(conversation.TerminalOutput{ID: "x", Data: []byte("late")})
	if tool.Version() == before {
		t.Error("output does not change the call that shows it")
	}

	// Run by the agent, streamed in _meta. The output may come before the info.
	c = fold(t,
		`{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","_meta":{"terminal_info":{"terminal_id":"y","cwd":"/w"}}}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"t","_meta":{"terminal_output":{"terminal_id":"y","data":"hi\n"}}}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"t","_meta":{"terminal_output":{"terminal_id":"z","data":"z"},"terminal_exit":{"terminal_id":"y","exit_code":null,"signal":"SIGKILL"}}}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"t","_meta":{"terminal_output":{"data":"nobody's"},"terminal_exit":7,"terminal_info":{"terminal_id":""}}}`,
	)
	y, z := c.Terminals["y"], c.Terminals["z"]
	if out, _ := y.Since(0); string(out) != "hi\n" || !y.Own || y.Cwd != "/w" || y.Exit.Signal != "SIGKILL" || y.Exit.ExitCode != nil {
		t.Errorf("%q of %+v", out, y)
	}
	if len(c.Terminals) != 2 || !z.Own || len(onlyTool(t, c).Terminals) != 2 {
		t.Errorf("terminals %v", c.Terminals)
	}

	// Only the end of much output is kept.
	much := conversation.New()
	for range 100 {
		much.Apply(conversation.TerminalOutput{ID: "x", Data: make([]byte, 100<<10)})
	}
	kept, whole := much.Terminals["x"].Since(0)
	if len(kept) < 2<<20 || len(kept) > 4<<20 || whole || much.Terminals["x"].Total() != 100*100<<10 {
		t.Errorf("%d bytes kept, whole %v", len(kept), whole)
	}
}
