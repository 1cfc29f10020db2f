package list

import (
	"slices"
	"sort"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/viewport"
	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/command"
	"parley/tui/theme"
)

// Text is a text that is laid out whole, scrolled by the viewport of Bubbles, and looked
// through for words. The lines in sight are drawn here, because the viewport fills them up
// to a width that it measures by one kind of terminal.
type Text struct {
	view  viewport.Model
	theme *theme.Theme
	lines []string // as they were laid out
	drawn []string // the same with matches marked
	// query is what is looked for, and marks are where it stands. matches are those marks
	// with which a match begins; found is the one that the user is at.
	query   Query
	marks   []Mark
	matches []int
	found   int
}

// NewText makes an empty text that keys of dialogs scroll.
func NewText(keys config.Keys) Text {
	v := viewport.New()
	bind := func(actions config.Action, more ...string) key.Binding {
		return key.NewBinding(key.WithKeys(append(keys.For(actions), more...)...))
	}
	v.KeyMap = viewport.KeyMap{
		PageUp: bind(command.DialogPageUp), PageDown: bind(command.DialogPageDown),
		Up: bind(command.DialogUp, "shift+up"), Down: bind(command.DialogDown, "shift+down"),
	}
	v.MouseWheelDelta = wheelLines
	return Text{view: v}
}

// SetLines takes the lines as they are drawn in a theme. They stay as they are.
func (t *Text) SetLines(lines []string, th *theme.Theme) {
	t.lines, t.theme = lines, th
	t.marks, t.matches = nil, nil
	if !t.query.Empty() {
		t.marks = t.query.Marks(lines)
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
func (t *Text) mark() {
	t.drawn = Highlight(t.lines, t.marks, func(i int, text string) string {
		if at := sort.SearchInts(t.matches, i+1) - 1; at == t.found {
			return t.theme.MatchCurrent.Render(text)
		}
		return t.theme.Match.Render(text)
	})
	t.view.SetContentLines(t.drawn)
}

// Draw draws the lines in sight.
func (t *Text) Draw(height int) []string {
	t.view.SetHeight(height)
	t.GoTo(t.Top()) // not behind the end
	return t.drawn[t.Top():min(t.Top()+height, len(t.drawn))]
}

// Top is the first line in sight.
func (t *Text) Top() int { return t.view.YOffset() }

// By scrolls down by n lines, or up if n is negative.
func (t *Text) By(n int) { t.GoTo(t.Top() + n) }

// Page scrolls down by a page.
func (t *Text) Page() { t.view.PageDown() }

// GoTo scrolls to a line.
func (t *Text) GoTo(line int) { t.view.SetYOffset(line) }

// Hidden is how many lines are above and below those in sight.
func (t *Text) Hidden() (above, below int) {
	above = t.view.YOffset()
	return above, max(0, len(t.lines)-above-t.view.Height())
}

// Key scrolls by a key, and reports whether it is one for that.
func (t *Text) Key(msg tea.KeyPressMsg) bool {
	k := t.view.KeyMap
	switch name := msg.String(); {
	case name == "home":
		t.view.GotoTop()
	case name == "end":
		t.view.GotoBottom()
	case key.Matches(msg, k.PageUp, k.PageDown, k.Up, k.Down):
		t.view, _ = t.view.Update(msg)
	default:
		return false
	}
	return true
}

// Wheel scrolls by a notch of the mouse wheel.
func (t *Text) Wheel(msg tea.MouseWheelMsg) { t.view, _ = t.view.Update(msg) }

// Find looks for words and goes to the first match at a line or after it, else to the
// first of all.
func (t *Text) Find(words string, from int) {
	t.query, t.found = NewQuery(words), 0
	t.SetLines(t.lines, t.theme)
	t.found = max(0, slices.IndexFunc(t.matches, func(i int) bool { return t.marks[i].Line >= from }))
	t.show()
}

// FindNext goes to the next match, or to the one before if by is negative. After the last
// comes the first.
func (t *Text) FindNext(by int) {
	if n := len(t.matches); n > 0 {
		t.found = (t.found + by + n) % n
		t.show()
	}
}

// show brings the match that the user is at into sight.
func (t *Text) show() {
	const above = 2 // so that it is seen what it belongs to
	if t.mark(); len(t.matches) > 0 {
		t.GoTo(t.marks[t.matches[t.found]].Line - above)
	}
}

// Finds reports whether words are looked for.
func (t *Text) Finds() bool { return !t.query.Empty() }

// Found is the number of the match that the user is at, from 1, and how many there are;
// both are 0 if there is none.
func (t *Text) Found() (at, all int) {
	if len(t.matches) == 0 {
		return 0, 0
	}
	return t.found + 1, len(t.matches)
}
