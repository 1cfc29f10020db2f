package transcript

import (
	"github.com/charmbracelet/x/ansi"

	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/theme"
)

// unwrappedWidth is the width of lines on a page without wrapping. Longer lines wrap.
const unwrappedWidth = 1000

// page is the state of a list that shows one item on the whole screen.
type page struct {
	unwrapped bool
	// head draws the header of a tool call that a permission request is about, or nil.
	head func(width int, th *theme.Theme) []string
}

// PageOf returns a view of a single item, or of all calls of a group, expanded and as
// wide as the screen. What a subagent has done so far stands below its call. head, if not nil, draws the header of a tool call.
func (l *List) PageOf(item conversation.Item, head func(width int, th *theme.Theme) []string) *List {
	items, open := []conversation.Item{item}, 1
	if call, ok := item.(*conversation.ToolCall); ok {
		items = append(items, l.conv.Below(call)...)
	}
	if group, ok := item.(*conversation.Group); ok {
		items = nil
		for call := range group.Calls() {
			items = append(items, call)
		}
		open = len(items)
	}
	p := New(l.theme, conversation.Showing(l.conv.Cwd, items...))
	p.diffs, p.pictures = l.diffs, l.pictures
	p.SetFacts(l.facts)
	p.page = &page{head: head}
	p.following, p.selected = false, p.conv.Node(0)
	for i := range open {
		p.expanded[p.conv.Node(i)] = true
	}
	return p
}

// newDrawing returns the drawing of an item.
func (l *layout) newDrawing(item conversation.Item) drawing {
	d := newDrawing(item)
	if call, ok := d.(*toolCall); ok && l.page != nil {
		call.head = l.page.head
	}
	return d
}

// AtEnd reports whether the last line is in sight.
func (l *List) AtEnd() bool { return l.following || !before(l.top, l.topWhenFollowing()) }

// AtTop reports whether the first line is in sight.
func (l *List) AtTop() bool {
	first, any := l.first()
	return !any || !before(first, l.firstLine())
}

// Wraps reports whether long lines wrap. Only a page can turn wrapping off.
func (l *List) Wraps() bool { return l.page == nil || !l.page.unwrapped }

// ToggleWrap toggles the wrapping of a page's lines.
func (l *List) ToggleWrap() {
	if l.page != nil {
		l.page.unwrapped = !l.page.unwrapped
		l.pan, l.span = 0, nil
		l.top = l.firstLine()
		l.followAtEnd()
	}
}

// Pan moves the view of unwrapped lines by cells, to the right if n is positive, up to
// the end of the longest line in sight.
func (l *List) Pan(n int) {
	if l.Wraps() {
		return
	}
	p, widest := l.firstLine(), 0
	for y := 0; p.node != nil && y < l.height; {
		lines := l.lines(p.node, p.section)
		for _, line := range between(lines, p.line, p.line+l.height-y) {
			widest = max(widest, termtext.Width(line))
		}
		y += len(lines) - p.line
		next, ok := l.next(p)
		if !ok {
			break
		}
		p = next
	}
	l.pan = max(0, min(l.pan+n, widest-l.windowWidth()))
}

// windowWidth returns the width of the visible part of unwrapped lines.
func (l *List) windowWidth() int { return l.width - gutter - 1 }

// window returns the visible part of a line.
func (l *List) window(line string) string {
	if l.Wraps() {
		return line
	}
	plain := ansi.Strip(line)
	shown := cellSpan(plain, l.pan, l.pan+l.windowWidth())
	for shown.To > shown.From && termtext.Width(plain[shown.From:shown.To]) > l.windowWidth() {
		shown = cellSpan(plain, l.pan, l.pan+l.windowWidth()-1) // a wide character at the edge
	}
	sides := []termtext.Span{{To: shown.From}, {From: shown.To, To: len(plain)}}
	return termtext.Restyle(line, sides, func(int, string) string { return "" })
}
