package session

import (
	"errors"

	"parley/acpclient"
	"parley/internal/conversation"
)

// Prompt sends a prompt. While a turn runs, or no session is open, it waits in
// the queue. It does not wait behind a queue that a cancelled turn has paused:
// those prompts stay where they are.
func (s *Session) Prompt(prompt []acpclient.ContentBlock) {
	s.mu.Lock()
	defer s.unlock()
	if s.closed {
		return
	}
	if s.ready && !s.running && (s.paused || len(s.queue) == 0) {
		s.send(prompt)
		return
	}
	s.seq++
	s.queue = append(s.queue, conversation.QueuedPrompt{ID: s.seq, Prompt: prompt})
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

// ResumeQueue lets a queue go on that a cancelled turn has paused.
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

func (s *Session) queueChanged() {
	s.stream.post(conversation.QueueChanged{Queue: append([]conversation.QueuedPrompt(nil), s.queue...), Paused: s.paused})
}

// pauseQueue keeps what waits from being sent by itself; s.mu is held.
func (s *Session) pauseQueue() {
	if len(s.queue) > 0 && !s.paused {
		s.paused = true
		s.queueChanged()
	}
}

// sendNext sends the first waiting prompt, if its time has come; s.mu is held.
func (s *Session) sendNext() {
	if !s.ready || s.running || s.paused || len(s.queue) == 0 {
		return
	}
	next := s.queue[0]
	s.queue = s.queue[1:]
	s.queueChanged()
	s.send(next.Prompt)
}

// send begins a turn; s.mu is held.
func (s *Session) send(prompt []acpclient.ContentBlock) {
	s.running, s.cancelling = true, false
	sent := func() { s.stream.post(conversation.PromptSent{Prompt: prompt, At: s.opt.Now()}) }
	sent()
	call(s, acpclient.SessionPrompt,
		func() *acpclient.PromptRequest { return &acpclient.PromptRequest{SessionID: s.id, Prompt: prompt} },
		s.turnEnded, callKind{forgotten: sent})
}

// turnEnded takes the answer to a prompt; s.mu is held.
func (s *Session) turnEnded(r *acpclient.PromptResponse, err error) {
	e := conversation.TurnEnded{Err: err, At: s.opt.Now()}
	var answer *acpclient.Error
	switch {
	case r != nil:
		e.Reason = r.StopReason
	case s.cancelling && errors.As(err, &answer):
		// An agent ought to answer "cancelled", but what was aborted often comes
		// out as an error of its own.
		s.opt.Log.Info("the agent ended the cancelled turn with an error", "error", err)
		e.Reason, e.Err = acpclient.StopCancelled, nil
	}
	s.running, s.cancelling = false, false
	s.stream.post(e)
	if e.Err != nil {
		s.pauseQueue() // what comes next was meant for a turn that went well
	}
	s.sendNext()
}

// Cancel asks the agent to end the turn. Open questions are answered cancelled
// and the queue pauses. It reports false if no turn runs.
func (s *Session) Cancel() bool {
	s.mu.Lock()
	defer s.unlock()
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

// sendCancel tells the agent, and the stream, that the turn is to end; s.mu is
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
