package tab

import (
	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/docs"
	"parley/tui/dialog"
	"parley/tui/pages"
)

// key takes a key press: a dialog comes first, unless it is inert or a question
// that waits while something is read, then the transcript if it has the focus, then
// what works everywhere, then the prompt.
func (t *Tab) key(k tea.KeyPressMsg) tea.Cmd {
	name := k.String()
	switch {
	case t.commands.Inside():
		return t.commands.Key(k, name)
	case t.replay != nil:
		return t.replayKey(k, name)
	}
	if t.takesMouseBack(name) || t.reader.Unmarks(name) || t.program.Guard.Bounced(name) {
		return nil
	}
	t.program.Guard.Forget()
	if t.held.Held() {
		return t.held.Follow(k)
	}
	if t.news && !t.dialogs.Asks() && t.program.Keys.Match(config.ActionNews, name) { // also above the first screen
		return t.run(config.ActionNews)
	}
	if t.program.Keys.Match(config.ActionPlan, name) { // also while a question is open
		return t.run(config.ActionPlan)
	}
	if cmd, taken := t.tabKey(name); taken {
		return cmd
	}
	d := t.dialogs.Top()
	if t.reader.Reads() {
		if cmd, taken := t.reader.Key(k, name); taken {
			return cmd
		}
		if d != nil {
			return t.besideQuestion(name)
		}
	} else if d != nil {
		return t.dialogKey(d, k, name)
	}
	return t.promptKey(k, name)
}

// dialogKey gives a key to the dialog on top.
func (t *Tab) dialogKey(d dialog.Dialog, k tea.KeyPressMsg, name string) tea.Cmd {
	if t.program.Keys.Match(config.ActionInterrupt, name) {
		switch p, _ := d.(*dialog.Permission); {
		case !t.dialogs.Asks():
			return t.closeDialog() // what the person has opened
		case p != nil && p.StopWriting(name):
			return nil
		}
		return t.ending.Interrupt()
	}
	if t.choosesFor(name) {
		return t.promptKey(k, name)
	}
	action := d.Key(k)
	if h, ok := action.(dialog.Hold); ok {
		return t.held.Hold(d.(dialog.Guarded), h.Key)
	}
	if cmd, taken := t.take(action); taken {
		return cmd
	}
	return t.promptKey(k, name)
}

// choosesFor reports whether a key is for the list of completions, or of earlier
// prompts, below a question: it is the prompt's that the person writes meanwhile.
func (t *Tab) choosesFor(name string) bool {
	if !t.dialogs.Asks() || !t.composer.Chooses() {
		return false
	}
	if t.composer.Searching() {
		return true // whatever is typed is searched for
	}
	a, _ := t.program.Keys.Action(config.ContextPrompt, name)
	return a == config.ActionSend || a == config.ActionCancel || name == "up" || name == "down" || name == "tab"
}

// besideQuestion takes a key that means nothing to the transcript, which is being
// read while a question waits. It never answers the question, nor does it go to
// the prompt.
func (t *Tab) besideQuestion(name string) tea.Cmd {
	a, _ := t.program.Keys.Action(config.ContextPrompt, name)
	switch {
	case config.Types(name):
		return t.say(t.keyOf(config.ActionFocusPrompt) + " goes back to the question")
	case a == config.ActionInterrupt:
		return t.ending.Interrupt()
	case a == config.ActionFind, a == config.ActionLendMouse:
		return t.run(a)
	}
	t.reader.Move(a)
	return nil
}

// promptKey gives a key to the prompt, or does what it does everywhere.
func (t *Tab) promptKey(k tea.KeyPressMsg, name string) tea.Cmd {
	a, bound := t.program.Keys.Action(config.ContextPrompt, name)
	if !t.composerActive() || t.reader.Focused() && bound && !config.Types(name) {
		return t.run(a)
	}
	t.program.Guard.Typed()
	empty := t.composer.Empty()
	result, cmd := t.composer.Key(k)
	switch {
	case !result.Used && a == config.ActionFocusTranscript && t.dialogs.Asks() && t.program.Keys.Match(config.ActionRejectWords, name):
		return cmd // it was meant for the question, too early
	case !result.Used:
		return tea.Batch(cmd, t.run(a))
	case result.Copy != "":
		cmd = tea.Batch(cmd, t.copy("", result.Copy))
	case result.Prompt != nil:
		cmd = tea.Batch(cmd, t.outbox.Submit(*result.Prompt))
	case result.Command != nil && t.back.readOnly != "":
		cmd = tea.Batch(cmd, t.say(t.back.readOnly))
	case result.Command != nil:
		cmd = tea.Batch(cmd, t.commands.Run(*result.Command))
	case result.Own != "":
		cmd = tea.Batch(cmd, t.runOwn(result.Own))
	case empty && t.program.Keys.Match(config.ActionSend, name):
		cmd = tea.Batch(cmd, t.outbox.SendNothing())
	case empty && t.program.Keys.Match(config.ActionHistoryPrev, name) && t.conv != nil && len(t.conv.Queue) > 0:
		t.composer.SetText("")
		cmd = tea.Batch(cmd, t.outbox.Recall())
	}
	t.ending.Acted()
	t.outbox.Typed()
	if t.reader.Focused() {
		t.reader.Unfocus()
	}
	return cmd
}

// run does what an action says; no action is nothing.
func (t *Tab) run(a config.Action) tea.Cmd {
	if a != config.ActionInterrupt {
		t.ending.Acted()
	}
	if cmd, other := t.inReplay(a); !other {
		return cmd
	}
	if a != config.ActionCancel {
		t.outbox.Acted()
	}
	switch a {
	case config.ActionNextMode:
		return nextMode(t)
	case config.ActionMode:
		return categoryList(t, acpclient.CategoryMode, "this agent has no modes")
	case config.ActionModel:
		return categoryList(t, acpclient.CategoryModel, "this agent offers no models")
	case config.ActionThoughtLevel:
		return categoryList(t, acpclient.CategoryThoughtLevel, "this agent offers no thought levels")
	case config.ActionOptions:
		return optionsList(t)
	case config.ActionPlan:
		t.planOpen = !t.planOpen
	case config.ActionChanges:
		return t.showChanges()
	case config.ActionInspector:
		return t.inspect()
	case config.ActionPalette:
		openPalette(t, t.otherItems(), t.runChosen)
	case config.ActionHelp:
		t.dialogs.Push(pages.NewHelp(t.env()))
	case config.ActionGuide:
		t.dialogs.Push(pages.NewGuide(t.env(), "Guide", docs.Guide()))
	case config.ActionNews:
		t.showNews()
	case config.ActionCancel:
		return t.ending.Cancel()
	case config.ActionInterrupt:
		return t.ending.Interrupt()
	case config.ActionQuit:
		return t.ending.Leave()
	case config.ActionSuspend:
		return send(Suspend{})
	case config.ActionFocusTranscript:
		if t.list != nil && len(t.conv.Items) > 0 {
			t.list.Focus(true)
		}
	case config.ActionFind, config.ActionPageUp, config.ActionPageDown, config.ActionLineUp, config.ActionLineDown,
		config.ActionScrollTop, config.ActionScrollBottom:
		if t.reader != nil {
			t.reader.Do(a)
		}
	case config.ActionLendMouse:
		t.lendMouse()
	default:
		return t.runOnPrompt(a)
	}
	return nil
}

// runOnPrompt does what is about the prompt, what waits, and commands of the person's.
func (t *Tab) runOnPrompt(a config.Action) tea.Cmd {
	switch a {
	case config.ActionSend:
		return t.outbox.SendNothing()
	case config.ActionSendNow:
		return t.outbox.SendNow()
	case config.ActionQueue:
		return t.outbox.Show()
	case config.ActionHistoryPrev:
		return t.outbox.Recall()
	case config.ActionPasteImage:
		return t.images.Paste(t.composer)
	case config.ActionAddOutput:
		return t.commands.AddOutput(t.commands.Last())
	case config.ActionTerminal:
		return t.commands.StepIntoRunning()
	}
	return t.runAmongTabs(a)
}

// runAmongTabs does what is about sessions and their tabs.
func (t *Tab) runAmongTabs(a config.Action) tea.Cmd {
	switch a {
	case config.ActionSessions:
		return t.showSessions()
	case config.ActionNewSession:
		return t.newSession()
	case config.ActionNewAgent:
		return t.chooseAnother()
	case config.ActionNextTab:
		t.row().Step(1)
	case config.ActionPrevTab:
		t.row().Step(-1)
	case config.ActionRenameTab:
		t.renameTab()
	case config.ActionCloseTab:
		return t.ending.Close()
	case config.ActionStartAgain:
		switch {
		case t.back.untrusted != nil && !t.dialogs.Asks():
			t.askToTrust()
			return nil
		case t.back.readOnly != "":
			return t.say(t.back.readOnly)
		}
		return t.ending.StartAgain()
	case config.ActionExport:
		return chooseExport(t, t.source())
	}
	return nil
}

// composerActive reports whether there is something that a prompt could go to, or
// soon will be.
func (t *Tab) composerActive() bool {
	return t.replay == nil && t.session != nil || t.starting != nil || t.reopening != nil
}

// paste gives pasted text to whoever has the focus.
func (t *Tab) paste(text string) tea.Cmd {
	if t.commands.Inside() {
		return t.commands.Paste(text)
	}
	held := t.held.Release()
	return tea.Batch(held, t.pasted(text))
}

func (t *Tab) pasted(text string) tea.Cmd {
	if t.reader.Reads() && t.reader.Writing() {
		return t.reader.Paste(text)
	}
	if d := t.dialogs.Top(); d != nil {
		if cmd, taken := t.take(d.Paste(text)); taken {
			return cmd
		}
	}
	if !t.composerActive() {
		return nil
	}
	t.program.Guard.Typed()
	if t.reader.Focused() {
		t.reader.Unfocus()
	}
	if text == "" {
		return t.images.Paste(t.composer) // so do terminals whose clipboard holds no text
	}
	return t.composer.Paste(text)
}
