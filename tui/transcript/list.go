// Package transcript draws a conversation as a list that is never drawn whole:
// only what is on the screen is made into lines, and what is finished is made
// into lines once for each width.
//
// An item of the conversation is drawn in sections, such as the blocks of a
// Markdown message, and the list knows its place as a line of a section of an
// item. So a frame costs the same however long the session or one of its messages
// is: nothing needs to know how many lines there are in all.
package transcript

import (
	"slices"
	"strings"

	"parley/internal/cells"
	"parley/internal/conversation"
	"parley/tui/diffview"
	"parley/tui/theme"
	"parley/tui/toolface"
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

// position names a line by its item, the section of the item, and the line of the
// section. All three count from 0.
type position struct{ item, section, line int }

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

	drawings map[int]*entry
	clock    uint64 // counts uses of drawings: those not used for longest are dropped first
	expanded map[int]bool
	context  map[int]int // how many lines around changes are shown, where it is not as at first
	diffs    *diffview.Preference
	pictures pictures
	env      *environment

	find     *find  // nil while nothing is looked for
	span     *span  // nil while nothing is marked
	began    *point // where marking was begun
	page     *page  // nil unless a single item is shown
	pan      int    // how many cells are out of sight on the left
	focused  bool
	selected int
	shown    []int // for each line drawn last, the item that it belongs to, or -1
}

// entry is the drawing of an item.
type entry struct {
	drawing
	used uint64
}

// New makes the view of a conversation.
func New(th *theme.Theme, conv *conversation.Conversation) *List {
	return &List{
		theme: th, conv: conv, following: true, selected: -1,
		drawings: map[int]*entry{}, expanded: map[int]bool{}, context: map[int]int{}, diffs: new(diffview.Preference),
		env: newEnvironment(th, conv.Cwd),
	}
}

// SetSites gives the list what is known of where changes stand in their files. It
// is looked at whenever something is drawn.
func (l *List) SetSites(s *toolface.Sites) { l.env.sites = s }

// SetTheme draws everything anew.
func (l *List) SetTheme(th *theme.Theme) {
	l.theme = th
	if th.Depth == theme.Colors16 { // too few for a picture
		l.pictures.forget()
	}
	sites := l.env.sites
	l.env = newEnvironment(th, l.conv.Cwd)
	l.env.sites = sites
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
	l.following, l.top, l.selected, l.seen = true, position{}, -1, 0
	l.find, l.span = nil, nil
}

// textWidth is the width that an item's lines are made for.
func (l *List) textWidth() int {
	switch {
	case l.page == nil:
		return min(l.width-gutter-1, maxText)
	case l.page.unwrapped:
		return unwrappedWidth
	}
	return l.width - gutter - 1
}

// at returns the up-to-date drawing of item i.
func (l *List) at(i int) drawing {
	l.clock++
	l.env.places.Dir, l.env.width, l.env.open = l.conv.Cwd, l.textWidth(), l.conv.Permissions
	l.env.wide, l.env.diffs = min(l.width-gutter-1, 2*maxText), l.diffs
	l.env.pictures = &l.pictures
	e := l.drawings[i]
	if e == nil {
		if len(l.drawings) > 2*keepDrawings {
			l.forget()
		}
		e = &entry{drawing: l.newDrawing(i)}
		l.drawings[i] = e
	}
	e.used = l.clock
	e.update(l.env, l.expanded[i])
	if call, ok := callOf(e.drawing); ok {
		context := 0
		if l.expanded[i] {
			context = l.context[i]
		}
		call.setContext(context)
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
	for i, e := range l.drawings {
		if e.used < oldest {
			delete(l.drawings, i)
		}
	}
}

// lines are the lines of a section, with the blank line that parts an item from
// the one above it.
func (l *List) lines(item, section int) []string {
	d := l.at(item)
	lines := d.lines(section, l.textWidth())
	if section == 0 && l.lead(item) {
		lines = append([]string{""}, lines...)
	}
	return lines
}

// lead reports whether a blank line stands above an item. Tool calls without
// visible content stand close together.
func (l *List) lead(item int) bool {
	above := l.above(item)
	if above < 0 {
		return false
	}
	return !l.at(item).compact() || !l.at(above).compact()
}

// above is the item drawn above another, -1 if there is none.
func (l *List) above(item int) int {
	for i := item - 1; i >= 0; i-- {
		if l.at(i).sections() > 0 {
			return i
		}
	}
	return -1
}

// next is the beginning of the section below that of p. It reports false if there
// is none.
func (l *List) next(p position) (position, bool) {
	if p.section+1 < l.at(p.item).sections() {
		return position{item: p.item, section: p.section + 1}, true
	}
	for i := p.item + 1; i < len(l.conv.Items); i++ {
		if l.at(i).sections() > 0 {
			return position{item: i}, true
		}
	}
	return p, false
}

// previous is the beginning of the section above that of p. It reports false if
// there is none.
func (l *List) previous(p position) (position, bool) {
	if p.section > 0 {
		return position{item: p.item, section: p.section - 1}, true
	}
	if i := l.above(p.item); i >= 0 {
		return position{item: i, section: l.at(i).sections() - 1}, true
	}
	return p, false
}

// last is the last section, false if there is nothing.
func (l *List) last() (position, bool) {
	i := l.above(len(l.conv.Items))
	if i < 0 {
		return position{}, false
	}
	return position{item: i, section: l.at(i).sections() - 1}, true
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
		if l.following {
			l.top = l.topWhenFollowing()
			l.following = false
		}
		l.top = l.up(l.top, -n)
		return
	}
	if !l.following {
		l.top = l.down(l.top, n)
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

// first is the first section, false if there is nothing.
func (l *List) first() (position, bool) {
	for i := range l.conv.Items {
		if l.at(i).sections() > 0 {
			return position{item: i}, true
		}
	}
	return position{}, false
}

// Bottom goes to the end and follows it from now on.
func (l *List) Bottom() { l.following = true }

// up returns the line n lines above p, or the first there is.
func (l *List) up(p position, n int) position {
	for n > p.line {
		n -= p.line
		prev, ok := l.previous(p)
		if !ok {
			p.line = 0
			return p
		}
		p = prev
		p.line = len(l.lines(p.item, p.section))
	}
	p.line -= n
	return p
}

// down returns the line n lines below p, or the last there is.
func (l *List) down(p position, n int) position {
	for {
		have := len(l.lines(p.item, p.section))
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
}

// topWhenFollowing is the first line on the screen if the last line of all is
// the last on it.
func (l *List) topWhenFollowing() position {
	p, ok := l.last()
	if !ok {
		return position{}
	}
	p.line = len(l.lines(p.item, p.section))
	return l.up(p, l.height)
}

// followAtEnd follows the end from now on if it has come into sight.
func (l *List) followAtEnd() {
	end := l.topWhenFollowing()
	if !before(l.top, end) {
		l.following = true
	}
}

// before reports whether a stands above b.
func before(a, b position) bool {
	if a.item != b.item {
		return a.item < b.item
	}
	if a.section != b.section {
		return a.section < b.section
	}
	return a.line < b.line
}

// Lines draws the view: exactly as many lines as it is high, none wider than it.
func (l *List) Lines() []string {
	out := make([]string, 0, l.height)
	l.shown = l.shown[:0]
	if _, any := l.first(); !any {
		l.seen = len(l.conv.Items)
		return l.fill(out)
	}
	p := l.valid(l.top)
	if l.following {
		p = l.topWhenFollowing()
		l.top, l.seen = p, len(l.conv.Items)
	}
	for len(out) < l.height {
		lines := l.lines(p.item, p.section)
		mark, lead := "", 0
		if p.section == 0 {
			mark = l.at(p.item).mark()
			if l.lead(p.item) {
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
			out = append(out, l.compose(p.item, m, line, p.line+i < lead))
			l.shown = append(l.shown, p.item)
		}
		next, ok := l.next(p)
		if !ok {
			break
		}
		p = next
	}
	return l.fill(out)
}

// valid brings a place that may be gone back to one that is there.
func (l *List) valid(p position) position {
	if p.item >= len(l.conv.Items) {
		last, _ := l.last()
		return last
	}
	for l.at(p.item).sections() == 0 {
		prev, ok := l.previous(position{item: p.item})
		if !ok {
			first, _ := l.first()
			return first
		}
		p = prev
	}
	p.section = min(p.section, l.at(p.item).sections()-1)
	p.line = min(p.line, max(0, len(l.lines(p.item, p.section))-1))
	return p
}

// compose puts the margin before a line: the item's mark before the first, or a
// bar before all of them if it is selected.
func (l *List) compose(item int, mark, line string, lead bool) string {
	if l.focused && item == l.selected && !lead {
		mark = l.theme.Selected.Render("▌")
	}
	if e := l.drawings[item]; e != nil && !lead {
		if p, ok := e.drawing.(*prompt); ok {
			return p.band(mark, l.window(line), l.width)
		}
	}
	if line == "" && mark == "" {
		return ""
	}
	return mark + strings.Repeat(" ", max(0, gutter-cells.Width(mark))) + l.window(line)
}

// fill adds empty lines up to the height of the view.
func (l *List) fill(out []string) []string {
	for len(out) < l.height {
		out = append(out, "")
		l.shown = append(l.shown, -1)
	}
	return out
}
