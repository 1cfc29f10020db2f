package session

import (
	"slices"

	"parley/acpclient"
	"parley/internal/conversation"
)

// Prompt sends a prompt, or queues it while a turn is running or no session is open. If
// the queue is paused, it sends the prompt before those in the queue, which stay. A
// prompt for an agent that has exited waits for the user: nothing is sent to another
// agent unasked.
func (s *Session) Prompt(p conversation.QueuedPrompt) {
	s.mu.Lock()
	defer s.unlock()
	if !s.closed {
		s.prompt(p)
	}
}

// prompt is Prompt with s.mu held.
func (s *Session) prompt(p conversation.QueuedPrompt) {
	at := len(s.queue)
	if s.paused && s.ready && !s.running {
		p.Now = true
		for at = 0; at < len(s.queue) && s.queue[at].Now; at++ { // in the order of sending
		}
	}
	s.enqueue(at, p)
}

// SendNow sends a prompt before the queue, cancelling a running turn first. The queue
// stays. It reports whether it cancelled a turn.
func (s *Session) SendNow(p conversation.QueuedPrompt) (cancelled bool) {
	s.mu.Lock()
	defer s.unlock()
	switch {
	case s.closed:
		return false
	case !s.running:
		s.prompt(p)
		return false
	}
	s.promptNext(p)
	s.cancelForNext()
	return true
}

// promptNext sends a prompt before the queue, even if the queue is paused by then. s.mu
// must be held.
func (s *Session) promptNext(p conversation.QueuedPrompt) {
	p.Now = true
	s.enqueue(0, p)
}

// PromptAt puts a prompt that was removed from the queue back at its position, counted
// from 0. With an empty queue it is Prompt.
func (s *Session) PromptAt(at int, p conversation.QueuedPrompt) {
	s.mu.Lock()
	defer s.unlock()
	switch {
	case s.closed:
	case len(s.queue) == 0:
		s.prompt(p)
	default:
		p.Now = false
		s.enqueue(min(max(at, 0), len(s.queue)), p)
	}
}

// enqueue queues a prompt, and sends the first one if possible. s.mu must be held.
func (s *Session) enqueue(at int, p conversation.QueuedPrompt) {
	s.lastNumber++
	p.ID = s.lastNumber
	s.queue = slices.Insert(slices.Clone(s.queue), at, p)
	s.paused = s.paused || s.gone
	s.sendNext()
	s.queueChanged()
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
	p := s.queue[at]
	p.Now = true
	s.queue = slices.Insert(slices.Delete(slices.Clone(s.queue), at, at+1), 0, p)
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
	s.paused = paused
	s.queueChanged()
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
	p, to := s.queue[at], min(max(at+by, 0), len(s.queue)-1)
	s.queue = slices.Insert(slices.Delete(slices.Clone(s.queue), at, at+1), to, p)
	s.queueChanged()
}

// Unqueue removes a prompt from the queue, and returns it.
func (s *Session) Unqueue(id int) (conversation.QueuedPrompt, bool) {
	s.mu.Lock()
	defer s.unlock()
	at := s.queued(id)
	if at < 0 {
		return conversation.QueuedPrompt{}, false
	}
	p := s.queue[at]
	s.queue = slices.Delete(slices.Clone(s.queue), at, at+1)
	s.queueChanged()
	return p, true
}

// EmptyQueue removes all prompts from the queue, and returns them.
func (s *Session) EmptyQueue() []conversation.QueuedPrompt {
	s.mu.Lock()
	defer s.unlock()
	taken := s.queue
	s.queue = nil
	s.queueChanged()
	return taken
}

// ResumeQueue sends the prompts of a paused queue.
func (s *Session) ResumeQueue() {
	s.mu.Lock()
	defer s.unlock()
	s.paused = false
	s.queueChanged()
	s.sendNext()
}

// pauseQueue holds the whole queue until the user resumes it. s.mu must be held.
func (s *Session) pauseQueue() {
	s.queue = slices.Clone(s.queue)
	for i := range s.queue {
		s.queue[i].Now = false
	}
	s.paused = true
	s.queueChanged()
}

// queueChanged reports the queue in the stream, if it has changed. An empty queue is not
// paused. s.mu must be held.
func (s *Session) queueChanged() {
	s.paused = s.paused && len(s.queue) > 0
	same := func(a, b conversation.QueuedPrompt) bool { return a.ID == b.ID && a.Now == b.Now }
	if s.paused == s.told.Paused && slices.EqualFunc(s.queue, s.told.Queue, same) {
		return
	}
	s.told = conversation.QueueChanged{Queue: slices.Clone(s.queue), Paused: s.paused}
	s.stream.post(s.told)
}

// sendNext sends the first prompt of the queue, if it can be sent now. The prompt stays
// in the queue while its files are read. s.mu must be held.
func (s *Session) sendNext() {
	if s.resolving || !s.sendable() {
		return
	}
	p, resolve := s.queue[0], s.opt.Resolve
	caps := s.agent.hello.Load().AgentCapabilities.PromptCapabilities
	switch {
	case resolve == nil:
		s.sendFirst(p.Prompt)
	case len(p.Files) == 0:
		s.sendFirst(resolve(p, caps))
	default:
		s.resolving = true
		epoch := s.epoch
		go func() {
			prompt := resolve(p, caps)
			s.mu.Lock()
			defer s.unlock()
			s.resolving = false
			if s.epoch == epoch && s.queued(p.ID) == 0 && s.sendable() {
				s.sendFirst(prompt)
				return
			}
			s.sendNext()
		}()
	}
}

// sendable reports whether the first prompt of the queue may be sent. s.mu must be held.
func (s *Session) sendable() bool {
	return s.ready && !s.running && len(s.queue) > 0 && (!s.paused || s.queue[0].Now)
}

// sendFirst removes the first prompt from the queue and sends it with this content. s.mu
// must be held.
func (s *Session) sendFirst(prompt []acpclient.ContentBlock) {
	s.queue = s.queue[1:]
	s.send(prompt)
	s.queueChanged() // after sending, so that an observer in between does not find the session idle
}

// queued returns the position of a prompt in the queue, or -1. s.mu must be held.
func (s *Session) queued(id int) int {
	return slices.IndexFunc(s.queue, func(q conversation.QueuedPrompt) bool { return q.ID == id })
}
