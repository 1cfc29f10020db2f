package tab

import (
	"cmp"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/tui/composer"
)

// promptQueue holds the prompts on their way to the session while the files that they
// mention are read, and edits, reorders, sends and removes the prompts in the session's
// queue.
type promptQueue struct {
	tab *Tab

	waiting []*outgoing      // on their way to the session
	last    *composer.Prompt // the last prompt sent, or nil
	requeue int              // queue position, from 1, of the prompt being edited, or 0
	escaped time.Time        // first of two esc
	lost    bool             // the agent has gone, and no session was opened since
}

// Len returns how many prompts are on their way to the session.
func (o *promptQueue) Len() int { return len(o.waiting) }

// Queued returns how many prompts wait in the session.
func (o *promptQueue) Queued() int {
	if o.tab.conv == nil {
		return 0
	}
	return len(o.tab.conv.Queue)
}

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

// Lost notes that the agent has gone: the queue is sent only on request.
func (o *promptQueue) Lost() { o.lost = true }

// Adopted notes that another session takes the prompts.
func (o *promptQueue) Adopted() { o.lost = false }

// Submit sends a prompt. One taken from the queue returns to its position.
func (o *promptQueue) Submit(p composer.Prompt) tea.Cmd {
	out := outgoing{Prompt: p, back: o.requeue}
	o.requeue = 0
	return o.submitAs(out)
}

// submitAs sends a prompt after reading the files that it mentions. Prompts are read one
// after the other, so they arrive in order.
func (o *promptQueue) submitAs(p outgoing) tea.Cmd {
	if why := cmp.Or(o.tab.stored.readOnly, o.tab.images.CannotTake(p.Prompt)); why != "" {
		o.tab.composer.Restore(p.Prompt)
		return o.tab.say(why)
	}
	o.last = &p.Prompt
	o.tab.news = false
	if o.tab.list != nil {
		o.tab.list.Bottom()
	}
	o.waiting = append(o.waiting, &p)
	if len(o.waiting) > 1 {
		return nil
	}
	return o.Read()
}

// Read reads the files of the next prompt, if any. It waits for the session to exist.
func (o *promptQueue) Read() tea.Cmd {
	if len(o.waiting) == 0 || o.tab.session == nil {
		return nil
	}
	p, caps := o.waiting[0], o.tab.conv.Agent.Capabilities.PromptCapabilities
	return inBackground(func() then {
		blocks := p.Blocks(caps)
		return func() tea.Cmd { return o.send(p, blocks) }
	})
}

// send gives the next prompt, whose files are read, to the session.
func (o *promptQueue) send(p *outgoing, blocks []acpclient.ContentBlock) tea.Cmd {
	if o.tab.session == nil || len(o.waiting) == 0 || o.waiting[0] != p {
		return nil // the person left the starting agent; the prompt is back in the draft
	}
	said := o.hand(*p, o.tab.stored.withEarlier(o.tab.conv, blocks))
	o.waiting = o.waiting[1:]
	if o.tab.conv.Gone() {
		return tea.Batch(o.Read(), o.tab.say("kept, not sent: "+o.again()))
	}
	return tea.Batch(o.Read(), said)
}

// again returns how to restart an agent that has gone.
func (o *promptQueue) again() string {
	if o.tab.session.Connects() {
		return keyOrPalette(o.tab.program.Keys, config.ActionStartAgain) + " connects again"
	}
	return keyOrPalette(o.tab.program.Keys, config.ActionStartAgain) + " starts it again"
}

// ReturnToDraft moves prompts that cannot be sent into the draft: the given ones, and
// those on their way.
func (o *promptQueue) ReturnToDraft(waited ...conversation.QueuedPrompt) {
	var texts []string
	for _, q := range waited {
		texts = append(texts, app.PromptText(q))
	}
	for _, p := range o.waiting {
		texts = append(texts, p.Text())
	}
	o.waiting = nil
	switch all := strings.Join(texts, "\n\n"); {
	case len(texts) == 0:
	case o.tab.composer.Empty():
		o.tab.composer.SetText(all)
	default: // after what was written since
		o.tab.composer.Append("\n\n" + all)
	}
}

// SendNothing handles enter on an empty prompt: it resumes a paused queue.
func (o *promptQueue) SendNothing() tea.Cmd {
	if o.tab.conv.Gone() && o.Queued() > 0 {
		return o.tab.say("the agent has gone: " + o.again())
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
	last := o.tab.conv.Queue[len(o.tab.conv.Queue)-1]
	if q, ok := o.tab.session.Unqueue(last.ID); ok {
		o.requeue = 0
		return o.tab.composer.LoadPrompt(app.PromptText(q), q.Prompt)
	}
	return nil
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
	return !o.escaped.IsZero() && o.tab.program.Now().Sub(o.escaped) < againTime
}

func (o *promptQueue) hasLast() bool {
	return o.last != nil || o.tab.conv != nil && app.LastPrompt(o.tab.conv) != ""
}
