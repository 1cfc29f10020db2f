package tab

import (
	"cmp"
	"slices"
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
	reading *outgoing        // whose files are being read
	count   int              // of the prompts submitted
	last    *composer.Prompt // the last prompt sent, or nil
	requeue int              // queue position, from 1, of the prompt being edited, or 0
	escaped time.Time        // first of two esc
	lost    bool             // the agent has gone, and no session was opened since
}

// Len returns how many prompts are on their way to the session.
func (o *promptQueue) Len() int { return len(o.waiting) }

// prompts are the queue: the prompts in the session, then those whose files are not read
// yet. These have negative IDs.
func (o *promptQueue) prompts() []conversation.QueuedPrompt {
	if o.tab.conv == nil {
		return nil
	}
	all := slices.Clone(o.tab.conv.Queue)
	for _, p := range o.waiting {
		if p != o.reading {
			all = append(all, conversation.QueuedPrompt{ID: p.id, Prompt: []acpclient.ContentBlock{acpclient.TextBlock(p.Text())}})
		}
	}
	return all
}

// Queued is the length of the queue.
func (o *promptQueue) Queued() int { return len(o.prompts()) }

// unread is the index in waiting of a prompt whose files are not read yet, or -1.
func (o *promptQueue) unread(id int) int {
	return slices.IndexFunc(o.waiting, func(p *outgoing) bool { return p.id == id && p != o.reading })
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
	o.count++
	p.id = -o.count
	at := len(o.waiting)
	if p.back > 0 && o.tab.conv != nil && app.Unresolved(o.tab.conv) {
		at = min(max(p.back-1-len(o.tab.conv.Queue), 0), at)
	}
	o.waiting = slices.Insert(o.waiting, at, &p)
	return o.Read()
}

// Read reads the files of the next prompt, if there is one, once the agent has told its
// capabilities.
func (o *promptQueue) Read() tea.Cmd {
	if len(o.waiting) == 0 || o.reading == o.waiting[0] || o.tab.session == nil || app.Unresolved(o.tab.conv) {
		return nil
	}
	o.reading = o.waiting[0]
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

// again says which key brings back an agent that has gone.
func (o *promptQueue) again() string {
	return keyOrPalette(o.tab.program.Keys, config.ActionStartAgain) + " " + app.AgainText(o.tab.session)
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
	all := o.prompts()
	cmd, ok := o.takeBack(all[len(all)-1].ID)
	if ok {
		o.requeue = 0
	}
	return cmd
}

// takeBack moves a prompt from the queue into the composer.
func (o *promptQueue) takeBack(id int) (tea.Cmd, bool) {
	if at := o.unread(id); at >= 0 {
		o.tab.composer.Restore(o.waiting[at].Prompt)
		return nil, o.unqueue(id)
	}
	q, ok := o.tab.session.Unqueue(id)
	if !ok {
		return nil, false
	}
	return o.tab.composer.LoadPrompt(app.PromptText(q), q.Prompt), true
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
