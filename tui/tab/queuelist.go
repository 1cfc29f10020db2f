package tab

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/dialog"
)

// SendNow sends the draft, or else the first queued prompt, at once, cancelling a running
// turn.
func (o *promptQueue) SendNow() tea.Cmd {
	switch {
	case o.tab.session == nil:
		return nil
	case o.tab.composer.IsCommand():
		return o.tab.say("your command need not wait: " + o.tab.keyOf(config.ActionSend) + " runs it")
	case !o.tab.composer.Empty():
		result, cmd := o.tab.composer.Take()
		p := result.Prompt
		switch {
		case result.Own != "":
			return tea.Batch(cmd, o.tab.actions.runSlashCommand(result.Own, result.Argument))
		case result.Unknown != "":
			o.tab.actions.askUnknownCommand(result.Unknown, *p)
			return cmd
		case p == nil:
			return cmd
		}
		if refused := o.refuse(*p); refused != nil {
			return tea.Batch(cmd, refused)
		}
		if o.tab.session.SendNow(o.content(*p)) {
			return tea.Batch(cmd, o.cancelsFirst())
		}
		return tea.Batch(cmd, o.kept())
	case o.Queued() == 0:
		return o.tab.say("nothing to send")
	}
	return o.sendQueuedNow(o.prompts()[0].ID)
}

func (o *promptQueue) sendQueuedNow(id int) tea.Cmd {
	switch found, cancelled := o.tab.session.SendQueuedNow(id); {
	case !found && o.tab.conv.Gone():
		return o.sayGone("the agent exited: ")
	case !found:
		return o.tab.say("it is no longer queued")
	case cancelled:
		return o.cancelsFirst()
	}
	return nil
}

// cancelsFirst says, until the running turn has ended, that a prompt waits for that.
func (o *promptQueue) cancelsFirst() tea.Cmd {
	turns := o.tab.Turns()
	return o.tab.sayWhile("cancelling the turn, then sending", func() bool { return o.tab.Turns() == turns })
}

// Show lists the queue.
func (o *promptQueue) Show() tea.Cmd {
	if o.tab.session == nil || o.Queued() == 0 {
		return o.tab.sayWhile("The queue is empty: prompts sent while the agent works are queued", func() bool { return o.tab.session == nil || o.Queued() == 0 })
	}
	o.tab.dialogs.Push(dialog.NewFollowing(o.tab.env(), dialog.List{
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
	drafted, all := !o.tab.composer.Empty(), o.prompts()
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
			Delete: dialog.Stay(func() tea.Cmd { o.tab.session.Unqueue(q.ID); return nil }),
		})
	}
	if len(items) == 0 {
		return nil
	}
	first := all[0].ID
	return append(
		items,
		dialog.Item{ID: "now", Group: queueGroup, Title: "Send the first one now", Detail: "cancels the running turn", Do: dialog.Do(func() tea.Cmd { return o.sendQueuedNow(first) })},
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
			o.tab.session.MoveQueued(id, by)
			return nil
		})
	}
}

// editQueued moves a queued prompt into the composer. Sending it restores its position.
func (o *promptQueue) editQueued(id int) tea.Cmd {
	if !o.tab.composer.Empty() {
		return o.tab.say("send or clear the draft first")
	}
	at := slices.IndexFunc(o.prompts(), func(q conversation.QueuedPrompt) bool { return q.ID == id })
	if cmd, ok := o.takeBack(id); ok {
		o.requeue = at + 1
		return cmd
	}
	return o.tab.say("it is no longer queued")
}

// dropQueue empties the queue. The prompts stay in the history.
func (o *promptQueue) dropQueue() tea.Cmd {
	n := len(o.tab.session.EmptyQueue())
	words, them := fmt.Sprintf("removed %d prompts", n), "them"
	if n == 1 {
		words, them = "removed 1 prompt", "it"
	}
	return o.tab.say(words + "; " + o.tab.keyOf(config.ActionHistorySearch) + " finds " + them + " again")
}

// AskToSend asks whether to send the prompts that were queued when the agent went, because
// they were written before the person knew.
func (o *promptQueue) AskToSend() {
	lost := o.lost
	o.lost = false
	if !lost || len(o.tab.conv.Queue) == 0 || !o.tab.conv.QueuePaused {
		return
	}
	o.tab.ask(o.tab.actions.confirmation(app.SendQueueQuestion(o.tab.session, o.tab.conv.Queue)))
}

// Lines draws the queue.
func (o *promptQueue) Lines(width int) []string {
	if o.Queued() == 0 {
		return nil
	}
	const most = 4
	c, gone := o.tab.conv, o.tab.conv.Gone()
	th, words := o.tab.program.Theme, "queued"
	if c.QueuePaused {
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
		out = append(out, " "+th.Accent.Render("» ")+th.Faint.Render(words+": ")+th.Muted.Render(app.PromptLine(q)))
	}
	if back := o.tab.keyOf(config.ActionHistoryPrev); gone {
		out = append(out, "   "+th.Faint.Render("you will be asked before it is sent, "+back+": edit the last one"))
	} else if c.QueuePaused {
		out = append(out, "   "+th.Faint.Render("enter: send them, "+back+": edit the last one"))
	}
	for i, line := range out {
		out[i] = termtext.Truncate(line, width, "…")
	}
	return out
}
