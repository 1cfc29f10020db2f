package vim

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// end returns the end of a line.
func (e *Editor) end(row int) Pos { return Pos{row, len(e.text.Line(row))} }

func (e *Editor) lastRow() int { return e.text.Lines() - 1 }

func (e *Editor) atEnd(p Pos) bool { return p.Col >= len(e.text.Line(p.Row)) }

func (e *Editor) emptyLine(row int) bool { return e.text.Line(row) == "" }

// next returns the position after p; the end of a line is a position of its own. It
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

// previous returns the position before p. It reports false at the start of the text.
func (e *Editor) previous(p Pos) (Pos, bool) {
	if p.Col > 0 {
		return Pos{p.Row, e.text.Previous(p.Row, p.Col)}, true
	}
	if p.Row > 0 {
		return e.end(p.Row - 1), true
	}
	return p, false
}

// after returns the position after the character at p, or p at the end of its line.
func (e *Editor) after(p Pos) Pos {
	if e.atEnd(p) {
		return p
	}
	return Pos{p.Row, e.text.Next(p.Row, p.Col)}
}

// onCharacter returns p, or the last character of its line if p is the line's end.
func (e *Editor) onCharacter(p Pos) Pos {
	p.Row = min(p.Row, e.lastRow())
	line := e.text.Line(p.Row)
	if p.Col >= len(line) && line != "" {
		return Pos{p.Row, e.text.Previous(p.Row, len(line))}
	}
	return Pos{p.Row, min(p.Col, len(line))}
}

// aligned moves a position from before a change to where a character begins.
func (e *Editor) aligned(p Pos) Pos {
	p = e.onCharacter(p)
	if !e.boundary(p.Row, p.Col) {
		p.Col = e.text.Previous(p.Row, p.Col)
	}
	return p
}

// clamp moves the cursor to a position that normal mode allows.
func (e *Editor) clamp() {
	if at := e.text.Cursor(); at != e.onCharacter(at) {
		e.text.Move(e.onCharacter(at))
	}
}

// to moves the cursor and resets the goal column.
func (e *Editor) to(p Pos) {
	e.keeps = false
	if e.mode != Visual || p.Row > e.lastRow() || p != e.end(p.Row) {
		p = e.onCharacter(p)
	}
	e.text.Move(p)
}

// indentEnd returns the end of a line's indent.
func (e *Editor) indentEnd(row int) Pos {
	line := e.text.Line(row)
	return Pos{row, len(line) - len(strings.TrimLeft(line, " \t"))}
}

// firstNonBlank returns the first character of a line that is not blank, or its last.
func (e *Editor) firstNonBlank(row int) Pos { return e.onCharacter(e.indentEnd(row)) }

// inIndent reports whether only blanks precede a position on its line.
func (e *Editor) inIndent(p Pos) bool {
	return strings.Trim(e.text.Line(p.Row)[:p.Col], " \t") == ""
}

// slice returns the text between two positions.
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

// class is the class of a character. A word has characters of one class; the end of a
// line is blank.
type class int

const (
	blank class = iota
	punctuation
	word
	emoji
	private // private use: placeholders, such as a folded paste
	han
	hiragana
	katakana
	hangul
)

// class returns the class of the character at p. With big, as for W, everything but
// blanks is of one class.
func (e *Editor) class(p Pos, big bool) class {
	if e.atEnd(p) {
		return blank
	}
	r, _ := utf8.DecodeRuneInString(e.text.Line(p.Row)[p.Col:])
	switch {
	case r == ' ' || r == '\t':
		return blank
	case r >= 0x80 && unicode.IsSpace(r):
		return blank
	case big || r == '_' || r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r)):
		return word
	case r < 0x80:
		return punctuation
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
