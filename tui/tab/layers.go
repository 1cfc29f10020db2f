package tab

import (
	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/termtext"
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
	// draw draws the layer, in at most height lines.
	draw(width, height int) dialog.View
}

const maxLayers = 6

// layers appends the tab's layers to l, from the top. Input is offered in this order, and
// nothing else decides who gets it. The first layer except globalKeys has the focus.
//
// A question lies above the transcript and the prompt, unless it takes no keys yet, or the
// person has moved to the transcript or to a list of the prompt's.
func (t *Tab) layers(l []layer) []layer {
	if t.commands.Attached() {
		return append(l, t.commands)
	}
	l = append(l, t.globalKeys)
	reads := t.reader.Reads()
	if reads {
		l = append(l, t.reader)
	}
	open := t.dialogs.Top() != nil
	below := open && t.dialogs.Asks() && (reads || t.composer.Chooses() || t.dialogs.ArmsIn(t.program.Now()) > 0)
	if open && !below {
		l = append(l, t.panel)
	}
	switch {
	case t.replay != nil:
		l = append(l, t.replay)
	case t.composerActive():
		l = append(l, t.prompt)
	}
	if below {
		l = append(l, t.panel)
	}
	if t.reader != nil && !reads {
		l = append(l, t.reader)
	}
	return append(l, t.actions)
}

// focus returns the layer with the focus: it has the cursor and the hint line.
func (t *Tab) focus() layer {
	var buf [maxLayers]layer
	for _, l := range t.layers(buf[:0]) {
		if l != layer(t.globalKeys) {
			return l
		}
	}
	return nil
}

// key offers a key to the layers.
func (t *Tab) key(k tea.KeyPressMsg) tea.Cmd {
	name := k.String()
	return t.pass(func(l layer) (tea.Cmd, bool) { return l.key(k, name) })
}

// paste offers pasted text to the layers.
func (t *Tab) paste(text string) tea.Cmd {
	return t.pass(func(l layer) (tea.Cmd, bool) { return l.paste(text) })
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
	return t.pass(func(l layer) (tea.Cmd, bool) {
		cmd, taken := l.mouse(msg)
		if taken && click {
			t.pressed = l
		}
		return cmd, taken
	})
}

// pass offers input to the layers from the top until one takes it.
func (t *Tab) pass(input func(layer) (tea.Cmd, bool)) tea.Cmd {
	var buf [maxLayers]layer
	var all tea.Cmd
	for _, l := range t.layers(buf[:0]) {
		cmd, taken := input(l)
		all = tea.Batch(all, cmd)
		if taken {
			break
		}
	}
	return all
}

// globalKeys is the layer of keys that work whatever is open: they switch tabs, show the
// plan and recapture the mouse.
type globalKeys struct{ tab *Tab }

func (e *globalKeys) key(_ tea.KeyPressMsg, name string) (tea.Cmd, bool) {
	t, keys := e.tab, e.tab.program.Keys
	if e.takesMouseBack(name) || t.reader.clearsSpan(name) || t.program.Guard.Bounced(name) {
		return nil, true
	}
	t.program.Guard.Forget()
	switch {
	case t.replay != nil:
		return nil, false
	case t.news && !t.dialogs.Asks() && keys.Match(config.ActionNews, name): // also on the first screen
		return t.actions.run(config.ActionNews), true
	}
	return e.tabKey(name)
}

func (*globalKeys) paste(string) (tea.Cmd, bool)       { return nil, false }
func (*globalKeys) mouse(tea.MouseMsg) (tea.Cmd, bool) { return nil, false }
func (*globalKeys) hints() []dialog.Hint               { return nil }
func (*globalKeys) draw(_, _ int) dialog.View          { return dialog.View{} }

// actions is the bottom layer: it performs the actions of keys that no other layer took,
// and draws status and hints.
type actions struct{ tab *Tab }

func (ac *actions) key(_ tea.KeyPressMsg, name string) (tea.Cmd, bool) {
	t := ac.tab
	a, _ := t.program.Keys.Action(config.ContextPrompt, name)
	if t.dialogs.Asks() && (t.focus() == layer(t.panel) && t.composer.Empty() || t.reader.Reads()) && !besideQuestion(a) {
		return nil, true
	}
	return ac.run(a), true
}

// besideQuestion reports whether an action is available while a question is open and the
// prompt is empty.
func besideQuestion(a config.Action) bool {
	switch a {
	case config.ActionFocusTranscript, config.ActionFind, config.ActionLendMouse, config.ActionInterrupt,
		config.ActionPageUp, config.ActionPageDown, config.ActionLineUp, config.ActionLineDown,
		config.ActionScrollTop, config.ActionScrollBottom, config.ActionTerminal, config.ActionStartAgain,
		config.ActionNextMode, config.ActionMode, config.ActionModel, config.ActionThoughtLevel, config.ActionOptions,
		config.ActionHelp, config.ActionGuide, config.ActionPalette, config.ActionInspector:
		return true
	}
	return false
}

func (*actions) paste(string) (tea.Cmd, bool)       { return nil, false }
func (*actions) mouse(tea.MouseMsg) (tea.Cmd, bool) { return nil, false }

func (ac *actions) hints() []dialog.Hint { return ac.tab.prompt.hints() }

// draw draws the status line and the hints of the focused layer.
func (ac *actions) draw(width, _ int) dialog.View {
	t := ac.tab
	status := t.view.statusInfo().Line(width)
	if t.commands.Attached() && t.toast.current() != "" {
		status = termtext.Truncate("  "+t.program.Theme.Warning.Render(t.toast.current()), width, "…")
	}
	return dialog.View{Lines: []string{status, t.view.hintLine(width)}}
}

func isClick(msg tea.MouseMsg) bool {
	_, click := msg.(tea.MouseClickMsg)
	return click
}

// lendMouse gives the mouse to the terminal, for its own selection, until the next key.
func (e *globalKeys) lendMouse() {
	t := e.tab
	t.mouseLent = true
	t.composer.Release()
	t.pressed = nil
	if t.reader != nil {
		t.reader.StopDragging()
	}
}

// TakesMouse reports whether the tab wants mouse events.
func (t *Tab) TakesMouse() bool { return !t.mouseLent }

// takesMouseBack recaptures the mouse at the next key, and reports whether the key has no
// other effect: only the key that lent the mouse and the cancel key.
func (e *globalKeys) takesMouseBack(name string) bool {
	t := e.tab
	if !t.mouseLent {
		return false
	}
	t.mouseLent = false
	keys := t.program.Keys
	return keys.Match(config.ActionLendMouse, name) || keys.Match(config.ActionCancel, name)
}
