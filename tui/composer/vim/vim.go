// Package vim edits a prompt with vim's keys: motions, operators, text objects, visual
// mode, counts, one register, undo and repeat. For more there is the user's editor.
//
// An [Editor] is a state machine without a screen: keys go in, edits of a [Text] come
// out. The host handles the keys of insert mode, completion included, and reports
// them with [Editor.Typed].
package vim

import "strings"

// Pos is a position in a text: a row and a byte offset in its line, where a character
// begins or the line ends.
type Pos struct{ Row, Col int }

func (p Pos) Before(q Pos) bool { return p.Row < q.Row || p.Row == q.Row && p.Col < q.Col }

// Text is the edited text. It has at least one line; lines contain no newlines.
type Text interface {
	Lines() int
	Line(row int) string
	// Slice returns the text between two positions.
	Slice(from, to Pos) string
	// Next returns the offset after the character at col, which is not the end of the
	// line. Previous returns where the character that ends at col begins; col is not 0.
	// A character is a grapheme cluster.
	Next(row, col int) int
	Previous(row, col int) int
	// Column returns how many cells precede an offset. AtColumn returns the offset of
	// the character that covers a cell, or the end of the line.
	Column(row, col int) int
	AtColumn(row, column int) int

	Cursor() Pos
	Move(Pos)
	// Replace replaces the text between two positions. The editor moves the cursor
	// afterwards.
	Replace(from, to Pos, text string)
	// Begin and End enclose one undo step. They do not nest.
	Begin()
	End()
	// Undo and Redo apply one step and return where the cursor was before it was made.
	// They report false without a step.
	Undo() (Pos, bool)
	Redo() (Pos, bool)
}

// Mode is one of vim's modes.
type Mode int

const (
	Insert Mode = iota
	Normal
	Visual
	VisualLine
)

// String returns the mode as vim shows it.
func (m Mode) String() string {
	return [...]string{"INSERT", "NORMAL", "VISUAL", "VISUAL LINE"}[m]
}

// Outcome is the result of a key.
type Outcome struct {
	Used bool   // false if the host handles the key
	Copy string // text for the clipboard, or ""
}

// Editor edits one text. It is not safe for concurrent use. The zero value is in
// insert mode and needs a text; see [Editor.Edit].
type Editor struct {
	text    document
	mode    Mode
	pending []string // the keys of an incomplete command

	register Register
	copied   string  // what the running command copies to the clipboard
	goal     int     // the column that vertical motions keep
	keeps    bool    // goal is set
	find     command // the last f, F, t or T
	anchor   Pos     // the other end of the visual selection
	inserted Pos     // where insert mode began
	change   change  // the last change, for the dot
	replays  bool    // the dot is repeating a change
}

// Register is deleted or yanked text. Lines marks whole lines.
type Register struct {
	Text  string
	Lines bool
}

// Edit starts on a text, in insert mode. It keeps the register and the last change.
func (e *Editor) Edit(t Text) {
	e.text, e.mode, e.pending, e.keeps, e.inserted = document{t}, Insert, nil, false, t.Cursor()
	t.Begin()
}

// Follow continues with another text: in insert mode from insert mode, in normal mode from
// the others.
func (e *Editor) Follow(t Text) {
	if e.mode == Insert {
		e.text.End()
		e.Edit(t)
		return
	}
	e.text, e.mode, e.pending, e.keeps = document{t}, Normal, nil, false
	e.clamp()
}

// Moved reports that the host moved the cursor or changed the text by other means
// than the keys of insert mode. It ends the command in progress.
func (e *Editor) Moved() {
	e.pending, e.keeps = nil, false
	if e.mode == Insert {
		e.Typed(true)
		return
	}
	e.mode = Normal
	e.clamp()
}

// Typed reports a key that the host handled in insert mode. With moved, the cursor
// moved without an edit, and a new insertion begins.
func (e *Editor) Typed(moved bool) {
	at := e.text.Cursor()
	switch {
	case e.mode != Insert:
	case moved:
		e.text.End()
		e.text.Begin()
		e.inserted, e.change = at, change{command: command{name: "i"}}
	case at.Before(e.inserted):
		e.inserted = at
	}
}

// Mode returns the current mode.
func (e *Editor) Mode() Mode { return e.mode }

// Pending returns the keys of an incomplete command.
func (e *Editor) Pending() string { return strings.Join(e.pending, "") }

// Register returns the text that p puts.
func (e *Editor) Register() Register { return e.register }

// Forget clears the register and the last change, which may hold parts of a text
// that is gone.
func (e *Editor) Forget() { e.register, e.change = Register{}, change{} }

// Selection returns the selection of visual mode; to is after its last character.
func (e *Editor) Selection() (from, to Pos, ok bool) {
	if !e.visual() {
		return Pos{}, Pos{}, false
	}
	from, to = e.bounds(e.selection())
	return from, to, true
}

// Select selects the text between two positions, as the mouse does. The cursor is at
// the second one, or at the last character.
func (e *Editor) Select(anchor, cursor Pos) {
	if e.mode == Insert {
		return
	}
	e.pending, e.mode, e.keeps = nil, Visual, false
	switch {
	case anchor.Before(cursor) && cursor.Col > 0:
		cursor, _ = e.text.previous(cursor)
	case cursor.Before(anchor) && anchor.Col > 0:
		anchor, _ = e.text.previous(anchor)
	}
	e.anchor = e.text.onCharacter(anchor)
	e.text.Move(e.text.onCharacter(cursor))
}

// Key handles a key: a typed character, or the name of a key, such as "esc", "left"
// or "ctrl+r".
func (e *Editor) Key(key string) Outcome {
	escape := key == "esc" || key == "ctrl+["
	switch {
	case escape && e.mode == Insert:
		e.stopInserting()
		return Outcome{Used: true}
	case e.mode == Insert:
		return Outcome{}
	case escape:
		used := len(e.pending) > 0 || e.visual()
		if len(e.pending) == 0 {
			e.mode = Normal
		}
		e.pending = nil
		return Outcome{Used: used}
	}
	name, known := e.keyName(key)
	if !known {
		return Outcome{}
	}
	e.pending = append(e.pending, name)
	c, state := parse(e.pending, e.visual())
	if state == incomplete {
		return Outcome{Used: true}
	}
	e.pending = nil
	if state == complete {
		e.run(c)
	}
	out := Outcome{Used: true, Copy: e.copied}
	e.copied = ""
	return out
}

// keyName returns the name that a key has in commands. It reports false if the host
// handles the key.
func (e *Editor) keyName(key string) (name string, known bool) {
	begun := len(e.pending) > 0
	if key == "enter" {
		return key, begun
	}
	if moved, shifted := strings.CutPrefix(key, "shift+"); shifted && named[moved] != "" {
		if key = moved; !e.visual() {
			e.mode, e.anchor = Visual, e.text.Cursor()
		}
	}
	name, known = named[key]
	switch {
	case (key == "up" || key == "down") && !begun && !e.visual():
		return "", false // the host may recall its history on the first and last line
	case known:
		return name, true
	case len(key) > 1 && !isCharacter(key):
		e.pending = nil
		return "", false
	}
	return key, true
}

func (e *Editor) visual() bool { return e.mode == Visual || e.mode == VisualLine }

// named maps the names of keys to their names in commands.
var named = map[string]string{
	"left": "h", "right": "l", "up": "k", "down": "j", "home": "0", "end": "$", "delete": "x",
	"backspace": "h", "ctrl+h": "h", "ctrl+left": "b", "ctrl+right": "w", "ctrl+r": "ctrl+r",
}

// isCharacter reports whether a key of several bytes is one character: the names of
// keys are ASCII.
func isCharacter(key string) bool {
	return !strings.ContainsFunc(key, func(r rune) bool { return r < 0x80 })
}
