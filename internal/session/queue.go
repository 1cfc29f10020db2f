package session

import (
	"slices"

	"parley/acpclient"
	"parley/internal/conversation"
)

// SendNow sends a prompt before all that waits. A turn that runs is cancelled first; the
// others in the queue go on waiting as they did. It reports whether a turn had to be
// cancelled.
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

// SendQueuedNow is SendNow for a prompt that waits. It reports false if no such prompt
// waits any more.
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

// cancelForNext cancels the turn so that the first prompt of the queue is sent; s.mu is
// held. Those behind it are not paused by that: the person wants the agent to go on.
func (s *Session) cancelForNext() {
	paused := s.paused
	s.cancelTurn()
	if s.paused != paused {
		s.paused = paused
		s.queueChanged()
	}
}

// PromptAt puts a prompt that was taken out of the queue back to its place, from 0 on. If
// nothing waits any more it is as Prompt.
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

// MoveQueued moves a waiting prompt by so many places, up if that is negative, as far as
// there are any.
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

// EmptyQueue takes all waiting prompts out of the queue, and returns them.
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

// queued is the place of a waiting prompt, -1 if it does not wait; s.mu is held.
func (s *Session) queued(id int) int {
	return slices.IndexFunc(s.queue, func(q conversation.QueuedPrompt) bool { return q.ID == id })
}
