package screen

import (
	"bytes"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"

	"parley/internal/termtext"
)

// canvas knows what the cells of the terminal show, and writes what has to be
// sent so that they show something else. It draws on the alternate screen. It
// is not safe for concurrent use.
type canvas struct {
	renderer *uv.TerminalRenderer
	out      bytes.Buffer // what the renderer has to say
	cells    *uv.RenderBuffer
	lines    []string       // that the cells were made of
	links    []string       // the ids of the links in them
	changed  []int          // rows that differ in this frame
	rows     map[string]int // of changed lines: where each of them was
	votes    map[int]int    // for a shift: how many lines move by it
	method   termtext.Method
	glyphs   SymbolSet    // that the terminal shows
	seed     maphash.Seed // of the ids
}

// newCanvas makes a canvas for a terminal with these colours and glyphs. The environment
// names it, which decides on control sequences.
func newCanvas(env []string, profile colorprofile.Profile, glyphs SymbolSet, method termtext.Method) *canvas {
	c := &canvas{glyphs: glyphs, cells: uv.NewRenderBuffer(0, 0), rows: map[string]int{}, votes: map[int]int{}, seed: maphash.MakeSeed()}
	c.renderer = uv.NewTerminalRenderer(&c.out, env)
	c.renderer.SaveCursor() // before it writes anything: see settle
	c.renderer.SetColorProfile(profile)
	c.renderer.SetFullscreen(true)
	c.measure(method)
	return c
}

// measure changes how text is measured. All is drawn anew.
func (c *canvas) measure(method termtext.Method) {
	c.renderer.SetGraphemeWidth(method == termtext.Graphemes)
	c.method = method
	c.forget()
}

// resize gives the canvas the terminal's size. All is drawn anew.
func (c *canvas) resize(width, height int) {
	c.cells = uv.NewRenderBuffer(width, height)
	c.lines, c.links = make([]string, height), make([]string, height)
	// The renderer knows the terminal's width by its tab stops, and moves the
	// cursor by short ways only if it knows it. Tabs are none of them: they would
	// save a byte now and then, and take longer to think about than all the rest.
	c.renderer.SetTabStops(width)
	c.renderer.SetTabStops(-1)
	c.renderer.Resize(width, height)
	c.renderer.Erase()
}

// forget makes the canvas draw everything with the next frame, whatever the
// terminal shows.
func (c *canvas) forget() { c.resize(c.cells.Width(), c.cells.Height()) }

func (c *canvas) fits(width, height int) bool {
	return c.cells.Width() == width && c.cells.Height() == height
}

// draw returns what changes the screen to these lines and puts the cursor where
// it belongs, if it is shown at all. The result is valid until the next call.
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

// touch makes the renderer look at a row.
func (c *canvas) touch(y int) { c.cells.TouchLine(0, y, c.cells.Width()) }

func blank(row uv.Line) bool {
	for x := range row {
		if row[x] != uv.EmptyCell {
			return false
		}
	}
	return true
}

// fill makes the cells of a row.
//
// The renderer takes the links of two rows for one, which it does not begin again
// in the second, if they are the same (charmbracelet/ultraviolet issue 189). So
// each row's have an id of their own, which goes with the line when it moves.
func (c *canvas) fill(y int, line string) {
	id := ""
	if strings.Contains(line, "\x1b]8;") {
		sum := maphash.String(c.seed, line)
		for id = linkID(sum); slices.Contains(c.links, id); id = linkID(sum) {
			sum++
		}
	}
	c.lines[y] = line
	if !fillRow(c.cells.Lines[y], line, id, c.method, c.glyphs) {
		id = ""
	}
	c.links[y] = id
}

func linkID(n uint64) string { return "id=" + strconv.FormatUint(n%(1<<30), 36) }

// settle tidies up what the renderer leaves undone behind a frame.
func (c *canvas) settle() {
	clear(c.cells.Touched) // marks that make it look at every line again
	// It has ended a link, and yet takes what it writes next for a part of it: so
	// it is given back the pen that it began with.
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
