package tab

import (
	"cmp"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/session"
	"parley/internal/termtext"
	"parley/tui/dialog"
)

// panel is the layer of the top dialog: a question, a list or a page. A question passes
// unknown keys down; everything else keeps them.
type panel struct {
	tab   *Tab
	above int // lines of a page above the dialog, as drawn
}

func (p *panel) key(k tea.KeyPressMsg, name string) (tea.Cmd, bool) {
	t := p.tab
	d, asks := t.dialogs.Top(), t.dialogs.Asks()
	if t.reads() {
		return nil, false // the question waits
	}
	if t.program.Keys.Match(command.Interrupt, name) {
		q, _ := d.(*dialog.Permission)
		f, foreign := d.(*foreignQuestion)
		if foreign {
			q = f.permission()
		}
		switch {
		case q != nil && q.StopWriting(name):
			return nil, true
		case !asks || foreign:
			if t.onBoard(d) {
				t.dialogs.Close(d)
			}
			return p.close(), true
		}
		return nil, false
	}
	if p.bereft() {
		return t.say("the question is closed: " + config.ShownKey(name) + " did nothing"), true
	}
	cmd, taken := p.take(d.Key(k))
	switch {
	case !taken && t.onBoard(d):
		a := t.board.Key(k)
		if _, closes := a.(dialog.Close); closes {
			t.dialogs.Close(d)
		}
		return tea.Batch(cmd, p.do(a)), true
	case !taken && !asks:
		return tea.Batch(cmd, p.overList(name)), true
	case p.page() != nil && config.Types(name):
		return cmd, true // text for a prompt that is out of sight
	}
	return cmd, taken
}

// bereft reports whether input may be meant for a question that has just gone, and is for nobody.
func (p *panel) bereft() bool {
	d, asks := p.tab.dialogs.Top(), p.tab.dialogs.Asks()
	return (!asks || p.tab.onBoard(d)) && p.tab.program.Guard.Bereft()
}

// overList handles a key that an open list does not use: it does the key's action if there is
// no prompt behind the list, and otherwise says to close the list first.
func (p *panel) overList(name string) tea.Cmd {
	a, bound := p.tab.program.Keys.Action(config.ContextPrompt, name)
	switch {
	case !bound:
		return p.tab.unbound(name)
	case p.tab.chooses():
		return p.tab.run(a)
	}
	return p.tab.say("close this first: " + config.ShownKey(name) + " waits until then")
}

func (p *panel) paste(text string) (tea.Cmd, bool) {
	if p.tab.reads() {
		return nil, false
	}
	if d := p.tab.dialogs.Top(); !p.tab.onBoard(d) || !p.tab.board.Writes() {
		return p.take(d.Paste(text))
	}
	return p.take(p.tab.board.Paste(text))
}

func (p *panel) mouse(msg tea.MouseMsg) (tea.Cmd, bool) {
	t, at := p.tab, msg.Mouse()
	d := t.dialogs.Top()
	if d == nil || !t.area.onDialog(at.Y) {
		return nil, p.page() != nil
	}
	if isClick(msg) && p.bereft() {
		return nil, true
	}
	if isClick(msg) && t.reader.Reads() {
		t.reader.Unfocus()
	}
	y := at.Y - t.area.dialog
	if t.onBoard(d) {
		d = t.board.Board
	} else if p.page() != nil {
		if y -= p.above; y < 0 {
			return nil, true
		}
	}
	cmd, _ := p.take(d.Mouse(msg, at.X, y))
	return cmd, true
}

// covers reports whether a full-screen page is in sight.
func (p *panel) covers() bool { return p.page() != nil }

// page returns the full-screen page that is in sight: the top dialog, or the one behind it; nil without
// one.
func (p *panel) page() dialog.Dialog {
	return p.tab.dialogs.Topmost(isPage)
}

func isPage(d dialog.Dialog) bool {
	_, is := d.(fullScreenDialog)
	return is
}

func (p *panel) hints() []dialog.Hint { return p.tab.dialogs.Top().Hints() }

// draw draws the top dialog, over the lower part of the page behind it. A question leaves more room
// while the transcript is read.
func (p *panel) draw(width, room int) dialog.View {
	t := p.tab
	d, page := t.dialogs.Top(), p.page()
	switch {
	case d == nil:
		return dialog.View{}
	case d == page, t.onBoard(d):
		words := ""
		if d != page && t.board.Writes() {
			words = "Leave the filter to answer"
		}
		t.program.Guard.Unfocus(words)
		p.above = 0
		return page.View(width, room)
	}
	// A dialog must know that it has no room, so that it takes no answer.
	most := max(0, room*2/3, min(room, 12))
	if t.dialogs.Asks() {
		most = max(0, room)
		if page != nil {
			most = max(room-leastAbove, min(room, 12))
		}
	}
	if t.empty() && page == nil {
		most = max(most, room-welcomeHeight-1) // nothing to see behind it
	}
	words := ""
	if t.reads() {
		most = max(0, room/3, min(room, 4))
		words = t.keyOf(command.FocusPrompt) + " to answer"
	}
	t.program.Guard.Unfocus(words)
	v := d.View(width, most)
	v.Lines = v.Lines[:min(len(v.Lines), max(0, room))]
	if page == nil {
		return v
	}
	behind := page.View(width, room).Lines
	p.above = room - len(v.Lines)
	behind = append(behind, make([]string, max(0, p.above-len(behind)))...)
	v.Lines = append(behind[:p.above], v.Lines...)
	if v.Cursor != nil {
		v.Cursor.Y += p.above
	}
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

// dialogEnv returns what dialogs are created with.
func (t *Tab) dialogEnv() dialog.Env {
	p := t.program
	return dialog.Env{
		Theme: p.Theme, Keys: p.Keys, Guard: p.Guard, Cwd: t.cwd, Facts: &t.facts, Now: p.Now,
		Drafting: func() bool { return !t.composer.Blank() && t.panel.page() == nil }, Asker: t.asker, Sends: t.sends, Edits: t.composer.Edits, Diffs: t.reader.list.Diffs(),
		Press: func() bool { return p.AnswerKey == config.AnswerPresses && t.composer.Blank() },
	}
}

// asker names the agent in its questions over a page, which may be about others.
func (t *Tab) asker() string {
	if t.panel.page() == nil {
		return ""
	}
	a := t.agent()
	return termtext.Line(cmp.Or(a.Name, a.ID))
}

// do performs an action of the top dialog.
func (p *panel) do(action dialog.Action) tea.Cmd {
	t := p.tab
	switch a := action.(type) {
	case dialog.Close:
		return p.close()
	case dialog.Act:
		if !a.Stays {
			t.dialogs.Pop()
		}
		return t.acting.do(a.Do)
	case dialog.Chosen:
		return p.chosen(a.Choice)
	case dialog.Entered:
		t.dialogs.Pop()
		if q := a.Question; q.Enter != nil {
			return t.carryOut(q.Title, func() (app.Outcome, error) { return q.Submit(a.Text) })
		}
		return t.acting.do(func() { a.Question.EnterHere(a.Text) })
	case dialog.Stay:
		return a()
	case dialog.Run:
		t.dialogs.Pop()
		return t.run(a.Action)
	case dialog.Copy:
		return t.copy("the address", a.Text)
	default:
		if l, open := t.live(); open {
			return l.do(a)
		}
	}
	return nil
}

// chosen closes the top dialog and carries out the choice of its question.
func (p *panel) chosen(c app.Choice) tea.Cmd {
	t := p.tab
	if c.Do == nil && c.Here == nil {
		return p.close()
	}
	if !c.Stays {
		t.dialogs.Pop()
	}
	if c.Do != nil {
		return t.carryOut(c.Name, c.Do)
	}
	return t.acting.do(c.Here)
}

// do performs an action of a dialog about the session.
func (l *live) do(action dialog.Action) tea.Cmd {
	switch a := action.(type) {
	case dialog.Answer:
		return l.try(l.Session, a.Act)
	case dialog.RejectWith:
		return l.questions.RejectWith(a)
	case dialog.Another:
		return l.questions.Another(a.By)
	case dialog.Edit:
		return l.questions.Edit(a.Text)
	case dialog.Show:
		l.dialogs.Push(l.reader.pagerOf(a.Call, a.Head, l.dialogs.Top()))
	case dialog.ProposeRules:
		l.questions.proposeRules(a.ID)
	case dialog.CancelTurn:
		return act(l.ui, l.Session, session.Cancel{}, func(running bool, err error) tea.Cmd {
			if err == nil && !running {
				return l.say("no turn is running: choose one of the options")
			}
			return l.sayIf(err)
		})
	case dialog.OpenURL:
		return l.openURL(a)
	}
	return nil
}

// close closes the top dialog without a choice.
func (p *panel) close() tea.Cmd {
	t := p.tab
	t.dialogs.Pop()
	if t.chooses() && t.dialogs.Empty() {
		return send(Leave{t.id}) // nothing is behind the choice of an agent
	}
	return nil
}

// openURL opens an address that the user has agreed to.
func (l *live) openURL(a dialog.OpenURL) tea.Cmd {
	asked, _ := l.dialogs.Top().(*dialog.Link)
	accept := session.Answer{Question: a.Question, Form: &acpclient.CreateElicitationResponse{Action: acpclient.ElicitAccept}}
	return act(l.ui, l.Session, accept, func(_ session.None, err error) tea.Cmd {
		if err != nil {
			return l.say(err.Error())
		}
		return open(a.URL, func(err error) tea.Cmd {
			if asked == nil {
				return l.say(err.Error())
			}
			asked.Failed(err)
			return nil
		})
	})
}

// carryOut carries out an answer in the background, and asks what follows from it. name is what it is
// called.
func (t *Tab) carryOut(name string, do func() (app.Outcome, error)) tea.Cmd {
	return inBackground(func() then {
		out, err := do()
		return func() tea.Cmd {
			if out.Ask != nil {
				t.ask(*out.Ask)
			}
			if err != nil {
				return t.failed("Not done: "+name, err)()
			}
			var read tea.Cmd
			if l, is := t.state.(*live); is {
				read = l.readTemplates() // the user may trust the project now
			}
			if out.Say == "" {
				return read
			}
			return tea.Batch(read, t.say(out.Say))
		}
	})
}
