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

// skip steps over characters of a class, at most to an empty line. It reports false if it
// runs into the end of the text.
func (d document) skip(p Pos, step func(Pos) (Pos, bool), kind class, big bool) (_ Pos, moved bool) {
	for d.class(p, big) == kind && !d.emptyLine(p.Row) {
		if p, moved = step(p); !moved {
			return p, false
		}
	}
	return p, true
}

// runStart returns the start of the run of one class around p, on its line.
func (d document) runStart(p Pos, big bool) Pos {
	kind := d.class(p, big)
	for p.Col > 0 {
		q, _ := d.previous(p)
		if d.class(q, big) != kind {
			break
		}
		p = q
	}
	return p
}

// runEnd returns the end of the run of one class around p, on its line.
func (d document) runEnd(p Pos, big bool) Pos {
	kind := d.class(p, big)
	for !d.atEnd(p) && d.class(p, big) == kind {
		p, _ = d.next(p)
	}
	return p
}

// endOfWord returns the last character of the count-th word. With stay, as for cw, a
// word that ends at p counts.
func (d document) endOfWord(p Pos, count int, big, stay bool) (Pos, bool) {
	for ; count > 0; count-- {
		kind := d.class(p, big)
		q, moved := d.next(p)
		if !moved {
			return p, false
		}
		switch {
		case kind != blank && d.class(q, big) == kind:
			p = q
		case kind != blank && stay:
			stay = false
			continue
		default:
			for d.class(q, big) == blank {
				if q, moved = d.next(q); !moved {
					return q, false
				}
			}
			p = q
		}
		stay = false
		p, _ = d.previous(d.runEnd(p, big))
	}
	return p, true
}

// WordAt returns the word of a text at a position, or the blanks or the signs there.
func WordAt(t Text, p Pos) (from, to Pos) {
	d := document{t}
	p = d.onCharacter(p)
	return d.runStart(p, false), d.runEnd(p, false)
}

// class is the class of a character: one of these, or a script behind word. A word has
// characters of one class; the end of a line is blank.
type class int

const (
	blank class = iota
	punctuation
	word
)

// scripts are written without spaces between words, or are no letters: placeholders, such
// as a folded paste, are private use.
var scripts = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Co}

// class returns the class of the character at p. With big, as for W, everything but
// blanks is of one class.
func (d document) class(p Pos, big bool) class {
	if d.atEnd(p) {
		return blank
	}
	r, _ := utf8.DecodeRuneInString(d.Line(p.Row)[p.Col:])
	switch {
	case unicode.IsSpace(r):
		return blank
	case big || r == '_' || r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)):
		return word
	case r < utf8.RuneSelf || unicode.IsPunct(r) || unicode.IsSymbol(r):
		return punctuation
	}
	for i, script := range scripts {
		if unicode.Is(script, r) {
			return word + 1 + class(i)
		}
	}
	return word
}

const (
	opening = "([{"
	closing = ")]}"
)

// closes returns the bracket that closes the one before p.
func (d document) closes(p Pos, open, shut byte) (Pos, bool) {
	depth, col := 0, p.Col
	for row := p.Row; row <= d.lastRow(); row, col = row+1, 0 {
		line := d.Line(row)
		for ; col < len(line); col++ {
			switch line[col] {
			case open:
				depth++
			case shut:
				if depth == 0 {
					return Pos{row, col}, true
				}
				depth--
			}
		}
	}
	return p, false
}

// opens returns the bracket before p that is still open at p.
func (d document) opens(p Pos, open, shut byte) (Pos, bool) {
	depth := 0
	line := d.Line(p.Row)[:p.Col]
	for row := p.Row; ; line = d.Line(row) {
		for col := len(line) - 1; col >= 0; col-- {
			switch line[col] {
			case shut:
				depth++
			case open:
				if depth == 0 {
					return Pos{row, col}, true
				}
				depth--
			}
		}
		if row--; row < 0 {
			return p, false
		}
	}
}
