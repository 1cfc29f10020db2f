package tab

import (
	tea "charm.land/bubbletea/v2"

	"parley/config"
)

// mouse gives an event to what is under the pointer. While the button is held that
// went down in the transcript, all are the transcript's.
func (t *Tab) mouse(msg tea.MouseMsg) tea.Cmd {
	if t.commands.Inside() {
		return t.commands.Mouse(msg)
	}
	if _, click := msg.(tea.MouseClickMsg); click {
		return tea.Batch(t.held.Release(), t.pointer(msg))
	}
	return t.pointer(msg)
}

func (t *Tab) pointer(msg tea.MouseMsg) tea.Cmd {
	at := msg.Mouse()
	if t.reader != nil && t.reader.Dragging() && !isClick(msg) {
		return t.reader.Mouse(msg, at.X, at.Y)
	}
	if t.dragsPrompt(msg) {
		return nil
	}
	if d := t.dialogs.Top(); d != nil && at.Y >= t.area.dialog && at.Y < t.area.dialogEnd {
		if isClick(msg) && t.reader.Reads() {
			t.reader.Unfocus()
		}
		cmd, _ := t.take(d.Mouse(msg, at.X, at.Y-t.area.dialog))
		return cmd
	}
	switch {
	case t.reader == nil:
		return nil
	case isClick(msg) && at.Button == tea.MouseLeft:
		if used, cmd := t.composer.Click(at.X, t.area.composerLine(at.Y)); used {
			t.reader.Unfocus()
			return cmd
		}
	}
	if wheel, ok := msg.(tea.MouseWheelMsg); ok {
		t.reader.Wheel(wheel)
		return nil
	}
	if at.Y >= t.area.dialog {
		return nil
	}
	return t.reader.Mouse(msg, at.X, at.Y)
}

// dragsPrompt selects in the prompt, from where the button went down there until it
// goes up. It reports false if the event has nothing to do with that.
func (t *Tab) dragsPrompt(msg tea.MouseMsg) bool {
	if !t.composer.Dragging() {
		return false
	}
	switch at := msg.Mouse(); msg.(type) {
	case tea.MouseMotionMsg:
		t.composer.Drag(at.X, t.area.composerRow(at.Y))
	case tea.MouseReleaseMsg:
		t.composer.Release()
	default:
		return false
	}
	return true
}

func isClick(msg tea.MouseMsg) bool {
	_, click := msg.(tea.MouseClickMsg)
	return click
}

// lendMouse leaves the mouse to the terminal, which marks and copies in its own
// way, until the next key.
func (t *Tab) lendMouse() {
	t.mouseLent = true
	t.composer.Release()
	if t.reader != nil {
		t.reader.LetGo()
	}
}

// TakesMouse reports whether the tab wants the events of the mouse now.
func (t *Tab) TakesMouse() bool { return !t.mouseLent }

// takesMouseBack takes the mouse back with the next key, which otherwise does what
// it does; but the key that lent it, and the one that cancels, do no more.
func (t *Tab) takesMouseBack(name string) bool {
	if !t.mouseLent {
		return false
	}
	t.mouseLent = false
	keys := t.program.Keys
	return keys.Match(config.ActionLendMouse, name) || keys.Match(config.ActionCancel, name)
}
