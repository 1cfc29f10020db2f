package tab

import (
	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/tui/dialog"
)

// env is what a dialog is made with.
func (t *Tab) env() dialog.Env {
	p := t.program
	env := dialog.Env{
		Theme: p.Theme, Keys: p.Keys, Guard: p.Guard, Cwd: t.cwd, Sites: t.sites.Known(), Reach: t.questions.Reach(), Now: p.Now,
		Drafting: func() bool { return !t.composer.Empty() }, Edits: t.composer.Edits,
	}
	if t.list != nil {
		env.Diffs = t.list.Diffs()
	}
	return env
}

// take carries out what was decided in the dialog on top; taken is false if the
// key, paste or click was not for it.
func (t *Tab) take(action dialog.Action) (cmd tea.Cmd, taken bool) {
	if _, no := action.(dialog.NotTaken); no {
		return nil, false
	}
	return t.do(action), true
}

// do carries out what was decided in the dialog on top.
func (t *Tab) do(action dialog.Action) tea.Cmd {
	switch a := action.(type) {
	case dialog.Close:
		return t.closeDialog()
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
		return t.startAgent(a.Agent)
	case dialog.OpenSession:
		t.dialogs.Pop()
		return t.openSession(a.Session)
	case dialog.Run:
		t.dialogs.Pop()
		return t.run(a.Action)
	case dialog.SetOption:
		t.dialogs.Chosen()
		t.session.SetOption(a.Option, a.Value)
	case dialog.Copy:
		return t.copy("the address", a.Text)
	case dialog.Pass:
		return t.run(a.Action)
	case dialog.Show:
		t.dialogs.Push(newPagerOf(t, a.Call, a.Head, t.dialogs.Top()))
	case dialog.Elicit:
		t.session.AnswerElicitation(a.ID, a.Response)
	case dialog.OpenURL:
		return t.openURL(a)
	case dialog.SignIn:
		t.signIn.ByAgent(a.Method)
	case dialog.SignInTerminal:
		return t.signIn.OnTerminal(a.Method)
	}
	return nil
}

// closeDialog closes the dialog on top, in which nothing was chosen.
func (t *Tab) closeDialog() tea.Cmd {
	if t.signIn.Asks() {
		t.signIn.Dismiss()
	} else {
		t.dialogs.Pop()
	}
	if t.session == nil && t.dialogs.Empty() {
		return send(Leave{t.id}) // there is nothing behind the choice of an agent
	}
	return nil
}

// failedMsg tells a dialog that what was tried from it went wrong.
type failedMsg struct {
	dialog dialog.Trying
	err    error
}

// openURL opens an address that the person has agreed to.
func (t *Tab) openURL(a dialog.OpenURL) tea.Cmd {
	t.session.AnswerElicitation(a.ID, acpclient.CreateElicitationResponse{Action: acpclient.ElicitAccept})
	asked, _ := t.dialogs.Top().(dialog.Trying)
	return open(a.URL, func(err error) tea.Msg {
		if asked == nil {
			return ErrorMsg{Err: err}
		}
		return failedMsg{asked, err}
	})
}
