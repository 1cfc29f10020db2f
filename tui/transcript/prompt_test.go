package transcript

import (
	"fmt"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/theme"
)

// A long prompt is folded, and opens.
func TestLongPrompts(t *testing.T) {
	var lines []string
	for i := 1; i <= 500; i++ {
		lines = append(lines, fmt.Sprintf("pasted line %d", i))
	}
	l := newList(fold(ask("Look at this:\n"+strings.Join(lines, "\n")), say("I see.")), 80, 40)
	if got := view(l); !strings.Contains(got, "pasted line 7\n  … 493 more lines\n\n● I see.") {
		t.Errorf("folded:\n%s", got)
	}
	l.expanded[l.conv.Node(0)] = true
	l.SetSize(80, 600)
	if got := view(l); strings.Contains(got, "…") || !strings.Contains(got, "pasted line 8\n  pasted line 9\n") || !strings.Contains(got, "pasted line 500\n\n● I see.") {
		t.Errorf("expanded:\n%.800s", got)
	}
	if got := drawn([]conversation.Event{ask(strings.Join(lines[:promptMost], "\n"))}, false); strings.Contains(got, "…") {
		t.Errorf("a prompt that is not long is folded:\n%s", got)
	}
	if got := drawn([]conversation.Event{ask(strings.Repeat("word ", 20_000))}, false); strings.Count(got, "\n") != promptPeek || !strings.Contains(got, "more lines") {
		t.Errorf("one long line:\n%.900s", got)
	}
}

func TestAttachmentsAreCalledByTheirPaths(t *testing.T) {
	sent := conversation.PromptSent{Prompt: []acpclient.ContentBlock{
		acpclient.TextBlock("look"), acpclient.TextResourceBlock("file:///project/src/a%20b.go", "text/x-go", "x"),
		acpclient.ResourceLinkBlock("docs/ü.md", "file:///project/docs/%C3%BC.md"),
	}}
	want := "❯ look\n  ▣ file src/a b.go  text/x-go, 1 B\n  ▣ file docs/ü.md"
	if got := drawn([]conversation.Event{sent}, false); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestPromptsHaveABarWithoutGrounds: with 16 colours no ground sets a prompt off.
func TestPromptsHaveABarWithoutGrounds(t *testing.T) {
	l := New(theme.NewFor(true, theme.Colors16), fold(ask("one\n\ntwo")))
	l.SetSize(20, 3)
	if got, want := ansi.Strip(strings.Join(l.Lines(), "\n")), "┃ one\n┃ \n┃ two"; got != want {
		t.Errorf("a prompt is drawn as\n%s", got)
	}
}

// Where a prompt has a ground, it covers each of its lines to the last column.
func TestTheGroundOfAPromptIsABlock(t *testing.T) {
	sent := conversation.PromptSent{Prompt: []acpclient.ContentBlock{
		acpclient.TextBlock("One line.\n\nA paragraph that is wrapped at any of these widths, because it has so many words that it does not fit into one hundred and twenty columns.\n\n  日本語のテキストはとても幅が広いので折り返されますし、もっと長く続けることもできます。\n👩‍💻 ✈️ e\u0301\tafter a tab"),
		acpclient.ResourceLinkBlock("docs/a-file-with-a-long-name.md", "file:///project/docs/a.md"),
	}}
	shown := 0
	for _, th := range []*theme.Theme{theme.New(true), theme.New(false), theme.NewFor(true, theme.Colors256), theme.NewFor(false, theme.Colors256)} {
		for _, width := range []int{20, 60, 80, 120} {
			l := New(th, fold(sent))
			l.SetSize(width, 40)
			for _, line := range l.Lines() {
				if line == "" {
					continue
				}
				shown++
				if got := cellsOnGround(line); got != width {
					t.Errorf("%d of %d cells have the ground: %q", got, width, line)
				}
			}
		}
	}
	if shown < 4*4*8 {
		t.Errorf("only %d lines were drawn", shown)
	}
}

// cellsOnGround counts the cells of a line that have a background.
func cellsOnGround(line string) (cells int) {
	var style uv.Style
	parser := ansi.NewParser()
	for line != "" {
		n, width := termtext.NextCluster(line)
		if strings.HasPrefix(line[:n], "\x1b[") {
			ansi.DecodeSequence(line[:n], ansi.NormalState, parser)
			uv.ReadStyle(parser.Params(), &style)
		} else if style.Bg != nil {
			cells += width
		}
		line = line[n:]
	}
	return cells
}
