package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
)

// promptWhenIdle has an agent whose turn has ended leave the prompt to the client. Without
// it, the agent begins a turn of which no answer says how it ended.
var promptWhenIdle = acpclient.Meta(`{"steering":{"idleBehavior":"promptRequired"}}`)

// ErrNotQueued means that a prompt is no longer in the queue.
var ErrNotQueued = errors.New("the prompt is no longer queued")

// Steer puts a prompt into the running turn, and waits for the agent's answer: a new one or, by its
// ID, one of the queue. Until the answer comes, the prompt stands at the front of the queue, or at its
// position, so that nothing is lost if parley ends. An agent whose turn has just ended gets it as the
// next prompt. If the agent refuses it, it stays in the queue, and the error says why. Where there is
// nothing to steer, Steer is [Prompt] for a new one.
type Steer struct {
	Prompt conversation.QueuedPrompt
	// Only leaves a prompt that does not get into the turn to the caller: it neither stays in the queue nor
	// is it sent.
	Only bool
}

// Steered says what became of the prompt.
type Steered struct {
	// Own means that it did not get into a turn: it is a prompt of its own, or with Only the caller's.
	Own bool
}

func (a Steer) Do(ctx context.Context, s *Session) (done Steered, err error) {
	s.mu.Lock()
	answer, err := s.steerPrompt(a)
	s.unlock()
	if answer == nil {
		return Steered{Own: true}, err
	}
	select {
	case r := <-answer:
		return Steered{r.own}, r.err
	case <-ctx.Done():
		return done, ctx.Err()
	}
}

// steered is the result of a steer.
type steered struct {
	own bool
	err error
}

// steerPrompt is the act Steer, but for waiting. s.mu must be held.
func (s *Session) steerPrompt(a Steer) (answer <-chan steered, err error) {
	queue, paused, p := slices.Clone(s.state.Queue), s.state.QueuePaused, a.Prompt
	at, able := positionOf(queue, p.ID), s.state.Steerable() && s.ready()
	switch {
	case p.ID == 0 && able:
		p.Steering = true
		s.enqueue(ahead(queue, len(queue)), p)
		p.ID = s.lastNumber
		return s.steer(p, a.Only), nil
	case p.ID == 0 && a.Only:
		return nil, nil
	case p.ID == 0:
		_, err = Prompt{Prompt: p}.Do(s.ctx, s)
		return nil, err
	case !able:
		return nil, fmt.Errorf("steer the turn: %w", ErrUnsupported)
	case at < 0 || queue[at].Steering:
		return nil, ErrNotQueued
	}
	queue[at].Steering = true
	s.postQueue(queue, paused)
	return s.steer(queue[at], a.Only), nil
}

// ahead counts the prompts at the front of a queue, before a position, that are on their
// way into a turn or go out next: what follows them keeps the order of sending.
func ahead(queue []conversation.QueuedPrompt, before int) int {
	n := 0
	for n < before && (queue[n].Steering || queue[n].Now) {
		n++
	}
	return n
}

// steer asks the agent to take a queued prompt into its turn. The channel gets the result. With only, a prompt
// that is not taken leaves the queue. s.mu must be held.
func (s *Session) steer(p conversation.QueuedPrompt, only bool) <-chan steered {
	answer := make(chan steered, 2) // with awaitSteers's
	a, epoch, id := s.agent, s.epoch, s.state.ID
	if only {
		s.steering[p.ID] = answer
	}
	send := func(prompt []acpclient.ContentBlock) { // s.mu must be held
		r := &acpclient.SteeringRequest{SessionID: id, Prompt: prompt, Meta: promptWhenIdle}
		s.outbox = append(s.outbox, func() {
			answered := a.expectAnswer(acpclient.SessionSteering.Name)
			acpclient.Go(a.client, acpclient.SessionSteering, r, func(res *acpclient.SteeringResponse, err error) {
				answered()
				if isClosed(err) {
					a.breakOff()
				}
				s.mu.Lock()
				defer s.unlock()
				took := err == nil && (res.Outcome == acpclient.SteeringInjected || res.Outcome == acpclient.SteeringStartedNewTurn)
				if at := positionOf(s.state.Queue, p.ID); only && !took && at >= 0 {
					s.setQueue(without(s.state.Queue, at), s.state.QueuePaused)
				}
				delete(s.steering, p.ID)
				answer <- s.steered(p, prompt, epoch, res, err)
			})
		})
	}
	content, reads := a.content(p)
	if !reads {
		send(content())
		return answer
	}
	go func() {
		prompt := content()
		s.mu.Lock()
		defer s.unlock()
		send(prompt)
	}()
	return answer
}

// steered handles the answer to a prompt that was to go into the running turn. s.mu must be
// held.
func (s *Session) steered(p conversation.QueuedPrompt, prompt []acpclient.ContentBlock, epoch int, r *acpclient.SteeringResponse, err error) steered {
	if err != nil {
		return steered{err: s.notSteered(p.ID, err)}
	}
	queue, paused := s.state.Queue, s.state.QueuePaused
	at := positionOf(queue, p.ID)
	switch r.Outcome {
	case acpclient.SteeringInjected, acpclient.SteeringStartedNewTurn:
		if s.epoch == epoch { // else another transcript is open
			s.post(conversation.PromptSteered{Prompt: prompt, Ref: p.Ref, At: s.opt.Now()})
		}
		if at >= 0 {
			s.setQueue(without(queue, at), paused)
		}
		return steered{}
	case acpclient.SteeringPromptRequired:
		if at >= 0 {
			p := queue[at]
			p.Steering, p.Unsure, p.Now = false, false, true
			s.setQueue(slices.Insert(without(queue, at), ahead(queue, at), p), paused)
		}
		return steered{own: true}
	}
	return steered{err: s.notSteered(p.ID, fmt.Errorf("the agent answered %q", r.Outcome))}
}

// steerTime is how long the agent may take, after the turn has ended, to say whether it took
// a prompt into it.
const steerTime = 10 * time.Second

// awaitSteers lets no prompt wait for ever for the answer of an agent whose turn has ended: after a
// time it is the caller's again, or queued like any other, and the queue waits for the user. s.mu must
// be held.
func (s *Session) awaitSteers() {
	isSteering := func(p conversation.QueuedPrompt) bool { return p.Steering }
	if !slices.ContainsFunc(s.state.Queue, isSteering) {
		return
	}
	epoch := s.epoch
	time.AfterFunc(steerTime, func() {
		s.mu.Lock()
		defer s.unlock()
		if s.epoch != epoch || s.closed || s.state.Turn.Running {
			return
		}
		queue := slices.DeleteFunc(slices.Clone(s.state.Queue), func(p conversation.QueuedPrompt) bool { return s.steering[p.ID] != nil })
		for id, answer := range s.steering {
			delete(s.steering, id)
			answer <- steered{err: errSilentSteer}
		}
		if slices.ContainsFunc(queue, isSteering) {
			s.notice(acpclient.NoticeWarning, "The agent did not say whether it took your prompt into its turn",
				"The prompt is in the queue: send it, or remove it if the agent has it.")
			s.postQueue(conversation.Unclaimed(queue), true)
			return
		}
		s.setQueue(queue, s.state.QueuePaused)
	})
}

// errSilentSteer means that an agent has not answered a steer by the end of its turn.
var errSilentSteer = errors.New("the agent did not say whether it took the prompt into its turn")

// notSteered leaves a prompt in the queue that did not get into a turn, and returns why.
// s.mu must be held.
func (s *Session) notSteered(id int, err error) error {
	queue, paused := s.state.Queue, s.state.QueuePaused
	_, refused := errors.AsType[*acpclient.Error](err)
	if at := positionOf(queue, id); at >= 0 {
		queue = slices.Clone(queue)
		queue[at].Steering, queue[at].Unsure = false, queue[at].Unsure || !refused
		s.setQueue(queue, paused || s.gone())
	}
	if !refused {
		return fmt.Errorf("%w: %w", errSilentSteer, err)
	}
	return fmt.Errorf("the agent did not take the prompt into its turn: %w", err)
}
