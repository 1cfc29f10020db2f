package transcript

import (
	"bytes"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"parley/internal/conversation"
	"parley/internal/termtext"
)

// SpanText returns the text of the span as it was sent, not as it is drawn. Items that
// are wholly in the span give their whole text.
func (l *List) SpanText() string {
	if l.span == nil {
		return ""
	}
	l.followSpan()
	from, to := l.span.bounds()
	var b strings.Builder
	for n := from.node; n != nil && !to.node.Before(n); n = l.below(n) {
		var first, last *point
		if n == from.node {
			first = &from
		}
		if n == to.node {
			last = &to
		}
		text := strings.Trim(l.taken(n, first, last), "\n")
		if b.Len() > 0 && text != "" {
			b.WriteByte('\n')
			if l.lead(n) {
				b.WriteByte('\n')
			}
		}
		b.WriteString(text)
	}
	return b.String()
}

// taken returns the text that an item shows between two points; nil is its start or
// its end.
func (l *List) taken(n *conversation.Node, from, to *point) string {
	start, end := l.ends(n)
	if from != nil && (before(from.position, start) || from.position == start && from.cell == 0) {
		from = nil
	}
	if to != nil && !before(to.position, end) && to.cell >= termtext.Width(l.textOf(end)) {
		to = nil
	}
	d := l.at(n)
	if text := d.excerpt().Text; from == nil && to == nil && text != "" {
		return clean(text)
	}
	var out pieces
	last := end.section
	if to != nil {
		last = to.section
	}
	section := 0
	if from != nil {
		section = from.section
	}
	for section <= last {
		s := single(section)
		if d, ok := d.(stretched); ok {
			s = d.stretch(section)
		}
		out = l.cut(out, n, s, l.caretIn(s, n, from), l.caretIn(s, n, to))
		section = s.first + s.sections
	}
	return string(out.text)
}

// caretIn converts a point to a caret in a stretch, nil if it is outside.
func (l *List) caretIn(s stretch, n *conversation.Node, p *point) *caret {
	if p == nil || p.section < s.first || p.section >= s.first+s.sections {
		return nil
	}
	line := p.line + (p.section-s.first)*s.per
	if p.section == 0 && l.lead(n) {
		line--
	}
	if line < 0 {
		return &caret{}
	}
	return &caret{line: line, cell: p.cell}
}

// cut appends the text that a stretch shows between two carets.
func (l *List) cut(out pieces, at *conversation.Node, st stretch, from, to *caret) pieces {
	d, width := l.at(at), l.textWidth(at)
	low, high := 0, (st.sections-1)*st.per+len(d.lines(st.first+st.sections-1, width))
	all := high
	if from != nil {
		low = from.line
	}
	if to != nil {
		high = min(high, to.line+1)
	}
	var sources []source
	if d, ok := d.(sourced); ok {
		sources = d.sources(st, low, high, width)
	}
	for n := low; n < high; {
		for len(sources) > 0 && sources[0].to <= n {
			sources = sources[1:]
		}
		if len(sources) == 0 || n < sources[0].from {
			a, b := within(n, n+1, from, to)
			text := ""
			if lines := l.stretchLines(at, st, n, n+1); len(lines) > 0 {
				left, right := 0, -1
				if a != nil {
					left = a.cell
				}
				if b != nil {
					right = b.cell
				}
				text = strings.TrimRight(cellText(ansi.Strip(lines[0]), left, right), " ")
			}
			out = out.add(text, false)
			n++
			continue
		}
		s := sources[0]
		s.to = min(s.to, all)
		a, b := within(s.from, s.to, from, to)
		if s.part && b == nil {
			b = &caret{line: s.to - s.from}
		}
		text := clean(s.text)
		if a != nil || b != nil {
			text = newAlignment(text, l.stretchLines(at, st, s.from, s.to), s.lead).cut(a, b)
		}
		out = out.add(text, s.flows && out.open)
		out.open, n = true, s.to
	}
	return out
}

// within converts two carets to the lines low to high; one outside them becomes nil.
func within(low, high int, from, to *caret) (a, b *caret) {
	if from != nil && from.line >= low {
		a = &caret{line: from.line - low, cell: from.cell}
	}
	if to != nil && to.line < high {
		b = &caret{line: to.line - low, cell: to.cell}
	}
	return a, b
}

// stretchLines returns the lines from (inclusive) to (exclusive) of a stretch.
func (l *List) stretchLines(n *conversation.Node, s stretch, from, to int) []string {
	var out []string
	d := l.at(n)
	for i := range s.sections {
		at := i * s.per
		if at >= to || s.per > 0 && at+s.per <= from && i+1 < s.sections {
			continue
		}
		lines := d.lines(s.first+i, l.textWidth(n))
		out = append(out, between(lines, max(0, from-at), to-at)...)
	}
	return out
}

// pieces is a text made of pieces.
type pieces struct {
	text []byte
	n    int
	last int  // where the last piece begins
	open bool // the next piece may continue the last one's line
}

// add appends a piece, on a line of its own unless it continues the last one's. A piece
// that is followed by a line loses its newlines at the end.
func (p pieces) add(text string, continues bool) pieces {
	if p.n > 0 && !continues {
		rest := bytes.TrimRight(p.text[p.last:], "\n")
		p.text = append(p.text[:p.last+len(rest)], '\n')
	}
	p.last = len(p.text)
	p.text, p.n, p.open = append(p.text, text...), p.n+1, false
	return p
}
