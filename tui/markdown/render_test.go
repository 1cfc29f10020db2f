package markdown

import (
	"strings"
	"testing"

	"parley/internal/termtext"
	"parley/internal/test"

	"github.com/charmbracelet/x/ansi"
)

func TestLooks(t *testing.T) {
	test.UseWidthMethod(t, termtext.Graphemes)
	for _, c := range []struct {
		name  string
		width int
		text  string
		want  []string
	}{
		{"lines of a paragraph are joined", 40, "one\ntwo", []string{"one two"}},
		{"hard breaks are kept", 40, "one  \ntwo\\\nthree<br/>four", []string{"one", "two", "three", "four"}},
		{"blocks are set apart", 40, "one\n\ntwo\n\n\n\nthree", []string{"one", "", "two", "", "three"}},
		{"words wrap", 12, "one two three four", []string{"one two", "three four"}},
		{"a long word is cut", 10, "a abcdefghijklmnopq z", []string{"a", "abcdefghij", "klmnopq z"}},
		{"emphasis does not break a word", 10, "aaa **bbbb**cccc", []string{"aaa", "bbbbcccc"}},
		{"wide characters wrap anywhere", 10, "日本語日本語 x", []string{"日本語日本", "語 x"}},
		{"but punctuation does not begin a line", 10, "日本語日本。語", []string{"日本語日", "本。語"}},
		{"emoji are whole", 10, "aaaa 👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", []string{"aaaa 👩‍👩‍👧👩‍👩‍👧", "👩‍👩‍👧"}},
		{"a callout", 30, "> [!WARNING]\n> Mind the *gap*.\n>\n> More.", []string{"│ ! Warning", "│ Mind the gap.", "│", "│ More."}},
		{"a callout alone", 30, "> [!note]", []string{"│ i Note"}},
		{"no callout", 30, "> [!WARNING] and more", []string{"│ [!WARNING] and more"}},
		{"nor is this", 30, "> [!PARTY]\n> x", []string{"│ [!PARTY] x"}},
		{"words in a table stay whole", 34, "| Name | Description |\n|---|---|\n| internationalization | configuration of everything |", []string{
			"Name: internationalization", "Description: configuration of", "everything",
		}},
		{"headings", 20, "# One\n\nTwo\n===\n\n### Three is a long one", []string{"One", "", "Two", "", "Three is a long one"}},
		{"a rule", 12, "a\n\n***\n\nb", []string{"a", "", strings.Repeat("─", 12), "", "b"}},
		{"entities and escapes", 40, `&lt;b&gt; \*a\* \&amp; &nope; AT&T`, []string{"<b> *a* &amp; &nope; AT&T"}},

		{"a tight list", 20, "- one\n- two and more than fits\n", []string{"• one", "• two and more than", "  fits"}},
		{"a loose list", 20, "- one\n\n- two", []string{"• one", "", "• two"}},
		{"nested lists", 40, "- a\n  - b\n    - c\n      1. d", []string{"• a", "  ◦ b", "    ▪ c", "      1. d"}},
		{"numbers count and align", 40, "9. a\n9. b\n", []string{" 9. a", "10. b"}},
		{"another delimiter", 40, "2) a", []string{"2) a"}},
		{"tasks", 40, "- [ ] a\n- [x] b", []string{"[ ] a", "[✓] b"}},
		{"an empty item", 40, "- a\n-\n- c", []string{"• a", "•", "• c"}},
		{"code in an item", 40, "1. a\n\n   ```\n   x\n   ```\n2. b", []string{"1. a", "", "   │ x", "", "2. b"}},
		{"a quote", 14, "> one two three\n>\n> - a", []string{"│ one two", "│ three", "│", "│ • a"}},

		{"links", 60, "[a](https://b.c/d) [b.c](https://b.c/) <https://x.y> https://z.y", []string{"a (https://b.c/d) b.c https://x.y https://z.y"}},
		{"images", 60, "![alt](a.png) ![](b.png)", []string{"alt (a.png) b.png"}},
		{"definitions are kept", 60, "[a][1]\n\n[1]: https://x.y\n[2]: z", []string{"[a][1]", "", "[1]: https://x.y", "[2]: z"}},
		{"HTML is text", 60, "a <b>c</b>\n\n<div>\n  <p>x</p>\n</div>", []string{"a <b>c</b>", "", "<div>", "  <p>x</p>", "</div>"}},

		{"code", 40, "```go\nfunc f() {\n\treturn\n}\n```", []string{"│ func f() {", "│     return", "│ }"}},
		{"an empty fence", 40, "```\n```", []string{"│"}},
		{"a long line of code", 12, "```\nabcdefghijklmno\nx\n```", []string{"│ abcdefghij", "¦ klmno", "│ x"}},
		{"tabs stop at fours", 40, "```\na\tb\n\tc\n```", []string{"│ a   b", "│     c"}},
		{"indented code", 40, "    a\n      b", []string{"│ a", "│   b"}},

		{
			"a table", 40, "| a | b | c |\n|:-:|--:|---|\n| long | 1 | `x|` |\n| q | 1000 |",
			[]string{" a   │    b │ c", "─────┼──────┼───", "long │    1 │ `x", " q   │ 1000 │"},
		},
		{
			"cells wrap", 20, "| name | what |\n|---|---|\n| a | some longer text |\n| b | c<br>d |",
			[]string{
				"name │ what", "─────┼──────────────", "a    │ some longer", "     │ text",
				"─────┼──────────────", "b    │ c", "     │ d",
			},
		},
		{
			"columns keep their longest word", 31, "| path | what it is for, in a few words |\n|---|---|\n| internal/x.go | y |",
			[]string{
				"path          │ what it is for,", "              │ in a few words", "──────────────┼────────────────",
				"internal/x.go │ y",
			},
		},
		{
			"a table that is too wide", 16, "|a|b|c|d|\n|-|-|-|-|\n|one one|two two|three three|four four|\n|1||3|4|",
			[]string{"a: one one", "b: two two", "c: three three", "d: four four", "────────", "a: 1", "c: 3", "d: 4"},
		},
		{"a table behind a paragraph", 40, "text\n| a |\n|---|\n| b |", []string{"text", "", "a", "─", "b"}},

		{"escape sequences are inert", 60, "a\x1b[31mb\x1b]0;t\x07c &#27;[2J `x\x1b[1my`", []string{"abc [2J xy"}},
		{"overrides of direction are dropped", 40, "a\u202eb &#x202e;c", []string{"ab c"}},
		{"too narrow is drawn as the least width", 3, "one two three", []string{"one two", "three"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := plain(c.text, c.width); got != strings.Join(c.want, "\n") {
				t.Errorf("got:\n%s\nwant:\n%s\n%q", got, strings.Join(c.want, "\n"), got)
			}
		})
	}
}

func TestStyles(t *testing.T) {
	const (
		fg  = "\x1b[38;2;"
		end = "\x1b[m"
	)
	text, strong, heading, faint := fg+"214;215;224m", "\x1b[1;38;2;243;244;250m", "\x1b[1;38;2;230;161;92m", fg+"139;142;163m"
	code, link := fg+"183;154;242m", "\x1b[4;38;2;122;168;240m"
	for _, c := range []struct{ name, text, want string }{
		{"plain", "a", text + "a" + end},
		{"bold", "a **b**", text + "a " + end + strong + "b" + end},
		{"bold in a heading keeps its colour", "## a **b**", heading + "a b" + end},
		{"the first level is underlined", "# a", "\x1b[1;4;38;2;230;161;92ma" + end},
		{"code in a heading", "## `b`", "\x1b[1;38;2;183;154;242mb" + end},
		{"code", "`a  b`", code + "a  b" + end},
		{"a link", "<https://a.b/?q=ü>", "\x1b]8;;https://a.b/?q=%C3%BC\x07" + link + "https://a.b/?q=ü" + end + "\x1b]8;;\x07"},
		{"a script is no link", "<javascript:x>", link + "javascript:x" + end},
		{"a relative path is no link", "[a](b)", link + "a" + end + faint + " (b)" + end},
		{"nor is a broken one", "[a](https://%zz)", link + "a" + end + faint + " (https://%zz)" + end},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := strings.Join(draw(document(c.text), 60), "\n"); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestLinkThatWrapsIsClosedOnEachLine(t *testing.T) {
	lines := draw(document("[one two three](https://a.b)"), 10)
	for _, line := range lines {
		if strings.Count(line, "\x1b]8;;https://a.b\x07") != 1 || !strings.HasSuffix(line, "\x1b]8;;\x07") {
			t.Errorf("the link is not whole in %q", line)
		}
	}
	if len(lines) != 4 {
		t.Errorf("%d lines: %q", len(lines), lines)
	}
}

func TestManyLinksAreAllLinks(t *testing.T) {
	lines := draw(document(numbered(300, "- [t%d](#a)\n")), 40)
	for i, line := range lines {
		if strings.Contains(ansi.Strip(line), "[") {
			t.Fatalf("line %d is %q", i, line)
		}
	}
}

func TestDiffIsColoured(t *testing.T) {
	d := document("```diff\n--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n z\n```")
	seen := map[string]string{}
	for _, line := range d.Lines(0, 40) {
		_, styled, _ := strings.Cut(line, "\x1b[m")
		sgr, _, _ := strings.Cut(styled, "m")
		seen[ansi.Strip(line)] = sgr
	}
	for a, b := range map[string]string{"│ -x": "│ +y", "│ +y": "│  z", "│ @@ -1 +1 @@": "│ --- a"} {
		if seen[a] == seen[b] || seen[a] == "" {
			t.Errorf("%q and %q both look like %q", a, b, seen[a])
		}
	}
}
