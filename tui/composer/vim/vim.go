// Package vim edits a text by the keys of vim: modes, counts, operators, motions,
// text objects, visual mode, undo and the repeating of changes.
//
// An [Editor] is a state machine: keys go in, edits of a [Text] come out. It knows
// nothing of a screen. What is typed in insert mode is the host's business, which
// tells the editor of it with [Editor.Typed]; so completion and the like work there
// as they do without vim.
package vim

import "strings"

// Pos is a place in a text: a row, and a byte offset in its line, always where a
// character begins or at the end of the line.
type Pos struct{ Row, Col int }

func (p Pos) before(q Pos) bool { return p.Row < q.Row || p.Row == q.Row && p.Col < q.Col }

// Text is what is edited. A text has one line at least; lines have no newlines.
type Text interface {
	Lines() int
	Line(row int) string
	// Next is the offset behind the character at an offset that is not the end of
	// the line. Previous is where the character begins that ends at an offset that is
	// not 0. A character is what a person sees as one.
	Next(row, col int) int
	Previous(row, col int) int
	// Column is how many cells are before an offset of a line, and AtColumn the
	// offset of the character that covers a cell, or the end of the line.
	Column(row, col int) int
	AtColumn(row, column int) int

	Cursor() Pos
	Move(Pos)
	// Replace puts text in the place of what is between two positions. Where the
	// cursor is afterwards, the editor decides.
	Replace(from, to Pos, text string)
	// Begin and End enclose edits that are undone together. They do not nest.
	Begin()
	End()
	// Undo and Redo change the text by one such step, and return where the cursor was
	// before the step was made. They report false if there is none.
	Undo() (Pos, bool)
	Redo() (Pos, bool)
}

// Mode is what keys mean.
type Mode int

// The modes.
const (
	Insert Mode = iota
	Normal
	Visual
	VisualLine
	Replace
)

// String is the mode as it is shown to people.
func (m Mode) String() string {
	return [...]string{"INSERT", "NORMAL", "VISUAL", "VISUAL LINE", "REPLACE"}[m]
}

// indent is how many spaces > and < move a line.
const indent = 4

// mostCount bounds counts: no key makes a text that is longer than memory.
const mostCount = 9999

// Outcome says what became of a key.
type Outcome struct {
	// Used is false when the key is the host's.
	Used bool
	// Copy is text for the clipboard, "" for none.
	Copy string
}

// Editor edits one text. It is not safe for concurrent use. The zero value is in
// insert mode and needs a text first; see [Editor.Edit].
type Editor struct {
	text    Text
	mode    Mode
	pending []string // the keys of a command that is not complete

	register Register
	copied   string   // for the clipboard, of the command that is being run
	goal     int      // the cells that moving up and down tries to keep
	keeps    bool     // goal is known
	find     command  // the last f, F, t or T
	pattern  pattern  // the last * or #
	anchor   Pos      // the other end of the visual selection
	last     selected // the visual selection before
	insert   insertion
	change   change // the last change, for the dot
	replays  bool   // the dot is at work
}

// Register is text that was deleted or yanked. Lines says that it is whole lines.
type Register struct {
	Text  string
	Lines bool
}

// Edit begins with a text, in insert mode. The register, the last change and what
// was looked for stay.
func (e *Editor) Edit(t Text) {
	e.text, e.mode, e.pending, e.keeps = t, Insert, nil, false
	e.last = selected{}
	e.insert = insertion{from: t.Cursor()}
	t.Begin()
}

// Follow goes on with another text, in insert mode if that is the mode, else in normal
// mode.
func (e *Editor) Follow(t Text) {
	if e.mode == Insert || e.mode == Replace {
		e.text.End()
		e.Edit(t)
		return
	}
	e.text, e.mode, e.pending, e.keeps = t, Normal, nil, false
	e.last = selected{}
	e.clamp()
}

// Moved says that the host has moved the cursor, or changed the text, in a way that
// is not by keys of insert mode. What was begun is at its end.
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

// Mode is the mode that the editor is in.
func (e *Editor) Mode() Mode { return e.mode }

// Pending are the keys of a command that is not complete, as they were typed.
func (e *Editor) Pending() string {
	var s string
	for _, k := range e.pending {
		s += k
	}
	return s
}

// Register is the text that p puts.
func (e *Editor) Register() Register { return e.register }

// SetRegister changes the text that p puts.
func (e *Editor) SetRegister(r Register) { e.register = r }

// Forget forgets register, last change and what was typed, which may hold what
// belongs to the text before.
func (e *Editor) Forget() { e.register, e.change = Register{}, change{} }

// Selection is what is selected in visual mode; to is behind the last character.
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

// Key handles a key: a character that was typed, or the name of a key, such as
// "esc", "left" or "ctrl+r".
func (e *Editor) Key(key string) Outcome {
	switch e.mode {
	case Insert:
		return e.insertKey(key)
	case Replace:
		return e.replaceKey(key)
	}
	return e.commandKey(key)
}

// commandKey handles a key of normal and visual mode.
func (e *Editor) commandKey(key string) Outcome {
	if key == "esc" || key == "ctrl+[" {
		return Outcome{Used: e.escape()}
	}
	name, ours := e.command(key)
	if !ours {
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

// command is the name that a key has in commands. It reports false if the key is the
// host's.
func (e *Editor) command(key string) (name string, ours bool) {
	begun := len(e.pending) > 0
	if key == "enter" {
		return key, begun
	}
	if moved, shifted := strings.CutPrefix(key, "shift+"); shifted && named[moved] != "" && moved != "space" {
		if key = moved; !e.visual() {
			e.beginVisual(Visual)
		}
	}
	name, known := named[key]
	switch {
	case known && vertical(key) && !begun && !e.visual():
		return "", false // where there is no line, the host may have a history
	case known:
		return name, true
	case len(key) > 1 && !typed(key):
		e.pending = nil
		return "", false
	}
	return key, true
}

// escape ends a command that is not complete, or visual mode. It reports false if
// there is neither.
func (e *Editor) escape() bool {
	switch {
	case len(e.pending) > 0:
		e.pending = nil
	case e.visual():
		e.leaveVisual()
		e.clamp()
	default:
		return false
	}
	return true
}

func (e *Editor) visual() bool { return e.mode == Visual || e.mode == VisualLine }

// named are the keys that have names, and what they are for a command.
var named = map[string]string{
	"left": "h", "right": "l", "up": "k", "down": "j", "home": "0", "end": "$", "delete": "x",
	"space": " ", "backspace": "backspace", "ctrl+h": "backspace", "ctrl+left": "b", "ctrl+right": "w", "ctrl+r": "ctrl+r",
}

func vertical(key string) bool { return key == "up" || key == "down" }

// typed reports whether a key is a character, and not the name of a key: a name is
// several letters.
func typed(key string) bool {
	for _, r := range key {
		if r < 0x80 {
			return false
		}
	}
	return true
}
