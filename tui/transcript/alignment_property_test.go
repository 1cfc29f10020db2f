package transcript

import (
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"parley/internal/termtext"
	"parley/tui/markdown"
	"parley/tui/theme"
)

// markdownText is Markdown of which no letter and no digit goes undrawn.
func markdownText(t *rapid.T) string {
	word := rapid.SampledFrom([]string{
		"word", "a", "42", "long-hyphened-word", "path/to/file.go", "**bold**", "*slant*", "`code span`", "日本語", "größer", "e\u0301te\u0301",
		"👩‍💻", "x_y_z", "***both***", "\\*plain\\*", "don't", "(brackets)", "1.5%",
	})
	line := func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(word, 1, 25).Draw(t, "words"), " ")
	}
	block := func(t *rapid.T) string {
		text := line(t)
		switch rapid.IntRange(0, 6).Draw(t, "kind") {
		case 0:
			return "# " + text
		case 1:
			return "- " + text + "\n- " + line(t) + "\n  - " + line(t)
		case 2:
			return "1. " + text + "\n2. " + line(t)
		case 3:
			return "> " + text + "\n> " + line(t)
		case 4:
			return "```\n" + text + "\n\n    " + line(t) + "\n```"
		case 5:
			return text + "\n" + line(t)
		}
		return text
	}
	var blocks []string
	for range rapid.IntRange(1, 4).Draw(t, "blocks") {
		blocks = append(blocks, block(t))
	}
	return strings.Join(blocks, "\n\n")
}

// words are the letters of a text. Digits are left out: lists are numbered anew.
func words(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return r
		}
		return -1
	}, text)
}

// Whatever is marked of drawn Markdown: what is taken is a piece of the text, and
// has the letters that are marked, no more and no less.
func TestMarkdownIsTakenAsItWasSent(t *testing.T) {
	th := theme.New(true)
	rapid.Check(t, func(t *rapid.T) {
		doc := markdown.New(th)
		doc.SetText(markdownText(t))
		doc.Finish()
		block, width := rapid.IntRange(0, doc.Len()-1).Draw(t, "block"), rapid.IntRange(10, 120).Draw(t, "width")
		text, lines := doc.Source(block), doc.Lines(block, width)
		pick := func(name string) caret {
			line := rapid.IntRange(0, len(lines)-1).Draw(t, name+" line")
			return caret{line: line, cell: rapid.IntRange(0, termtext.Width(lines[line])).Draw(t, name+" cell")}
		}
		from, to := pick("from"), pick("to")
		if to.line < from.line || to.line == from.line && to.cell < from.cell {
			from, to = to, from
		}
		var marked strings.Builder
		for i := from.line; i <= to.line; i++ {
			left, right := 0, -1
			if i == from.line {
				left = from.cell
			}
			if i == to.line {
				right = to.cell
			}
			marked.WriteString(cellText(ansi.Strip(lines[i]), left, right))
		}
		got := newAlignment(text, lines, 0).cut(&from, &to)
		if words(marked.String()) == "" {
			return // marks of lists and the like alone
		}
		if !strings.Contains(text, got) {
			t.Fatalf("%q is no piece of %q", got, text)
		}
		if words(got) != words(marked.String()) {
			t.Fatalf("%q was marked, and %q taken of\n%s\ndrawn\n%s", marked.String(), got, text, ansi.Strip(strings.Join(lines, "\n")))
		}
	})
}

// The sources of all blocks are the text, however it came.
func TestSourcesOfMarkdown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := markdownText(t)
		doc := markdown.New(theme.New(true))
		for rest := text; rest != ""; {
			n := min(len(rest), rapid.IntRange(1, 200).Draw(t, "chunk"))
			rest = rest[n:]
			fed := text[:len(text)-len(rest)]
			doc.SetText(fed)
			all := ""
			for i := range doc.Len() {
				all += doc.Source(i)
			}
			if all != fed {
				t.Fatalf("%q, of %q", all, fed)
			}
		}
	})
}

// Comparing stays bounded however little the lines have to do with the text.
func BenchmarkCut(b *testing.B) {
	text := strings.Repeat("some words and others of a text ", 130)
	for name, lines := range map[string][]string{
		"the same":  strings.SplitAfter(text, "words"),
		"different": strings.SplitAfter(strings.Repeat("nothing of the kind stands there ", 130), "kind"),
	} {
		b.Run(name, func(b *testing.B) {
			to := caret{line: len(lines)}
			for b.Loop() {
				newAlignment(text, lines, 0).cut(&caret{}, &to)
			}
		})
	}
}
