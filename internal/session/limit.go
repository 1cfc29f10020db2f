package session

import (
	"context"
	"slices"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
)

// LimitPolicy says what follows when a turn ends at a limit of the user's plan.
type LimitPolicy int

// The values of LimitPolicy.
const (
	AskAtLimit  LimitPolicy = iota // the front end asks; WaitForLimit is the answer
	WaitAtLimit                    // the session waits until the limit resets, and goes on
	FailAtLimit                    // the turn has failed, as by any other error
)

// GoOn is the prompt by which a turn goes on that was cut off.
const GoOn = "Continue."

const (
	// unknownReset is how long a session waits when the agent does not say when a limit resets.
	unknownReset = 15 * time.Minute
	// wallCheck is how often a session that waits looks at the clock: a timer stands still
	// while a machine sleeps, and does not notice when the clock is set.
	wallCheck = 15 * time.Second
)

// limitWait is what a session remembers of waiting for a limit.
type limitWait struct {
	// sent is the prompt of the last turn, as it was in the queue.
	sent conversation.QueuedPrompt
	// agreed means that the user wants to wait until the prompt gets through.
	agreed bool
	// tries counts how often the prompt has ended at a limit. From the second time on, the
	// session waits longer: an agent could say each time that the limit resets at once.
	tries int
}

// WaitForLimit has the session wait until the limit at which its turn has ended resets, and
// then go on with the queue. It waits until the prompt gets through, also if that ends at a
// limit again. Without such a limit it does nothing.
type WaitForLimit struct{}

func (WaitForLimit) Do(_ context.Context, s *Session) (None, error) {
	if limit := s.state.Limit; !s.closed && limit != nil {
		s.limit.agreed = true
		s.waitForLimit(limit.Resets)
	}
	return None{}, nil
}

// StopWaiting leaves what a limit of the plan or the budget holds up in the queue until the user resumes it,
// and asks no more about it.
type StopWaiting struct{}

func (StopWaiting) Do(_ context.Context, s *Session) (None, error) {
	s.limit.agreed = false
	if l := s.state.Limit; l != nil {
		s.post(conversation.LimitReached{Kind: l.Kind, Resets: l.Resets, Stopped: true})
	}
	if s.state.BudgetReached {
		s.post(conversation.BudgetReached{Stopped: true})
	}
	return None{}, nil
}

// limitIn returns the limit of the user's plan at which a turn has ended, nil if it has not, or has failed by
// it. s.mu must be held.
func (s *Session) limitIn(e conversation.TurnEnded) *conversation.LimitReached {
	reached, limited := s.state.LimitIn(e.Err, e.At)
	if !limited || s.opt.AtLimit == FailAtLimit {
		s.limit.agreed, s.limit.tries = false, 0
		return nil
	}
	reached.Waits = s.opt.AtLimit == WaitAtLimit || s.limit.agreed
	return &reached
}

// reachLimit puts the prompt of a turn that has ended at a limit back before the paused queue. worked
// means that the turn has already done something: then the agent is told to continue instead. s.mu
// must be held.
func (s *Session) reachLimit(reached conversation.LimitReached, worked bool) {
	p := s.limit.sent
	if worked {
		p = conversation.QueuedPrompt{Ref: p.Ref, Prompt: []acpclient.ContentBlock{acpclient.TextBlock(GoOn)}}
	}
	s.lastNumber++
	p.ID, p.Now, p.Reading, p.Steering, p.Unsure = s.lastNumber, false, false, false, false
	s.postQueue(slices.Insert(slices.Clone(s.state.Queue), 0, p), true)
	s.post(reached)
	if s.limit.tries++; reached.Waits {
		s.waitForLimit(reached.Resets)
	}
}

// waitForLimit goes on with the queue when a limit has reset, by the clock on the wall. s.mu must
// be held.
func (s *Session) waitForLimit(resets time.Time) {
	now := s.opt.Now()
	until := now.Add(unknownReset)
	if !resets.IsZero() {
		until = resets
		if again := now.Add(time.Second << min(s.limit.tries, 10) / 2); s.limit.tries > 1 && until.Before(again) {
			until = again
		}
	}
	until = until.Round(0) // without the monotonic clock, which stands still while a machine sleeps
	s.post(conversation.LimitWait{Until: until})
	s.work.Go(func() {
		for {
			left := until.Sub(s.opt.Now().Round(0))
			if left <= 0 {
				break
			}
			select {
			case <-time.After(min(left, wallCheck)):
			case <-s.ctx.Done():
				return
			}
			s.mu.Lock()
			now := s.state.LimitWait
			s.mu.Unlock()
			if !now.Equal(until) {
				return
			}
		}
		s.mu.Lock()
		defer s.unlock()
		if s.closed || !s.state.LimitWait.Equal(until) {
			return
		}
		if !s.gone() { // nothing is sent to another agent unasked
			s.goOn() // which ends the wait, unless files are read for the prompt first
		}
		if !s.state.LimitWait.IsZero() {
			s.post(conversation.LimitWait{})
		}
	})
}
