package composer

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/tui/composer/vim"
)

// clickTime is the maximum time between the clicks of a double or triple click.
const clickTime = 400 * time.Millisecond

// pointer handles the left mouse button in the draft: a click moves the cursor, a drag
// selects, two clicks select a word, three a line.
type pointer struct {
	down    bool
	from    vim.Pos // where it went down, in the text at that time
	in      *buffer
	changes int
	x, y    int
	clicks  int
	clicked time.Time
}

// Click moves the cursor, or takes the offer, at a position: x and y count from the
// first column and line of View. A second click selects the word, a third the line;
// [Composer.Drag] extends the selection. used is false if there was nothing; the
// command may be nil.
func (c *Composer) Click(x, y int) (used bool, cmd tea.Cmd) {
	defer c.settle()
	c.kills.turn()
	l := c.layout()
	switch {
	case y < 0 || y >= l.popup+l.search+l.editor:
		return false, nil
	case y < l.popup:
		return c.takeOffer(y)
	case c.search != nil:
		c.takeMatch()
		return true, c.complete()
	}
	row, moved := c.buf.step(c.top, y-l.popup, c.textWidth())
	if moved < y-l.popup {
		return false, nil
	}
	c.press(c.buf.posAt(row, x, c.textWidth()), x, y)
	return true, c.complete()
}

// press handles the button going down at a position in the draft.
func (c *Composer) press(at vim.Pos, x, y int) {
	p, now := &c.pointer, c.Now()
	if x == p.x && y == p.y && now.Sub(p.clicked) < clickTime {
		p.clicks++
	} else {
		p.clicks = 1
	}
	b := c.buf
	*p = pointer{true, at, b, b.changes, x, y, p.clicks, now}
	b.selecting = false
	b.Move(at)
	switch p.clicks {
	case 2:
		c.selectAround(vim.WordAt(b, at))
	case 3:
		c.selectAround(pos(at.Row, 0), pos(at.Row, len(b.lines[at.Row].text)))
	}
}

// Dragging reports whether the button is held after going down in the draft: all mouse
// events are then the composer's.
func (c *Composer) Dragging() bool { return c.pointer.down }

// Drag selects up to a column and a line of View, which may be outside of it, including
// the characters under the pointer now and when the button went down.
func (c *Composer) Drag(x, y int) {
	defer c.settle()
	p := &c.pointer
	if !p.down || x == p.x && y == p.y {
		return
	}
	p.x, p.y = x, y
	if p.in != c.buf || p.changes != c.buf.changes {
		p.down = false // the start of the selection is gone
		return
	}
	l := c.layout()
	row, _ := c.buf.step(c.top, max(-1, min(y-l.popup-l.search, l.editor)), c.textWidth())
	from, to := p.from, c.buf.posAt(row, x, c.textWidth())
	if to.Before(from) {
		from = c.buf.behind(from)
	} else {
		to = c.buf.behind(to)
	}
	c.selectAround(from, to)
}

// behind returns the position after the character at p, or p at the end of its line.
func (b *buffer) behind(p vim.Pos) vim.Pos {
	if p.Col < len(b.lines[p.Row].text) {
		return b.right(p)
	}
	return p
}

// posAt returns the position at a column of View, on a row of the draft.
func (b *buffer) posAt(row wrappedRow, x, width int) vim.Pos {
	return b.snapped(b.offsetAt(row, max(0, x-gutter), width))
}

// Release handles the button going up.
func (c *Composer) Release() { c.pointer.down = false }

// selectAround selects from one position to another, where it puts the cursor: as vim
// does it outside of insert mode.
func (c *Composer) selectAround(from, to vim.Pos) {
	b := c.buf
	if c.vim != nil && c.vim.Mode() != vim.Insert {
		c.follow()
		c.vim.Select(from, to)
		c.known = b.watched()
		return
	}
	b.Move(to)
	b.anchor, b.selecting = from, from != to
}

// takeOffer takes the offer on a line of the popup. It returns false if there is none.
func (c *Composer) takeOffer(line int) (used bool, cmd tea.Cmd) {
	p := c.offered()
	row, ok := p.window.At(line)
	if !ok {
		return false, nil
	}
	p.window.Mark = row
	if c.search != nil {
		c.takeMatch()
		return true, c.complete()
	}
	was := c.buf.watched()
	c.accept()
	c.typed(was)
	return true, c.complete()
}
