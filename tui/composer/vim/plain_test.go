package vim

import (
	"strings"
	"unicode/utf8"
)

// plainText is a text without a screen: every code point is a character of one cell.
type plainText struct {
	lines      []string
	cursor     Pos
	undo, redo []plainState
	begun      *plainState // as it was when the step began
}

type plainState struct {
	text   string
	cursor Pos // at the first edit
	edited bool
}

func newPlain(text string, at Pos) *plainText {
	return &plainText{lines: strings.Split(text, "\n"), cursor: at}
}

func (t *plainText) all() string           { return strings.Join(t.lines, "\n") }
func (t *plainText) Lines() int            { return len(t.lines) }
func (t *plainText) Line(row int) string   { return t.lines[row] }
func (t *plainText) Cursor() Pos           { return t.cursor }
func (t *plainText) Move(p Pos)            { t.cursor = p }
func (t *plainText) Column(row, c int) int { return utf8.RuneCountInString(t.lines[row][:c]) }

func (t *plainText) AtColumn(row, column int) int {
	for i := range t.lines[row] {
		if column == 0 {
			return i
		}
		column--
	}
	return len(t.lines[row])
}

func (t *plainText) Slice(from, to Pos) string {
	lines := append([]string(nil), t.lines[from.Row:to.Row+1]...)
	lines[len(lines)-1] = lines[len(lines)-1][:to.Col]
	lines[0] = lines[0][from.Col:]
	return strings.Join(lines, "\n")
}

func (t *plainText) Next(row, col int) int {
	_, n := utf8.DecodeRuneInString(t.lines[row][col:])
	return col + n
}

func (t *plainText) Previous(row, col int) int {
	_, n := utf8.DecodeLastRuneInString(t.lines[row][:col])
	return col - n
}

func (t *plainText) Replace(from, to Pos, text string) {
	if t.begun == nil {
		panic("an edit outside of a step")
	}
	if !t.begun.edited {
		t.begun.edited, t.begun.cursor = true, t.cursor
	}
	parts := strings.Split(t.lines[from.Row][:from.Col]+text+t.lines[to.Row][to.Col:], "\n")
	rest := append([]string(nil), t.lines[to.Row+1:]...)
	t.lines = append(append(t.lines[:from.Row:from.Row], parts...), rest...)
	t.redo = nil
}

func (t *plainText) Begin() {
	if t.begun == nil {
		t.begun = &plainState{text: t.all()}
	}
}

func (t *plainText) End() {
	if t.begun != nil && t.begun.edited {
		t.undo = append(t.undo, *t.begun)
	}
	t.begun = nil
}

func (t *plainText) Undo() (Pos, bool) { return t.step(&t.undo, &t.redo) }
func (t *plainText) Redo() (Pos, bool) { return t.step(&t.redo, &t.undo) }

func (t *plainText) step(from, to *[]plainState) (Pos, bool) {
	if len(*from) == 0 {
		return Pos{}, false
	}
	s := (*from)[len(*from)-1]
	*from = (*from)[:len(*from)-1]
	*to = append(*to, plainState{t.all(), s.cursor, true})
	t.lines = strings.Split(s.text, "\n")
	return s.cursor, true
}

// host types what is typed in insert mode, as vim does.
type host struct {
	*plainText
	e Editor
}

func newHost(text string, at Pos) *host {
	h := &host{plainText: newPlain(text, Pos{})}
	h.e.Edit(h.plainText)
	h.e.Key("esc")
	h.cursor = at
	return h
}

func (h *host) press(key string) {
	mode := h.e.Mode()
	if h.e.Key(key).Used || mode != Insert {
		return
	}
	at, changed := h.cursor, true
	switch key {
	case "enter":
		h.Replace(at, at, "\n")
		h.cursor = Pos{at.Row + 1, 0}
	case "backspace":
		if from, ok := h.e.text.previous(at); ok {
			h.Replace(from, at, "")
			h.cursor = from
		}
	case "left", "right":
		changed = false
		if key == "left" && at.Col > 0 {
			h.cursor = Pos{at.Row, h.Previous(at.Row, at.Col)}
		} else if key == "right" && at.Col < len(h.lines[at.Row]) {
			h.cursor = Pos{at.Row, h.Next(at.Row, at.Col)}
		}
	case "space":
		h.Replace(at, at, " ")
		h.cursor.Col++
	default:
		if len(key) > 1 && !isCharacter(key) {
			return
		}
		h.Replace(at, at, key)
		h.cursor.Col += len(key)
	}
	h.e.Typed(!changed)
}
