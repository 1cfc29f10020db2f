package composer

import (
	"slices"
	"strings"
)

// edit is one change of the text, enough to take it back or to do it again.
type edit struct {
	at                pos
	removed, inserted string
	cursor            pos // before the edit
	typed             bool
	// step is the step that it is a part of. What belongs to one step is taken back
	// at once: a word that was typed, a paste, a command of vim.
	step int
}

// undoDepth is how many edits can be taken back.
const undoDepth = 1000

// begin and end enclose edits that are one step. They do not nest.
func (b *buffer) begin() {
	b.next()
	b.grouped = true
}

// next begins another step. If there are too many, the oldest are forgotten.
func (b *buffer) next() {
	b.current++
	if len(b.undo) < undoDepth {
		return
	}
	n := undoDepth / 4
	for n < len(b.undo) && b.undo[n].step == b.undo[n-1].step {
		n++ // a step goes as a whole
	}
	b.undo = slices.Delete(b.undo, 0, n)
}

func (b *buffer) end() { b.grouped = false }

func (b *buffer) record(e edit) {
	b.redo = nil
	if !b.grouped {
		b.next()
	}
	e.step = b.current
	b.undo = append(b.undo, e)
}

// typeText inserts what was typed, or puts it in the place of what is selected. A
// word is taken back as a whole.
func (b *buffer) typeText(text string) {
	if text == "" {
		return
	}
	if n := len(b.undo); n > 0 && len(b.redo) == 0 && !b.selecting {
		e := &b.undo[n-1]
		ends := pos{e.at.row, e.at.col + len(e.inserted)}
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

// takeBack undoes the last step, and returns where the cursor was before it. It
// reports false if there is none.
func (b *buffer) takeBack() (pos, bool) {
	n := len(b.undo)
	if n == 0 {
		return pos{}, false
	}
	for step := b.undo[n-1].step; n > 0 && b.undo[n-1].step == step; n-- {
		e := b.undo[n-1]
		e.typed = false
		b.redo = append(b.redo, e)
		b.splice(e.at, after(e.at, e.inserted), e.removed)
		b.cur = e.cursor
	}
	b.undo = b.undo[:n]
	b.current++ // what comes now is not a part of it
	return b.cur, true
}

// doAgain takes the last undo back, and returns where the cursor was before the step.
func (b *buffer) doAgain() (pos, bool) {
	n := len(b.redo)
	if n == 0 {
		return pos{}, false
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
