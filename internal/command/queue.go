package command

import (
	"context"
	"errors"
	"fmt"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/termtext"
)

// Act does an act, and calls next with the result in the front end: at once for a session in this
// process, otherwise when the answer arrives. No front end waits for another process.
func Act[R any](f Front, s session.Doer, a session.Act[R], next func(R, error)) {
	result, done := session.Begin(s, a)
	if done {
		next(result(context.Background()))
		return
	}
	f.InBackground(func(ctx context.Context) func() {
		r, err := result(ctx)
		return func() { next(r, err) }
	})
}

// Try does an act in the background, and says why if it fails, after some words.
func Try(f Front, s session.Doer, a session.Act[session.None], failed string) {
	Get(f, failed, does(s, a), func(session.None) {})
}

// Get calls do in the background, and next with its result in the front end. If do fails, it says why,
// after some words.
func Get[R any](f Front, failed string, do func(context.Context) (R, error), next func(R)) {
	getOr(f, func(err error) { f.Say(failed + err.Error()) }, do, next)
}

// getOr is Get that calls failed instead of saying why.
func getOr[R any](f Front, failed func(error), do func(context.Context) (R, error), next func(R)) {
	f.InBackground(func(ctx context.Context) func() {
		r, err := do(ctx)
		return func() {
			if err != nil {
				failed(err)
				return
			}
			next(r)
		}
	})
}

// does returns what does an act.
func does[R any](s session.Doer, a session.Act[R]) func(context.Context) (R, error) {
	return func(ctx context.Context) (R, error) { return session.Do(ctx, s, a) }
}

// Gone says words, and what brings back the agent, until it is back.
func Gone(f Front, words string) {
	l := f.Live()
	f.SayWhile(words+l.RestartText(f.KeyOf(StartAgain)), l.Conversation.Gone)
}

// SayKept says that a prompt waits because the agent exited, if it has.
func SayKept(f Front) {
	if f.Live().Conversation.Gone() {
		Gone(f, "kept, not sent: ")
	}
}

// Steer puts a prompt into the running turn. One that the agent refuses stays in the queue, and the
// transcript says why.
func Steer(f Front, q conversation.QueuedPrompt) {
	l := f.Live()
	Act(f, l.Session, session.Steer{Prompt: q}, func(_ session.Steered, err error) {
		switch {
		case err == nil:
		case errors.Is(err, session.ErrNotQueued), l.HostGone(): // nothing is queued, or nothing takes a notice
			f.Say(err.Error())
		default:
			session.Post(l.Session, session.AddNotice{
				Severity: acpclient.NoticeWarning, Title: "A prompt was not steered: it stays queued",
				Detail: termtext.Capital(err.Error()) + "\n" + app.PromptLine(q),
			})
		}
	})
}

// SendAtOnce sends a prompt, a new one or one of the queue, at once: into the running turn if the agent
// takes it, after cancelling that otherwise.
func SendAtOnce(f Front, q conversation.QueuedPrompt) {
	c := f.Live().Conversation
	if c.Steerable() {
		Steer(f, q)
		return
	}
	Act(f, f.Live().Session, session.SendNow{Prompt: q}, func(cancelled bool, err error) {
		switch {
		case err != nil && c.Gone():
			Gone(f, "the agent exited: ")
		case errors.Is(err, session.ErrNotQueued):
			f.Say("it is no longer queued")
		case err != nil:
			f.Say(err.Error())
		case cancelled:
			sayCancelling(f)
		default:
			SayKept(f)
		}
	})
}

// SendFirst is SendAtOnce for the first queued prompt.
func SendFirst(f Front) {
	if queue := f.Live().Conversation.Queue; len(queue) > 0 {
		SendAtOnce(f, queue[0])
	}
}

// sayCancelling says, until the running turn has ended, that a prompt waits for that.
func sayCancelling(f Front) {
	turn := &f.Live().Conversation.Turn
	began := turn.Started
	f.SayWhile("cancelling the turn, then sending", func() bool { return turn.Running && turn.Started.Equal(began) })
}

// manageQueue lists the queue.
func manageQueue(f Front) {
	f.Choose(Choice{
		Title: "Queue", Empty: "The queue is empty.", Deleting: "drop",
		Keys: []Key{{ID: DialogMoveUp, Hint: "move up", Word: "up"}, {ID: DialogMoveDown, Hint: "down", Word: "down"}},
		Now:  func() []Item { return queueItems(f) },
	})
}

// queueItems returns the queued prompts, or those for a session that is being opened, and the actions on
// all of them.
func queueItems(f Front) (items []Item) {
	l, held, no := f.Live(), f.Held(), f.NoEdit()
	queue := *held
	move := func(id, by int) { session.Post(l.Session, session.MoveQueued{ID: id, By: by}) }
	drop := func(id int) { session.Post(l.Session, session.Unqueue{ID: id}) }
	switch {
	case len(queue) > 0:
		move, drop = held.Move, func(id int) { held.Take(id) }
	case l != nil:
		queue = l.Conversation.Queue
	}
	for i, q := range queue {
		move := func(by int) func() { return func() { move(q.ID, by) } }
		detail := fmt.Sprintf("%d of %d", i+1, len(queue))
		if q.Unsure {
			detail += ", " + app.MayHave
		}
		items = append(items, Item{
			ID: fmt.Sprintf("prompt %d", q.ID), Group: "Queued prompts", Title: app.PromptLine(q), Detail: detail,
			About: "Enter edits it; sending restores its position", Stays: no != "", // say why not
			Do: func() {
				if no != "" {
					f.Say(no)
					return
				}
				f.EditQueued(q.ID)
			},
			Delete: func() { drop(q.ID) },
			Also:   []func(){move(-1), move(1)},
		})
	}
	if len(items) == 0 {
		return nil
	}
	const group = "Queue"
	if len(*held) == 0 {
		now, c := "no turn is running", l.Conversation
		switch {
		case c.Steerable():
			now = "steers the running turn with it"
		case c.Turn.Running:
			now = "cancels the running turn"
		}
		items = append(items, Item{ID: "now", Group: group, Title: "Send the first one now", Detail: now, Do: func() { SendFirst(f) }})
	}
	return append(
		items,
		Item{ID: "empty", Words: "clear", Group: group, Title: "Clear the queue", Detail: "drops all queued prompts", Do: func() { emptyQueue(f) }},
	)
}

// emptyQueue empties the queue. The prompts stay in the history.
func emptyQueue(f Front) {
	removed := func(all []conversation.QueuedPrompt) {
		words, them := "removed "+termtext.Count(len(all), "prompt"), "them"
		if len(all) == 1 {
			them = "it"
		}
		if key := f.KeyOf(HistorySearch); key != "" {
			words += "; " + key + " finds " + them + " again"
		}
		f.Say(words)
	}
	if held := f.Held(); len(*held) > 0 {
		removed(*held)
		*held = nil
		return
	}
	Get(f, "", does(f.Live().Session, session.EmptyQueue{}), removed)
}
