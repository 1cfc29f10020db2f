package tab

import (
	"parley/internal/termtext"
	"parley/tui/dialog"
)

// covering is a dialog that takes the whole screen.
type covering interface {
	dialog.Dialog
	Covers()
}

// coversAll reports whether the command that the person has stepped into, or the page on
// top, takes the whole screen.
func (t *Tab) coversAll() bool {
	if t.commands.Inside() {
		return t.commands.Covers()
	}
	_, covers := t.dialogs.Top().(covering)
	return covers
}

// drawCover draws what takes the whole screen.
func (t *Tab) drawCover(width, height int) Screen {
	t.area = layout{dialogEnd: height, prompt: height}
	var s Screen
	if t.commands.Inside() {
		s = Screen(t.commands.draw(width, height))
	} else {
		room := height
		if height > 2 {
			room-- // for the keys
		}
		s = Screen(t.dialogs.Top().View(width, room))
		for len(s.Lines) < room {
			s.Lines = append(s.Lines, "")
		}
		if room < height {
			s.Lines = append(s.Lines, t.hintLine(width))
		}
	}
	for i, line := range s.Lines {
		s.Lines[i] = termtext.Truncate(line, width, "")
	}
	s.cut(width, height)
	return s
}
