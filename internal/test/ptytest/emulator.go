package ptytest

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"strings"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/parser"
	"github.com/charmbracelet/x/vt"
)

// Emulator is the screen and the terminal's settings. Terminal.mu guards it, except
// emu.Read, which has its own lock.
type Emulator struct {
	emu     *vt.Emulator
	modes   map[ansi.Mode]bool
	visible bool // the cursor
	title   string
	panics  int     // sequences that made the emulator panic
	frozen  *Screen // the last whole frame, while a synchronized update is drawn
	updates int     // synchronized ones that have begun

	settings   State // those that the emulator does not keep
	clipboard  string
	widths     Widths
	codePoints *codePoints

	kitty      bool // the terminal knows the keyboard protocol
	kittyFlags [2][]int
}

func newEmulator(o Options) *Emulator {
	e := &Emulator{
		emu:     vt.NewEmulator(o.Cols, o.Rows),
		modes:   map[ansi.Mode]bool{ansi.ModeTextCursorEnable: true, ansi.ModeAutoWrap: true},
		visible: true,
		kitty:   !o.Legacy,
		widths:  o.Widths, codePoints: newCodePoints(),
	}
	fg, bg := color.RGBA{0xd0, 0xd0, 0xd0, 0xff}, color.RGBA{0x1e, 0x1e, 0x1e, 0xff}
	if o.Light {
		fg, bg = color.RGBA{0x24, 0x24, 0x24, 0xff}, color.RGBA{0xfa, 0xfa, 0xfa, 0xff}
	}
	e.emu.SetDefaultForegroundColor(fg)
	e.emu.SetDefaultBackgroundColor(bg)
	e.emu.SetCallbacks(vt.Callbacks{
		Title:            func(s string) { e.title = s },
		CursorVisibility: func(visible bool) { e.visible = visible },
		EnableMode:       func(m ansi.Mode) { e.setMode(m, true) },
		DisableMode:      func(m ansi.Mode) { e.setMode(m, false) },
	})
	e.watchSettings()
	e.watchClipboard()
	e.answerQueries()
	return e
}

// Write draws the program's output one sequence at a time, so that it continues after a
// sequence that makes the emulator panic. It never fails.
func (e *Emulator) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		end := 1 + bytes.IndexByte(rest[1:], ansi.ESC)
		if end == 0 {
			end = len(rest)
		}
		e.draw(rest[:end])
		rest = rest[end:]
	}
	return len(p), nil
}

// draw draws one piece of output. It counts and skips a sequence that makes the emulator
// panic, such as one that scrolls beyond the end of a window that has shrunk.
func (e *Emulator) draw(p []byte) {
	defer func() {
		if recover() != nil {
			e.panics++
		}
	}()
	if e.widths == CodePoints || e.widths == Negotiated && !e.modes[ansi.ModeUnicodeCore] {
		e.codePoints.write(e.emu, p)
		return
	}
	_, _ = e.emu.Write(p)
}

func (e *Emulator) setMode(m ansi.Mode, on bool) {
	if m == ansi.ModeSynchronizedOutput {
		switch {
		case on && e.frozen == nil:
			e.frozen = e.capture()
			e.updates++
		case !on:
			e.frozen = nil
		}
	}
	e.modes[m] = on
}

// current is the last whole frame.
func (e *Emulator) current() *Screen {
	if e.frozen != nil {
		return e.frozen
	}
	return e.capture()
}

// answerQueries adds the answers that the emulator lacks: it knows device attributes,
// cursor position, colours and most modes. Answers go through its pipe, in the order of
// the queries.
func (e *Emulator) answerQueries() {
	say := func(format string, args ...any) bool {
		_, _ = fmt.Fprintf(e.emu.InputPipe(), format, args...)
		return true
	}
	e.emu.RegisterCsiHandler(ansi.Command('>', 0, 'q'), func(ansi.Params) bool { // XTVERSION
		return say("\x1bP>|ptytest 1\x1b\\")
	})
	e.emu.RegisterDcsHandler(ansi.Command(0, '+', 'q'), func(ansi.Params, []byte) bool { // XTGETTCAP
		return say("\x1bP0+r\x1b\\")
	})
	e.emu.RegisterCsiHandler(ansi.Command('?', '$', 'p'), func(p ansi.Params) bool { // DECRQM
		var mode ansi.Mode
		switch n, _, _ := p.Param(0, 0); {
		case n == ansi.ModeSynchronizedOutput.Mode():
			mode = ansi.ModeSynchronizedOutput
		case n == ansi.ModeUnicodeCore.Mode() && e.widths == Negotiated:
			mode = ansi.ModeUnicodeCore
		default:
			return false
		}
		setting := ansi.ModeReset
		if e.modes[mode] {
			setting = ansi.ModeSet
		}
		return say("%s", ansi.ReportMode(mode, setting))
	})
	if e.kitty {
		e.answerKitty(say)
	}
}

// answerKitty speaks the terminal's part of the kitty keyboard protocol, which
// keeps one stack of flags for each of the two screens.
// https://sw.kovidgoyal.net/kitty/keyboard-protocol/
func (e *Emulator) answerKitty(say func(string, ...any) bool) {
	e.emu.RegisterCsiHandler(ansi.Command('?', 0, 'u'), func(ansi.Params) bool {
		return say("\x1b[?%du", e.keyboard().kitty)
	})
	e.emu.RegisterCsiHandler(ansi.Command('>', 0, 'u'), func(p ansi.Params) bool {
		flags, _, _ := p.Param(0, 0)
		stack := e.kittyStack()
		*stack = append(*stack, flags)
		return true
	})
	e.emu.RegisterCsiHandler(ansi.Command('<', 0, 'u'), func(p ansi.Params) bool {
		n, _, _ := p.Param(0, 1)
		stack := e.kittyStack()
		*stack = (*stack)[:max(0, len(*stack)-max(1, n))]
		return true
	})
	e.emu.RegisterCsiHandler(ansi.Command('=', 0, 'u'), func(p ansi.Params) bool {
		flags, _, _ := p.Param(0, 0)
		stack := e.kittyStack()
		*stack = append((*stack)[:max(0, len(*stack)-1)], flags)
		return true
	})
}

func (e *Emulator) kittyStack() *[]int {
	if e.emu.IsAltScreen() {
		return &e.kittyFlags[1]
	}
	return &e.kittyFlags[0]
}

// keyboard is how the program wants keys to be sent.
func (e *Emulator) keyboard() keyboard {
	k := keyboard{appCursor: e.modes[ansi.ModeCursorKeys]}
	if stack := *e.kittyStack(); len(stack) > 0 {
		k.kitty = stack[len(stack)-1]
	}
	return k
}

// Close ends the goroutine that reads the emulator's answers. The
// emulator's own Close would race with it.
func (e *Emulator) Close() {
	if w, ok := e.emu.InputPipe().(io.Closer); ok {
		_ = w.Close()
	}
}

// Screen is one complete frame, as a user would have seen it. It never changes.
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

// framed returns the screen with a frame, for the message of a failed test.
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
func (e *Emulator) capture() *Screen {
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
		Link:          c.Link.URL,
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

// Widths is how a terminal measures text.
type Widths int

const (
	// Clusters is a terminal that draws a grapheme cluster in one or two columns
	// and does not say so.
	Clusters Widths = iota
	// CodePoints is a terminal that draws every code point for itself, as
	// wcwidth(3) measures it.
	CodePoints
	// Negotiated is a terminal that does the latter until it is asked for the
	// former by mode 2027.
	Negotiated
)

// codePoints feeds an emulator that joins what belongs together with one code
// point at a time, so that it does not. The emulator is one that does so only
// between two writes.
type codePoints struct {
	parser  *ansi.Parser
	printed rune
	pending []byte
}

func newCodePoints() *codePoints {
	c := &codePoints{parser: ansi.NewParser()}
	c.parser.SetHandler(ansi.Handler{Print: func(r rune) { c.printed = r }})
	return c
}

func (c *codePoints) write(emu *vt.Emulator, p []byte) {
	for _, b := range p {
		c.printed = 0
		began := c.parser.State() != parser.Utf8State
		c.parser.Advance(b)
		switch {
		case c.printed >= utf8.RuneSelf:
			c.pending = append(c.pending, b)
			if ansi.WcWidth.StringWidth(string(c.printed)) == 0 {
				c.pending = c.pending[:0] // drawn over the cell before
			}
			c.flush(emu)
		case began && c.parser.State() == parser.Utf8State:
			c.flush(emu)
			c.pending = append(c.pending, b)
		default:
			c.pending = append(c.pending, b)
		}
	}
	if c.parser.State() != parser.Utf8State {
		c.flush(emu)
	}
}

func (c *codePoints) flush(emu *vt.Emulator) {
	if len(c.pending) > 0 {
		_, _ = emu.Write(c.pending)
		c.pending = c.pending[:0]
	}
}

// NewEmulator returns an empty terminal without a program: what is written is drawn. It gives no
// answers. Close ends it.
func NewEmulator(cols, rows int, widths Widths) *Emulator {
	return newEmulator(Options{Cols: cols, Rows: rows, Legacy: true, Widths: widths})
}

// Screen returns the screen.
func (e *Emulator) Screen() Screen { return *e.capture() }
