package markdown

import (
	"slices"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"parley/internal/termtext"
	"parley/tui/theme"
)

// minText is the minimum room in cells that quotes and lists leave for text: deeper
// ones are not indented further.
const minText = 8

// renderer draws the blocks of one piece of text.
type renderer struct {
	p     *palette
	src   []byte
	width int
	cont  *continuation
	live  memo // not nil while the piece still grows

	pen     pen
	margins []margin
	room    int // width without the margins
	lines   []string
	copies  bool           // rows are recorded
	rows    []termtext.Row // what the lines show
}

// margin is what precedes the lines of a block.
type margin struct {
	first, rest []span // on the first line, on the others
	width       int
	right       int  // left blank at the right
	used        bool // the first line was drawn
	text        bool // it is text, such as the mark of an item
}

func newRenderer(p *palette, src []byte, width int, cont *continuation, live memo) *renderer {
	return &renderer{p: p, src: src, width: width, room: width, cont: cont, live: live, pen: pen{b: p.line}}
}

// end ends a line, which continues the one above it if row is soft. The row's lead is what
// stands between the margins and the text.
func (r *renderer) end(line string, row termtext.Row) {
	r.lines = append(r.lines, line)
	if !r.copies {
		return
	}
	keeps := !row.Soft && row.Lead == 0 // the margins that are text
	for i := range r.margins {
		if r.margins[i].text && keeps {
			break
		}
		row = row.Right(r.margins[i].width)
	}
	r.rows = append(r.rows, row)
}

// children draws the blocks in n, with blank lines between them unless tight.
func (r *renderer) children(n ast.Node, base *ink, tight bool) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		before := len(r.lines)
		if c != n.FirstChild() && !tight && before > 0 {
			r.blank()
		}
		after := len(r.lines)
		r.block(c, base)
		if len(r.lines) == after {
			r.lines = r.lines[:before] // nothing to separate
			r.rows = r.rows[:min(before, len(r.rows))]
		}
	}
}

func (r *renderer) block(n ast.Node, base *ink) {
	switch n := n.(type) {
	case *ast.TextBlock:
		r.flow(r.inline(n, base))
	case *ast.Paragraph:
		if n.Parent().Kind() == ast.KindListItem {
			r.flow(r.inline(n, base))
			return
		}
		e := &r.p.paragraph
		r.inset(e, base, func() { r.flow(r.surrounded(n, e, base)) })
	case *ast.Heading:
		r.heading(n, base)
	case *ast.ThematicBreak:
		r.rule(base)
	case *ast.Blockquote:
		r.quote(n, base)
	case *ast.List:
		r.list(n, base)
	case *ast.FencedCodeBlock:
		r.code(n, string(n.Language(r.src)))
	case *ast.CodeBlock:
		r.code(n, "")
	case *ast.HTMLBlock:
		r.html(n, base)
	case *extast.Table:
		r.table(n, base)
	default:
		r.children(n, base, false)
	}
}

// flow wraps spans into lines.
func (r *renderer) flow(spans []span) {
	cut := atomise(r.p.cut[:0], spans)
	filled := slices.Grow(r.p.filled[:0], len(cut))
	for _, row := range wrap(filled, cut, r.room) {
		r.margin(len(row.atoms) == 0)
		r.pen.row(row)
		r.end(r.pen.line(), row.shows())
	}
	if cap(cut) <= keptAtoms {
		r.p.cut, r.p.filled = cut, filled
	}
}

// keptAtoms bounds the buffer for atoms that is kept: more than nearly every block
// needs.
const keptAtoms = 1 << 12

// emit ends a line with only the pen's content.
func (r *renderer) emit(row termtext.Row) {
	text := r.pen.line()
	r.margin(text == "")
	r.end(r.pen.line()+text, row)
}

func (r *renderer) blank() {
	r.margin(true)
	r.end(r.pen.line(), termtext.Row{})
}

// margin writes what precedes the next line; on an empty line, without trailing spaces.
func (r *renderer) margin(empty bool) {
	end := len(r.margins)
	hasText := func(s span) bool { return strings.Trim(s.text, " ") != "" }
	for empty && end > 0 && !slices.ContainsFunc(r.margins[end-1].next(), hasText) {
		end--
	}
	for i := range r.margins[:end] {
		m := &r.margins[i]
		for k, s := range m.next() {
			if empty && i == end-1 && k == len(m.next())-1 {
				s.text = strings.TrimRight(s.text, " ")
			}
			r.pen.write(s.text, s.ink, "")
		}
	}
	for i := range r.margins {
		r.margins[i].used = true
	}
}

func (m *margin) next() []span {
	if m.used {
		return m.rest
	}
	return m.first
}

// indent draws with a margin, or without if that would leave too little room.
func (r *renderer) indent(m margin, draw func()) {
	if r.room-m.width-m.right < minText {
		draw()
		return
	}
	r.margins = append(r.margins, m)
	r.room -= m.width + m.right
	draw()
	if last := r.margins[len(r.margins)-1]; !last.used {
		r.blank()
	}
	r.margins = r.margins[:len(r.margins)-1]
	r.room += m.width + m.right
}

// widthOf returns the width of spans, in cells.
func widthOf(spans []span) int {
	n := 0
	for _, s := range spans {
		n += termtext.Width(s.text)
	}
	return n
}

// inset draws with the margins of a part, which is in text of the ink base.
func (r *renderer) inset(e *part, base *ink, draw func()) {
	if e.left == 0 && e.right == 0 {
		draw()
		return
	}
	left := []span{{text: strings.Repeat(e.token, e.left), ink: base}}
	r.indent(margin{first: left, rest: left, width: widthOf(left), right: e.right, used: true}, draw)
}

// surrounded returns the text of a block with what its style adds around it.
func (r *renderer) surrounded(n ast.Node, e *part, base *ink) []span {
	in := inliner{p: r.p, src: r.src}
	k := r.p.over(e.ink, base)
	in.within(e, k, base, "", func() { in.children(n, r.p.over(r.p.words.ink, k), "") })
	return in.spans
}

// heading draws a heading, with the style's prefix to its left.
func (r *renderer) heading(n *ast.Heading, base *ink) {
	e := r.p.headings[n.Level-1]
	k := r.p.over(e.ink, base)
	in := inliner{p: r.p, src: r.src}
	in.add(e.before, base, "")
	in.add(e.prefix, k, "")
	m := margin{first: in.spans, width: widthOf(in.spans)}
	m.rest, m.text = []span{{text: strings.Repeat(" ", m.width), ink: r.p.text}}, true
	e.before, e.prefix = "", ""
	e.suffix = strings.ReplaceAll(e.suffix, " ", "\u00a0") // ordinary spaces are dropped at the end of a line
	r.inset(&e, base, func() {
		r.indent(m, func() { r.flow(r.surrounded(n, &e, base)) })
	})
}

// rule draws the style's thematic break, or a line across.
func (r *renderer) rule(base *ink) {
	e := &r.p.rule
	in := inliner{p: r.p, src: r.src}
	in.part(e, "", base, "")
	if len(in.spans) == 0 {
		in.add(strings.Repeat("─", r.room), r.p.over(e.ink, base), "")
	}
	left := r.room
	for _, s := range in.spans {
		n, w := termtext.Fit(strings.Trim(s.text, " "), left, r.room)
		r.pen.write(strings.Trim(s.text, " ")[:n], s.ink, "")
		left -= w
	}
	r.emit(termtext.Row{})
}

func (r *renderer) quote(n *ast.Blockquote, base *ink) {
	e := &r.p.quote
	bar := []span{{text: strings.Repeat(e.token, e.left), ink: base}}
	if r.p.own != nil {
		bar[0].ink = r.p.own.quote
	}
	m := margin{first: bar, rest: bar, width: widthOf(bar), right: e.right}
	k := r.p.over(e.ink, base)
	note, ok := calloutOf(n, r.src)
	r.indent(m, func() {
		if ok {
			title := r.p.callouts[note.title]
			r.flow([]span{{text: note.mark + " " + note.title, ink: r.p.over(title, base)}})
		}
		r.children(n, k, false)
	})
}

func (r *renderer) html(n *ast.HTMLBlock, base *ink) {
	k := r.p.over(r.p.htmlBlock.ink, base)
	text := string(n.Lines().Value(r.src))
	if n.HasClosure() {
		text += string(n.ClosureLine.Value(r.src))
	}
	for line := range strings.Lines(termtext.Block(text)) {
		line = expandTabs(strings.TrimRight(line, " \t\n"))
		text := strings.TrimLeft(line, " ")
		if text == "" {
			r.blank()
			continue
		}
		blank := []span{{text: line[:len(line)-len(text)], ink: r.p.text}}
		r.indent(margin{first: blank, rest: blank, width: len(line) - len(text), text: true}, func() {
			r.flow([]span{{text: text, ink: k, code: true}})
		})
	}
}

// callout is a quote that begins with a line such as "[!NOTE]", as on GitHub.
type callout struct {
	mark, title string
	style       func(*theme.Theme) lipgloss.Style
}

var callouts = map[string]callout{
	"[!NOTE]":      {"i", "Note", func(t *theme.Theme) lipgloss.Style { return t.Info }},
	"[!TIP]":       {"*", "Tip", func(t *theme.Theme) lipgloss.Style { return t.Success }},
	"[!IMPORTANT]": {"!", "Important", func(t *theme.Theme) lipgloss.Style { return t.Accent }},
	"[!WARNING]":   {"!", "Warning", func(t *theme.Theme) lipgloss.Style { return t.Warning }},
	"[!CAUTION]":   {"!", "Caution", func(t *theme.Theme) lipgloss.Style { return t.Error }},
}

// calloutOf removes that line from a quote and returns the callout; false for any other
// quote, which stays as it is.
func calloutOf(n *ast.Blockquote, src []byte) (callout, bool) {
	p, ok := n.FirstChild().(*ast.Paragraph)
	if !ok || p.Lines().Len() == 0 {
		return callout{}, false
	}
	first := p.Lines().At(0)
	c, ok := callouts[strings.ToUpper(strings.TrimSpace(string(first.Value(src))))]
	if !ok {
		return callout{}, false
	}
	for child := p.FirstChild(); child != nil; child = p.FirstChild() {
		text, plain := child.(*ast.Text)
		if !plain || text.Segment.Start >= first.Stop {
			break
		}
		p.RemoveChild(p, child)
	}
	if !p.HasChildren() {
		n.RemoveChild(n, p)
	}
	return c, true
}

func (r *renderer) list(n *ast.List, base *ink) {
	number, depth := n.Start, 0
	for p := n.Parent(); p != nil; p = p.Parent() {
		if p.Kind() == ast.KindList {
			depth++
		}
	}
	e := r.p.list
	if depth > 0 { // the mark of the outer item counts
		mark := 0
		if len(r.margins) > 0 {
			mark = r.margins[len(r.margins)-1].width
		}
		e.left = max(0, r.p.nested-mark) + e.right
	}
	k := r.p.over(e.ink, base)
	digits := len(strconv.Itoa(number + n.ChildCount() - 1))
	r.inset(&e, base, func() {
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			if c != n.FirstChild() && !n.IsTight && len(r.lines) > 0 {
				r.blank()
			}
			r.indent(r.mark(n, c, k, number, digits, depth), func() { r.children(c, k, n.IsTight) })
			number++
		}
	})
}

// mark returns the margin of an item with its mark. Numbers are as wide as the list's
// last one, and keep their delimiter.
func (r *renderer) mark(n *ast.List, item ast.Node, base *ink, number, digits, depth int) margin {
	key := markKey{kind: bulletMark, base: base, method: termtext.CurrentMethod()}
	var box *extast.TaskCheckBox
	if first := item.FirstChild(); first != nil {
		box, _ = first.FirstChild().(*extast.TaskCheckBox)
	}
	switch {
	case box != nil && box.IsChecked:
		key.kind = tickedMark
	case box != nil:
		key.kind = untickedMark
	case n.IsOrdered():
		text := strconv.Itoa(number)
		return r.p.mark(base, numberMark, strings.Repeat(" ", max(digits-len(text), 0))+text, n.Marker)
	case r.p.own != nil:
		key.depth = depth % len(r.p.own.bullets)
	}
	m, ok := r.p.marks[key]
	if !ok {
		text := ""
		if r.p.own != nil {
			text = r.p.own.bullets[key.depth] + " "
		}
		m = r.p.mark(base, key.kind, text, 0)
		r.p.marks[key] = m
	}
	return m
}

// markKind is the kind of mark of an item.
type markKind uint8

const (
	bulletMark markKind = iota
	numberMark
	tickedMark
	untickedMark
)

// markKey identifies the cached marks: those without a number.
type markKey struct {
	kind  markKind
	depth int // in parley's own style
	base  *ink
	// method is how its width is measured.
	method termtext.Method
}

// mark returns the margin of an item. text is the number or parley's own bullet.
func (p *palette) mark(base *ink, kind markKind, text string, delimiter byte) margin {
	in := inliner{p: p}
	k := base
	if p.own != nil {
		k = p.own.item
	}
	switch e := p.number; {
	case kind == tickedMark:
		if p.own != nil {
			k = p.own.done
		}
		in.add(p.style.Task.Ticked, k, "")
		in.part(&p.task, "", k, "")
	case kind == untickedMark:
		in.add(p.style.Task.Unticked, k, "")
		in.part(&p.task, "", k, "")
	case kind == numberMark:
		e.before = strings.Replace(e.before, ".", string(delimiter), 1)
		in.add(text, k, "")
		in.part(&e, "", k, "")
	case p.own != nil:
		in.add(text, k, "")
	default:
		in.part(&p.item, "", k, "")
	}
	m := margin{first: in.spans, width: widthOf(in.spans), text: true}
	m.rest = []span{{text: strings.Repeat(" ", m.width), ink: p.text}}
	return m
}

// span is a run of text of one style. Its text is safe to draw.
type span struct {
	text string
	ink  *ink
	link string // target of an OSC 8 link, or empty
	code bool   // keep all spaces
}

// atom is a piece of a span without a line break, unless it is wider than a whole line.
type atom struct {
	span
	width int
	kind  atomKind
	glued bool // no line break before it
}

type atomKind uint8

const (
	wordAtom atomKind = iota
	spaceAtom
	breakAtom // an explicit line break
)

// row is the atoms of one line, and its width in cells.
type row struct {
	atoms []atom
	width int
	begun beginning
}

// beginning is what precedes the first atom of a row.
type beginning uint8

const (
	newLine beginning = iota
	wrapped           // the row above, within a word
	spaced            // the row above, and a space
)

// shows says what the row shows of its text.
func (r row) shows() termtext.Row {
	row := termtext.Row{Soft: r.begun != newLine}
	if r.begun == spaced {
		row.Gap = " "
	}
	return row
}

// atomise splits spans where a line may break: at white space, and on both sides of a
// wide character. It keeps all spaces in code, and collapses them in prose. It appends
// to the given atoms.
func atomise(atoms []atom, spans []span) []atom {
	glued := false // the next atom continues a word
	for i := 0; i < len(spans); i++ {
		s := spans[i]
		for i+1 < len(spans) && s.text != "\n" {
			next := spans[i+1]
			if next.text == "\n" || next.ink != s.ink || next.link != s.link || next.code != s.code {
				break
			}
			s.text += next.text
			i++
		}
		if s.text == "\n" {
			atoms = append(atoms, atom{kind: breakAtom})
			glued = false
			continue
		}
		for rest := s.text; rest != ""; {
			if n := termtext.Blanks(rest); n > 0 {
				s.text = rest[:1]
				if s.code {
					s.text = rest[:n]
				}
				if k := len(atoms); s.code || k == 0 || atoms[k-1].kind != spaceAtom {
					atoms = append(atoms, atom{span: s, width: len(s.text), kind: spaceAtom})
				}
				rest, glued = rest[n:], false
				continue
			}
			n, width, wide := termtext.CurrentMethod().Word(rest)
			s.text = rest[:n]
			atoms = append(atoms, atom{span: s, width: width, glued: glued && (!wide || termtext.ClosingPunctuation(s.text))})
			glued = !wide || termtext.ClosingPunctuation(rest[n:])
			rest = rest[n:]
		}
	}
	return atoms
}

// wrap fills lines of the given width with atoms. It drops spaces at a line's ends and
// cuts a word wider than a line between characters. The atoms of all rows are stored in
// all, as far as its capacity allows.
func wrap(all, atoms []atom, width int) []row {
	var rows []row
	start, used := 0, 0 // of the current row: its first atom, its cells
	begun := newLine
	add := func(a atom) {
		all = append(all, a)
		used += a.width
	}
	end := func() {
		k := len(all)
		for ; k > start && all[k-1].kind == spaceAtom; k-- {
			used -= all[k-1].width
		}
		rows = append(rows, row{all[start:k:k], used, begun})
		if begun = wrapped; k < len(all) {
			begun = spaced
		}
		start, used = len(all), 0
	}
	for i := 0; i < len(atoms); {
		switch atoms[i].kind {
		case breakAtom:
			end()
			begun = newLine
			i++
			continue
		case spaceAtom:
			if len(all) > start {
				add(atoms[i])
			}
			i++
			continue
		}
		n, w := i, 0
		for n < len(atoms) && (n == i || atoms[n].kind == wordAtom && atoms[n].glued) {
			w += atoms[n].width
			n++
		}
		if used+w > width && len(all) > start {
			end()
		}
		for ; i < n; i++ {
			a := atoms[i]
			// A long word that just fills the line gives its last character to the next one,
			// if punctuation would begin that.
			spare := i+1 < n && a.width > 2 && termtext.ClosingPunctuation(atoms[i+1].text)
			for used+a.width > width || spare && used+a.width == width && a.width > 2 {
				head, tail := splitAtom(a, min(width-used, a.width-1), width)
				if head.width > 2 && termtext.ClosingPunctuation(tail.text) {
					head, tail = splitAtom(a, head.width-1, width)
				}
				if head.text != "" {
					add(head)
				}
				end()
				a = tail
			}
			if a.text != "" {
				add(a)
			}
		}
	}
	if len(all) > start {
		end()
	}
	return rows
}

// splitAtom cuts a so that head fits into the room left on a line of a width. Head is
// empty only if the line is not.
func splitAtom(a atom, room, width int) (head, tail atom) {
	n, w := termtext.Fit(a.text, room, width)
	head, tail = a, a
	head.text, head.width = a.text[:n], w
	tail.text, tail.width = a.text[n:], a.width-w
	if a.width != len(a.text) { // the parts of a character may take more than the whole
		tail.width = termtext.Width(tail.text)
	}
	return head, tail
}

func (p *pen) row(r row) {
	for _, a := range r.atoms {
		p.write(a.text, a.ink, a.link)
	}
}
