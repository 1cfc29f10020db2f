// Package transcript draws a conversation as a virtual list: it makes lines only of
// what is on the screen, and keeps those of finished items for each width.
//
// An item is drawn in sections, such as the blocks of a Markdown message, and a position
// is a line of a section of an item. Nested items, such as the calls of a subagent, stand
// below their parent or are folded into it, as the conversation's outline says. A frame
// costs the same however long the session or a message is, because nothing needs the
// total number of lines.
//
// A kind of item has its drawing in a file of its own, with its methods of maker and
// itemTexts.
package transcript

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

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
	// keepDrawings is how many drawings stay cached at least.
	keepDrawings = 400
)

// List is a view of a conversation. It is not safe for concurrent use.
type List struct {
	theme  *theme.Theme
	conv   *conversation.Conversation
	width  int
	height int

	following bool     // the view follows the end
	top       position // the first line on the screen, unless following
	seen      int      // how many items there were when the end was last in sight

	drawings  map[*conversation.Node]*entry
	clock     uint64                      // counts the uses of drawings
	writing   bool                        // items are drawn for good, see Finished
	expanded  map[*conversation.Node]bool // what the person has opened or closed
	context   map[*conversation.Node]int  // the lines around changes, where not the default
	diffs     *diffview.Preference
	pictures  pictures
	opens     func(*conversation.Node) bool // open, as a function that is made once
	positions *toolview.DiffPositions
	now       time.Time            // for the clocks of running calls
	envs      map[int]*environment // by number of edges

	finished finished
	find     *find  // nil without a search
	span     *span  // nil without marked text
	began    *point // where StartSpan was called
	page     *page  // nil unless a single item is shown
	pan      int    // how many cells are scrolled off on the left
	focused  bool
	selected *conversation.Node   // nil without a selection
	shown    []*conversation.Node // the item of each line drawn last, or nil
}

// entry is the drawing of an item.
type entry struct {
	drawing
	used uint64
}

// New returns a view of a conversation.
func New(th *theme.Theme, conv *conversation.Conversation) *List {
	l := &List{
		theme: th, conv: conv, following: true, diffs: new(diffview.Preference),
		drawings: map[*conversation.Node]*entry{}, expanded: map[*conversation.Node]bool{}, context: map[*conversation.Node]int{},
		envs: map[int]*environment{},
	}
	l.opens = l.open
	return l
}

// SetDiffPositions sets the known positions of changes in their files.
func (l *List) SetDiffPositions(s *toolview.DiffPositions) { l.positions = s }

// SetTheme changes the theme and redraws everything.
func (l *List) SetTheme(th *theme.Theme) {
	l.theme = th
	if th.Depth == theme.Colors16 { // too few for pictures
		l.pictures.forget()
	}
	clear(l.envs)
	clear(l.drawings)
}

// SetSize sets the size of the view in cells.
func (l *List) SetSize(width, height int) {
	width = max(width, gutter+10)
	if width != l.width {
		l.span = nil // its positions are those of the old lines
	}
	l.width, l.height = width, max(height, 1)
}

// Reset starts over after the conversation was replaced.
func (l *List) Reset() {
	clear(l.drawings)
	clear(l.expanded)
	clear(l.context)
	l.pictures.forget()
	l.following, l.top, l.selected, l.seen = true, position{}, nil, 0
	l.find, l.span = nil, nil
	l.finished = finished{}
}

// textWidth returns the width of an item's text.
func (l *List) textWidth(n *conversation.Node) int { return l.textIn(l.room(l.edges(n))) }

// textIn returns the width of text within a room.
func (l *List) textIn(room int) int {
	switch {
	case l.page == nil:
		return min(room, maxText)
	case l.page.unwrapped:
		return unwrappedWidth
	}
	return room
}

// room returns the width beside the margin and so many edges.
func (l *List) room(edges int) int { return l.width - gutter - 1 - edgeWidth*edges }

// environment returns the environment of an item, which all items with as many edges
// share.
func (l *List) environment(n *conversation.Node) *environment {
	edges := l.edges(n)
	env := l.envs[edges]
	if env == nil {
		dimmed := l.theme.Dimmed()
		env = &environment{theme: l.theme, dimmed: dimmed, inner: dimmed.Within(), places: toolview.PathsIn(l.conv.Cwd)}
		l.envs[edges] = env
	}
	room := l.room(edges)
	env.places.Dir, env.width, env.open = l.conv.Cwd, l.textIn(room), l.conv.Permissions
	env.wide, env.diffs = min(room, 2*maxText), l.diffs
	env.page = l.page != nil
	env.pictures, env.positions, env.now = &l.pictures, l.positions, l.now
	return env
}

// at returns the up-to-date drawing of an item.
func (l *List) at(n *conversation.Node) drawing {
	l.clock++
	e := l.drawings[n]
	if e == nil {
		if len(l.drawings) > 2*keepDrawings {
			l.forget()
		}
		e = &entry{drawing: l.newDrawing(n.Item())}
		l.drawings[n] = e
	}
	e.used = l.clock
	if call, ok := callOf(e.drawing); ok {
		call.written = l.writing
	}
	e.update(l.environment(n), l.expanded[n] || l.writesOut(n))
	if call, ok := callOf(e.drawing); ok {
		context := 0
		if l.expanded[n] {
			context = l.context[n]
		}
		for _, d := range call.diffs {
			d.SetContext(max(context, diffview.DefaultContext))
		}
		if brief, sign := isStep(n), l.sign(n); call.brief != brief || call.sign != sign {
			call.brief, call.sign = brief, sign
			call.peek.drop()
		}
	}
	return e.drawing
}

// forget drops the least recently used drawings.
func (l *List) forget() {
	uses := make([]uint64, 0, len(l.drawings))
	for _, e := range l.drawings {
		uses = append(uses, e.used)
	}
	slices.Sort(uses)
	oldest := uses[len(uses)-keepDrawings]
	for n, e := range l.drawings {
		if e.used < oldest {
			delete(l.drawings, n)
		}
	}
}

// Following reports whether the view follows the end.
func (l *List) Following() bool { return l.following }

// New returns how many items were added while the end was out of sight.
func (l *List) New() int { return max(0, len(l.conv.Items)-l.seen) }

// Scroll moves the view by lines, down if n is positive.
func (l *List) Scroll(n int) {
	if len(l.conv.Items) == 0 {
		return
	}
	if n < 0 {
		l.top, l.following = l.up(l.firstLine(), -n), false
		return
	}
	if !l.following {
		l.top = l.down(l.firstLine(), n)
		l.followAtEnd()
	}
}

// Page moves the view by screens, keeping a line of context.
func (l *List) Page(n int) { l.Scroll(n * max(1, l.height-2)) }

// Top goes to the beginning and stays there.
func (l *List) Top() {
	l.following, l.top = false, position{}
	if p, ok := l.first(); ok {
		l.top = p
	}
	l.followAtEnd()
}

// followAtEnd starts following the end if it is in sight.
func (l *List) followAtEnd() {
	if end := l.topWhenFollowing(); !before(l.top, end) {
		l.following = true
	}
}

// Bottom goes to the end and follows it.
func (l *List) Bottom() { l.following = true }

// SetNow sets the time for the clocks of running calls, for the next draw.
func (l *List) SetNow(now time.Time) { l.now = now }

// Lines draws the view: exactly as many lines as it is high, none wider than it.
func (l *List) Lines() []string {
	out := make([]string, 0, l.height)
	l.shown = l.shown[:0]
	l.followSpan()
	if _, any := l.first(); !any {
		l.seen = len(l.conv.Items)
		return l.fill(out)
	}
	p := l.firstLine()
	if l.following {
		l.top, l.seen = p, len(l.conv.Items)
	}
	for len(out) < l.height {
		lines := l.lines(p.node, p.section)
		mark, lead := "", 0
		if p.section == 0 {
			mark = l.at(p.node).mark()
			if l.lead(p.node) {
				lead = 1
			}
		}
		end := min(len(lines), p.line+l.height-len(out))
		shown := lines[min(p.line, end):end]
		if l.find != nil {
			shown = l.marked(shown, p)
		}
		if l.span != nil {
			shown = l.spanned(shown, p)
		}
		for i, line := range shown {
			m := ""
			if p.line+i == lead {
				m = mark
			}
			out = append(out, l.withMargin(p.node, m, unframed(line, l.theme), p.line+i < lead))
			l.shown = append(l.shown, p.node)
		}
		next, ok := l.next(p)
		if !ok {
			break
		}
		p = next
	}
	return l.fill(out)
}

// withMargin adds the margin to a line: an edge for each item that this one is nested
// in, and the item's mark, or a bar if it is selected.
func (l *List) withMargin(n *conversation.Node, mark, line string, lead bool) string {
	if l.focused && n == l.selected && !lead {
		mark = l.theme.Selected.Render("▌")
	}
	left, edges := "", l.edges(n)
	if edges > 0 {
		left = l.theme.Rule.Render(strings.Repeat(edge, edges))
	}
	if e := l.drawings[n]; e != nil && !lead {
		if p, ok := e.drawing.(*prompt); ok {
			return left + p.band(mark, l.window(line), l.width-edgeWidth*edges)
		}
	}
	if line == "" && mark == "" {
		return left
	}
	return left + mark + strings.Repeat(" ", max(0, gutter-termtext.Width(mark))) + l.window(line)
}

// fill adds empty lines up to the height of the view.
func (l *List) fill(out []string) []string {
	for len(out) < l.height {
		out = append(out, "")
		l.shown = append(l.shown, nil)
	}
	return out
}

// style matches an SGR sequence.
var style = regexp.MustCompile(`\x1b\[[0-9;:]*m`)

// unframed replaces the colour of a dialog's frame with the default colour, so that the
// output of programs cannot imitate a dialog.
func unframed(line string, th *theme.Theme) string {
	r, g, b, _ := th.BorderFocused.RGBA()
	frame := fmt.Sprintf("38;2;%d;%d;%d", r>>8, g>>8, b>>8)
	if !strings.Contains(line, frame) {
		return line
	}
	return style.ReplaceAllStringFunc(line, func(s string) string {
		return strings.NewReplacer(frame+";", "39;", frame+"m", "39m").Replace(s)
	})
}

// position names a line by its item's node in the outline, the section of the item,
// and the line of the section. Both count from 0.
type position struct {
	node          *conversation.Node
	section, line int
}

// every treats all nodes as open.
func every(*conversation.Node) bool { return true }

// open reports whether a node's children are shown: by default those of a running call.
func (l *List) open(n *conversation.Node) bool {
	if open, said := l.expanded[n]; said {
		return open
	}
	call, ok := n.Item().(*conversation.ToolCall)
	return ok && call.Running()
}

// current returns the node that shows another one: itself, or the one that it is folded
// into. It is nil if the conversation no longer has the node.
func (l *List) current(n *conversation.Node) *conversation.Node {
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
func (l *List) above(n *conversation.Node) *conversation.Node {
	for n = n.Preceding(l.opens); n != nil && l.at(n).sections() == 0; n = n.Preceding(l.opens) {
	}
	return n
}

// below returns the node drawn below another, nil without one. Below the root is the
// first node.
func (l *List) below(n *conversation.Node) *conversation.Node {
	for n = n.Following(l.opens); n != nil && l.at(n).sections() == 0; n = n.Following(l.opens) {
	}
	return n
}

// end returns the last node that is drawn, nil without one.
func (l *List) end() *conversation.Node {
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
func (l *List) step(n *conversation.Node, by int) *conversation.Node {
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
func (l *List) lines(n *conversation.Node, section int) []string {
	lines := l.at(n).lines(section, l.textWidth(n))
	if section == 0 && l.lead(n) {
		lines = append([]string{""}, lines...)
	}
	return lines
}

// lead reports whether an item has a blank line above it. Compact items have none between
// them, except after nested items.
func (l *List) lead(n *conversation.Node) bool {
	above := l.above(n)
	if above == nil {
		return false
	}
	return n.Depth() == 0 && above.Depth() > 0 || !l.at(n).compact() || !l.at(above).compact()
}

// next returns the start of the section below p's. It reports false without one.
func (l *List) next(p position) (position, bool) {
	if p.section+1 < l.at(p.node).sections() {
		return position{node: p.node, section: p.section + 1}, true
	}
	if n := l.below(p.node); n != nil {
		return position{node: n}, true
	}
	return p, false
}

// previous returns the start of the section above p's. It reports false without one.
func (l *List) previous(p position) (position, bool) {
	if p.section > 0 {
		return position{node: p.node, section: p.section - 1}, true
	}
	if n := l.above(p.node); n != nil {
		return position{node: n, section: l.at(n).sections() - 1}, true
	}
	return p, false
}

// first returns the first section, false without one.
func (l *List) first() (position, bool) {
	n := l.below(l.conv.Outline())
	return position{node: n}, n != nil
}

// up returns the line n lines above p, or the first there is.
func (l *List) up(p position, n int) position {
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
func (l *List) down(p position, n int) position {
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

// topWhenFollowing returns the first line on the screen when the view follows the end. It
// is the zero position without lines.
func (l *List) topWhenFollowing() position {
	n := l.end()
	if n == nil {
		return position{}
	}
	p := position{node: n, section: l.at(n).sections() - 1}
	p.line = len(l.lines(p.node, p.section))
	return l.up(p, l.height)
}

// firstLine returns the first line on the screen.
func (l *List) firstLine() position {
	if l.following {
		return l.topWhenFollowing()
	}
	l.top = l.valid(l.top)
	return l.top
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

// valid moves a position that may be gone or folded away to one that is drawn. It is the
// zero position only if nothing is drawn.
func (l *List) valid(p position) position {
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
func (l *List) edges(n *conversation.Node) int {
	if l.page != nil {
		return 0
	}
	depth := n.Depth()
	if depth == 0 && n.ParentID() != "" {
		depth = 1 // below an unknown call
	}
	return max(0, min(depth, maxEdges, (l.width-edgeRoom)/edgeShare))
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
func (l *List) sign(n *conversation.Node) string {
	switch {
	case l.page != nil:
		return ""
	case l.open(n):
		return opened + " "
	}
	return folded + " "
}
