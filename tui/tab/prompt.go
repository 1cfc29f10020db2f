package tab

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/tui/composer"
)

// promptMsg is a prompt whose files were read.
type promptMsg struct{ blocks []acpclient.ContentBlock }

// Ask sends a prompt that was written elsewhere, as soon as there is a session.
func (t *Tab) Ask(text string) tea.Cmd {
	return t.address(t.submit(composer.NewPrompt(text, t.cwd)))
}

// submit sends a prompt. One that was taken out of the queue goes back to its place.
func (t *Tab) submit(p composer.Prompt) tea.Cmd {
	o := outgoing{Prompt: p, back: t.requeue}
	t.requeue = 0
	return t.submitAs(o)
}

// submitAs sends a prompt. The files that it mentions are read on the way, one
// prompt after the other, so that they arrive in order.
func (t *Tab) submitAs(p outgoing) tea.Cmd {
	if why := t.cannotSend(); why != "" {
		t.composer.Restore(p.Prompt)
		return t.desk.Say(why)
	}
	if why := t.cannotTake(p.Prompt); why != "" {
		t.composer.Restore(p.Prompt)
		return t.desk.Say(why)
	}
	t.last = &p.Prompt
	t.news = false
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
	if t.session == nil || len(t.outbox) == 0 {
		return nil // the agent was left while it started
	}
	said := t.hand(t.outbox[0], t.withTold(msg.blocks))
	t.outbox = t.outbox[1:]
	if t.gone() {
		return tea.Batch(t.readPrompt(), t.desk.Say("kept, not sent: "+t.howToStart()+" starts the agent again"))
	}
	return tea.Batch(t.readPrompt(), said)
}

// giveBack puts prompts that cannot be sent back into the draft: those that have
// waited for the session, and those on their way to it.
func (t *Tab) giveBack(waited ...conversation.QueuedPrompt) {
	var texts []string
	for _, q := range waited {
		texts = append(texts, queuedText(q))
	}
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
	if t.gone() && len(t.conv.Queue) > 0 {
		return t.desk.Say("the agent has gone: " + t.howToStart() + " starts it again")
	}
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
		t.requeue = 0
		return t.takeBack(queuedText(q), q.Prompt)
	}
	return nil
}

// queuedText is the text of a prompt that waited.
func queuedText(q conversation.QueuedPrompt) string {
	var text strings.Builder
	for _, b := range q.Prompt {
		text.WriteString(b.Text)
	}
	return text.String()
}
