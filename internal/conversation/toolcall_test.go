package conversation_test

import (
	"bytes"
	"fmt"
	"strconv"
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
		if len(test.Permissions(c)) != 1 || test.Permissions(c)[0].ToolCall != got {
			t.Fatalf("%s: permissions %v", thin, test.Permissions(c))
		}
		if d := test.Diff(whole, got, test.IgnoreVersions); d != "" {
			t.Errorf("%s changed the call:\n%s", thin, d)
		}
	}
	// What it does say counts, and it may be the first to speak of a call.
	c := fold(t, test.Permission(1, `{"toolCallId":"t","title":"Run","kind":"execute","status":"pending","rawInput":{"command":"ls"}}`),
		conversation.QuestionClosed{ID: 1, Outcome: acpclient.PermissionSelected("y")},
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
	if d := test.Diff(onlyTool(t, fold(t, test.FullCall)), onlyTool(t, c), test.IgnoreVersions); d != "" {
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
	ends := func(status string) string {
		return `{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"` + status + `"}`
	}
	for name, c := range map[string]struct {
		events             []any
		running, cancelled bool
	}{
		"in a turn":                  {[]any{test.Sent("x"), call}, true, false},
		"in a replay":                {[]any{call}, false, false},
		"when its turn has ended":    {[]any{test.Sent("x"), call, conversation.TurnEnded{}}, false, false},
		"when the cancel went out":   {[]any{test.Sent("x"), call, conversation.CancelRequested{}}, false, true},
		"failed by the cancel":       {[]any{test.Sent("x"), call, conversation.CancelRequested{}, ends("failed")}, false, true},
		"completed all the same":     {[]any{test.Sent("x"), call, conversation.CancelRequested{}, ends("completed")}, false, false},
		"failed before":              {[]any{test.Sent("x"), call, ends("failed"), conversation.CancelRequested{}}, false, false},
		"announced after the cancel": {[]any{test.Sent("x"), conversation.CancelRequested{}, call, conversation.TurnEnded{Reason: acpclient.StopCancelled}}, false, true},
		"cancelled by the agent":     {[]any{test.Sent("x"), call, conversation.TurnEnded{Reason: acpclient.StopCancelled}}, false, true},
		"with the agent lost":        {[]any{test.Sent("x"), call, conversation.AgentLost{}}, false, true},
		"beside what the user added": {[]any{test.Sent("x"), call, test.UserSays("also", ""), conversation.CancelRequested{}}, false, true},
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
		`{"sessionUpdate":"tool_call_update","toolCallId":"t","_meta":{"terminal_output_delta":{"terminal_id":"y","data":"hi"}}}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"t","_meta":{"terminal_output":{"terminal_id":"y","data":"\n"},"terminal_output_delta":{"terminal_id":"y","data":"\n"}}}`,
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

// A task list in the input of a tool is a plan, unless the agent sends plans.
func TestTaskLists(t *testing.T) {
	call := func(input string) string {
		return `{"sessionUpdate":"tool_call","toolCallId":"t","title":"todowrite","kind":"other","rawInput":` + input + `}`
	}
	todos := call(`{"todos":[{"content":"Look","status":"completed","priority":"high"},{"description":"Build","status":"in-progress"},{"task":"Test"},{"status":"pending"}]}`)
	want := []acpclient.PlanEntry{
		{Content: "Look", Status: acpclient.PlanCompleted, Priority: acpclient.PlanHigh},
		{Content: "Build", Status: acpclient.PlanInProgress},
		{Content: "Test", Status: acpclient.PlanPending},
	}
	c := fold(t, test.Sent("x"), todos)
	if d := cmp.Diff(want, onlyTool(t, c).Tasks); d != "" {
		t.Error(d)
	}
	if done, all := c.Plan.Progress(); done != 1 || all != 3 {
		t.Errorf("the plan is %d of %d", done, all)
	}
	test.WantTranscript(t, c, "user: x", "tool t: todowrite")
	asked := fold(t, test.Permission(1, `{"toolCallId":"t","title":"todowrite","rawInput":{"todos":[{"content":"Look","status":"pending"}]}}`))
	if got := test.Permissions(asked)[0].Asked.Tasks; len(got) != 1 {
		t.Errorf("the question has the tasks %+v", got)
	}
	c = fold(t, test.Sent("x"), test.Plan("pending"), todos)
	if _, all := c.Plan.Progress(); all != 1 {
		t.Error("the task list has taken the place of the plan")
	}
	for _, input := range []string{`{"todos":"x"}`, `{"todos":[]}`, `{"todos":[1]}`, `{"content":"\"todos\""}`, `"todos"`} {
		if c := fold(t, call(input)); onlyTool(t, c).Tasks != nil || c.Plan != nil {
			t.Errorf("%s is a task list", input)
		}
	}
}

// What an agent sends very much of costs no more than its length: otherwise these tests
// take minutes, or do not end.

// contentChunk adds a line of text to the call "t".
func contentChunk() conversation.Update {
	return conversation.Update{Update: &acpclient.ToolCallContentChunk{
		ToolCallID: "t", Content: acpclient.ToolCallContents{acpclient.TextContent("line")},
	}}
}

func TestManyPiecesOfOneCall(t *testing.T) {
	const many = 50_000
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
	asked := test.Permissions(one)[0].Asked.Content
	one.Apply(piece("b"))
	for name, tt := range map[string]struct{ got, want string }{
		"the one":             {texts(onlyTool(t, one).Content), "first a b "},
		"the other":           {texts(onlyTool(t, other).Content), "first x "},
		"when it was asked":   {texts(asked), "first a "},
		"what is asked about": {texts(test.Permissions(one)[0].Asked.Content), "first a b "},
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
	const many = 50_000
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
	for range 50_000 {
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
	for range 50_000 {
		c.Apply(conversation.Update{Update: &acpclient.TerminalOutputChunk{TerminalID: "mine", Data: []byte("evil")}})
	}
	if got := c.Terminals["mine"].Total(); got != 0 {
		t.Errorf("the agent has written %d bytes into the user's command", got)
	}
}

// A call that works for another one, which works for another one, and so on.
func TestQuestionOfADeepCall(t *testing.T) {
	const deep = 5_000
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
		c.Apply(conversation.QuestionClosed{ID: id})
	}
	if len(test.Permissions(c)) > 0 {
		t.Errorf("%d questions are open", len(test.Permissions(c)))
	}
}

func TestManyCallsInTheBackground(t *testing.T) {
	const many = 25_000
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

// An input that grows is one call; another one is a second.
func TestEarlierCalls(t *testing.T) {
	input := func(command string) string {
		return fmt.Sprintf(`{"sessionUpdate":"tool_call_update","toolCallId":"c","rawInput":{"command":%q}}`, command)
	}
	c := fold(t, `{"sessionUpdate":"tool_call","toolCallId":"c","title":"T"}`, input("r"), input("rm"), input("rmdir x"), input("rmdir x"))
	call := onlyTool(t, c)
	if len(call.Earlier) > 0 {
		t.Errorf("an input that grew was something else: %+v", call.Earlier[0])
	}
	c.Apply(test.Up(t, input("ls")))
	if got := call.Earlier; len(got) != 1 || string(got[0].RawInput) != `{"command":"rmdir x"}` || got[0].Title != "T" {
		t.Errorf("earlier: %v", got)
	}
	for i := range 50 {
		c.Apply(test.Up(t, input(fmt.Sprint(i+100))))
	}
	if len(call.Earlier) != 20 {
		t.Errorf("it holds %d", len(call.Earlier))
	}
}
