package ptytest

import (
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/parser"
	"github.com/charmbracelet/x/vt"
)

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

// Emulator is a terminal without a program: what is written is drawn. It gives
// no answers.
type Emulator struct{ e *emulator }

// NewEmulator returns an empty terminal. Close ends it.
func NewEmulator(cols, rows int, widths Widths) *Emulator {
	return &Emulator{newEmulator(Options{Cols: cols, Rows: rows, Legacy: true, Widths: widths})}
}

// Write draws what a program has written. It never fails.
func (m *Emulator) Write(p []byte) (int, error) {
	m.e.write(p)
	return len(p), nil
}

// Screen returns the screen.
func (m *Emulator) Screen() Screen { return *m.e.capture() }

// Resize gives the terminal another size.
func (m *Emulator) Resize(cols, rows int) { m.e.emu.Resize(cols, rows) }

// Close releases the emulator.
func (m *Emulator) Close() { m.e.stopReplies() }
