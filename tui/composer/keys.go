package composer

import (
	"slices"

	"parley/config"
	"parley/internal/command"
	"parley/tui/composer/vim"
)

// editKey is the effect of a key on the draft.
type editKey struct {
	do func(*Composer, *buffer)
	// moves means that it only moves the cursor, which ends a selection.
	moves bool
}

// editing are the keys of readline, and other common ones. A key that the configuration
// binds to an action is not looked up here.
var editing = map[string]editKey{
	"left":       {func(_ *Composer, b *buffer) { b.collapse(b.left(b.cur), true) }, true},
	"right":      {func(_ *Composer, b *buffer) { b.collapse(b.right(b.cur), false) }, true},
	"ctrl+b":     moving(func(b *buffer) vim.Pos { return b.left(b.cur) }),
	"ctrl+f":     moving(func(b *buffer) vim.Pos { return b.right(b.cur) }),
	"alt+left":   moving(func(b *buffer) vim.Pos { return b.wordLeft(b.cur) }),
	"ctrl+left":  moving(func(b *buffer) vim.Pos { return b.wordLeft(b.cur) }),
	"alt+b":      moving(func(b *buffer) vim.Pos { return b.wordLeft(b.cur) }),
	"alt+right":  moving(func(b *buffer) vim.Pos { return b.wordRight(b.cur) }),
	"ctrl+right": moving(func(b *buffer) vim.Pos { return b.wordRight(b.cur) }),
	"alt+f":      moving(func(b *buffer) vim.Pos { return b.wordRight(b.cur) }),
	"home":       moving((*buffer).lineStart),
	"ctrl+a":     moving((*buffer).lineStart),
	"end":        moving((*buffer).lineEnd),
	"ctrl+e":     moving((*buffer).lineEnd),
	"alt+<":      moving(func(*buffer) vim.Pos { return pos(0, 0) }),
	"alt+>":      moving((*buffer).last),
	"up":         {func(c *Composer, b *buffer) { b.vertical(-1, c.textWidth()) }, true},
	"down":       {func(c *Composer, b *buffer) { b.vertical(1, c.textWidth()) }, true},

	"backspace":       erasing((*buffer).left),
	"shift+backspace": erasing((*buffer).left),
	"ctrl+h":          erasing((*buffer).left),
	"delete":          erasing((*buffer).right),
	"ctrl+d":          erasing((*buffer).right),

	"ctrl+w":         killing((*buffer).spaceLeft),
	"alt+backspace":  killing((*buffer).wordLeft),
	"ctrl+backspace": killing((*buffer).wordLeft),
	"alt+d":          killing((*buffer).wordRight),
	"alt+delete":     killing((*buffer).wordRight),
	"ctrl+delete":    killing((*buffer).wordRight),
	"ctrl+k":         killing(func(b *buffer, at vim.Pos) vim.Pos { return orElse(at, b.lineEnd(), b.right) }),
	"ctrl+u":         killing(func(b *buffer, at vim.Pos) vim.Pos { return orElse(at, b.lineStart(), b.left) }),
	"ctrl+y":         {do: func(c *Composer, b *buffer) { c.kills.yank(b) }},
	"alt+y":          {do: func(c *Composer, b *buffer) { c.kills.yankOlder(b) }},
	"ctrl+shift+y":   {do: func(c *Composer, b *buffer) { c.kills.yankOlder(b) }},

	"ctrl+t": {do: func(_ *Composer, b *buffer) { b.swap() }},

	"ctrl+_":       {do: func(_ *Composer, b *buffer) { b.Undo() }},
	"ctrl+/":       {do: func(_ *Composer, b *buffer) { b.Undo() }},
	"alt+_":        {do: func(_ *Composer, b *buffer) { b.Redo() }},
	"alt+/":        {do: func(_ *Composer, b *buffer) { b.Redo() }},
	"ctrl+shift+z": {do: func(_ *Composer, b *buffer) { b.Redo() }},

	"alt+enter": {do: func(_ *Composer, b *buffer) { b.insert("\n") }},
}

func moving(to func(*buffer) vim.Pos) editKey {
	return editKey{func(_ *Composer, b *buffer) { b.Move(to(b)) }, true}
}

func erasing(to func(*buffer, vim.Pos) vim.Pos) editKey {
	return editKey{do: func(_ *Composer, b *buffer) { b.erase(to(b, b.cur)) }}
}

func killing(to func(*buffer, vim.Pos) vim.Pos) editKey {
	return editKey{do: func(c *Composer, b *buffer) { c.kills.kill(b, to(b, b.cur)) }}
}

// The keys that copy and cut the selection. Without one they have no other meaning.
var (
	copying = map[string]bool{"ctrl+c": true, "ctrl+insert": true, "ctrl+shift+c": true, "super+c": true}
	cutting = map[string]bool{"ctrl+x": true, "shift+delete": true, "ctrl+shift+x": true, "super+x": true}
)

// orElse returns to, or the position beyond it if the cursor is already there, so that
// killing at the end of a line joins it with the next.
func orElse(at, to vim.Pos, beyond func(vim.Pos) vim.Pos) vim.Pos {
	if to == at {
		return beyond(at)
	}
	return to
}

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
	if action == command.Cancel && c.buf.deselect() || c.selectKey(name) {
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
	raw := c.buf.Slice(from, to)
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

// killDepth bounds the kill ring.
const killDepth = 30

// killRing keeps killed text, the latest first. Consecutive kills are one.
type killRing struct {
	texts []string
	// last is the kind of the previous key, and now that of the current one.
	last, now killKey
	// The last yanked text is texts[at], and begins at from.
	at   int
	from vim.Pos
}

type killKey int

const (
	otherKey killKey = iota
	killKeyed
	yankKeyed
)

// turn records another key, paste or click.
func (k *killRing) turn() { k.last, k.now = k.now, otherKey }

// push adds text as a kill of its own.
func (k *killRing) push(text string) {
	if text == "" {
		return
	}
	if len(k.texts) == killDepth {
		k.texts = k.texts[:killDepth-1]
	}
	k.texts = slices.Insert(k.texts, 0, text)
}

// add adds text that was killed before or after the cursor.
func (k *killRing) add(text string, before bool) {
	k.now = killKeyed
	switch {
	case text == "":
	case k.last != killKeyed || len(k.texts) == 0:
		k.push(text)
	case before:
		k.texts[0] = text + k.texts[0]
	default:
		k.texts[0] += text
	}
}

// kill deletes up to p, or the selection, and keeps the text for ctrl+y.
func (k *killRing) kill(b *buffer, p vim.Pos) {
	_, _, selected := b.selection()
	before := p.Before(b.cur) && !selected
	if text := b.erase(p); text != "" {
		k.add(text, before)
	}
}

// yank inserts the latest kill.
func (k *killRing) yank(b *buffer) {
	if len(k.texts) == 0 {
		return
	}
	k.now, k.at = yankKeyed, 0
	k.from, _, _ = b.selection()
	b.insert(k.texts[0])
}

// yankOlder replaces the text just yanked by the kill before it.
func (k *killRing) yankOlder(b *buffer) {
	if k.last != yankKeyed || len(k.texts) == 0 {
		return
	}
	k.now, k.at = yankKeyed, (k.at+1)%len(k.texts)
	b.Replace(k.from, b.cur, k.texts[k.at])
}

// forget drops kills with chips of a discarded draft.
func (k *killRing) forget(c *chips) {
	k.texts = slices.DeleteFunc(k.texts, func(text string) bool { return c.expand(text, true) != text })
	k.last, k.now = otherKey, otherKey
}
