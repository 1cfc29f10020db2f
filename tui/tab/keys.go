package tab

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/docs"
	"parley/tui/dialog"
	"parley/tui/transcript"
)

// key takes a key press: a dialog comes first, unless it is inert, then the
// transcript if it has the focus, then what works everywhere, then the prompt.
func (t *Tab) key(k tea.KeyPressMsg) tea.Cmd {
	name := k.String()
	if t.program.Guard.Bounced(name) {
		return nil
	}
	t.program.Guard.Forget()
	if t.held.dialog != nil {
		return t.follow(k)
	}
	if t.program.Keys.Match(config.ActionPlan, name) { // also while a question is open
		return t.run(config.ActionPlan)
	}
	if d := t.dialogs.Top(); d != nil {
		if t.program.Keys.Match(config.ActionInterrupt, name) {
			if !t.dialogs.Asks() {
				return t.closeDialog() // what the person has opened
			}
			return t.interrupt()
		}
		action := d.Key(k)
		if h, ok := action.(dialog.Hold); ok {
			return t.hold(d.(dialog.Guarded), h.Key)
		}
		if cmd, taken := t.take(action); taken {
			return cmd
		}
		return t.promptKey(k, name)
	}
	if t.transcriptFocused() {
		if cmd, taken := t.transcriptKey(name); taken {
			return cmd
		}
	}
	return t.promptKey(k, name)
}

// promptKey gives a key to the prompt, or does what it does everywhere.
func (t *Tab) promptKey(k tea.KeyPressMsg, name string) tea.Cmd {
	a, bound := t.program.Keys.Action(config.ContextPrompt, name)
	if !t.composerActive() || t.transcriptFocused() && bound && !config.Types(name) {
		return t.run(a)
	}
	t.program.Guard.Typed()
	empty := t.composer.Empty()
	result, cmd := t.composer.Key(k)
	switch {
	case !result.Used:
		return tea.Batch(cmd, t.run(a))
	case result.Prompt != nil:
		cmd = tea.Batch(cmd, t.submit(*result.Prompt))
	case empty && t.program.Keys.Match(config.ActionSend, name):
		cmd = tea.Batch(cmd, t.sendNothing())
	case empty && t.program.Keys.Match(config.ActionHistoryPrev, name) && t.conv != nil && len(t.conv.Queue) > 0:
		t.composer.SetText("")
		cmd = tea.Batch(cmd, t.recall())
	}
	t.leaving = time.Time{}
	if t.transcriptFocused() {
		t.list.Focus(false)
	}
	return cmd
}

// run does what an action says; no action is nothing.
func (t *Tab) run(a config.Action) tea.Cmd {
	if a != config.ActionInterrupt {
		t.leaving = time.Time{}
	}
	switch a {
	case config.ActionSend:
		return t.sendNothing()
	case config.ActionNextMode:
		return t.nextMode()
	case config.ActionMode:
		return t.choose(acpclient.CategoryMode, "this agent has no modes")
	case config.ActionModel:
		return t.choose(acpclient.CategoryModel, "this agent offers no models")
	case config.ActionThoughtLevel:
		return t.choose(acpclient.CategoryThoughtLevel, "this agent offers no thought levels")
	case config.ActionOptions:
		return t.showOptions()
	case config.ActionPlan:
		t.planOpen = !t.planOpen
	case config.ActionPalette:
		t.showPalette()
	case config.ActionHelp:
		t.dialogs.Push(dialog.NewHelp(t.env()))
	case config.ActionGuide:
		t.dialogs.Push(dialog.NewGuide(t.env(), docs.Guide()))
	case config.ActionCancel:
		return t.cancel()
	case config.ActionInterrupt:
		return t.interrupt()
	case config.ActionQuit:
		return t.leave()
	case config.ActionSuspend:
		return send(Suspend{})
	case config.ActionFocusTranscript:
		if t.list != nil && len(t.conv.Items) > 0 {
			t.list.Focus(true)
		}
	case config.ActionPageUp, config.ActionPageDown, config.ActionScrollTop, config.ActionScrollBottom:
		scroll(t.list, a)
	case config.ActionHistoryPrev:
		return t.recall()
	case config.ActionSessions:
		return t.showSessions()
	case config.ActionNewSession:
		return t.newSession()
	}
	return nil
}

// scroll scrolls the transcript, which may be nil.
func scroll(l *transcript.List, a config.Action) {
	switch {
	case l == nil:
	case a == config.ActionPageUp:
		l.Page(-1)
	case a == config.ActionPageDown:
		l.Page(1)
	case a == config.ActionScrollTop:
		l.Top()
	case a == config.ActionScrollBottom:
		l.Bottom()
	}
}

func (t *Tab) transcriptFocused() bool { return t.list != nil && t.list.Focused() }

// composerActive reports whether there is something that a prompt could go to, or
// soon will be.
func (t *Tab) composerActive() bool { return t.session != nil || t.starting }

// transcriptKey takes a key while the transcript has the focus.
func (t *Tab) transcriptKey(name string) (tea.Cmd, bool) {
	if t.program.Keys.Match(config.ActionCancel, name) {
		t.list.Focus(false)
		return nil, true
	}
	a, ok := t.program.Keys.Action(config.ContextTranscript, name)
	if !ok {
		return nil, false
	}
	switch a {
	case config.ActionItemNext:
		t.list.Select(1)
	case config.ActionItemPrev:
		t.list.Select(-1)
	case config.ActionItemFirst:
		t.list.Select(-len(t.conv.Items))
	case config.ActionItemLast:
		t.list.Select(len(t.conv.Items))
	case config.ActionItemExpand:
		t.list.Toggle()
	case config.ActionItemCopy:
		return t.copyItem(), true
	case config.ActionItemOpen:
		return t.openItem(), true
	case config.ActionDiffSplit:
		return t.toggleDiffs(), true
	case config.ActionDiffContext:
		t.list.WidenContext()
	case config.ActionFocusPrompt:
		t.list.Focus(false)
	default:
		return nil, false
	}
	return nil, true
}

// toggleDiffs shows changes side by side, or no longer.
func (t *Tab) toggleDiffs() tea.Cmd {
	if !t.list.ToggleDiffs() {
		return t.say("the window is too narrow to show changes side by side")
	}
	return nil
}

// paste gives pasted text to whoever has the focus.
func (t *Tab) paste(text string) tea.Cmd {
	held := t.release()
	return tea.Batch(held, t.pasted(text))
}

func (t *Tab) pasted(text string) tea.Cmd {
	if d := t.dialogs.Top(); d != nil {
		if cmd, taken := t.take(d.Paste(text)); taken {
			return cmd
		}
	}
	if !t.composerActive() {
		return nil
	}
	t.program.Guard.Typed()
	if t.transcriptFocused() {
		t.list.Focus(false)
	}
	return t.composer.Paste(text)
}
