package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/config"
	"parley/internal/conversation"
	"parley/internal/safetext"
	"parley/tui/dialog"
)

// screen is what is drawn: as many lines as the terminal is high, and the cursor.
type screen struct {
	lines  []string
	cursor *tea.Cursor
}

// layout says where the parts of the screen stand, in lines from the top.
type layout struct {
	dialog, dialogEnd, composer int
}

// View implements tea.Model.
func (m *Model) View() tea.View {
	s := m.draw()
	v := tea.NewView(strings.Join(s.lines, "\n"))
	v.Cursor = s.cursor
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	v.WindowTitle = m.windowTitle()
	return v
}

func (m *Model) windowTitle() string {
	if m.conv != nil && m.conv.Title != "" {
		return safetext.Line(m.conv.Title) + " · parley"
	}
	return "parley"
}

// draw makes the screen: the transcript, an open dialog, what goes on, waiting
// prompts, the composer, and two lines of status.
func (m *Model) draw() screen {
	m.composer.SetWidth(m.width)
	m.composer.SetMaxHeight(max(1, m.height/3))
	prompt, cursor := m.composer.View()
	queue := m.queueLines()
	below := make([]string, 0, len(prompt)+len(queue)+5)
	below = append(below, m.activity())
	below = append(below, queue...)
	below = append(below, m.rule())
	promptAt := len(below)
	below = append(below, prompt...)
	below = append(below, m.rule(), m.statusLine(), m.hintLine())
	if len(below) > m.height { // a terminal too small for everything
		cut := min(len(below)-m.height, promptAt)
		below, promptAt = below[cut:], promptAt-cut
		below = below[:min(len(below), m.height)]
	}

	room := m.height - len(below)
	var panel dialog.View
	if d := m.top(); d != nil && room > 0 {
		most := max(room*2/3, min(room, 12))
		panel = d.View(m.width, most)
		panel.Lines = panel.Lines[:min(len(panel.Lines), room)]
	}
	lines := make([]string, 0, m.height)
	if above := room - len(panel.Lines); above > 0 {
		lines = append(lines, m.transcriptLines(above)...)
	}
	m.area = layout{dialog: len(lines), dialogEnd: len(lines) + len(panel.Lines), composer: room + promptAt}
	lines = append(lines, panel.Lines...)
	lines = append(lines, below...)

	s := screen{lines: lines}
	switch {
	case panel.Cursor != nil:
		c := *panel.Cursor
		c.Y += m.area.dialog
		s.cursor = &c
	case cursor != nil && !m.transcriptFocused() && m.composerActive():
		c := *cursor
		c.Y += m.area.composer
		s.cursor = &c
	}
	s.cut(m.width, m.height)
	return s
}

// narrow is the width below which not every part can keep to it.
const narrow = 24

// cut makes the screen fit a terminal that is too small for it.
func (s *screen) cut(width, height int) {
	if c := s.cursor; c != nil && (c.X >= width || c.Y < 0 || c.Y >= height) {
		s.cursor = nil
	}
	if width >= narrow {
		return
	}
	for i, line := range s.lines {
		s.lines[i] = ansi.Truncate(line, width, "")
	}
}

func (m *Model) transcriptLines(height int) []string {
	if m.list == nil || len(m.conv.Items) == 0 {
		return m.welcome(height)
	}
	m.list.SetSize(m.width, height)
	return m.list.Lines()
}

// welcome stands where the transcript will.
func (m *Model) welcome(height int) []string {
	th := m.theme
	text := []string{
		"",
		"  " + th.Accent.Bold(true).Render("parley") + " " + th.Faint.Render(m.opt.Version),
		"  " + th.Muted.Render("a calm place to work with coding agents"),
	}
	if m.conv != nil && m.conv.Phase == conversation.PhaseReady {
		text = append(text, "",
			"  "+th.Text.Render("Ask for something, or type ")+th.Key.Render("/")+th.Text.Render(" for commands and ")+th.Key.Render("@")+th.Text.Render(" for files."))
	}
	lines := make([]string, height)
	for i := range min(height, len(text)) {
		lines[i] = ansi.Truncate(text[i], m.width, "…")
	}
	return lines
}

func (m *Model) rule() string {
	return lipgloss.NewStyle().Foreground(m.theme.Border).Render(strings.Repeat("─", m.width))
}

// queueLines show the prompts that wait.
func (m *Model) queueLines() []string {
	if m.conv == nil || len(m.conv.Queue) == 0 {
		return nil
	}
	th := m.theme
	const most = 4
	var out []string
	for i, q := range m.conv.Queue {
		if i == most {
			out = append(out, th.Faint.Render("   and more"))
			break
		}
		words := "queued"
		if m.conv.QueuePaused {
			words = "paused"
		}
		out = append(out, ansi.Truncate(" "+th.Accent.Render("⧗ ")+th.Faint.Render(words+": ")+th.Muted.Render(promptLine(q)), m.width, "…"))
	}
	if m.conv.QueuePaused {
		out = append(out, ansi.Truncate("   "+th.Faint.Render("enter on an empty prompt sends them, "+m.keyName(config.ActionHistoryPrev)+" takes the last one back"), m.width, "…"))
	}
	return out
}

func promptLine(q conversation.QueuedPrompt) string {
	for _, b := range q.Prompt {
		if b.Text != "" {
			return safetext.Line(b.Text)
		}
	}
	return "(no text)"
}

// hintLine shows the keys that matter now.
func (m *Model) hintLine() string {
	th := m.theme
	var out strings.Builder
	out.WriteString(" ")
	for _, h := range m.hints() {
		part := th.Key.Render(h.Key) + " " + th.KeyHint.Render(h.Text)
		if lipgloss.Width(out.String())+lipgloss.Width(part)+2 > m.width {
			break
		}
		if out.Len() > 1 {
			out.WriteString(th.Faint.Render("  "))
		}
		out.WriteString(part)
	}
	return out.String()
}
