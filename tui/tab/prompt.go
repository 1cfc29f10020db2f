package tab

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/tui/composer"
)

// promptMsg is a prompt whose files were read.
type promptMsg struct{ blocks []acpclient.ContentBlock }

// submit sends a prompt. The files that it mentions are read on the way, one
// prompt after the other, so that they arrive in order.
func (t *Tab) submit(p composer.Prompt) tea.Cmd {
	if why := t.cannotSend(); why != "" {
		t.composer.SetText(p.Text())
		return t.say(why)
	}
	if t.list != nil {
		t.list.Bottom()
	}
	t.outbox = append(t.outbox, p)
	if len(t.outbox) > 1 {
		return nil
	}
	return t.readPrompt()
}

// readPrompt reads the files of the next prompt, if there is one. While the
// session is being made it waits.
func (t *Tab) readPrompt() tea.Cmd {
	if len(t.outbox) == 0 || t.session == nil {
		return nil
	}
	p, caps := t.outbox[0], t.conv.Agent.Capabilities.PromptCapabilities
	return func() tea.Msg { return promptMsg{p.Blocks(caps)} }
}

func (t *Tab) sent(msg promptMsg) tea.Cmd {
	t.session.Prompt(t.withTold(msg.blocks))
	t.outbox = t.outbox[1:]
	return t.readPrompt()
}

// giveBack puts prompts that cannot be sent back into the draft.
func (t *Tab) giveBack() {
	var texts []string
	for _, p := range t.outbox {
		texts = append(texts, p.Text())
	}
	t.outbox = nil
	if len(texts) > 0 && t.composer.Empty() {
		t.composer.SetText(strings.Join(texts, "\n\n"))
	}
}

// sendNothing is enter on an empty prompt: a queue that a cancel has paused
// goes on.
func (t *Tab) sendNothing() tea.Cmd {
	if t.conv != nil && t.conv.QueuePaused && len(t.conv.Queue) > 0 {
		t.session.ResumeQueue()
	}
	return nil
}

// recall takes the last waiting prompt back into the composer.
func (t *Tab) recall() tea.Cmd {
	if t.conv == nil || len(t.conv.Queue) == 0 || !t.composer.Empty() {
		return nil
	}
	last := t.conv.Queue[len(t.conv.Queue)-1]
	if q, ok := t.session.Unqueue(last.ID); ok {
		var text strings.Builder
		for _, b := range q.Prompt {
			text.WriteString(b.Text)
		}
		t.takeBack(text.String(), q.Prompt)
	}
	return nil
}
