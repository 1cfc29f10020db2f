package transcript

import (
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/list"
)

// find is a search whose matches are highlighted, and the current match.
type find struct {
	search
	node  *conversation.Node // of the item that has the match, nil while there is none
	nth   int                // among the matches of the item
	at    position           // its first line
	from  int                // where it begins in that line, in bytes of its plain text
	rank  int                // among all matches, from 1
	stale bool               // rank has to be counted anew
}

// Find searches for a text and goes to the first match in sight or below it, or else to
// the first of all. An empty text ends the search, as StopFinding does. Long sessions
// are searched in steps: while it returns true, FindOn continues.
func (l *List) Find(text string) (more bool) {
	q := list.NewQuery(text)
	if q.Empty() {
		l.StopFinding()
		return false
	}
	from := l.firstLine()
	if l.find != nil && l.find.node != nil {
		from = l.valid(l.find.at) // a longer word is looked for where the shorter one was
	}
	l.find = &find{search: search{query: q}}
	more = l.find.step(l.conv.Items)
	if from.node == nil {
		return more
	}
	if nth := l.matchesAbove(from); nth < l.matches(from.node) {
		l.goTo(from.node, nth)
	} else if n := l.nextWithMatches(from.node, 1); n != nil {
		l.goTo(n, 0)
	}
	return more
}

// nextWithMatches is the next item that has matches, or the one before if by is
// negative. Behind the last comes the first, at last the item itself. It is nil if
// there is none.
func (l *List) nextWithMatches(from *conversation.Node, by int) *conversation.Node {
	root := l.conv.Outline()
	for n := from; ; {
		if by > 0 {
			if n = n.Following(every); n == nil {
				n = root.Following(every)
			}
		} else if n = n.Preceding(every); n == nil {
			n = root.Deepest(every)
		}
		if l.matches(n) > 0 {
			return n
		}
		if n == from {
			return nil
		}
	}
}

// matchesAbove is how many matches an item shows above one of its lines.
func (l *List) matchesAbove(p position) int {
	n := 0
	if l.matches(p.node) == 0 {
		return 0
	}
	for s := 0; s <= p.section && s < l.at(p.node).sections(); s++ {
		for _, m := range l.find.query.Marks(l.lines(p.node, s)) {
			if m.First && before(position{p.node, s, m.Line}, p) {
				n++
			}
		}
	}
	return n
}

// FindOn searches further, and reports whether there is still more to search.
func (l *List) FindOn() (more bool) {
	f := l.find
	if f == nil {
		return false
	}
	more = f.step(l.conv.Items)
	f.stale = true
	if f.node == nil && f.total > 0 {
		l.goTo(l.nextWithMatches(l.conv.Outline().Deepest(every), 1), 0)
	}
	return more
}

// FindNext goes to the next match, or to the one before if by is negative. Behind
// the last comes the first.
func (l *List) FindNext(by int) {
	f := l.find
	if f == nil {
		return
	}
	f.step(l.conv.Items)
	if f.total == 0 {
		return
	}
	from := l.conv.Outline().Deepest(every)
	if f.node != nil {
		from = f.node
		if nth := f.nth + by; nth >= 0 && nth < l.matches(from) {
			l.goTo(from, nth)
			return
		}
	}
	n, nth := l.nextWithMatches(from, by), 0
	if by < 0 {
		nth = l.matches(n) - 1
	}
	l.goTo(n, nth)
}

// Found is the number of the match that the person is at, from 1, and how many
// there are so far. Both are 0 if there is none.
func (l *List) Found() (at, all int) {
	f := l.find
	if f == nil || f.node == nil {
		return 0, 0
	}
	if f.stale {
		f.rank, f.stale = f.nth+1, false
		for n := f.node.Preceding(every); n != nil; n = n.Preceding(every) {
			f.rank += l.matches(n)
		}
	}
	return min(f.rank, f.total), f.total
}

// Finding reports whether matches are marked.
func (l *List) Finding() bool { return l.find != nil }

// StopFinding takes the marks away. The view stays where it is.
func (l *List) StopFinding() { l.find = nil }

// matches is how many matches an item has. A group has none: its calls have them.
func (l *List) matches(n *conversation.Node) int {
	i := n.Index()
	if _, group := n.Item().(*conversation.Group); group || i < 0 || i >= len(l.find.counts) {
		return 0
	}
	return l.find.counts[i]
}

// goTo brings a match into sight. What the item is folded into is opened, and the
// item is expanded if it does not show the match otherwise.
func (l *List) goTo(n *conversation.Node, nth int) {
	f := l.find
	f.node, f.nth, f.stale = n, nth, true
	for p := n.Parent(); p.Parent() != nil; p = p.Parent() {
		if !l.open(p) {
			l.expanded[p] = true
		}
	}
	was, said := l.expanded[n]
	if ok := l.locate(); !ok && !was {
		l.expanded[n] = true
		if !l.locate() { // it is not to be seen that way either
			if delete(l.expanded, n); said {
				l.expanded[n] = was
			}
			l.locate()
		}
	}
	if l.focused {
		l.selected = n
	}
	l.center(f.at)
	if !l.Wraps() && f.from >= 0 {
		l.panTo(termtext.Width(l.textOf(f.at)[:f.from]))
	}
}

// locate finds the match that the person is at in the drawing of its item. What
// is drawn may have fewer matches than the source: then it is the last of them,
// and locate returns false.
func (l *List) locate() bool {
	f := l.find
	f.at, f.from = position{node: f.node}, -1
	nth := f.nth
	for s := range l.at(f.node).sections() {
		for _, m := range f.query.Marks(l.lines(f.node, s)) {
			if !m.First {
				continue
			}
			f.at, f.from = position{f.node, s, m.Line}, m.From
			if nth == 0 {
				return true
			}
			nth--
		}
	}
	return false
}

// center scrolls until a line is in sight, with as much above as below it.
func (l *List) center(p position) {
	top := l.firstLine()
	if !before(p, top) && before(p, l.down(top, l.height-1)) {
		return
	}
	l.following = false
	l.top = l.up(p, l.height/2)
	l.followAtEnd()
}

// marked draws the matches in lines that are in sight; p is the place of the
// first of them.
func (l *List) marked(lines []string, p position) []string {
	f := l.find
	marks := f.query.Marks(lines)
	if len(marks) == 0 {
		return lines
	}
	current := false // the pieces of one match stand behind each other
	return list.Highlight(lines, marks, func(i int, text string) string {
		if m := marks[i]; m.First {
			current = f.at == position{p.node, p.section, p.line + m.Line} && f.from == m.From
		}
		if current {
			return l.theme.MatchCurrent.Render(text)
		}
		return l.theme.Match.Render(text)
	})
}
