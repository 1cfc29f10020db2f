package pages

import (
	"slices"
	"sort"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/command"
	"parley/internal/termtext"
	"parley/tui/list"
	"parley/tui/theme"
)

// text is lines that are laid out whole, scrolled, and looked through for words.
type text struct {
	list.Scroll
	theme  *theme.Theme
	layout termtext.Layout // for which it is laid out; zero if it must be laid out anew
	lines  []string        // as they were laid out
	drawn  []string        // the same with matches marked
	// query is what is looked for, and marks are where it stands. matches are those marks
	// with which a match begins; found is the one that the user is at.
	query   list.Query
	marks   []list.Mark
	matches []int
	found   int
}

// lay lays the text out in a width, unless it is.
func (t *text) lay(width int, th *theme.Theme, draw func(width int) []string) {
	if layout := termtext.NewLayout(width); layout != t.layout || th != t.theme {
		t.layout, t.theme = layout, th
		t.lines = draw(width)
		t.look()
	}
}

// changed lays the text out anew when it is drawn next.
func (t *text) changed() { t.layout = termtext.Layout{} }

// look finds the query in the lines.
func (t *text) look() {
	t.marks, t.matches = nil, nil
	t.Fit(len(t.lines), t.Height)
	if !t.query.Empty() {
		t.marks = t.query.Marks(t.lines)
	}
	for i, m := range t.marks {
		if m.First {
			t.matches = append(t.matches, i)
		}
	}
	t.found = max(0, min(t.found, len(t.matches)-1))
	t.mark()
}

// mark draws the matches into the lines.
func (t *text) mark() {
	t.drawn = list.Highlight(t.lines, t.marks, func(i int, text string) string {
		if at := sort.SearchInts(t.matches, i+1) - 1; at == t.found {
			return t.theme.MatchCurrent.Render(text)
		}
		return t.theme.Match.Render(text)
	})
}

// draw draws the lines in sight.
func (t *text) draw(height int) []string {
	t.Fit(len(t.drawn), height)
	return t.drawn[t.Top:t.End()]
}

// hidden draws how many lines are above and below those in sight.
func (t *text) hidden() string { return t.theme.Muted.Render(list.HiddenWords(t.Hidden())) }

// goTo scrolls to a line.
func (t *text) goTo(line int) {
	t.Top = line
	t.By(0)
}

// key scrolls by a key, and reports whether it is one for that.
func (t *text) key(keys config.Keys, msg tea.KeyPressMsg) bool {
	switch name := msg.String(); {
	case keys.Match(command.DialogUp, name):
		t.By(-1)
	case keys.Match(command.DialogDown, name):
		t.By(1)
	default:
		return t.Scroll.Key(keys, name)
	}
	return true
}

// find looks for words and goes to the first match at a line or after it, else to the
// first of all.
func (t *text) find(words string, from int) {
	t.query, t.found = list.NewQuery(words), 0
	t.look()
	t.found = max(0, slices.IndexFunc(t.matches, func(i int) bool { return t.marks[i].Line >= from }))
	t.show()
}

// findNext goes to the next match, or to the one before if by is negative. After the last
// comes the first.
func (t *text) findNext(by int) {
	if n := len(t.matches); n > 0 {
		t.found = (t.found + by + n) % n
		t.show()
	}
}

// show brings the match that the user is at into sight.
func (t *text) show() {
	const above = 2 // so that it is seen what it belongs to
	if t.mark(); len(t.matches) > 0 {
		t.goTo(t.marks[t.matches[t.found]].Line - above)
	}
}

// finds reports whether words are looked for.
func (t *text) finds() bool { return !t.query.Empty() }
