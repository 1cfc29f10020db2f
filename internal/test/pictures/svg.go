// Package pictures draws the screenshots of the guide and the README from the program
// itself: a scene runs parley in a terminal, a picture is what the terminal shows, and
// a cast is its output. "make pictures" regenerates them.
package pictures

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"

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
	for ascii(text) && end < d.screen.Cols {
		cell := d.screen.Cell(end, y)
		next, _ := d.colours.of(cell)
		if !ascii(cell.Text) || next != fg || !sameLook(cell, first) || cell.Text == " " && strings.HasSuffix(text, " ") {
			break
		}
		_, bg := d.colours.of(cell)
		d.ground(end, y, 1, bg)
		text += cell.Text
		end++
	}
	class := d.class(fg, first)
	length := ""
	if shown := strings.TrimRight(text, " "); ascii(text) && len(shown) > 1 {
		text = shown
		length = fmt.Sprintf(` textLength="%d"`, len(text)*cellWidth)
	}
	var escaped bytes.Buffer
	_ = xml.EscapeText(&escaped, []byte(text)) // into memory: it does not fail
	fmt.Fprintf(line, `<tspan x="%d" class="%s"%s>%s</tspan>`, x*cellWidth, class, length, escaped.Bytes())
	return end
}

func ascii(s string) bool { return len(s) > 0 && s[0] < 0x80 }

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
