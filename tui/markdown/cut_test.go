package markdown

import (
	"fmt"
	"strings"
	"testing"
)

// numbered is n lines made by the format from 1, 2, 3…
func numbered(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i+1)
	}
	return b.String()
}

func TestGiantBlocksGoOn(t *testing.T) {
	const n = 1500
	for _, c := range []struct{ name, text, want string }{
		{
			"a fence",
			"```text\n" + numbered(n, "line %d\n") + "```\nafter",
			"│ text\n" + numbered(n, "│ line %d\n") + "\nafter",
		},
		{
			"a fence with blank lines",
			"```\n" + numbered(n, "line %d\n\n\n") + "```\nafter",
			numbered(n, "│ line %d\n│\n│\n") + "\nafter",
		},
		{
			"a fence in a list in a quote",
			"> 7. code:\n>    ```text\n" + numbered(n, ">    line %d\n") + ">    ```\n> 8. next",
			"│ 7. code:\n│    │ text\n" + numbered(n, "│    │ line %d\n") + "│ 8. next",
		},
		{
			"a list of one number",
			numbered(n, "1. item %d\n"),
			strings.TrimSuffix(numberedTwice(n, "%d. item %d\n"), "\n"),
		},
		{
			"a list below an item",
			"3. outer\n" + numbered(n, "   * item %d\n") + "4. next",
			"3. outer\n" + numbered(n, "   ◦ item %d\n") + "4. next",
		},
		{
			"a loose list",
			numbered(n, "- item %d\n\n"),
			strings.TrimSuffix(numbered(n, "• item %d\n\n"), "\n\n"),
		},
		{
			"paragraphs in an item",
			"1. first\n\n" + numbered(n, "   para %d\n\n") + "2. second",
			"1. first\n\n" + numbered(n, "   para %d\n\n") + "2. second",
		},
		{
			"a quote",
			numbered(n, "> para %d\n>\n"),
			strings.TrimSuffix(numbered(n, "│ para %d\n│\n"), "\n│\n"),
		},
		{
			"a table",
			"| a | b |\n|---|--:|\n" + numbered(n, "| x | %04d |\n") + "\nafter",
			"a      b\n────────\n" + numbered(n, "x   %04d\n") + "\nafter",
		},
		{
			"a table behind a paragraph",
			"text\n| a | b |\n|---|--:|\n" + numbered(n, "| x | %04d |\n"),
			"text\n\na      b\n────────\n" + strings.TrimSuffix(numbered(n, "x   %04d\n"), "\n"),
		},
		{
			"a comment",
			"<!--\n" + numbered(n, "  - line %d\n") + "-->\n\nafter",
			"<!--\n" + numbered(n, "  - line %d\n") + "-->\n\nafter",
		},
		{
			"indented code",
			numbered(n, "    line %d\n") + "\nafter",
			numbered(n, "│ line %d\n") + "\nafter",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := trimNumbers(plain(c.text, 60))
			want := trimNumbers(c.want)
			if got == want {
				return
			}
			g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
			for i := range min(len(g), len(w)) {
				if g[i] != w[i] {
					t.Fatalf("line %d of %d (want %d) is %q, want %q\nbefore: %q\nafter: %q",
						i, len(g), len(w), g[i], w[i], g[max(i-3, 0):i], g[i+1:min(i+3, len(g))])
				}
			}
			t.Fatalf("%d lines, want %d; the last: %q", len(g), len(w), g[len(g)-1])
		})
	}
}

func numberedTwice(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i+1, i+1)
	}
	return b.String()
}

// trimNumbers takes the blanks away that set the numbers of one piece of a list
// below each other.
func trimNumbers(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if t := strings.TrimLeft(l, " "); t != "" && t[0] >= '0' && t[0] <= '9' {
			lines[i] = t
		}
	}
	return strings.Join(lines, "\n")
}

func TestGiantParagraphLosesNoWord(t *testing.T) {
	for _, c := range []struct{ name, mark, first, rest string }{
		{"plain", "", "", ""},
		{"in a quote", "> ", "│ ", "│ "},
		{"in an item", "- ", "• ", "  "},
		{"in items in a quote", "> 1. - ", "│ 1. ◦ ", "│      "},
		{"a heading", "# ", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			words := numbered(3000, "word%d - # > 1. ")
			var got strings.Builder
			margin := c.first
			for line := range strings.SplitSeq(plain(c.mark+words, 60), "\n") {
				rest, ok := strings.CutPrefix(line, margin)
				if !ok {
					t.Fatalf("%q does not begin with %q", line, margin)
				}
				got.WriteString(rest + " ")
				margin = c.rest
			}
			if got.String() != words {
				t.Errorf("got %.500q…", got.String())
			}
		})
	}
}

func TestGiantLineOfCodeIsWhole(t *testing.T) {
	text := numbered(4000, "item%d;")
	got := plain("```\n"+text+"\n```", 50)
	var b strings.Builder
	for i, line := range strings.Split(got, "\n") {
		want := "¦ "
		if i == 0 {
			want = "│ "
		}
		rest, ok := strings.CutPrefix(line, want)
		if !ok {
			t.Fatalf("row %d is %q, want it to begin with %q", i, line, want)
		}
		b.WriteString(rest)
	}
	if b.String() != text {
		t.Error("the code is not whole")
	}
}

func TestBlocksAreBounded(t *testing.T) {
	for _, s := range shapes {
		t.Run(s.name, func(t *testing.T) {
			d := document(s.text(64 << 10))
			d.Len()
			for i, b := range d.blocks {
				if size := b.end - b.start; size > maxBlock || b.cont.len() > maxBlock {
					t.Fatalf("block %d has %d bytes and a prefix of %d", i, size, b.cont.len())
				}
			}
			if n := len(d.blocks); n > 0 && d.blocks[n-1].end != len(d.text) {
				t.Errorf("the last block ends at %d of %d", d.blocks[n-1].end, len(d.text))
			}
			for i := 1; i < len(d.blocks); i++ {
				if between := d.text[d.blocks[i-1].end:d.blocks[i].start]; strings.TrimSpace(string(between)) != "" {
					t.Fatalf("%q is in no block", between)
				}
			}
		})
	}
}
