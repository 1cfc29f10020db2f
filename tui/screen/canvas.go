package screen

import (
	"bytes"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"parley/internal/termtext"
)

// canvas knows what the cells of the terminal show, and writes the changes to show
// something else. It draws on the alternate screen. It is not safe for concurrent use.
type canvas struct {
	renderer *uv.TerminalRenderer
	out      bytes.Buffer // output of the renderer
	cells    *uv.RenderBuffer
	lines    []string       // the source of the cells
	links    []string       // the ids of the links in them
	changed  []int          // rows that differ in this frame
	rows     map[string]int // previous row of each changed line
	votes    map[int]int    // for a shift: number of lines that move by it
	method   termtext.Method
	symbols  SymbolSet    // supported by the terminal
	seed     maphash.Seed // for the ids
}

// newCanvas returns a canvas for a terminal with these colours and symbols. The
// environment names the terminal, which decides on control sequences.
func newCanvas(env []string, profile colorprofile.Profile, glyphs SymbolSet, method termtext.Method) *canvas {
	c := &canvas{symbols: glyphs, cells: uv.NewRenderBuffer(0, 0), rows: map[string]int{}, votes: map[int]int{}, seed: maphash.MakeSeed()}
	c.renderer = uv.NewTerminalRenderer(&c.out, env)
	c.renderer.SaveCursor() // before any output: see settle
	c.renderer.SetColorProfile(profile)
	c.renderer.SetFullscreen(true)
	c.measure(method)
	return c
}

// measure changes how text is measured, and redraws everything.
func (c *canvas) measure(method termtext.Method) {
	c.renderer.SetGraphemeWidth(method == termtext.Graphemes)
	// The renderer repaints lines with characters that its method and Unicode measure
	// differently. Ours are anchored, and the tables of the other method take 2 MB.
	c.renderer.SetWidthMethod(ansi.GraphemeWidth)
	c.method = method
	c.forget()
}

// resize sets the terminal's size, and redraws everything.
func (c *canvas) resize(width, height int) {
	c.cells = uv.NewRenderBuffer(width, height)
	c.lines, c.links = make([]string, height), make([]string, height)
	// The renderer learns the width from its tab stops, and uses short cursor movements
	// only if it knows the width. It does not move by tabs: they would save few bytes
	// and cost more time than all the rest.
	c.renderer.SetTabStops(width)
	c.renderer.SetTabStops(-1)
	c.renderer.Resize(width, height)
	c.renderer.Erase()
}

// forget makes the next frame draw everything, whatever the terminal shows.
func (c *canvas) forget() { c.resize(c.cells.Width(), c.cells.Height()) }

func (c *canvas) fits(width, height int) bool {
	return c.cells.Width() == width && c.cells.Height() == height
}

// draw returns the output that changes the screen to these lines and places the cursor,
// if it is shown. The result is valid until the next call.
func (c *canvas) draw(lines []string, cursor *tea.Position) []byte {
	c.out.Reset()
	c.compare(lines)
	if s, ok := c.shifted(lines); ok {
		c.move(s)
		c.compare(lines)
	}
	for _, y := range c.changed {
		c.links[y] = "" // free for the row that the line has moved to
	}
	for _, y := range c.changed {
		c.fill(y, lineAt(lines, y))
		c.touch(y)
		if blank(c.cells.Lines[y]) {
			c.touch(y - 1) // the renderer erases from there when it clears the rest of the screen
		}
	}
	c.renderer.Render(c.cells)
	c.settle()
	if cursor != nil {
		c.renderer.MoveTo(cursor.X, cursor.Y)
	}
	_ = c.renderer.Flush() // into a buffer, which cannot fail
	return c.out.Bytes()
}

// touch marks a row for the renderer.
func (c *canvas) touch(y int) { c.cells.TouchLine(0, y, c.cells.Width()) }

func blank(row uv.Line) bool {
	for x := range row {
		if row[x] != uv.EmptyCell {
			return false
		}
	}
	return true
}

// fill sets the cells of a row.
//
// The renderer treats equal links in two rows as one, and does not begin it again in
// the second row (charmbracelet/ultraviolet issue 189). So links get an id per row,
// which moves with the line.
func (c *canvas) fill(y int, line string) {
	id := ""
	if strings.Contains(line, "\x1b]8;") {
		sum := maphash.String(c.seed, line)
		for id = linkID(sum); slices.Contains(c.links, id); id = linkID(sum) {
			sum++
		}
	}
	c.lines[y] = line
	if !fillRow(c.cells.Lines[y], line, id, c.method, c.symbols) {
		id = ""
	}
	c.links[y] = id
}

func linkID(n uint64) string { return "id=" + strconv.FormatUint(n%(1<<30), 36) }

// settle completes what the renderer leaves undone after a frame.
func (c *canvas) settle() {
	clear(c.cells.Touched) // marks that make it look at every line again
	// It has ended a link, but treats its next output as part of it: restore the pen
	// that it began with.
	x, y := c.renderer.Position()
	c.renderer.RestoreCursor()
	c.renderer.SetPosition(x, y)
}

// compare finds the rows that differ.
func (c *canvas) compare(lines []string) {
	c.changed = c.changed[:0]
	for y, was := range c.lines {
		if was != lineAt(lines, y) {
			c.changed = append(c.changed, y)
		}
	}
}

func lineAt(lines []string, y int) string {
	if y < len(lines) {
		return lines[y]
	}
	return ""
}

// Terminals disagree about the width of some characters: joined emoji, flags, skin
// tones, variation selectors, conjuncts of Indic scripts, and characters that are newer
// than the terminal. The text after such a character must be in the right column wherever
// the cursor ends up. So its columns are erased first, and the cursor is then moved
// behind them by column number. Both sequences are part of the cell's content, so that
// the renderer never writes it without them.

// anchored returns the content of a cell for a disputed character at a position.
func anchored(character string, column, columns, row int) string {
	if !disputed(character) {
		return character
	}
	content := ansi.EraseCharacter(columns) + character + ansi.CursorHorizontalAbsolute(column+columns+1)
	// No terminal takes more than two columns per code point.
	if column+2*utf8.RuneCountInString(character) > row {
		// It might wrap and overwrite the next row.
		content = ansi.ResetModeAutoWrap + content + ansi.SetModeAutoWrap
	}
	return content
}

// unanchored returns the character alone.
func unanchored(content string) string {
	if strings.IndexByte(content, ansi.ESC) < 0 {
		return content
	}
	return ansi.Strip(content)
}

// disputed reports whether terminals disagree about the width of a character.
func disputed(character string) bool {
	first, n := utf8.DecodeRuneInString(character)
	if n == len(character) {
		return first >= firstEmoji || first >= utf8.RuneSelf && (unicode.In(first, unicode.Cf, unicode.Mc) || !unicode.IsGraphic(first))
	}
	for _, r := range character[n:] {
		if !unicode.In(r, unicode.Mn, unicode.Me) || r >= 0xfe00 && r <= 0xfe0f { // variation selectors
			return true
		}
	}
	return first >= firstEmoji || unicode.Is(unicode.Cf, first)
}

// firstEmoji is where the blocks of pictographs begin. Every version of Unicode adds
// some.
const firstEmoji = 0x1f000
