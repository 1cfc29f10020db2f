package transcript

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/markdown"
)

// point is a cell of a line. Cells count from the left edge of the text.
type point struct {
	position
	cell int
}

func (p point) before(q point) bool {
	if p.position != q.position {
		return before(p.position, q.position)
	}
	return p.cell < q.cell
}

// span is the marked part of the transcript, including both ends.
type span struct {
	anchor, head point
	lines        bool // by whole lines
	items        bool // begun with an item: whole items are copied as they were sent
	// from and to enclose what was marked first, such as a word, which stays marked.
	from, to point
}

// bounds returns the first cell of the span and the first one after it.
func (s *span) bounds() (from, to point) {
	from, to = s.anchor, s.head
	if to.before(from) {
		from, to = to, from
	}
	if s.from.before(from) {
		from = s.from
	}
	if to.before(s.to) {
		to = s.to
	}
	if s.lines {
		from.cell, to.cell = 0, whole-1
	}
	to.cell++
	return from, to
}

// followSpan moves the span to the items that its items are now folded into. It clears
// a span whose items are gone.
func (l *List) followSpan() {
	if l.span == nil {
		return
	}
	for _, p := range []*point{&l.span.anchor, &l.span.head, &l.span.from, &l.span.to} {
		switch n := l.current(p.node); n {
		case p.node:
		case nil:
			l.span = nil
			return
		default:
			p.position = position{node: n}
		}
	}
}

// Spanning reports whether a part of the transcript is marked.
func (l *List) Spanning() bool { return l.span != nil }

// ClearSpan clears the span.
func (l *List) ClearSpan() { l.span = nil }

// pointAt returns the point at a column and a line of the view.
func (l *List) pointAt(x, y int) (point, bool) {
	if _, any := l.first(); !any {
		return point{}, false
	}
	y = max(0, min(y, l.height-1))
	p := l.down(l.firstLine(), y)
	return point{p, max(0, x-gutter-edgeWidth*l.edges(p.node)+l.pan)}, true
}

// StartSpan sets where ExtendSpan begins to mark, at a column and a line of the view. It
// reports false if there is nothing to mark.
func (l *List) StartSpan(x, y int) bool {
	p, ok := l.pointAt(x, y)
	if l.span = nil; ok {
		l.began = &p
	}
	return ok
}

// ExtendSpan marks up to a column and a line of the view.
func (l *List) ExtendSpan(x, y int) {
	p, ok := l.pointAt(x, y)
	switch {
	case !ok || l.began == nil && l.span == nil:
		return
	case l.span == nil:
		l.span = &span{anchor: *l.began, from: *l.began, to: *l.began}
	}
	l.span.head = p
}

// SpanWord marks the word at a column and a line of the view.
func (l *List) SpanWord(x, y int) {
	p, ok := l.pointAt(x, y)
	if !ok {
		return
	}
	from, to, ok := wordAt(l.textOf(p.position), p.cell)
	if !ok {
		return
	}
	a, b := point{p.position, from}, point{p.position, to - 1}
	l.span = &span{anchor: a, head: b, from: a, to: b}
}

// SpanLine marks the line on a line of the view.
func (l *List) SpanLine(y int) {
	if p, ok := l.pointAt(0, y); ok {
		l.span = &span{anchor: p, head: p, from: p, to: p, lines: true}
	}
}

// wordAt returns the cells of the word at a cell of a line. The characters of paths and
// identifiers are part of a word; a full stop at its end is not.
func wordAt(line string, cell int) (from, to int, ok bool) {
	at, start, end := 0, -1, -1
	for rest := line; rest != ""; {
		n, width := termtext.NextCluster(rest)
		r := firstRune(rest)
		rest = rest[n:]
		switch {
		case !unicode.In(r, unicode.L, unicode.N, unicode.M) && !strings.ContainsRune("_-./~@%+:", r):
			if at > cell {
				return start, end, start >= 0 && cell < end
			}
			start = -1
		case start < 0:
			start, end = at, at+width
		case !strings.ContainsRune(".:", r) || unicode.IsLetter(firstRune(rest)) || unicode.IsNumber(firstRune(rest)):
			end = at + width
		}
		at += width
		if at > cell && start < 0 {
			return 0, 0, false
		}
	}
	return start, end, start >= 0 && cell < end
}

func firstRune(s string) rune {
	for _, r := range s {
		return r
	}
	return ' '
}

// SpanItem marks the selected item. If lines are marked already, it swaps the ends, so
// that the other one moves.
func (l *List) SpanItem() {
	if s := l.span; s != nil && s.lines {
		s.anchor, s.head = s.head, s.anchor
		s.from, s.to = s.anchor, s.anchor
		l.show(s.head.position)
		return
	}
	if l.chosen() == nil {
		return
	}
	from, to := l.ends(l.selected)
	l.span = &span{anchor: point{position: from}, head: point{position: to}, lines: true, items: true}
	l.span.from, l.span.to = l.span.anchor, l.span.anchor
}

// MoveSpan moves the head of the span by lines, down if n is positive.
func (l *List) MoveSpan(n int) {
	s := l.span
	if s == nil {
		return
	}
	s.lines = true
	if n < 0 {
		s.head.position = l.up(s.head.position, -n)
	} else {
		s.head.position = l.down(s.head.position, n)
	}
	l.selected = s.head.node
	l.show(s.head.position)
}

// MoveSpanItems moves the head of the span by items.
func (l *List) MoveSpanItems(n int) {
	s := l.span
	if s == nil {
		return
	}
	s.lines = true
	l.selected = s.head.node
	l.Select(n)
	start, end := l.ends(s.anchor.node)
	from, to := l.ends(l.selected)
	if l.selected.Before(s.anchor.node) {
		s.anchor.position, s.head.position = end, from
	} else {
		s.anchor.position, s.head.position = start, to
	}
	s.from, s.to = s.anchor, s.anchor
	l.show(s.head.position)
}

// show scrolls a line into sight.
func (l *List) show(p position) {
	top := l.firstLine()
	switch last := l.down(top, l.height-1); {
	case before(p, top):
		l.following, l.top = false, p
	case before(last, p):
		l.following, l.top = false, l.up(p, l.height-1)
		l.followAtEnd()
	}
}

// spanned highlights the span in lines; p is the position of the first line.
func (l *List) spanned(lines []string, p position) []string {
	from, to := l.span.bounds()
	out := slices.Clone(lines)
	for i, line := range lines {
		at := position{p.node, p.section, p.line + i}
		if before(at, from.position) || before(to.position, at) {
			continue
		}
		left, right := 0, termtext.Width(line)
		if at == from.position {
			left = from.cell
		}
		if at == to.position {
			right = min(right, to.cell)
		}
		switch {
		case right == 0 && line == "":
			out[i] = l.theme.Span.Render(" ")
		case left < right:
			part := []termtext.Span{cellSpan(ansi.Strip(line), left, right)}
			out[i] = termtext.Restyle(line, part, func(_ int, text string) string { return l.theme.Span.Render(text) })
		}
	}
	return out
}

// SpanText returns the text of the span as it is drawn, without margins and rules, and with
// the lines that wrapping has broken joined. Of a span that was begun with [List.SpanItem],
// whole items give their text as it was sent.
func (l *List) SpanText() string {
	if l.span == nil {
		return ""
	}
	l.followSpan()
	from, to := l.span.bounds()
	var b strings.Builder
	for n := from.node; n != nil && !to.node.Before(n); n = l.below(n) {
		text := strings.Trim(l.copied(n, from, to), "\n")
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

// copied returns the text that an item shows between two points.
func (l *List) copied(n *conversation.Node, from, to point) string {
	first, last := l.ends(n)
	end := point{last, termtext.Width(l.textOf(last))}
	text := termtext.Block(l.at(n).excerpt().Text)
	if l.span.items && text != "" && !(point{position: first}).before(from) && !to.before(end) {
		return text
	}
	if from.before(point{position: first}) {
		from = point{position: first}
	}
	if end.before(to) {
		to = end
	}
	var out strings.Builder
	begun, line := false, "" // what the drawn line above shows
	for section := from.section; section <= to.section; section++ {
		s := l.drawn(n, section, true)
		for i, row := range s.rows {
			at := position{n, section, i}
			if before(at, from.position) || before(to.position, at) {
				continue
			}
			left, right := 0, whole
			if at == from.position {
				left = from.cell
			}
			if at == to.position {
				right = to.cell
			}
			switch {
			case !begun:
			case row.Soft:
				out.WriteString(line + row.Gap)
			default:
				out.WriteString(strings.TrimRight(line, " ") + "\n")
			}
			begun, line = true, rowText(ansi.Strip(s.lines[i]), row, left, right)
		}
	}
	return out.String() + strings.TrimRight(line, " ")
}

// rowText returns what a row shows of its text in the cells from left to right. As far as
// the text begins in them, it is as it was sent.
func rowText(drawn string, row termtext.Row, left, right int) string {
	end := termtext.Width(drawn)
	if row.End > 0 {
		end = row.End
	}
	shown := cellText(drawn, max(left, row.Lead), min(right, end))
	switch {
	case row.Text == "" || left > row.Lead:
		return shown
	case right >= end:
		return row.Text
	}
	return termtext.Reindent(shown, row.Text)
}

// whole is beyond all cells and sections.
const whole = math.MaxInt

// cellText returns the characters of a plain line that begin in the cells from left
// (inclusive) to right (exclusive).
func cellText(line string, left, right int) string {
	part := cellSpan(line, left, right)
	return line[part.From:part.To]
}

// cellSpan returns where in a line the characters of cellText are.
func cellSpan(line string, left, right int) termtext.Span {
	from, to := len(line), len(line)
	for at, cell := 0, 0; at < len(line); {
		if cell >= left {
			from = min(from, at)
		}
		if cell >= right {
			to = min(to, at)
		}
		n, width := termtext.NextCluster(line[at:])
		at, cell = at+n, cell+width
	}
	return termtext.Span{From: min(from, to), To: to}
}

// Codes returns the code blocks of the selected item, and the index of the first in
// sight, or 0.
func (l *List) Codes() (codes []string, inSight int) {
	d := drawing(nil)
	if l.Selected() != nil {
		d = l.at(l.selected).drawing
	}
	var sections []int // where each is drawn, -1 if unknown
	switch d := d.(type) {
	case *message:
		codes, sections = partCodes(d.parts, 0)
	case *thought:
		codes, sections = partCodes(d.parts, 1)
	default:
		var texts []string
		switch i := l.Selected().(type) {
		case *conversation.ToolCall:
			for k := range i.Content {
				if c := &i.Content[k]; c.Type == acpclient.ToolContentBlock && c.Content != nil {
					texts = append(texts, c.Content.Text)
				}
			}
		case *conversation.Plan:
			texts = []string{i.Markdown}
		case *conversation.Compaction:
			texts = []string{i.Summary.Plain()}
		}
		for _, text := range texts {
			for _, b := range markdown.CodeBlocks(text) {
				codes, sections = append(codes, b.Code), append(sections, -1)
			}
		}
	}
	from, to := l.visibleSections(l.selected)
	for i, s := range sections {
		if s >= from && s <= to {
			return codes, i
		}
	}
	return codes, 0
}

// partCodes returns the code blocks of parts and the sections that they begin in. The
// parts begin with the given section.
func partCodes(parts textParts, section int) (codes []string, sections []int) {
	for i := range parts {
		doc := parts[i].doc
		if doc == nil || parts[i].hidden {
			section += parts[i].sections()
			continue
		}
		for _, b := range markdown.CodeBlocks(doc.Text()) {
			codes, sections = append(codes, b.Code), append(sections, section+doc.BlockAt(b.At))
		}
		section += doc.Len()
	}
	return codes, sections
}

// visibleSections returns the first and the last section of an item in sight; the last
// is before the first without any.
func (l *List) visibleSections(n *conversation.Node) (from, to int) {
	if n == nil {
		return 0, -1
	}
	top := l.firstLine()
	bottom := l.down(top, l.height-1)
	from, to = 0, whole
	if n.Before(top.node) || bottom.node.Before(n) {
		return 0, -1
	}
	if top.node == n {
		from = top.section
	}
	if bottom.node == n {
		to = bottom.section
	}
	return from, to
}
