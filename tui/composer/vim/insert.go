package vim

import (
	"strings"
	"unicode/utf8"
)

// insertion is the state of insert and replace mode.
type insertion struct {
	from  Pos  // the typed text is between here and the cursor
	times int  // how often to insert it
	lines bool // on a line of its own each time
	// replaced holds the characters that replace mode has overwritten, "" for the end
	// of a line; written, the lengths of what replaced them.
	replaced []string
	written  []int
}

// begin starts insert mode at the cursor.
func (e *Editor) begin(c command) {
	times := c.times()
	if c.operator != "" {
		times = 1
	}
	e.mode = Insert
	e.keeps = false
	e.insert = insertion{from: e.text.Cursor(), times: times}
}

func (e *Editor) beginAt(c command, p Pos) {
	e.text.Move(p)
	e.begin(c)
}

func (e *Editor) openBelow(c command) {
	end := e.text.end(e.text.Cursor().Row)
	e.edit(end, end, "\n")
	e.begin(c)
	e.insert.lines = true
}

func (e *Editor) openAbove(c command) {
	at := Pos{e.text.Cursor().Row, 0}
	e.edit(at, at, "\n")
	e.text.Move(at)
	e.begin(c)
	e.insert.lines = true
}

// Typed reports a key that the host handled in insert mode. With moved, the cursor
// moved without an edit, and a new insertion begins.
func (e *Editor) Typed(moved bool) {
	if e.mode != Insert {
		return
	}
	if at := e.text.Cursor(); moved {
		e.text.End()
		e.text.Begin()
		e.insert = insertion{from: at, times: 1}
		e.change = change{command: command{name: "i"}}
	} else if at.Before(e.insert.from) {
		e.insert.from = at
	}
}

// stopInserting returns to normal mode. It repeats the typed text as often as the
// count says and keeps it for the dot.
func (e *Editor) stopInserting() {
	at := e.text.Cursor()
	typed := ""
	if e.insert.from.Before(at) && e.insert.from.Row <= e.text.lastRow() && e.insert.from.Col <= len(e.text.Line(e.insert.from.Row)) {
		typed = e.text.slice(e.insert.from, at)
	}
	if !e.replays {
		e.change.typed = typed
	}
	if more := e.insert.times - 1; more > 0 && len(typed)*more <= mostPut {
		switch at := e.text.Cursor(); {
		case e.insert.lines:
			at = e.text.end(at.Row)
			e.edit(at, at, strings.Repeat("\n"+typed, more))
		case e.mode == Replace:
			e.writeOver(strings.Repeat(typed, more))
		default:
			e.edit(at, at, strings.Repeat(typed, more))
		}
	}
	e.text.End()
	e.mode = Normal
	if at = e.text.Cursor(); at.Col > 0 {
		at, _ = e.text.previous(at)
	}
	e.to(at)
}

// writeOver overwrites the characters at the cursor.
func (e *Editor) writeOver(text string) {
	for text != "" {
		at := e.text.Cursor()
		line := e.text.Line(at.Row)
		to := e.text.after(at)
		e.insert.replaced = append(e.insert.replaced, line[at.Col:to.Col])
		// Code points form clusters only inside the text, so write them one by one.
		n := 1
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n++
		}
		e.insert.written = append(e.insert.written, n)
		e.edit(at, to, text[:n])
		text = text[n:]
	}
}

// replaceKey handles a key of replace mode. It reports false if the host handles it.
func (e *Editor) replaceKey(key string) bool {
	switch {
	case key == "backspace" || key == "ctrl+h":
		e.restore()
	case key == "space":
		e.writeOver(" ")
	case len(key) == 1 || isCharacter(key):
		e.writeOver(key)
	default:
		return false
	}
	return true
}

// restore restores the last overwritten character; without one it moves left.
func (e *Editor) restore() {
	at, last := e.text.Cursor(), len(e.insert.replaced)-1
	if last < 0 {
		if at.Col > 0 {
			at, _ = e.text.previous(at)
			e.text.Move(at)
			e.insert.from = at
		}
		return
	}
	from := Pos{at.Row, max(0, at.Col-e.insert.written[last])}
	e.edit(from, at, e.insert.replaced[last])
	e.text.Move(from)
	e.insert.replaced, e.insert.written = e.insert.replaced[:last], e.insert.written[:last]
}
