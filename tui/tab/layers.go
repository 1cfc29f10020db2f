package tab

import (
	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/tui/dialog"
)

// layer is one of the layers stacked on the screen. It takes input, or passes it to the
// layers below, possibly with a command.
type layer interface {
	key(k tea.KeyPressMsg, name string) (cmd tea.Cmd, taken bool)
	paste(text string) (cmd tea.Cmd, taken bool)
	mouse(msg tea.MouseMsg) (cmd tea.Cmd, taken bool)
	// hints returns the keys that matter while the layer has the focus.
	hints() []dialog.Hint
	// draw draws the layer on at most height lines of width cells.
	draw(width, height int) dialog.View
}

// over returns the dialog and the layer in the place of the prompt. A question lies above it,
// unless it takes no keys yet, or the user has moved to the transcript or to a list of the
// prompt's.
func (p *panel) over(prompt layer, reads bool) []layer {
	t := p.tab
	switch {
	case t.dialogs.Top() == nil:
		return []layer{prompt}
	case t.dialogs.Asks() && (reads || t.composer.Chooses() || t.dialogs.ArmsIn(t.program.Now()) > 0):
		return []layer{prompt, p}
	}
	return []layer{p, prompt}
}

// over returns the transcript, the dialog and the layer in the place of the prompt. The
// transcript lies below them until the user reads it.
func (r *transcriptReader) over(prompt layer) []layer {
	if r.Reads() {
		return append([]layer{r}, r.tab.panel.over(prompt, true)...)
	}
	return append(r.tab.panel.over(prompt, false), r)
}

// focus returns the layer with the focus, or nil.
func (t *Tab) focus() layer {
	if all := t.state.layers(); len(all) > 0 {
		return all[0]
	}
	return nil
}

// key handles a key: those that work whatever is open come first, then the layers, then
// the actions of keys that no layer took. A command that the user has stepped into gets
// all keys.
func (t *Tab) key(k tea.KeyPressMsg) tea.Cmd {
	name := k.String()
	if _, in := t.attached(); !in {
		if cmd, taken := t.globalKey(name); taken {
			return cmd
		}
	}
	cmd, taken := t.pass(func(l layer) (tea.Cmd, bool) { return l.key(k, name) })
	if taken {
		return cmd
	}
	return tea.Batch(cmd, t.keyAction(name))
}

// paste offers pasted text to the layers.
func (t *Tab) paste(text string) tea.Cmd {
	cmd, _ := t.pass(func(l layer) (tea.Cmd, bool) { return l.paste(text) })
	return cmd
}

// mouse offers a mouse event to the layers. While a button is held, the layer that took
// the click comes first.
func (t *Tab) mouse(msg tea.MouseMsg) tea.Cmd {
	_, click := msg.(tea.MouseClickMsg)
	pressed := t.pressed
	if _, release := msg.(tea.MouseReleaseMsg); click || release {
		t.pressed = nil
	}
	if pressed != nil && !click {
		if cmd, taken := pressed.mouse(msg); taken {
			return cmd
		}
	}
	cmd, _ := t.pass(func(l layer) (tea.Cmd, bool) {
		cmd, taken := l.mouse(msg)
		if taken && click {
			t.pressed = l
		}
		return cmd, taken
	})
	return cmd
}

// pass offers input to the layers from the top until one takes it.
func (t *Tab) pass(input func(layer) (tea.Cmd, bool)) (all tea.Cmd, taken bool) {
	for _, l := range t.state.layers() {
		var cmd tea.Cmd
		cmd, taken = input(l)
		all = tea.Batch(all, cmd)
		if taken {
			break
		}
	}
	return all, taken
}

// globalKey handles the keys that work whatever is open: they recapture the mouse and
// switch tabs.
func (t *Tab) globalKey(name string) (tea.Cmd, bool) {
	if t.takesMouseBack(name) || t.state.endsReading(name) || t.program.Guard.Bounced(name) {
		return nil, true
	}
	t.program.Guard.Forget()
	if t.replays() {
		return nil, false
	}
	return t.tabKey(name)
}

// keyAction performs the action of a key that no layer took.
func (t *Tab) keyAction(name string) tea.Cmd {
	a, bound := t.program.Keys.Action(config.ContextPrompt, name)
	if t.dialogs.Asks() && (t.focus() == layer(t.panel) && t.composer.Empty() || t.state.reads()) && !behaviours[a].beside {
		if !bound {
			return t.say(name + " does nothing here")
		}
		return t.say("answer the question first: " + name + " waits until then")
	}
	return t.run(a)
}

func isClick(msg tea.MouseMsg) bool {
	_, click := msg.(tea.MouseClickMsg)
	return click
}

// lendMouse gives the mouse to the terminal, for its own selection, until the next key.
func (t *Tab) lendMouse() {
	t.mouseLent = true
	t.composer.Release()
	t.pressed = nil
	t.state.drop()
}

// TakesMouse reports whether the tab wants mouse events.
func (t *Tab) TakesMouse() bool { return !t.mouseLent }

// takesMouseBack recaptures the mouse at the next key, and reports whether the key has no
// other effect: only the key that lent the mouse and the cancel key.
func (t *Tab) takesMouseBack(name string) bool {
	if !t.mouseLent {
		return false
	}
	t.mouseLent = false
	keys := t.program.Keys
	return keys.Match(config.ActionLendMouse, name) || keys.Match(config.ActionCancel, name)
}
