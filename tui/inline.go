package tui

import (
	"fmt"
	"strings"

	"parley/internal/cells"
	"parley/tui/screen"
)

// inlineFrame is a frame for a terminal of which only the end is drawn on. The mouse is
// the terminal's.
func (m *Model) inlineFrame() screen.Frame {
	s, done, more := m.front.DrawInline(m.width, m.height-m.lineHeight())
	f := m.frame(m.belowLine(s))
	f.Above, f.More = m.headed(done), more
	return f
}

// Stay implements [screen.Staying].
func (m *Model) Stay() []string { return m.headed(m.front.Stay(m.width)) }

// headed puts a line that names the tab in front above lines of it, if the lines that the
// terminal has got before are of another one: they stay together, and nothing else tells
// them apart.
func (m *Model) headed(lines []string) []string {
	if len(lines) == 0 {
		return nil
	}
	before, front := m.wrote, m.front.ID()
	m.wrote = front
	if before == front || before == 0 && len(m.tabs) == 1 {
		return lines
	}
	return append([]string{"", m.heading()}, lines...)
}

// heading is the line that says that what follows is of the tab in front.
func (m *Model) heading() string {
	th := m.program.Theme
	name := cells.Truncate(fmt.Sprintf(" tab %d: %s ", m.indexOf(m.front.ID())+1, m.front.Face().Title), m.width-4, "… ")
	rule := strings.Repeat("─", max(0, m.width-2-cells.Width(name)))
	return th.Faint.Render("──") + th.Muted.Render(name) + th.Faint.Render(rule)
}
