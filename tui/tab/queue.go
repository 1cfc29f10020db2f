// This file is where prompts wait: on their way to the session, while the files that
// they mention are read, and in the session's queue, until a turn has ended. There the
// person edits them, puts them into another order, sends them sooner or takes them back.

package tab

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/tui/composer"
)

// Session takes prompts, and keeps those that wait for a turn to end.
type queueSession interface {
	Prompt(blocks []acpclient.ContentBlock)
	PromptAt(place int, blocks []acpclient.ContentBlock)
	SendNow(blocks []acpclient.ContentBlock) (cancelled bool)
	SendQueuedNow(id int) (found, cancelled bool)
	Unqueue(id int) (conversation.QueuedPrompt, bool)
	MoveQueued(id, by int)
	EmptyQueue() []conversation.QueuedPrompt
	ResumeQueue()
	// Connects reports whether the agent is on the network.
	Connects() bool
}

// Host is the tab, as far as its prompts need it.
type queueHost interface {
	// Taker takes the prompts; nil as long as there is no session, and so is Conversation.
	Taker() queueSession
	Conversation() *conversation.Conversation
	// CannotTake says why a prompt cannot be sent, "" if it can.
	CannotTake(composer.Prompt) string
	// Sending is told that a prompt is on its way.
	Sending()
	// WithTold adds to a prompt what the agent is to be told along with it.
	WithTold([]acpclient.ContentBlock) []acpclient.ContentBlock
}

// Outbox is what the person has sent and is not with the session yet, and what they do
// with the prompts that wait there.
type promptQueue struct {
	desk     *desk
	host     queueHost
	composer *composer.Composer

	waiting []*outgoing      // on their way to the session
	last    *composer.Prompt // the prompt that was sent last, nil if none was
	requeue int              // the place in the queue of the prompt that is being edited, from 1 on; 0 if none is
	escaped time.Time        // of a first esc that had nothing to do
	lost    bool             // the agent has gone, and no session was opened since then
}

// New returns the outbox of a tab, in whose composer prompts are written.
func newPromptQueue(d *desk, h queueHost, c *composer.Composer) *promptQueue {
	return &promptQueue{desk: d, host: h, composer: c}
}

func (o *promptQueue) session() queueSession            { return o.host.Taker() }
func (o *promptQueue) conv() *conversation.Conversation { return o.host.Conversation() }

// Len is how many prompts are on their way to the session.
func (o *promptQueue) Len() int { return len(o.waiting) }

// Queued is how many prompts wait in the session.
func (o *promptQueue) Queued() int {
	if o.conv() == nil {
		return 0
	}
	return len(o.conv().Queue)
}

// Typed notes that something was typed: the first of two esc does not count any more, and
// what was taken out of the queue is given up once the draft is empty.
func (o *promptQueue) Typed() {
	o.Acted()
	if o.composer.Empty() {
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
	if why := o.host.CannotTake(p.Prompt); why != "" {
		o.composer.Restore(p.Prompt)
		return o.desk.Say(why)
	}
	o.last = &p.Prompt
	o.host.Sending()
	o.waiting = append(o.waiting, &p)
	if len(o.waiting) > 1 {
		return nil
	}
	return o.Read()
}

// Read reads the files of the next prompt, if there is one. While the
// session is being made it waits.
func (o *promptQueue) Read() tea.Cmd {
	if len(o.waiting) == 0 || o.session() == nil {
		return nil
	}
	p, caps := o.waiting[0], o.conv().Agent.Capabilities.PromptCapabilities
	return beside(func() then {
		blocks := p.Blocks(caps)
		return func() tea.Cmd { return o.send(p, blocks) }
	})
}

// send gives the next prompt, whose files were read, to the session.
func (o *promptQueue) send(p *outgoing, blocks []acpclient.ContentBlock) tea.Cmd {
	if o.session() == nil || len(o.waiting) == 0 || o.waiting[0] != p {
		return nil // the agent was left while it started, and the prompt was given back
	}
	said := o.hand(*p, o.host.WithTold(blocks))
	o.waiting = o.waiting[1:]
	if o.conv().Gone() {
		return tea.Batch(o.Read(), o.desk.Say("kept, not sent: "+o.again()))
	}
	return tea.Batch(o.Read(), said)
}

// again says how the agent is had back that has gone.
func (o *promptQueue) again() string {
	if o.session().Connects() {
		return o.desk.Way(config.ActionStartAgain) + " connects again"
	}
	return o.desk.Way(config.ActionStartAgain) + " starts it again"
}

// GiveBack puts prompts that cannot be sent back into the draft: those that have
// waited for the session, and those on their way to it.
func (o *promptQueue) GiveBack(waited ...conversation.QueuedPrompt) {
	var texts []string
	for _, q := range waited {
		texts = append(texts, queuedText(q))
	}
	for _, p := range o.waiting {
		texts = append(texts, p.Text())
	}
	o.waiting = nil
	switch all := strings.Join(texts, "\n\n"); {
	case len(texts) == 0:
	case o.composer.Empty():
		o.composer.SetText(all)
	default: // behind what was begun since then
		o.composer.Append("\n\n" + all)
	}
}

// SendNothing is enter on an empty prompt: a queue that a cancel has paused
// goes on.
func (o *promptQueue) SendNothing() tea.Cmd {
	if o.conv().Gone() && o.Queued() > 0 {
		return o.desk.Say("the agent has gone: " + o.again())
	}
	if o.Queued() > 0 && o.conv().QueuePaused {
		o.session().ResumeQueue()
	}
	return nil
}

// Recall takes the last waiting prompt back into the composer.
func (o *promptQueue) Recall() tea.Cmd {
	if o.Queued() == 0 || !o.composer.Empty() {
		return nil
	}
	last := o.conv().Queue[len(o.conv().Queue)-1]
	if q, ok := o.session().Unqueue(last.ID); ok {
		o.requeue = 0
		return o.takeBack(queuedText(q), q.Prompt)
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
