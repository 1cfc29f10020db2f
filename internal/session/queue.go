package session

import (
	"slices"

	"parley/acpclient"
	"parley/internal/conversation"
)

// SendNow sends a prompt before the queue, cancelling a running turn first. The queue
// stays. It reports whether it cancelled a turn.
func (s *Session) SendNow(prompt []acpclient.ContentBlock) (cancelled bool) {
	s.mu.Lock()
	defer s.unlock()
	if s.closed {
		return false
	}
	if !s.running {
		s.prompt(prompt)
		return false
	}
	s.promptNext(prompt)
	s.cancelForNext()
	return true
}

// SendQueuedNow is SendNow for a queued prompt. found is false if the prompt is no
// longer queued.
func (s *Session) SendQueuedNow(id int) (found, cancelled bool) {
	s.mu.Lock()
	defer s.unlock()
	at := s.queued(id)
	if at < 0 || s.gone {
		return false, false
	}
	q := s.queue[at]
	s.queue = slices.Insert(slices.Delete(slices.Clone(s.queue), at, at+1), 0, q)
	s.next = q.ID
	s.queueChanged()
	if s.running {
		s.cancelForNext()
		return true, true
	}
	s.sendNext()
	return true, false
}

// cancelForNext cancels the turn so that the first prompt of the queue is sent. s.mu
// must be held. It does not pause the rest of the queue, because the user wants the
// agent to continue.
func (s *Session) cancelForNext() {
	paused := s.paused
	s.cancelTurn()
	if s.paused != paused {
		s.paused = paused
		s.queueChanged()
	}
}

// PromptAt puts a prompt that was removed from the queue back at its position, counted
// from 0. With an empty queue it is Prompt.
func (s *Session) PromptAt(at int, prompt []acpclient.ContentBlock) {
	s.mu.Lock()
	defer s.unlock()
	switch {
	case s.closed:
	case len(s.queue) == 0:
		s.prompt(prompt)
	default:
		s.lastNumber++
		q := conversation.QueuedPrompt{ID: s.lastNumber, Prompt: prompt}
		s.queue = slices.Insert(slices.Clone(s.queue), min(max(at, 0), len(s.queue)), q)
		s.queueChanged()
		s.sendNext()
	}
}

// MoveQueued moves a queued prompt by so many positions, up if negative, as far as
// possible.
func (s *Session) MoveQueued(id, by int) {
	s.mu.Lock()
	defer s.unlock()
	at := s.queued(id)
	if at < 0 {
		return
	}
	to := min(max(at+by, 0), len(s.queue)-1)
	if to == at {
		return
	}
	q := s.queue[at]
	s.queue = slices.Insert(slices.Delete(slices.Clone(s.queue), at, at+1), to, q)
	s.queueChanged()
}

// EmptyQueue removes all prompts from the queue, and returns them.
func (s *Session) EmptyQueue() []conversation.QueuedPrompt {
	s.mu.Lock()
	defer s.unlock()
	taken := s.queue
	if len(taken) > 0 {
		s.queue, s.paused = nil, false
		s.queueChanged()
	}
	return taken
}

// queued returns the position of a prompt in the queue, or -1. s.mu must be held.
func (s *Session) queued(id int) int {
	return slices.IndexFunc(s.queue, func(q conversation.QueuedPrompt) bool { return q.ID == id })
}
