package ptytest

import (
	"fmt"
	"image/color"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// Screen is one whole frame, as a person would have seen it. It does not
// change any more.
type Screen struct {
	Cols, Rows int
	Cursor     Cursor
	AltScreen  bool   // the program has taken the whole screen
	Title      string // of the window

	cells []uv.Cell // as the emulator has them: few are ever asked for
	lines []string
}

// Cursor is the text cursor. X and Y count from 0 at the top left.
type Cursor struct {
	X, Y    int
	Visible bool
}

// Cell is one character on the screen and its looks. Colours are "" for the
// terminal's own, "0" to "255" for the palette, and "#rrggbb".
type Cell struct {
	Text   string // one grapheme; "" for the right half of a wide one
	Width  int    // 1, 2, or 0 for the right half of a wide one
	FG, BG string
	Link   string // target of an OSC 8 link

	Bold, Faint, Italic, Underline, Reverse, Strikethrough bool
}

// String is the text of the screen, a line per row, without the spaces at the
// ends of lines.
func (s Screen) String() string { return strings.Join(s.lines, "\n") }

// Contains reports whether text is on the screen. Rows are joined by newlines.
func (s Screen) Contains(text string) bool { return strings.Contains(s.String(), text) }

// Line is the text of row y, from 0, without the spaces at its end; it is
// empty when there is no such row.
func (s Screen) Line(y int) string {
	if y < 0 || y >= s.Rows {
		return ""
	}
	return s.lines[y]
}

// Cell is the character at column x, row y, from 0; the zero Cell when that is
// off the screen.
func (s Screen) Cell(x, y int) Cell {
	if x < 0 || y < 0 || x >= s.Cols || y >= s.Rows {
		return Cell{}
	}
	return cellOf(&s.cells[y*s.Cols+x])
}

// Find returns the column and row at which text first begins. The text must
// be within one row.
func (s Screen) Find(text string) (x, y int, ok bool) {
	for y, line := range s.lines {
		at := strings.Index(line, text)
		if at < 0 {
			continue
		}
		x := 0
		for n := 0; n < at; {
			cell := &s.cells[y*s.Cols+x]
			n += len(cell.Content)
			x += cell.Width
		}
		return x, y, true
	}
	return 0, 0, false
}

// framed is the screen for a person who reads why a test failed.
func (s Screen) framed() string {
	var b strings.Builder
	fmt.Fprintf(&b, "┌%s┐\n", strings.Repeat("─", s.Cols))
	for y, line := range s.lines {
		pad := strings.Repeat(" ", max(0, s.Cols-ansi.StringWidth(line)))
		fmt.Fprintf(&b, "│%s%s│\n", line, pad)
		if s.Cursor.Visible && s.Cursor.Y == y {
			fmt.Fprintf(&b, " %s▲\n", strings.Repeat(" ", s.Cursor.X))
		}
	}
	fmt.Fprintf(&b, "└%s┘", strings.Repeat("─", s.Cols))
	return b.String()
}

// capture copies what is on the emulator's screen.
func (e *emulator) capture() *Screen {
	pos := e.emu.CursorPosition()
	s := &Screen{
		Cols: e.emu.Width(), Rows: e.emu.Height(),
		Cursor:    Cursor{X: pos.X, Y: pos.Y, Visible: e.visible},
		AltScreen: e.emu.IsAltScreen(),
		Title:     e.title,
	}
	s.cells = make([]uv.Cell, s.Cols*s.Rows)
	s.lines = make([]string, s.Rows)
	var line strings.Builder
	for y := range s.Rows {
		row := s.cells[y*s.Cols : (y+1)*s.Cols]
		line.Reset()
		for x := 0; x < s.Cols; {
			if c := e.emu.CellAt(x, y); c != nil {
				row[x] = *c
			}
			if row[x].Content == "" {
				row[x].Content = " "
			}
			row[x].Width = max(1, row[x].Width)
			line.WriteString(row[x].Content)
			x += row[x].Width
		}
		s.lines[y] = strings.TrimRight(line.String(), " ")
	}
	return s
}

func cellOf(c *uv.Cell) Cell {
	return Cell{
		Text: c.Content, Width: c.Width,
		FG: colourOf(c.Style.Fg), BG: colourOf(c.Style.Bg),
		// The emulator takes the two fields of OSC 8 in the wrong order.
		Link:          c.Link.Params,
		Bold:          c.Style.Attrs&uv.AttrBold != 0,
		Faint:         c.Style.Attrs&uv.AttrFaint != 0,
		Italic:        c.Style.Attrs&uv.AttrItalic != 0,
		Underline:     c.Style.Underline != uv.UnderlineNone,
		Reverse:       c.Style.Attrs&uv.AttrReverse != 0,
		Strikethrough: c.Style.Attrs&uv.AttrStrikethrough != 0,
	}
}

func colourOf(c color.Color) string {
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
