// Package vim edits a text with vim's keys: modes, counts, operators, motions, text
// objects, visual mode, undo and repeat.
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
	Replace
)

// String returns the mode as vim shows it.
func (m Mode) String() string {
	return [...]string{"INSERT", "NORMAL", "VISUAL", "VISUAL LINE", "REPLACE"}[m]
}

// indent is how many spaces > and < move a line.
const indent = 4

// mostCount bounds counts, so that no key fills the memory.
const mostCount = 9999

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
	copied   string   // what the running command copies to the clipboard
	goal     int      // the column that vertical motions keep
	keeps    bool     // goal is set
	find     command  // the last f, F, t or T
	pattern  pattern  // the last * or #
	anchor   Pos      // the other end of the visual selection
	last     selected // the previous visual selection
	insert   insertion
	change   change // the last change, for the dot
	replays  bool   // the dot is repeating a change
}

// Register is deleted or yanked text. Lines marks whole lines.
type Register struct {
	Text  string
	Lines bool
}

// Edit starts on a text, in insert mode. It keeps the register, the last change and
// the search.
func (e *Editor) Edit(t Text) {
	e.text, e.mode, e.pending, e.keeps = document{t}, Insert, nil, false
	e.last = selected{}
	e.insert = insertion{from: t.Cursor()}
	t.Begin()
}

// Follow continues with another text: in insert mode from insert or replace mode, in
// normal mode from the others.
func (e *Editor) Follow(t Text) {
	if e.mode == Insert || e.mode == Replace {
		e.text.End()
		e.Edit(t)
		return
	}
	e.text, e.mode, e.pending, e.keeps = document{t}, Normal, nil, false
	e.last = selected{}
	e.clamp()
}

// Moved reports that the host moved the cursor or changed the text by other means
// than the keys of insert mode. It ends the command in progress.
func (e *Editor) Moved() {
	e.pending, e.keeps = nil, false
	switch e.mode {
	case Insert:
		e.Typed(true)
		return
	case Replace:
		e.text.End()
		e.mode = Normal
	case Visual, VisualLine:
		e.leaveVisual()
	}
	e.clamp()
}

// Mode returns the current mode.
func (e *Editor) Mode() Mode { return e.mode }

// Pending returns the keys of an incomplete command.
func (e *Editor) Pending() string { return strings.Join(e.pending, "") }

// Register returns the text that p puts.
func (e *Editor) Register() Register { return e.register }

// SetRegister changes the text that p puts.
func (e *Editor) SetRegister(r Register) { e.register = r }

// Forget clears the register and the last change, which may hold parts of a text
// that is gone.
func (e *Editor) Forget() { e.register, e.change = Register{}, change{} }

// Selection returns the selection of visual mode; to is after its last character.
func (e *Editor) Selection() (from, to Pos, ok bool) {
	if e.mode != Visual && e.mode != VisualLine {
		return Pos{}, Pos{}, false
	}
	s := e.selection()
	if s.lines {
		return Pos{s.from.Row, 0}, Pos{s.to.Row, len(e.text.Line(s.to.Row))}, true
	}
	return s.from, s.to, true
}

// Key handles a key: a typed character, or the name of a key, such as "esc", "left"
// or "ctrl+r".
func (e *Editor) Key(key string) Outcome {
	escape := key == "esc" || key == "ctrl+["
	switch {
	case escape && (e.mode == Insert || e.mode == Replace):
		e.stopInserting()
		return Outcome{Used: true}
	case e.mode == Insert:
		return Outcome{}
	case e.mode == Replace:
		return Outcome{Used: e.replaceKey(key)}
	case escape && len(e.pending) > 0:
		e.pending = nil
		return Outcome{Used: true}
	case escape && e.visual():
		e.leaveVisual()
		e.clamp()
		return Outcome{Used: true}
	case escape:
		return Outcome{}
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
	if moved, shifted := strings.CutPrefix(key, "shift+"); shifted && named[moved] != "" && moved != "space" {
		if key = moved; !e.visual() {
			e.beginVisual(Visual)
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
	"space": " ", "backspace": "backspace", "ctrl+h": "backspace", "ctrl+left": "b", "ctrl+right": "w", "ctrl+r": "ctrl+r",
}

// isCharacter reports whether a key of several bytes is one character: the names of
// keys are ASCII.
func isCharacter(key string) bool {
	return !strings.ContainsFunc(key, func(r rune) bool { return r < 0x80 })
}
