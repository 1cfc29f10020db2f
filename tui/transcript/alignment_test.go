package transcript

import (
	"strings"
	"testing"

	"parley/internal/termtext"
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
		{"a table row", "| a | b |\n|---|---|\n| c | d |", " a │ b\n───┼───\n‹ c │ d›", "| c | d |"},
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
