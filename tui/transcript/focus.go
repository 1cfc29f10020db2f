package transcript

import (
	"parley/internal/conversation"
	"parley/tui/toolface"
)

// Focus selects the last item in sight, or gives the selection up.
func (l *List) Focus(on bool) {
	if l.page != nil {
		return // there is nothing to choose from
	}
	l.focused = on
	if !on {
		l.selected = -1
		return
	}
	l.Lines() // so that it is known what is in sight
	for i := len(l.shown) - 1; i >= 0; i-- {
		if l.shown[i] >= 0 {
			l.selected = l.shown[i]
			return
		}
	}
}

// Focused reports whether an item can be selected.
func (l *List) Focused() bool { return l.focused }

// Select moves the selection by items, down if n is positive, and brings the
// item into sight.
func (l *List) Select(n int) {
	step := 1
	if n < 0 {
		step, n = -1, -n
	}
	for ; n > 0; n-- {
		i := l.selected + step
		for i >= 0 && i < len(l.conv.Items) && l.at(i).sections() == 0 {
			i += step
		}
		if i < 0 || i >= len(l.conv.Items) {
			break
		}
		l.selected = i
	}
	l.reveal(l.selected)
}

// SelectAt selects the item on a line of the view, and reports whether there is
// one.
func (l *List) SelectAt(y int) bool {
	if l.page != nil || y < 0 || y >= len(l.shown) || l.shown[y] < 0 {
		return false
	}
	l.focused, l.selected = true, l.shown[y]
	return true
}

// SelectInSight selects the item nearest to the selected one that is in sight, if
// the list has the focus.
func (l *List) SelectInSight() {
	if !l.focused || l.selected < 0 {
		return
	}
	top := l.valid(l.firstLine())
	bottom := l.down(top, l.height-1)
	l.selected = max(top.item, min(l.selected, bottom.item))
}

// Selected is the selected item, nil if there is none.
func (l *List) Selected() conversation.Item {
	if l.selected < 0 || l.selected >= len(l.conv.Items) {
		return nil
	}
	return l.conv.Items[l.selected]
}

// Excerpt is what can be taken out of the selected item; it is empty if none is
// selected.
func (l *List) Excerpt() toolface.Excerpt {
	if l.Selected() == nil {
		return toolface.Excerpt{}
	}
	return l.at(l.selected).excerpt()
}

// Toggle expands or collapses the selected item.
func (l *List) Toggle() {
	if l.selected < 0 {
		return
	}
	if l.following {
		l.top, l.following = l.topWhenFollowing(), false
	}
	l.expanded[l.selected] = !l.expanded[l.selected]
	l.reveal(l.selected)
	l.followAtEnd()
}

// Expanded reports whether the selected item is expanded.
func (l *List) Expanded() bool { return l.expanded[l.selected] }

// reveal scrolls as little as brings the beginning of an item into sight.
func (l *List) reveal(item int) {
	if item < 0 || l.page != nil {
		return
	}
	start := position{item: item}
	top := l.top
	if l.following {
		top = l.topWhenFollowing()
	}
	if before(start, top) {
		l.following, l.top = false, start
		return
	}
	// Walk down from the top of the view: if the item is whole in sight, or as
	// much of it as there is room for, nothing has to move.
	p, y := top, -top.line
	for y < l.height {
		if p.item == item {
			if y+l.heightOf(item) <= l.height {
				return
			}
			break
		}
		y += len(l.lines(p.item, p.section))
		next, ok := l.next(p)
		if !ok {
			return
		}
		p = next
	}
	l.following = false
	l.top = l.up(start, max(0, l.height-min(l.height, l.heightOf(item))))
	l.followAtEnd()
}

// heightOf is the height of an item in lines. It counts no further than the
// height of the view.
func (l *List) heightOf(item int) int {
	n := 0
	for s := range l.at(item).sections() {
		if n += len(l.lines(item, s)); n >= l.height {
			return l.height
		}
	}
	return n
}
