package session

import (
	"errors"
	"slices"

	"parley/acpclient"
	"parley/internal/conversation"
)

// Prompt sends a prompt, or queues it while a turn is running or no session is open. If
// the queue is paused, it sends the prompt before those in the queue, which stay. A
// prompt for an agent that has exited waits for the user: nothing is sent to another
// agent unasked.
func (s *Session) Prompt(prompt []acpclient.ContentBlock) {
	s.mu.Lock()
	defer s.unlock()
	if !s.closed {
		s.prompt(prompt)
	}
}

// prompt is Prompt with s.mu held.
func (s *Session) prompt(prompt []acpclient.ContentBlock) {
	if s.ready && !s.running && (s.paused || len(s.queue) == 0) {
		s.send(prompt)
		return
	}
	s.lastNumber++
	s.queue = append(s.queue, conversation.QueuedPrompt{ID: s.lastNumber, Prompt: prompt})
	s.paused = s.paused || s.gone
	s.queueChanged()
	s.sendNext()
}

// promptNext sends a prompt before the queue, even if the queue is paused by then. s.mu
// must be held.
func (s *Session) promptNext(prompt []acpclient.ContentBlock) {
	if s.ready && !s.running {
		s.send(prompt)
		return
	}
	s.lastNumber++
	s.next = s.lastNumber
	s.queue = append([]conversation.QueuedPrompt{{ID: s.next, Prompt: prompt}}, s.queue...)
	s.queueChanged()
	s.sendNext()
}

// Unqueue removes a prompt from the queue, and returns it.
func (s *Session) Unqueue(id int) (conversation.QueuedPrompt, bool) {
	s.mu.Lock()
	defer s.unlock()
	at := s.queued(id)
	if at < 0 {
		return conversation.QueuedPrompt{}, false
	}
	q := s.queue[at]
	s.queue = slices.Delete(slices.Clone(s.queue), at, at+1)
	s.paused = s.paused && len(s.queue) > 0
	s.queueChanged()
	return q, true
}

// ResumeQueue sends the prompts of a paused queue.
func (s *Session) ResumeQueue() {
	s.mu.Lock()
	defer s.unlock()
	if !s.paused {
		return
	}
	s.paused = false
	s.queueChanged()
	s.sendNext()
}

// queueChanged reports the queue in the stream. s.mu must be held.
func (s *Session) queueChanged() {
	s.stream.post(conversation.QueueChanged{Queue: append([]conversation.QueuedPrompt(nil), s.queue...), Paused: s.paused})
}

// pauseQueue holds the queue until the user resumes it. s.mu must be held.
func (s *Session) pauseQueue() {
	if len(s.queue) > 0 && !s.paused {
		s.paused = true
		s.queueChanged()
	}
}

// sendNext sends the first prompt of the queue, if it can be sent now. s.mu must be
// held.
func (s *Session) sendNext() {
	if !s.ready || s.running || len(s.queue) == 0 || s.paused && s.queue[0].ID != s.next {
		return
	}
	next := s.queue[0]
	s.queue = s.queue[1:]
	s.paused = s.paused && len(s.queue) > 0
	s.send(next.Prompt)
	s.queueChanged() // after sending, so that an observer in between does not find the session idle
}

// send begins a turn. s.mu must be held.
func (s *Session) send(prompt []acpclient.ContentBlock) {
	s.running, s.cancelling = true, false
	s.agent.quiet.Store(false) // what comes from now on is new
	sent := func() { s.stream.post(conversation.PromptSent{Prompt: prompt, At: s.opt.Now()}) }
	sent()
	call(s, acpclient.SessionPrompt,
		func() *acpclient.PromptRequest { return &acpclient.PromptRequest{SessionID: s.id, Prompt: prompt} },
		s.turnEnded, callHooks{emptied: sent})
}

// turnEnded handles the answer to a prompt. s.mu must be held.
func (s *Session) turnEnded(r *acpclient.PromptResponse, err error) {
	e := conversation.TurnEnded{Err: err, At: s.opt.Now()}
	var answer *acpclient.Error
	switch {
	case r != nil:
		e.Reason, e.Usage = r.StopReason, r.Usage
	case s.cancelling && errors.As(err, &answer):
		// Agents should answer "cancelled", but some answer with the error of the
		// cancelled work.
		s.opt.Log.Info("the agent ended the cancelled turn with an error", "error", err)
		e.Reason, e.Err = acpclient.StopCancelled, nil
	}
	s.running, s.cancelling = false, false
	s.stream.post(e)
	if e.Err != nil {
		s.next = 0
		s.pauseQueue() // the user wrote the next prompt before they knew of the error
	}
	s.sendNext()
}

// Cancel asks the agent to end the turn. Open questions are answered as cancelled, and
// the queue is paused. It returns false if no turn is running.
func (s *Session) Cancel() bool {
	s.mu.Lock()
	defer s.unlock()
	return s.cancelTurn()
}

// cancelTurn is Cancel with s.mu held.
func (s *Session) cancelTurn() bool {
	if !s.running {
		return false
	}
	if s.cancelling {
		return true
	}
	s.sendCancel()
	s.closeQuestions()
	s.pauseQueue()
	s.dropBlocked()
	return true
}

// sendCancel cancels the turn at the agent and in the stream. s.mu must be held.
func (s *Session) sendCancel() {
	s.cancelling = true
	s.stream.post(conversation.CancelRequested{At: s.opt.Now()})
	if a, id := s.agent, s.id; a != nil {
		s.outbox = append(s.outbox, func() {
			_ = a.client.Cancel(&acpclient.CancelNotification{SessionID: id})
		})
	}
}
