//go:build unix

// Package pictures draws the screenshots of the guide and the README from the program
// itself: a scene runs parley in a terminal, a picture is what the terminal shows, and
// a cast is its output. "make pictures" regenerates them.
package e2e

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"parley/internal/test/ptytest"
)

// A cell's size and the margin around all of them, in the units of the picture. The
// font is as high as makes its characters as wide as a cell, in most fonts.
const (
	cellWidth  = 8
	cellHeight = 17
	margin     = 12
	fontSize   = 13.3
	baseline   = 13 // from the top of a cell
)

// SVG is a screen as a picture. title says what it shows, to those who cannot see it.
// Letters are text in whatever font for programs the reader has; every word is put at
// its column, so that no font moves what stands behind it. Lines and blocks are drawn,
// because fonts leave gaps between them.
func SVG(s ptytest.Screen, title string, light bool) []byte {
	d := &drawing{screen: s, colours: terminalColours(light), classes: map[string]string{}}
	for y := range s.Rows {
		d.row(y)
	}
	if s.Cursor.Visible {
		d.blocks = append(d.blocks, shape{d.colours.fg, rectangle(s.Cursor.X*cellWidth, s.Cursor.Y*cellHeight, 2, cellHeight)})
	}
	return d.write(title)
}

// drawing is a picture that is being drawn.
type drawing struct {
	screen  ptytest.Screen
	colours colours
	classes map[string]string // names of styles, by what they are in CSS
	styles  []string          // the rules of the classes, in the order of their first use
	grounds []ground
	blocks  []shape // filled
	curves  []shape // drawn along
	lines   []line
	text    bytes.Buffer
}

// ground is a rectangle of cells of one colour.
type ground struct {
	x, y, width, height int
	colour              string
}

// shape is a path with its colour.
type shape struct{ colour, path string }

// row draws one row: what is behind the characters, and then the characters, all of
// one style together.
func (d *drawing) row(y int) {
	var line bytes.Buffer
	for x := 0; x < d.screen.Cols; {
		cell := d.screen.Cell(x, y)
		fg, bg := d.colours.of(cell)
		width := max(1, cell.Width)
		d.ground(x, y, width, bg)
		switch {
		case d.drawBox(cell.Text, fg, x*cellWidth, y*cellHeight):
			x += width
		case cell.Text == "" || cell.Text == " " && !cell.Underline && !cell.Strikethrough:
			x += width
		default:
			x = d.run(&line, x, y, cell, fg)
		}
	}
	if line.Len() > 0 {
		fmt.Fprintf(&d.text, "<text y=\"%d\">%s</text>\n", y*cellHeight+baseline, line.Bytes())
	}
}

// ground fills cells, if they do not have the ground of the terminal. What goes on to
// the right or below is one rectangle.
func (d *drawing) ground(x, y, width int, colour string) {
	if colour == d.colours.bg {
		return
	}
	if n := len(d.grounds); n > 0 {
		if last := &d.grounds[n-1]; last.colour == colour && last.y == y && last.x+last.width == x {
			last.width += width
			return
		}
	}
	d.grounds = append(d.grounds, ground{x, y, width, 1, colour})
}

// run writes the characters from x on that have one style and no gap between them, and
// returns the column behind. A character that is not ASCII stands alone: it may come
// from another font, with another width.
func (d *drawing) run(line *bytes.Buffer, x, y int, first ptytest.Cell, fg string) int {
	text, end := first.Text, x+max(1, first.Width)
	for isASCII(text) && end < d.screen.Cols {
		cell := d.screen.Cell(end, y)
		next, _ := d.colours.of(cell)
		if !isASCII(cell.Text) || next != fg || !sameLook(cell, first) || cell.Text == " " && strings.HasSuffix(text, " ") {
			break
		}
		_, bg := d.colours.of(cell)
		d.ground(end, y, 1, bg)
		text += cell.Text
		end++
	}
	class := d.class(fg, first)
	length := ""
	if shown := strings.TrimRight(text, " "); isASCII(text) && len(shown) > 1 {
		text = shown
		length = fmt.Sprintf(` textLength="%d"`, len(text)*cellWidth)
	}
	var escaped bytes.Buffer
	_ = xml.EscapeText(&escaped, []byte(text)) // into memory: it does not fail
	fmt.Fprintf(line, `<tspan x="%d" class="%s"%s>%s</tspan>`, x*cellWidth, class, length, escaped.Bytes())
	return end
}

func isASCII(s string) bool { return len(s) > 0 && s[0] < 0x80 }

func sameLook(a, b ptytest.Cell) bool {
	return a.Bold == b.Bold && a.Faint == b.Faint && a.Italic == b.Italic && a.Underline == b.Underline && a.Strikethrough == b.Strikethrough
}

// class is the name of a style.
func (d *drawing) class(fg string, c ptytest.Cell) string {
	css := "fill:" + fg
	for _, part := range []struct {
		on  bool
		css string
	}{{c.Bold, "font-weight:bold"}, {c.Italic, "font-style:italic"}, {c.Underline, "text-decoration:underline"}, {c.Strikethrough, "text-decoration:line-through"}, {c.Faint, "opacity:.6"}} {
		if part.on {
			css += ";" + part.css
		}
	}
	name, known := d.classes[css]
	if !known {
		name = fmt.Sprintf("c%d", len(d.styles))
		d.classes[css] = name
		d.styles = append(d.styles, fmt.Sprintf(".%s{%s}", name, css))
	}
	return name
}

// write puts the picture together.
func (d *drawing) write(title string) []byte {
	width, height := d.screen.Cols*cellWidth+2*margin, d.screen.Rows*cellHeight+2*margin
	var b, name bytes.Buffer
	_ = xml.EscapeText(&name, []byte(title)) // into memory: it does not fail
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\">\n<title>%s</title>\n", width, height, width, height, name.Bytes())
	fmt.Fprintf(&b, "<style>text{font:%gpx ui-monospace,'DejaVu Sans Mono','SF Mono',Menlo,Consolas,monospace;white-space:pre}%s</style>\n", fontSize, strings.Join(d.styles, ""))
	fmt.Fprintf(&b, "<rect width=\"%d\" height=\"%d\" rx=\"8\" fill=\"%s\"/>\n<g transform=\"translate(%d %d)\">\n", width, height, d.colours.bg, margin, margin)
	for _, g := range stacked(d.grounds) {
		fmt.Fprintf(&b, "<path fill=\"%s\" shape-rendering=\"crispEdges\" d=\"%s\"/>\n", g.colour, rectangle(g.x*cellWidth, g.y*cellHeight, g.width*cellWidth, g.height*cellHeight))
	}
	for _, s := range byColour(d.blocks) {
		fmt.Fprintf(&b, "<path fill=\"%s\" d=\"%s\"/>\n", s.colour, s.path)
	}
	for _, l := range joined(d.lines) {
		d.curves = append(d.curves, shape{l.colour, l.path()})
	}
	for _, s := range byColour(d.curves) { // half a unit on, where lines are sharp
		fmt.Fprintf(&b, "<path fill=\"none\" stroke=\"%s\" transform=\"translate(.5 .5)\" d=\"%s\"/>\n", s.colour, s.path)
	}
	b.Write(d.text.Bytes())
	b.WriteString("</g>\n</svg>\n")
	return b.Bytes()
}

// stacked makes one of rectangles that stand on each other.
func stacked(all []ground) []ground {
	var out []ground
next:
	for _, g := range all {
		for i := range out {
			if o := &out[i]; o.colour == g.colour && o.x == g.x && o.width == g.width && o.y+o.height == g.y {
				o.height++
				continue next
			}
		}
		out = append(out, g)
	}
	return out
}

// byColour makes one path of all that have a colour, in the order of their first use.
func byColour(all []shape) []shape {
	var out []shape
	at := map[string]int{}
	for _, s := range all {
		i, known := at[s.colour]
		if !known {
			i = len(out)
			at[s.colour] = i
			out = append(out, shape{colour: s.colour})
		}
		out[i].path += s.path
	}
	return out
}

// The middle of a cell, where lines meet.
const (
	midX = cellWidth / 2
	midY = cellHeight / 2
)

// arms says of characters that draw lines to which sides of the cell they lead: left,
// right, up, down.
var arms = map[string]string{
	"─": "lr", "│": "ud", "┌": "rd", "┐": "ld", "└": "ru", "┘": "lu",
	"├": "rud", "┤": "lud", "┬": "lrd", "┴": "lru", "┼": "lrud",
	"╴": "l", "╵": "u", "╶": "r", "╷": "d",
}

// corners are the round ones, each with the two sides that it leads to.
var corners = map[string]string{"╭": "rd", "╮": "ld", "╰": "ru", "╯": "lu"}

// Blocks that fill a part of the cell, from the left or from below, in eighths.
const (
	fromLeft  = "▏▎▍▌▋▊▉█"
	fromBelow = "▁▂▃▄▅▆▇█"
)

// line is a straight one, from left to right or from above to below.
type line struct {
	colour         string
	x1, y1, x2, y2 int
}

// drawBox draws a character that is drawn and not written, and says whether it is one.
// x and y are the upper left corner of its cell.
func (d *drawing) drawBox(text, colour string, x, y int) bool {
	if to, is := arms[text]; is {
		d.lines = append(d.lines, linesOf(to, colour, x, y)...)
		return true
	}
	if to, is := corners[text]; is {
		d.curves = append(d.curves, shape{colour, curve(to, x, y)})
		return true
	}
	path := blockElement(text, x, y)
	if path != "" {
		d.blocks = append(d.blocks, shape{colour, path})
	}
	return path != ""
}

// linesOf are the arms of a character.
func linesOf(to, colour string, x, y int) []line {
	var out []line
	has := func(side string) bool { return strings.Contains(to, side) }
	reach := func(before, after bool, from, middle, size int) (int, int) {
		begin, end := from+middle, from+middle
		if before {
			begin = from
		}
		if after {
			end = from + size
		}
		return begin, end
	}
	if left, right := reach(has("l"), has("r"), x, midX, cellWidth); left < right {
		out = append(out, line{colour, left, y + midY, right, y + midY})
	}
	if up, down := reach(has("u"), has("d"), y, midY, cellHeight); up < down {
		out = append(out, line{colour, x + midX, up, x + midX, down})
	}
	return out
}

// curve is the path of a round corner, from one side of the cell to the other.
func curve(to string, x, y int) string {
	side, bend, end := x+cellWidth, y+midY+midX, y+cellHeight
	if strings.Contains(to, "l") {
		side = x
	}
	if strings.Contains(to, "u") {
		bend, end = y+midY-midX, y
	}
	return fmt.Sprintf("M%d %dQ%d %d %d %dV%d", side, y+midY, x+midX, y+midY, x+midX, bend, end)
}

// blockElement is the path of a character that fills a part of its cell, as heavy lines do; ""
// for others.
func blockElement(text string, x, y int) string {
	if i := eighths(fromLeft, text); i > 0 {
		return rectangle(x, y, cellWidth*i/8, cellHeight)
	}
	if i := eighths(fromBelow, text); i > 0 {
		height := cellHeight * i / 8
		return rectangle(x, y+cellHeight-height, cellWidth, height)
	}
	switch text {
	case "━":
		return rectangle(x, y+midY, cellWidth, 2)
	case "┃":
		return rectangle(x+midX-1, y, 3, cellHeight)
	case "▐":
		return rectangle(x+midX, y, cellWidth-midX, cellHeight)
	case "▀":
		return rectangle(x, y, cellWidth, midY)
	}
	return ""
}

// eighths is the place of a character in a series, from 1 on; 0 if it is not in it.
func eighths(series, text string) int {
	at := strings.Index(series, text)
	if at < 0 || text == "" {
		return 0
	}
	return utf8.RuneCountInString(series[:at]) + 1
}

// rectangle is the path of one.
func rectangle(x, y, width, height int) string {
	return fmt.Sprintf("M%d %dh%dv%dh-%dz", x, y, width, height, width)
}

// joined makes one line of those that go on where another ends.
func joined(all []line) []line {
	var out []line
next:
	for _, l := range all {
		for i := range out {
			o := &out[i]
			along := o.y1 == o.y2 && l.y1 == l.y2 || o.x1 == o.x2 && l.x1 == l.x2
			if along && o.colour == l.colour && o.x2 == l.x1 && o.y2 == l.y1 {
				o.x2, o.y2 = l.x2, l.y2
				continue next
			}
		}
		out = append(out, l)
	}
	return out
}

// path is the line as a part of one.
func (l line) path() string {
	if l.y1 == l.y2 {
		return fmt.Sprintf("M%d %dh%d", l.x1, l.y1, l.x2-l.x1)
	}
	return fmt.Sprintf("M%d %dv%d", l.x1, l.y1, l.y2-l.y1)
}

// colours are those of a terminal.
type colours struct {
	fg, bg string
	named  [16]string
}

// terminalColours are those of the terminal that ptytest is.
func terminalColours(light bool) colours {
	if light {
		return colours{"#242424", "#fafafa", [16]string{
			"#242424", "#b3261e", "#1a7f37", "#8a6100", "#0969da", "#8250df", "#0e7c86", "#6e6e6e",
			"#4d4d4d", "#cf222e", "#1f883d", "#9a6700", "#218bff", "#a475f9", "#1b7c83", "#8c8c8c",
		}}
	}
	return colours{"#d0d0d0", "#1e1e1e", [16]string{
		"#1e1e1e", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#d0d0d0",
		"#5c6370", "#ff7b86", "#b1e08d", "#ffd78f", "#7cc4ff", "#dd90f0", "#6fd3e0", "#ffffff",
	}}
}

// of are the colours in which a cell is drawn.
func (c colours) of(cell ptytest.Cell) (fg, bg string) {
	fg, bg = c.hex(cell.FG, c.fg), c.hex(cell.BG, c.bg)
	if cell.Reverse {
		return bg, fg
	}
	return fg, bg
}

// hex returns a cell's colour as #rrggbb, or the terminal's own if the cell has none.
func (c colours) hex(colour, own string) string {
	n, err := strconv.Atoi(colour)
	switch {
	case colour == "":
		return own
	case err != nil || strings.HasPrefix(colour, "#"):
		return colour
	case n < 16:
		return c.named[n]
	case n >= 232: // greys
		v := 8 + 10*(n-232)
		return fmt.Sprintf("#%02x%02x%02x", v, v, v)
	}
	part := func(n int) int { // a cube of six levels
		if n == 0 {
			return 0
		}
		return 55 + 40*n
	}
	n -= 16
	return fmt.Sprintf("#%02x%02x%02x", part(n/36), part(n/6%6), part(n%6))
}
