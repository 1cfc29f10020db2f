package transcript

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/tui/toolview"
)

// What can be copied, opened and saved of the last item of each kind.
func TestExcerpt(t *testing.T) {
	image := acpclient.ImageBlock("image/png", "QUJD")
	update := func(u acpclient.SessionUpdate) conversation.Event { return conversation.Update{Update: u} }
	for _, c := range []struct {
		name   string
		events []conversation.Event
		want   toolview.Excerpt
	}{
		{"nothing", nil, toolview.Excerpt{}},
		{"a prompt", []conversation.Event{ask("why?\n")}, toolview.Excerpt{Text: "why?"}},
		{"an answer", []conversation.Event{say("Because **so**.\n")}, toolview.Excerpt{Text: "Because **so**."}},
		{
			"an answer with a picture",
			[]conversation.Event{say("See:"), update(&acpclient.ContentChunk{Chunk: acpclient.AgentMessageChunk, Content: image})},
			toolview.Excerpt{Text: "See:", Media: &toolview.Media{Data: "QUJD", Ext: ".png", Opens: true}},
		},
		{"a thought", []conversation.Event{conversation.Text{Chunk: acpclient.AgentThoughtChunk, Text: "Hm."}}, toolview.Excerpt{Text: "Hm."}},
		{
			"a tool call",
			[]conversation.Event{tool("a", acpclient.ToolCompleted, acpclient.DiffContent("/project/a", nil, "new\n"))},
			toolview.Excerpt{Text: "Tool a\n\n/project/a\nnew\n", Path: "/project/a"},
		},
		{
			"a plan",
			[]conversation.Event{update(&acpclient.Plan{Entries: []acpclient.PlanEntry{
				{Content: "read", Status: acpclient.PlanCompleted}, {Content: "write", Status: acpclient.PlanPending},
			}})},
			toolview.Excerpt{Text: "- [x] read\n- [ ] write\n"},
		},
		{
			"an error",
			[]conversation.Event{ask("go"), conversation.TurnEnded{Err: &acpclient.Error{Code: 400, Message: "no credit"}}},
			toolview.Excerpt{Text: "The agent answered with an error\nno credit (code 400)"},
		},
		{
			"an update of an unknown kind",
			[]conversation.Event{update(&acpclient.UnknownUpdate{Name: "weather", Raw: []byte(`{"sky":"blue"}`)})},
			toolview.Excerpt{Text: `{"sky":"blue"}`},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newList(fold(c.events...), 80, 20)
			l.Focus(true)
			if d := cmp.Diff(c.want, l.Excerpt()); d != "" {
				t.Error(d)
			}
		})
	}
}

// What each kind of content of a tool call shows, collapsed and expanded.
func TestContentOfToolCalls(t *testing.T) {
	image := acpclient.ImageBlock("image/png", "QUJD")
	for _, c := range []struct {
		name                string
		content             acpclient.ToolCallContent
		collapsed, expanded string
	}{
		{"text", acpclient.TextContent("*some* text"), "  │ *some* text", "  │ *some* text"},
		{"a diff", acpclient.DiffContent("/project/a", nil, "new\n"), "  │ 1 + new", "  │ 1 + new"},
		{"a block", acpclient.ToolCallContent{Type: acpclient.ToolContentBlock, Content: &image}, "  │ ▣ image image/png  3 B", "  │ ▣ image image/png  3 B"},
		{"a terminal", acpclient.TerminalContent("t"), "  │ $ make\n  │ built", "  │ $ make\n  │ built"},
		{
			"an unknown kind",
			acpclient.ToolCallContent{Type: "hologram", Raw: []byte(`{"depth":3}`)},
			"  │ content of a kind that parley does not know: hologram\n  │ … 3 more lines",
			"  │ content of a kind that parley does not know: hologram\n  │ {\n  │   \"depth\": 3\n  │ }",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			call := acpclient.ToolCall{
				ToolCallID: "a", Title: "Look", Kind: acpclient.ToolRead, Content: acpclient.ToolCallContents{c.content},
				RawInput: []byte(`{"depth":3}`), RawOutput: []byte(`"unseen"`),
			}
			l := newList(fold(
				conversation.TerminalCreated{ID: "t", Command: "make"}, conversation.TerminalOutput{ID: "t", Data: []byte("built\n")},
				conversation.Update{Update: &call},
			), 80, 20)
			first, body, _ := strings.Cut(view(l), "\n")
			if !strings.HasPrefix(first, "○ ◇ Look") || body != c.collapsed {
				t.Errorf("collapsed:\n%s\nwant:\n%s", body, c.collapsed)
			}
			l.Focus(true)
			l.Toggle()
			l.Focus(false)
			_, body, _ = strings.Cut(view(l), "\n")
			if want := c.expanded + "\n  │ raw input\n  │ {\n  │   \"depth\": 3\n  │ }"; body != want {
				t.Errorf("expanded:\n%s\nwant:\n%s", body, want)
			}
		})
	}
}

// Blank letters in what a tool gives are seen, as prose, as the text of a file and as output.
func TestBlankLettersOfToolsAreSeen(t *testing.T) {
	const text, want = "rm \u3164\u115f\uffa0a\u00adb", "rm ⟨U+3164⟩⟨U+115F⟩⟨U+FFA0⟩a⟨U+00AD⟩b"
	for name, events := range map[string][]conversation.Event{
		"prose": {conversation.Update{Update: &acpclient.ToolCall{
			ToolCallID: "a", Title: "Look", Kind: acpclient.ToolFetch, Content: acpclient.ToolCallContents{acpclient.TextContent(text)},
		}}},
		"a file": {conversation.Update{Update: &acpclient.ToolCall{
			ToolCallID: "a", Title: "Look", Kind: acpclient.ToolRead, Content: acpclient.ToolCallContents{acpclient.TextContent(text)},
		}}},
		"output": {
			conversation.TerminalCreated{ID: "t", Command: "make"},
			conversation.TerminalOutput{ID: "t", Data: []byte(text + "\n")},
			conversation.Update{Update: &acpclient.ToolCall{
				ToolCallID: "a", Title: "Look", Kind: acpclient.ToolExecute, Content: acpclient.ToolCallContents{acpclient.TerminalContent("t")},
			}},
		},
	} {
		if got := view(newList(fold(events...), 80, 20)); !strings.Contains(got, want) {
			t.Errorf("%s is drawn as\n%s", name, got)
		}
	}
}
