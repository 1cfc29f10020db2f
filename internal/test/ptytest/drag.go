package ptytest

import (
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// Drag presses the left mouse button at column x0, row y0, moves the pointer to
// x1, y1, and releases it there. The program must have asked for the mouse in the
// SGR encoding.
func (term *Terminal) Drag(x0, y0, x1, y1 int) *Terminal {
	term.t.Helper()
	if !term.mode(ansi.ModeMouseExtSgr) {
		term.failf("drag from %d,%d: the program has not asked for the mouse", x0, y0)
	}
	press := ansi.EncodeMouseButton(uv.MouseLeft, false, false, false, false)
	move := ansi.EncodeMouseButton(uv.MouseLeft, true, false, false, false)
	term.keys.push([]byte(ansi.MouseSgr(press, x0, y0, false)))
	term.keys.push([]byte(ansi.MouseSgr(move, x1, y1, false)))
	term.keys.push([]byte(ansi.MouseSgr(press, x1, y1, true)))
	return term
}

// DragOver drags from the beginning of one text on the screen to the end of
// another, both within a row.
func (term *Terminal) DragOver(from, to string) *Terminal {
	term.t.Helper()
	screen := term.Screen()
	x0, y0, ok := screen.Find(from)
	x1, y1, also := screen.Find(to)
	if !ok || !also {
		term.failf("drag over %q to %q: they are not on the screen", from, to)
	}
	return term.Drag(x0, y0, x1+ansi.StringWidth(to)-1, y1)
}
