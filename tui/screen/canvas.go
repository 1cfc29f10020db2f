package screen

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"reflect"
	"runtime"
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
	out      bytes.Buffer     // output of the renderer
	cells    *uv.RenderBuffer // rows that do not change are those of the renderer: see share
	spare    []uv.Line        // rows to fill
	lines    []string         // the source of the cells
	links    []string         // the ids of the links in them
	changed  []int            // rows that differ in this frame
	rows     map[string]int   // previous row of each changed line
	votes    map[int]int      // for a shift: number of lines that move by it
	method   termtext.Method
	symbols  SymbolSet    // supported by the terminal
	seed     maphash.Seed // for the ids
}

// newCanvas returns a canvas for a terminal with these colours and symbols. The
// environment names the terminal, which decides on control sequences.
func newCanvas(env []string, profile colorprofile.Profile, glyphs SymbolSet, method termtext.Method) *canvas {
	c := &canvas{symbols: glyphs, cells: uv.NewRenderBuffer(0, 0), rows: map[string]int{}, votes: map[int]int{}, seed: maphash.MakeSeed()}
	c.renderer = uv.NewTerminalRenderer(&c.out, env)
	c.renderer.SaveCursor() // before any output: see draw
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
	c.spare = nil
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
		if !slices.ContainsFunc(c.cells.Lines[y], func(cell uv.Cell) bool { return cell != uv.EmptyCell }) {
			c.touch(y - 1) // the renderer erases from there when it clears the rest of the screen
		}
	}
	c.renderer.Render(c.cells)
	c.share()
	// The renderer has ended a link, but treats its next output as part of it: restore the
	// pen that it began with.
	x, y := c.renderer.Position()
	c.renderer.RestoreCursor()
	c.renderer.SetPosition(x, y)
	if cursor != nil {
		c.renderer.MoveTo(cursor.X, cursor.Y)
	}
	_ = c.renderer.Flush() // into a buffer, which cannot fail
	return c.out.Bytes()
}

// spareRows is how many rows a canvas keeps to fill, at least.
const spareRows = 4

// share gives up the rows that the renderer has copied, since a screen of cells takes half a
// megabyte. The next frame fills as many of them again as this one did, or spareRows.
func (c *canvas) share() {
	shown := c.shown()
	if shown == nil {
		return
	}
	for _, y := range c.changed {
		c.spare = append(c.spare, c.cells.Lines[y])
	}
	if keep := max(len(c.changed), spareRows); len(c.spare) > keep {
		clear(c.spare[keep:])
		c.spare = c.spare[:keep]
	}
	copy(c.cells.Lines, shown.Lines)
}

// own makes a row of the cells one that the renderer does not have.
func (c *canvas) own(y int) {
	shown := c.shown()
	if shown == nil || c.cells.Width() == 0 || &c.cells.Lines[y][0] != &shown.Lines[y][0] {
		return
	}
	n := len(c.spare) - 1
	if n < 0 {
		c.cells.Lines[y] = make(uv.Line, c.cells.Width())
		return
	}
	c.cells.Lines[y], c.spare = c.spare[n], c.spare[:n]
}

// touch marks a row for the renderer.
func (c *canvas) touch(y int) { c.cells.TouchLine(0, y, c.cells.Width()) }

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
	c.own(y)
	if !fillRow(c.cells.Lines[y], line, id, c.method, c.symbols) {
		id = ""
	}
	c.links[y] = id
	joinGrounds(c.cells.Lines[y])
}

// joinGrounds makes one wide cell of each run of spaces on a ground. The renderer writes
// such a cell, and erases a run of narrow ones, which some terminals do without colour.
func joinGrounds(row uv.Line) {
	for x := 0; x < len(row); {
		first, n := row[x], 1
		if first.Content == " " && first.Style.Bg != nil {
			for x+n < len(row) && row[x+n] == first {
				row[x+n] = uv.Cell{}
				n++
			}
			row[x].Content, row[x].Width = strings.Repeat(" ", n), n
			if n == 1 && x == len(row)-1 { // narrow all the same, but not a mere space
				row[x].Content += ansi.CursorHorizontalAbsolute(len(row))
			}
		}
		x += n
	}
}

func linkID(n uint64) string { return "id=" + strconv.FormatUint(n%(1<<30), 36) }

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

// fillRow sets the cells of a row from a line of styled text. It blanks columns beyond
// the line and cuts off what is wider than the row. Links get the id; linked reports
// whether there are any. Characters that the set does not have are replaced.
func fillRow(row uv.Line, line, id string, method termtext.Method, set SymbolSet) (linked bool) {
	var style uv.Style
	var link uv.Link
	x, last := 0, -1
	for len(line) > 0 && x < len(row) {
		if c := line[0]; c >= ' ' && c < ansi.DEL && (len(line) == 1 || line[1] < utf8.RuneSelf) {
			row[x] = uv.Cell{Content: line[:1], Width: 1, Style: style, Link: link}
			last = x
			x++
			line = line[1:]
			continue
		}
		n, width := method.Next(line)
		piece := line[:n]
		line = line[n:]
		switch {
		case width > len(row)-x:
			line = "" // half a character cannot be drawn
		case width > 0 && set != Unicode && exchange(row[x:x+width], uv.Cell{Content: piece, Style: style, Link: link}, set):
			last = x + width - 1
			x += width
		case width > 0:
			row[x] = uv.Cell{Content: anchored(piece, x, width, len(row)), Width: width, Style: style, Link: link}
			last = x
			for i := 1; i < width; i++ {
				row[x+i] = uv.Cell{} // the other columns of a wide character
			}
			x += width
		case piece[0] == ansi.ESC:
			follow(piece, &style, &link)
			if link.URL != "" {
				link.Params, linked = id, true
			}
		case last >= 0 && piece[0] >= utf8.RuneSelf && set != ASCII: // a mark, separated from its letter by a style
			prev := &row[last]
			prev.Content = anchored(unanchored(prev.Content)+piece, last, prev.Width, len(row))
		}
	}
	for ; x < len(row); x++ {
		row[x] = uv.EmptyCell
	}
	return linked
}

// exchange sets the cells of a character to its replacement in a set; it returns false
// if the set has the character itself. A character that cannot be shown is reversed, to
// distinguish it from a question mark in the text.
func exchange(to uv.Line, cell uv.Cell, set SymbolSet) bool {
	shown, lost := set.Draw(cell.Content, len(to))
	if shown == cell.Content {
		return false
	}
	if lost {
		cell.Style.Attrs ^= uv.AttrReverse
	}
	for i := range to {
		to[i] = cell
		to[i].Content, to[i].Width = shown[i:i+1], 1
	}
	return true
}

// follow applies an escape sequence to the style and link of the text after it. It
// ignores other sequences.
func follow(seq string, style *uv.Style, link *uv.Link) {
	p := ansi.GetParser()
	defer ansi.PutParser(p)
	ansi.DecodeSequence(seq, ansi.NormalState, p)
	switch {
	case ansi.HasCsiPrefix(seq) && ansi.Cmd(p.Command()) == 'm':
		uv.ReadStyle(p.Params(), style)
	case ansi.HasOscPrefix(seq) && p.Command() == 8:
		*link = uv.Link{}
		uv.ReadLink(p.Data(), link)
	}
}

// The renderer can find lines that have moved, but then it looks at every cell of the
// screen, and rewrites all lines with a wide character. The canvas compares the lines
// as texts, which finds the moves at a tenth of the cost.

// fewestMoved is the minimum number of moved lines that is worth a shift.
const fewestMoved = 3

// shift is a part of the screen that moves up by so many rows.
type shift struct{ top, bottom, by int }

// shifted finds the shift that brings the most lines to their new positions. ok is
// false if fewer lines move than would have to be rewritten.
func (c *canvas) shifted(lines []string) (s shift, ok bool) {
	// Windows terminals move the cursor out of the part that moves.
	if len(c.changed) < fewestMoved || runtime.GOOS == "windows" || c.shown() == nil {
		return s, false
	}
	clear(c.rows)
	for _, y := range c.changed {
		line := c.lines[y]
		if _, twice := c.rows[line]; twice || line == "" {
			c.rows[line] = -1 // a line with several positions is not usable
		} else {
			c.rows[line] = y
		}
	}
	clear(c.votes)
	for _, y := range c.changed {
		if was, ok := c.rows[lineAt(lines, y)]; ok && was >= 0 {
			c.votes[was-y]++
		}
	}
	most := 0
	for by, n := range c.votes {
		if n > most || n == most && by > s.by { // maps have no order
			s.by, most = by, n
		}
	}
	s.top, s.bottom = len(c.lines), -1
	for _, y := range c.changed {
		if was, ok := c.rows[lineAt(lines, y)]; ok && was >= 0 && was == y+s.by {
			s.top, s.bottom = min(s.top, y, was), max(s.bottom, y, was)
		}
	}
	spoilt := 0
	for y := s.top; y <= s.bottom; y++ {
		if c.lines[y] != "" && c.lines[y] == lineAt(lines, y) {
			spoilt++
		}
	}
	return s, most >= fewestMoved && most > spoilt
}

// move moves a part of the screen.
func (c *canvas) move(s shift) {
	n := max(s.by, -s.by)
	first, revealed := s.by, s.bottom-n+1
	if s.by < 0 {
		first, revealed = s.bottom-s.top+1+s.by, s.top
	}
	rotate(c.lines[s.top:s.bottom+1], first)
	rotate(c.links[s.top:s.bottom+1], first)
	for _, cells := range []*uv.RenderBuffer{c.cells, c.shown()} {
		rotate(cells.Lines[s.top:s.bottom+1], first)
		for y := revealed; y < revealed+n; y++ {
			fillRow(cells.Lines[y], "", "", c.method, c.symbols)
		}
	}
	clear(c.lines[revealed : revealed+n])
	clear(c.links[revealed : revealed+n])

	// Every terminal scrolls between its margins on a newline at the bottom, and back
	// on a reverse index at the top. Setting margins moves the cursor home.
	at, step := s.bottom, "\n"
	if s.by < 0 {
		at, step = s.top, "\x1bM"
	}
	c.renderer.MoveTo(0, 0) // and no longer after the last column
	_ = c.renderer.Flush()
	c.out.Reset()
	_, _ = c.renderer.WriteString(fmt.Sprintf("\x1b[%d;%dr\x1b[%dH%s\x1b[r", s.top+1, s.bottom+1, at+1, strings.Repeat(step, n)))
	c.renderer.SetPosition(0, 0)
}

// shown returns what the renderer believes the terminal shows. The renderer has no
// exported way to tell it that lines have moved. shown returns nil if the renderer has
// not drawn anything of this size yet, or differs from the version that this was
// written for.
func (c *canvas) shown() *uv.RenderBuffer {
	field := reflect.ValueOf(c.renderer).Elem().FieldByName("curbuf")
	if !field.IsValid() || field.Type() != reflect.TypeFor[*uv.RenderBuffer]() || field.IsNil() {
		return nil
	}
	shown := (*uv.RenderBuffer)(field.UnsafePointer())
	if shown.Bounds() != c.cells.Bounds() {
		return nil
	}
	return shown
}

// rotate moves the first n elements of a slice to its end.
func rotate[T any](s []T, n int) {
	slices.Reverse(s[:n])
	slices.Reverse(s[n:])
	slices.Reverse(s)
}
