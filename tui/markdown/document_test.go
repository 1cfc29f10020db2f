package markdown

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"charm.land/glamour/v2/styles"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"parley/tui/theme"
)

var dark = theme.New(true)

// themes have styles of all kinds: with margins and without, with marks and
// without, coloured and not.
var themes = []*theme.Theme{
	dark, dark.Dimmed(), dark.WithMarkdown(styles.DefaultStyles["dark"]), dark.WithMarkdown(styles.DefaultStyles["ascii"]),
	dark.WithMarkdown(styles.DefaultStyles["pink"]), dark.WithMarkdown(styles.DefaultStyles["dracula"]),
}

// draw gives the lines of all blocks.
func draw(d *Document, width int) []string {
	var lines []string
	for i := range d.Len() {
		lines = append(lines, d.Lines(i, width)...)
	}
	return lines
}

// add adds text at the end.
func add(d *Document, text string) { d.SetText(d.Text() + text) }

func document(chunks ...string) *Document {
	d := New(dark)
	for _, c := range chunks {
		add(d, c)
	}
	d.Finish()
	return d
}

// plain is what a document looks like without its colours.
func plain(text string, width int) string {
	return ansi.Strip(strings.Join(draw(document(text), width), "\n"))
}

// fragments make Markdown that is likely to meet the corners of the grammar.
var fragments = []string{
	"word", "a longer piece of prose", " ", "  ", "\n", "\n\n", "\n\n", "    ", "\t", "# ", "###### ", "- ", "* ", "+ ", "1. ", "2) ", "10. ",
	"> ", ">", ">> ", "```", "```go\n", "```\n", "~~~", "`", "``", "*", "**", "_", "~~", "[", "]", "](", ")", "![", "<", ">", "|", "|---|:-:|",
	"| a | b |\n", "|---|\n", "---\n", "===\n", "-", "=", "\\", "&amp;", "&#27;", "&#x202e;", "<br>", "<div>", "</div>", "<!--", "-->", "<pre>",
	"https://example.com/a?b=c", "www.example.com", "x@example.com", "[ ] ", "[x] ", "[a]: /b\n", "日本語", "。", "🔥", "👩‍👩‍👧", "e\u0301", "☺\uFE0F",
	"\x1b[31m", "\x1b]0;title\x07", "\x1b", "\x07", "\r\n", "\r", "\x00", "\xff", "\u009b2J", "\u202e", "\uFDD0", "func main() {\n\treturn 1\n}\n",
	"| a | b |\n|---|--:|\n| 1 | 2 |\n", "- one\n- two\n  - three\n\n  para\n", "```diff\n+a\n-b\n", "averyveryverylongwordthatdoesnotfitonaline",
}

func textGen(most int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(fragments), 0, most).Draw(t, "fragments"), "")
		if rapid.IntRange(0, 19).Draw(t, "giant") == 0 { // beyond the bound of a block
			text += strings.Repeat(rapid.SampledFrom(fragments).Draw(t, "again"), rapid.IntRange(1, 1500).Draw(t, "times"))
			text += strings.Join(rapid.SliceOfN(rapid.SampledFrom(fragments), 0, 10).Draw(t, "after"), "")
		}
		return text
	})
}

func TestAnyChunkingGivesTheSameLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := textGen(60).Draw(t, "text")
		width := rapid.IntRange(minWidth, 120).Draw(t, "width")
		th := rapid.SampledFrom(themes).Draw(t, "theme")
		whole := New(th)
		add(whole, text)
		whole.Finish()
		want := draw(whole, width)

		d := New(th)
		for rest := text; rest != ""; {
			n := rapid.IntRange(min(len(rest), 1+len(text)/40), len(rest)).Draw(t, "n")
			add(d, rest[:n])
			rest = rest[n:]
			if rapid.Bool().Draw(t, "draw") {
				d.Lines(d.Len()-1, width)
			}
		}
		d.Finish()
		if got := draw(d, width); !slices.Equal(got, want) {
			t.Fatalf("in chunks:\n%s\n\nat once:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if d.Text() != text {
			t.Fatal("the text is another")
		}
	})
}

// sequence is what may stand in a line besides text: SGR, and OSC 8 with an
// http, https or file URL.
var sequence = regexp.MustCompile("\x1b\\[[0-9;:]*m|\x1b\\]8;;((https?|file):[!-~]*)?\x07")

func checkLines(t interface{ Fatalf(string, ...any) }, lines []string, width int) {
	for _, line := range lines {
		if w := ansi.StringWidth(line); w > width {
			t.Fatalf("%q is %d cells wide, more than %d", line, w, width)
		}
		for _, r := range sequence.ReplaceAllString(line, "") {
			if r < ' ' || r >= 0x7f && r < 0xa0 || r == 0x202e {
				t.Fatalf("%q has %U", line, r)
			}
		}
	}
}

func TestLinesFitAndAreInert(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := New(rapid.SampledFrom(themes).Draw(t, "theme"))
		width := rapid.IntRange(minWidth, 100).Draw(t, "width")
		for range rapid.IntRange(1, 3).Draw(t, "parts") {
			add(d, textGen(30).Draw(t, "text"))
			checkLines(t, draw(d, width), width)
		}
		d.Finish()
		checkLines(t, draw(d, width), width)
	})
}

func TestNothingOfATextControlsTheTerminal(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a sequence", "a\x1b[8mb\x1b]0;t\x07c", "abc"},
		{"a sequence by reference", "a&#27;[8mb &#x1b[8mc", "a[8mb &#x1b[8mc"},
		{"in code", "`a&#27;[8mb`", "a&#27;[8mb"},
		{"in HTML", "a <b>&#27;[8mc</b>\n\n<div>&#27;[8md</div>", "a <b>[8mc</b>\n\n<div>&#27;[8md</div>"},
		{"code keeps what it says", "```\n&#27;[8m\n```", "│ &#27;[8m"},
		{"an override of direction", "a&#x202e;b", "ab"},
		{"tabs", "```\na\tb\n```", "│ a   b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			lines := Draw(c.text, 60, dark)
			checkLines(t, lines, 60)
			all := strings.Join(lines, "\n")
			if strings.Contains(all, "\x1b[8m") {
				t.Errorf("the text has hidden itself: %q", all)
			}
			if got := strings.Join(strings.Fields(ansi.Strip(all)), " "); got != strings.Join(strings.Fields(c.want), " ") {
				t.Errorf("got  %q\nwant %q", ansi.Strip(all), c.want)
			}
		})
	}
}

func FuzzDocument(f *testing.F) {
	for i, s := range fragments {
		f.Add(s+fragments[(i*7+3)%len(fragments)]+strings.Repeat(s, 40), uint8(i), uint16(i*3))
	}
	f.Add(strings.Repeat("> - 1. ", 300)+"\nx", uint8(30), uint16(1500))
	f.Add("| a | b |\n|---|---|\n"+strings.Repeat("| x | `y` |\n", 600), uint8(30), uint16(5000))
	f.Add("```go\n"+strings.Repeat("/* x\n\n", 200), uint8(30), uint16(700))
	f.Fuzz(func(t *testing.T, text string, width uint8, split uint16) {
		w := max(int(width), minWidth)
		want := draw(document(text), w)
		checkLines(t, want, w)
		n := min(int(split), len(text))
		d := New(dark)
		add(d, text[:n])
		checkLines(t, draw(d, w), w)
		add(d, text[n:])
		d.Finish()
		if got := draw(d, w); !slices.Equal(got, want) {
			t.Fatalf("split at %d:\n%q\nat once:\n%q", n, got, want)
		}
	})
}

func TestClosedBlocksStayAsTheyAre(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := New(dark)
		var before [][]string
		for range 5 {
			add(d, textGen(15).Draw(t, "text"))
			d.Len()
			closed := len(d.blocks)
			for i, lines := range before {
				if !slices.Equal(d.Lines(i, 40), lines) {
					t.Fatalf("closed block %d has changed", i)
				}
			}
			before = nil
			for i := range closed {
				before = append(before, slices.Clone(d.Lines(i, 40)))
			}
			d.Release()
		}
	})
}

func TestOnlyWhatIsAskedForIsDrawn(t *testing.T) {
	d := New(dark)
	for i := range 6000 {
		add(d, fmt.Sprintf("Paragraph **%d**.\n\n", i))
	}
	if lines := d.Lines(5000, 80); len(lines) != 2 || ansi.Strip(lines[1]) != "Paragraph 5000." {
		t.Fatalf("block 5000 is %q", lines)
	}
	if len(d.lines) != 1 {
		t.Fatalf("%d blocks were drawn", len(d.lines))
	}
}

func TestTextIsNotCopied(t *testing.T) {
	text := strings.Repeat("Paragraph.\n\n", 100_000)
	d := New(dark)
	if n := testing.AllocsPerRun(1, func() { d.SetText(text) }); n > 0 {
		t.Errorf("%v allocations to set a text", n)
	}
	if d.Len(); unsafe.StringData(d.Text()) != unsafe.StringData(text) {
		t.Error("the document has a text of its own")
	}
}

func TestDrawnLinesAreKept(t *testing.T) {
	d := document("one\n\ntwo\n")
	a := d.Lines(0, 40)
	if b := d.Lines(0, 40); &a[0] != &b[0] {
		t.Error("the lines of a closed block were made twice")
	}
	if d.Lines(0, 50); len(d.lines) != 1 {
		t.Error("another width keeps old lines")
	}
}

// Who reads a long message to its end has drawn all of it, and keeps little of that.
func TestDrawnLinesAreBounded(t *testing.T) {
	d := document(strings.Repeat("Some **words** of a paragraph.\n\n", 100_000))
	draw(d, 80)
	size := 0
	for _, lines := range d.lines {
		size += len(strings.Join(lines, ""))
	}
	if size == 0 || size > keepLines {
		t.Errorf("%d bytes of lines are kept", size)
	}
}

func TestAnotherThemeHasOtherColours(t *testing.T) {
	d := New(theme.New(false))
	add(d, "one\n")
	if slices.Equal(document("one\n").Lines(0, 50), d.Lines(0, 50)) {
		t.Error("another theme does not change the colours")
	}
}

func TestWhatIsFinishedStaysAsItIs(t *testing.T) {
	d := document("a")
	add(d, "b")
	if got := d.Text(); got != "a" {
		t.Errorf("the text is %q", got)
	}
}

func TestOutOfRangeHasNoLines(t *testing.T) {
	d := document("a")
	for _, i := range []int{-1, 1, 7} {
		if lines := d.Lines(i, 20); lines != nil {
			t.Errorf("block %d: %q", i, lines)
		}
	}
}

func TestMain(m *testing.M) {
	maxLexing = time.Minute
	os.Exit(m.Run())
}

func TestDocumentsMayBeDrawnAtTheSameTime(t *testing.T) {
	text := realistic(20 << 10)
	want := draw(document(text), 70)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if got := draw(document(text), 70); !slices.Equal(got, want) {
				t.Error("another drawing")
			}
		})
	}
	wg.Wait()
}

// A wide table whose rows have next to no cells costs no more than its length: this test
// does not end otherwise.
func TestWideTableOfEmptyRows(t *testing.T) {
	const columns = 1000
	d := New(dark)
	add(d, strings.Repeat("|a", columns)+"|\n"+strings.Repeat("|-", columns)+"|\n"+strings.Repeat("|\n", 1<<18)+"the end")
	d.Finish()
	last := d.Lines(d.Len()-1, 80)
	if !strings.Contains(strings.Join(last, "\n"), "the end") {
		t.Errorf("the end is missing in %q", last[max(0, len(last)-3):])
	}
}

// A row may have fewer cells than the head.
func TestTableWithShortRows(t *testing.T) {
	d := New(dark)
	add(d, "| a | b | c |\n|---|---|---|\n"+strings.Repeat("| one |\n", 100))
	d.Finish()
	if got := ansi.Strip(strings.Join(d.Lines(0, 80), "\n")); strings.Contains(got, "|") || strings.Count(got, "one") != 100 {
		t.Errorf("this is no table:\n%s", got)
	}
}

// A text is parsed up to a bound, so that a list that is nested 2,000 deep holds nothing
// up, and is drawn as it was sent from there on. How it arrived makes no difference.
func TestALongTextIsPlainFromABoundOn(t *testing.T) {
	var nested strings.Builder
	for i := range 2000 {
		nested.WriteString(strings.Repeat("  ", i) + "- x\n")
	}
	for name, begin := range map[string]string{
		"a nested list": nested.String(),
		"prose":         strings.Repeat("Some *words* and more of them.\n\n", maxParsed/32),
	} {
		t.Run(name, func(t *testing.T) {
			text := begin + "\n\nwith *stars* and \ta tab\n" + strings.Repeat("long ", maxBlock) + "\nthe end"
			whole := New(dark)
			whole.SetText(text)
			whole.Finish()
			grown := New(dark)
			for n := 0; n < len(text); n += len(text) / 7 {
				grown.SetText(text[:n])
				grown.Lines(grown.Len()-1, 80)
			}
			grown.SetText(text)
			grown.Finish()

			var lines []string
			for i := range whole.Len() {
				lines = append(lines, whole.Lines(i, 80)...)
			}
			var again []string
			for i := range grown.Len() {
				again = append(again, grown.Lines(i, 80)...)
			}
			got := ansi.Strip(strings.Join(lines, "\n"))
			if got != ansi.Strip(strings.Join(again, "\n")) {
				t.Error("the lines depend on how the text arrived")
			}
			if !strings.Contains(got, "with *stars* and") || !strings.HasSuffix(strings.TrimSpace(got), "the end") {
				t.Errorf("the end is %q", got[max(0, len(got)-200):])
			}
			if n := strings.Count(got, "long"); n != maxBlock {
				t.Errorf("%d words, want %d", n, maxBlock)
			}
		})
	}
}
