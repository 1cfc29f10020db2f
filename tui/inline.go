package tui

import (
	"fmt"
	"slices"
	"strings"

	"parley/internal/termtext"
	"parley/tui/screen"
	"parley/tui/tab"
)

// inlineFrame is a frame for a terminal of which only the end is drawn on. The mouse is
// the terminal's.
func (m *Model) inlineFrame() screen.Frame {
	s, done, more := m.front.DrawInline(m.width, m.height-m.lineHeight())
	f := m.frame(m.belowLine(s))
	f.Above, f.More = m.headed(m.front, done), more
	return f
}

// Stay implements [screen.Model]. What the tabs behind have to say, nobody has seen
// yet; the one in front has the last word, as it had on the screen.
func (m *Model) Stay() []string {
	var lines []string
	tabs := m.frontFirst()
	for _, t := range slices.Concat(tabs[1:], tabs[:1]) {
		lines = append(lines, m.headed(t, t.Stay(m.width))...)
	}
	return lines
}

// headed puts a line that names a tab above lines of it, if the lines that the terminal
// has got before are of another one: they stay together, and nothing else tells them
// apart.
func (m *Model) headed(t *tab.Tab, lines []string) []string {
	if len(lines) == 0 {
		return nil
	}
	before := m.wrote
	m.wrote = t.ID()
	if before == t.ID() || before == 0 && len(m.tabs) == 1 {
		return lines
	}
	return append([]string{"", m.heading(t)}, lines...)
}

// heading is the line that says that what follows is of a tab.
func (m *Model) heading(t *tab.Tab) string {
	th := m.program.Theme
	name := termtext.Truncate(fmt.Sprintf(" tab %d: %s ", m.indexOf(t.ID())+1, t.Summary().Title), m.width-4, "… ")
	rule := strings.Repeat("─", max(0, m.width-2-termtext.Width(name)))
	return th.Faint.Render("──") + th.Muted.Render(name) + th.Faint.Render(rule)
}
