package tab

import (
	"errors"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/app"
	"parley/internal/app/command"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/termtext"
	"parley/tui/composer"
	"parley/tui/dialog"
)

// promptQueue sends prompts to the session, and edits, reorders and removes those in its
// queue.
type promptQueue struct {
	*ui
	*app.Live
	composer *composer.Composer
	drafted  *prompts
	turns    func() int // that have ended

	requeue int // queue position, from 1, of the prompt being edited, or 0
}

// prompts returns the queue of the session.
func (pq *promptQueue) prompts() []conversation.QueuedPrompt { return pq.Conversation.Queue }

// Queued is the length of the queue.
func (pq *promptQueue) Queued() int { return len(pq.prompts()) }

// Send sends a prompt; the session receives q. One taken from the queue returns to its
// position.
func (pq *promptQueue) Send(p composer.Prompt, q conversation.QueuedPrompt) tea.Cmd {
	back := pq.requeue
	pq.requeue = 0
	switch {
	case back > 0:
		session.Post(pq.Session, session.PromptAt{At: back - 1, Prompt: q})
	case pq.program.Enter == config.EnterSteers && pq.Conversation.Steerable():
		return pq.steer(q)
	default:
		session.Post(pq.Session, session.Prompt{Prompt: q})
	}
	return pq.sayKept()
}

// sayKept says that a prompt waits because the agent exited, or returns nil.
func (pq *promptQueue) sayKept() tea.Cmd {
	if !pq.Conversation.Gone() {
		return nil
	}
	return pq.sayGone("kept, not sent: ")
}

// sayGone says words, and which key brings back the agent, until it is back.
func (pq *promptQueue) sayGone(words string) tea.Cmd {
	again := keyOrPalette(pq.program.Keys, command.StartAgain) + " " + pq.RestartText()
	return pq.sayWhile(words+again, pq.Conversation.Gone)
}

// SendNothing handles enter on an empty prompt: it resumes a paused queue, or skips ahead
// in the turn of an agent that pauses for reading.
func (pq *promptQueue) SendNothing() tea.Cmd {
	switch c := pq.Conversation; {
	case pq.waits() && !pq.HostGone():
		for _, p := range pq.withdraw() {
			session.Post(pq.Session, session.Prompt{Prompt: p})
		}
	case c.Gone() && len(c.Queue) > 0:
		return pq.sayGone("the agent exited: ")
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
func unsentLine(act any) string {
	if shell, is := act.(session.StartShell); is && shell.Spec.Line != "" {
		return "!" + termtext.Line(shell.Spec.Line)
	}
	if p, sends := session.PromptOf(act); sends {
		return app.PromptLine(p)
	}
	return ""
}

// waits reports whether prompts that were not sent wait for the user.
func (pq *promptQueue) waits() bool {
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
	if pq.waits() && pq.composer.Empty() {
		return pq.composer.TakeBack(pq.withdraw()...)
	}
	if pq.Queued() == 0 || !pq.composer.Empty() {
		return nil
	}
	all := pq.prompts()
	return pq.takeBack(all[len(all)-1].ID, 0)
}

// takeBack moves a prompt from the queue into the composer. Sending it puts it at a position,
// counted from 1; 0 is the end.
func (pq *promptQueue) takeBack(id, at int) tea.Cmd {
	return act(pq.ui, pq.Session, session.Unqueue{ID: id}, func(q conversation.QueuedPrompt, err error) tea.Cmd {
		if err != nil {
			return pq.say("it is no longer queued")
		}
		cmd := pq.composer.TakeBack(q)
		pq.requeue = at
		return cmd
	})
}

// steer puts a prompt into the running turn. One that the agent refuses stays in the queue.
func (pq *promptQueue) steer(q conversation.QueuedPrompt) tea.Cmd {
	return act(pq.ui, pq.Session, session.Steer{Prompt: q}, func(_ session.None, err error) tea.Cmd {
		if err == nil {
			return nil
		}
		return pq.notSteered(q, err)
	})
}

// SendNow sends the draft, or else the first queued prompt, at once: into the running turn
// if the agent takes it, after cancelling that otherwise.
func (pq *promptQueue) SendNow() tea.Cmd {
	switch {
	case pq.composer.IsCommand():
		return pq.say("your command need not wait: " + pq.keyOf(command.Send) + " runs it")
	case !pq.composer.Empty():
		q, ok, cmd := pq.drafted.Take()
		switch {
		case !ok:
			return cmd
		case pq.Conversation.Steerable():
			return tea.Batch(cmd, pq.steer(q))
		}
		return tea.Batch(cmd, act(pq.ui, pq.Session, session.SendNow{Prompt: q}, func(cancelled bool, err error) tea.Cmd {
			switch {
			case err != nil:
				return pq.say(err.Error())
			case cancelled:
				return pq.cancelsFirst()
			}
			return pq.sayKept()
		}))
	case pq.Queued() == 0:
		return pq.say(nothingToSend)
	}
	return pq.sendQueuedNow(pq.prompts()[0].ID)
}

// notSteered says which prompt did not get into the turn, what becomes of it, and why.
func (pq *promptQueue) notSteered(q conversation.QueuedPrompt, err error) tea.Cmd {
	const most = 24
	words := termtext.Truncate(app.PromptLine(q), most, "…")
	return pq.say("“" + words + "” stays queued until the turn ends: " + err.Error())
}

func (pq *promptQueue) sendQueuedNow(id int) tea.Cmd {
	all := pq.prompts()
	at := slices.IndexFunc(all, func(q conversation.QueuedPrompt) bool { return q.ID == id })
	if at >= 0 && pq.Conversation.Steerable() {
		return act(pq.ui, pq.Session, session.SteerQueued{ID: id}, func(_ session.None, err error) tea.Cmd {
			if err == nil {
				return nil
			}
			return pq.notSteered(all[at], err)
		})
	}
	return act(pq.ui, pq.Session, session.SendQueuedNow{ID: id}, func(cancelled bool, err error) tea.Cmd {
		switch {
		case err != nil && pq.Conversation.Gone():
			return pq.sayGone("the agent exited: ")
		case errors.Is(err, session.ErrNotQueued):
			return pq.say("it is no longer queued")
		case cancelled && err == nil:
			return pq.cancelsFirst()
		}
		return pq.sayIf(err)
	})
}

// cancelsFirst says, until the running turn has ended, that a prompt waits for that.
func (pq *promptQueue) cancelsFirst() tea.Cmd {
	turns := pq.turns()
	return pq.sayWhile("cancelling the turn, then sending", func() bool { return pq.turns() == turns })
}

// Show lists the queue.
func (pq *promptQueue) Show() tea.Cmd {
	pq.dialogs.Push(dialog.NewFollowing(pq.env(), dialog.List{
		Title: "Queue", Empty: "The queue is empty.",
		Keys: []dialog.ItemKey{
			{Action: command.DialogMoveUp, Hint: "move up", Do: pq.moveQueued(-1)},
			{Action: command.DialogMoveDown, Hint: "down", Do: pq.moveQueued(1)},
		},
	}, pq.queueItems))
	return nil
}

// emptyQueue is the id of the item that empties the queue.
const emptyQueue = "empty"

const queueGroup = "Queue"

// queueItems returns the queued prompts and the actions on all of them.
func (pq *promptQueue) queueItems() []dialog.Item {
	var items []dialog.Item
	drafted, all := !pq.composer.Empty(), pq.prompts()
	for i, q := range all {
		edit := func() tea.Cmd { return pq.editQueued(q.ID) }
		var do dialog.Action = dialog.Do(edit)
		if drafted { // report why not, and keep the list open
			do = dialog.Stay(edit)
		}
		about := "Enter edits it; sending restores its position"
		items = append(items, dialog.Item{
			ID: queuedID(q), Group: "Queued prompts", Title: app.PromptLine(q), Detail: fmt.Sprintf("%d of %d", i+1, len(all)), About: about,
			Do:     do,
			Delete: dialog.Stay(func() tea.Cmd { session.Post(pq.Session, session.Unqueue{ID: q.ID}); return nil }),
		})
	}
	if len(items) == 0 {
		return nil
	}
	first, now := all[0].ID, "no turn is running"
	if pq.Conversation.Turn.Running {
		now = "cancels the running turn"
	}
	if pq.Conversation.Steerable() {
		now = "steers the running turn with it"
	}
	return append(
		items,
		dialog.Item{ID: "now", Group: queueGroup, Title: "Send the first one now", Detail: now, Do: dialog.Do(func() tea.Cmd { return pq.sendQueuedNow(first) })},
		dialog.Item{ID: emptyQueue, Group: queueGroup, Title: "Clear the queue", Detail: "drops all queued prompts", Do: dialog.Do(pq.dropQueue)},
	)
}

// queuedID returns the item id of a queued prompt.
func queuedID(q conversation.QueuedPrompt) string { return fmt.Sprintf("prompt %d", q.ID) }

// moveQueued returns the handler of the keys that move a queued prompt.
func (pq *promptQueue) moveQueued(by int) func(dialog.Item) dialog.Action {
	return func(i dialog.Item) dialog.Action {
		at := slices.IndexFunc(pq.prompts(), func(q conversation.QueuedPrompt) bool { return queuedID(q) == i.ID })
		if at < 0 {
			return nil
		}
		id := pq.prompts()[at].ID
		return dialog.Stay(func() tea.Cmd {
			session.Post(pq.Session, session.MoveQueued{ID: id, By: by})
			return nil
		})
	}
}

// editQueued moves a queued prompt into the composer. Sending it restores its position.
func (pq *promptQueue) editQueued(id int) tea.Cmd {
	if !pq.composer.Empty() {
		return pq.say("send or clear the draft first")
	}
	at := slices.IndexFunc(pq.prompts(), func(q conversation.QueuedPrompt) bool { return q.ID == id })
	return pq.takeBack(id, at+1)
}

// dropQueue empties the queue. The prompts stay in the history.
func (pq *promptQueue) dropQueue() tea.Cmd {
	return act(pq.ui, pq.Session, session.EmptyQueue{}, func(all []conversation.QueuedPrompt, err error) tea.Cmd {
		if err != nil {
			return pq.say(err.Error())
		}
		words, them := fmt.Sprintf("removed %d prompts", len(all)), "them"
		if len(all) == 1 {
			words, them = "removed 1 prompt", "it"
		}
		return pq.say(words + "; " + pq.keyOf(command.HistorySearch) + " finds " + them + " again")
	})
}

// Lines draws the queue and the unsent prompts.
func (pq *promptQueue) Lines(width int) []string {
	const most = 4
	c, gone := pq.Conversation, pq.Conversation.Gone()
	th, words := pq.program.Theme, "queued"
	if c.QueuePaused || c.BudgetReached {
		words = "paused"
	}
	if gone {
		words = "kept"
	}
	var out []string
	line := func(words, text string) {
		out = append(out, " "+th.Accent.Render("» ")+th.Faint.Render(words+": ")+th.Muted.Render(text))
	}
	for i, q := range pq.prompts() {
		if i == most {
			out = append(out, th.Faint.Render("   and more"))
			break
		}
		waits := words
		switch {
		case q.Steering:
			waits = "steering"
		case q.Reading:
			waits = "reading its files"
		}
		line(waits, app.PromptLine(q))
	}
	hint := func(words string) {
		if !pq.composer.Empty() {
			words = "after the draft, " + words // which enter sends first
		}
		out = append(out, "   "+th.Faint.Render(words))
	}
	switch back := pq.keyOf(command.HistoryPrev); {
	case pq.Queued() == 0:
	case !gone && !c.Turn.Running && slices.ContainsFunc(pq.prompts(), func(q conversation.QueuedPrompt) bool { return q.Steering }):
		out = append(out, "   "+th.Faint.Render("waits for the agent to say whether it took the prompt"))
	case gone:
		hint("you will be asked before it is sent, " + back + ": edit the last one")
	case c.BudgetReached:
		hint("the budget is used up, enter: decide, " + back + ": edit the last one")
	case c.QueuePaused:
		hint("enter: send them, " + back + ": edit the last one")
	}
	for i, u := range pq.unsent() {
		if i == most {
			out = append(out, th.Faint.Render("   and more"))
			break
		}
		words := "not sent yet"
		if u.Progress == session.Left && u.Err != nil {
			words += " (" + u.Err.Error() + ")"
		}
		line(words, unsentLine(u.Act))
	}
	switch back := pq.keyOf(command.HistoryPrev); {
	case !pq.waits():
	case pq.HostGone():
		hint(back + ": edit it")
	default:
		hint(pq.keyOf(command.Send) + ": send it, " + back + ": edit it")
	}
	for i, line := range out {
		out[i] = termtext.Truncate(line, width, "…")
	}
	return out
}
