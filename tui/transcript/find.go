package transcript

import (
	"encoding/json"
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/diffview"
	"parley/tui/list"
	"parley/tui/toolview"
)

// find is a search whose matches are highlighted, and the current match.
type find struct {
	search
	node  *conversation.Node // the item of the match, nil without one
	nth   int                // the match's number within the item
	at    position           // the match's first line
	from  int                // its offset in that line's plain text
	rank  int                // its number among all matches, from 1
	stale bool               // rank must be counted again
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
		from = l.valid(l.find.at) // extend the word at its match
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

// nextWithMatches returns the next item with matches, or the previous one if by is
// negative. It wraps around, at last to the item itself; nil without one.
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

// matchesAbove returns how many matches an item shows above one of its lines.
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

// FindOn continues the search and reports whether there is more to search.
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

// FindNext goes to the next match, or to the previous one if by is negative. It wraps
// around.
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

// Found returns the number of the current match, from 1, and how many matches are known
// so far. Both are 0 without a match.
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

// Finding reports whether matches are highlighted.
func (l *List) Finding() bool { return l.find != nil }

// StopFinding ends the search without moving the view.
func (l *List) StopFinding() { l.find = nil }

// matches returns how many matches an item has. Those of a group belong to its calls.
func (l *List) matches(n *conversation.Node) int {
	i := n.Index()
	if _, group := n.Item().(*conversation.Group); group || i < 0 || i >= len(l.find.counts) {
		return 0
	}
	return l.find.counts[i]
}

// goTo scrolls to a match. It unfolds the item and expands it if it hides the match.
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
		if !l.locate() { // the expanded item hides it too
			if delete(l.expanded, n); said {
				l.expanded[n] = was
			}
			l.locate()
		}
	}
	if l.focused {
		l.selected = n
	}
	if top := l.firstLine(); before(f.at, top) || !before(f.at, l.down(top, l.height-1)) {
		l.following = false
		l.top = l.up(f.at, l.height/2)
		l.followAtEnd()
	}
	if !l.Wraps() && f.from >= 0 {
		if cell := termtext.Width(l.textOf(f.at)[:f.from]); cell < l.pan || cell >= l.pan+l.windowWidth() {
			l.pan = max(0, cell-l.windowWidth()/2)
		}
	}
}

// locate finds the current match in the drawing of its item. The drawing may have fewer
// matches than the source: then locate takes the last one and returns false.
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

// marked highlights the matches in lines; p is the position of the first line.
func (l *List) marked(lines []string, p position) []string {
	f := l.find
	marks := f.query.Marks(lines)
	if len(marks) == 0 {
		return lines
	}
	current := false // a match of several pieces has them one after the other
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

// searchStep is how many bytes of text one step of a search looks at, so that
// no key waits for a long session to be searched.
const searchStep = 4 << 20

// search counts the matches of a query, item by item, in steps.
type search struct {
	query    list.Query
	counts   []int    // of the items searched so far
	versions []uint64 // that they had then
	total    int
}

// step searches a little more, and what has changed since it was searched. It
// reports whether there is more to do.
func (s *search) step(items []conversation.Item) (more bool) {
	seen := 0
	look := func(i int) {
		n := 0
		texts(items[i], func(text string) {
			seen += len(text)
			n += s.query.Count(text)
		})
		s.total += n - s.counts[i]
		s.counts[i], s.versions[i] = n, items[i].Version()
	}
	for i := range s.counts {
		if s.versions[i] != items[i].Version() {
			look(i)
		}
	}
	for i := len(s.counts); i < len(items); i++ {
		if seen >= searchStep {
			return true
		}
		s.counts, s.versions = append(s.counts, 0), append(s.versions, 0)
		look(i)
	}
	return false
}

// texts passes on every text of an item that a user may look for, including what
// a collapsed item hides.
func texts(item conversation.Item, give func(string)) {
	content := contentTexts{give}
	switch i := item.(type) {
	case *conversation.Message:
		for k := range i.Parts {
			if p := &i.Parts[k]; p.Block != nil {
				content.Block(p.Block)
			} else {
				give(p.Text())
			}
		}
	case *conversation.ToolCall:
		give(i.Title)
		all := append(toolview.Replaced(i), i.Content...)
		for k := range all {
			toolview.Visit(&all[k], content)
		}
		if command := (toolview.Paths{}).Command(i.RawInput).Line; i.Kind == acpclient.ToolExecute && !strings.Contains(i.Title, command) {
			give(command)
		}
		for _, term := range i.Terminals {
			give(term.Command)
			output, _ := term.Since(0)
			give(string(output))
		}
	default:
		give(newDrawing(item).excerpt().Text)
	}
}

// contentTexts passes on the texts of a tool call's content.
type contentTexts struct{ give func(string) }

// Block implements toolview.Visitor, like the methods below.
func (t contentTexts) Block(b *acpclient.ContentBlock) struct{} {
	t.give(b.Text)
	t.give(b.Name)
	t.give(b.Title)
	t.give(b.URI)
	if b.Resource != nil {
		t.give(b.Resource.URI)
		if b.Resource.Text != nil {
			t.give(*b.Resource.Text)
		}
	}
	return struct{}{}
}

// Diff gives the path and the lines that are shown: those that changed, and a few
// around them.
func (t contentTexts) Diff(path string, before *string, after string) struct{} {
	t.give(path)
	patch, err := diffview.New(path, before, after).Patch()
	if err != nil {
		patch = after
	}
	_, hunks, _ := strings.Cut(patch, "\n@@")
	t.give(hunks)
	return struct{}{}
}

// Terminal gives nothing: terminals are searched with the call.
func (contentTexts) Terminal(acpclient.TerminalID) struct{} { return struct{}{} }

// Unknown gives the JSON.
func (t contentTexts) Unknown(_ string, raw json.RawMessage) struct{} {
	t.give(string(raw))
	return struct{}{}
}
