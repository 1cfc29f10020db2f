package tab

import (
	"parley/internal/termtext"
	"parley/tui/dialog"
)

// fullScreenDialog is a dialog that takes the whole screen.
type fullScreenDialog interface {
	dialog.Dialog
	Covers()
}

// fullScreen reports whether an attached command or the top page takes the whole screen.
func (v *view) fullScreen() bool {
	t := v.tab
	if t.commands.Attached() {
		return t.commands.Covers()
	}
	_, covers := t.dialogs.Top().(fullScreenDialog)
	return covers
}

// drawFullScreen draws it.
func (v *view) drawFullScreen(width, height int) Screen {
	t := v.tab
	t.area = layout{dialogEnd: height, prompt: height}
	var s Screen
	if t.commands.Attached() {
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
