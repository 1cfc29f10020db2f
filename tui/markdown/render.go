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
func (r *renderer) flow(spans []span) { r.wrapped(r.pen.text(spans)) }

// wrapped adds the lines of a styled text.
func (r *renderer) wrapped(text string) {
	if text == "" {
		return
	}
	lines := wrap(text, r.room)
	var rows []termtext.Row
	if r.copies {
		rows = termtext.Rows(text, lines)
	}
	for i, line := range lines {
		var row termtext.Row
		if r.copies {
			row = rows[i]
		}
		r.fitted(line, row)
	}
}

// wrap wraps a styled text, which most often fits into one line.
func wrap(text string, width int) []string {
	if strings.IndexByte(text, '\n') < 0 && termtext.Width(text) <= width {
		return []string{text}
	}
	return termtext.Wrap(text, width)
}

// fitted adds a line that fits the room.
func (r *renderer) fitted(line string, row termtext.Row) {
	r.margin(line == "")
	if len(r.margins) > 0 {
		r.pen.styled(line)
		line = r.pen.line()
	}
	r.end(line, row)
}

// emit ends a line with only the pen's content.
func (r *renderer) emit(row termtext.Row) { r.fitted(r.pen.line(), row) }

// ornament is the row of a line without text.
func (r *renderer) ornament() termtext.Row { return termtext.Row{Soft: true, Lead: r.room} }

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
	r.emit(r.ornament())
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
