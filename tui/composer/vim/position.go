package vim

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// document finds positions, words and text objects in a text. Its methods neither
// edit the text nor move the cursor.
type document struct{ Text }

// end returns the end of a line.
func (d document) end(row int) Pos { return Pos{row, len(d.Line(row))} }

func (d document) lastRow() int { return d.Lines() - 1 }

func (d document) atEnd(p Pos) bool { return p.Col >= len(d.Line(p.Row)) }

func (d document) emptyLine(row int) bool { return d.Line(row) == "" }

// next returns the position after p; the end of a line is a position of its own. It
// reports false at the end of the text.
func (d document) next(p Pos) (Pos, bool) {
	if !d.atEnd(p) {
		return Pos{p.Row, d.Next(p.Row, p.Col)}, true
	}
	if p.Row < d.lastRow() {
		return Pos{p.Row + 1, 0}, true
	}
	return p, false
}

// previous returns the position before p. It reports false at the start of the text.
func (d document) previous(p Pos) (Pos, bool) {
	if p.Col > 0 {
		return Pos{p.Row, d.Previous(p.Row, p.Col)}, true
	}
	if p.Row > 0 {
		return d.end(p.Row - 1), true
	}
	return p, false
}

// after returns the position after the character at p, or p at the end of its line.
func (d document) after(p Pos) Pos {
	if d.atEnd(p) {
		return p
	}
	return Pos{p.Row, d.Next(p.Row, p.Col)}
}

// onCharacter returns p, or the last character of its line if p is the line's end.
func (d document) onCharacter(p Pos) Pos {
	p.Row = min(p.Row, d.lastRow())
	line := d.Line(p.Row)
	if p.Col >= len(line) && line != "" {
		return Pos{p.Row, d.Previous(p.Row, len(line))}
	}
	return Pos{p.Row, min(p.Col, len(line))}
}

// aligned moves a position from before a change to where a character begins.
func (d document) aligned(p Pos) Pos {
	p = d.onCharacter(p)
	if !d.boundary(p.Row, p.Col) {
		p.Col = d.Previous(p.Row, p.Col)
	}
	return p
}

// clamp moves the cursor to a position that normal mode allows.
func (e *Editor) clamp() {
	if at := e.text.Cursor(); at != e.text.onCharacter(at) {
		e.text.Move(e.text.onCharacter(at))
	}
}

// to moves the cursor and resets the goal column.
func (e *Editor) to(p Pos) {
	e.keeps = false
	if e.mode != Visual || p.Row > e.text.lastRow() || p != e.text.end(p.Row) {
		p = e.text.onCharacter(p)
	}
	e.text.Move(p)
}

// indentEnd returns the end of a line's indent.
func (d document) indentEnd(row int) Pos {
	line := d.Line(row)
	return Pos{row, len(line) - len(strings.TrimLeft(line, " \t"))}
}

// firstNonBlank returns the first character of a line that is not blank, or its last.
func (d document) firstNonBlank(row int) Pos { return d.onCharacter(d.indentEnd(row)) }

// inIndent reports whether only blanks precede a position on its line.
func (d document) inIndent(p Pos) bool {
	return strings.Trim(d.Line(p.Row)[:p.Col], " \t") == ""
}

// slice returns the text between two positions.
func (d document) slice(from, to Pos) string {
	if from.Row == to.Row {
		return d.Line(from.Row)[from.Col:to.Col]
	}
	var s strings.Builder
	s.WriteString(d.Line(from.Row)[from.Col:])
	for row := from.Row + 1; row < to.Row; row++ {
		s.WriteByte('\n')
		s.WriteString(d.Line(row))
	}
	s.WriteByte('\n')
	s.WriteString(d.Line(to.Row)[:to.Col])
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
func (d document) class(p Pos, big bool) class {
	if d.atEnd(p) {
		return blank
	}
	r, _ := utf8.DecodeRuneInString(d.Line(p.Row)[p.Col:])
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
