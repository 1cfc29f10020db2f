package markdown

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"parley/internal/termtext"
	"parley/internal/test"
	"parley/tui/theme"
)

// blocks put text into blocks of every kind.
var blocks = map[string]func(string) string{
	"paragraph":     func(s string) string { return s },
	"heading":       func(s string) string { return "## " + s },
	"list":          func(s string) string { return "- one\n  1. " + s },
	"quote":         func(s string) string { return "> > " + s },
	"strong":        func(s string) string { return "a **" + s + "** b" },
	"code":          func(s string) string { return "```\n" + s + "\n```" },
	"coloured code": func(s string) string { return "```go\n// " + s + "\n```" },
	"inline code":   func(s string) string { return "`` " + s + " ``" },
	"table":         func(s string) string { return "| a | " + s + " |\n|---|---|\n| " + s + " | b |" },
	"wide table":    func(s string) string { return "|a|b|c|d|e|f|\n|-|-|-|-|-|-|\n|1|2|" + s + "|4|5|6|" },
}

// Every character of a text stands on the screen, whatever block it is in.
func TestEveryCharacterReachesTheScreen(t *testing.T) {
	names := slices.Sorted(maps.Keys(blocks))
	for _, on := range test.TerminalSettings() {
		t.Run(on.String(), func(t *testing.T) {
			test.UseWidthMethod(t, on.Method)
			rapid.Check(t, func(t *rapid.T) {
				name := rapid.SampledFrom(names).Draw(t, "block")
				text := test.HardText(20).Draw(t, "text")
				source := text
				if !strings.Contains(name, "code") {
					source = strings.NewReplacer("~", "\\~", "*", "\\*").Replace(text)
				}
				width := rapid.IntRange(minWidth, 200).Draw(t, "width")
				screen := test.ShowOnTerminal(on.Kind, draw(document(blocks[name](source)), width), width)
				if lost := test.MissingText(screen, text); lost != "" {
					t.Fatalf("the screen lacks %+q\n%s", lost, screen)
				}
			})
		})
	}
}

// A line of six people at their computers, in a terminal that draws each in four
// columns.
func TestLineOfEmojiHasAnEnd(t *testing.T) {
	lines := draw(document(strings.Repeat("👨‍💻 ", 6)+"end of the line"), 30)
	if screen := test.ShowOnTerminal(test.Wcwidth, lines, 30); !strings.Contains(screen, "end of the line") {
		t.Errorf("the screen shows\n%s", screen)
	}
}

// When it turns out how the terminal measures text, documents are drawn anew.
func TestLinesFollowTheMethod(t *testing.T) {
	test.UseWidthMethod(t, termtext.Safe)
	d := New(theme.New(true))
	add(d, "| a | b |\n|---|---|\n"+strings.Repeat("| 👍🏽 | 👍🏽👍🏽 |\n", 1000))
	d.Finish()
	last := d.Len() - 1 // a piece of the table that has its columns from the first
	if last < 1 {
		t.Fatal("the table is one block")
	}
	if got, want := ansi.Strip(d.Lines(last, 40)[0]), "👍🏽 │ 👍🏽👍🏽"; got != want {
		t.Errorf("with four cells for each thumb: %q, want %q", got, want)
	}
	if w := termtext.Width(d.Lines(last, 40)[0]); w != 4+3+8 {
		t.Errorf("the line takes %d cells", w)
	}
	termtext.UseMethod(termtext.Graphemes)
	if w := termtext.Width(d.Lines(last, 40)[0]); w != 2+3+4 {
		t.Errorf("with two cells for each thumb, the line takes %d", w)
	}
	d.Lines(0, 40)
	if head := ansi.Strip(d.Lines(0, 40)[1]); head != "───┼─────" {
		t.Errorf("the rule of the table is %q", head)
	}
}

// The same holds for documents that are drawn whole.
func TestEveryCharacterOfAWholeDocumentReachesTheScreen(t *testing.T) {
	th := theme.New(true)
	for _, on := range test.TerminalSettings() {
		t.Run(on.String(), func(t *testing.T) {
			test.UseWidthMethod(t, on.Method)
			rapid.Check(t, func(t *rapid.T) {
				text := test.HardText(20).Draw(t, "text")
				source := strings.NewReplacer("~", "\\~", "*", "\\*").Replace(text)
				width := rapid.IntRange(minWidth, 200).Draw(t, "width")
				screen := test.ShowOnTerminal(on.Kind, Whole(source, width, th), width)
				if lost := test.MissingText(screen, text); lost != "" {
					t.Fatalf("the screen lacks %+q\n%s", lost, screen)
				}
			})
		})
	}
}
