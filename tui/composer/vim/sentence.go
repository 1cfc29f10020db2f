package vim

import "strings"

// A sentence ends with a ".", "!" or "?", closing brackets and quotes, and then a
// blank or the end of the line. Paragraphs end it too. Consecutive empty lines are one.

// endsSentence reports whether a sentence ends before an offset of a line.
func endsSentence(line string, col int) bool {
	if col < len(line) && line[col] != ' ' && line[col] != '\t' {
		return false
	}
	before := strings.TrimRight(line[:col], ")]\"'")
	return before != "" && strings.IndexByte(".!?", before[len(before)-1]) >= 0
}

// beginsSentence reports whether a sentence, or a gap between paragraphs, begins at p.
func (d document) beginsSentence(p Pos) bool {
	if d.emptyLine(p.Row) {
		return p.Row == 0 || !d.emptyLine(p.Row-1)
	}
	if p == (Pos{}) {
		return true
	}
	if d.atEnd(p) || d.class(p, true) == blank {
		return false
	}
	if !d.inIndent(p) {
		line := d.Line(p.Row)
		trimmed := strings.TrimRight(line[:p.Col], " \t")
		return len(trimmed) < p.Col && endsSentence(line, len(trimmed))
	}
	for row := p.Row - 1; row >= 0; row-- {
		line := d.Line(row)
		if line == "" {
			return true
		}
		if trimmed := strings.TrimRight(line, " \t"); trimmed != "" {
			return endsSentence(line, len(trimmed))
		}
	}
	return false
}

// sentenceForward returns the start of the next sentence. It reports false at the end
// of the text.
func (d document) sentenceForward(p Pos) (Pos, bool) {
	for {
		q, moved := d.next(p)
		if !moved {
			return p, false
		}
		if p = q; d.beginsSentence(p) {
			return p, true
		}
	}
}

func (d document) sentenceBack(p Pos) (Pos, bool) {
	for {
		q, moved := d.previous(p)
		if !moved {
			return p, false
		}
		if p = q; d.beginsSentence(p) {
			return p, true
		}
	}
}

func (e *Editor) sentencesForward(c command) (Pos, bool) {
	p := e.text.Cursor()
	for n := c.times(); n > 0; n-- {
		q, found := e.text.sentenceForward(p)
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
		q, found := e.text.sentenceBack(p)
		if !found {
			return q, q != p
		}
		p = q
	}
	return p, true
}

// sentencePart returns the sentence at p without the blanks after it, or those blanks
// if p is among them.
func (d document) sentencePart(p Pos) (from, to Pos, blanks bool) {
	from = p
	if !d.beginsSentence(p) {
		from, _ = d.sentenceBack(p)
	}
	next, found := d.sentenceForward(from)
	if !found {
		next = d.end(d.lastRow())
	}
	text := from
	to = from
	for text.Before(next) {
		if d.class(text, true) != blank {
			to = d.after(text)
		}
		text, _ = d.next(text)
	}
	if d.emptyLine(from.Row) {
		return from, next, false
	}
	if !p.Before(to) {
		return to, next, true
	}
	return from, to, false
}
