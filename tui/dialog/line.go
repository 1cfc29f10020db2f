package dialog

import (
	tea "charm.land/bubbletea/v2"

	"parley/tui/theme"
)

// Line is one line of text that a person writes outside of a dialog. The zero
// value is empty.
type Line struct{ in input }

// Text is what was written. It holds nothing that must not be drawn.
func (l *Line) Text() string { return l.in.text }

// Key takes a key that edits or moves in the text, and reports whether it is one.
func (l *Line) Key(msg tea.KeyPressMsg) bool { return l.in.key(msg) }

// Paste writes text at the cursor.
func (l *Line) Paste(text string) { l.in.insert(text) }

// Draw draws what there is room for around the cursor, and says in which column
// the cursor stands. hint is shown while there is no text.
func (l *Line) Draw(width int, hint string, th *theme.Theme) (line string, column int) {
	l.in.hint = hint
	return l.in.draw(width, th)
}
