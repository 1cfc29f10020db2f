package tab

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

// Screen is what is drawn.
type Screen struct {
	// Lines are as many terminal lines as there is room for, none too wide.
	Lines []string
	// Cursor is where the cursor stands, nil if there is none.
	Cursor *tea.Cursor
}

// layout says where the parts stand, in lines from the top.
type layout struct {
	dialog, dialogEnd, composer int
}

// Draw draws the tab into so many columns and lines: the transcript, an open
// dialog, what goes on, waiting prompts, the composer, and two lines of status.
func (t *Tab) Draw(width, height int) Screen {
	t.width, t.height = width, height
	t.composer.SetWidth(t.width)
	t.composer.SetMaxHeight(max(1, t.height/3))
	prompt, cursor := t.composer.View()
	queue := t.queueLines()
	below := make([]string, 0, len(prompt)+len(queue)+5)
	below = append(below, t.activity())
	below = append(below, queue...)
	below = append(below, t.rule())
	promptAt := len(below)
	below = append(below, prompt...)
	below = append(below, t.rule(), t.statusLine(), t.hintLine())
	if len(below) > t.height { // a terminal too small for everything
		cut := min(len(below)-t.height, promptAt)
		below, promptAt = below[cut:], promptAt-cut
		below = below[:min(len(below), t.height)]
	}

	room := t.height - len(below)
	var panel dialog.View
	if d := t.dialogs.Top(); d != nil && room > 0 {
		most := max(room*2/3, min(room, 12))
		panel = d.View(t.width, most)
		panel.Lines = panel.Lines[:min(len(panel.Lines), room)]
	}
	lines := make([]string, 0, t.height)
	if above := room - len(panel.Lines); above > 0 {
		lines = append(lines, t.transcriptLines(above)...)
	}
	t.area = layout{dialog: len(lines), dialogEnd: len(lines) + len(panel.Lines), composer: room + promptAt}
	lines = append(lines, panel.Lines...)
	lines = append(lines, below...)

	s := Screen{Lines: lines}
	switch {
	case panel.Cursor != nil:
		c := *panel.Cursor
		c.Y += t.area.dialog
		s.Cursor = &c
	case cursor != nil && !t.transcriptFocused() && t.composerActive():
		c := *cursor
		c.Y += t.area.composer
		s.Cursor = &c
	}
	s.cut(t.width, t.height)
	return s
}

// narrow is the width below which not every part can keep to it.
const narrow = 24

// cut makes it fit where there is too little room for it.
func (s *Screen) cut(width, height int) {
	if c := s.Cursor; c != nil && (c.X >= width || c.Y < 0 || c.Y >= height) {
		s.Cursor = nil
	}
	if width >= narrow {
		return
	}
	for i, line := range s.Lines {
		s.Lines[i] = ansi.Truncate(line, width, "")
	}
}

func (t *Tab) transcriptLines(height int) []string {
	if t.list == nil || len(t.conv.Items) == 0 {
		return t.welcome(height)
	}
	t.list.SetSize(t.width, height)
	return t.list.Lines()
}

// welcome stands where the transcript will.
func (t *Tab) welcome(height int) []string {
	th := t.program.Theme
	text := []string{
		"",
		"  " + th.Accent.Bold(true).Render("parley") + " " + th.Faint.Render(t.program.Version),
		"  " + th.Muted.Render("a calm place to work with coding agents"),
	}
	if t.conv != nil && t.conv.Phase == conversation.PhaseReady {
		text = append(text, "",
			"  "+th.Text.Render("Ask for something, or type ")+th.Key.Render("/")+th.Text.Render(" for commands and ")+th.Key.Render("@")+th.Text.Render(" for files."))
	}
	lines := make([]string, height)
	for i := range min(height, len(text)) {
		lines[i] = ansi.Truncate(text[i], t.width, "…")
	}
	return lines
}

func (t *Tab) rule() string {
	return lipgloss.NewStyle().Foreground(t.program.Theme.Border).Render(strings.Repeat("─", t.width))
}

// queueLines show the prompts that wait.
func (t *Tab) queueLines() []string {
	if t.conv == nil || len(t.conv.Queue) == 0 {
		return nil
	}
	th := t.program.Theme
	const most = 4
	var out []string
	for i, q := range t.conv.Queue {
		if i == most {
			out = append(out, th.Faint.Render("   and more"))
			break
		}
		words := "queued"
		if t.conv.QueuePaused {
			words = "paused"
		}
		out = append(out, ansi.Truncate(" "+th.Accent.Render("⧗ ")+th.Faint.Render(words+": ")+th.Muted.Render(promptLine(q)), t.width, "…"))
	}
	if t.conv.QueuePaused {
		out = append(out, ansi.Truncate("   "+th.Faint.Render("enter on an empty prompt sends them, "+t.keyName(config.ActionHistoryPrev)+" takes the last one back"), t.width, "…"))
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
