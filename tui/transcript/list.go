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
	// gutter is the width of the left margin, in which an item has its mark.
	gutter = 2
	// maxText is the width of the longest lines of text, in cells: longer ones
	// are hard to read.
	maxText = 118
	// keepDrawings is how many items at least stay drawn while they are out of
	// sight.
	keepDrawings = 400
)

// List is the transcript's view of a conversation. It is not safe for concurrent
// use.
type List struct {
	theme  *theme.Theme
	conv   *conversation.Conversation
	width  int
	height int

	following bool     // the end is kept in sight
	top       position // the first line on the screen, unless following
	seen      int      // how many items there were when the end was last in sight

	drawings map[*conversation.Node]*entry
	clock    uint64                      // counts uses of drawings: those not used for longest are dropped first
	expanded map[*conversation.Node]bool // what the person has opened or closed
	context  map[*conversation.Node]int  // how many lines around changes are shown, where it is not as at first
	diffs    *diffview.Preference
	pictures pictures
	opens    func(*conversation.Node) bool // is open: made once, as it is asked for all the time
	sites    *toolview.DiffPositions
	now      time.Time            // for the clocks of calls that work
	envs     map[int]*environment // by how far items are set off

	finished finished
	find     *find  // nil while nothing is looked for
	span     *span  // nil while nothing is marked
	began    *point // where marking was begun
	page     *page  // nil unless a single item is shown
	pan      int    // how many cells are out of sight on the left
	focused  bool
	selected *conversation.Node   // nil if none is
	shown    []*conversation.Node // for each line drawn last, what it belongs to, or nil
}

// entry is the drawing of an item.
type entry struct {
	drawing
	used uint64
}

// New makes the view of a conversation.
func New(th *theme.Theme, conv *conversation.Conversation) *List {
	l := &List{
		theme: th, conv: conv, following: true, diffs: new(diffview.Preference),
		drawings: map[*conversation.Node]*entry{}, expanded: map[*conversation.Node]bool{}, context: map[*conversation.Node]int{},
		envs: map[int]*environment{},
	}
	l.opens = l.open
	return l
}

// SetSites gives the list what is known of where changes stand in their files. It
// is looked at whenever something is drawn.
func (l *List) SetSites(s *toolview.DiffPositions) { l.sites = s }

// SetTheme draws everything anew.
func (l *List) SetTheme(th *theme.Theme) {
	l.theme = th
	if th.Depth == theme.Colors16 { // too few for a picture
		l.pictures.forget()
	}
	clear(l.envs)
	clear(l.drawings)
}

// SetSize sets the size of the view in cells.
func (l *List) SetSize(width, height int) {
	width = max(width, gutter+10)
	if width != l.width {
		l.span = nil // its places were those of other lines
	}
	l.width, l.height = width, max(height, 1)
}

// Reset forgets what was drawn, after the conversation has begun anew.
func (l *List) Reset() {
	clear(l.drawings)
	clear(l.expanded)
	clear(l.context)
	l.pictures.forget()
	l.following, l.top, l.selected, l.seen = true, position{}, nil, 0
	l.find, l.span = nil, nil
	l.finished = finished{}
}

// textWidth is the width that an item's lines are made for.
func (l *List) textWidth(n *conversation.Node) int { return l.textIn(l.room(l.edges(n))) }

// textIn is the width that lines are made for where there is so much room.
func (l *List) textIn(room int) int {
	switch {
	case l.page == nil:
		return min(room, maxText)
	case l.page.unwrapped:
		return unwrappedWidth
	}
	return room
}

// room is the width that an item has beside its margin, if it is set off so far.
func (l *List) room(edges int) int { return l.width - gutter - 1 - edgeWidth*edges }

// environment is what the drawing of an item is made with. It is the same for all
// that are set off as far.
func (l *List) environment(n *conversation.Node) *environment {
	edges := l.edges(n)
	env := l.envs[edges]
	if env == nil {
		env = newEnvironment(l.theme, l.conv.Cwd)
		l.envs[edges] = env
	}
	room := l.room(edges)
	env.places.Dir, env.width, env.open = l.conv.Cwd, l.textIn(room), l.conv.Permissions
	env.wide, env.diffs = min(room, 2*maxText), l.diffs
	env.page = l.page != nil
	env.pictures, env.sites, env.now = &l.pictures, l.sites, l.now
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
	e.update(l.environment(n), l.expanded[n])
	if call, ok := callOf(e.drawing); ok {
		context := 0
		if l.expanded[n] {
			context = l.context[n]
		}
		for d := range call.diffs() {
			d.SetContext(max(context, diffview.DefaultContext))
		}
		call.setNesting(briefly(n), l.sign(n))
	}
	return e.drawing
}

// forget drops the drawings that were out of sight for longest.
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

// Following reports whether the end is kept in sight.
func (l *List) Following() bool { return l.following }

// New is how many items were added below while the end was out of sight.
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

// followAtEnd follows the end from now on if it has come into sight.
func (l *List) followAtEnd() {
	if end := l.topWhenFollowing(); !before(l.top, end) {
		l.following = true
	}
}

// Bottom goes to the end and follows it from now on.
func (l *List) Bottom() { l.following = true }

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
			out = append(out, l.compose(p.node, m, unframed(line, l.theme), p.line+i < lead))
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

// compose puts the margin before a line: an edge for each item that this one stands
// below, and the item's mark before the first line, or a bar before all of them if
// it is selected.
func (l *List) compose(n *conversation.Node, mark, line string, lead bool) string {
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
