package transcript

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"parley/acpclient"
	"parley/internal/conversation"
)

// whereIs is where a text stands in the view.
func whereIs(t rapid.TB, l *List, text string) (x, y int) {
	t.Helper()
	for y, line := range l.Lines() {
		if before, _, ok := strings.Cut(ansi.Strip(line), text); ok {
			return ansi.StringWidth(before), y
		}
	}
	t.Fatalf("%q is not in sight:\n%s", text, view(l))
	return 0, 0
}

// drag marks from the beginning of one text in sight to the end of another.
func drag(t rapid.TB, l *List, from, to string) string {
	t.Helper()
	x, y := whereIs(t, l, from)
	l.StartSpan(x, y)
	x, y = whereIs(t, l, to)
	l.ExtendSpan(x+ansi.StringWidth(to)-1, y)
	return l.SpanText()
}

func textContent(text string) acpclient.ToolCallContent {
	return acpclient.ToolCallContent{
		Type: acpclient.ToolContentBlock, Content: &acpclient.ContentBlock{Type: acpclient.ContentText, Text: text},
	}
}

const mixed = `Some **bold** words that are long enough to be wrapped at such a width.

- one item
- another item

` + "```go\nfunc f() {\n\treturn // nothing\n}\n```" + `

The [end](https://example.com) of it, with 日本語の文章 in it.`

func TestTakes(t *testing.T) {
	old := "package a\n\nfunc f() {\n\treturn\n}\n"
	edit := acpclient.DiffContent("/project/a.go", &old, "package a\n\nfunc f() {\n\tif x {\n\t\treturn\n\t}\n}\n")
	long := "a line of a prompt that goes on and on until it has to be broken\n    and one that is indented"
	for _, c := range []struct {
		name     string
		events   []conversation.Event
		from, to string
		want     string
	}{
		{"words across a wrap", []conversation.Event{say(mixed)}, "words that", "wrapped", "words that are long enough to be wrapped"},
		{"emphasis", []conversation.Event{say(mixed)}, "Some", "bold", "Some bold"},
		{"a list", []conversation.Event{say(mixed)}, "one item", "another", "one item\n• another"},
		{"code", []conversation.Event{say(mixed)}, "func f", "nothing", "func f() {\n\treturn // nothing"},
		{"the end of a block to the beginning of another", []conversation.Event{say(mixed)}, "such", "one", "such a width.\n\n• one"},
		{"a list, code and text", []conversation.Event{say(mixed)}, "another", "of it", "another item\n\nfunc f() {\n\treturn // nothing\n}\n\nThe end (https://example.com) of it"},
		{"wide characters", []conversation.Event{say(mixed)}, "日本", "の文", "日本語の文"},
		{
			"a whole message, below its end",
			[]conversation.Event{say(mixed), ask("End")},
			"Some", "End",
			"Some bold words that are long enough to be wrapped at such a width.\n\n• one item\n• another item\n\nfunc f() {\n\treturn // nothing\n}\n\nThe end (https://example.com) of it, with 日本語の文章 in it.\n\nEnd",
		},
		{"nothing but code", []conversation.Event{say("```go\nx := 1\n```"), ask("End")}, "│ go", "End", "x := 1\n\nEnd"},
		{"a table", []conversation.Event{say("| a | b |\n|---|---|\n| one | two |\n\n---\n\n> quoted"), ask("End")}, "a", "End", "a     b\none   two\n\n\nquoted\n\nEnd"},
		{"a call with its output", []conversation.Event{ask("go"), tool("t", acpclient.ToolCompleted, textContent("```\none\n\ttwo\n```")), ask("End")}, "go", "End", "go\n\nTool t\none\n\ttwo\n\nEnd"},
		{"a call with a diff", []conversation.Event{ask("go"), tool("t", acpclient.ToolCompleted, edit), ask("End")}, "go", "End", "go\n\nTool t a.go +3 −1\npackage a\n\nfunc f() {\n\treturn\n\tif x {\n\t\treturn\n\t}\n}\n\nEnd"},
		{"a prompt", []conversation.Event{ask(long)}, "line of", "and one", "line of a prompt that goes on and on until it has to be broken\n    and one"},
		{"a diff", []conversation.Event{tool("t", acpclient.ToolCompleted, edit)}, "func f", "if x", "func f() {\n\treturn\n\tif x"},
		{
			"output",
			[]conversation.Event{tool("t", acpclient.ToolCompleted, textContent("```\none two\n\n\tthree\tfour\n```"))},
			"two", "four", "two\n\n\tthree\tfour",
		},
		{
			"a change with an empty line",
			[]conversation.Event{tool("t", acpclient.ToolCompleted, edit)},
			"package", "func", "package a\n\nfunc",
		},
		{
			"several items",
			[]conversation.Event{ask("a **prompt**"), say("An answer.\n\nOf **two** parts.")},
			"prompt", "two", "prompt**\n\nAn answer.\n\nOf two",
		},
		{
			"calls that stand close together",
			[]conversation.Event{tool("a", acpclient.ToolCompleted), tool("b", acpclient.ToolCompleted), tool("c", acpclient.ToolCompleted)},
			"Tool a", "Tool c", "Tool a\nTool b\nTool c",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newList(fold(c.events...), 40, 40)
			if got := drag(t, l, c.from, c.to); got != c.want {
				t.Errorf("got  %q\nwant %q\nof\n%s", got, c.want, view(l))
			}
		})
	}
}

// What a program printed is taken as long as its lines were.
func TestTakesOutputOfTerminals(t *testing.T) {
	line := strings.Repeat("0123456789 ", 12)
	c := fold(conversation.Update{Update: &acpclient.ToolCall{
		ToolCallID: "x", Title: "Run", Kind: acpclient.ToolExecute, Status: acpclient.ToolCompleted,
		Content: []acpclient.ToolCallContent{{Type: acpclient.ToolContentTerminal, TerminalID: "1"}},
	}}, conversation.TerminalCreated{ID: "1", Command: "make  it"}, conversation.TerminalOutput{ID: "1", Data: []byte("first\r\n\x1b[31m" + line + "\x1b[0m\r\nlast\r\n")})
	for _, expanded := range []bool{false, true} {
		l := newList(c, 60, 30)
		if expanded {
			l.expanded[l.conv.Node(0)] = true
		}
		if got, want := drag(t, l, "make", "last"), "make  it\nfirst\n"+strings.TrimSpace(line)+"\nlast"; got != want {
			t.Errorf("expanded %v: %q, want %q\n%s", expanded, got, want, view(l))
		}
		if got, want := drag(t, l, "23456789", "last"), strings.TrimSpace(line)[2:]+"\nlast"; got != want {
			t.Errorf("expanded %v: %q, want %q\n%s", expanded, got, want, view(l))
		}
	}
}

// A long output that is expanded is taken across the sections that it is drawn in.
func TestTakesLongOutput(t *testing.T) {
	var lines []string
	for i := range 300 {
		lines = append(lines, fmt.Sprintf("line %03d of the output", i))
	}
	l := newList(fold(tool("t", acpclient.ToolCompleted, textContent("```\n"+strings.Join(lines, "\n")+"\n```"))), 60, 400)
	l.expanded[l.conv.Node(0)] = true
	if got, want := drag(t, l, "of the output", "line 200"), "of the output\n"+strings.Join(lines[1:200], "\n")+"\nline 200"; got != want {
		t.Errorf("got %q", got)
	}
}

func TestMarksByKeys(t *testing.T) {
	l := newList(fold(ask("one"), say("Two **2**."), say("")), 40, 20)
	l.conv.Apply(ask("three\nthree and a half\nnearly four"))
	l.Focus(true)
	l.Select(-1)
	l.SpanItem()
	if got := l.SpanText(); got != "Two **2**." {
		t.Errorf("the item: %q", got)
	}
	l.MoveSpanItems(-1)
	if got := l.SpanText(); got != "one\n\nTwo **2**." {
		t.Errorf("and the one above: %q", got)
	}
	l.MoveSpanItems(1)
	l.MoveSpanItems(1)
	if got := l.SpanText(); got != "Two **2**.\n\nthree\nthree and a half\nnearly four" {
		t.Errorf("and the one below: %q", got)
	}
	l.MoveSpan(-1)
	if got := l.SpanText(); got != "Two **2**.\n\nthree\nthree and a half" {
		t.Errorf("without the last line: %q", got)
	}
	l.SpanItem() // the other end
	l.MoveSpan(2)
	if got := l.SpanText(); got != "three\nthree and a half" {
		t.Errorf("without the first item: %q", got)
	}
	l.ClearSpan()
	if l.Spanning() || l.SpanText() != "" {
		t.Error("something is still marked")
	}
}

func TestMarksWordsAndLines(t *testing.T) {
	l := newList(fold(say("See ./cmd/main.go:12, and (**there**).")), 80, 10)
	for _, c := range []struct{ at, want string }{
		{"main", "./cmd/main.go:12"}, {"here)", "there"}, {"and", "and"}, {"ee .", "See"},
	} {
		x, y := whereIs(t, l, c.at)
		l.SpanWord(x, y)
		if got := l.SpanText(); got != c.want {
			t.Errorf("at %q: %q, want %q", c.at, got, c.want)
		}
	}
	_, y := whereIs(t, l, "main")
	l.SpanLine(y)
	if got, want := l.SpanText(), "See ./cmd/main.go:12, and (there)."; got != want {
		t.Errorf("the line: %q", got)
	}
}

func TestWhatIsMarkedIsDrawnSo(t *testing.T) {
	l := newList(fold(say("One two three.")), 40, 4)
	drag(t, l, "two", "two")
	if drawn := strings.Join(l.Lines(), "\n"); strings.Count(drawn, l.theme.Span.Render("two")) != 1 {
		t.Errorf("drawn: %q", drawn)
	}
	l.SetSize(30, 4)
	if l.Spanning() {
		t.Error("it stays marked in lines of another width")
	}
}

// Of plain words, whatever is marked at whatever width, what is taken is what
// stands between.
func TestTakesBetweenAnyPlaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var texts []string
		for i := range rapid.IntRange(1, 60).Draw(t, "words") {
			texts = append(texts, fmt.Sprintf("w%d%s", i, strings.Repeat("x", rapid.IntRange(0, 30).Draw(t, "length"))))
		}
		text := strings.Join(texts, " ")
		events := []conversation.Event{say(text)}
		if rapid.Bool().Draw(t, "prompt") {
			events = []conversation.Event{ask(text)}
		}
		l := newList(fold(events...), rapid.IntRange(16, 100).Draw(t, "width"), 200)
		l.expanded[l.conv.Node(0)] = true // what is folded says so, and that stands nowhere in the text
		x0, y0 := rapid.IntRange(2, 30).Draw(t, "x0"), rapid.IntRange(0, 8).Draw(t, "y0")
		x1, y1 := rapid.IntRange(2, 30).Draw(t, "x1"), rapid.IntRange(0, 8).Draw(t, "y1")
		l.Lines()
		l.StartSpan(x0, y0)
		l.ExtendSpan(x1, y1)
		got := l.SpanText()
		if !strings.Contains(text, strings.Trim(got, " ")) {
			t.Fatalf("%q is no piece of %q", got, text)
		}
	})
}

// markdownText is Markdown with words that are drawn as they are written.
func markdownText(t *rapid.T, kinds int) string {
	word := rapid.SampledFrom([]string{
		"word", "a", "42", "long-hyphened-word", "path/to/file.go", "**bold**", "*slant*", "`code span`", "größer", "e\u0301te\u0301",
		"x_y_z", "***both***", "\\*plain\\*", "don't", "(brackets)", "1.5%",
	})
	line := func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(word, 1, 25).Draw(t, "words"), " ")
	}
	block := func(t *rapid.T) string {
		text := line(t)
		switch rapid.IntRange(1, kinds).Draw(t, "kind") {
		case 1:
			return "# " + text
		case 2:
			return "- " + text + "\n- " + line(t) + "\n  - " + line(t)
		case 3:
			return "1. " + text + "\n2. " + line(t)
		case 4:
			return "> " + text + "\n> " + line(t)
		case 5:
			return text + "\n" + line(t)
		case 6:
			return "```\n" + text + "\n\n\t" + line(t) + "\n```"
		}
		return text
	}
	var blocks []string
	for range rapid.IntRange(1, 4).Draw(t, "blocks") {
		blocks = append(blocks, block(t))
	}
	return strings.Join(blocks, "\n\n")
}

// What is copied of a part of a text does not depend on where its lines were broken.
func TestCopiesTheSameAtAnyWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		page, kinds := rapid.Bool().Draw(t, "page"), 7
		if page {
			kinds = 5 // Glamour breaks code
		}
		c := fold(say("First.\n\n" + markdownText(t, kinds) + "\n\nLast."))
		if !page && rapid.Bool().Draw(t, "output") {
			c = fold(tool("t", acpclient.ToolCompleted, textContent("```\nFirst.\n"+markdownText(t, 5)+"\nLast.\n```")))
		}
		copied := func(width int) string {
			l := newList(c, width, 1000)
			if page {
				l = l.PageOf(c.Items[0], nil)
				l.SetSize(width, 1000)
			}
			l.expanded[l.conv.Node(0)] = true
			return drag(t, l, "irst.", "Last")
		}
		if got, want := copied(rapid.IntRange(40, 100).Draw(t, "width")), copied(118); got != want {
			t.Fatalf("%q, want %q", got, want)
		}
	})
}
