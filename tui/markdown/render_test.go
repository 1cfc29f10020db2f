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

		{"code", 40, "```go\nfunc f() {\n\treturn\n}\n```", []string{"│ go", "│ func f() {", "│     return", "│ }"}},
		{"an empty fence", 40, "```\n```", []string{"│"}},
		{"a long line of code", 12, "```\nabcdefghijklmno\nx\n```", []string{"│ abcdefghij", "¦ klmno", "│ x"}},
		{"tabs stop at fours", 40, "```\na\tb\n\tc\n```", []string{"│ a   b", "│     c"}},
		{"indented code", 40, "    a\n      b", []string{"│ a", "│   b"}},

		{
			"a table", 40, "| a | b | c |\n|:-:|--:|---|\n| long | 1 | `x|` |\n| q | 1000 |",
			[]string{" a        b   c", "────────────────", "long      1   `x", " q     1000  "},
		},
		{
			"cells wrap", 20, "| name | what |\n|---|---|\n| a | some longer text |\n| b | c<br>d |",
			[]string{
				"name   what", "────────────────────", "a      some longer", "       text",
				"", "b      c", "       d",
			},
		},
		{
			"columns keep their longest word", 31, "| path | what it is for, in a few words |\n|---|---|\n| internal/x.go | y |",
			[]string{
				"path            what it is for,", "                in a few words", "───────────────────────────────",
				"internal/x.go   y",
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
	for _, depth := range []theme.Depth{theme.TrueColor, theme.Colors256, theme.Colors16} {
		d := New(theme.Named("dark").Theme(depth))
		d.SetText("```diff\n--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n z\n```")
		d.Finish()
		seen := map[string]string{}
		for _, line := range d.Lines(0, 40) {
			_, styled, _ := strings.Cut(line, "\x1b[m")
			sgr, _, _ := strings.Cut(styled, "m")
			seen[ansi.Strip(line)] = sgr
		}
		for a, b := range map[string]string{"│ -x": "│ +y", "│ +y": "│  z", "│ @@ -1 +1 @@": "│ --- a"} {
			if seen[a] == seen[b] || seen[a] == "" {
				t.Errorf("%v: %q and %q both look like %q", depth, a, b, seen[a])
			}
		}
	}
}

// No line begins with punctuation that belongs to the word before it.
func TestNoLineBeginsWithPunctuation(t *testing.T) {
	const text = "Press `alt+.`, or **ctrl**; then [a link](https://example.com), and *more*: `code`. Or (`this`), `that`;\n`these`, those.\n\n" +
		"- an item with `code`, and *emphasis*; a [link](https://example.com/a/path), too\n- long-word, and even-longer-word; end\n\n" +
		"| key | what |\n| --- | --- |\n| `a`, `b` | *this*, `that`; `those`, these |\n\n> A quote of `code`, *emphasis*; and **so** on.\n"
	for width := 24; width <= 100; width++ {
		lines := Draw(text, width, theme.New(true))
		for i, line := range lines {
			words := strings.TrimLeft(ansi.Strip(line), " │•")
			if words != "" && strings.Contains(",;.", words[:1]) && (len(words) == 1 || words[1] == ' ') {
				t.Errorf("%d columns: %q after %q", width, words, ansi.Strip(lines[max(0, i-1)]))
			}
		}
	}
}

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
					source = strings.ReplaceAll(text, "~", "\\~")
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
	add(d, "| a | b |\n|---|---|\n"+strings.Repeat("| 👍🏽 | 👍🏽👍🏽 |\n", 10))
	d.Finish()
	if got, want := ansi.Strip(d.Lines(0, 40)[2]), "👍🏽   👍🏽👍🏽"; got != want {
		t.Errorf("with four cells for each thumb: %q, want %q", got, want)
	}
	if w := termtext.Width(d.Lines(0, 40)[2]); w != 4+3+8 {
		t.Errorf("the line takes %d cells", w)
	}
	termtext.UseMethod(termtext.Graphemes)
	if w := termtext.Width(d.Lines(0, 40)[2]); w != 2+3+4 {
		t.Errorf("with two cells for each thumb, the line takes %d", w)
	}
	d.Lines(0, 40)
	if head := ansi.Strip(d.Lines(0, 40)[1]); head != "─────────" {
		t.Errorf("the rule of the table is %q", head)
	}
}

// Names, formulas and ranges are shown as sent, in what streams and in whole documents; what
// is emphasised or struck through is not.
func TestMarksWithinWordsStay(t *testing.T) {
	for text, want := range map[string]string{
		"from 16~24h, then 8~16h": "from 16~24h, then 8~16h",
		"cp ~/b~ ~/c":             "cp ~/b~ ~/c",
		"~one~ and ~~two~~":       "~one~ and two",
		"edit __init__.py":        "edit __init__.py",
		"src/__init__.py":         "src/__init__.py",
		"call __init__(x) now":    "call __init__(x) now",
		"self.__class__ is":       "self.__class__ is",
		"a**2 + b**2 = c**2":      "a**2 + b**2 = c**2",
		"2*3*4 and *a* and **b**": "2*3*4 and a and b",
		"**A**gent **C**lient":    "Agent Client",
		"中文**粗体**文字":              "中文粗体文字",
		"__strong__, _so_: it is": "strong, so: it is",
		"snake_case_name":         "snake_case_name",
		"*⃣*⃣ *️⃣x*️⃣ **b**":      "*⃣*⃣ *️⃣x*️⃣ b",
		"**#⃣ and *⃣** a *⃣ b*":   "#⃣ and *⃣ a *⃣ b*",
		"_⃣a_⃣ ~~⃣a~~⃣ `⃣a`⃣":     "_⃣a_⃣ ~~⃣a~~⃣ `⃣a`⃣",
		"[⃣a](b) 1⃣. ***⃣":        "[⃣a](b) 1⃣. ***⃣",
	} {
		if got := strings.TrimSpace(ansi.Strip(strings.Join(Draw(text, 60, dark), " "))); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
