package session

import (
	"context"
	"errors"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
)

// cutTurn cancels the running turn and treats it as ended, whatever the agent answers.
// s.mu must be held.
func (s *Session) cutTurn() {
	if !s.state.Turn.Running {
		return
	}
	if !s.cancelling() {
		s.sendCancel()
	}
	s.closeQuestions()
	s.post(conversation.TurnEnded{Reason: acpclient.StopCancelled, At: s.opt.Now()})
}

// send begins a turn with the content of a prompt. s.mu must be held.
func (s *Session) send(p conversation.QueuedPrompt, prompt []acpclient.ContentBlock) {
	s.limit.sent = p
	s.showElsewhere()
	s.agent.quiet = false // what comes from now on is new
	s.agent.works = true
	if mode := s.state.Unasked(); mode != "" {
		s.warnOnce("mode", "The agent itself decides what to ask about: its mode is "+mode,
			"You have not chosen this mode. Rules only report what it does without asking. To have it ask, choose another mode.")
	}
	sent := func() { s.post(conversation.PromptSent{Prompt: prompt, Ref: p.Ref, At: s.opt.Now()}) }
	sent()
	s.hold()
	call(s, acpclient.SessionPrompt,
		func() *acpclient.PromptRequest {
			return &acpclient.PromptRequest{SessionID: s.state.ID, Prompt: prompt}
		},
		s.turnAnswered, callHooks{emptied: sent})
}

// holdTime bounds how long a prompt, or the answer to a permission, waits for the journal.
const holdTime = time.Second

// awaitJournal waits until the journal has seen the files as they are.
func (s *Session) awaitJournal(ctx context.Context) {
	if j := s.opt.Journal; j != nil {
		ctx, cancel := context.WithTimeout(ctx, holdTime)
		defer cancel()
		_ = j.Wait(ctx)
	}
}

// hold lets what is sent from now on wait until the journal has seen the files: an agent may
// edit them at once. s.mu must be held.
func (s *Session) hold() {
	if s.opt.Journal == nil {
		return
	}
	s.outbox = append(s.outbox, func() {
		s.mu.Lock()
		s.holding = true
		s.mu.Unlock()
		s.work.Go(func() {
			s.awaitJournal(s.ctx)
			s.mu.Lock()
			defer s.unlock()
			s.holding = false
		})
	})
}

// lastBreath is how long an agent that ends a turn as cancelled, though it was not
// cancelled, has to exit: some do so when they are killed, and then the turn was cut.
const lastBreath = time.Second

// turnAnswered handles the answer to a prompt. s.mu must be held.
func (s *Session) turnAnswered(r *acpclient.PromptResponse, err error) {
	if turn := s.state.Turn; r == nil || r.StopReason != acpclient.StopCancelled || !turn.Cancelling.IsZero() || turn.Rejected {
		s.turnEnded(r, err)
		return
	}
	a, epoch := s.agent, s.epoch
	time.AfterFunc(lastBreath, func() {
		s.mu.Lock()
		defer s.unlock()
		if s.epoch == epoch && s.state.Turn.Running && a.conn.Err() == nil { // else watch reports the loss
			s.turnEnded(r, nil)
		}
	})
}

// turnEnded ends the turn with the answer to its prompt. s.mu must be held.
func (s *Session) turnEnded(r *acpclient.PromptResponse, err error) {
	e := conversation.TurnEnded{Err: err, At: s.opt.Now()}
	var answer *acpclient.Error
	switch {
	case r != nil:
		e.Reason, e.Usage = r.StopReason, r.Usage
		if s.cancelling() && e.Reason == acpclient.StopEndTurn { // some agents do not say so
			e.Reason = acpclient.StopCancelled
		}
	case s.cancelling() && errors.As(err, &answer):
		// Agents should answer "cancelled", but some answer with the error of the
		// cancelled work.
		s.opt.Log.Info("the agent ended the cancelled turn with an error", "error", err)
		e.Reason, e.Err = acpclient.StopCancelled, nil
	}
	worked := s.state.Turn.Running && s.state.Worked()
	limit := s.limitIn(e)
	e.Again = limit != nil && limit.Waits
	s.post(e)
	if missing := s.state.Unreported(); missing != "" {
		s.warnOnce("budget reports", "The budget cannot be kept", "The agent reports "+missing+".")
	}
	s.checkBudget(false)
	if e.Err != nil {
		s.pauseQueue() // the user wrote the next prompt before they knew of the error
	}
	if limit != nil {
		s.reachLimit(*limit, worked)
	}
	s.sendNext()
	s.awaitSteers()
}

// Cancel asks the agent to end the turn. Open questions are answered as cancelled, and
// the queue is paused. The result is false if no turn is running.
type Cancel struct{}

func (Cancel) Do(_ context.Context, s *Session) (running bool, err error) {
	return s.cancelTurn(), nil
}

// cancelTurn is the act Cancel. s.mu must be held.
func (s *Session) cancelTurn() bool {
	turn := s.state.Turn
	if turn.Running && turn.Cancelling.IsZero() {
		s.endTurn()
		s.postQueue(s.state.Queue, true)
	}
	return turn.Running
}

// endTurn asks the agent to end the running turn, unless it has been asked. The queue goes
// on. s.mu must be held.
func (s *Session) endTurn() {
	if s.cancelling() {
		return
	}
	s.sendCancel()
	s.closeQuestions()
	s.dropBlocked()
}

// SkipAhead asks the agent to end the pauses of the running turn, if it can.
type SkipAhead struct{}

func (SkipAhead) Do(_ context.Context, s *Session) (None, error) {
	if a, id := s.agent, s.state.ID; s.state.Turn.Running && a != nil && (conversation.AgentState{Capabilities: a.hello.Load().AgentCapabilities}).SkipsAhead() {
		s.outbox = append(s.outbox, func() {
			_ = a.conn.Notify(conversation.SkipAhead, &acpclient.CancelNotification{SessionID: id})
		})
	}
	return None{}, nil
}

// sendCancel cancels the turn at the agent and in the stream. s.mu must be held.
func (s *Session) sendCancel() {
	s.post(conversation.CancelRequested{At: s.opt.Now()})
	if a, id := s.agent, s.state.ID; a != nil {
		s.outbox = append(s.outbox, func() {
			_ = a.conn.Notify(acpclient.SessionCancel.Name, &acpclient.CancelNotification{SessionID: id})
		})
	}
}
