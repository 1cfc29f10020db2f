package tab

import (
	tea "charm.land/bubbletea/v2"
)

// wheelLines is how far one step of the mouse wheel scrolls.
const wheelLines = 3

// mouse scrolls what is under the pointer, and selects an item by a click.
func (t *Tab) mouse(msg tea.MouseMsg) tea.Cmd {
	if _, click := msg.(tea.MouseClickMsg); click {
		return tea.Batch(t.release(), t.pointer(msg))
	}
	return t.pointer(msg)
}

func (t *Tab) pointer(msg tea.MouseMsg) tea.Cmd {
	at := msg.Mouse()
	if d := t.dialogs.Top(); d != nil && at.Y >= t.area.dialog && at.Y < t.area.dialogEnd {
		cmd, _ := t.take(d.Mouse(msg, at.X, at.Y-t.area.dialog))
		return cmd
	}
	if t.list == nil {
		return nil
	}
	if _, click := msg.(tea.MouseClickMsg); click && at.Button == tea.MouseLeft {
		if used, cmd := t.composer.Click(at.X, t.area.composerLine(at.Y)); used {
			t.list.Focus(false)
			return cmd
		}
	}
	switch msg.(type) {
	case tea.MouseWheelMsg:
		switch at.Button {
		case tea.MouseWheelUp:
			t.list.Scroll(-wheelLines)
		case tea.MouseWheelDown:
			t.list.Scroll(wheelLines)
		}
	case tea.MouseClickMsg:
		if at.Button == tea.MouseLeft && at.Y < t.area.dialog {
			again := t.list.Focused() && t.list.Selected() != nil
			was := t.list.Selected()
			if t.list.SelectAt(at.Y) && again && was == t.list.Selected() {
				t.list.Toggle()
			}
		}
	}
	return nil
}
