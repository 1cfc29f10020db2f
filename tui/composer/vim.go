package composer

import (
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/command"
	"parley/tui/composer/vim"
)

// The keys of vim edit a buffer as a [vim.Text].

func (b *buffer) Lines() int          { return len(b.lines) }
func (b *buffer) Line(row int) string { return b.lines[row].text }
func (b *buffer) Cursor() vim.Pos     { return b.cur }

func (b *buffer) Next(row, col int) int {
	n, _ := b.chips.next(b.lines[row].text, col)
	return col + n
}

func (b *buffer) Previous(row, col int) int { return b.chips.previous(b.lines[row].text, col) }

func (b *buffer) Column(row, col int) int { return b.chips.width(b.lines[row].text[:col]) }

func (b *buffer) AtColumn(row, column int) int {
	s, x := b.lines[row].text, 0
	for i := 0; i < len(s); {
		n, w := b.chips.next(s, i)
		if x+w > column {
			return i
		}
		i, x = i+n, x+w
	}
	return len(s)
}

// watched is the vim editor's view of the buffer.
type watched struct {
	changes int
	cur     vim.Pos
}

func (b *buffer) watched() watched { return watched{b.changes, b.cur} }

// inserts reports whether keys type: without the keys of vim, and in insert mode.
func (c *Composer) inserts() bool { return c.vim == nil || c.vim.Mode() == vim.Insert }

// vimKey passes a key to the vim editor, and reports whether it was used. Without a
// draft, vim does not get the keys that work everywhere.
func (c *Composer) vimKey(key tea.KeyPressMsg, action config.Action, bound bool) (Result, bool) {
	if c.vim == nil {
		return Result{}, false
	}
	name := key.String()
	if key.Text != "" {
		name = oneLine(key.Text)
	}
	if bound && c.buf.empty() && action != command.Cancel && (action != command.HistorySearch || len(c.buf.redo) == 0) {
		return Result{}, false
	}
	out := c.vim.Key(name)
	if !out.Used {
		return Result{}, false
	}
	c.buf.selecting = false
	c.known = c.buf.watched()
	return Result{Used: true, Copy: c.chips.expand(out.Copy, false)}, true
}

// typed tells the vim editor what a key or a paste has done in insert mode. was is the
// previous state of the buffer.
func (c *Composer) typed(was watched) {
	if c.vim == nil || c.vim.Mode() != vim.Insert {
		return
	}
	is := c.buf.watched()
	if is != was {
		c.vim.Typed(is.changes == was.changes)
	}
	c.known = is
}

// follow updates the vim editor to the visible buffer, and to changes other than by
// keys.
func (c *Composer) follow() {
	c.buf.cur = c.buf.snapped(c.buf.cur) // an edit may have joined the text on both sides of it
	if c.vim == nil {
		return
	}
	if c.vimText != c.buf {
		c.vimText = c.buf
		c.vim.Follow(c.buf)
	} else if c.buf.watched() != c.known {
		c.vim.Moved()
	}
	c.known = c.buf.watched()
}

// snapped returns a position, or the end of the character that contains it.
func (b *buffer) snapped(p vim.Pos) vim.Pos {
	s := b.lines[p.Row].text
	if p.Col == 0 || p.Col >= len(s) || s[p.Col] < utf8.RuneSelf && s[p.Col-1] < utf8.RuneSelf {
		return p
	}
	from := b.chips.previous(s, p.Col)
	if n, _ := b.chips.next(s, from); from+n > p.Col {
		p.Col = from + n
	}
	return p
}

// Mode returns the vim mode, with the keys of an incomplete command; "" without the
// keys of vim.
func (c *Composer) Mode() string {
	if c.vim == nil || c.search != nil {
		return ""
	}
	return strings.TrimSpace(c.vim.Mode().String() + " " + c.vim.Pending())
}

// Cancels returns the hint for what the cancel key does to the draft first, "" if
// nothing.
func (c *Composer) Cancels() string {
	_, _, selected := c.selected()
	switch {
	case c.search != nil:
	case c.vim != nil && c.vim.Pending() != "":
		return "drop the command"
	case c.vim != nil && c.vim.Mode() != vim.Normal:
		return "normal mode"
	case selected:
		return "end the selection"
	}
	return ""
}

// cursorShape returns a bar where keys insert.
func (c *Composer) cursorShape() tea.CursorShape {
	switch {
	case c.inserts() || c.search != nil:
		return tea.CursorBar
	}
	return tea.CursorBlock
}
