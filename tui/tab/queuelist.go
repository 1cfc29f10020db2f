package tab

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/composer"
	"parley/tui/dialog"
)

// outgoing is a prompt on its way to the session.
type outgoing struct {
	composer.Prompt
	id int // negative
	// now cancels a running turn first.
	now bool
	// back is the queue position, from 1, that it returns to, or 0.
	back int
}

// hand gives a prompt to the session, and reports if that cancels a turn.
func (o *promptQueue) hand(out outgoing, blocks []acpclient.ContentBlock) tea.Cmd {
	switch {
	case out.now:
		if o.tab.session.SendNow(blocks) {
			return o.tab.say(cancelsFirst)
		}
	case out.back > 0:
		o.tab.session.PromptAt(out.back-1, blocks)
	default:
		o.tab.session.Prompt(blocks)
	}
	return nil
}

// cancelsFirst is said when a prompt is sent while a turn runs.
const cancelsFirst = "the turn is cancelled first, then this is sent"

// SendNow sends the draft, or else the first queued prompt, at once, cancelling a running
// turn.
func (o *promptQueue) SendNow() tea.Cmd {
	switch {
	case o.tab.session == nil:
		return nil
	case o.tab.composer.IsCommand():
		return o.tab.say("a command of yours waits for no turn: " + o.tab.keyOf(config.ActionSend) + " runs it")
	case !o.tab.composer.Empty():
		p, cmd := o.tab.composer.Take()
		if p == nil {
			return cmd
		}
		return tea.Batch(cmd, o.submitAs(outgoing{Prompt: *p, now: true}))
	case o.Queued() == 0:
		return o.tab.say("there is nothing to send")
	}
	return o.sendQueuedNow(o.prompts()[0].ID)
}

func (o *promptQueue) sendQueuedNow(id int) tea.Cmd {
	if at := o.unread(id); at >= 0 {
		p := o.waiting[at]
		p.now = true
		o.waiting = slices.Insert(slices.Delete(o.waiting, at, at+1), 0, p)
		return nil
	}
	switch found, cancelled := o.tab.session.SendQueuedNow(id); {
	case !found && o.tab.conv.Gone():
		return o.tab.say("the agent has gone: " + o.again())
	case !found:
		return o.tab.say("it does not wait any more")
	case cancelled:
		return o.tab.say(cancelsFirst)
	}
	return nil
}

// Show lists the queue.
func (o *promptQueue) Show() tea.Cmd {
	if o.tab.session == nil || o.Queued() == 0 {
		return o.tab.say("nothing waits: what you send while the agent works does")
	}
	o.tab.dialogs.Push(dialog.NewFollowing(o.tab.env(), dialog.List{
		Title: "What waits", Empty: "Nothing waits any more.",
		Keys: []dialog.ItemKey{
			{Action: config.ActionDialogMoveUp, Hint: "move up", Do: o.moveQueued(-1)},
			{Action: config.ActionDialogMoveDown, Hint: "down", Do: o.moveQueued(1)},
		},
	}, o.queueItems))
	return nil
}

// emptyQueue is the id of the item that empties the queue.
const emptyQueue = "empty"

const queueGroup = "The queue"

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
		about := "enter takes it into the prompt; sent again, it comes back to its place"
		items = append(items, dialog.Item{
			ID: queuedID(q), Group: "In this order", Title: app.PromptLine(q), Detail: fmt.Sprintf("%d of %d", i+1, len(all)), About: about,
			Do:     do,
			Delete: dialog.Stay(func() tea.Cmd { o.unqueue(q.ID); return nil }),
		})
	}
	if len(items) == 0 {
		return nil
	}
	first := all[0].ID
	return append(
		items,
		dialog.Item{ID: "now", Group: queueGroup, Title: "Send the first one now", Detail: "a turn that runs is cancelled first", Do: dialog.Do(func() tea.Cmd { return o.sendQueuedNow(first) })},
		dialog.Item{ID: emptyQueue, Group: queueGroup, Title: "Empty the queue", Detail: "nothing of it is sent", Do: dialog.Do(o.dropQueue)},
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
			if at := o.unread(id); at >= 0 {
				to := min(max(at+by, 0), len(o.waiting)-1)
				o.waiting[at], o.waiting[to] = o.waiting[to], o.waiting[at]
			} else {
				o.tab.session.MoveQueued(id, by)
			}
			return nil
		})
	}
}

// editQueued moves a queued prompt into the composer. Sending it restores its position.
func (o *promptQueue) editQueued(id int) tea.Cmd {
	if !o.tab.composer.Empty() {
		return o.tab.say("the prompt holds a draft: send it or clear it first")
	}
	at := slices.IndexFunc(o.prompts(), func(q conversation.QueuedPrompt) bool { return q.ID == id })
	if cmd, ok := o.takeBack(id); ok {
		o.requeue = at + 1
		return cmd
	}
	return o.tab.say("it does not wait any more")
}

// unqueue removes a prompt from the queue. Its text stays in the history.
func (o *promptQueue) unqueue(id int) bool {
	if at := o.unread(id); at >= 0 {
		o.waiting = slices.Delete(o.waiting, at, at+1)
		return true
	}
	_, ok := o.tab.session.Unqueue(id)
	return ok
}

// dropQueue empties the queue. The prompts stay in the history.
func (o *promptQueue) dropQueue() tea.Cmd {
	n := len(o.tab.session.EmptyQueue())
	n += len(o.waiting)
	o.waiting = slices.DeleteFunc(o.waiting, func(p *outgoing) bool { return p != o.reading })
	n -= len(o.waiting)
	words, them := fmt.Sprintf("%d prompts were taken out", n), "them"
	if n == 1 {
		words, them = "1 prompt was taken out", "it"
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
	o.tab.ask(o.tab.confirmation(app.SendQueueQuestion(o.tab.session, o.tab.conv.Queue)))
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
		out = append(out, "   "+th.Faint.Render("sent only if you say so then, "+back+" takes the last one back"))
	} else if c.QueuePaused {
		out = append(out, "   "+th.Faint.Render("enter on an empty prompt sends them, "+back+" takes the last one back"))
	}
	for i, line := range out {
		out[i] = termtext.Truncate(line, width, "…")
	}
	return out
}
