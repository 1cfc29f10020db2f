package screen

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
)

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
	c.index()
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

// index records the positions of lines that will disappear. A line with several
// positions is not usable.
func (c *canvas) index() {
	clear(c.rows)
	for _, y := range c.changed {
		line := c.lines[y]
		if _, twice := c.rows[line]; twice || line == "" {
			c.rows[line] = -1
		} else {
			c.rows[line] = y
		}
	}
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
			fill(cells.Lines[y])
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

func fill(row uv.Line) {
	for x := range row {
		row[x] = uv.EmptyCell
	}
}

// rotate moves the first n elements of a slice to its end.
func rotate[T any](s []T, n int) {
	slices.Reverse(s[:n])
	slices.Reverse(s[n:])
	slices.Reverse(s)
}
