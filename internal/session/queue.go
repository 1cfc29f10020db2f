package session

import (
	"context"
	"slices"

	"parley/acpclient"
	"parley/internal/conversation"
)

// Prompt sends a prompt, or queues it while a turn is running or no session is open. If
// the queue is paused, it sends the prompt before those in the queue, which stay. A
// prompt for an agent that has exited waits for the user, and so does one that says so: nothing is sent
// to another agent unasked.
type Prompt struct {
	Prompt conversation.QueuedPrompt
	// At, if not 0, is the position in the queue, from 1, to which a prompt returns that was removed
	// from there.
	At int
}

func (a Prompt) Do(_ context.Context, s *Session) (None, error) {
	switch queued := len(s.state.Queue); {
	case s.closed:
	case a.At == 0 || queued == 0:
		s.prompt(a.Prompt)
	default:
		a.Prompt.Now = false
		s.enqueue(min(a.At-1, queued), a.Prompt)
	}
	return None{}, nil
}

// prompt is the act Prompt. s.mu must be held.
func (s *Session) prompt(p conversation.QueuedPrompt) {
	queue, paused := s.state.Queue, s.state.QueuePaused
	at := len(queue)
	if paused && !p.Waits && s.ready() && !s.state.Turn.Running {
		p.Now = true
		for at = 0; at < len(queue) && queue[at].Now; at++ { // in the order of sending
		}
	}
	s.enqueue(at, p)
}

// SendNow sends a prompt before the queue, cancelling a running turn first: a new one or, by its ID,
// one of the queue, which stays otherwise. The result is whether it cancelled a turn. The error is
// [ErrNotQueued] if the prompt is not queued any more.
type SendNow struct{ Prompt conversation.QueuedPrompt }

func (a SendNow) Do(_ context.Context, s *Session) (cancelled bool, err error) {
	running := s.state.Turn.Running
	switch at := positionOf(s.state.Queue, a.Prompt.ID); {
	case s.closed:
		return false, nil
	case a.Prompt.ID != 0 && (at < 0 || s.gone()):
		return false, ErrNotQueued
	case a.Prompt.ID != 0:
		p := s.state.Queue[at]
		p.Now = true
		s.setQueue(slices.Insert(without(s.state.Queue, at), 0, p), s.state.QueuePaused)
	case running:
		s.promptNext(a.Prompt)
	default:
		s.prompt(a.Prompt)
	}
	if running {
		s.endTurn()
	}
	return running, nil
}

// promptNext sends a prompt before the queue, even if the queue is paused by then. s.mu
// must be held.
func (s *Session) promptNext(p conversation.QueuedPrompt) {
	p.Now = true
	s.enqueue(0, p)
}

// enqueue queues a prompt, and sends the first one if possible. s.mu must be held.
func (s *Session) enqueue(at int, p conversation.QueuedPrompt) {
	s.lastNumber++
	p.ID = s.lastNumber
	queue, paused := s.state.Queue, s.state.QueuePaused || p.Waits
	p.Waits = false
	s.setQueue(slices.Insert(slices.Clone(queue), at, p), paused || s.gone())
	s.askBudgetAgain()
}

// MoveQueued moves a queued prompt by so many positions, up if negative, as far as
// possible.
type MoveQueued struct{ ID, By int }

func (a MoveQueued) Do(_ context.Context, s *Session) (None, error) {
	queue, paused := s.state.Queue, s.state.QueuePaused
	if at := positionOf(queue, a.ID); at >= 0 {
		to := min(max(at+a.By, 0), len(queue)-1)
		s.postQueue(slices.Insert(without(queue, at), to, queue[at]), paused)
	}
	return None{}, nil
}

// Unqueue removes a prompt from the queue. The result is the prompt, and the error
// [ErrNotQueued] if it is not queued any more.
type Unqueue struct{ ID int }

func (a Unqueue) Do(_ context.Context, s *Session) (conversation.QueuedPrompt, error) {
	queue, paused := s.state.Queue, s.state.QueuePaused
	at := positionOf(queue, a.ID)
	if at < 0 {
		return conversation.QueuedPrompt{}, ErrNotQueued
	}
	s.postQueue(without(queue, at), paused)
	return queue[at], nil
}

// EmptyQueue removes all prompts from the queue. The result are the prompts.
type EmptyQueue struct{}

func (EmptyQueue) Do(_ context.Context, s *Session) ([]conversation.QueuedPrompt, error) {
	queue, paused := s.state.Queue, s.state.QueuePaused
	s.postQueue(nil, paused)
	return queue, nil
}

// ResumeQueue sends the prompts of a paused queue.
type ResumeQueue struct{}

func (ResumeQueue) Do(_ context.Context, s *Session) (None, error) {
	queue := s.state.Queue
	s.setQueue(queue, false)
	s.askBudgetAgain()
	return None{}, nil
}

// pauseQueue holds the whole queue until the user resumes it. s.mu must be held.
func (s *Session) pauseQueue() {
	queue := s.state.Queue
	queue = slices.Clone(queue)
	for i := range queue {
		queue[i].Now = false
	}
	s.postQueue(queue, true)
}

// postQueue reports another queue in the stream, if it differs. An empty queue is not
// paused. s.mu must be held.
func (s *Session) postQueue(queue []conversation.QueuedPrompt, paused bool) {
	paused = paused && len(queue) > 0
	before, was := s.state.Queue, s.state.QueuePaused
	same := func(a, b conversation.QueuedPrompt) bool {
		return a.ID == b.ID && a.Now == b.Now && a.Steering == b.Steering && a.Unsure == b.Unsure && a.Reading == b.Reading
	}
	if paused != was || !slices.EqualFunc(queue, before, same) {
		s.post(conversation.QueueChanged{Queue: queue, Paused: paused})
	}
}

// sendNext sends the first prompt of the queue, if it can be sent now. s.mu must be held.
func (s *Session) sendNext() { s.setQueue(s.state.Queue, s.state.QueuePaused) }

// setQueue changes the queue, and sends its first prompt if that can be sent now. The
// prompt stays in the queue while its files are read. s.mu must be held.
func (s *Session) setQueue(queue []conversation.QueuedPrompt, paused bool) {
	if s.sendable(queue, paused) {
		p := queue[0]
		if content, reads := s.agent.content(p); !reads {
			s.send(p, content())
			queue = queue[1:]
		} else {
			queue = slices.Clone(queue)
			queue[0].Reading = true
			epoch := s.epoch
			go func() {
				prompt := content()
				s.mu.Lock()
				defer s.unlock()
				queue, paused := s.state.Queue, s.state.QueuePaused
				queue = slices.Clone(queue)
				at := positionOf(queue, p.ID)
				if at >= 0 {
					queue[at].Reading = false
				}
				if s.epoch == epoch && at == 0 && s.sendable(queue, paused) {
					s.send(p, prompt)
					queue = queue[1:]
				}
				s.setQueue(queue, paused)
			}()
		}
	}
	s.postQueue(queue, paused) // after sending, so that an observer in between does not find the session idle
}

// content returns the function that makes the content of a prompt for the agent. If it
// reads files, it has to be called without s.mu. s.mu must be held.
func (a *agent) content(p conversation.QueuedPrompt) (content func() []acpclient.ContentBlock, reads bool) {
	resolve := a.owner.opt.Resolve
	if resolve == nil {
		return func() []acpclient.ContentBlock { return p.Prompt }, false
	}
	caps := a.hello.Load().AgentCapabilities.PromptCapabilities
	return func() []acpclient.ContentBlock { return resolve(p, caps) }, len(p.Files) > 0
}

// sendable reports whether the first prompt of a queue may be sent. Not so while the budget is
// used up, while the files of a prompt are being read, or while another prompt may be going
// into the turn that has ended. s.mu must be held.
func (s *Session) sendable(queue []conversation.QueuedPrompt, paused bool) bool {
	claimed := func(q conversation.QueuedPrompt) bool { return q.Steering || q.Reading }
	return len(queue) > 0 && (!paused || queue[0].Now) && s.ready() && !s.state.Turn.Running &&
		!slices.ContainsFunc(queue, claimed) && !s.state.BudgetReached
}

// positionOf returns the position of a prompt in a queue, -1 if it is not there.
func positionOf(queue []conversation.QueuedPrompt, id int) int {
	return slices.IndexFunc(queue, func(q conversation.QueuedPrompt) bool { return q.ID == id })
}

// without returns a queue without the prompt at a position.
func without(queue []conversation.QueuedPrompt, at int) []conversation.QueuedPrompt {
	return slices.Delete(slices.Clone(queue), at, at+1)
}
