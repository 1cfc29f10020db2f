package tab

import (
	"cmp"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/tui/composer"
)

// promptQueue sends prompts to the session, and edits, reorders and removes those in its
// queue.
type promptQueue struct {
	tab *Tab

	held    app.HeldPrompts  // for the session that is being opened
	last    *composer.Prompt // the last prompt sent, or nil
	requeue int              // queue position, from 1, of the prompt being edited, or 0
	escaped time.Time        // first of two esc
	lost    bool             // the agent exited, and no session was opened since
}

// prompts returns the queue of the session.
func (o *promptQueue) prompts() []conversation.QueuedPrompt {
	if o.tab.conv == nil {
		return nil
	}
	return o.tab.conv.Queue
}

// Queued is the length of the queue.
func (o *promptQueue) Queued() int { return len(o.prompts()) }

// Typed resets the first of two esc after a key. An empty draft gives up the position of
// an edited prompt.
func (o *promptQueue) Typed() {
	o.Acted()
	if o.tab.composer.Empty() {
		o.requeue = 0
	}
}

// Acted resets the first of two esc after any other action.
func (o *promptQueue) Acted() { o.escaped = time.Time{} }

// Lost notes that the agent exited: the queue is sent only on request.
func (o *promptQueue) Lost() { o.lost = true }

// Adopted notes that another session takes the prompts.
func (o *promptQueue) Adopted() { o.lost = false }

// Submit sends a prompt. One taken from the queue returns to its position.
func (o *promptQueue) Submit(p composer.Prompt) tea.Cmd {
	back := o.requeue
	o.requeue = 0
	if refused := o.refuse(p); refused != nil {
		return refused
	}
	q := o.content(p)
	switch {
	case o.tab.session == nil || o.tab.reopening != nil:
		o.held = append(o.held, q)
	case back > 0:
		o.tab.session.PromptAt(back-1, q)
	default:
		o.tab.session.Prompt(q)
	}
	return o.kept()
}

// kept says that a prompt waits because the agent exited, or returns nil.
func (o *promptQueue) kept() tea.Cmd {
	if o.tab.conv == nil || !o.tab.conv.Gone() {
		return nil
	}
	return o.sayGone("kept, not sent: ")
}

// refuse makes a prompt that cannot be sent the draft again and says why, or returns nil.
func (o *promptQueue) refuse(p composer.Prompt) tea.Cmd {
	why := cmp.Or(o.tab.stored.readOnly, o.tab.images.CannotTake(p))
	if why == "" {
		return nil
	}
	o.tab.composer.Restore(p)
	return o.tab.say(why)
}

// content returns what is sent of a prompt. The end of the transcript comes into view.
func (o *promptQueue) content(p composer.Prompt) conversation.QueuedPrompt {
	o.last = &p
	o.tab.news = false
	if o.tab.list != nil {
		o.tab.list.Bottom()
	}
	return o.tab.stored.withEarlier(o.tab.conv, p.Queued())
}

// sayGone says words, and which key brings back the agent, until it is back.
func (o *promptQueue) sayGone(words string) tea.Cmd {
	again := keyOrPalette(o.tab.program.Keys, config.ActionStartAgain) + " " + app.AgainText(o.tab.session)
	return o.tab.sayWhile(words+again, func() bool { return o.tab.conv.Gone() })
}

// ReturnToDraft moves prompts that cannot be sent into the draft: the given ones, and
// those that no session has got.
func (o *promptQueue) ReturnToDraft(queued ...conversation.QueuedPrompt) tea.Cmd {
	var looked []tea.Cmd
	for _, q := range append(queued, o.held...) {
		looked = append(looked, o.tab.composer.TakeBack(q))
	}
	o.held = nil
	return tea.Batch(looked...)
}

// SendNothing handles enter on an empty prompt: it resumes a paused queue.
func (o *promptQueue) SendNothing() tea.Cmd {
	if o.tab.conv.Gone() && o.Queued() > 0 {
		return o.sayGone("the agent exited: ")
	}
	if o.Queued() > 0 && o.tab.conv.QueuePaused {
		o.tab.session.ResumeQueue()
	}
	return nil
}

// Recall moves the last queued prompt back into the composer.
func (o *promptQueue) Recall() tea.Cmd {
	if o.Queued() == 0 || !o.tab.composer.Empty() {
		return nil
	}
	all := o.prompts()
	cmd, ok := o.takeBack(all[len(all)-1].ID)
	if ok {
		o.requeue = 0
	}
	return cmd
}

// takeBack moves a prompt from the queue into the composer.
func (o *promptQueue) takeBack(id int) (tea.Cmd, bool) {
	q, ok := o.tab.session.Unqueue(id)
	if !ok {
		return nil, false
	}
	return o.tab.composer.TakeBack(q), true
}

// Escape handles esc with nothing to cancel or close: pressed twice on an empty prompt, it
// restores the last prompt for editing.
func (o *promptQueue) Escape() tea.Cmd {
	if !o.tab.composer.Empty() || !o.hasLast() {
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
	return o.tab.composer.Load(app.LastPrompt(o.tab.conv))
}

// Escapes reports whether another esc restores the last prompt.
func (o *promptQueue) Escapes() bool {
	return !o.escaped.IsZero() && o.tab.program.Now().Sub(o.escaped) < againTime &&
		o.tab.composer.Empty() && (o.tab.conv == nil || !o.tab.conv.Turn.Running)
}

func (o *promptQueue) hasLast() bool {
	return o.last != nil || o.tab.conv != nil && app.LastPrompt(o.tab.conv) != ""
}
