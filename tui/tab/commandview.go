package tab

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/dialog"
)

// draw draws the command into which the person has stepped, on the whole screen, above a
// line of status and one of hints. Its frame is drawn nowhere else: in it everything is
// the command's.
func (c *commands) draw(width, height int) dialog.View {
	in, th := c.inside, c.tab.program.Theme
	frame, badge := th.Warning, th.BadgeWarning
	if in.term.Exit != nil {
		frame, badge = th.Muted, th.Badge
	}
	what := "$ " + termtext.VisibleLine(in.term.Command)
	v := dialog.View{Lines: make([]string, 0, height)}
	v.Lines = append(v.Lines, framed(frame, "╭", badge.Render(ownerOf(in.term))+" "+th.Strong.Render(what), "╮", width))
	for y := range in.rows {
		v.Lines = append(v.Lines, frame.Render("│")+padded(in.emu.View(y, in.back), width-2)+frame.Render("│"))
	}
	v.Lines = append(v.Lines, framed(frame, "╰", frame.Render(c.words()), "╯", width))
	v.Lines = append(v.Lines, c.tab.actions.draw(width, 2).Lines...)
	if x, y := in.emu.Cursor(); in.term.Exit == nil && in.back == 0 && !in.emu.Modes().CursorHidden && y < in.rows {
		v.Cursor = tea.NewCursor(1+min(x, in.cols-1), 1+y)
	}
	v.Lines = v.Lines[:min(len(v.Lines), height)]
	return v
}

// ownerOf says whose command it is.
func ownerOf(term *conversation.Terminal) string {
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

// framed is the upper or the lower edge of a frame, with words in it.
func framed(frame lipgloss.Style, left, words, right string, width int) string {
	room := max(0, width-6)
	words = termtext.Truncate(words, room, "…")
	return frame.Render(left+"─") + " " + words + " " + frame.Render(strings.Repeat("─", max(0, room-termtext.Width(words)+1))+right)
}

// padded is a line with blanks up to a width.
func padded(line string, width int) string {
	line = termtext.Truncate(line, max(0, width), "")
	return line + strings.Repeat(" ", max(0, width-termtext.Width(line)))
}
