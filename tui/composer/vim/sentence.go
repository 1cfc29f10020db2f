package vim

import "strings"

// Sentences end with a ".", "!" or "?", perhaps with closing brackets and quotes
// behind it, before a blank or the end of a line. Paragraphs end them too, and an
// empty line that follows another is a part of it.

// endsSentence reports whether a sentence ends before an offset of a line, where a
// blank or the end of the line is.
func endsSentence(line string, col int) bool {
	if col < len(line) && line[col] != ' ' && line[col] != '\t' {
		return false
	}
	before := strings.TrimRight(line[:col], ")]\"'")
	return before != "" && strings.IndexByte(".!?", before[len(before)-1]) >= 0
}

// begins reports whether a sentence begins at p, or a gap between two paragraphs.
func (e *Editor) begins(p Pos) bool {
	if e.emptyLine(p.Row) {
		return p.Row == 0 || !e.emptyLine(p.Row-1)
	}
	if p == (Pos{}) {
		return true
	}
	if e.atEnd(p) || e.class(p, true) == blank {
		return false
	}
	if !e.inIndent(p) {
		line := e.text.Line(p.Row)
		trimmed := strings.TrimRight(line[:p.Col], " \t")
		return len(trimmed) < p.Col && endsSentence(line, len(trimmed))
	}
	for row := p.Row - 1; row >= 0; row-- {
		line := e.text.Line(row)
		if line == "" {
			return true
		}
		if trimmed := strings.TrimRight(line, " \t"); trimmed != "" {
			return endsSentence(line, len(trimmed))
		}
	}
	return false
}

// sentenceForward is where the next sentence begins, or the end of the text.
func (e *Editor) sentenceForward(p Pos) (Pos, bool) {
	for {
		q, moved := e.next(p)
		if !moved {
			return p, false
		}
		if p = q; e.begins(p) {
			return p, true
		}
	}
}

func (e *Editor) sentenceBack(p Pos) (Pos, bool) {
	for {
		q, moved := e.previous(p)
		if !moved {
			return p, false
		}
		if p = q; e.begins(p) {
			return p, true
		}
	}
}

func (e *Editor) sentencesForward(c command) (Pos, bool) {
	p := e.text.Cursor()
	for n := c.times(); n > 0; n-- {
		q, found := e.sentenceForward(p)
		if !found {
			return q, q != p && (n == 1 || c.operator == "")
		}
		p = q
	}
	return p, true
}

func (e *Editor) sentencesBack(c command) (Pos, bool) {
	p := e.text.Cursor()
	for n := c.times(); n > 0; n-- {
		q, found := e.sentenceBack(p)
		if !found {
			return q, q != p
		}
		p = q
	}
	return p, true
}

// sentenceEnd is the place behind the last character of the sentence at p, which is
// no blank; the first of blanks where p is among those behind a sentence.
func (e *Editor) sentencePart(p Pos) (from, to Pos, blanks bool) {
	from = p
	if !e.begins(p) {
		from, _ = e.sentenceBack(p)
	}
	next, found := e.sentenceForward(from)
	if !found {
		next = e.end(e.lastRow())
	}
	text := from
	to = from
	for text.before(next) { // the last character that is no blank
		if e.class(text, true) != blank {
			to = e.after(text)
		}
		text, _ = e.next(text)
	}
	if e.emptyLine(from.Row) {
		return from, next, false
	}
	if !p.before(to) {
		return to, next, true
	}
	return from, to, false
}
