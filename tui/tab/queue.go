package tab

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/composer"
	"parley/tui/dialog"
)

// promptQueue sends prompts to the session, and edits, reorders and removes those in its
// queue.
type promptQueue struct {
	tab *Tab

	held    app.HeldPrompts  // for the session that is being opened
	last    *composer.Prompt // the last prompt sent, or nil
	requeue int              // queue position, from 1, of the prompt being edited, or 0
	escaped time.Time        // first of two esc
}

// prompts returns the queue of the session.
func (o *promptQueue) prompts() []conversation.QueuedPrompt {
	if o.tab.conv() == nil {
		return nil
	}
	return o.tab.conv().Queue
}

// Queued is the length of the queue.
func (o *promptQueue) Queued() int { return len(o.prompts()) }

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

// Submit sends a prompt. One taken from the queue returns to its position.
func (o *promptQueue) Submit(p composer.Prompt) tea.Cmd {
	back := o.requeue
	o.requeue = 0
	if refused := o.refuse(p); refused != nil {
		return refused
	}
	q := o.content(p)
	switch {
	case o.tab.session() == nil || o.tab.reopens():
		o.held = append(o.held, q)
	case back > 0:
		o.tab.session().PromptAt(back-1, q)
	case o.tab.program.Enter == config.EnterSteers && o.tab.conv().Steerable():
		return o.steer(p, q)
	default:
		o.tab.session().Prompt(q)
	}
	return o.kept()
}

// kept says that a prompt waits because the agent exited, or returns nil.
func (o *promptQueue) kept() tea.Cmd {
	if o.tab.conv() == nil || !o.tab.conv().Gone() {
		return nil
	}
	return o.sayGone("kept, not sent: ")
}

// refuse makes a prompt that cannot be sent the draft again and says why, or returns nil.
func (o *promptQueue) refuse(p composer.Prompt) tea.Cmd {
	why := cmp.Or(o.tab.stored.readOnly, o.tab.cannotTake(p))
	if why == "" {
		return nil
	}
	o.tab.composer.Restore(p)
	return o.tab.say(why)
}

// content returns what is sent of a prompt. The end of the transcript comes into view.
func (o *promptQueue) content(p composer.Prompt) conversation.QueuedPrompt {
	o.last = &p
	o.tab.news = false
	if o.tab.list() != nil {
		o.tab.list().Bottom()
	}
	return o.tab.stored.withEarlier(o.tab.conv(), p.Queued())
}

// sayGone says words, and which key brings back the agent, until it is back.
func (o *promptQueue) sayGone(words string) tea.Cmd {
	l, ok := o.tab.live()
	if !ok {
		return nil
	}
	again := keyOrPalette(o.tab.program.Keys, config.ActionStartAgain) + " " + l.RestartText()
	return o.tab.sayWhile(words+again, func() bool { return o.tab.conv().Gone() })
}

// ReturnToDraft moves prompts that cannot be sent into the draft: the given ones, and
// those that no session has got.
func (o *promptQueue) ReturnToDraft(queued ...conversation.QueuedPrompt) tea.Cmd {
	var looked []tea.Cmd
	for _, q := range append(queued, o.held...) {
		looked = append(looked, o.tab.composer.TakeBack(q))
	}
	o.held = nil
	return tea.Batch(looked...)
}

// SendNothing handles enter on an empty prompt: it resumes a paused queue, or skips ahead
// in the turn of an agent that pauses for reading.
func (o *promptQueue) SendNothing() tea.Cmd {
	l, open := o.tab.live()
	switch {
	case !open:
		return o.tab.say(nothingToSend)
	case l.conv.Gone() && len(l.conv.Queue) > 0:
		return o.sayGone("the agent exited: ")
	case len(l.conv.Queue) > 0 && l.conv.QueuePaused:
		l.Session.ResumeQueue()
	case l.conv.Turn.Running && l.conv.Agent.SkipsAhead():
		l.Session.SkipAhead()
	default:
		return o.tab.say(nothingToSend)
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
	q, ok := o.tab.session().Unqueue(id)
	if !ok {
		return nil, false
	}
	return o.tab.composer.TakeBack(q), true
}

// Escape handles esc with nothing to cancel or close: pressed twice on an empty prompt, it
// restores the last prompt for editing.
func (o *promptQueue) Escape() tea.Cmd {
	if !o.tab.composer.Empty() || o.last == nil && (o.tab.conv() == nil || app.LastPrompt(o.tab.conv()) == "") {
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
	return o.tab.composer.Load(app.LastPrompt(o.tab.conv()))
}

// Escapes reports whether another esc restores the last prompt.
func (o *promptQueue) Escapes() bool {
	return !o.escaped.IsZero() && o.tab.program.Now().Sub(o.escaped) < againTime &&
		o.tab.composer.Empty() && (o.tab.conv() == nil || !o.tab.conv().Turn.Running)
}

// steer puts a prompt into the running turn. One that the agent refuses is the draft again,
// or the first of the queue if another one has been begun.
func (o *promptQueue) steer(p composer.Prompt, q conversation.QueuedPrompt) tea.Cmd {
	ctx, s := o.tab.program.Context, o.tab.session()
	return inBackground(func() then {
		err := s.Steer(ctx, q)
		if err == nil {
			return nil
		}
		return func() tea.Cmd {
			where := "the prompt is back: "
			if o.tab.composer.Empty() {
				o.tab.composer.Restore(p)
			} else {
				s.PromptAt(0, q)
				where = "the prompt is in the queue: "
			}
			return o.tab.say(where + termtext.Line(err.Error()))
		}
	})
}

// SendNow sends the draft, or else the first queued prompt, at once: into the running turn
// if the agent takes it, after cancelling that otherwise.
func (o *promptQueue) SendNow() tea.Cmd {
	switch {
	case o.tab.session() == nil:
		return nil
	case o.tab.composer.IsCommand():
		return o.tab.say("your command need not wait: " + o.tab.keyOf(config.ActionSend) + " runs it")
	case !o.tab.composer.Empty():
		result, cmd := o.tab.composer.Take()
		p := result.Prompt
		switch {
		case result.Own != "":
			return tea.Batch(cmd, o.tab.runSlashCommand(result.Own, result.Argument))
		case result.Unknown != "":
			o.tab.askUnknownCommand(result.Unknown, *p)
			return cmd
		case p == nil:
			return cmd
		}
		if refused := o.refuse(*p); refused != nil {
			return tea.Batch(cmd, refused)
		}
		if o.tab.conv().Steerable() {
			return tea.Batch(cmd, o.steer(*p, o.content(*p)))
		}
		if o.tab.session().SendNow(o.content(*p)) {
			return tea.Batch(cmd, o.cancelsFirst())
		}
		return tea.Batch(cmd, o.kept())
	case o.Queued() == 0:
		return o.tab.say(nothingToSend)
	}
	return o.sendQueuedNow(o.prompts()[0].ID)
}

func (o *promptQueue) sendQueuedNow(id int) tea.Cmd {
	if o.tab.conv().Steerable() {
		ctx, s := o.tab.program.Context, o.tab.session()
		return inBackground(func() then {
			if err := s.SteerQueued(ctx, id); err != nil {
				return func() tea.Cmd { return o.tab.say(termtext.Line(err.Error())) }
			}
			return nil
		})
	}
	switch found, cancelled := o.tab.session().SendQueuedNow(id); {
	case !found && o.tab.conv().Gone():
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
			Delete: dialog.Stay(func() tea.Cmd { o.tab.session().Unqueue(q.ID); return nil }),
		})
	}
	if len(items) == 0 {
		return nil
	}
	first, now := all[0].ID, "no turn is running"
	if o.tab.conv().Turn.Running {
		now = "cancels the running turn"
	}
	if o.tab.conv().Steerable() {
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
			o.tab.session().MoveQueued(id, by)
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
	n := len(o.tab.session().EmptyQueue())
	words, them := fmt.Sprintf("removed %d prompts", n), "them"
	if n == 1 {
		words, them = "removed 1 prompt", "it"
	}
	return o.tab.say(words + "; " + o.tab.keyOf(config.ActionHistorySearch) + " finds " + them + " again")
}

// Lines draws the queue.
func (o *promptQueue) Lines(width int) []string {
	if o.Queued() == 0 {
		return nil
	}
	const most = 4
	c, gone := o.tab.conv(), o.tab.conv().Gone()
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
		waits := words
		if q.Steering {
			waits = "steering"
		}
		out = append(out, " "+th.Accent.Render("» ")+th.Faint.Render(waits+": ")+th.Muted.Render(app.PromptLine(q)))
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
