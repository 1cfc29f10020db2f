package vim

import (
	"regexp"
	"strings"
)

// objectNames are the second keys of text objects.
const objectNames = "wWsp\"'`()b[]{}B<>t"

// object returns the text object at the cursor. It reports false if there is none.
func (e *Editor) object(c command) (textRange, bool) {
	at, around := e.text.Cursor(), c.name[0] == 'a'
	switch key := c.name[1:]; key {
	case "w", "W":
		return e.text.words(at, c.times(), around, key == "W")
	case "s":
		return e.text.sentences(at, c.times(), around)
	case "p":
		return e.text.paragraphs(at.Row, c.times(), around)
	case `"`, "'", "`":
		return e.text.quoted(at, key[0], around)
	case "t":
		return e.text.tagged(at, c.times(), around)
	case "b":
		return e.text.bracketed(at, c.times(), '(', ')', around)
	case "B":
		return e.text.bracketed(at, c.times(), '{', '}', around)
	case "<", ">":
		return e.text.bracketed(at, c.times(), '<', '>', around)
	default:
		k := max(strings.Index(opening, key), strings.Index(closing, key))
		return e.text.bracketed(at, c.times(), opening[k], closing[k], around)
	}
}

// words returns count words from p. Blanks between words count as words; with around,
// they belong to the word before them, or to the word after them if p is on a blank.
func (d document) words(p Pos, count int, around, big bool) (textRange, bool) {
	from := d.runStart(p, big)
	to := from
	onBlank := d.class(p, big) == blank
	for n := count; n > 0; n-- {
		if d.atEnd(to) && n < count || d.atEnd(to) && onBlank && around {
			if to.Row == d.lastRow() {
				return textRange{}, false
			}
			to = Pos{to.Row + 1, 0}
			if around && onBlank {
				to = d.skipBlanks(to, big)
			}
		}
		to = d.runEnd(to, big)
		if !around {
			continue
		}
		if onBlank {
			if d.atEnd(to) && to.Row < d.lastRow() {
				to = d.skipBlanks(Pos{to.Row + 1, 0}, big)
			}
			to = d.runEnd(to, big)
		} else if n > 1 {
			to = d.skipBlanks(to, big)
		}
	}
	if around && !onBlank {
		if d.class(to, big) == blank && !d.atEnd(to) {
			to = d.runEnd(to, big)
		} else if from.Col > 0 {
			if q, _ := d.previous(from); d.class(q, big) == blank {
				if from = d.runStart(q, big); from.Col == 0 {
					from = d.runEnd(from, big) // the indent is kept
				}
			}
		}
	}
	return textRange{from: from, to: to}, from != to || d.emptyLine(from.Row)
}

// skipBlanks returns the end of the blanks at p, if any.
func (d document) skipBlanks(p Pos, big bool) Pos {
	if !d.atEnd(p) && d.class(p, big) == blank {
		return d.runEnd(p, big)
	}
	return p
}

// sentences returns count sentences from p. Blanks between them count; with around,
// they belong to the sentence before them.
func (d document) sentences(p Pos, count int, around bool) (textRange, bool) {
	from, to, gap := d.sentencePart(p)
	if around {
		count *= 2
	}
	for n := count - 1; n > 0; n-- {
		if to == d.end(d.lastRow()) {
			break
		}
		_, to, _ = d.sentencePart(to)
	}
	if around && !gap {
		if q, moved := d.previous(to); moved && d.class(q, true) != blank && from.Col > 0 {
			line := d.Line(from.Row)[:from.Col]
			from.Col = len(strings.TrimRight(line, " \t"))
		}
	}
	return textRange{from: from, to: to}, from != to
}

// paragraphs returns count paragraphs from a row. A run of blank lines counts as one;
// with around, it belongs to the paragraph before it, or to the one after it if the
// row is among the blank lines.
func (d document) paragraphs(row, count int, around bool) (textRange, bool) {
	first := row
	for first > 0 && d.blankLine(first-1) == d.blankLine(row) {
		first--
	}
	onBlank, next := d.blankLine(row), first
	if around {
		count *= 2
	}
	for n := count; n > 0; n-- {
		if next > d.lastRow() {
			if n == 1 && around && !onBlank && count == 2 { // no blank lines follow: take those before
				for first > 0 && d.blankLine(first-1) {
					first--
				}
				break
			}
			return textRange{}, false
		}
		for kind := d.blankLine(next); next <= d.lastRow() && d.blankLine(next) == kind; {
			next++
		}
	}
	return textRange{from: Pos{first, 0}, to: Pos{next - 1, 0}, lines: true}, true
}

func (d document) blankLine(row int) bool { return strings.Trim(d.Line(row), " \t") == "" }

// quoted returns the text between the quotes around p, or between the next ones on
// the line.
func (d document) quoted(p Pos, quote byte, around bool) (textRange, bool) {
	line := d.Line(p.Row)
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
func (d document) bracketed(p Pos, count int, open, shut byte, around bool) (textRange, bool) {
	from, found := p, true
	if line := d.Line(p.Row); p.Col < len(line) && line[p.Col] == open {
		count--
	}
	for n := count; n > 0 && found; n-- {
		from, found = d.opens(from, open, shut)
	}
	if !found && count == 1 {
		from, found = d.closes(p, 0, open)
	}
	if !found {
		return textRange{}, false
	}
	to, found := d.closes(Pos{from.Row, from.Col + 1}, open, shut)
	if !found {
		return textRange{}, false
	}
	if around {
		return textRange{from: from, to: Pos{to.Row, to.Col + 1}}, true
	}
	from = Pos{from.Row, from.Col + 1}
	if d.atEnd(from) && from.Row < to.Row {
		from = Pos{from.Row + 1, 0}
	}
	if from.Row < to.Row && d.inIndent(to) {
		to = Pos{to.Row, 0}
	}
	if to.Before(from) {
		to = from
	}
	return textRange{from: from, to: to, empty: from == to}, true
}

// tag matches a tag of HTML or XML that does not close itself.
var tag = regexp.MustCompile(`<(/?)([A-Za-z][^\s>/]*)(?:[^<>]*[^<>/])?>`)

// openTag is a tag that is still open.
type openTag struct {
	from, to int
	name     string
}

// tagged returns the text between the count-th pair of tags around p; with around,
// the tags too.
func (d document) tagged(p Pos, count int, around bool) (textRange, bool) {
	all := d.slice(Pos{}, d.end(d.lastRow()))
	at := len(d.slice(Pos{}, p))
	var open []openTag
	for _, m := range tag.FindAllStringSubmatchIndex(all, -1) {
		name := all[m[4]:m[5]]
		if m[2] == m[3] {
			open = append(open, openTag{m[0], m[1], name})
			continue
		}
		last := len(open) - 1
		for last >= 0 && open[last].name != name {
			last--
		}
		if last < 0 {
			continue
		}
		from := open[last]
		open = open[:last]
		if from.from > at || m[1] <= at {
			continue
		}
		if count--; count > 0 {
			continue
		}
		first, last := from.to, m[0]
		if around {
			first, last = from.from, m[1]
		}
		return textRange{from: posAt(all, first), to: posAt(all, last), empty: first == last}, true
	}
	return textRange{}, false
}

// posAt returns the position of an offset in the whole text.
func posAt(text string, offset int) Pos {
	before := text[:offset]
	return Pos{strings.Count(before, "\n"), offset - 1 - strings.LastIndexByte(before, '\n')}
}
