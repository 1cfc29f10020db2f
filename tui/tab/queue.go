package tab

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/tui/composer"
	"parley/tui/dialog"
)

// outgoing is a prompt on its way to the session.
type outgoing struct {
	composer.Prompt
	// now says that a turn that runs is cancelled for it.
	now bool
	// back is the place in the queue to which it goes back, from 1 on; 0 if it was not
	// taken out of it.
	back int
}

// hand gives a prompt to the session, and says what that does to a turn that runs.
func (t *Tab) hand(o outgoing, blocks []acpclient.ContentBlock) tea.Cmd {
	switch {
	case o.now:
		if t.session.SendNow(blocks) {
			return t.desk.Say(cancelsFirst)
		}
	case o.back > 0:
		t.session.PromptAt(o.back-1, blocks)
	default:
		t.session.Prompt(blocks)
	}
	return nil
}

// cancelsFirst is said when a prompt is sent while a turn runs.
const cancelsFirst = "the turn is cancelled first, then this is sent"

// sendNow sends the draft, or, if there is none, the first prompt that waits, before its
// turn: the turn that runs is cancelled.
func (t *Tab) sendNow() tea.Cmd {
	switch {
	case t.session == nil:
		return nil
	case t.composer.IsCommand():
		return t.desk.Say("a command of yours waits for no turn: " + t.desk.Key(config.ActionSend) + " runs it")
	case !t.composer.Empty():
		p, cmd := t.composer.Take()
		if p == nil {
			return cmd
		}
		return tea.Batch(cmd, t.submitAs(outgoing{Prompt: *p, now: true}))
	case len(t.conv.Queue) == 0:
		return t.desk.Say("there is nothing to send")
	}
	return t.sendQueuedNow(t.conv.Queue[0].ID)
}

func (t *Tab) sendQueuedNow(id int) tea.Cmd {
	switch found, cancelled := t.session.SendQueuedNow(id); {
	case !found && t.gone():
		return t.desk.Say("the agent has gone: " + t.howToStart() + " starts it again")
	case !found:
		return t.desk.Say("it does not wait any more")
	case cancelled:
		return t.desk.Say(cancelsFirst)
	}
	return nil
}

// showQueue lists what waits, to be edited, put into another order and taken out.
func (t *Tab) showQueue() tea.Cmd {
	if t.session == nil || len(t.conv.Queue) == 0 {
		return t.desk.Say("nothing waits: what you send while the agent works does")
	}
	t.dialogs.Push(dialog.NewFollowing(t.desk.Env(), dialog.List{
		Title: "What waits", Empty: "Nothing waits any more.",
		Keys: []dialog.ItemKey{
			{Action: config.ActionDialogMoveUp, Hint: "move up", Do: t.moveQueued(-1)},
			{Action: config.ActionDialogMoveDown, Hint: "down", Do: t.moveQueued(1)},
		},
	}, t.queueItems))
	return nil
}

// emptyQueue is the item that takes everything out of the queue.
const emptyQueue = "empty"

// queueItems are the prompts that wait, and what can be done with all of them.
func (t *Tab) queueItems() []dialog.Item {
	var items []dialog.Item
	for i, q := range t.conv.Queue {
		about := "enter takes it into the prompt; sent again, it comes back to its place"
		items = append(items, dialog.Item{
			ID: queuedID(q), Group: "waits, in this order", Title: promptLine(q), Detail: fmt.Sprintf("%d of %d", i+1, len(t.conv.Queue)), About: about,
			Do:     dialog.Do(func() tea.Cmd { return t.editQueued(q.ID) }),
			Delete: dialog.Stay(func() tea.Cmd { t.unqueue(q.ID); return nil }),
		})
	}
	if len(items) == 0 {
		return nil
	}
	first := t.conv.Queue[0].ID
	return append(
		items,
		dialog.Item{ID: "now", Group: "all", Title: "Send the first one now", Detail: "a turn that runs is cancelled first", Do: dialog.Do(func() tea.Cmd { return t.sendQueuedNow(first) })},
		dialog.Item{ID: emptyQueue, Group: "all", Title: "Empty the queue", Detail: "nothing of it is sent", Do: dialog.Do(t.dropQueue)},
	)
}

// queuedID is the name of a prompt that waits, in the list.
func queuedID(q conversation.QueuedPrompt) string { return fmt.Sprintf("prompt %d", q.ID) }

// moveQueued is what the keys do that move a prompt that waits.
func (t *Tab) moveQueued(by int) func(dialog.Item) dialog.Action {
	return func(i dialog.Item) dialog.Action {
		var id int
		if n, _ := fmt.Sscanf(i.ID, "prompt %d", &id); n == 0 {
			return nil
		}
		return dialog.Stay(func() tea.Cmd { t.session.MoveQueued(id, by); return nil })
	}
}

// editQueued takes a prompt that waits into the composer. Sent again, it goes back to
// its place.
func (t *Tab) editQueued(id int) tea.Cmd {
	if !t.composer.Empty() {
		return t.desk.Say("the prompt holds a draft: send it or clear it first")
	}
	for i, q := range t.conv.Queue {
		if q.ID == id && t.unqueue(id) {
			t.requeue = i + 1
			return t.takeBack(queuedText(q), q.Prompt)
		}
	}
	return t.desk.Say("it does not wait any more")
}

// unqueue takes a prompt out of the queue. Its text is in the history.
func (t *Tab) unqueue(id int) bool {
	_, ok := t.session.Unqueue(id)
	return ok
}

// dropQueue takes out all that waits. It stays in the history.
func (t *Tab) dropQueue() tea.Cmd {
	n := len(t.session.EmptyQueue())
	words, them := fmt.Sprintf("%d prompts were taken out", n), "them"
	if n == 1 {
		words, them = "1 prompt was taken out", "it"
	}
	return t.desk.Say(words + "; " + t.desk.Key(config.ActionHistorySearch) + " finds " + them + " again")
}
