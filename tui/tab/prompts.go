package tab

import (
	"cmp"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/app"
	"parley/internal/conversation"
	"parley/tui/composer"
	"parley/tui/dialog"
)

// prompts takes the prompts of the composer, and keeps them while a session is made.
type prompts struct {
	tab *Tab

	held    app.HeldPrompts  // for the session that is being opened
	last    *composer.Prompt // the last prompt sent, or nil
	escaped time.Time        // first of two esc
}

// Submit sends a prompt, as soon as there is a session.
func (o *prompts) Submit(p composer.Prompt) tea.Cmd {
	l, open := o.tab.live()
	if refused := o.refuse(p); refused != nil {
		if open {
			l.queue.requeue = 0
		}
		return refused
	}
	q := o.content(p)
	if !open || l.reopens() {
		o.held = append(o.held, q)
		return nil
	}
	return l.queue.Send(p, q)
}

// Typed resets the first of two esc after a key. An empty draft gives up the position of
// an edited prompt.
func (o *prompts) Typed() {
	o.Acted()
	if l, open := o.tab.live(); open && o.tab.composer.Empty() {
		l.queue.requeue = 0
	}
}

// Acted resets the first of two esc after any other action.
func (o *prompts) Acted() { o.escaped = time.Time{} }

// refuse makes a prompt that cannot be sent the draft again and says why, or returns nil.
func (o *prompts) refuse(p composer.Prompt) tea.Cmd {
	why := cmp.Or(o.tab.stored.readOnly, o.tab.state.cannotTake(p))
	if why == "" {
		return nil
	}
	o.tab.composer.Restore(p)
	return o.tab.say(why)
}

// Take takes the draft, to be sent. It runs one that is a command of parley's, and returns not
// ok if there is nothing to send.
func (o *prompts) Take() (q conversation.QueuedPrompt, ok bool, cmd tea.Cmd) {
	result, cmd := o.tab.composer.Take()
	switch p := result.Prompt; {
	case result.Own != "":
		cmd = tea.Batch(cmd, o.tab.runSlashCommand(result.Own, result.Argument))
	case result.Unknown != "":
		o.askUnknownCommand(result.Unknown, *p)
	case p != nil:
		if refused := o.refuse(*p); refused != nil {
			return q, false, tea.Batch(cmd, refused)
		}
		return o.content(*p), true, cmd
	}
	return q, false, cmd
}

// content returns what to send for a prompt. It also scrolls to the end of the transcript.
func (o *prompts) content(p composer.Prompt) conversation.QueuedPrompt {
	o.last = &p
	o.tab.news = false
	l, open := o.tab.live()
	if !open {
		return p.Queued()
	}
	l.list.Bottom()
	return o.tab.stored.withEarlier(l.Conversation, p.Queued())
}

// askUnknownCommand asks what to do with a prompt that looks like a slash command which
// neither the agent nor parley has.
func (o *prompts) askUnknownCommand(name string, p composer.Prompt) {
	t := o.tab
	edit := func() { t.composer.Restore(p) }
	t.choose(dialog.List{
		Title: "Unknown command /" + name, About: "Neither the agent nor parley has this command.", Left: edit,
		Items: []dialog.Item{
			{ID: "edit", Title: "Edit it", Do: dialog.Do(func() tea.Cmd { edit(); return nil })},
			{ID: "send", Title: "Send it to the agent as a prompt", Do: dialog.Do(func() tea.Cmd { return o.Submit(p) })},
		},
	})
}

// ReturnToDraft moves prompts that cannot be sent before the draft: the given ones, and
// those that no session has got.
func (o *prompts) ReturnToDraft(queued ...conversation.QueuedPrompt) tea.Cmd {
	all := slices.Concat(queued, o.held)
	o.held = nil
	return o.tab.composer.TakeBack(all...)
}

// Escape handles esc with nothing to cancel or close: pressed twice on an empty prompt, it
// restores the last prompt, of this tab or else of the conversation, for editing.
func (o *prompts) Escape(c *conversation.Conversation) tea.Cmd {
	if !o.tab.composer.Empty() || o.last == nil && app.LastPrompt(c) == "" {
		return nil
	}
	if !o.Escapes() {
		o.escaped = o.tab.program.Now()
		return redraw(againTime)
	}
	o.escaped = time.Time{}
	if o.last != nil {
		o.tab.composer.Restore(*o.last)
		return nil
	}
	return o.tab.composer.Load(app.LastPrompt(c))
}

// Escapes reports whether another esc restores the last prompt.
func (o *prompts) Escapes() bool {
	return !o.escaped.IsZero() && o.tab.program.Now().Sub(o.escaped) < againTime &&
		o.tab.composer.Empty() && !o.tab.Works()
}
