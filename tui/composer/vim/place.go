package vim

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// end is the end of a line.
func (e *Editor) end(row int) Pos { return Pos{row, len(e.text.Line(row))} }

// lastRow is the row of the last line.
func (e *Editor) lastRow() int { return e.text.Lines() - 1 }

func (e *Editor) atEnd(p Pos) bool { return p.Col >= len(e.text.Line(p.Row)) }

func (e *Editor) emptyLine(row int) bool { return e.text.Line(row) == "" }

// next is the place behind p, where the end of a line is a place of its own. It
// reports false at the end of the text.
func (e *Editor) next(p Pos) (Pos, bool) {
	if !e.atEnd(p) {
		return Pos{p.Row, e.text.Next(p.Row, p.Col)}, true
	}
	if p.Row < e.lastRow() {
		return Pos{p.Row + 1, 0}, true
	}
	return p, false
}

// previous is the place before p.
func (e *Editor) previous(p Pos) (Pos, bool) {
	if p.Col > 0 {
		return Pos{p.Row, e.text.Previous(p.Row, p.Col)}, true
	}
	if p.Row > 0 {
		return e.end(p.Row - 1), true
	}
	return p, false
}

// after is the place behind the character at p, or p at the end of its line.
func (e *Editor) after(p Pos) Pos {
	if e.atEnd(p) {
		return p
	}
	return Pos{p.Row, e.text.Next(p.Row, p.Col)}
}

// onLine is p, or the last character of its line where p is the end of it.
func (e *Editor) onLine(p Pos) Pos {
	p.Row = min(p.Row, e.lastRow())
	line := e.text.Line(p.Row)
	if p.Col >= len(line) && line != "" {
		return Pos{p.Row, e.text.Previous(p.Row, len(line))}
	}
	return Pos{p.Row, min(p.Col, len(line))}
}

// aligned is a place of a text that may have changed since: where a character begins.
func (e *Editor) aligned(p Pos) Pos {
	p = e.onLine(p)
	if !e.boundary(p.Row, p.Col) {
		p.Col = e.text.Previous(p.Row, p.Col)
	}
	return p
}

// clamp brings the cursor to where it can be in normal mode.
func (e *Editor) clamp() {
	if at := e.text.Cursor(); at != e.onLine(at) {
		e.text.Move(e.onLine(at))
	}
}

// to moves the cursor, and forgets the column that was to be kept.
func (e *Editor) to(p Pos) {
	e.keeps = false
	if e.mode != Visual || p.Row > e.lastRow() || p != e.end(p.Row) {
		p = e.onLine(p)
	}
	e.text.Move(p)
}

// firstNonBlank is the first character of a line that is not blank, or its last.
func (e *Editor) firstNonBlank(row int) Pos {
	line := e.text.Line(row)
	return e.onLine(Pos{row, len(line) - len(strings.TrimLeft(line, " \t"))})
}

// inIndent reports whether nothing but blanks is before a place in its line.
func (e *Editor) inIndent(p Pos) bool {
	return strings.Trim(e.text.Line(p.Row)[:p.Col], " \t") == ""
}

// slice is the text between two places.
func (e *Editor) slice(from, to Pos) string {
	if from.Row == to.Row {
		return e.text.Line(from.Row)[from.Col:to.Col]
	}
	var s strings.Builder
	s.WriteString(e.text.Line(from.Row)[from.Col:])
	for row := from.Row + 1; row < to.Row; row++ {
		s.WriteByte('\n')
		s.WriteString(e.text.Line(row))
	}
	s.WriteByte('\n')
	s.WriteString(e.text.Line(to.Row)[:to.Col])
	return s.String()
}

// class is what kind of character is at a place. Words are of one class; the end of
// a line is blank.
type class int

const (
	blank class = iota
	punctuation
	word
	emoji
	private // what stands for something else, such as a folded paste
	han
	hiragana
	katakana
	hangul
)

// class is that of the character at p. With big, all that is not blank is one.
func (e *Editor) class(p Pos, big bool) class {
	if e.atEnd(p) {
		return blank
	}
	r, _ := utf8.DecodeRuneInString(e.text.Line(p.Row)[p.Col:])
	c := classOf(r)
	if big && c != blank {
		return word
	}
	return c
}

func classOf(r rune) class {
	switch {
	case r == ' ' || r == '\t':
		return blank
	case r == '_' || r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r)):
		return word
	case r < 0x80:
		return punctuation
	case unicode.IsSpace(r):
		return blank
	case unicode.Is(unicode.Co, r):
		return private
	case unicode.Is(unicode.Han, r):
		return han
	case unicode.Is(unicode.Hiragana, r):
		return hiragana
	case unicode.Is(unicode.Katakana, r):
		return katakana
	case unicode.Is(unicode.Hangul, r):
		return hangul
	case r >= 0x1F000 && unicode.Is(unicode.So, r):
		return emoji
	case unicode.IsPunct(r) || unicode.IsSymbol(r):
		return punctuation
	}
	return word
}
