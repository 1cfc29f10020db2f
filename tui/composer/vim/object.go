package vim

import "strings"

// objectNames are the second keys of text objects.
const objectNames = "wWp\"'`()b[]{}B<>"

// object returns the text object at the cursor. It reports false if there is none.
func (e *Editor) object(c command) (textRange, bool) {
	at, around := e.text.Cursor(), c.name[0] == 'a'
	switch key := c.name[1:]; key {
	case "w", "W":
		return e.text.words(at, c.times(), around, key == "W")
	case "p":
		return e.text.paragraphs(at.Row, c.times(), around)
	case `"`, "'", "`":
		return e.text.quoted(at, key[0], around)
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

// words returns count words from p, on its line. Blanks between words count as words; with
// around, a word has those after it, or else those before it.
func (d document) words(p Pos, count int, around, big bool) (textRange, bool) {
	from, onBlank := d.runStart(p, big), d.class(p, big) == blank
	to, spaced := from, true
	for range count {
		if d.atEnd(to) && to != from {
			return textRange{}, false
		}
		to = d.runEnd(to, big)
		if around {
			word := to
			if onBlank || d.class(to, big) == blank {
				to = d.runEnd(to, big)
			}
			spaced = onBlank || to != word
		}
	}
	if !spaced && from.Col > 0 {
		before, _ := d.previous(from)
		if start := d.runStart(before, big); d.class(before, big) == blank && start.Col > 0 { // the indent is kept
			from = start
		}
	}
	return textRange{from: from, to: to}, from != to || d.emptyLine(from.Row)
}

// paragraphs returns count paragraphs from a row. A run of blank lines counts as one;
// with around, a paragraph has the one after it, or else the one before it.
func (d document) paragraphs(row, count int, around bool) (textRange, bool) {
	first, last := row, row
	for first > 0 && d.blankLine(first-1) == d.blankLine(row) {
		first--
	}
	onBlank, next := d.blankLine(row), first
	if around {
		count *= 2
	}
	for n := count; n > 0; n-- {
		if next > d.lastRow() {
			if n > 1 || !around || onBlank {
				return textRange{}, false
			}
			for first > 0 && d.blankLine(first-1) {
				first--
			}
			break
		}
		for kind := d.blankLine(next); next <= d.lastRow() && d.blankLine(next) == kind; next++ {
			last = next
		}
	}
	return textRange{from: Pos{first, 0}, to: Pos{last, 0}, lines: true}, true
}

func (d document) blankLine(row int) bool { return strings.Trim(d.Line(row), " \t") == "" }

// quoted returns the text between the quotes around p, or between the next ones on
// the line.
func (d document) quoted(p Pos, quote byte, around bool) (textRange, bool) {
	line, from := d.Line(p.Row), -1
	for at := nextQuote(line, 0, quote); at >= 0; at = nextQuote(line, at+1, quote) {
		switch {
		case from < 0:
			from = at
			continue
		case at < p.Col: // the pair ends before p
			from = -1
			continue
		}
		to := at
		if !around {
			return textRange{from: Pos{p.Row, from + 1}, to: Pos{p.Row, to}, empty: from+1 == to}, true
		}
		to++
		if behind := len(line) - len(strings.TrimLeft(line[to:], " \t")); behind > to {
			to = behind
		} else {
			from = len(strings.TrimRight(line[:from], " \t"))
		}
		return textRange{from: Pos{p.Row, from}, to: Pos{p.Row, to}}, true
	}
	return textRange{}, false
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
