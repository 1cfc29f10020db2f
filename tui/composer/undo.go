package composer

import (
	"slices"
	"strings"

	"parley/tui/composer/vim"
)

// edit is one change of the text, with what is needed to undo and redo it.
type edit struct {
	at                vim.Pos
	removed, inserted string
	cursor            vim.Pos // before the edit
	typed             bool
	// step is the undo step that it belongs to. A step is undone at once: a typed word,
	// a paste, a vim command.
	step int
}

// undoDepth bounds the edits that can be undone.
const undoDepth = 1000

// Begin and End enclose the edits of one step. They do not nest.
func (b *buffer) Begin() {
	b.next()
	b.grouped = true
}

// next begins another step, and drops the oldest if there are too many.
func (b *buffer) next() {
	b.current++
	if len(b.undo) < undoDepth {
		return
	}
	n := undoDepth / 4
	for n < len(b.undo) && b.undo[n].step == b.undo[n-1].step {
		n++ // a step is dropped as a whole
	}
	b.undo = slices.Delete(b.undo, 0, n)
}

func (b *buffer) End() { b.grouped = false }

// typeText inserts typed text, or replaces the selection by it. A word is one undo
// step.
func (b *buffer) typeText(text string) {
	if text == "" {
		return
	}
	if n := len(b.undo); n > 0 && len(b.redo) == 0 && !b.selecting {
		e := &b.undo[n-1]
		ends := pos(e.at.Row, e.at.Col+len(e.inserted))
		if e.typed && ends == b.cur && e.step == b.current && (b.grouped || isSpace(text) || !isSpace(e.inserted[len(e.inserted)-1:])) {
			e.inserted += text
			b.splice(b.cur, b.cur, text)
			return
		}
	}
	b.insert(text)
	b.undo[len(b.undo)-1].typed = true
}

func isSpace(s string) bool { return strings.TrimSpace(s) == "" }

// Undo undoes the last step, and returns the earlier position of the cursor; false
// if there is none.
func (b *buffer) Undo() (vim.Pos, bool) {
	n := len(b.undo)
	if n == 0 {
		return pos(0, 0), false
	}
	for step := b.undo[n-1].step; n > 0 && b.undo[n-1].step == step; n-- {
		e := b.undo[n-1]
		e.typed = false
		b.redo = append(b.redo, e)
		b.splice(e.at, after(e.at, e.inserted), e.removed)
		b.cur = e.cursor
	}
	b.undo = b.undo[:n]
	b.current++ // the next edit belongs to another step
	return b.cur, true
}

// Redo redoes the last undone step, and returns the position of the cursor before
// that step.
func (b *buffer) Redo() (vim.Pos, bool) {
	n := len(b.redo)
	if n == 0 {
		return pos(0, 0), false
	}
	before := b.redo[n-1].cursor
	for step := b.redo[n-1].step; n > 0 && b.redo[n-1].step == step; n-- {
		e := b.redo[n-1]
		b.undo = append(b.undo, e)
		b.splice(e.at, after(e.at, e.removed), e.inserted)
	}
	b.redo = b.redo[:n]
	b.current++
	return before, true
}
