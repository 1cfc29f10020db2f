// Package screen turns what programs write to a terminal into lines that are safe to
// draw.
//
// A Screen follows the output as a terminal would and returns lines of text and
// colours. The same emulation produces the plain text that terminal/output answers: see
// PlainText. Retained keeps the end of an output that is too long to keep whole.
//
// # Why our own emulator
//
// A transcript contains many terminals, and each may write megabytes. Measured for 80
// by 24 with 5,000 lines of scrollback, on two shared cores (go test -bench Screen for
// ours):
//
//	                       x/vt        Screen
//	plain text             1.8 MB/s    31 MB/s
//	coloured text          3.4 MB/s    36 MB/s
//	progress bars          8.0 MB/s    90 MB/s
//	held, plain            37 MB       0.6 MB
//	held, coloured         24 MB       0.5 MB
//
// The emulator of github.com/charmbracelet/x/vt (2026-04-27) keeps every cell of its
// scrollback, allocates for each character, and needs a goroutine that reads its
// replies. Screen keeps cells only for the visible grid: a line that leaves it becomes
// a string once, runs of ASCII take a fast path, and nothing replies. x/ansi's parser
// still parses the escape sequences. Widths are those of package termtext, the most
// that any terminal takes, so that no line is wider when drawn than it is here.
package screen

import (
	"fmt"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/parser"
)

// Bounds of a grid. A size beyond them is a mistake or an attack.
const (
	defaultCols = 80
	defaultRows = 24
	maxCols     = 1000
	maxRows     = 500
)

// Screen turns the output of a program into lines that are safe to draw: it follows
// cursor movements, erasures and colours as a terminal does, and returns lines that
// contain only text and SGR sequences. It answers queries only after SetReply, and
// ignores the bell, titles and the clipboard.
//
// Lines that leave the top of the grid become scrollback. A program cannot take it
// back: clearing the screen moves its lines there, and Screen ignores the sequence that
// clears scrollback. While a program uses the alternate screen, that follows the
// earlier lines, and it disappears when the program leaves it.
//
// A Screen is not safe for concurrent use.
type Screen struct {
	cols, rows int
	grid       []row
	under      []row // the main grid while the alternate one is shown, else nil
	history    history
	scrolled   int        // number of rows that have left the main grid
	evict      func(*row) // takes rows in place of history, if set
	asSent     bool       // blank letters are kept

	x, y        int
	pendingWrap bool // the last column is written: the next character wraps
	joinable    bool // the character before the cursor may take combining marks
	pen         style
	top, bottom int // the scroll region, both inclusive
	saved       cursor
	beforeAlt   cursor
	noWrap      bool
	impliedCR   bool
	lineDrawing [2]bool // whether G0 and G1 are the DEC line drawing set
	shifted     bool    // G1 is in use
	modes       Modes
	reply       func([]byte) // answers queries, if set

	parser  *ansi.Parser
	partial []byte // the beginning of a UTF-8 sequence, until the rest comes
	scratch []byte // buffer for building lines
}

// cursor is the state that a program can save and restore.
type cursor struct {
	x, y int
	pen  style
}

// New returns an empty screen of cols columns and rows rows that keeps that many lines
// of scrollback, with an average of at most 512 bytes per line. Size bounds the size.
func New(cols, rows, scrollback int) *Screen {
	cols, rows = Size(cols, rows)
	s := &Screen{cols: cols, rows: rows, history: history{limit: max(scrollback, 0)}, parser: newParser()}
	s.parser.SetHandler(ansi.Handler{Execute: s.execute, HandleCsi: s.csi, HandleEsc: s.esc})
	s.clearState()
	return s
}

// Size clamps a size to the bounds of a screen: 80 by 24 for values that are not
// positive, at most 1000 by 500.
func Size(cols, rows int) (int, int) {
	return clampSize(cols, defaultCols, maxCols), clampSize(rows, defaultRows, maxRows)
}

func clampSize(n, byDefault, most int) int {
	if n <= 0 {
		return byDefault
	}
	return min(n, most)
}

// clearState empties the grid and resets every mode, but keeps scrollback.
func (s *Screen) clearState() {
	s.grid, s.under = make([]row, s.rows), nil
	s.moveTo(0, 0)
	s.pen, s.saved, s.beforeAlt = style{}, cursor{}, cursor{}
	s.top, s.bottom = 0, s.rows-1
	s.noWrap, s.lineDrawing, s.shifted, s.modes = false, [2]bool{}, false, Modes{}
}

// SetImpliedCR makes a line feed also return to the first column, for output that does
// not come from a pty and so has no CRLF.
func (s *Screen) SetImpliedCR(on bool) { s.impliedCR = on }

// Write takes the next output, split anywhere. It never fails and does not retain p.
func (s *Screen) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		rest = s.consume(rest)
	}
	return len(p), nil
}

// consume handles p and returns the unused rest, usually nothing. If the emulation
// panics, it resets its state and continues after the byte that caused it: partly wrong
// lines are better than a crash.
func (s *Screen) consume(p []byte) (rest []byte) {
	i := 0
	defer func() {
		if recover() != nil {
			s.parser.Reset()
			s.partial = s.partial[:0]
			s.clearState()
			rest = p[min(i+1, len(p)):]
		}
	}()
	for i < len(p) {
		if s.parser.State() != ground {
			advance(s.parser, p[i])
			i++
			continue
		}
		switch b := p[i]; {
		case len(s.partial) > 0 || b >= utf8.RuneSelf:
			i += s.decode(p[i:])
		case b >= ' ' && b != 0x7f:
			n := 1
			for i+n < len(p) && p[i+n] >= ' ' && p[i+n] < 0x7f {
				n++
			}
			s.printASCII(p[i : i+n])
			i += n
		default:
			s.parser.Advance(b)
			i++
		}
	}
	return nil
}

// decode prints the character that p begins with or completes, and returns how many
// bytes of p it used.
func (s *Screen) decode(p []byte) int {
	held := len(s.partial)
	if held == 0 && utf8.FullRune(p) {
		r, n := utf8.DecodeRune(p)
		s.print(r)
		return n
	}
	take := min(len(p), utf8.UTFMax-held)
	s.partial = append(s.partial, p[:take]...)
	if !utf8.FullRune(s.partial) {
		return take
	}
	r, n := utf8.DecodeRune(s.partial)
	s.partial = s.partial[:0]
	if n <= held { // the held bytes do not begin a character
		for range held {
			s.print(utf8.RuneError)
		}
		return 0
	}
	s.print(r)
	return n - held
}

// Len returns the number of lines so far, without trailing blank ones.
func (s *Screen) Len() int {
	return s.history.len() + inkRows(s.under) + inkRows(s.grid)
}

// Line returns line i, counted from the oldest: only text and SGR sequences, beginning
// and ending in the plain style, no wider than the screen. It returns "" out of range.
func (s *Screen) Line(i int) string {
	if i >= 0 && i < s.history.len() {
		return s.history.at(i).text
	}
	if r := s.row(i); r != nil {
		return s.styled(r)
	}
	return ""
}

// Wrapped reports whether line i was wrapped: its text continues in the next line.
func (s *Screen) Wrapped(i int) bool {
	if i >= 0 && i < s.history.len() {
		return s.history.at(i).wrapped
	}
	r := s.row(i)
	return r != nil && r.wrapped
}

// row returns the row that is line i, nil if there is none.
func (s *Screen) row(i int) *row {
	i -= s.history.len()
	for _, grid := range [...][]row{s.under, s.grid} {
		n := inkRows(grid)
		if i >= 0 && i < n {
			return &grid[i]
		}
		i -= n
	}
	return nil
}

// Tail returns the last n lines, or all if there are fewer. Its cost does not depend on
// the length of the scrollback.
func (s *Screen) Tail(n int) []string {
	length := s.Len()
	n = min(max(n, 0), length)
	lines := make([]string, 0, n)
	for i := length - n; i < length; i++ {
		lines = append(lines, s.Line(i))
	}
	return lines
}

// Lines returns all lines: scrollback and screen.
func (s *Screen) Lines() []string { return s.Tail(s.Len()) }

// inkRows returns the number of rows up to the last one that is not blank.
func inkRows(grid []row) int {
	n := len(grid)
	for n > 0 && grid[n-1].inkEnd() == 0 {
		n--
	}
	return n
}

// styled draws a row. A wrapped row keeps its trailing blanks, because they separate
// two words.
func (s *Screen) styled(r *row) string {
	end := r.inkEnd()
	if r.wrapped {
		end = len(r.cells)
	}
	s.scratch = appendStyled(s.scratch[:0], r.cells[:end])
	return string(s.scratch)
}

// keep moves a row that leaves the main grid into scrollback.
func (s *Screen) keep(r *row) {
	s.scrolled++
	if s.evict != nil {
		s.evict(r)
		return
	}
	if s.history.limit > 0 {
		s.history.push(line{text: s.styled(r), wrapped: r.wrapped})
	}
}

// Resize changes the number of columns. It rewraps wrapped lines; what the program has
// drawn with cursor movements survives as far as a change of width allows.
func (s *Screen) Resize(cols int) {
	cols = clampSize(cols, defaultCols, maxCols)
	if cols == s.cols {
		return
	}
	main, x, y := s.grid, s.x, s.y
	if s.under != nil {
		main, x, y = s.under, s.beforeAlt.x, s.beforeAlt.y
	}
	next := New(cols, s.rows, s.history.limit)
	for i := range s.history.len() {
		l := s.history.at(i)
		next.replay([]byte(l.text), l.wrapped)
	}
	if s.pendingWrap && s.under == nil {
		x++ // the cursor is after what it shows
	}
	x, y = next.replayGrid(main, x, y)
	s.cols, s.history, s.scrolled = cols, next.history, next.scrolled
	s.top, s.bottom = 0, s.rows-1
	if s.under != nil {
		// The program redraws its alternate screen at the new size.
		s.under, s.beforeAlt.x, s.beforeAlt.y = next.grid, x, y
		for i := range s.grid {
			if r := &s.grid[i]; len(r.cells) > cols {
				r.detach(cols)
				r.cells = r.cells[:cols]
			}
		}
		s.moveTo(s.x, s.y)
		return
	}
	s.grid = next.grid
	s.moveTo(x, y)
}

// replayGrid lays out the rows of another grid and returns the new position of its
// cursor.
func (s *Screen) replayGrid(grid []row, x, y int) (newX, newY int) {
	last := max(inkRows(grid), y+1) - 1
	for i := range last + 1 {
		r := &grid[i]
		end := r.inkEnd()
		if r.wrapped {
			end = len(r.cells)
		}
		from := 0
		if i == y {
			from = min(x, len(r.cells))
			s.consume(appendStyled(nil, r.cells[:from]))
			newX, newY = s.x+x-from, s.scrolled+s.y
		}
		s.replay(appendStyled(nil, r.cells[from:max(end, from)]), r.wrapped || i == last)
	}
	return newX, newY - s.scrolled
}

// replay writes a line that a screen has drawn before.
func (s *Screen) replay(text []byte, wrapped bool) {
	s.consume(text)
	if !wrapped {
		s.consume([]byte("\r\n"))
	}
}

const ground = parser.GroundState

// newParser returns a parser of escape sequences that keeps no strings (titles,
// clipboards, images): they are unused, and a program can make them arbitrarily long.
func newParser() *ansi.Parser {
	p := new(ansi.Parser)
	p.SetParamsSize(parser.MaxParamsSize)
	p.SetDataSize(1) // zero would mean unbounded
	return p
}

// advance feeds one byte of an escape sequence. It skips bytes above ASCII: in UTF-8
// they are parts of characters, and the parser would take some of them for control
// characters, such as 0x9C for the end of a title.
func advance(p *ansi.Parser, b byte) {
	if b < 0x80 {
		p.Advance(b)
	}
}

// Modes are the terminal modes that a program has set and that matter for its input.
// The zero value holds the defaults.
type Modes struct {
	// CursorKeys is DECCKM: send arrows, home and end in application mode.
	CursorKeys bool
	// BracketedPaste asks for pastes to be bracketed.
	BracketedPaste bool
	// CursorHidden hides the cursor.
	CursorHidden bool
	// Alternate reports whether the program draws on the alternate screen, which has no
	// scrollback.
	Alternate bool
}

// Modes returns the current modes.
func (s *Screen) Modes() Modes {
	m := s.modes
	m.Alternate = s.under != nil
	return m
}

// Cursor returns the column and row of the cursor on the grid, from 0.
func (s *Screen) Cursor() (x, y int) { return s.x, s.y }

// Above returns the number of scrollback lines above the grid; 0 on the alternate
// screen.
func (s *Screen) Above() int {
	if s.under != nil {
		return 0
	}
	return s.history.len()
}

// View returns row y of the grid, as a terminal shows it when scrolled back by back
// lines (at most Above), in the form of Line.
func (s *Screen) View(y, back int) string {
	y -= min(max(back, 0), s.Above())
	switch {
	case y < 0:
		return s.history.at(s.history.len() + y).text
	case y < len(s.grid):
		return s.styled(&s.grid[y])
	}
	return ""
}

// Continues reports whether row y of the grid was wrapped: its text continues in the next.
func (s *Screen) Continues(y int) bool { return y >= 0 && y < len(s.grid) && s.grid[y].wrapped }

// SetReply makes the Screen answer queries for the terminal type, the status and the
// cursor position. No answer contains anything that the program has sent. Nil, the
// default, answers nothing. Write calls reply.
func (s *Screen) SetReply(reply func([]byte)) { s.reply = reply }

// query answers a query if SetReply was called.
func (s *Screen) query(final byte, n int) {
	if s.reply == nil {
		return
	}
	switch {
	case final == 'c' && n == 0: // DA1: a VT220 with colours
		s.reply([]byte("\x1b[?62;22c"))
	case final == 'n' && n == 5: // DSR
		s.reply([]byte("\x1b[0n"))
	case final == 'n' && n == 6: // CPR
		s.reply(fmt.Appendf(nil, "\x1b[%d;%dR", s.y+1, s.x+1))
	}
}
