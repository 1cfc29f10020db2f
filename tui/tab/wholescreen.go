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
func (v *view) coversAll() bool {
	t := v.tab
	if t.commands.Inside() {
		return t.commands.Covers()
	}
	_, covers := t.dialogs.Top().(covering)
	return covers
}

// drawCover draws what takes the whole screen.
func (v *view) drawCover(width, height int) Screen {
	t := v.tab
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
			s.Lines = append(s.Lines, v.hintLine(width))
		}
	}
	for i, line := range s.Lines {
		s.Lines[i] = termtext.Truncate(line, width, "")
	}
	s.cut(width, height)
	return s
}
