package markdown

import (
	"strconv"
	"strings"

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
	if depth > 0 { // the mark of the item that the list is in counts
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
		m := margin{first: r.mark(n, c, base, number, digits, depth)}
		m.width = cells(m.first)
		m.rest = []span{{text: strings.Repeat(" ", m.width), ink: r.p.text}}
		if itemOnChain && r.cont != nil && r.chainItems < r.cont.items {
			r.chainItems++
			m.used = true
		}
		r.indent(m, func() { r.children(c, base, itemOnChain, n.IsTight) })
		number++
	}
}

// mark is what stands before an item of a list. Numbers take as many digits as
// the list's last one, and keep the delimiter that was written.
func (r *renderer) mark(n *ast.List, item ast.Node, base *ink, number, digits, depth int) []span {
	in := inliner{p: r.p, src: r.src}
	own := r.p.own
	k := base
	if own != nil {
		k = own.item
	}
	box, isTask := checkBox(item)
	switch {
	case isTask && box.IsChecked:
		if own != nil {
			k = own.done
		}
		in.add(r.p.style.Task.Ticked, k, "")
		in.part(&r.p.task, "", k, "")
	case isTask:
		in.add(r.p.style.Task.Unticked, k, "")
		in.part(&r.p.task, "", k, "")
	case n.IsOrdered():
		e, text := r.p.number, strconv.Itoa(number)
		e.before = strings.Replace(e.before, ".", string(n.Marker), 1)
		in.add(strings.Repeat(" ", max(digits-len(text), 0))+text, k, "")
		in.part(&e, "", k, "")
	case own != nil:
		in.add(own.bullets[depth%len(own.bullets)]+" ", k, "")
	default:
		in.part(&r.p.item, "", k, "")
	}
	return in.spans
}

// checkBox finds the task box that begins an item.
func checkBox(item ast.Node) (*extast.TaskCheckBox, bool) {
	if first := item.FirstChild(); first != nil && first.FirstChild() != nil {
		box, ok := first.FirstChild().(*extast.TaskCheckBox)
		return box, ok
	}
	return nil, false
}
