package vim

import "strings"

// objectNames are the second keys of text objects.
const objectNames = "wWsp\"'`()b[]{}B<>t"

// object returns the text object at the cursor. It reports false if there is none.
func (e *Editor) object(c command) (textRange, bool) {
	at, around := e.text.Cursor(), c.name[0] == 'a'
	switch key := c.name[1:]; key {
	case "w", "W":
		return e.words(at, c.times(), around, key == "W")
	case "s":
		return e.sentences(at, c.times(), around)
	case "p":
		return e.paragraphs(at.Row, c.times(), around)
	case `"`, "'", "`":
		return e.quoted(at, key[0], around)
	case "t":
		return e.tagged(at, c.times(), around)
	case "b":
		return e.bracketed(at, c.times(), '(', ')', around)
	case "B":
		return e.bracketed(at, c.times(), '{', '}', around)
	case "<", ">":
		return e.bracketed(at, c.times(), '<', '>', around)
	default:
		k := max(strings.Index(opening, key), strings.Index(closing, key))
		return e.bracketed(at, c.times(), opening[k], closing[k], around)
	}
}

// words returns count words from p. Blanks between words count as words; with around,
// they belong to the word before them, or to the word after them if p is on a blank.
func (e *Editor) words(p Pos, count int, around, big bool) (textRange, bool) {
	from := e.runStart(p, big)
	to := from
	onBlank := e.class(p, big) == blank
	for n := count; n > 0; n-- {
		if e.atEnd(to) && n < count || e.atEnd(to) && onBlank && around {
			if to.Row == e.lastRow() {
				return textRange{}, false
			}
			to = Pos{to.Row + 1, 0}
			if around && onBlank {
				to = e.skipBlanks(to, big)
			}
		}
		to = e.runEnd(to, big)
		if !around {
			continue
		}
		if onBlank {
			if e.atEnd(to) && to.Row < e.lastRow() {
				to = e.skipBlanks(Pos{to.Row + 1, 0}, big)
			}
			to = e.runEnd(to, big)
		} else if n > 1 {
			to = e.skipBlanks(to, big)
		}
	}
	if around && !onBlank {
		if e.class(to, big) == blank && !e.atEnd(to) {
			to = e.runEnd(to, big)
		} else if from.Col > 0 {
			if q, _ := e.previous(from); e.class(q, big) == blank {
				if from = e.runStart(q, big); from.Col == 0 {
					from = e.runEnd(from, big) // the indent is kept
				}
			}
		}
	}
	return textRange{from: from, to: to}, from != to || e.emptyLine(from.Row)
}

// skipBlanks returns the end of the blanks at p, if any.
func (e *Editor) skipBlanks(p Pos, big bool) Pos {
	if !e.atEnd(p) && e.class(p, big) == blank {
		return e.runEnd(p, big)
	}
	return p
}

// sentences returns count sentences from p. Blanks between them count; with around,
// they belong to the sentence before them.
func (e *Editor) sentences(p Pos, count int, around bool) (textRange, bool) {
	from, to, gap := e.sentencePart(p)
	if around {
		count *= 2
	}
	for n := count - 1; n > 0; n-- {
		if to == e.end(e.lastRow()) {
			break
		}
		_, to, _ = e.sentencePart(to)
	}
	if around && !gap {
		if q, moved := e.previous(to); moved && e.class(q, true) != blank && from.Col > 0 {
			line := e.text.Line(from.Row)[:from.Col]
			from.Col = len(strings.TrimRight(line, " \t"))
		}
	}
	return textRange{from: from, to: to}, from != to
}

// paragraphs returns count paragraphs from a row. A run of blank lines counts as one;
// with around, it belongs to the paragraph before it, or to the one after it if the
// row is among the blank lines.
func (e *Editor) paragraphs(row, count int, around bool) (textRange, bool) {
	first := row
	for first > 0 && e.blankLine(first-1) == e.blankLine(row) {
		first--
	}
	onBlank, next := e.blankLine(row), first
	if around {
		count *= 2
	}
	for n := count; n > 0; n-- {
		if next > e.lastRow() {
			if n == 1 && around && !onBlank && count == 2 { // no blank lines follow: take those before
				for first > 0 && e.blankLine(first-1) {
					first--
				}
				break
			}
			return textRange{}, false
		}
		for kind := e.blankLine(next); next <= e.lastRow() && e.blankLine(next) == kind; {
			next++
		}
	}
	return textRange{from: Pos{first, 0}, to: Pos{next - 1, 0}, lines: true}, true
}

func (e *Editor) blankLine(row int) bool { return strings.Trim(e.text.Line(row), " \t") == "" }

// quoted returns the text between the quotes around p, or between the next ones on
// the line.
func (e *Editor) quoted(p Pos, quote byte, around bool) (textRange, bool) {
	line := e.text.Line(p.Row)
	from, to := quotes(line, p.Col, quote)
	if from < 0 || to < 0 {
		return textRange{}, false
	}
	if !around {
		return textRange{from: Pos{p.Row, from + 1}, to: Pos{p.Row, to}}, true
	}
	to++
	behind := len(line) - len(strings.TrimLeft(line[to:], " \t"))
	if behind > to {
		to = behind
	} else {
		from = len(strings.TrimRight(line[:from], " \t"))
	}
	return textRange{from: Pos{p.Row, from}, to: Pos{p.Row, to}}, true
}

// quotes returns the offsets of the quotes around col, or of the next two; -1 without
// one.
func quotes(line string, col int, quote byte) (from, to int) {
	if col < len(line) && line[col] == quote { // it may open or close a pair
		for from = nextQuote(line, 0, quote); from >= 0 && from <= col; from = nextQuote(line, to+1, quote) {
			if to = nextQuote(line, from+1, quote); to < 0 || to >= col {
				return from, to
			}
		}
		return -1, -1
	}
	escaped := func(at int) bool {
		return (at-len(strings.TrimRight(line[:at], `\`)))%2 == 1
	}
	for from = col - 1; from >= 0 && (line[from] != quote || escaped(from)); from-- {
	}
	if from < 0 {
		from = nextQuote(line, col, quote)
	}
	if from < 0 {
		return -1, -1
	}
	return from, nextQuote(line, from+1, quote)
}

// nextQuote returns the offset of the first unescaped quote at or after from, or -1.
func nextQuote(line string, from int, quote byte) int {
	for i := from; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case quote:
			return i
		}
	}
	return -1
}

// bracketed returns the text between the count-th brackets around p, or between the
// next ones without any. If the closing bracket is the first character of its line,
// the text ends with the line before.
func (e *Editor) bracketed(p Pos, count int, open, shut byte, around bool) (textRange, bool) {
	from, found := p, true
	if line := e.text.Line(p.Row); p.Col < len(line) && line[p.Col] == open {
		count--
	}
	for n := count; n > 0 && found; n-- {
		from, found = e.opens(from, open, shut)
	}
	if !found && count == 1 {
		from, found = e.closes(p, 0, open)
	}
	if !found {
		return textRange{}, false
	}
	to, found := e.closes(Pos{from.Row, from.Col + 1}, open, shut)
	if !found {
		return textRange{}, false
	}
	if around {
		return textRange{from: from, to: Pos{to.Row, to.Col + 1}}, true
	}
	from = Pos{from.Row, from.Col + 1}
	if e.atEnd(from) && from.Row < to.Row {
		from = Pos{from.Row + 1, 0}
	}
	if from.Row < to.Row && e.inIndent(to) {
		to = Pos{to.Row, 0}
	}
	if to.before(from) {
		to = from
	}
	return textRange{from: from, to: to, empty: from == to}, true
}
