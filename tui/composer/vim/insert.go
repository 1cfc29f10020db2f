package vim

import "strings"

// insertion is what is being inserted.
type insertion struct {
	from  Pos // what was typed stands between here and the cursor
	times int // how often it is to stand there
	lines bool
	// replaced are the characters that replace mode has written over, "" for the end
	// of a line.
	replaced []string
	written  []int // the lengths of what was written over them
}

// begin begins to insert at the cursor.
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
	end := e.end(e.text.Cursor().Row)
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

func (e *Editor) beginReplace(c command) {
	e.begin(c)
	e.mode = Replace
}

// insertKey handles a key of insert mode: only what ends it is not the host's.
func (e *Editor) insertKey(key string) Outcome {
	if key != "esc" && key != "ctrl+[" {
		return Outcome{}
	}
	e.stopInserting()
	return Outcome{Used: true}
}

// Typed tells of a key that the host has handled in insert mode. Moved says that the
// cursor was moved without an edit: then what is typed from now on is an insertion of
// its own.
func (e *Editor) Typed(moved bool) {
	if e.mode != Insert {
		return
	}
	if at := e.text.Cursor(); moved {
		e.text.End()
		e.text.Begin()
		e.insert = insertion{from: at, times: 1}
		e.change = change{command: command{name: "i"}}
	} else if at.before(e.insert.from) {
		e.insert.from = at
	}
}

// stopInserting goes back to normal mode. What was typed is repeated as often as the
// count says, and kept for the dot.
func (e *Editor) stopInserting() {
	at := e.text.Cursor()
	typed := ""
	if e.insert.from.before(at) && e.insert.from.Row <= e.lastRow() && e.insert.from.Col <= len(e.text.Line(e.insert.from.Row)) {
		typed = e.slice(e.insert.from, at)
	}
	if !e.replays {
		e.change.typed = typed
	}
	e.repeatTyped(typed)
	e.text.End()
	e.mode = Normal
	if at = e.text.Cursor(); at.Col > 0 {
		at, _ = e.previous(at)
	}
	e.to(at)
}

// repeatTyped inserts what was typed again, as often as the count says.
func (e *Editor) repeatTyped(typed string) {
	more := e.insert.times - 1
	if more <= 0 || len(typed)*more > mostPut {
		return
	}
	at := e.text.Cursor()
	switch {
	case e.insert.lines:
		at = e.end(at.Row)
		e.edit(at, at, strings.Repeat("\n"+typed, more))
	case e.mode == Replace:
		e.writeOver(strings.Repeat(typed, more))
	default:
		e.edit(at, at, strings.Repeat(typed, more))
	}
}

// retype types again what was typed with the change that the dot repeats.
func (e *Editor) retype(typed string) {
	at := e.text.Cursor()
	if e.mode == Replace {
		e.writeOver(typed)
	} else {
		e.edit(at, at, typed)
	}
	e.stopInserting()
}

// writeOver writes characters over those at the cursor.
func (e *Editor) writeOver(text string) {
	for text != "" {
		at := e.text.Cursor()
		line := e.text.Line(at.Row)
		to := e.after(at)
		e.insert.replaced = append(e.insert.replaced, line[at.Col:to.Col])
		// The character that is written is one that a person sees as one only once it
		// stands in the text, so it is written code point by code point.
		n := strings.IndexFunc(text[1:], func(rune) bool { return true }) + 1
		if n <= 0 {
			n = len(text)
		}
		for n < len(text) && text[n]&0xC0 == 0x80 {
			n++
		}
		e.insert.written = append(e.insert.written, n)
		e.edit(at, to, text[:n])
		text = text[n:]
	}
}

// replaceKey handles a key of replace mode.
func (e *Editor) replaceKey(key string) Outcome {
	switch {
	case key == "esc" || key == "ctrl+[":
		e.stopInserting()
	case key == "backspace" || key == "ctrl+h":
		e.restore()
	case key == "space":
		e.writeOver(" ")
	case len(key) == 1 || typed(key):
		e.writeOver(key)
	default:
		return Outcome{}
	}
	return Outcome{Used: true}
}

// restore puts back the character that was written over last, or else goes left.
func (e *Editor) restore() {
	at, last := e.text.Cursor(), len(e.insert.replaced)-1
	if last < 0 {
		if at.Col > 0 {
			at, _ = e.previous(at)
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
