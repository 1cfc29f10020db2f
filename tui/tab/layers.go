package tab

import (
	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
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
	// draw draws the layer on at most height lines of width cells.
	draw(width, height int) dialog.View
}

const maxLayers = 4

// layers appends the tab's layers to l, from the top. Input is offered in this order, and
// nothing else decides who gets it. The first layer has the focus: the cursor and the hint
// line.
//
// A question lies above the transcript and the prompt, unless it takes no keys yet, or the
// person has moved to the transcript or to a list of the prompt's.
func (t *Tab) layers(l []layer) []layer {
	if t.commands.Attached() {
		return append(l, t.commands)
	}
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
	case t.actions.composerActive():
		l = append(l, t.prompt)
	}
	if below {
		l = append(l, t.panel)
	}
	if t.reader != nil && !reads {
		l = append(l, t.reader)
	}
	return l
}

// focus returns the layer with the focus, or nil.
func (t *Tab) focus() layer {
	var buf [maxLayers]layer
	if all := t.layers(buf[:0]); len(all) > 0 {
		return all[0]
	}
	return nil
}

// key handles a key: those that work whatever is open come first, then the layers, then
// the actions of keys that no layer took. A command that the person has stepped into gets
// all keys.
func (t *Tab) key(k tea.KeyPressMsg) tea.Cmd {
	name := k.String()
	if !t.commands.Attached() {
		if cmd, taken := t.globalKeys.globalKey(name); taken {
			return cmd
		}
	}
	cmd, taken := t.pass(func(l layer) (tea.Cmd, bool) { return l.key(k, name) })
	if taken {
		return cmd
	}
	return tea.Batch(cmd, t.globalKeys.keyAction(name))
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
	var buf [maxLayers]layer
	for _, l := range t.layers(buf[:0]) {
		var cmd tea.Cmd
		cmd, taken = input(l)
		all = tea.Batch(all, cmd)
		if taken {
			break
		}
	}
	return all, taken
}

// globalKeys handles the keys before any layer does, and after all of them.
type globalKeys struct{ *Tab }

// globalKey handles the keys that work whatever is open: they recapture the mouse and
// switch tabs.
func (t globalKeys) globalKey(name string) (tea.Cmd, bool) {
	if t.takesMouseBack(name) || t.reader.clearsSpan(name) || t.program.Guard.Bounced(name) {
		return nil, true
	}
	t.program.Guard.Forget()
	if t.replay != nil {
		return nil, false
	}
	return t.tabKey(name)
}

// keyAction performs the action of a key that no layer took.
func (t globalKeys) keyAction(name string) tea.Cmd {
	a, _ := t.program.Keys.Action(config.ContextPrompt, name)
	if t.dialogs.Asks() && (t.focus() == layer(t.panel) && t.composer.Empty() || t.reader.Reads()) && !besideQuestion(a) {
		return nil
	}
	return t.actions.run(a)
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

// statusLines draws the status line and the hints of the focused layer.
func (t view) statusLines(width int) []string {
	status := t.statusInfo().Line(width)
	if t.commands.Attached() && t.toast.current() != "" {
		status = termtext.Truncate("  "+t.program.Theme.Warning.Render(t.toast.current()), width, "…")
	}
	return []string{status, t.hintLine(width)}
}

func isClick(msg tea.MouseMsg) bool {
	_, click := msg.(tea.MouseClickMsg)
	return click
}

// lendMouse gives the mouse to the terminal, for its own selection, until the next key.
func (t actions) lendMouse() {
	t.mouseLent = true
	t.composer.Release()
	t.pressed = nil
	if t.reader != nil {
		t.reader.drag.down = false
	}
}

// TakesMouse reports whether the tab wants mouse events.
func (t *Tab) TakesMouse() bool { return !t.mouseLent }

// takesMouseBack recaptures the mouse at the next key, and reports whether the key has no
// other effect: only the key that lent the mouse and the cancel key.
func (t globalKeys) takesMouseBack(name string) bool {
	if !t.mouseLent {
		return false
	}
	t.mouseLent = false
	keys := t.program.Keys
	return keys.Match(config.ActionLendMouse, name) || keys.Match(config.ActionCancel, name)
}

// panel is the layer of the top dialog: a question, a list or a page. A question passes
// unknown keys down; everything else keeps them.
type panel struct{ tab *Tab }

func (p *panel) key(k tea.KeyPressMsg, name string) (tea.Cmd, bool) {
	t := p.tab
	d, asks := t.dialogs.Top(), t.dialogs.Asks()
	if t.reader.Reads() {
		return nil, false // the question waits
	}
	if t.program.Keys.Match(config.ActionInterrupt, name) {
		q, _ := d.(*dialog.Permission)
		f, foreign := d.(*foreignQuestion)
		if foreign {
			q = f.Permission
		}
		switch {
		case q != nil && q.StopWriting(name):
			return nil, true
		case !asks || foreign:
			return p.close(), true
		}
		return nil, false
	}
	cmd, taken := p.take(d.Key(k))
	return cmd, taken || !asks
}

func (p *panel) paste(text string) (tea.Cmd, bool) {
	if p.tab.reader.Reads() {
		return nil, false
	}
	return p.take(p.tab.dialogs.Top().Paste(text))
}

func (p *panel) mouse(msg tea.MouseMsg) (tea.Cmd, bool) {
	t, at := p.tab, msg.Mouse()
	d := t.dialogs.Top()
	if d == nil || !t.area.onDialog(at.Y) {
		return nil, false
	}
	if isClick(msg) && t.reader.Reads() {
		t.reader.Unfocus()
	}
	cmd, _ := p.take(d.Mouse(msg, at.X, at.Y-t.area.dialog))
	return cmd, true
}

func (p *panel) hints() []dialog.Hint { return p.tab.dialogs.Top().Hints() }

// draw draws the top dialog. A question leaves more room while the transcript is read.
func (p *panel) draw(width, room int) dialog.View {
	t := p.tab
	d := t.dialogs.Top()
	if d == nil {
		return dialog.View{}
	}
	if _, covers := d.(fullScreenDialog); covers {
		return d.View(width, room)
	}
	// With no room at all, the dialog must know: it takes no answer then.
	most := max(0, room*2/3, min(room, 12))
	if t.dialogs.Asks() {
		most = max(0, room)
	}
	if t.list == nil || len(t.conv.Items) == 0 {
		most = max(most, room-welcomeHeight-1) // nothing to see behind it
	}
	words := ""
	if t.reader.Reads() {
		most = max(0, room/3, min(room, 4))
		words = t.keyOf(config.ActionFocusPrompt) + " to answer"
	}
	t.program.Guard.Aside(words)
	v := d.View(width, most)
	v.Lines = v.Lines[:min(len(v.Lines), max(0, room))]
	return v
}

// take performs a dialog's action. taken is false if the input was not for the dialog;
// then the letter before it was text, too.
func (p *panel) take(action dialog.Action) (cmd tea.Cmd, taken bool) {
	if _, no := action.(dialog.NotTaken); no {
		p.tab.dialogs.Release()
		return p.tab.prompt.typeLetters(), false
	}
	return p.do(action), true
}

// env returns what dialogs are created with.
func (t *Tab) env() dialog.Env {
	p := t.program
	env := dialog.Env{
		Theme: p.Theme, Keys: p.Keys, Guard: p.Guard, Cwd: t.cwd, DiffPositions: &t.diffPositions.known, Reach: &t.questions.reach, Now: p.Now,
		Values:   t.options.values(),
		Drafting: func() bool { return !t.composer.Empty() }, Edits: t.composer.Edits,
	}
	if t.list != nil {
		env.Diffs = t.list.Diffs()
	}
	return env
}

// do performs an action of the top dialog.
func (p *panel) do(action dialog.Action) tea.Cmd {
	t := p.tab
	switch a := action.(type) {
	case dialog.Close:
		return p.close()
	case dialog.Do:
		t.dialogs.Pop()
		return a()
	case dialog.Stay:
		return a()
	case dialog.Answer:
		if err := t.session.Answer(a.ID, a.Option); err != nil {
			return t.say(err.Error())
		}
	case dialog.RejectWith:
		return t.questions.RejectWith(a)
	case dialog.Another:
		return t.questions.Another(a.By)
	case dialog.Edit:
		return t.questions.Edit(a.Text)
	case dialog.ProposeRules:
		t.rules().Propose(a.ID)
	case dialog.SaveRules:
		return t.rules().Save(a)
	case dialog.CancelTurn:
		if !t.session.Cancel() {
			return t.say("no turn is running: choose one of the options")
		}
	case dialog.StartAgent:
		t.dialogs.Pop()
		return t.starter.startChosen(a.Agent)
	case dialog.OpenSession:
		t.dialogs.Pop()
		return t.actions.openSession(a.Session)
	case dialog.Run:
		t.dialogs.Pop()
		return t.actions.run(a.Action)
	case dialog.SetOption:
		t.dialogs.Pop()
		t.session.SetOption(a.Option, a.Value)
	case dialog.Toggle:
		t.session.SetOption(a.Option, a.Value)
	case dialog.Push:
		if d := a(); d != nil {
			t.dialogs.Push(d)
		}
	case dialog.Copy:
		return t.actions.copy("the address", a.Text)
	case dialog.Show:
		t.dialogs.Push(newPagerOf(t, a.Call, a.Head, t.dialogs.Top()))
	case dialog.Elicit:
		t.session.AnswerElicitation(a.ID, a.Response)
	case dialog.OpenURL:
		return p.openURL(a)
	case dialog.SignIn:
		return t.signIn.Begin(a.Method)
	}
	return nil
}

// close closes the top dialog without a choice.
func (p *panel) close() tea.Cmd {
	t := p.tab
	if t.signIn.Asks() {
		t.signIn.Dismiss()
	} else {
		t.dialogs.Pop()
	}
	if t.session == nil && t.dialogs.Empty() {
		return send(Leave{t.id}) // nothing is behind the choice of an agent
	}
	return nil
}

// openURL opens an address that the person has agreed to.
func (p *panel) openURL(a dialog.OpenURL) tea.Cmd {
	t := p.tab
	t.session.AnswerElicitation(a.ID, acpclient.CreateElicitationResponse{Action: acpclient.ElicitAccept})
	asked, _ := t.dialogs.Top().(dialog.Trying)
	return open(a.URL, func(err error) tea.Cmd {
		if asked == nil {
			return t.say(err.Error())
		}
		asked.Failed(err)
		return nil
	})
}
