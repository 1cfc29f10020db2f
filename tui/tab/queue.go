package tab

import (
	"errors"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/termtext"
	"parley/tui/composer"
	"parley/tui/dialog"
)

// promptQueue sends prompts to the session, and edits, reorders and removes those in its
// queue.
type promptQueue struct {
	live *live

	requeue int // queue position, from 1, of the prompt being edited, or 0
}

// prompts returns the queue of the session.
func (o *promptQueue) prompts() []conversation.QueuedPrompt { return o.live.conv.Queue }

// Queued is the length of the queue.
func (o *promptQueue) Queued() int { return len(o.prompts()) }

// Send sends a prompt, of which the session gets q. One taken from the queue returns to its
// position.
func (o *promptQueue) Send(p composer.Prompt, q conversation.QueuedPrompt) tea.Cmd {
	back := o.requeue
	o.requeue = 0
	switch {
	case back > 0:
		session.Post(o.live.Session, session.PromptAt{At: back - 1, Prompt: q})
	case o.live.tab.program.Enter == config.EnterSteers && o.live.conv.Steerable():
		return o.steer(q)
	default:
		session.Post(o.live.Session, session.Prompt{Prompt: q})
	}
	return o.kept()
}

// kept says that a prompt waits because the agent exited, or returns nil.
func (o *promptQueue) kept() tea.Cmd {
	if !o.live.conv.Gone() {
		return nil
	}
	return o.sayGone("kept, not sent: ")
}

// sayGone says words, and which key brings back the agent, until it is back.
func (o *promptQueue) sayGone(words string) tea.Cmd {
	again := keyOrPalette(o.live.tab.program.Keys, config.ActionStartAgain) + " " + o.live.RestartText()
	return o.live.tab.sayWhile(words+again, o.live.conv.Gone)
}

// SendNothing handles enter on an empty prompt: it resumes a paused queue, or skips ahead
// in the turn of an agent that pauses for reading.
func (o *promptQueue) SendNothing() tea.Cmd {
	switch l := o.live; {
	case l.conv.Gone() && len(l.conv.Queue) > 0:
		return o.sayGone("the agent exited: ")
	case len(l.conv.Queue) > 0 && l.conv.QueuePaused, l.conv.BudgetReached:
		session.Post(l.Session, session.ResumeQueue{})
	case l.conv.Turn.Running && l.conv.Agent.SkipsAhead():
		session.Post(l.Session, session.SkipAhead{})
	default:
		return o.live.tab.say(nothingToSend)
	}
	return nil
}

// Recall moves the last queued prompt back into the composer.
func (o *promptQueue) Recall() tea.Cmd {
	if o.Queued() == 0 || !o.live.tab.composer.Empty() {
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
	q, err := session.Do(o.live.tab.program.Context, o.live.Session, session.Unqueue{ID: id})
	if err != nil {
		return nil, false
	}
	return o.live.tab.composer.TakeBack(q), true
}

// steer puts a prompt into the running turn. One that the agent refuses stays in the queue.
func (o *promptQueue) steer(q conversation.QueuedPrompt) tea.Cmd {
	ctx, s := o.live.tab.program.Context, o.live.Session
	return inBackground(func() then {
		err := session.Try(ctx, s, session.Steer{Prompt: q})
		if err == nil {
			return nil
		}
		return func() tea.Cmd { return o.live.tab.say("the prompt is in the queue: " + termtext.Line(err.Error())) }
	})
}

// SendNow sends the draft, or else the first queued prompt, at once: into the running turn
// if the agent takes it, after cancelling that otherwise.
func (o *promptQueue) SendNow() tea.Cmd {
	switch {
	case o.live.tab.composer.IsCommand():
		return o.live.tab.say("your command need not wait: " + o.live.tab.keyOf(config.ActionSend) + " runs it")
	case !o.live.tab.composer.Empty():
		result, cmd := o.live.tab.composer.Take()
		p := result.Prompt
		switch {
		case result.Own != "":
			return tea.Batch(cmd, o.live.tab.runSlashCommand(result.Own, result.Argument))
		case result.Unknown != "":
			o.live.tab.prompts.askUnknownCommand(result.Unknown, *p)
			return cmd
		case p == nil:
			return cmd
		}
		if refused := o.live.tab.prompts.refuse(*p); refused != nil {
			return tea.Batch(cmd, refused)
		}
		if o.live.conv.Steerable() {
			return tea.Batch(cmd, o.steer(o.live.tab.prompts.content(*p)))
		}
		switch cancelled, err := session.Do(o.live.tab.program.Context, o.live.Session, session.SendNow{Prompt: o.live.tab.prompts.content(*p)}); {
		case err != nil:
			return tea.Batch(cmd, o.live.tab.say(termtext.Line(err.Error())))
		case cancelled:
			return tea.Batch(cmd, o.cancelsFirst())
		}
		return tea.Batch(cmd, o.kept())
	case o.Queued() == 0:
		return o.live.tab.say(nothingToSend)
	}
	return o.sendQueuedNow(o.prompts()[0].ID)
}

func (o *promptQueue) sendQueuedNow(id int) tea.Cmd {
	if o.live.conv.Steerable() {
		ctx, s := o.live.tab.program.Context, o.live.Session
		return inBackground(func() then {
			if err := session.Try(ctx, s, session.SteerQueued{ID: id}); err != nil {
				return func() tea.Cmd { return o.live.tab.say(termtext.Line(err.Error())) }
			}
			return nil
		})
	}
	switch cancelled, err := session.Do(o.live.tab.program.Context, o.live.Session, session.SendQueuedNow{ID: id}); {
	case err != nil && o.live.conv.Gone():
		return o.sayGone("the agent exited: ")
	case errors.Is(err, session.ErrNotQueued):
		return o.live.tab.say("it is no longer queued")
	case err != nil:
		return o.live.tab.say(termtext.Line(err.Error()))
	case cancelled:
		return o.cancelsFirst()
	}
	return nil
}

// cancelsFirst says, until the running turn has ended, that a prompt waits for that.
func (o *promptQueue) cancelsFirst() tea.Cmd {
	turns := o.live.tab.Turns()
	return o.live.tab.sayWhile("cancelling the turn, then sending", func() bool { return o.live.tab.Turns() == turns })
}

// Show lists the queue.
func (o *promptQueue) Show() tea.Cmd {
	o.live.tab.dialogs.Push(dialog.NewFollowing(o.live.tab.env(), dialog.List{
		Title: "Queue", Empty: "The queue is empty.",
		Keys: []dialog.ItemKey{
			{Action: config.ActionDialogMoveUp, Hint: "move up", Do: o.moveQueued(-1)},
			{Action: config.ActionDialogMoveDown, Hint: "down", Do: o.moveQueued(1)},
		},
	}, o.queueItems))
	return nil
}

// emptyQueue is the id of the item that empties the queue.
const emptyQueue = "empty"

const queueGroup = "Queue"

// queueItems returns the queued prompts and the actions on all of them.
func (o *promptQueue) queueItems() []dialog.Item {
	var items []dialog.Item
	drafted, all := !o.live.tab.composer.Empty(), o.prompts()
	for i, q := range all {
		edit := func() tea.Cmd { return o.editQueued(q.ID) }
		var do dialog.Action = dialog.Do(edit)
		if drafted { // report why not, and keep the list open
			do = dialog.Stay(edit)
		}
		about := "Enter edits it; sending restores its position"
		items = append(items, dialog.Item{
			ID: queuedID(q), Group: "Queued prompts", Title: app.PromptLine(q), Detail: fmt.Sprintf("%d of %d", i+1, len(all)), About: about,
			Do:     do,
			Delete: dialog.Stay(func() tea.Cmd { session.Post(o.live.Session, session.Unqueue{ID: q.ID}); return nil }),
		})
	}
	if len(items) == 0 {
		return nil
	}
	first, now := all[0].ID, "no turn is running"
	if o.live.conv.Turn.Running {
		now = "cancels the running turn"
	}
	if o.live.conv.Steerable() {
		now = "steers the running turn with it"
	}
	return append(
		items,
		dialog.Item{ID: "now", Group: queueGroup, Title: "Send the first one now", Detail: now, Do: dialog.Do(func() tea.Cmd { return o.sendQueuedNow(first) })},
		dialog.Item{ID: emptyQueue, Group: queueGroup, Title: "Clear the queue", Detail: "drops all queued prompts", Do: dialog.Do(o.dropQueue)},
	)
}

// queuedID returns the item id of a queued prompt.
func queuedID(q conversation.QueuedPrompt) string { return fmt.Sprintf("prompt %d", q.ID) }

// moveQueued returns the handler of the keys that move a queued prompt.
func (o *promptQueue) moveQueued(by int) func(dialog.Item) dialog.Action {
	return func(i dialog.Item) dialog.Action {
		var id int
		if n, _ := fmt.Sscanf(i.ID, "prompt %d", &id); n == 0 {
			return nil
		}
		return dialog.Stay(func() tea.Cmd {
			session.Post(o.live.Session, session.MoveQueued{ID: id, By: by})
			return nil
		})
	}
}

// editQueued moves a queued prompt into the composer. Sending it restores its position.
func (o *promptQueue) editQueued(id int) tea.Cmd {
	if !o.live.tab.composer.Empty() {
		return o.live.tab.say("send or clear the draft first")
	}
	at := slices.IndexFunc(o.prompts(), func(q conversation.QueuedPrompt) bool { return q.ID == id })
	if cmd, ok := o.takeBack(id); ok {
		o.requeue = at + 1
		return cmd
	}
	return o.live.tab.say("it is no longer queued")
}

// dropQueue empties the queue. The prompts stay in the history.
func (o *promptQueue) dropQueue() tea.Cmd {
	all, err := session.Do(o.live.tab.program.Context, o.live.Session, session.EmptyQueue{})
	if err != nil {
		return o.live.tab.say(termtext.Line(err.Error()))
	}
	n := len(all)
	words, them := fmt.Sprintf("removed %d prompts", n), "them"
	if n == 1 {
		words, them = "removed 1 prompt", "it"
	}
	return o.live.tab.say(words + "; " + o.live.tab.keyOf(config.ActionHistorySearch) + " finds " + them + " again")
}

// Lines draws the queue.
func (o *promptQueue) Lines(width int) []string {
	if o.Queued() == 0 {
		return nil
	}
	const most = 4
	c, gone := o.live.conv, o.live.conv.Gone()
	th, words := o.live.tab.program.Theme, "queued"
	if c.QueuePaused || c.BudgetReached {
		words = "paused"
	}
	if gone {
		words = "kept"
	}
	var out []string
	for i, q := range o.prompts() {
		if i == most {
			out = append(out, th.Faint.Render("   and more"))
			break
		}
		waits := words
		if q.Steering {
			waits = "steering"
		}
		out = append(out, " "+th.Accent.Render("» ")+th.Faint.Render(waits+": ")+th.Muted.Render(app.PromptLine(q)))
	}
	if back := o.live.tab.keyOf(config.ActionHistoryPrev); gone {
		out = append(out, "   "+th.Faint.Render("you will be asked before it is sent, "+back+": edit the last one"))
	} else if c.BudgetReached {
		out = append(out, "   "+th.Faint.Render("the budget is used up, enter: decide, "+back+": edit the last one"))
	} else if c.QueuePaused {
		out = append(out, "   "+th.Faint.Render("enter: send them, "+back+": edit the last one"))
	}
	for i, line := range out {
		out[i] = termtext.Truncate(line, width, "…")
	}
	return out
}
