// This file is where prompts wait: on their way to the session, while the files that
// they mention are read, and in the session's queue, until a turn has ended. There the
// person edits them, puts them into another order, sends them sooner or takes them back.

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

// promptQueue is what the person has sent and is not with the session yet, and what they do
// with the prompts that wait there.
type promptQueue struct {
	tab *Tab

	waiting []*outgoing      // on their way to the session
	last    *composer.Prompt // the prompt that was sent last, nil if none was
	requeue int              // the place in the queue of the prompt that is being edited, from 1 on; 0 if none is
	escaped time.Time        // of a first esc that had nothing to do
	lost    bool             // the agent has gone, and no session was opened since then
}

// Len is how many prompts are on their way to the session.
func (o *promptQueue) Len() int { return len(o.waiting) }

// Queued is how many prompts wait in the session.
func (o *promptQueue) Queued() int {
	if o.tab.conv == nil {
		return 0
	}
	return len(o.tab.conv.Queue)
}

// Typed notes that something was typed: the first of two esc does not count any more, and
// what was taken out of the queue is given up once the draft is empty.
func (o *promptQueue) Typed() {
	o.Acted()
	if o.tab.composer.Empty() {
		o.requeue = 0
	}
}

// Acted notes that something else was done: the first of two esc does not count any more.
func (o *promptQueue) Acted() { o.escaped = time.Time{} }

// Lost notes that the agent has gone: what waits is not sent before the person says so.
func (o *promptQueue) Lost() { o.lost = true }

// Adopted notes that another session takes the prompts.
func (o *promptQueue) Adopted() { o.lost = false }

// Submit sends a prompt. One that was taken out of the queue goes back to its place.
func (o *promptQueue) Submit(p composer.Prompt) tea.Cmd {
	out := outgoing{Prompt: p, back: o.requeue}
	o.requeue = 0
	return o.submitAs(out)
}

// submitAs sends a prompt. The files that it mentions are read on the way, one
// prompt after the other, so that they arrive in order.
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

// Read reads the files of the next prompt, if there is one. While the
// session is being made it waits.
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

// send gives the next prompt, whose files were read, to the session.
func (o *promptQueue) send(p *outgoing, blocks []acpclient.ContentBlock) tea.Cmd {
	if o.tab.session == nil || len(o.waiting) == 0 || o.waiting[0] != p {
		return nil // the agent was left while it started, and the prompt was given back
	}
	said := o.hand(*p, o.tab.stored.withEarlier(o.tab.conv, blocks))
	o.waiting = o.waiting[1:]
	if o.tab.conv.Gone() {
		return tea.Batch(o.Read(), o.tab.say("kept, not sent: "+o.again()))
	}
	return tea.Batch(o.Read(), said)
}

// again says how the agent is had back that has gone.
func (o *promptQueue) again() string {
	if o.tab.session.Connects() {
		return keyOrPalette(o.tab.program.Keys, config.ActionStartAgain) + " connects again"
	}
	return keyOrPalette(o.tab.program.Keys, config.ActionStartAgain) + " starts it again"
}

// ReturnToDraft puts prompts that cannot be sent back into the draft: those that have
// waited for the session, and those on their way to it.
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
	default: // behind what was begun since then
		o.tab.composer.Append("\n\n" + all)
	}
}

// SendNothing is enter on an empty prompt: a queue that a cancel has paused
// goes on.
func (o *promptQueue) SendNothing() tea.Cmd {
	if o.tab.conv.Gone() && o.Queued() > 0 {
		return o.tab.say("the agent has gone: " + o.again())
	}
	if o.Queued() > 0 && o.tab.conv.QueuePaused {
		o.tab.session.ResumeQueue()
	}
	return nil
}

// Recall takes the last waiting prompt back into the composer.
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

// Escape is esc where there is nothing to cancel or to close: pressed twice on an empty
// prompt, it brings the last prompt back to be edited.
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

// Escapes reports whether another esc would bring the last prompt back.
func (o *promptQueue) Escapes() bool {
	return !o.escaped.IsZero() && o.tab.program.Now().Sub(o.escaped) < againTime
}

func (o *promptQueue) hasLast() bool {
	return o.last != nil || o.tab.conv != nil && app.LastPrompt(o.tab.conv) != ""
}
