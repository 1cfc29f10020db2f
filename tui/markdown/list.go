package markdown

import (
	"strconv"
	"strings"

	"parley/internal/termtext"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

func (r *renderer) list(n *ast.List, base *ink, onChain bool) {
	number := r.cont.number(n, onChain, r.chainLists)
	if onChain {
		r.chainLists++
	}
	depth := 0
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
	r.inset(&e, base, func() { r.items(n, k, onChain, number, depth) })
}

func (r *renderer) items(n *ast.List, base *ink, onChain bool, number, depth int) {
	digits := len(strconv.Itoa(number + n.ChildCount() - 1))
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if c != n.FirstChild() && !n.IsTight && len(r.lines) > 0 {
			r.blank()
		}
		itemOnChain := onChain && c == n.FirstChild()
		m := r.mark(n, c, base, number, digits, depth)
		if itemOnChain && r.cont != nil && r.chainItems < r.cont.items {
			r.chainItems++
			m.used = true
		}
		r.indent(m, func() { r.children(c, base, itemOnChain, n.IsTight) })
		number++
	}
}

// mark returns the margin of an item with its mark. Numbers are as wide as the list's
// last one, and keep their delimiter.
func (r *renderer) mark(n *ast.List, item ast.Node, base *ink, number, digits, depth int) margin {
	key := markKey{kind: bulletMark, base: base, method: termtext.CurrentMethod()}
	box, isTask := checkBox(item)
	switch {
	case isTask && box.IsChecked:
		key.kind = tickedMark
	case isTask:
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
	m := margin{first: in.spans, width: widthOf(in.spans)}
	m.rest = []span{{text: strings.Repeat(" ", m.width), ink: p.text}}
	return m
}

// checkBox returns the task box at the start of an item.
func checkBox(item ast.Node) (*extast.TaskCheckBox, bool) {
	if first := item.FirstChild(); first != nil && first.FirstChild() != nil {
		box, ok := first.FirstChild().(*extast.TaskCheckBox)
		return box, ok
	}
	return nil, false
}
