package tab

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/command"
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
	// covers reports whether the layer takes the whole screen while it has the focus.
	covers() bool
}

// over returns the dialog and the layer in the place of the prompt. The dialog lies above,
// unless it is a question that takes no keys yet, or the user has moved to the transcript or
// to a list of the prompt's.
func (p *panel) over(prompt layer, reads bool) []layer {
	t := p.tab
	switch {
	case t.dialogs.Top() == nil:
		return []layer{prompt}
	case p.page() != nil: // no prompt is in sight
		return []layer{p}
	case t.dialogs.Asks() && (reads || t.composer.Chooses() || t.dialogs.ArmsIn(t.program.Now()) > 0):
		return []layer{prompt, p}
	}
	return []layer{p, prompt}
}

// over returns the transcript, the dialog and the layer in the place of the prompt. The
// transcript lies below them until the user reads it.
func (r *reader) over(p *panel, prompt layer) []layer {
	switch {
	case r.Reads():
		return append([]layer{r}, p.over(prompt, true)...)
	case p.page() != nil:
		return []layer{p}
	}
	return append(p.over(prompt, false), r)
}

// focus returns the layer with the focus, or nil.
func (t *Tab) focus() layer {
	if all := t.state.layers(); len(all) > 0 {
		return all[0]
	}
	return nil
}

// input passes keys, pastes and the mouse to the layers of a tab.
type input struct {
	tab       *Tab
	mouseLent bool  // to the terminal, until the next key press
	pressed   layer // took the click of the held button, or nil
}

// key handles a key: those that work whatever is open come first, then the layers, then
// the actions of keys that no layer took. A command that the user has stepped into gets
// all keys.
func (in *input) key(k tea.KeyPressMsg) tea.Cmd {
	name := k.String()
	if _, typing := in.tab.focus().(*commands); !typing {
		if cmd, taken := in.globalKey(name); taken {
			return cmd
		}
	}
	cmd, taken := in.pass(func(l layer) (tea.Cmd, bool) { return l.key(k, name) })
	if taken {
		return cmd
	}
	return tea.Batch(cmd, in.keyAction(name))
}

// mouse offers a mouse event to the layers. While a button is held, the layer that took
// the click comes first.
func (in *input) mouse(msg tea.MouseMsg) tea.Cmd {
	_, click := msg.(tea.MouseClickMsg)
	pressed := in.pressed
	if _, release := msg.(tea.MouseReleaseMsg); click || release {
		in.pressed = nil
	}
	if pressed != nil && !click {
		if cmd, taken := pressed.mouse(msg); taken {
			return cmd
		}
	}
	cmd, _ := in.pass(func(l layer) (tea.Cmd, bool) {
		cmd, taken := l.mouse(msg)
		if taken && click {
			in.pressed = l
		}
		return cmd, taken
	})
	if click && in.pressed != layer(in.tab.panel) {
		in.tab.program.Guard.Typed() // a click elsewhere answers no question that appears there
	}
	return cmd
}

// pass offers input to the layers from the top until one takes it.
func (in *input) pass(input func(layer) (tea.Cmd, bool)) (all tea.Cmd, taken bool) {
	for _, l := range in.tab.state.layers() {
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
func (in *input) globalKey(name string) (tea.Cmd, bool) {
	t := in.tab
	if in.takesMouseBack(name) || t.endsReading(name) || t.program.Guard.Repeats(name) {
		return nil, true
	}
	t.program.Guard.Forget()
	if t.replays() {
		return nil, false
	}
	return in.tabKey(name)
}

// tabKey handles keys that switch tabs in any situation, and those that open or close tabs
// while a question is open, which need no answer first.
func (in *input) tabKey(name string) (cmd tea.Cmd, taken bool) {
	t := in.tab
	keys, asks := t.program.Keys, t.dialogs.Asks()
	if _, answers := keys.Action(config.ContextDialog, name); asks && answers {
		return nil, false
	}
	switch a, _ := keys.Action(config.ContextPrompt, name); a {
	case command.NextTab, command.PrevTab:
		return t.run(a), true
	case command.Tab:
		number := slices.Index(keys.For(a), name)
		if !t.program.Tabs.Go(number) {
			return t.say(fmt.Sprintf("there is no tab %d", number+1)), true
		}
		if t.program.Tabs.Alone() {
			return t.say(oneTab), true
		}
		return nil, true
	case command.Board, command.NewSession, command.NewAgent, command.CloseTab, command.RenameTab:
		if asks && !t.reads() && !(a == command.Board && t.showsBoard()) {
			return t.run(a), true
		}
	}
	return nil, false
}

// keyAction performs the action of a key that no layer took.
func (in *input) keyAction(name string) tea.Cmd {
	t := in.tab
	a, bound := t.program.Keys.Action(config.ContextPrompt, name)
	if !bound {
		return t.unbound(name)
	}
	if t.dialogs.Asks() && (t.focus() == layer(t.panel) && (t.composer.Blank() || t.panel.page() != nil) || t.reads()) && !promptCommandOf(a).AtQuestion {
		return t.say("answer the question first: " + config.ShownKey(name) + " waits until then")
	}
	return t.run(a)
}

// unbound says that a key does nothing, or what does here what it does in other clients.
func (t *Tab) unbound(name string) tea.Cmd {
	words := config.ShownKey(name) + " does nothing here"
	switch name {
	case "ctrl+t":
		words = "the plan is in the transcript, and its step above the prompt"
	case "ctrl+b":
		words = t.keyOf(command.Background) + " lists what goes on in the background"
	case "alt+p":
		words = t.keyOf(command.Model) + " chooses the model"
	case "ctrl+l":
		words = t.keyOf(command.NewSession) + " opens a new session in a new tab; this one stays"
	}
	return t.say(words)
}

func isClick(msg tea.MouseMsg) bool {
	_, click := msg.(tea.MouseClickMsg)
	return click
}

// lendMouse gives the mouse to the terminal, for its own selection, until the next key.
func (in *input) lendMouse() {
	in.mouseLent, in.pressed = true, nil
	in.tab.composer.Release()
	in.tab.reader.drag.down = false
}

// TakesMouse reports whether the tab wants mouse events.
func (t *Tab) TakesMouse() bool { return !t.input.mouseLent }

// takesMouseBack recaptures the mouse at the next key, and reports whether the key does nothing
// else: the key that lent the mouse, and the cancel key.
func (in *input) takesMouseBack(name string) bool {
	if !in.mouseLent {
		return false
	}
	in.mouseLent = false
	keys := in.tab.program.Keys
	return keys.Match(command.LendMouse, name) || keys.Match(command.Cancel, name)
}
