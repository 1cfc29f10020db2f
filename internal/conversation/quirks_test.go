package conversation_test

import (
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
		"more is allowed": {"gemini-cli", []any{test.AgentSays("a", ""), raw(t, "[MODE_UPDATE] autoEdit"), test.AgentSays("b", "")}, "Auto Edit", []string{"agent: ab"}},
		"less is allowed, by a tool": {
			"gemini-cli",
			[]any{test.Sent("x"), work, raw(t, "[MODE_UPDATE] plan")},
			"Plan",
			[]string{"user: x", "tool t: T (in_progress)"},
		},
		"less is allowed, as a model may say":      {"gemini-cli", []any{raw(t, "[MODE_UPDATE] yolo"), raw(t, "[MODE_UPDATE] plan\n")}, "YOLO", nil},
		"less is allowed, behind a rejected call":  {"gemini-cli", []any{test.Sent("x"), test.Permission(1, `{"toolCallId":"t","title":"T"}`), conversation.PermissionClosed{ID: 1, Outcome: acpclient.PermissionSelected("n")}, raw(t, "[MODE_UPDATE] plan")}, "Default", []string{"user: x", "tool t: T"}},
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
