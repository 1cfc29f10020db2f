package tab

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/termtext"
	"parley/tui/composer"
)

// promptQueue sends prompts to the session, and draws and takes back those in its queue.
type promptQueue struct {
	*ui
	*app.Live
	composer *composer.Composer
	take     func() (q conversation.QueuedPrompt, ok bool, cmd tea.Cmd) // takes the draft to send it
	front    func(func(command.Front)) tea.Cmd                          // does what all front ends do
	drafts   *drafts
}

// Queued is the length of the queue.
func (pq *promptQueue) Queued() int { return len(pq.Conversation.Queue) }

// Send sends a prompt. One taken from the queue returns to its position, and one written at a question
// goes behind a paused queue.
func (pq *promptQueue) Send(q conversation.QueuedPrompt) tea.Cmd {
	back, steers := pq.requeue, pq.steers()
	pq.requeue = 0
	if steers {
		return pq.front(func(f command.Front) { command.Steer(f, q) })
	}
	if back == 0 && pq.dialogs.Asks() {
		back = pq.Behind()
	}
	session.Post(pq.Session, session.Prompt{Prompt: q, At: back})
	return pq.front(command.SayKept)
}

// steers reports whether Send puts a prompt into the running turn.
func (pq *promptQueue) steers() bool {
	return pq.requeue == 0 && pq.program.Enter == config.EnterSteers && pq.Conversation.Steerable()
}

// sends says what the key that sends does with the draft while a question is open.
func (t *Tab) sends() string {
	l, open := t.live()
	switch {
	case !open:
	case l.Conversation.Gone():
		return "keep the prompt"
	case l.queue.steers():
		return "steer the turn"
	case l.Behind() == 0 && l.Conversation.Idle() && !l.Conversation.BudgetReached:
		return "send the prompt"
	}
	return "queue the prompt"
}

// SendNothing handles enter on an empty prompt: it resumes a paused queue, or skips ahead
// in the turn of an agent that pauses for reading.
func (pq *promptQueue) SendNothing() tea.Cmd {
	switch c := pq.Conversation; {
	case pq.hasUnsent() && !pq.HostGone():
		for _, p := range pq.withdraw() {
			session.Post(pq.Session, session.Prompt{Prompt: p})
		}
	case c.Gone() && len(c.Queue) > 0:
		return pq.front(func(f command.Front) { command.Gone(f, "the agent exited: ") })
	case len(c.Queue) > 0 && c.QueuePaused, c.BudgetReached:
		session.Post(pq.Session, session.ResumeQueue{})
	case c.Turn.Running && c.Agent.SkipsAhead():
		session.Post(pq.Session, session.SkipAhead{})
	default:
		return pq.say(nothingToSend)
	}
	return nil
}

// unsent returns the prompts and commands that the session has not confirmed: all that wait for the
// user, and while it cannot be reached those that wait for it.
func (pq *promptQueue) unsent() (all []session.Unconfirmed) {
	up := pq.Session.Link() == app.LinkUp
	for _, u := range pq.Session.Unconfirmed() {
		if unsentLine(u.Act) != "" && (!up || u.Progress == session.Left || u.Progress == session.Refused) {
			all = append(all, u)
		}
	}
	return all
}

// unsentLine is the prompt or command of the user's own in an act as one line, "" for other acts.
func unsentLine(act session.AnyAct) string {
	if shell, is := act.(session.StartShell); is && shell.Spec.Line != "" {
		return "!" + termtext.Line(shell.Spec.Line)
	}
	if p, sends := session.PromptOf(act); sends {
		return app.PromptLine(p)
	}
	return ""
}

// hasUnsent reports whether prompts that were not sent wait for the user.
func (pq *promptQueue) hasUnsent() bool {
	return slices.ContainsFunc(pq.unsent(), func(u session.Unconfirmed) bool { return u.Progress == session.Left || u.Progress == session.Refused })
}

// withdraw returns the prompts that were not sent, for the composer.
func (pq *promptQueue) withdraw() (all []conversation.QueuedPrompt) {
	for _, u := range pq.Session.Withdraw() {
		if p, sends := session.PromptOf(u.Act); sends {
			all = append(all, p)
		}
	}
	return all
}

// Recall moves the prompts that were not sent, or else the last queued one, back into the composer.
func (pq *promptQueue) Recall() tea.Cmd {
	if pq.hasUnsent() && pq.composer.Empty() {
		return pq.composer.TakeBack(pq.withdraw()...)
	}
	if pq.Queued() == 0 || !pq.composer.Empty() {
		return nil
	}
	all := pq.Conversation.Queue
	return pq.takeBack(all[len(all)-1].ID, 0)
}

// takeBack moves a prompt from the queue into the composer. Sending it puts it at a position,
// counted from 1; 0 is the end.
func (pq *promptQueue) takeBack(id, at int) tea.Cmd {
	i := slices.IndexFunc(pq.Conversation.Queue, func(q conversation.QueuedPrompt) bool { return q.ID == id })
	if i < 0 {
		return pq.say(notQueued)
	}
	text := pq.Conversation.Queue[i].Text()
	return pq.drafts.comes(text, func() tea.Cmd {
		return act(pq.ui, pq.Session, session.Unqueue{ID: id}, func(q conversation.QueuedPrompt, err error) tea.Cmd {
			if err != nil {
				return tea.Batch(pq.drafts.came(text), pq.say(notQueued))
			}
			cmd := pq.composer.TakeBack(q)
			pq.requeue = at
			return tea.Batch(cmd, pq.drafts.came(text))
		})
	})
}

// SendNow sends the draft, or else the first queued prompt, at once: into the running turn
// if the agent takes it, after cancelling that otherwise.
func (pq *promptQueue) SendNow() tea.Cmd {
	switch {
	case pq.composer.IsCommand():
		return pq.say("your command need not wait: " + pq.keyOf(command.Send) + " runs it")
	case !pq.composer.Empty():
		q, ok, cmd := pq.take()
		if !ok {
			return cmd
		}
		return tea.Batch(cmd, pq.front(func(f command.Front) { command.SendAtOnce(f, q) }))
	case pq.Queued() == 0:
		return pq.say(nothingToSend)
	}
	return pq.front(command.SendFirst)
}

// mostQueued limits the queued prompts that are drawn.
const mostQueued = 4

// queueLines draws the first of the prompts that wait.
func queueLines[T any](u *ui, all []T, of func(T) (words, text string)) (out []string) {
	th := u.program.Theme
	for i, q := range all {
		if i == mostQueued {
			return append(out, th.Faint.Render("   and more"))
		}
		words, text := of(q)
		out = append(out, " "+th.Accent.Render("» ")+th.Faint.Render(words+": ")+th.Muted.Render(text))
	}
	return out
}

// Lines draws the prompts that wait for the session.
func (ps *prompts) Lines() []string {
	return queueLines(ps.tab.ui, ps.held, func(q conversation.QueuedPrompt) (words, text string) {
		if q.Waits {
			return "paused", app.PromptLine(q)
		}
		return "queued", app.PromptLine(q)
	})
}

// Lines draws the queue and the unsent prompts.
func (pq *promptQueue) Lines() []string {
	c, gone := pq.Conversation, pq.Conversation.Gone()
	th, words := pq.program.Theme, "queued"
	if c.QueuePaused || c.BudgetReached {
		words = "paused"
	}
	if c.WaitsForLimit() {
		words = "waits"
	}
	if gone {
		words = "kept"
	}
	out := queueLines(pq.ui, c.Queue, func(q conversation.QueuedPrompt) (string, string) {
		waits := words
		switch {
		case q.Steering:
			waits = "steering"
		case q.Reading:
			waits = "reading its files"
		case q.Unsure:
			waits += ", " + app.MayHave
		}
		return waits, app.PromptLine(q)
	})
	hint := func(words string) {
		if !pq.composer.Empty() {
			words = "after the draft, " + words // which enter sends first
		}
		out = append(out, "   "+th.Faint.Render(words))
	}
	switch back := pq.keyOf(command.HistoryPrev); {
	case pq.Queued() == 0:
	case !gone && !c.Turn.Running && slices.ContainsFunc(pq.Conversation.Queue, func(q conversation.QueuedPrompt) bool { return q.Steering }):
		out = append(out, "   "+th.Faint.Render("waits for the agent to say whether it took the prompt"))
	case !gone && !pq.dialogs.Empty(): // enter is the dialog's, or queues the draft
	case gone:
		hint("you will be asked before it is sent, " + back + ": edit the last one")
	case c.BudgetReached:
		hint("the budget is used up, enter: decide, " + back + ": edit the last one")
	case c.WaitsForLimit():
		hint("enter: send it now, " + back + ": edit the last one")
	case c.QueuePaused && pq.Queued() == 1:
		hint("enter: send it, " + back + ": edit it")
	case c.QueuePaused:
		hint("enter: send them, " + back + ": edit the last one")
	}
	out = append(out, queueLines(pq.ui, pq.unsent(), func(u session.Unconfirmed) (string, string) {
		words := "not sent yet"
		if u.Progress == session.Left && u.Err != nil {
			words += " (" + u.Err.Error() + ")"
		}
		return words, unsentLine(u.Act)
	})...)
	switch back := pq.keyOf(command.HistoryPrev); {
	case !pq.hasUnsent() || !pq.dialogs.Empty():
	case pq.HostGone():
		hint(back + ": edit it")
	default:
		hint(pq.keyOf(command.Send) + ": send it, " + back + ": edit it")
	}
	return out
}
