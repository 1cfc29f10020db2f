package session

import (
	"errors"

	"parley/acpclient"
	"parley/internal/conversation"
)

// Prompt sends a prompt. While a turn is running, or no session is open, the prompt
// waits in the queue. If the queue is paused, the prompt is sent before those in it,
// which go on waiting. A prompt for an agent that has gone waits for the person:
// nothing is sent to another one unasked.
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

// promptNext sends a prompt before all that waits, also if the queue is paused by then;
// s.mu is held.
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

// Unqueue takes a waiting prompt out of the queue, and returns it.
func (s *Session) Unqueue(id int) (conversation.QueuedPrompt, bool) {
	s.mu.Lock()
	defer s.unlock()
	for i, q := range s.queue {
		if q.ID == id {
			s.queue = append(s.queue[:i:i], s.queue[i+1:]...)
			if len(s.queue) == 0 {
				s.paused = false
			}
			s.queueChanged()
			return q, true
		}
	}
	return conversation.QueuedPrompt{}, false
}

// ResumeQueue sends the prompts of a queue that was paused.
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

// queueChanged says in the stream what waits; s.mu is held.
func (s *Session) queueChanged() {
	s.stream.post(conversation.QueueChanged{Queue: append([]conversation.QueuedPrompt(nil), s.queue...), Paused: s.paused})
}

// pauseQueue makes the prompts that wait go on waiting until the person resumes the
// queue; s.mu is held.
func (s *Session) pauseQueue() {
	if len(s.queue) > 0 && !s.paused {
		s.paused = true
		s.queueChanged()
	}
}

// sendNext sends the first prompt of the queue, if it can be sent now; s.mu is held.
func (s *Session) sendNext() {
	if !s.ready || s.running || len(s.queue) == 0 || s.paused && s.queue[0].ID != s.next {
		return
	}
	next := s.queue[0]
	s.queue = s.queue[1:]
	if len(s.queue) == 0 {
		s.paused = false
	}
	s.send(next.Prompt)
	s.queueChanged() // behind that: somebody may look in between, who would find nothing left to do
}

// send begins a turn; s.mu is held.
func (s *Session) send(prompt []acpclient.ContentBlock) {
	s.running, s.cancelling = true, false
	s.agent.quiet.Store(false) // what comes from now on is new
	sent := func() { s.stream.post(conversation.PromptSent{Prompt: prompt, At: s.opt.Now()}) }
	sent()
	call(s, acpclient.SessionPrompt,
		func() *acpclient.PromptRequest { return &acpclient.PromptRequest{SessionID: s.id, Prompt: prompt} },
		s.turnEnded, callHooks{emptied: sent})
}

// turnEnded takes the answer to a prompt; s.mu is held.
func (s *Session) turnEnded(r *acpclient.PromptResponse, err error) {
	e := conversation.TurnEnded{Err: err, At: s.opt.Now()}
	var answer *acpclient.Error
	switch {
	case r != nil:
		e.Reason, e.Usage = r.StopReason, r.Usage
	case s.cancelling && errors.As(err, &answer):
		// An agent ought to answer "cancelled", but some answer with the error that
		// the cancelled work has ended with.
		s.opt.Log.Info("the agent ended the cancelled turn with an error", "error", err)
		e.Reason, e.Err = acpclient.StopCancelled, nil
	}
	s.running, s.cancelling = false, false
	s.stream.post(e)
	if e.Err != nil {
		s.next = 0
		s.pauseQueue() // the person wrote the next prompt before they knew of the error
	}
	s.sendNext()
}

// Cancel asks the agent to end the turn. Open questions are answered as cancelled,
// and the queue is paused. It reports false if no turn is running.
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

// sendCancel tells the agent and the stream that the turn was cancelled; s.mu is
// held.
func (s *Session) sendCancel() {
	s.cancelling = true
	s.stream.post(conversation.CancelRequested{At: s.opt.Now()})
	if a, id := s.agent, s.id; a != nil {
		s.outbox = append(s.outbox, func() {
			_ = a.client.Cancel(&acpclient.CancelNotification{SessionID: id})
		})
	}
}
