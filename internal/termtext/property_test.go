package termtext_test

import (
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"parley/internal/termtext"
	"parley/internal/test"
)

const (
	narrowest = 10
	widest    = 200
)

// Wrapping keeps every character but blanks, in its place, and breaks inside of
// words only where a word is wider than a line.
func TestWrapKeepsEveryCharacter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := test.HardText(40).Draw(t, "text")
		for _, m := range []termtext.Method{termtext.Safe, termtext.Graphemes} {
			for width := narrowest; width <= widest; width++ {
				checkWrapped(t, m, text, width, m.Wrap(text, width))
				if got := strings.Join(m.Break(text, width), ""); got != text {
					t.Fatalf("width %d: broken up it is %+q", width, got)
				}
			}
		}
	})
}

func checkWrapped(t *rapid.T, m termtext.Method, text string, width int, lines []string) {
	rest := text
	for i, line := range lines {
		if w := m.Width(line); w > width {
			t.Fatalf("width %d: line %d takes %d cells: %+q", width, i, w, line)
		}
		if i > 0 {
			after := trimBlanks(m, rest)
			first, _, _ := strings.Cut(after, " ")
			n, _ := m.Next(after)
			if len(after) == len(rest) && !termtext.Wide(after[:n], m.Width(after[:n])) && m.Width(first) <= width/2 && !endsWide(m, lines[i-1]) && !termtext.ClosingPunctuation(after[n:]) &&
				m.Width(lines[i-1])+m.Width(after[:n]) <= width {
				t.Fatalf("width %d: a new line before %+q, for which there was room", width, first)
			}
			rest = after
		}
		if !strings.HasPrefix(rest, line) {
			t.Fatalf("width %d: line %d is %+q, the text goes on with %+q", width, i, line, rest)
		}
		rest = rest[len(line):]
	}
	if trimBlanks(m, rest) != "" {
		t.Fatalf("width %d: lost %+q", width, rest)
	}
}

// trimBlanks takes the blanks at the beginning of a text away. A blank that
// carries a mark is none.
func trimBlanks(m termtext.Method, s string) string {
	for strings.HasPrefix(s, " ") {
		if n, _ := m.Next(s); n > 1 {
			break
		}
		s = s[1:]
	}
	return s
}

func endsWide(m termtext.Method, line string) bool {
	for line != "" {
		n, w := m.Next(line)
		if n == len(line) {
			return termtext.Wide(line, w)
		}
		line = line[n:]
	}
	return false
}

// A word that fits into a line is never cut.
func TestWrapKeepsWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-z./=-]{1,10}`), 1, 40).Draw(t, "words")
		for width := narrowest; width <= widest; width++ {
			lines := termtext.Safe.Wrap(strings.Join(words, " "), width)
			if got := strings.Fields(strings.Join(lines, " ")); strings.Join(got, " ") != strings.Join(words, " ") {
				t.Fatalf("width %d: %q", width, lines)
			}
		}
	})
}

// What is laid out for a terminal stands on its screen, whole.
func TestEveryCharacterReachesTheScreen(t *testing.T) {
	for _, s := range test.TerminalSettings() {
		t.Run(s.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				text := test.HardText(40).Draw(t, "text")
				width := rapid.IntRange(narrowest, widest).Draw(t, "width")
				for what, lines := range map[string][]string{
					"wrapped": s.Method.Wrap(text, width), "broken": s.Method.Break(text, width),
				} {
					if lost := test.MissingText(test.ShowOnTerminal(s.Kind, lines, width), text); lost != "" {
						t.Fatalf("%s at %d cells, the screen lacks %+q\n%q", what, width, lost, lines)
					}
				}
			})
		})
	}
}

// Cutting never leaves more than the width, nor anything that was not there.
func TestTruncatedTextFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := test.HardText(20).Draw(t, "text")
		width := rapid.IntRange(0, 60).Draw(t, "width")
		for _, m := range []termtext.Method{termtext.Safe, termtext.Graphemes} {
			head, tail := m.Truncate(text, width, "…"), m.TruncateStart(text, width, "…")
			if m.Width(head) > width || m.Width(tail) > width {
				t.Fatalf("cut to %d cells: %+q takes %d, %+q takes %d", width, head, m.Width(head), tail, m.Width(tail))
			}
			if !strings.HasPrefix(text, strings.TrimSuffix(head, "…")) || !strings.HasSuffix(text, strings.TrimPrefix(tail, "…")) {
				t.Fatalf("cut to %d cells: %+q and %+q", width, head, tail)
			}
			n, used := m.Fit(text, width, widest)
			if m.Width(text[:n]) != used || used > width {
				t.Fatalf("Fit: %d bytes in %d cells, they take %d", n, used, m.Width(text[:n]))
			}
		}
	})
}

// Styled text is broken where the plain text is, and each character keeps its
// looks, whichever line it comes to stand on.
func TestStyledTextWrapsLikePlainText(t *testing.T) {
	looks := []string{"\x1b[1m", "\x1b[31m", "\x1b[38;5;200m", "\x1b[4m", "\x1b[m", "\x1b[0m", "\x1b]8;;http://a.b\x07", "\x1b]8;;\x07"}
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-z世é-]{1,12}`), 1, 20).Draw(t, "words")
		var styled strings.Builder
		for i, w := range words {
			if i > 0 {
				styled.WriteByte(' ')
			}
			styled.WriteString(rapid.SampledFrom(looks).Draw(t, "look") + w + rapid.SampledFrom(looks).Draw(t, "look"))
		}
		width := rapid.IntRange(1, 40).Draw(t, "width")
		lines := termtext.Safe.Wrap(styled.String(), width)
		plain := termtext.Safe.Wrap(ansi.Strip(styled.String()), width)
		if len(lines) != len(plain) {
			t.Fatalf("%d lines, plain %d\n%q\n%q", len(lines), len(plain), lines, plain)
		}
		var got []uv.Cell
		for i, line := range lines {
			if ansi.Strip(line) != plain[i] {
				t.Fatalf("line %d is %q, plain %q", i, line, plain[i])
			}
			got = append(got, inked(line)...)
		}
		want := inked(styled.String())
		for i := range want {
			if !got[i].Equal(&want[i]) {
				t.Fatalf("%q looks like %+v, want %+v\n%q", want[i].Content, got[i], want[i], lines)
			}
		}
	})
}

// inked are the cells of a line that are not blank.
func inked(line string) []uv.Cell {
	var out []uv.Cell
	for _, l := range uv.NewStyledString(line).Lines(ansi.WcWidth) {
		for _, c := range l {
			if c.Content != " " {
				out = append(out, c)
			}
		}
	}
	return out
}

// No method leaves less room than the libraries that paint take, so that nothing
// is painted beyond the end of a line.
func TestThereIsRoomForWhatPaints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.ToValidUTF8(test.HardText(20).Draw(t, "text"), "\ufffd")
		if w := termtext.Safe.Width(text); w < ansi.StringWidth(text) || w < ansi.StringWidthWc(text) {
			t.Fatalf("Safe takes %d cells, by clusters %d, by wcwidth %d", w, ansi.StringWidth(text), ansi.StringWidthWc(text))
		}
		if w := termtext.Graphemes.Width(text); w < ansi.StringWidth(text) {
			t.Fatalf("Graphemes takes %d cells, the library %d", w, ansi.StringWidth(text))
		}
	})
}

// Whatever the bytes are, each is taken once.
func TestAnyBytesAreTaken(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) + rapid.String().Draw(t, "text")
		text = strings.NewReplacer("\x1b", "", "\n", "").Replace(text)
		width := rapid.IntRange(-1, 12).Draw(t, "width")
		for _, m := range []termtext.Method{termtext.Safe, termtext.Graphemes} {
			if got := strings.Join(m.Break(text, width), ""); got != text {
				t.Fatalf("broken up it is %+q", got)
			}
			if got := strings.Join(m.Wrap(text, width), ""); strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(text, " ", "") {
				t.Fatalf("wrapped it is %+q", got)
			}
			if ends := m.Ends(text, width); ends[len(ends)-1] != len(text) {
				t.Fatalf("it ends at %d", ends[len(ends)-1])
			}
		}
	})
}
