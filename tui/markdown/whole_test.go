package markdown

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

var colours = regexp.MustCompile("\x1b\\[[0-9;:]*m")

// checkWhole finds what must not be in the lines of a whole document.
func checkWhole(t interface{ Fatalf(string, ...any) }, lines []string, width int) {
	for _, line := range lines {
		if w := ansi.StringWidth(line); w > width {
			t.Fatalf("%q is %d cells wide, more than %d", line, w, width)
		}
		for _, r := range colours.ReplaceAllString(line, "") {
			if r < ' ' || r >= 0x7f && r < 0xa0 || r == 0x202e {
				t.Fatalf("%q has %U", line, r)
			}
		}
	}
}

func TestWholeFitsAndIsInert(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(1, 120).Draw(t, "width")
		th := rapid.SampledFrom(themes).Draw(t, "theme")
		checkWhole(t, Whole(textGen(40).Draw(t, "text"), width, th), max(width, minWidth))
	})
}

func FuzzWhole(f *testing.F) {
	for i, s := range fragments {
		f.Add(s+fragments[(i*7+3)%len(fragments)], uint8(i))
	}
	f.Add(sample, uint8(40))
	f.Fuzz(func(t *testing.T, text string, width uint8) {
		checkWhole(t, Whole(text, int(width), dark), max(int(width), minWidth))
	})
}

// What is nested too deeply for Glamour is drawn in another way, and is as inert.
func TestWholeOfDeeplyNestedTextIsInert(t *testing.T) {
	lines := Whole(strings.Repeat("- ", 300)+"https://example.com/a?b=c", 30, dark)
	checkWhole(t, lines, 30)
	if !strings.Contains(strings.Join(lines, ""), "com/a?b=") {
		t.Errorf("the address is lost: %q", lines)
	}
}

func TestNothingOfATextControlsTheTerminal(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a sequence", "a\x1b[8mb\x1b]0;t\x07c", "abc"},
		{"a sequence by reference", "a&#27;[8mb &#x1b[8mc", "a [8mb [8mc"},
		{"in code", "`a&#27;[8mb`", "a [8mb"},
		{"in HTML", "a <b>&#27;[8mc</b>\n\n<div>&#27;[8md</div>", "a [8mc\n[8md"},
		{"code keeps what it says", "```\n&#27;[8m\n```", "  &#27;[8m"},
		{"an override of direction", "a&#x202e;b", "a b"},
		{"a link", "[a](https://b.c/)", "a https://b.c/"},
		{"a link with a sequence", "[a](https://b.c/&#27;[8m)", "a https://b.c/&#27;[8m"},
		{"a relative address", "[a](b/c.md)", "a b/c.md"},
		{"a definition", "[a][1]\n\n[1]: https://b.c/", "a https://b.c/"},
		{"lines of an item", "- one\n  two\n- three\n  > four\n  five", "• one two\n• three\n│ four five"},
		{"tabs", "```\na\tb\n```", "  a   b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			lines := Whole(c.text, 60, dark)
			checkWhole(t, lines, 60)
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

// Glamour begins all lines of an item in the column of its mark.
func TestItemsOfAWholeDocumentHang(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"bullets", "- one that is wrapped here\n  - two that is wrapped too", "• one that is\n  wrapped here\n  • two that is\n    wrapped too"},
		{"numbers", "9. one that is wrapped\n10. two", " 9. one that is\n    wrapped\n10. two"},
		{"bullets below a number", "1. one\n   - two that is wrapped", "1. one\n   • two that is\n     wrapped"},
		{"tasks", "- [ ] one that is wrapped\n- [x] two", "[ ] one that\n    is wrapped\n[✓] two"},
		{"in a quote", "> - one that is wrapped", "│\n│ • one that is\n│   wrapped"},
		{"paragraphs", "- one that is wrapped\n\n  two\n- three", "• one that is\n  wrapped\n\n  two\n• three"},
		{"no room", "123456. one that is wrapped", "123456. one that is\nwrapped"},
		{"brackets", "- [a] one that is wrapped", "• [a] one that\n  is wrapped"},
		{"broken in the source", "- one that\n  is wrapped here\n- two\n  three", "• one that is\n  wrapped here\n• two three"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := strings.ReplaceAll(ansi.Strip(strings.Join(Whole(c.text, 20, dark), "\n")), "\u00a0", " "); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestCodeInUnknownLanguagesStaysPlain(t *testing.T) {
	plain := Whole("```plaintext\nfunc main() { return }\n```\n", 60, dark)[0]
	for _, fence := range []string{"```\n", "```nosuchlanguage\n"} {
		if got := Whole(fence+"func main() { return }\n```\n", 60, dark)[0]; got != plain {
			t.Errorf("%q: %q", fence, got)
		}
	}
	if got := Whole("    func main() { return }\n", 60, dark)[0]; got != plain {
		t.Errorf("indented: %q", got)
	}
	if got := Whole("```rust,ignore\nfn main() { return }\n```\n", 60, dark)[0]; strings.Count(got, "\x1b[m") < 3 {
		t.Errorf("a known language is not coloured: %q", got)
	}
}

func TestColouringAWholeDocumentIsBounded(t *testing.T) {
	defer func(most time.Duration) { maxLexing = most }(maxLexing)
	maxLexing = 0
	const code = "\nfunc main() { return }\n```\n"
	if got, plain := Whole("```go"+code, 60, dark)[0], Whole("```plaintext"+code, 60, dark)[0]; got != plain {
		t.Errorf("coloured without the time for it: %q", got)
	}
}

func TestGiantDocumentsAreDrawnToo(t *testing.T) {
	text := numbered(maxWhole/8, "word %d\n\n")
	lines := Whole(text, 40, dark)
	if first, last := ansi.Strip(lines[0]), ansi.Strip(lines[len(lines)-1]); first != "word 1" || !strings.HasPrefix(last, "word ") {
		t.Errorf("from %q to %q", first, last)
	}
	checkWhole(t, lines, 40)
}

func TestDeeplyNestedDocumentsAreDrawnToo(t *testing.T) {
	text := numbered(200, strings.Repeat("> ", 12)+"%d\n\n")
	if got, want := Whole(text, 60, dark), draw(document(text), 60); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A complete document is one block, unless it is giant. On lines that are not wrapped,
// nothing fills the width.
func TestComplete(t *testing.T) {
	const table = "Some text.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
	d := Complete(table, dark)
	if d.Len() != 1 {
		t.Errorf("%d blocks", d.Len())
	}
	if got, want := d.Lines(0, 60), Whole(table, 60, dark); !slices.Equal(got, want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
	if got, want := d.Lines(0, maxWidth+1), draw(document(table), maxWidth+1); !slices.Equal(got, want) {
		t.Errorf("not wrapped it is\n%q\nwant\n%q", got, want)
	}
	if n := Complete(strings.Repeat(table+"\n", maxWhole/len(table)), dark).Len(); n < 100 {
		t.Errorf("a giant one has %d blocks", n)
	}
	if n := Complete(" \n", dark).Len(); n != 0 {
		t.Errorf("a blank one has %d blocks", n)
	}
}
