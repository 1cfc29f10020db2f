package tab

import (
	tea "charm.land/bubbletea/v2"

	"parley/config"
)

// promptLayer is the layer of the composer and what surrounds it: completions, earlier prompts,
// activity, the plan and the queue.
type promptLayer struct {
	tab     *Tab
	rule    cachedLine
	line    int         // first line of the composer in the last drawing
	popup   int         // lines of completions above it
	finding *tea.Cursor // cursor in the find field, or nil
}

// key gives a key to the composer. While the transcript or a question has the focus and
// the prompt is empty, it takes only keys that type text.
func (p *promptLayer) key(k tea.KeyPressMsg, name string) (tea.Cmd, bool) {
	t := p.tab
	a, bound := t.program.Keys.Action(config.ContextPrompt, name)
	if !config.Types(name) {
		if t.reader.Focused() && bound {
			return nil, false
		}
		if t.composer.Empty() && !t.composer.Chooses() && t.dialogs.Asks() && t.focus() == layer(t.panel) {
			return nil, false
		}
	}
	return p.write(k, name, a)
}

// write gives a key to the composer and performs the result.
func (p *promptLayer) write(k tea.KeyPressMsg, name string, a config.Action) (tea.Cmd, bool) {
	t := p.tab
	t.program.Guard.Typed()
	empty := t.composer.Empty()
	result, cmd := t.composer.Key(k)
	switch {
	case !result.Used && a == config.ActionFocusTranscript && t.dialogs.Asks() && t.program.Keys.Match(config.ActionRejectWords, name):
		return cmd, true // it was meant for the question, which took no keys yet
	case !result.Used:
		return cmd, false
	case result.Copy != "":
		cmd = tea.Batch(cmd, t.actions.copy("", result.Copy))
	case result.Unknown != "":
		t.actions.askUnknownCommand(result.Unknown, *result.Prompt)
	case result.Prompt != nil:
		cmd = tea.Batch(cmd, t.queue.Submit(*result.Prompt))
	case result.Command != nil && t.stored.readOnly != "":
		cmd = tea.Batch(cmd, t.say(t.stored.readOnly))
	case result.Command != nil:
		cmd = tea.Batch(cmd, t.commands.Run(*result.Command))
	case result.Own != "":
		cmd = tea.Batch(cmd, t.actions.runSlashCommand(result.Own, result.Argument))
	case empty && t.program.Keys.Match(config.ActionSend, name):
		cmd = tea.Batch(cmd, t.queue.SendNothing())
	case empty && t.program.Keys.Match(config.ActionHistoryPrev, name) && t.queue.Queued() > 0:
		t.composer.SetText("")
		cmd = tea.Batch(cmd, t.queue.Recall())
	}
	t.lifecycle.Acted()
	t.queue.Typed()
	t.reader.Blur()
	return cmd, true
}

// typeLetters types letters that had selected an answer and turned out to be text.
func (p *promptLayer) typeLetters() tea.Cmd {
	var all tea.Cmd
	for _, k := range p.tab.dialogs.Typed() {
		if p.tab.composerActive() && p.tab.replay == nil {
			cmd, _ := p.write(k, k.String(), "")
			all = tea.Batch(all, cmd)
		}
	}
	return all
}

func (p *promptLayer) paste(text string) (tea.Cmd, bool) {
	t := p.tab
	t.program.Guard.Typed()
	t.reader.Blur()
	if text == "" {
		return t.images.Paste(t.composer), true // terminals paste "" if the clipboard holds no text
	}
	return t.composer.Paste(text), true
}

// mouse sets the cursor and selects text.
func (p *promptLayer) mouse(msg tea.MouseMsg) (tea.Cmd, bool) {
	t, at := p.tab, msg.Mouse()
	switch msg.(type) {
	case tea.MouseClickMsg:
		if at.Button != tea.MouseLeft {
			return nil, false
		}
		used, cmd := t.composer.Click(at.X, t.area.composerLine(at.Y))
		if used {
			t.reader.Unfocus()
		}
		return cmd, used
	case tea.MouseMotionMsg:
		if t.composer.Dragging() {
			t.composer.Drag(at.X, t.area.composerRow(at.Y))
			return nil, true
		}
	case tea.MouseReleaseMsg:
		if t.composer.Dragging() {
			t.composer.Release()
			return nil, true
		}
	}
	return nil, false
}
