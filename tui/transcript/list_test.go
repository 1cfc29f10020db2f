package transcript

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/tui/theme"
)

// fold makes a conversation of events.
func fold(events ...conversation.Event) *conversation.Conversation {
	c := conversation.New()
	c.Cwd = "/project"
	for _, e := range events {
		c.Apply(e)
	}
	return c
}

func say(text string) conversation.Event {
	return conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: text}
}

func ask(text string) conversation.Event {
	return conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock(text)}}
}

func tool(id string, status acpclient.ToolCallStatus, content ...acpclient.ToolCallContent) conversation.Event {
	return conversation.Update{Update: &acpclient.ToolCall{
		ToolCallID: acpclient.ToolCallID(id), Title: "Tool " + id, Kind: acpclient.ToolEdit, Status: status, Content: content,
	}}
}

// view draws the list as plain text.
func view(l *List) string {
	lines := l.Lines()
	for i := range lines {
		lines[i] = strings.TrimRight(ansi.Strip(lines[i]), " ")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

func newList(c *conversation.Conversation, width, height int) *List {
	l := New(theme.New(true), c)
	l.SetSize(width, height)
	return l
}

func TestItems(t *testing.T) {
	old := "one\ntwo\n"
	line := 7
	for _, test := range []struct {
		name   string
		events []conversation.Event
		want   string
	}{
		{
			"a question and an answer",
			[]conversation.Event{ask("why?"), say("Because **so**."), conversation.TurnEnded{Reason: acpclient.StopEndTurn}},
			"❯ why?\n\n● Because so.",
		},
		{
			"stop reasons in words",
			[]conversation.Event{ask("go"), conversation.TurnEnded{Reason: acpclient.StopMaxTokens}},
			"❯ go\n\n! Stopped: the answer reached the model's token limit",
		},
		{
			"an error of the agent",
			[]conversation.Event{ask("go"), conversation.TurnEnded{Err: &acpclient.Error{Code: 400, Message: "no credit"}}},
			"❯ go\n\n✗ The agent answered with an error\n  no credit (code 400)",
		},
		{
			"a plan in Markdown",
			[]conversation.Event{conversation.Update{Update: &acpclient.PlanUpdate{Plan: acpclient.PlanUpdateContent{
				Type: acpclient.PlanMarkdown, PlanID: "p", Content: "# Fix\x1b[2J it\n\n- [x] read\n- [ ] [write](a/b.go)\n",
			}}}},
			"≡ Plan\n  Fix it\n\n  [✓] read\n  [ ] write (a/b.go)",
		},
		{
			"tool calls without content stand close together",
			[]conversation.Event{tool("a", acpclient.ToolCompleted), tool("b", acpclient.ToolFailed)},
			"✓ ✎ Tool a\n✗ ✎ Tool b  failed",
		},
		{
			"a diff of which nobody knows where it stands in the file",
			[]conversation.Event{conversation.Update{Update: &acpclient.ToolCall{
				ToolCallID: "x", Title: "Edit", Kind: acpclient.ToolEdit, Status: acpclient.ToolCompleted,
				Locations: []acpclient.ToolCallLocation{{Path: "/project/a.txt", Line: &line}},
				Content:   []acpclient.ToolCallContent{acpclient.DiffContent("/project/a.txt", &old, "one\nTWO\n")},
			}}},
			"✓ ✎ Edit a.txt:7 +1 −1\n  │   one\n  │ - two\n  │ + TWO",
		},
		{
			"a thought that is done is one line",
			[]conversation.Event{
				conversation.Text{Chunk: acpclient.AgentThoughtChunk, Text: "**Weighing** it\n\nfor long"}, say("Done."),
			},
			"✻ Thought: Weighing it\n\n● Done.",
		},
		{
			"control sequences of the agent are text without effect",
			[]conversation.Event{ask("\x1b[2Jx"), tool("\x1b]0;owned\x07", acpclient.ToolCompleted)},
			"❯ x\n\n✓ ✎ Tool",
		},
		{
			"an update of an unknown kind",
			[]conversation.Event{conversation.Update{Update: &acpclient.UnknownUpdate{Name: "weather", Raw: []byte(`{}`)}}},
			"? The agent sent an update that parley does not know: weather",
		},
		{
			"content that is not text",
			[]conversation.Event{conversation.Update{Update: &acpclient.ContentChunk{
				Chunk: acpclient.AgentMessageChunk, Content: acpclient.ImageBlock("image/png", strings.Repeat("A", 4000)),
			}}},
			"● ▣ image image/png  3 KB",
		},
		{
			"a cancelled call says so",
			[]conversation.Event{ask("go"), tool("a", acpclient.ToolInProgress), conversation.CancelRequested{}},
			"❯ go\n\n⊘ ✎ Tool a  cancelled",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := view(newList(fold(test.events...), 80, 20)); got != test.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, test.want)
			}
		})
	}
}

func TestFollowsTheEndUntilScrolledUp(t *testing.T) {
	c := fold()
	l := newList(c, 40, 5)
	for i := range 50 {
		c.Apply(say(fmt.Sprintf("line %d\n\n", i)))
	}
	if got := view(l); !strings.Contains(got, "line 49") {
		t.Fatalf("the end is not in sight:\n%s", got)
	}
	l.Scroll(-10)
	before := view(l)
	c.Apply(say("something new\n\n"))
	c.Apply(tool("t", acpclient.ToolCompleted))
	if got := view(l); got != before {
		t.Errorf("the view moved:\n%s\nbefore:\n%s", got, before)
	}
	if l.Following() || l.New() != 1 {
		t.Errorf("following %v, new %d", l.Following(), l.New())
	}
	l.Scroll(1000)
	if got := view(l); !l.Following() || !strings.Contains(got, "Tool t") {
		t.Errorf("scrolling to the end does not follow it:\n%s", got)
	}
	l.Top()
	if got := view(l); !strings.HasPrefix(got, "● line 0") {
		t.Errorf("the beginning is not in sight:\n%s", got)
	}
}

func TestExpandAndCollapse(t *testing.T) {
	var long strings.Builder
	for i := range 300 {
		fmt.Fprintf(&long, "row %d\n", i)
	}
	c := fold(tool("a", acpclient.ToolCompleted, acpclient.DiffContent("/project/a", nil, long.String())))
	l := newList(c, 60, 30)
	if got := view(l); !strings.Contains(got, "row 0") || !strings.Contains(got, "more lines") || strings.Contains(got, "row 100") {
		t.Fatalf("not collapsed:\n%s", got)
	}
	l.Focus(true)
	l.Toggle()
	l.Bottom()
	if got := view(l); !strings.Contains(got, "row 299") {
		t.Errorf("the end of an expanded diff is not there:\n%s", got)
	}
	l.Top()
	if got := view(l); !strings.Contains(got, "row 20") {
		t.Errorf("not expanded:\n%s", got)
	}
	l.Toggle()
	if got := view(l); !strings.Contains(got, "more lines") {
		t.Errorf("not collapsed again:\n%s", got)
	}
}

// Whatever is done with the list, it draws as many lines as it is high, none
// wider than it, and the lines of a scrolled view are those of the whole.
func TestAlwaysDrawsAWindowOfTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := fold()
		items := rapid.IntRange(0, 30).Draw(t, "items")
		for i := range items {
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				c.Apply(ask(rapid.StringN(0, 200, -1).Draw(t, "ask")))
			case 1:
				c.Apply(say(rapid.StringN(0, 400, -1).Draw(t, "say") + "\n\n"))
			case 2:
				c.Apply(tool(fmt.Sprint(i), acpclient.ToolCompleted))
			default:
				c.Apply(tool(fmt.Sprint(i), acpclient.ToolCompleted, acpclient.TextContent("some\ntext\nof\nlines")))
			}
		}
		width, height := rapid.IntRange(12, 100).Draw(t, "width"), rapid.IntRange(1, 20).Draw(t, "height")
		whole := newList(c, width, 2000)
		whole.Top()
		all := view(whole)
		l := newList(c, width, height)
		for range rapid.IntRange(1, 8).Draw(t, "moves") {
			switch rapid.IntRange(0, 5).Draw(t, "move") {
			case 0:
				l.Scroll(rapid.IntRange(-50, 50).Draw(t, "by"))
			case 1:
				l.Top()
			case 2:
				l.Bottom()
			case 3:
				l.Page(rapid.SampledFrom([]int{-1, 1}).Draw(t, "page"))
			case 4:
				c.Apply(say("more\n\n"))
				whole.Top()
				all = view(whole)
			case 5:
				l.Focus(true)
				l.Select(rapid.IntRange(-3, 3).Draw(t, "select"))
				l.Focus(false)
			}
			lines := l.Lines()
			if len(lines) != height {
				t.Fatalf("%d lines, the view is %d high", len(lines), height)
			}
			for _, line := range lines {
				if w := ansi.StringWidth(line); w > width {
					t.Fatalf("a line of %d cells in a view of %d: %q", w, width, line)
				}
			}
			if got := strings.Trim(view(l), "\n"); !strings.Contains(all, got) {
				t.Fatalf("the view is no part of the whole:\n%s\n--\n%s", got, all)
			}
		}
	})
}

// longSession is a long session: turns with a question, an answer and a tool call
// each.
func longSession(turns int) *conversation.Conversation {
	c := fold()
	for i := range turns {
		c.Apply(ask(fmt.Sprintf("question %d", i)))
		c.Apply(say(fmt.Sprintf("## Answer %d\n\nSome **text** about `it`.\n\n- one\n- two\n", i)))
		c.Apply(tool(fmt.Sprint(i), acpclient.ToolCompleted, acpclient.TextContent("output")))
		c.Apply(conversation.TurnEnded{Reason: acpclient.StopEndTurn})
	}
	return c
}

// A frame of a session in which an answer streams must cost the same however
// long the session is. What streams is paragraphs of some words: one costs more the
// longer it is.
func BenchmarkFrame(b *testing.B) {
	const itemsOfTurn, wordsOfParagraph = 3, 100
	for _, items := range []int{100, 1000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("items=%d", items), func(b *testing.B) {
			c := longSession(items / itemsOfTurn)
			l := newList(c, 120, 34)
			l.Lines()
			c.Apply(ask("go on"))
			b.ReportAllocs()
			for i := 1; b.Loop(); i++ {
				text := "word "
				if i%wordsOfParagraph == 0 {
					text = "word.\n\n"
				}
				c.Apply(say(text))
				l.Lines()
			}
		})
	}
}

// Scrolling through a long session from its end.
func BenchmarkScroll(b *testing.B) {
	for _, turns := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprintf("turns=%d", turns), func(b *testing.B) {
			c := longSession(turns)
			l := newList(c, 120, 34)
			b.ReportAllocs()
			for b.Loop() {
				l.Scroll(-3)
				l.Lines()
				if l.top.node == c.Node(0) {
					l.Bottom()
				}
			}
		})
	}
}

// A new width draws what is in sight anew, and nothing else.
func BenchmarkResize(b *testing.B) {
	for _, turns := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprintf("turns=%d", turns), func(b *testing.B) {
			l := newList(longSession(turns), 120, 34)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				l.SetSize(100+i%20, 34)
				l.Lines()
			}
		})
	}
}
