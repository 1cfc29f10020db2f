package transcript

import (
	"time"

	"github.com/charmbracelet/x/ansi"

	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/diffview"
	"parley/tui/theme"
	"parley/tui/toolview"
)

const (
	// gutter is the width of the left margin with the marks.
	gutter = 2
	// maxText bounds the width of text, which is hard to read in longer lines.
	maxText = 118
	// keepDrawings bounds the cached drawings, and keepEmulated the lines of their emulators. Both
	// are more than a screen shows.
	keepDrawings, keepEmulated = 800, 100_000
)

// layout is a conversation as lines of a width. It keeps the drawings of items, and finds
// the line above or below another; which lines are in view is up to [List].
type layout struct {
	theme *theme.Theme
	conv  *conversation.Conversation
	width int

	drawings map[*conversation.Node]*entry
	emulated int                         // how many lines their emulators have
	leftOut  int                         // what conv had left out when they were made
	writing  bool                        // items are drawn for good, see List.Finished
	expanded map[*conversation.Node]bool // what the user has opened or closed
	context  map[*conversation.Node]int  // the lines around changes, where not the default
	diffs    *diffview.Preference
	pictures pictures
	opens    func(*conversation.Node) bool // open, as a function that is made once
	facts    *toolview.Facts
	now      time.Time            // for the clocks of running calls
	envs     map[int]*environment // by number of edges
	page     *page                // nil unless a single item is shown
	sheet    sheet                // what is being drawn
}

// entry is the drawing of an item, with the lines of its first section.
type entry struct {
	drawing
	env      *environment
	expanded bool

	first  []string // for what follows, nil for none
	of     uint64
	layout termtext.Layout
	lead   bool
}

// position names a line by its item's node in the outline, the section of the item,
// and the line of the section. Both count from 0.
type position struct {
	node          *conversation.Node
	section, line int
}

// before reports whether a is above b. The zero position is above all others.
func before(a, b position) bool {
	if a.node == nil || b.node == nil {
		return a.node == nil && b.node != nil
	}
	if a.node != b.node {
		return a.node.Before(b.node)
	}
	if a.section != b.section {
		return a.section < b.section
	}
	return a.line < b.line
}

// textWidth returns the width of an item's text.
func (l *layout) textWidth(n *conversation.Node) int { return l.textIn(l.room(l.edges(n))) }

// textIn returns the width of text within a room.
func (l *layout) textIn(room int) int {
	switch {
	case l.page == nil:
		return min(room, maxText)
	case l.page.unwrapped:
		return unwrappedWidth
	}
	return room
}

// room returns the width beside the margin and so many edges.
func (l *layout) room(edges int) int { return l.width - gutter - 1 - edgeWidth*edges }

const (
	// edge is drawn left of an item once for each item that it is nested in.
	edge      = "│ "
	edgeWidth = 2
	// maxEdges bounds the edges; a narrow view has fewer.
	maxEdges = 4
	// edgeRoom is the width of a view without room for edges, and edgeShare how much
	// wider it is for each edge.
	edgeRoom, edgeShare = 20, 4
)

// edges returns how many edges an item has.
func (l *layout) edges(n *conversation.Node) int {
	if l.page != nil {
		return 0
	}
	depth := n.Depth()
	if depth == 0 && n.ParentID() != "" {
		depth = 1 // below an unknown call
	}
	return max(0, min(depth, maxEdges, (l.width-edgeRoom)/edgeShare))
}

// environment returns the environment of an item, which all items with as many edges
// share.
func (l *layout) environment(n *conversation.Node) *environment {
	edges := l.edges(n)
	env := l.envs[edges]
	if env == nil {
		dimmed := l.theme.Dimmed()
		env = &environment{theme: l.theme, dimmed: dimmed, inner: dimmed.Within(), bar: l.theme.CodeBar.Render("│ "), places: toolview.PathsIn(l.conv.Cwd)}
		l.envs[edges] = env
	}
	room := l.room(edges)
	env.places.Dir, env.width, env.open = l.conv.Cwd, l.textIn(room), conversation.Questions[*conversation.Permission](&l.conv.State)
	env.diffWidth, env.diffs = min(room, 2*maxText), l.diffs
	env.pictures, env.emulated, env.facts, env.now = &l.pictures, &l.emulated, l.facts, l.now
	return env
}

// at returns the up-to-date drawing of an item.
func (l *layout) at(n *conversation.Node) *entry {
	e := l.drawings[n]
	if e == nil {
		if len(l.drawings) >= keepDrawings || l.emulated > keepEmulated {
			l.forgetDrawings()
		}
		e = &entry{drawing: l.newDrawing(n.Item())}
		l.drawings[n] = e
	}
	call, isCall := e.drawing.(*toolCall)
	if isCall {
		call.written = l.writing
	}
	env, expanded := l.environment(n), l.expanded[n] || l.writesOut(n)
	if changed := e.update(env, expanded); changed || e.env != env || e.expanded != expanded {
		e.env, e.expanded, e.first = env, expanded, nil
	}
	if isCall {
		context := 0
		if l.expanded[n] {
			context = l.context[n]
		}
		for _, d := range call.diffs {
			d.SetContext(max(context, diffview.DefaultContext))
		}
		if brief, sign := isStep(n), l.sign(n); call.brief != brief || call.sign != sign {
			call.brief, call.sign = brief, sign
			e.first = nil
		}
	}
	return e
}

// forgetDrawings has all items drawn anew.
func (l *layout) forgetDrawings() {
	clear(l.drawings)
	l.emulated = 0
}

// every treats all nodes as open.
func every(*conversation.Node) bool { return true }

// open reports whether a node's children are shown: by default those of a running call.
func (l *layout) open(n *conversation.Node) bool {
	if open, said := l.expanded[n]; said {
		return open
	}
	call, ok := n.Item().(*conversation.ToolCall)
	return ok && call.Running()
}

// current returns the node that shows another one: itself, or the one that it is folded
// into. It is nil if the conversation no longer has the node.
func (l *layout) current(n *conversation.Node) *conversation.Node {
	if n == nil {
		return nil
	}
	n = n.Current()
	if !l.conv.Has(n) {
		return nil
	}
	shown := n
	for p := n.Parent(); p != nil; p = p.Parent() {
		if p.Parent() != nil && !l.open(p) {
			shown = p
		}
	}
	return shown
}

// above returns the node drawn above another, nil without one.
func (l *layout) above(n *conversation.Node) *conversation.Node {
	for n = n.Preceding(l.opens); n != nil && l.at(n).sections() == 0; n = n.Preceding(l.opens) {
	}
	return n
}

// below returns the node drawn below another, nil without one. Below the root is the
// first node.
func (l *layout) below(n *conversation.Node) *conversation.Node {
	for n = n.Following(l.opens); n != nil && l.at(n).sections() == 0; n = n.Following(l.opens) {
	}
	return n
}

// end returns the last node that is drawn, nil without one.
func (l *layout) end() *conversation.Node {
	n := l.conv.Outline().Deepest(l.opens)
	if n.Parent() == nil {
		return nil
	}
	if l.at(n).sections() == 0 {
		return l.above(n)
	}
	return n
}

// step returns the node by drawn nodes below another, or above it if by is negative; the
// last one if there are fewer.
func (l *layout) step(n *conversation.Node, by int) *conversation.Node {
	to := l.below
	if by < 0 {
		to, by = l.above, -by
	}
	for ; by > 0; by-- {
		next := to(n)
		if next == nil {
			break
		}
		n = next
	}
	return n
}

// lines returns the lines of a section, with the blank line above an item.
func (l *layout) lines(n *conversation.Node, section int) []string {
	if section > 0 {
		return l.drawn(n, section, false).lines
	}
	lead := l.lead(n)
	e, width := l.at(n), termtext.NewLayout(l.textWidth(n))
	version := n.Item().Version()
	if e.first == nil || e.of != version || e.layout != width || e.lead != lead {
		e.first, e.of, e.layout, e.lead = l.drawn(n, 0, false).lines, version, width, lead
	}
	return e.first
}

// drawn draws a section, with the blank line above an item; with copies, with what the
// lines show. The result is valid until the next call, its lines longer.
func (l *layout) drawn(n *conversation.Node, section int, copies bool) *sheet {
	lead := section == 0 && l.lead(n)
	d := l.at(n)
	l.sheet = sheet{copies: copies}
	d.draw(&l.sheet, section, l.textWidth(n))
	if lead {
		l.sheet.lines = append([]string{""}, l.sheet.lines...)
		if copies {
			l.sheet.rows = append([]termtext.Row{{}}, l.sheet.rows...)
		}
	}
	return &l.sheet
}

// textOf returns a drawn line without styles.
func (l *layout) textOf(p position) string {
	lines := l.lines(p.node, p.section)
	if p.line >= len(lines) {
		return ""
	}
	return ansi.Strip(lines[p.line])
}

// lead reports whether an item has a blank line above it. Compact items have none between
// them, except after nested items.
func (l *layout) lead(n *conversation.Node) bool {
	above := l.above(n)
	if above == nil {
		return false
	}
	return n.Depth() == 0 && above.Depth() > 0 || !l.at(n).compact() || !l.at(above).compact()
}

// startOf returns the first line of an item, without the blank line above it.
func (l *layout) startOf(n *conversation.Node) position {
	p := position{node: n}
	if l.lead(n) {
		p.line = 1
	}
	return p
}

// ends returns the first and the last line of an item.
func (l *layout) ends(n *conversation.Node) (from, to position) {
	to = position{node: n, section: max(0, l.at(n).sections()-1)}
	to.line = max(0, len(l.lines(n, to.section))-1)
	return l.startOf(n), to
}

// next returns the start of the section below p's. It reports false without one.
func (l *layout) next(p position) (position, bool) {
	if p.section+1 < l.at(p.node).sections() {
		return position{node: p.node, section: p.section + 1}, true
	}
	if n := l.below(p.node); n != nil {
		return position{node: n}, true
	}
	return p, false
}

// previous returns the start of the section above p's. It reports false without one.
func (l *layout) previous(p position) (position, bool) {
	if p.section > 0 {
		return position{node: p.node, section: p.section - 1}, true
	}
	if n := l.above(p.node); n != nil {
		return position{node: n, section: l.at(n).sections() - 1}, true
	}
	return p, false
}

// first returns the first section, false without one.
func (l *layout) first() (position, bool) {
	n := l.below(l.conv.Outline())
	return position{node: n}, n != nil
}

// up returns the line n lines above p, or the first there is.
func (l *layout) up(p position, n int) position {
	for p.node != nil && n > p.line {
		n -= p.line
		prev, ok := l.previous(p)
		if !ok {
			p.line = 0
			return p
		}
		p = prev
		p.line = len(l.lines(p.node, p.section))
	}
	p.line = max(0, p.line-n)
	return p
}

// down returns the line n lines below p, or the last there is.
func (l *layout) down(p position, n int) position {
	for p.node != nil {
		have := len(l.lines(p.node, p.section))
		if p.line+n < have {
			p.line += n
			return p
		}
		next, ok := l.next(p)
		if !ok {
			p.line = max(0, have-1)
			return p
		}
		n -= have - p.line
		p = next
	}
	return p
}

// valid moves a position that may be gone or folded away to one that is drawn. It is the
// zero position only if nothing is drawn.
func (l *layout) valid(p position) position {
	n := l.current(p.node)
	if n == nil {
		p, _ = l.first()
		return p
	}
	if n != p.node {
		p = position{node: n}
	}
	if l.at(n).sections() == 0 {
		prev, ok := l.previous(position{node: n})
		if !ok {
			prev, _ = l.first()
		}
		p = prev
	}
	if p.node != nil {
		p.section = min(p.section, l.at(p.node).sections()-1)
		p.line = min(p.line, max(0, len(l.lines(p.node, p.section))-1))
	}
	return p
}

// isStep reports whether a call is one of several quiet calls, which are one line each.
// The last call so far may become one.
func isStep(n *conversation.Node) bool {
	call, ok := n.Item().(*conversation.ToolCall)
	if !ok || !call.Quiet() || n.Parent() == nil {
		return false
	}
	if _, ok := n.Parent().Item().(*conversation.Group); ok {
		return true
	}
	next := n.Next()
	if next == nil {
		return call.Live
	}
	_, ok = next.Item().(*conversation.ToolCall)
	return ok
}

const folded, opened = "▸", "▾"

// sign is shown before the number of nested calls. A page shows no nested calls.
func (l *layout) sign(n *conversation.Node) string {
	switch {
	case l.page != nil:
		return ""
	case l.open(n):
		return opened + " "
	}
	return folded + " "
}
