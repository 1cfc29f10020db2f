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

// cut takes what is between two marks, ‹ and ›, in drawn lines. A line that begins
// with ‹ is taken from its beginning on.
func cut(t *testing.T, text, drawn string) string {
	t.Helper()
	var from, to *caret
	lines := strings.Split(drawn, "\n")
	for i := range lines {
		if at := strings.Index(lines[i], "‹"); at >= 0 {
			from = &caret{line: i, cell: termtext.Width(lines[i][:at])}
			lines[i] = strings.Replace(lines[i], "‹", "", 1)
		}
		if at := strings.Index(lines[i], "›"); at >= 0 {
			to = &caret{line: i, cell: termtext.Width(lines[i][:at])}
			lines[i] = strings.Replace(lines[i], "›", "", 1)
		}
	}
	return newAlignment(text, lines, 0).cut(from, to)
}

func TestCut(t *testing.T) {
	for _, c := range []struct{ name, text, drawn, want string }{
		{"a word", "one two three", "one ‹two› three", "two"},
		{"across a soft wrap", "one two three four", "one ‹two\nthree› four", "two three"},
		{"across a break inside a word", "abcdefgh", "ab‹cd\nef›gh", "cdef"},
		{"a newline of the text", "one\ntwo\n\nthree", "one ‹\ntwo\n\nth›ree", "two\n\nth"},
		{"emphasis around a word", "a **bold** word", "a ‹bold› word", "**bold**"},
		{"half a word has no emphasis", "a **bold** word", "a b‹ol›d word", "ol"},
		{"emphasis inside", "some **bold** and `code`, all", "‹some bold and code›, all", "some **bold** and `code`"},
		{"a link", "see [the page](https://example.com/x) now", "see ‹the page› now", "[the page](https://example.com/x)"},
		{"what follows a link has none of it", "see [the page](https://example.com/x) now", "see the page ‹now›", "now"},
		{"a heading from its first letter", "# Title\n\nText", "‹Title›\n\nText", "Title"},
		{"a list item from its mark on", "- one\n- two", "• one\n‹• two›", "- two"},
		{"list items with a wrap", "- one two\n- three", "‹• one\n  two\n• th›ree", "- one two\n- th"},
		{"the indentation of code", "if x {\n\treturn 1\n}", "│ if x {\n‹│     return 1\n│ }›", "\treturn 1\n}"},
		{"code from its first letter", "if x {\n    return 1\n}", "│ if x {\n│     ‹return› 1\n│ }", "return"},
		{"some of the indentation", "        deep", "    ‹    deep›", "    deep"},
		{"a fence is no code", "```go\nx := 1\n```\n", "‹│ x := 1›", "x := 1"},
		{"code and what follows", "```go\nx := 1\ny\n```\n", "‹│ x := 1\n│ y", "```go\nx := 1\ny\n```\n"},
		{"what is above, and code", "text\n", "‹text›", "text"},
		{"wide characters", "日本語の文章です", "日‹本語\nの›文章です", "本語の"},
		{"emoji and flags", "a 👩‍💻 b 🇩🇪 c", "a ‹👩‍💻 b 🇩🇪› c", "👩‍💻 b 🇩🇪"},
		{"combining marks", "cafe\u0301 au lait", "‹cafe\u0301› au lait", "cafe\u0301"},
		{"an entity", "a &amp; b", "‹a & b›", "a &amp; b"},
		{"a table row", "| a | b |\n|---|---|\n| c | d |", " a   b\n───────\n‹ c   d›", "| c | d |"},
		{"a quote", "> one\n> two", "‹│ one\n│ two›", "> one\n> two"},
		{"what is drawn and stands nowhere is given as drawn", "one two", "‹seen: one›", "seen: one"},
		{"wrapped lines are joined even then", "one two three", "‹seen: one\ntwo› three", "seen: one two"},
		{"cells that were mixed are given as drawn", "ab xy", "‹a x\nb y›", "a x\nb y"},
		{"the beginning of a long text", "one two " + strings.Repeat("hidden ", 5000), "one ‹two\n› … more", "two"},
		{"nothing", "one", "one ‹ ›", ""},
		{"no text at all", "", "‹drawn›", "drawn"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := cut(t, c.text, c.drawn); got != c.want {
				t.Errorf("of %q: %q, want %q", c.drawn, got, c.want)
			}
		})
	}
}

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
