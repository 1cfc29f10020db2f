package tab

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"parley/internal/cells"
	"parley/internal/conversation"
	"parley/internal/safetext"
	"parley/tui/theme"
)

// insideScreen draws the command into which the person has stepped, on the whole
// screen. Its frame is drawn nowhere else: in it everything is the command's.
func (t *Tab) insideScreen(width, height int) Screen {
	in := t.inside
	th, frame, badge := t.program.Theme, t.program.Theme.Warning, t.program.Theme.BadgeWarning
	if in.term.Exit != nil {
		frame, badge = th.Muted, th.Badge
	}
	t.area = layout{dialogEnd: height, prompt: height}
	what := "$ " + safetext.VisibleLine(in.term.Command)
	s := Screen{Lines: make([]string, 0, height)}
	s.Lines = append(s.Lines, framed(frame, "╭", badge.Render(insideTitle(in.term))+" "+th.Strong.Render(what), "╮", width))
	for y := range in.rows {
		s.Lines = append(s.Lines, frame.Render("│")+padded(in.emu.View(y, in.back), width-2)+frame.Render("│"))
	}
	s.Lines = append(s.Lines,
		framed(frame, "╰", frame.Render(t.insideWords()), "╯", width),
		t.insideStatus(th, width), t.hintLine(width))
	if x, y := in.emu.Cursor(); in.term.Exit == nil && in.back == 0 && !in.emu.Modes().CursorHidden && y < in.rows {
		s.Cursor = tea.NewCursor(1+min(x, in.cols-1), 1+y)
	}
	if len(s.Lines) > height {
		s.Lines = s.Lines[:height]
	}
	for i, line := range s.Lines {
		s.Lines[i] = cells.Truncate(line, width, "")
	}
	s.cut(width, height)
	return s
}

// insideTitle says whose command it is.
func insideTitle(term *conversation.Terminal) string {
	switch {
	case term.Exit != nil:
		return " ENDED "
	case term.Lasts:
		return " YOUR SHELL "
	case term.Personal:
		return " YOUR COMMAND "
	}
	return " COMMAND OF THE AGENT "
}

// insideStatus is what was said for a moment, else the status that there is always.
func (t *Tab) insideStatus(th *theme.Theme, width int) string {
	if t.desk.Said() != "" {
		return cells.Truncate("  "+th.Warning.Render(t.desk.Said()), width, "…")
	}
	return t.statusLine(width)
}

// framed is the upper or the lower edge of a frame, with words in it.
func framed(frame lipgloss.Style, left, words, right string, width int) string {
	room := max(0, width-6)
	words = cells.Truncate(words, room, "…")
	return frame.Render(left+"─") + " " + words + " " + frame.Render(strings.Repeat("─", max(0, room-cells.Width(words)+1))+right)
}

// padded is a line with blanks up to a width.
func padded(line string, width int) string {
	line = cells.Truncate(line, max(0, width), "")
	return line + strings.Repeat(" ", max(0, width-cells.Width(line)))
}
