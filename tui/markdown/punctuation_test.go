package markdown

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"parley/tui/theme"
)

// No line begins with punctuation that belongs to the word before it.
func TestNoLineBeginsWithPunctuation(t *testing.T) {
	const text = "Press `alt+.`, or **ctrl**; then [a link](https://example.com), and *more*: `code`. Or (`this`), `that`;\n`these`, those.\n\n" +
		"- an item with `code`, and *emphasis*; a [link](https://example.com/a/path), too\n- long-word, and even-longer-word; end\n\n" +
		"| key | what |\n| --- | --- |\n| `a`, `b` | *this*, `that`; `those`, these |\n\n> A quote of `code`, *emphasis*; and **so** on.\n"
	for width := 24; width <= 100; width++ {
		streamed := New(theme.New(true))
		streamed.SetText(text)
		streamed.Finish()
		var lines []string
		for i := range streamed.Len() {
			lines = append(lines, streamed.Lines(i, width)...)
		}
		for kind, lines := range map[string][]string{"streamed": lines, "whole": Whole(text, width, theme.New(true))} {
			for i, line := range lines {
				words := strings.TrimLeft(ansi.Strip(line), " │•")
				if words != "" && strings.Contains(",;.", words[:1]) && (len(words) == 1 || words[1] == ' ') {
					t.Errorf("%s, %d columns: %q after %q", kind, width, words, ansi.Strip(lines[max(0, i-1)]))
				}
			}
		}
	}
}
