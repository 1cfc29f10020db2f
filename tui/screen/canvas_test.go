//go:build unix

package screen

import (
	"fmt"
	"image/color"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"parley/internal/termtext"
	"parley/internal/test/ptytest"
)

func testCanvas(method termtext.Method) *canvas {
	return newCanvas([]string{"TERM=xterm-256color"}, colorprofile.TrueColor, Unicode, method)
}

// words are pieces of lines: styles, and text of every kind of width.
var words = []string{
	"a", "word", " ", "   ", "\t", "——", "end.", "漢字", "한", "é", "я\u0301",
	"\x1b[1m", "\x1b[m", "\x1b[38;2;200;10;10m", "\x1b[48;5;17m", "\x1b[7m", "\x1b[31mred\x1b[m",
	"\x1b]8;;https://example.com\x07link\x1b]8;;\x07",
}

// contested are characters that terminals do not agree on.
var contested = []string{"👨‍👩‍👧", "👍🏽", "🇩🇪", "❤️", "1️⃣", "क्षि", "🫩", "🏴\U000e0067\U000e0062\U000e007f"}

func drawLine(t *rapid.T, pieces []string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "line"), "")
}

// drawFrame makes a frame as a program does: some lines change, or they move.
func drawFrame(t *rapid.T, lines, pieces []string) []string {
	next := append([]string(nil), lines...)
	switch rapid.IntRange(0, 3).Draw(t, "change") {
	case 0: // some lines
		for range rapid.IntRange(0, 3).Draw(t, "lines") {
			next[rapid.IntRange(0, len(next)-1).Draw(t, "y")] = drawLine(t, pieces)
		}
	case 1: // a region moves up
		from := rapid.IntRange(0, len(next)-1).Draw(t, "from")
		to := rapid.IntRange(from, len(next)-1).Draw(t, "to")
		n := min(rapid.IntRange(1, 3).Draw(t, "by"), to-from+1)
		copy(next[from:to+1], next[from+n:to+1])
		for y := to - n + 1; y <= to; y++ {
			next[y] = drawLine(t, pieces)
		}
	case 2: // or down
		from := rapid.IntRange(0, len(next)-1).Draw(t, "from")
		copy(next[from+1:], next[from:])
		next[from] = drawLine(t, pieces)
	case 3: // all new
		for y := range next {
			next[y] = drawLine(t, pieces)
		}
	}
	return next
}

func TestCanvasShowsEveryFrame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		width, height := rapid.IntRange(1, 40).Draw(t, "width"), rapid.IntRange(1, 12).Draw(t, "height")
		term := ptytest.NewEmulator(width, height, ptytest.Clusters)
		defer term.Close()
		c := testCanvas(termtext.Graphemes)
		lines := make([]string, height)
		for range rapid.IntRange(1, 12).Draw(t, "frames") {
			lines = drawFrame(t, lines, words)
			at := tea.Position{X: rapid.IntRange(0, width-1).Draw(t, "x"), Y: rapid.IntRange(0, height-1).Draw(t, "y")}
			if !c.fits(width, height) {
				c.resize(width, height)
			}
			_, _ = term.Write(c.draw(lines, &at))
			s := term.Screen()
			sameCells(t, s, lines)
			if s.Cursor.X != at.X || s.Cursor.Y != at.Y {
				t.Fatalf("the cursor is at %d,%d, want %v", s.Cursor.X, s.Cursor.Y, at)
			}
		}
	})
}

// TestNothingIsErasedInAColour: a terminal that erases without colour, as GNU screen
// does, shows grounds up to the end of their rows.
func TestNothingIsErasedInAColour(t *testing.T) {
	t.Parallel()
	pieces := append([]string{strings.Repeat(" ", 30), "\x1b[48;5;237m", "\x1b[48;5;237m" + strings.Repeat(" ", 30)}, words...)
	rapid.Check(t, func(t *rapid.T) {
		c := testCanvas(termtext.Graphemes)
		c.resize(40, 6)
		lines := make([]string, 6)
		for range rapid.IntRange(1, 12).Draw(t, "frames") {
			lines = drawFrame(t, lines, pieces)
			var pen uv.Style
			var link uv.Link
			out := string(c.draw(lines, nil))
			for rest := out; rest != ""; {
				seq, _, n, _ := ansi.DecodeSequence(rest, ansi.NormalState, nil)
				rest = rest[n:]
				follow(seq, &pen, &link)
				if ansi.HasCsiPrefix(seq) && strings.ContainsAny(seq[len(seq)-1:], "JKX") && pen.Bg != nil {
					t.Fatalf("%q erases in a colour: %q", seq, out)
				}
			}
		}
	})
}

// sameCells holds the screen against what the lines say.
func sameCells(t *rapid.T, s ptytest.Screen, lines []string) {
	t.Helper()
	row := uv.NewLine(s.Cols)
	for y, line := range lines {
		fillRow(row, line, "", termtext.Graphemes, Unicode)
		for x := 0; x < s.Cols; x += max(1, row[x].Width) {
			got, want := s.Cell(x, y), row[x]
			if want.Content == " " { // what is erased is neither bold nor has a colour of ink
				want.Style.Attrs &^= uv.AttrBold
				got.Bold, got.FG, want.Style.Fg = false, "", nil
			}
			if got.Text != unanchored(want.Content) || got.Bold != (want.Style.Attrs&uv.AttrBold != 0) || got.Link != want.Link.URL ||
				got.Reverse != (want.Style.Attrs&uv.AttrReverse != 0) || got.FG != colourName(want.Style.Fg) || got.BG != colourName(want.Style.Bg) {
				t.Fatalf("at %d,%d is %+v, want %q %+v\nof the line %q\n%s", x, y, got, want.Content, want.Style, line, s)
			}
		}
	}
}

func colourName(c color.Color) string {
	switch c := c.(type) {
	case nil:
		return ""
	case ansi.BasicColor:
		return fmt.Sprint(uint8(c))
	case ansi.IndexedColor:
		return fmt.Sprint(uint8(c))
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// What two terminals measure differently is anchored or wide, so that the text behind it
// is in its column and the renderer need not measure it.
func TestCanvasAnchorsWhatTerminalsMeasureDifferently(t *testing.T) {
	t.Parallel()
	for _, before := range []string{"", "a"} {
		for r := rune(0xa0); r <= utf8.MaxRune; r++ {
			s := before + string(r)
			n, width := termtext.Safe.Next(s)
			if n == len(s) && width == 1 && ansi.StringWidth(s) != ansi.StringWidthWc(s) && !disputed(s) {
				t.Errorf("%+q takes %d or %d columns, and is not anchored", s, ansi.StringWidth(s), ansi.StringWidthWc(s))
			}
		}
	}
}

// Lines that have moved are moved by the terminal, however many there are.
func TestCanvasMovesLines(t *testing.T) {
	t.Parallel()
	const width, height = 80, 40
	lines := make([]string, height)
	for y := range lines {
		lines[y] = fmt.Sprintf("line %d of some words, and 漢字 among them", y)
	}
	moves := map[string]func() []string{
		"up": func() []string {
			return append(append(append([]string{}, lines[3:35]...), "a", "b", "c"), lines[35:]...)
		},
		"down": func() []string { return append(append([]string{"a", "b"}, lines[:33]...), lines[35:]...) },
	}
	for name, moved := range moves {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			term := ptytest.NewEmulator(width, height, ptytest.Clusters)
			defer term.Close()
			c := testCanvas(termtext.Graphemes)
			c.resize(width, height)
			_, _ = term.Write(c.draw(lines, nil))
			after := moved()
			written := c.draw(after, nil)
			_, _ = term.Write(written)
			if s := term.Screen(); s.String() != strings.Join(after, "\n") {
				t.Errorf("the screen is\n%s", s)
			}
			if len(written) > 100 {
				t.Errorf("%d bytes were written: %q", len(written), written)
			}
		})
	}
}

// What terminals do not agree on is allowed to look wrong, and to reach into the
// blanks behind it, but not to move or hide any other character, in whatever way
// the terminal and the program measure.
func TestCanvasKeepsWhatStandsBesideContestedCharacters(t *testing.T) {
	t.Parallel()
	methods := map[string]termtext.Method{"graphemes": termtext.Graphemes, "safe": termtext.Safe}
	terminals := map[string]ptytest.Widths{"clusters": ptytest.Clusters, "code points": ptytest.CodePoints}
	pieces := append(append([]string(nil), words...), contested...)
	for name, method := range methods {
		for kind, widths := range terminals {
			t.Run(name+" on "+kind, func(t *testing.T) {
				t.Parallel()
				rapid.Check(t, func(t *rapid.T) { keepNeighbours(t, method, widths, pieces) })
			})
		}
	}
}

// A screen of cells takes half a megabyte: between frames there is one.
func TestCanvasKeepsOneScreenOfCells(t *testing.T) {
	t.Parallel()
	c := benchCanvas()
	lines := page(0)
	lines[3] = "another line"
	c.draw(lines, nil)
	for y, row := range c.cells.Lines {
		if &row[0] != &c.shown().Lines[y][0] {
			t.Errorf("row %d is there twice", y)
		}
	}
	if len(c.spare) > spareRows {
		t.Errorf("%d rows are kept to fill", len(c.spare))
	}
}

func keepNeighbours(t *rapid.T, method termtext.Method, widths ptytest.Widths, pieces []string) {
	width, height := rapid.IntRange(1, 40).Draw(t, "width"), rapid.IntRange(1, 12).Draw(t, "height")
	term := ptytest.NewEmulator(width, height, widths)
	defer term.Close()
	c := testCanvas(method)
	c.resize(width, height)
	lines := make([]string, height)
	row := uv.NewLine(width)
	for range rapid.IntRange(1, 8).Draw(t, "frames") {
		lines = drawFrame(t, lines, pieces)
		_, _ = term.Write(c.draw(lines, nil))
		s := term.Screen()
		for y, line := range lines {
			fillRow(row, line, "", method, Unicode)
			for x := 0; x < width; x += max(1, row[x].Width) {
				want := row[x].Content
				if want == " " && slices.ContainsFunc(contested, func(c string) bool { return strings.Contains(line, c) }) {
					continue
				}
				if unanchored(want) == want && !sameLetter(s.Cell(x, y).Text, want) {
					t.Fatalf("at %d,%d is %q, want %q\nof the line %q\n%s", x, y, s.Cell(x, y).Text, want, line, s)
				}
			}
		}
	}
}

// sameLetter leaves out accents: a terminal that draws code points puts them over
// the letter.
func sameLetter(a, b string) bool {
	first, _ := utf8.DecodeRuneInString(a)
	return first == []rune(b)[0]
}

// What a terminal does not show is exchanged cell by cell: nothing moves, and what
// cannot be shown at all stands out.
func TestExchangesWhatTheTerminalDoesNotShow(t *testing.T) {
	t.Parallel()
	row := uv.NewBuffer(12, 1).Lines[0]
	fillRow(row, "✓ é界…\x1b[1m│\x1b[0m🙂x", "", termtext.Graphemes, ASCII)
	got, lost := "", ""
	for _, c := range row {
		got += c.Content
		if c.Style.Attrs&uv.AttrReverse != 0 {
			lost += "^"
		} else {
			lost += " "
		}
	}
	if want := "+ ???~|??x  "; got != want {
		t.Errorf("the row is %q, want %q", got, want)
	}
	if want := "  ^^^  ^^   "; lost != want {
		t.Errorf("reversed is %q, want %q", lost, want)
	}
}
