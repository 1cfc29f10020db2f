package composer

import (
	"parley/config"
	"parley/tui/composer/vim"
)

// selects maps the keys that select to those with the same motion.
var selects = map[string]string{
	"shift+left": "left", "shift+right": "right", "shift+up": "up", "shift+down": "down",
	"shift+home": "home", "shift+end": "end",
	"ctrl+shift+left": "ctrl+left", "ctrl+shift+right": "ctrl+right",
	"alt+shift+left": "alt+left", "alt+shift+right": "alt+right",
	"ctrl+shift+home": "alt+<", "ctrl+shift+end": "alt+>",
}

// selection returns the selection, in the order of the text; ok is false if there is none.
func (b *buffer) selection() (from, to vim.Pos, ok bool) {
	if !b.selecting || b.anchor == b.cur {
		return b.cur, b.cur, false
	}
	if b.cur.Before(b.anchor) {
		return b.cur, b.anchor, true
	}
	return b.anchor, b.cur, true
}

// insert replaces the selection by text, or inserts it at the cursor.
func (b *buffer) insert(text string) {
	from, to, _ := b.selection()
	b.Replace(from, to, text)
}

// erase deletes the selection, or else the text between the cursor and p.
func (b *buffer) erase(p vim.Pos) (text string) {
	if from, to, ok := b.selection(); ok {
		b.Move(from)
		p = to
	}
	return b.cut(p)
}

// collapse moves the cursor to p, or ends the selection at one of its edges.
func (b *buffer) collapse(p vim.Pos, first bool) {
	if from, to, ok := b.selection(); ok {
		if p = to; first {
			p = from
		}
	}
	b.Move(p)
}

// deselect ends the selection. It returns false if there was none.
func (b *buffer) deselect() bool {
	_, _, ok := b.selection()
	b.selecting = false
	return ok
}

// selectRow moves by a row, or to an end of the draft. It returns false for a single
// row without a selection, where the key scrolls.
func (b *buffer) selectRow(by int, end vim.Pos, width int) bool {
	if b.vertical(by, width) {
		return true
	}
	if _, more := b.step(wrappedRow{}, 1, width); more == 0 && !b.selecting {
		return false
	}
	b.Move(end)
	return true
}

// selectionKey handles keys that select, and those with another meaning during a
// selection.
func (c *Composer) selectionKey(name string, action config.Action) (Result, bool) {
	if copying[name] || cutting[name] {
		return c.takeSelected(cutting[name])
	}
	if !c.inserts() {
		return Result{}, false
	}
	if action == config.ActionCancel && c.buf.deselect() || c.selectKey(name) {
		c.completion = completion{}
		if c.vim != nil {
			c.vim.Moved()
			c.known = c.buf.watched()
		}
		return Result{Used: true}, true
	}
	return Result{}, false
}

// selectKey handles a key that selects, and reports whether it is one.
func (c *Composer) selectKey(name string) bool {
	b, moves := c.buf, selects[name]
	if moves == "" || b.empty() {
		return false
	}
	anchor := b.anchor
	if !b.selecting {
		anchor = b.cur
	}
	switch name {
	case "shift+up":
		if !b.selectRow(-1, pos(0, 0), c.textWidth()) {
			return false
		}
	case "shift+down":
		if !b.selectRow(1, b.last(), c.textWidth()) {
			return false
		}
	default:
		b.selecting = false // so that an arrow does not go to an edge
		editing[moves].do(c, b)
	}
	b.anchor, b.selecting = anchor, anchor != b.cur
	return true
}

// Selection returns the selected text, with everything that was pasted, or "".
func (c *Composer) Selection() string {
	from, to, ok := c.selected()
	if !ok {
		return ""
	}
	return c.chips.expand(c.buf.slice(from, to), false)
}

// selected returns the selection, also that of vim.
func (c *Composer) selected() (from, to vim.Pos, ok bool) {
	if c.vim != nil {
		if from, to, ok := c.vim.Selection(); ok {
			return from, to, true
		}
	}
	return c.buf.selection()
}

// takeSelected copies or, with cut, cuts the selection, also to the kill ring. It
// returns false if nothing is selected.
func (c *Composer) takeSelected(cut bool) (Result, bool) {
	from, to, ok := c.selected()
	if !ok {
		return Result{}, false
	}
	raw := c.buf.slice(from, to)
	c.kills.push(raw)
	result := Result{Used: true, Copy: c.chips.expand(raw, false)}
	if c.vim != nil && c.vim.Mode() != vim.Insert {
		c.vim.Key("esc")
	}
	if cut {
		c.buf.Replace(from, to, "")
	}
	c.buf.selecting = false
	return result, true
}
