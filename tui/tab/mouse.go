package tab

import (
	tea "charm.land/bubbletea/v2"

	"parley/config"
)

func isClick(msg tea.MouseMsg) bool {
	_, click := msg.(tea.MouseClickMsg)
	return click
}

// lendMouse leaves the mouse to the terminal, which marks and copies in its own
// way, until the next key.
func (e *everywhere) lendMouse() {
	t := e.tab
	t.mouseLent = true
	t.composer.Release()
	t.pressed = nil
	if t.reader != nil {
		t.reader.LetGo()
	}
}

// TakesMouse reports whether the tab wants the events of the mouse now.
func (t *Tab) TakesMouse() bool { return !t.mouseLent }

// takesMouseBack takes the mouse back with the next key, which otherwise does what
// it does; but the key that lent it, and the one that cancels, do no more.
func (e *everywhere) takesMouseBack(name string) bool {
	t := e.tab
	if !t.mouseLent {
		return false
	}
	t.mouseLent = false
	keys := t.program.Keys
	return keys.Match(config.ActionLendMouse, name) || keys.Match(config.ActionCancel, name)
}
