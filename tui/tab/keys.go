package tab

import (
	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/docs"
	"parley/tui/pages"
)

// run performs an action; the empty action does nothing.
func (ac *actions) run(a config.Action) tea.Cmd {
	t := ac.tab
	if a != config.ActionInterrupt {
		t.lifecycle.Acted()
	}
	if cmd, other := ac.inReplay(a); !other {
		return cmd
	}
	if a != config.ActionCancel {
		t.queue.Acted()
	}
	switch a {
	case config.ActionNextMode:
		return nextMode(t)
	case config.ActionMode:
		return categoryList(t, "this agent has no modes", acpclient.CategoryMode)
	case config.ActionModel:
		return categoryList(t, "this agent offers no models", acpclient.CategoryModel, acpclient.CategoryModelConfig)
	case config.ActionThoughtLevel:
		return categoryList(t, "this agent offers no thought levels", acpclient.CategoryThoughtLevel)
	case config.ActionOptions:
		return optionsList(t)
	case config.ActionChanges:
		return ac.showChanges()
	case config.ActionInspector:
		return ac.inspect()
	case config.ActionPalette:
		openPalette(t, ac.otherItems(), ac.runChosen, ac.unavailable)
	case config.ActionHelp:
		t.dialogs.Push(pages.NewHelp(t.env(), ac.keysNow()...))
	case config.ActionGuide:
		t.dialogs.Push(pages.NewGuide(t.env(), "Guide", docs.Guide()))
	case config.ActionNews:
		ac.showNews()
	case config.ActionCancel:
		return t.lifecycle.Cancel()
	case config.ActionInterrupt:
		return t.lifecycle.Interrupt()
	case config.ActionQuit:
		return t.lifecycle.Leave()
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
		t.globalKeys.lendMouse()
	default:
		return ac.runOnPrompt(a)
	}
	return nil
}

// runOnPrompt performs the actions of the prompt, the queue and shell commands.
func (ac *actions) runOnPrompt(a config.Action) tea.Cmd {
	t := ac.tab
	switch a {
	case config.ActionSend:
		return t.queue.SendNothing()
	case config.ActionSendNow:
		return t.queue.SendNow()
	case config.ActionQueue:
		return t.queue.Show()
	case config.ActionHistoryPrev:
		return t.queue.Recall()
	case config.ActionPasteImage:
		return t.images.Paste(t.composer)
	case config.ActionAddOutput:
		return t.commands.AddOutput(t.commands.Last())
	case config.ActionTerminal:
		return t.commands.StepIntoRunning()
	}
	return ac.runAmongTabs(a)
}

// runAmongTabs performs the actions of sessions and tabs.
func (ac *actions) runAmongTabs(a config.Action) tea.Cmd {
	t := ac.tab
	switch a {
	case config.ActionSessions:
		return openSessionList(t)
	case config.ActionQuestions:
		return openQuestionList(t)
	case config.ActionNewSession:
		return ac.newSession()
	case config.ActionNewAgent:
		return ac.chooseAnother()
	case config.ActionNextTab:
		t.tabs().Step(1)
	case config.ActionPrevTab:
		t.tabs().Step(-1)
	case config.ActionRenameTab:
		ac.renameTab()
	case config.ActionCloseTab:
		return t.lifecycle.Close()
	case config.ActionStartAgain:
		switch {
		case t.stored.untrusted != nil && !t.dialogs.Asks():
			t.starter.askToTrust()
			return nil
		case t.stored.readOnly != "":
			return t.say(t.stored.readOnly)
		}
		return t.lifecycle.StartAgain()
	case config.ActionExport:
		return chooseExport(t, ac.source())
	}
	return nil
}

// composerActive reports whether the prompt has, or will soon have, a recipient.
func (t *Tab) composerActive() bool {
	return t.replay == nil && t.session != nil || t.starting != nil || t.reopening != nil
}
