package conversation_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

// ready is the agent of that name.
func ready(name string) conversation.Event {
	return conversation.AgentReady{Info: &acpclient.InitializeResponse{AgentInfo: &acpclient.Implementation{Name: name}}}
}

// raw is an update that is not made plain text of.
func raw(t *testing.T, text string) conversation.Event {
	e, ok := test.Up(t, test.AgentSays(text, "")).(conversation.Text)
	if !ok {
		t.Fatal("not text")
	}
	return conversation.Update{Update: &acpclient.ContentChunk{Chunk: e.Chunk, Content: acpclient.TextBlock(e.Text)}}
}

// The mode that is shown never allows less than the one that is on.
func TestModesThatAreAnnouncedInMessages(t *testing.T) {
	modes := conversation.SessionOpened{ID: "s", State: acpclient.SessionState{Modes: &acpclient.SessionModeState{CurrentModeID: "default", AvailableModes: []acpclient.SessionMode{
		{ID: "default", Name: "Default"}, {ID: "autoEdit", Name: "Auto Edit"}, {ID: "yolo", Name: "YOLO"}, {ID: "plan", Name: "Plan"},
	}}}}
	work := `{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","status":"in_progress"}`
	for name, c := range map[string]struct {
		agent  string
		events []any
		mode   string
		want   []string
	}{
		"more is allowed": {"gemini-cli", []any{test.AgentSays("a", ""), raw(t, "[MODE_UPDATE] autoEdit"), test.AgentSays("b", "")}, "Auto Edit", []string{"agent: ab", "note: Mode: Default → Auto Edit (changed by the agent)"}},
		"less is allowed, by a tool": {
			"gemini-cli",
			[]any{test.Sent("x"), work, raw(t, "[MODE_UPDATE] plan")},
			"Plan",
			[]string{"user: x", "tool t: T (in_progress)", "note: Mode: Default → Plan (changed by the agent)"},
		},
		"less is allowed, as a model may say":      {"gemini-cli", []any{raw(t, "[MODE_UPDATE] yolo"), raw(t, "[MODE_UPDATE] plan\n")}, "YOLO", []string{"note: Mode: Default → YOLO (changed by the agent)"}},
		"less is allowed, behind a rejected call":  {"gemini-cli", []any{test.Sent("x"), test.Permission(1, `{"toolCallId":"t","title":"T"}`), conversation.QuestionClosed{ID: 1, Outcome: acpclient.PermissionSelected("n")}, raw(t, "[MODE_UPDATE] plan")}, "Default", []string{"user: x", "tool t: T"}},
		"a mode that nobody knows":                 {"gemini-cli", []any{raw(t, "[MODE_UPDATE] root")}, "Default", []string{"agent: [MODE_UPDATE] root"}},
		"in the middle of a text":                  {"gemini-cli", []any{raw(t, "It says [MODE_UPDATE] yolo")}, "Default", []string{"agent: It says [MODE_UPDATE] yolo"}},
		"by an agent that does not do such things": {"other", []any{raw(t, "[MODE_UPDATE] yolo")}, "Default", []string{"agent: [MODE_UPDATE] yolo"}},
	} {
		t.Run(name, func(t *testing.T) {
			conv := fold(t, append([]any{ready(c.agent), modes}, c.events...)...)
			if mode, _ := conv.CategoryValue(acpclient.CategoryMode); mode != c.mode {
				t.Errorf("the mode is %s, want %s", mode, c.mode)
			}
			test.WantTranscript(t, conv, c.want...)
		})
	}
}

func TestTagsForTheModelAreTakenOut(t *testing.T) {
	gives := `{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","kind":"other","content":[{"type":"content","content":{"type":"text","text":"<task id=\"s\" state=\"completed\">\n<task_result>\nIt works.\n</task_result>\n</task>"}}]}`
	for agent, want := range map[string]string{"OpenCode": "It works.", "other": "<task id"} {
		c := fold(t, ready(agent), gives)
		if got := onlyTool(t, c).Content[0].Content.Text; !strings.HasPrefix(got, want) {
			t.Errorf("of %s: %q", agent, got)
		}
	}
}

func TestExitCodeInTheRawOutput(t *testing.T) {
	ended := func(exit string) string {
		return `{"sessionUpdate":"tool_call_update","toolCallId":"t","kind":"execute","title":"T","status":"completed","rawOutput":{"output":"oops","metadata":{"exit":` + exit + `}}}`
	}
	for _, tt := range []struct {
		agent, exit string
		want        string
		code        int // -1: unknown
	}{
		{"OpenCode", "3", "failed", 3},
		{"OpenCode", "0", "completed", 0},
		{"OpenCode", "null", "completed", -1},
		{"somebody", "3", "completed", -1},
	} {
		call := onlyTool(t, fold(t, ready(tt.agent), ended(tt.exit)))
		code := -1
		if call.ExitCode != nil {
			code = *call.ExitCode
		}
		if call.State() != tt.want || code != tt.code {
			t.Errorf("%s, exit %s: %s, exit code %d", tt.agent, tt.exit, call.State(), code)
		}
	}
}

// What a command printed is taken out of a report for the model, with how it ended.
func TestReportsOfCommands(t *testing.T) {
	report := func(output, wrong, code, signal, more string) string {
		return "Command: make all\nDirectory: (root)\nOutput: " + output + "\nError: " + wrong + "\nExit Code: " + code + "\nSignal: " + signal + "\nProcess Group PGID: 71" + more
	}
	for _, tt := range []struct{ name, agent, text, want, state string }{
		{"one that worked", "qwen-code", report("one\ntwo", "(none)", "0", "(none)", ""), "one\ntwo", "completed"},
		{"one that failed", "qwen-code", report("oops", "(none)", "3", "(none)", ""), "oops", "failed"},
		{"one that printed nothing", "qwen-code", report("(empty)", "(none)", "0", "(none)", ""), "", "completed"},
		{"one that could not be run", "qwen-code", report("(empty)", "no such file", "127", "(none)", ""), "Error: no such file", "failed"},
		{"one that was killed", "qwen-code", report("half", "(none)", "(none)", "15", ""), "half\nSignal: 15", "completed"},
		{"one with a remark", "qwen-code", report("one", "(none)", "0", "(none)", "\n\nIt took long."), "one\nIt took long.", "completed"},
		{"one that prints a report", "qwen-code", report(report("x", "(none)", "1", "(none)", ""), "(none)", "0", "(none)", ""), report("x", "(none)", "1", "(none)", ""), "completed"},
		{"other text", "qwen-code", "Command: make", "Command: make", "completed"},
		{"another agent", "somebody", report("one", "(none)", "3", "(none)", ""), report("one", "(none)", "3", "(none)", ""), "completed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text, _ := json.Marshal(tt.text)
			call := onlyTool(t, fold(t, ready(tt.agent), `{"sessionUpdate":"tool_call","toolCallId":"t","kind":"execute","title":"make all","status":"in_progress"}`,
				`{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed","content":[{"type":"content","content":{"type":"text","text":`+string(text)+`}}]}`))
			if got := call.Content[0].Content.Text; got != tt.want || call.State() != tt.state {
				t.Errorf("%q, %s; want %q, %s", got, call.State(), tt.want, tt.state)
			}
		})
	}
}

// A call whose command failed has failed, whatever its agent calls that, and counts so.
func TestACallFailsWithItsCommand(t *testing.T) {
	for _, tt := range []struct{ exit, status, want string }{
		{`"exit_code":3`, "completed", "failed"},
		{`"exit_code":0`, "completed", "completed"},
		{`"exit_code":0`, "failed", "failed"},
		{`"signal":"SIGTERM"`, "completed", "completed"}, // a server that the agent has stopped
	} {
		c := fold(t, `{"sessionUpdate":"tool_call","toolCallId":"p","title":"P"}`,
			`{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","_meta":{"parentToolCallId":"p","terminal_info":{"terminal_id":"x"}}}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"`+tt.status+`","_meta":{"terminal_exit":{"terminal_id":"x",`+tt.exit+`}}}`)
		failed := map[string]int32{"failed": 1}[tt.want]
		if got := c.Tool("t").State(); got != tt.want || c.Tool("p").Nested.Failed != failed {
			t.Errorf("%s, %s: %s, %d failed; want %s", tt.status, tt.exit, got, c.Tool("p").Nested.Failed, tt.want)
		}
	}
}

func TestExitCodeInTheOutput(t *testing.T) {
	const claude = "@agentclientprotocol/claude-agent-acp"
	for _, tt := range []struct{ agent, output, want string }{
		{claude, `Exit code 3\noops\n`, "oops\n"},
		{claude, `Exit code 3`, ""},
		{claude, `Exit code 3 of 5\n`, "Exit code 3 of 5\n"},
		{"somebody", `Exit code 3\noops\n`, "Exit code 3\noops\n"},
	} {
		c := fold(t, ready(tt.agent), `{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","_meta":{"terminal_info":{"terminal_id":"x"}}}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"failed","_meta":{"terminal_output":{"terminal_id":"x","data":"`+tt.output+`"},"terminal_exit":{"terminal_id":"x","exit_code":3}}}`)
		term := c.Terminals["x"]
		if got, _ := term.Since(0); string(got) != tt.want || *term.Exit.ExitCode != 3 {
			t.Errorf("%s: %q became %q", tt.agent, tt.output, got)
		}
	}
}

// Attempts that follow each other are one line.
func TestRetriesAreTold(t *testing.T) {
	retry := func(attempt int, why string) string {
		return fmt.Sprintf(`{"sessionUpdate":"session_info_update","_meta":{"opencode/retry":{"attempt":%d,"error":{"type":"api","message":%q}}}}`, attempt, why)
	}
	c := fold(t, test.Sent("x"), retry(1, "overloaded"), retry(2, "still overloaded"), test.AgentSays("a", ""), retry(1, "again"),
		`{"sessionUpdate":"session_info_update","title":"T","_meta":{"opencode/retry":null}}`)
	test.WantTranscript(t, c, "user: x", "note: Retrying, attempt 2", "agent: a", "note: Retrying, attempt 1")
	if n := c.Items[1].(*conversation.Note); n.Detail != "still overloaded" || n.Severity != acpclient.NoticeWarning {
		t.Errorf("%+v", n)
	}
}
