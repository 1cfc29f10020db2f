package markdown

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// numbered is n lines made by the format from 1, 2, 3…
func numbered(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i+1)
	}
	return b.String()
}

// Giant code is cut into pieces that show nothing of it.
func TestGiantCodeGoesOn(t *testing.T) {
	const n = 1500
	for _, c := range []struct{ text, want string }{
		{"```text\n" + numbered(n, "line %d\n") + "```\nafter", "│ text\n" + numbered(n, "│ line %d\n") + "\nafter"},
		{"```\n" + numbered(n, "line %d\n\n\n") + "```\nafter", numbered(n, "│ line %d\n│\n│\n") + "\nafter"},
		{"```\n" + numbered(150, "line %d\n") + "```\n" + strings.Repeat("\n", 3000) + "after", numbered(150, "│ line %d\n") + "\nafter"},
	} {
		if got := plain(c.text, 60); got != c.want {
			t.Errorf("got %.300q… %q", got, got[max(len(got)-300, 0):])
		}
	}
}

// A giant block of any other kind begins as what it is and goes on as it was sent, without a line
// less. Behind it all is as ever.
func TestGiantBlocksLoseNothing(t *testing.T) {
	const n = 4000
	for name, c := range map[string]struct{ text, first string }{
		"a list":                      {numbered(n, "1. item %d\n"), "   1. item 1\n   2. item 2\n"},
		"a list below an item":        {"3. outer\n" + numbered(n, "   * item %d\n"), "3. outer\n   ◦ item 1\n"},
		"a loose list":                {numbered(n, "- item %d\n\n"), "• item 1\n\n• item 2\n"},
		"paragraphs in an item":       {"1. first\n\n" + numbered(n, "   para %d\n\n"), "1. first\n\n   para 1\n"},
		"a quote":                     {numbered(n, "> para %d\n>\n"), "│ para 1\n│\n│ para 2\n"},
		"a fence in a list":           {"7. code:\n   ```text\n" + numbered(n, "   line %d\n") + "   ```\n", "7. code:\n   │ text\n   │ line 1\n"},
		"a table":                     {"| a | b |\n|---|--:|\n" + numbered(n, "| x | %04d |\n"), "a      b\n────────\nx   0001\n"},
		"a comment":                   {"<!--\n" + numbered(n, "  - line %d\n") + "-->\n", "<!--\n  - line 1\n"},
		"indented code":               {numbered(n, "    line %d\n"), "│ line 1\n"},
		"a paragraph":                 {numbered(n, "word%d; ") + "\n", "word1; word2;"},
		"a paragraph in an item":      {"- " + numbered(n, "word%d; ") + "\n", "• word1; word2;"},
		"a paragraph without a break": {strings.ReplaceAll(numbered(n, "word%d; "), " ", "\u00a0") + "\n", "word1"},
	} {
		t.Run(name, func(t *testing.T) {
			got := plain(c.text+"\n# After\n\n- end", 60)
			if first := strings.TrimLeft(got, " "); !strings.HasPrefix(first, strings.TrimLeft(c.first, " ")) {
				t.Errorf("it begins with %.100q", got)
			}
			if !strings.HasSuffix(got, "\n\nAfter\n\n• end") {
				t.Errorf("it ends with %q", got[max(len(got)-100, 0):])
			}
			text, last := got, 0
			if strings.HasPrefix(name, "a paragraph") { // its lines end anywhere
				text = strings.Join(strings.FieldsFunc(got, unicode.IsSpace), "")
			}
			for _, m := range regexp.MustCompile(`(?:line|item|para|word|x)[ |]*([0-9]+)`).FindAllStringSubmatch(text, -1) {
				if k, _ := strconv.Atoi(m[1]); k == last+1 {
					last = k
				}
			}
			if last != n {
				t.Errorf("it is whole up to %d of %d", last, n)
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
				if size := b.end - b.start; size > maxBlock || b.cont.len() > maxCode {
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
