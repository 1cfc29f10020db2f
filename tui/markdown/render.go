package markdown

import (
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"parley/internal/safetext"
)

// minText is the least room in cells that quotes and lists leave for the text in
// them: what is nested deeper is indented no more.
const minText = 8

// renderer draws the blocks of one piece of text.
type renderer struct {
	p     *palette
	src   []byte
	width int
	cont  *continuation
	live  memo // not nil while the piece still grows

	pen     pen
	atoms   []atom // flow's, to be used again
	margins []margin
	room    int // width without the margins
	lines   []string

	chainLists, chainItems int  // how much of the continuation's chain was drawn
	gap                    bool // a blank line is due
}

// margin is what stands to the left of the lines of a quote or list item.
type margin struct {
	first, rest []span // on the first line, on the others
	width       int
	used        bool // the first line was drawn
}

func newRenderer(p *palette, src []byte, width int, cont *continuation, live memo) *renderer {
	return &renderer{
		p: p, src: src, width: width, room: width, cont: cont, live: live,
		gap: cont != nil && cont.gap,
	}
}

func (r *renderer) document() []string {
	r.children(r.cont.withoutStubs(parseAll(r.src), r.src), r.p.text, true, false)
	return r.lines
}

// children draws the blocks in n, with blank lines between them unless tight.
// onChain says that n is of the continuation's chain.
func (r *renderer) children(n ast.Node, base *ink, onChain, tight bool) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		before := len(r.lines)
		if c != n.FirstChild() && !tight && before > 0 {
			r.blank()
		}
		after := len(r.lines)
		r.block(c, base, onChain && c == n.FirstChild())
		if len(r.lines) == after {
			r.lines = r.lines[:before] // nothing to set apart
		}
	}
}

func (r *renderer) block(n ast.Node, base *ink, onChain bool) {
	switch n := n.(type) {
	case *ast.Paragraph, *ast.TextBlock:
		r.flow(r.inline(n, base))
	case *ast.Heading:
		r.heading(n, base, onChain && r.cont != nil && r.cont.leaf)
	case *ast.ThematicBreak:
		r.pen.write(strings.Repeat("─", r.room), r.p.rule, "")
		r.emit()
	case *ast.Blockquote:
		bar := []span{{text: "│ ", ink: r.p.faint}}
		r.indent(margin{first: bar, rest: bar, width: 2, used: onChain && r.cont != nil}, func() {
			r.children(n, r.p.over(r.p.quote, base), onChain, false)
		})
	case *ast.List:
		r.list(n, base, onChain)
	case *ast.FencedCodeBlock:
		r.code(n, string(n.Language(r.src)), onChain)
	case *ast.CodeBlock:
		r.code(n, "", onChain)
	case *ast.HTMLBlock:
		r.html(n, onChain)
	case *extast.Table:
		r.table(n, base, onChain)
	default:
		r.children(n, base, onChain, false)
	}
}

// flow wraps spans into lines.
func (r *renderer) flow(spans []span) {
	r.atoms = atomise(r.atoms[:0], spans)
	for _, row := range wrap(r.atoms, r.room) {
		r.margin(len(row.atoms) == 0)
		r.pen.row(row)
		r.lines = append(r.lines, r.pen.line())
	}
}

// emit ends a line for which nothing but the pen's content is to be written.
func (r *renderer) emit() {
	text := r.pen.line()
	r.margin(text == "")
	r.lines = append(r.lines, r.pen.line()+text)
}

func (r *renderer) blank() {
	r.margin(true)
	r.lines = append(r.lines, r.pen.line())
}

// margin writes what stands to the left of the next line; on an empty line,
// without the blanks at its end.
func (r *renderer) margin(empty bool) {
	if r.gap {
		r.gap = false
		r.drawGap()
	}
	end := len(r.margins)
	for empty && end > 0 && isBlank(r.margins[end-1].next()) {
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

// drawGap draws the blank line at a cut, inside of what was open there.
func (r *renderer) drawGap() {
	all := r.margins
	for i := range all {
		if !all[i].used {
			r.margins = all[:i]
			break
		}
	}
	r.blank()
	r.margins = all
}

func (m *margin) next() []span {
	if m.used {
		return m.rest
	}
	return m.first
}

func isBlank(spans []span) bool {
	for _, s := range spans {
		if strings.Trim(s.text, " ") != "" {
			return false
		}
	}
	return true
}

// indent draws with a margin; where that would leave too little room, without.
func (r *renderer) indent(m margin, draw func()) {
	if r.room-m.width < minText {
		draw()
		return
	}
	r.margins = append(r.margins, m)
	r.room -= m.width
	draw()
	if last := r.margins[len(r.margins)-1]; !last.used {
		r.blank()
	}
	r.margins = r.margins[:len(r.margins)-1]
	r.room += m.width
}

func (r *renderer) heading(n *ast.Heading, base *ink, goesOn bool) {
	k := r.p.over(r.p.heading, base)
	mark := strings.Repeat("#", n.Level) + " "
	m := margin{
		first: []span{{text: mark, ink: r.p.faint}},
		rest:  []span{{text: strings.Repeat(" ", len(mark)), ink: r.p.text}}, width: len(mark), used: goesOn,
	}
	r.indent(m, func() { r.flow(r.inline(n, k)) })
}

var bullets = []string{"•", "◦", "▪"}

func (r *renderer) list(n *ast.List, base *ink, onChain bool) {
	number := r.cont.number(n, onChain, r.chainLists)
	if onChain {
		r.chainLists++
	}
	digits := len(strconv.Itoa(number + n.ChildCount() - 1))
	depth := 0
	for p := n.Parent(); p != nil; p = p.Parent() {
		if p.Kind() == ast.KindList {
			depth++
		}
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if c != n.FirstChild() && !n.IsTight && len(r.lines) > 0 {
			r.blank()
		}
		itemOnChain := onChain && c == n.FirstChild()
		mark := span{text: bullets[depth%len(bullets)] + " ", ink: r.p.mark}
		width := 2
		if n.IsOrdered() {
			mark.text = strconv.Itoa(number)
			mark.text = strings.Repeat(" ", max(digits-len(mark.text), 0)) + mark.text + string(n.Marker) + " "
			width = len(mark.text)
			number++
		}
		if box, ok := checkBox(c); ok {
			mark, width = span{text: "[ ] ", ink: r.p.mark}, 4
			if box.IsChecked {
				mark = span{text: "[✓] ", ink: r.p.done}
			}
		}
		m := margin{first: []span{mark}, rest: []span{{text: strings.Repeat(" ", width), ink: r.p.text}}, width: width}
		if itemOnChain && r.cont != nil && r.chainItems < r.cont.items {
			r.chainItems++
			m.used = true
		}
		r.indent(m, func() { r.children(c, base, itemOnChain, n.IsTight) })
	}
}

// checkBox finds the task box that begins an item.
func checkBox(item ast.Node) (*extast.TaskCheckBox, bool) {
	if first := item.FirstChild(); first != nil && first.FirstChild() != nil {
		box, ok := first.FirstChild().(*extast.TaskCheckBox)
		return box, ok
	}
	return nil, false
}

func (r *renderer) html(n *ast.HTMLBlock, onChain bool) {
	text := string(n.Lines().Value(r.src))
	if n.HasClosure() {
		text += string(n.ClosureLine.Value(r.src))
	}
	if onChain && r.cont != nil && r.cont.leaf {
		_, text, _ = strings.Cut(text, "\n") // the line that the prefix added
	}
	for line := range strings.Lines(safetext.Block(text)) {
		line = expandTabs(strings.TrimRight(line, " \t\n"))
		text := strings.TrimLeft(line, " ")
		if text == "" {
			r.blank()
			continue
		}
		blank := []span{{text: line[:len(line)-len(text)], ink: r.p.text}}
		r.indent(margin{first: blank, rest: blank, width: len(line) - len(text)}, func() {
			r.flow([]span{{text: text, ink: r.p.raw, code: true}})
		})
	}
}
