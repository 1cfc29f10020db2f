package transcript

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/internal/test"
)

// items show a text in each way that the transcript shows text whole.
var items = map[string]func(string) []conversation.Event{
	"question": func(s string) []conversation.Event { return []conversation.Event{ask(s)} },
	"answer":   func(s string) []conversation.Event { return []conversation.Event{say(s)} },
	"error": func(s string) []conversation.Event {
		return []conversation.Event{ask("x"), conversation.TurnEnded{Err: &acpclient.Error{Code: 400, Message: s}}}
	},
	"plan": func(s string) []conversation.Event {
		return []conversation.Event{conversation.Update{Update: &acpclient.Plan{Entries: []acpclient.PlanEntry{{Content: s}}}}}
	},
	"title": func(s string) []conversation.Event {
		return []conversation.Event{conversation.Update{Update: &acpclient.ToolCall{ToolCallID: "a", Title: s}}}
	},
	"tool text": func(s string) []conversation.Event {
		return []conversation.Event{conversation.Update{Update: &acpclient.ToolCall{
			ToolCallID: "a", Title: "Tool", Kind: acpclient.ToolOther, Content: acpclient.ToolCallContents{acpclient.TextContent(s)},
		}}}
	},
	"output": func(s string) []conversation.Event {
		return []conversation.Event{tool("a", acpclient.ToolCompleted, acpclient.TextContent(s))}
	},
	"command": func(s string) []conversation.Event {
		return []conversation.Event{conversation.Update{Update: &acpclient.ToolCall{
			ToolCallID: "a", Title: "Tool", Kind: acpclient.ToolExecute, RawInput: []byte(`{"command":"` + s + `"}`),
		}}}
	},
	"answer to a question": func(s string) []conversation.Event {
		return []conversation.Event{
			conversation.ElicitationOpened{ID: 1, Request: &acpclient.CreateElicitationRequest{Message: "?"}},
			conversation.ElicitationClosed{ID: 1, Action: acpclient.ElicitAccept, Answers: []conversation.FieldAnswer{{Field: "Field", Value: s}}},
		}
	},
	"diff": func(s string) []conversation.Event {
		return []conversation.Event{tool("a", acpclient.ToolCompleted, acpclient.DiffContent("/project/a", nil, s))}
	},
	"input": func(s string) []conversation.Event {
		return []conversation.Event{conversation.Update{Update: &acpclient.ToolCall{
			ToolCallID: "a", Title: "Tool", RawInput: []byte(`{"x":"` + s + `"}`), // in which nothing has to be escaped
		}}}
	},
	"terminal": func(s string) []conversation.Event {
		return []conversation.Event{
			conversation.TerminalCreated{ID: "x", Command: "make"},
			tool("a", acpclient.ToolCompleted, acpclient.TerminalContent("x")),
			conversation.TerminalOutput{ID: "x", Data: []byte(s + "\r\n")},
		}
	},
}

// Every character of an item stands on the screen once it is expanded.
func TestEveryCharacterReachesTheScreen(t *testing.T) {
	names := slices.Sorted(maps.Keys(items))
	for _, on := range test.TerminalSettings() {
		t.Run(on.String(), func(t *testing.T) {
			test.UseWidthMethod(t, on.Method)
			rapid.Check(t, func(t *rapid.T) {
				name := rapid.SampledFrom(names).Draw(t, "item")
				text := strings.ToValidUTF8(test.HardText(20).Draw(t, "text"), "\ufffd")
				source := text
				if name == "answer" || name == "tool text" {
					source = strings.NewReplacer("~", "\\~", "*", "\\*").Replace(text)
				}
				if name == "input" || name == "command" {
					text = termtext.Visible(text) // what cannot be seen is shown by its number there
				}
				width := rapid.IntRange(20, 140).Draw(t, "width")
				l := newList(fold(items[name](source)...), width, 300)
				l.Focus(true)
				l.Toggle()
				screen := test.ShowOnTerminal(on.Kind, l.Lines(), width)
				if lost := test.MissingText(screen, text); lost != "" {
					t.Fatalf("the screen lacks %+q\n%s", lost, strings.TrimRight(screen, " \n"))
				}
			})
		})
	}
}

// When it turns out how the terminal measures text, all is drawn anew.
func TestViewFollowsTheMethod(t *testing.T) {
	test.UseWidthMethod(t, termtext.Safe)
	thumbs := strings.Repeat("👍🏽", 7)
	for name, events := range items {
		if name == "terminal" || name == "output" { // which always have room for any
			continue
		}
		l := newList(fold(events(thumbs)...), 30, 30)
		l.Focus(true)
		l.Toggle()
		termtext.UseMethod(termtext.Safe)
		if got := view(l); strings.Contains(got, thumbs) {
			t.Errorf("%s: 28 cells of thumbs stand on one line:\n%s", name, got)
		}
		termtext.UseMethod(termtext.Graphemes)
		if got := view(l); !strings.Contains(got, thumbs) {
			t.Errorf("%s: 14 cells of thumbs stand on several lines:\n%s", name, got)
		}
	}
}

// A title that is wrapped keeps its looks on each line, and leaves them there.
func TestWrappedTitleKeepsItsLooks(t *testing.T) {
	l := newList(fold(tool(strings.Repeat("word ", 9), acpclient.ToolCompleted)), 24, 10)
	l.Focus(true)
	l.Toggle()
	for _, line := range l.Lines()[:2] {
		on, off := strings.LastIndex(line, "\x1b[1;"), strings.LastIndex(line, "\x1b[m")
		if !strings.Contains(line, "word") || on < 0 || off < on {
			t.Errorf("a line of the title is %q", line)
		}
	}
}
