package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/tui/dialog"
)

// keyName is the key to show for an action.
func (m *Model) keyName(a config.Action) string {
	if keys := m.keys.For(a); len(keys) > 0 {
		return keys[0]
	}
	return "no key"
}

// key takes a key press: a dialog comes first, unless it is inert, then the
// transcript if it has the focus, then what works everywhere, then the prompt.
func (m *Model) key(k tea.KeyPressMsg) tea.Cmd {
	name := k.String()
	if m.guard.Bounced(name) {
		return nil
	}
	if d := m.top(); d != nil {
		if m.keys.Match(config.ActionInterrupt, name) {
			if _, asked := d.(dialog.Guarded); !asked {
				return m.do(dialog.Close{}) // what the person has opened
			}
			return m.interrupt()
		}
		action := d.Key(k)
		if _, no := action.(dialog.NotTaken); !no {
			return m.do(action)
		}
		return m.promptKey(k, name)
	}
	if m.transcriptFocused() {
		if cmd, taken := m.transcriptKey(name); taken {
			return cmd
		}
	}
	return m.promptKey(k, name)
}

// promptKey gives a key to the prompt, or does what it does everywhere.
func (m *Model) promptKey(k tea.KeyPressMsg, name string) tea.Cmd {
	a, bound := m.keys.Action(config.ContextPrompt, name)
	if !m.composerActive() || m.transcriptFocused() && bound && !config.Types(name) {
		return m.run(a)
	}
	m.guard.Typed()
	empty := m.composer.Empty()
	result, cmd := m.composer.Key(k)
	switch {
	case !result.Used:
		return tea.Batch(cmd, m.run(a))
	case result.Prompt != nil:
		cmd = tea.Batch(cmd, m.submit(*result.Prompt))
	case empty && m.keys.Match(config.ActionSend, name):
		cmd = tea.Batch(cmd, m.sendNothing())
	case empty && m.keys.Match(config.ActionHistoryPrev, name) && len(m.conv.Queue) > 0:
		m.composer.SetText("")
		cmd = tea.Batch(cmd, m.recall())
	}
	m.leaving = time.Time{}
	if m.transcriptFocused() {
		m.list.Focus(false)
	}
	return cmd
}

// run does what an action says; no action is nothing.
func (m *Model) run(a config.Action) tea.Cmd {
	if a != config.ActionInterrupt {
		m.leaving = time.Time{}
	}
	switch a {
	case config.ActionSend:
		return m.sendNothing()
	case config.ActionNextMode:
		return m.nextMode()
	case config.ActionMode:
		return m.choose(dialog.NewModes, "this agent has no modes")
	case config.ActionModel:
		return m.choose(dialog.NewModels, "this agent offers no models")
	case config.ActionThoughtLevel:
		return m.choose(newThoughtLevels, "this agent offers no thought levels")
	case config.ActionOptions:
		return m.showOptions()
	case config.ActionPalette:
		m.push(m.palette())
	case config.ActionHelp:
		m.push(dialog.NewHelp(m.env()))
	case config.ActionCancel:
		return m.cancel()
	case config.ActionInterrupt:
		return m.interrupt()
	case config.ActionQuit:
		switch {
		case !m.composer.Empty():
		case m.conv != nil && m.conv.Turn.Running:
			m.push(m.leaveTurn())
		default:
			return m.quit()
		}
	case config.ActionFocusTranscript:
		if m.list != nil && len(m.conv.Items) > 0 {
			m.list.Focus(true)
		}
	case config.ActionPageUp, config.ActionPageDown, config.ActionScrollTop, config.ActionScrollBottom:
		m.scroll(a)
	case config.ActionHistoryPrev:
		return m.recall()
	case config.ActionSessions:
		return m.showSessions()
	case config.ActionNewSession:
		return m.newSession()
	}
	return nil
}

func (m *Model) scroll(a config.Action) {
	if m.list == nil {
		return
	}
	switch a {
	case config.ActionPageUp:
		m.list.Page(-1)
	case config.ActionPageDown:
		m.list.Page(1)
	case config.ActionScrollTop:
		m.list.Top()
	case config.ActionScrollBottom:
		m.list.Bottom()
	}
}

func (m *Model) transcriptFocused() bool { return m.list != nil && m.list.Focused() }

// composerActive reports whether there is something that a prompt could go to.
func (m *Model) composerActive() bool { return m.session != nil }

// transcriptKey takes a key while the transcript has the focus.
func (m *Model) transcriptKey(name string) (tea.Cmd, bool) {
	if m.keys.Match(config.ActionCancel, name) {
		m.list.Focus(false)
		return nil, true
	}
	a, ok := m.keys.Action(config.ContextTranscript, name)
	if !ok {
		return nil, false
	}
	switch a {
	case config.ActionItemNext:
		m.list.Select(1)
	case config.ActionItemPrev:
		m.list.Select(-1)
	case config.ActionItemFirst:
		m.list.Select(-len(m.conv.Items))
	case config.ActionItemLast:
		m.list.Select(len(m.conv.Items))
	case config.ActionItemExpand:
		m.list.Toggle()
	case config.ActionItemCopy:
		return m.copyItem(), true
	case config.ActionItemOpen:
		return m.openItem(), true
	case config.ActionFocusPrompt:
		m.list.Focus(false)
	default:
		return nil, false
	}
	return nil, true
}

// interrupt clears the draft, then cancels the turn, then leaves on a second
// press.
func (m *Model) interrupt() tea.Cmd {
	switch {
	case len(m.dialogs) == 0 && !m.composer.Empty():
		return m.composer.Clear()
	case m.session != nil && m.conv.Turn.Running && m.conv.Turn.Cancelling.IsZero():
		m.session.Cancel()
		return nil
	case !m.leaving.IsZero() && m.now().Sub(m.leaving) < againTime:
		return m.quit()
	}
	m.leaving = m.now()
	return tea.Tick(againTime, func(time.Time) tea.Msg { return leavingOver{} })
}

// cancel is what esc does when no dialog is open: it cancels the turn, and, if
// the agent does not react to that, offers to stop the agent.
func (m *Model) cancel() tea.Cmd {
	switch {
	case m.session == nil:
		return nil
	case !m.conv.Turn.Running:
		return nil
	case m.conv.Turn.Cancelling.IsZero():
		m.session.Cancel()
	case m.now().Sub(m.conv.Turn.Cancelling) >= slowCancel:
		m.push(m.stuck())
	}
	return nil
}

func (m *Model) quit() tea.Cmd { return tea.Quit }

// paste gives pasted text to whoever has the focus.
func (m *Model) paste(text string) tea.Cmd {
	if d := m.top(); d != nil {
		action := d.Paste(text)
		if _, no := action.(dialog.NotTaken); !no {
			return m.do(action)
		}
	}
	if !m.composerActive() {
		return nil
	}
	m.guard.Typed()
	if m.transcriptFocused() {
		m.list.Focus(false)
	}
	return m.composer.Paste(text)
}

// mouse scrolls what is under the pointer, and selects an item by a click.
func (m *Model) mouse(msg tea.MouseMsg) tea.Cmd {
	at := msg.Mouse()
	if d := m.top(); d != nil && at.Y >= m.area.dialog && at.Y < m.area.dialogEnd {
		action := d.Mouse(msg, at.X, at.Y-m.area.dialog)
		if _, no := action.(dialog.NotTaken); !no {
			return m.do(action)
		}
		return nil
	}
	if m.list == nil {
		return nil
	}
	if _, click := msg.(tea.MouseClickMsg); click && at.Button == tea.MouseLeft {
		if used, cmd := m.composer.Click(at.X, at.Y-m.area.composer); used {
			m.list.Focus(false)
			return cmd
		}
	}
	switch msg.(type) {
	case tea.MouseWheelMsg:
		switch at.Button {
		case tea.MouseWheelUp:
			m.list.Scroll(-wheelLines)
		case tea.MouseWheelDown:
			m.list.Scroll(wheelLines)
		}
	case tea.MouseClickMsg:
		if at.Button == tea.MouseLeft && at.Y < m.area.dialog {
			again := m.list.Focused() && m.list.Selected() != nil
			was := m.list.Selected()
			if m.list.SelectAt(at.Y) && again && was == m.list.Selected() {
				m.list.Toggle()
			}
		}
	}
	return nil
}

// hints are the keys that matter now.
func (m *Model) hints() []dialog.Hint {
	if !m.leaving.IsZero() && m.now().Sub(m.leaving) < againTime {
		return []dialog.Hint{{Key: m.keyName(config.ActionInterrupt), Text: "again to leave"}}
	}
	if d := m.top(); d != nil {
		return d.Hints()
	}
	hint := func(hints []dialog.Hint, a config.Action, words string) []dialog.Hint {
		if keys := m.keys.For(a); len(keys) > 0 {
			hints = append(hints, dialog.Hint{Key: keys[0], Text: words})
		}
		return hints
	}
	var out []dialog.Hint
	if m.transcriptFocused() {
		out = append(out, dialog.Hint{Key: m.keyName(config.ActionItemNext) + "/" + m.keyName(config.ActionItemPrev), Text: "move"})
		out = hint(out, config.ActionItemExpand, "expand")
		out = hint(out, config.ActionItemCopy, "copy")
		out = hint(out, config.ActionItemOpen, "open")
		return hint(out, config.ActionFocusPrompt, "prompt")
	}
	running := m.conv != nil && m.conv.Turn.Running
	if running {
		out = hint(out, config.ActionCancel, "cancel")
		out = hint(out, config.ActionSend, "queue")
	} else {
		out = hint(out, config.ActionSend, "send")
	}
	if m.conv != nil {
		if name, _ := m.conv.CurrentMode(); name != "" {
			out = hint(out, config.ActionNextMode, "mode")
		}
		if len(m.conv.Options) > 0 {
			out = hint(out, config.ActionOptions, "options")
		}
	}
	out = append(out, dialog.Hint{Key: "/", Text: "commands"}, dialog.Hint{Key: "@", Text: "files"})
	out = hint(out, config.ActionFocusTranscript, "transcript")
	out = hint(out, config.ActionPalette, "palette")
	return hint(out, config.ActionHelp, "help")
}
