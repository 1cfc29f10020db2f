package tab

import (
	"parley/internal/termtext"
	"parley/tui/dialog"
)

// insideScreen draws the command into which the person has stepped.
func (t *Tab) insideScreen(width, height int) Screen {
	t.area = layout{dialogEnd: height, prompt: height}
	status := t.facts().Line(width)
	if said := t.toast.text; said != "" {
		status = termtext.Truncate("  "+t.program.Theme.Warning.Render(said), width, "…")
	}
	v := t.commands.Draw(width, height, status, t.hintLine(width))
	s := Screen(v)
	s.cut(width, height)
	return s
}

// covering is a dialog that takes the whole screen.
type covering interface {
	dialog.Dialog
	Covers()
}

// wholeScreen draws the tab while such a dialog is on top.
func (t *Tab) wholeScreen(p covering, width, height int) Screen {
	room := height
	if height > 2 {
		room-- // for the keys
	}
	t.area = layout{dialogEnd: height, prompt: height}
	v := p.View(width, room)
	s := Screen{Lines: v.Lines, Cursor: v.Cursor}
	for len(s.Lines) < room {
		s.Lines = append(s.Lines, "")
	}
	if room < height {
		s.Lines = append(s.Lines, t.hintLine(width))
	}
	for i, line := range s.Lines {
		s.Lines[i] = termtext.Truncate(line, width, "")
	}
	s.cut(width, height)
	return s
}
