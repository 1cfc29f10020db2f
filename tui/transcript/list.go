// Package transcript draws a conversation as a virtual list: it makes lines only of
// what is on the screen, and keeps those of finished items for each width.
//
// An item is drawn in sections, such as the blocks of a Markdown message, and a position
// is a line of a section of an item. Nested items, such as the calls of a subagent, stand
// below their parent or are folded into it, as the conversation's outline says. A frame
// costs the same however long the session or a message is, because nothing needs the
// total number of lines.
//
// layout makes the lines and finds the one above or below another; [List] is what is in
// view of them, selected, marked and searched. A kind of item has its drawing in a file of
// its own, with its method of maker.
package transcript

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/diffview"
	"parley/tui/theme"
	"parley/tui/toolview"
)

// List is a view of a conversation. It is not safe for concurrent use.
type List struct {
	layout
	height int

	following bool     // the view follows the end
	top       position // the first line on the screen, unless following
	seen      int      // how many items there were when the end was last in sight

	finished finished
	find     *find  // nil without a search
	span     *span  // nil without marked text
	began    *point // where StartSpan was called
	pan      int    // how many cells are scrolled off on the left
	focused  bool
	selected *conversation.Node   // nil without a selection
	shown    []*conversation.Node // the item of each line drawn last, or nil
}

// New returns a view of a conversation.
func New(th *theme.Theme, conv *conversation.Conversation) *List {
	l := &List{following: true}
	l.layout = layout{
		theme: th, conv: conv, opens: l.open, diffs: new(diffview.Preference),
		drawings: map[*conversation.Node]*entry{}, expanded: map[*conversation.Node]bool{}, context: map[*conversation.Node]int{},
		envs: map[int]*environment{},
	}
	return l
}

// Conversation returns what the view is of.
func (l *List) Conversation() *conversation.Conversation { return l.conv }

// SetFacts sets what is known of the files that calls name.
func (l *List) SetFacts(f *toolview.Facts) { l.facts = f }

// SetTheme changes the theme and redraws everything.
func (l *List) SetTheme(th *theme.Theme) {
	l.theme = th
	if th.Depth == theme.Colors16 { // too few for pictures
		l.pictures.forget()
	}
	clear(l.envs)
	l.forgetDrawings()
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
	l.forgetDrawings()
	clear(l.expanded)
	clear(l.context)
	l.pictures.forget()
	l.following, l.top, l.selected, l.seen = true, position{}, nil, 0
	l.find, l.span = nil, nil
	l.finished = finished{}
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
	if now := l.conv.LeftOut(); now != l.leftOut { // drawings keep what they are made of
		l.leftOut = now
		l.forgetDrawings()
	}
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
	if p, ok := l.at(n).drawing.(*prompt); ok && !lead {
		return left + p.band(mark, l.window(line), l.width-edgeWidth*edges)
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
