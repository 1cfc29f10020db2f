package tab

import (
	"cmp"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/conversation"
	"parley/internal/store"
	"parley/internal/termtext"
	"parley/tui/composer"
)

// prompts takes the prompts of the composer, and keeps them while a session is made.
type prompts struct {
	tab *Tab

	held    app.HeldPrompts  // for the session that is being opened
	last    *composer.Prompt // the last prompt sent, or nil
	escaped time.Time        // first of two esc
}

// Submit sends a prompt, as soon as there is a session.
func (ps *prompts) Submit(p composer.Prompt) tea.Cmd {
	if ps.tab.writes != nil {
		return ps.tab.acting.do(func() { ps.tab.written(&p) })
	}
	l, open := ps.tab.live()
	if refused := ps.refuse(p); refused != nil {
		ps.tab.requeue = 0
		return refused
	}
	q := ps.content(p)
	if !open || ps.tab.opening != nil {
		ps.held.Add(q, ps.tab.requeue)
		ps.tab.requeue = 0
		return nil
	}
	return l.queue.Send(q)
}

// Typed resets the first of two esc after a key. An empty draft gives up the position of
// an edited prompt.
func (ps *prompts) Typed() {
	ps.Acted()
	if ps.tab.composer.Empty() {
		ps.tab.requeue = 0
	}
}

// Acted resets the first of two esc after any other action.
func (ps *prompts) Acted() { ps.escaped = time.Time{} }

// refuse makes a prompt that cannot be sent the draft again and says why, or returns nil.
func (ps *prompts) refuse(p composer.Prompt) tea.Cmd {
	why := ps.whyRefused(p)
	if why == "" {
		return nil
	}
	ps.tab.composer.Restore(p)
	return ps.tab.say(why)
}

// whyRefused says why a prompt cannot be sent, or returns "".
func (ps *prompts) whyRefused(p composer.Prompt) string {
	return cmp.Or(ps.tab.stored.readOnly, ps.tab.cannotTake(p))
}

// Take takes the draft to send it; ok is false if there is nothing to send. It runs a command
// of parley's.
func (ps *prompts) Take() (q conversation.QueuedPrompt, ok bool, cmd tea.Cmd) {
	result, cmd := ps.tab.composer.Take()
	switch p := result.Prompt; {
	case result.Own != "":
		cmd = tea.Batch(cmd, ps.tab.runSlashCommand(result.Own, result.Argument))
	case result.Unknown != "":
		ps.askUnknownCommand(result.Unknown, *p)
	case p != nil:
		if refused := ps.refuse(*p); refused != nil {
			return q, false, tea.Batch(cmd, refused)
		}
		return ps.content(*p), true, cmd
	}
	return q, false, cmd
}

// content returns what to send for a prompt. It also scrolls to the end of the transcript.
func (ps *prompts) content(p composer.Prompt) conversation.QueuedPrompt {
	ps.last = &p
	ps.tab.news = false
	l, open := ps.tab.live()
	if !open {
		return p.Queued()
	}
	l.reader.list.Bottom()
	return l.WithEarlier(p.Queued())
}

// askUnknownCommand asks what to do with a prompt that looks like a slash command which
// neither the agent nor parley has.
func (ps *prompts) askUnknownCommand(name string, p composer.Prompt) {
	t := ps.tab
	edit := func() { t.composer.Restore(p) }
	t.choose(command.Choice{
		Title: "Unknown command /" + name, About: "Neither the agent nor parley has this command.", Left: edit,
		Items: []command.Item{
			{ID: "edit", Title: "Edit it", Do: edit},
			{ID: "send", Title: "Send it to the agent as a prompt", Do: func() { t.acting.add(ps.Submit(p)) }},
		},
	})
}

// ReturnToDraft moves prompts that cannot be sent before the draft: the given ones, and
// those held.
func (ps *prompts) ReturnToDraft(queued ...conversation.QueuedPrompt) tea.Cmd {
	all := slices.Concat(queued, ps.held)
	ps.held = nil
	return ps.tab.composer.TakeBack(all...)
}

// stay holds prompts that have no session yet: the given ones, and those held. One alone is the draft
// again; more wait for the user in the queue of the next session, each as it was written.
func (ps *prompts) stay(queued ...conversation.QueuedPrompt) tea.Cmd {
	all := slices.Concat(queued, ps.held)
	if _, open := ps.tab.live(); open || len(all) == 1 && ps.tab.composer.Empty() {
		return ps.ReturnToDraft(queued...)
	}
	ps.held = nil
	for _, q := range all {
		q.Waits = true
		ps.held.Add(q, 0)
	}
	return nil
}

// comeBack holds prompts that were not sent, instead of earlier ones, until the user sends them.
func (ps *prompts) comeBack(all []store.UnsentPrompt) {
	ps.held = slices.DeleteFunc(ps.held, func(q conversation.QueuedPrompt) bool { return q.Waits })
	for _, p := range all {
		p.Prompt.Waits = true
		ps.held.Add(p.Prompt, 0)
	}
	if l, open := ps.tab.live(); open && ps.tab.opening == nil {
		ps.held.Send(l.Session)
	}
}

// takeBack moves a held prompt into the composer. Sending it restores its position.
func (ps *prompts) takeBack(id int) tea.Cmd {
	q, at := ps.held.Take(id)
	if at == 0 {
		return ps.tab.say(notQueued)
	}
	cmd := ps.tab.composer.TakeBack(q)
	ps.tab.requeue = at
	return cmd
}

// Recall moves the prompt that was entered last, and was not sent, into the empty composer.
func (ps *prompts) Recall() tea.Cmd {
	if n := len(ps.held); n > 0 {
		cmd := ps.takeBack(ps.held[n-1].ID)
		ps.tab.requeue = 0
		return cmd
	}
	l, _ := ps.tab.live()
	return l.queue.Recall()
}

// recalls reports whether there is one.
func (ps *prompts) recalls() bool {
	l, open := ps.tab.live()
	return len(ps.held) > 0 || open && (l.queue.Queued() > 0 || l.queue.hasUnsent())
}

// queued returns the prompts that are in the queue, or wait for the session.
func (ps *prompts) queued() []conversation.QueuedPrompt {
	if l, open := ps.tab.live(); open {
		return slices.Concat(l.Conversation.Queue, ps.held)
	}
	return ps.held
}

// unstored returns those of them that are in no log and no host: parley has them alone.
func (ps *prompts) unstored() []conversation.QueuedPrompt {
	if l, open := ps.tab.live(); open && (l.Live.StoredID() != "" || l.Live.Running() != "") {
		return ps.held
	}
	return ps.queued()
}

// Escape handles esc with nothing to cancel or close: pressed twice on an empty prompt, it
// restores the last prompt, of this tab or else of the conversation, for editing.
func (ps *prompts) Escape(c *conversation.Conversation) tea.Cmd {
	if !ps.tab.composer.Empty() || ps.last == nil && app.LastPrompt(c) == "" {
		return nil
	}
	if !ps.Escapes() {
		ps.escaped = ps.tab.program.Now()
		return redraw(againTime)
	}
	ps.escaped = time.Time{}
	if ps.last != nil {
		ps.tab.composer.Restore(*ps.last)
		return nil
	}
	return ps.tab.composer.Load(app.LastPrompt(c))
}

// Escapes reports whether another esc restores the last prompt.
func (ps *prompts) Escapes() bool {
	return !ps.escaped.IsZero() && ps.tab.program.Now().Sub(ps.escaped) < againTime &&
		ps.tab.composer.Empty() && !ps.tab.Works()
}

// writing is a prompt that the user writes for something else than to send it here.
type writing struct {
	words string // what for, and what enter does
	done  func(*composer.Prompt)
}

// write has the user write a prompt where prompts are written, beginning with a text, for done; esc
// gives that nil.
func (t *Tab) write(words, text string, done func(*composer.Prompt)) {
	if !t.takesPrompts() { // no composer is in sight
		t.ask(app.Question{Title: termtext.Capital(words), Entered: text, EnterHere: func(text string) {
			p := composer.NewPrompt(text)
			done(&p)
		}})
		return
	}
	if text != "" && t.composer.Text() != text {
		t.composer.SetText(text)
	}
	t.writes = &writing{words, done}
}

// written ends that.
func (t *Tab) written(p *composer.Prompt) {
	w := t.writes
	if t.writes = nil; w != nil {
		w.done(p)
	}
}
