package screen

import (
	"bytes"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"parley/internal/termtext"
)

// inline draws a few lines below what the terminal has shown so far, and adds lines
// above them that never change and belong to the terminal from then on. It does not
// know where on the screen it is, and only moves relative to the cursor.
type inline struct {
	profile colorprofile.Profile
	glyphs  SymbolSet
	method  termtext.Method
	lines   []string // as they were sent
	row     int      // the cursor's line
	column  int
	width   int // that they were drawn for
}

// draw appends the output that adds lines above the drawn ones, and changes these.
func (d *inline) draw(out *bytes.Buffer, above, lines []string, cursor *tea.Position, width, height int) {
	if over := len(lines) - height; over > 0 {
		lines = lines[over:]
		if cursor != nil {
			cursor = &tea.Position{X: cursor.X, Y: max(0, cursor.Y-over)}
		}
	}
	sent := d.rendered(lines, width)
	d.home(out, width)
	if len(above) > 0 || width != d.width || len(sent) != len(d.lines) {
		d.erase(out)
		for _, line := range d.rendered(above, width) {
			out.WriteString(line + "\r\n")
		}
		out.WriteString(strings.Join(sent, "\r\n"))
	} else {
		for i, line := range sent {
			if i > 0 {
				out.WriteString("\r\n")
			}
			if line != d.lines[i] {
				out.WriteString(ansi.EraseEntireLine + line)
			}
		}
	}
	d.lines, d.width = sent, width
	d.row, d.column = max(0, len(sent)-1), 0
	if cursor != nil {
		d.up(out, d.row-cursor.Y)
		d.row, d.column = cursor.Y, cursor.X
		out.WriteString("\r")
		if cursor.X > 0 {
			out.WriteString(ansi.CursorForward(cursor.X))
		}
	}
}

// home appends the cursor movement to the beginning of what is drawn. Most terminals
// that have become narrower have wrapped the lines that are now too wide.
func (d *inline) home(out *bytes.Buffer, width int) {
	rows := d.row
	if width < d.width {
		rows = d.column / width
		for _, line := range d.lines[:min(d.row, len(d.lines))] {
			rows += max(1, (ansi.StringWidth(line)+width-1)/width)
		}
	}
	out.WriteString("\r")
	d.up(out, rows)
}

// erase appends the output that erases everything drawn. It erases the first line
// separately, because tmux saves the screen to its scrollback when everything from the
// top left corner is erased.
func (d *inline) erase(out *bytes.Buffer) {
	if len(d.lines) < 2 {
		out.WriteString(ansi.EraseScreenBelow)
		return
	}
	out.WriteString(ansi.EraseEntireLine + ansi.CursorDown(1) + ansi.EraseScreenBelow + ansi.CursorUp(1))
}

func (d *inline) up(out *bytes.Buffer, rows int) {
	if rows > 0 {
		out.WriteString(ansi.CursorUp(rows))
	}
}

// leave appends the output that replaces the drawn lines by others, with the cursor
// below them.
func (d *inline) leave(out *bytes.Buffer, lines []string, width int) {
	d.home(out, width)
	d.erase(out)
	for _, line := range d.rendered(lines, width) {
		out.WriteString(line + "\r\n")
	}
	d.lines, d.row, d.column = nil, 0, 0
}

// rendered returns lines as they are sent: in the terminal's colours, and with every
// character in its column.
func (d *inline) rendered(lines []string, width int) []string {
	out := make([]string, len(lines))
	var b strings.Builder
	w := colorprofile.Writer{Forward: &b, Profile: d.profile}
	row := make(uv.Line, width)
	for i, line := range lines {
		fillRow(row, line, "", d.method, d.glyphs)
		b.Reset()
		_, _ = w.WriteString(row.Render()) // into memory, which cannot fail
		out[i] = b.String()
	}
	return out
}
