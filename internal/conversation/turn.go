package conversation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/acpclient"
	"parley/internal/termtext"
)

// addPrompt adds a prompt of the user's.
func (c *Conversation) addPrompt(prompt []acpclient.ContentBlock) *Message {
	m := &Message{Chunk: acpclient.UserMessageChunk, Done: true, own: true, Parts: partsOf(prompt)}
	c.addItem(m)
	return m
}

// beginTurn resets what belongs to the previous turn in the transcript.
func (c *Conversation) beginTurn() {
	c.closeMessages()
	c.turnPlan, c.prompt = nil, nil
	c.echo = Echo{}
}

// longTurn is how long a turn must take to get a closing line.
const longTurn = 10 * time.Second

func (c *Conversation) applyTurnEnded(e TurnEnded) {
	c.settleCalls()
	c.closeMessages()
	c.echo = Echo{}
	worked := c.effect.worked
	title, severity := stopWords(e.Reason)
	if e.Reason == acpclient.StopEndTurn && c.Agent.Protocol <= 1 && c.Silent() { // version 2 may say more behind the end
		title, severity = "The agent ended the turn without an answer", acpclient.NoticeWarning
	}
	switch {
	case e.Err != nil:
		c.addTurnFailure(e.Err).Worked = worked
	case title != "" || worked >= longTurn:
		c.addItem(&Note{Severity: severity, Title: title, Worked: worked})
	}
}

// Silent reports whether the agent has neither said nor done anything since the last prompt, nor been
// denied it. Some agents end a turn so in which the model has failed. A command of the agent may have
// nothing to say.
func (c *Conversation) Silent() bool {
	for _, item := range slices.Backward(c.Items) {
		switch item := item.(type) {
		case *Message:
			switch {
			case item.Chunk == acpclient.AgentMessageChunk && !item.Banner, item.Chunk == acpclient.UserMessageChunk && strings.HasPrefix(item.Parts.Plain(), "/"):
				return false
			case item == c.prompt:
				return true
			}
		case *ToolCall:
			if item.Status == acpclient.ToolCompleted || item.Answer.Rejects() {
				return false
			}
		}
	}
	return false
}

// stopWords describes a stop reason, with a severity. A normal end has no words.
func stopWords(r acpclient.StopReason) (string, acpclient.NoticeSeverity) {
	switch r {
	case acpclient.StopEndTurn, "":
		return "", ""
	case acpclient.StopCancelled:
		return "Cancelled", acpclient.NoticeInfo
	case acpclient.StopMaxTokens:
		return "Stopped: the answer reached the model's token limit", acpclient.NoticeWarning
	case acpclient.StopMaxTurnRequests:
		return "Stopped: the turn reached the agent's limit of model requests", acpclient.NoticeWarning
	case acpclient.StopRefusal:
		return "The agent refused to continue. It forgets this prompt and its answer", acpclient.NoticeWarning
	}
	return fmt.Sprintf("Stopped: %s", strings.ReplaceAll(string(r), "_", " ")), acpclient.NoticeWarning
}

// endTools tells the tool calls of the turn that it has ended. It marks denied calls and, if
// the turn was cancelled, unfinished ones.
func (s *State) endTools(cancelled bool, at time.Time) {
	var on []*ToolCall
	// Background calls continue while the agent is idle.
	background := make(map[acpclient.ToolCallID]bool, len(s.Work.Background))
	for _, b := range s.Work.Background {
		if b.ToolCallID != "" {
			background[b.ToolCallID] = true
		}
	}
	for _, t := range s.liveTools {
		ofSubagent := t.Subagent != nil && s.subagents[t.Subagent.Session] == t
		if (background[t.ID] || ofSubagent) && !t.ended() {
			on = append(on, t)
			continue
		}
		if !t.rejectUnlessEnded() && cancelled && t.Running() {
			t.Cancelled = true
			t.stop(at)
		}
		t.Live = false
		t.changed()
		s.effect.calls = append(s.effect.calls, t)
	}
	s.liveTools = on
	s.dropEnded()
}

// Ending is how a turn has ended.
type Ending struct {
	// How is one of the words below, "" if no turn has ended since the last prompt.
	How string `json:"how,omitempty"`
	// Why is why the turn failed or stopped, or why the agent is gone. It is untrusted.
	Why string `json:"why,omitempty"`
	// Seconds is how long it worked, without its waits for the user; 0 if unknown.
	Seconds float64 `json:"seconds,omitempty"`
}

// How turns end. One that the user has cancelled is that, whatever the agent answers.
const (
	EndedWell   = "finished"
	EndedByUser = "cancelled"
	EndedEarly  = "stopped"
	EndedBadly  = "failed"
)

// failed is the ending of a turn, or of a session, by an error, which may be nil.
func failed(err error) Ending {
	if err == nil {
		return Ending{}
	}
	return Ending{How: EndedBadly, Why: termtext.Head(failureWords(err), mostAsked, "")}
}

// ending returns how the running turn ends.
func (s *State) ending(e TurnEnded) Ending {
	ends := Ending{How: EndedWell}
	switch words, _ := stopWords(e.Reason); {
	case e.Err != nil:
		ends = failed(e.Err)
	case s.BudgetReached && e.Reason == acpclient.StopCancelled:
		ends.How, ends.Why = EndedEarly, "the budget is used up"
	case e.Reason == acpclient.StopCancelled, !s.Turn.Cancelling.IsZero():
		ends.How = EndedByUser
	case words != "":
		ends.How, ends.Why = EndedEarly, strings.TrimPrefix(words, "Stopped: ")
	}
	ends.Seconds = s.Turn.Took().Seconds()
	return ends
}

// failureWords are the words of an error, without its code if the agent has answered with it.
func failureWords(err error) string {
	if answer, is := errors.AsType[*acpclient.Error](err); is {
		return strings.Replace(err.Error(), answer.Error(), answer.Words(), 1)
	}
	return err.Error()
}

// addFailure adds a note about an error. The note's Raw has the machine-readable part of the
// agent's answer.
func (c *Conversation) addFailure(title string, err error) *Note {
	n := &Note{Severity: acpclient.NoticeError, Title: title, Detail: failureWords(err)}
	if answer, is := errors.AsType[*acpclient.Error](err); is {
		n.Raw = answer.Data
		var b bytes.Buffer
		if json.Compact(&b, answer.Data) == nil {
			n.Raw = b.Bytes() // the same as after storing
		}
		if n.Raw == nil && json.Valid([]byte(answer.Message)) {
			n.Raw = []byte(answer.Message)
		}
	}
	c.addItem(n)
	return n
}

// addTurnFailure adds a note on why a turn failed, unless the agent's last message already
// says so.
func (c *Conversation) addTurnFailure(err error) *Note {
	answer, is := errors.AsType[*acpclient.Error](err)
	if !is {
		return c.addFailure("The turn failed", err)
	}
	said := c.lastWords()
	n := c.addFailure("The agent answered with an error", err)
	reason := strings.TrimSuffix(n.Detail, fmt.Sprintf(" (code %d)", answer.Code))
	if mostly(reason, said) || mostly(said, answer.Message) {
		n.Detail = ""
		whole, _ := json.Marshal(answer) // decoded values always encode
		n.Raw = whole
	}
	return n
}

// lastWords returns the agent's message at the end of the transcript, "" if it ends with
// anything else.
func (c *Conversation) lastWords() string {
	if len(c.Items) == 0 {
		return ""
	}
	m, ok := c.Items[len(c.Items)-1].(*Message)
	if !ok || m.Chunk != acpclient.AgentMessageChunk {
		return ""
	}
	return strings.TrimSpace(m.Parts.Plain())
}

// mostly reports whether a text is other with little around it.
func mostly(text, other string) bool {
	return other != "" && strings.Contains(text, other) && 2*len(other) >= len(text)
}

// Work is what the agent reports about its activity outside the user's turns. An agent that
// reports none is idle.
type Work struct {
	State acpclient.WorkState
	// Background is nil if the agent does not report it.
	Background []acpclient.BackgroundWork
}

// applyWork applies a report of the agent's activity. Background calls continue after a turn.
func (s *State) applyWork(u *acpclient.StateUpdate, at time.Time) {
	s.Work.State = u.State
	if u.Background != nil {
		s.Work.Background = u.Background
	}
	if !s.Turn.Running && u.State == acpclient.WorkIdle {
		s.endTools(u.StopReason == acpclient.StopCancelled, at) // of work that no prompt began
	}
}

// Worked reports whether the running turn has called a tool.
func (s *State) Worked() bool {
	return slices.ContainsFunc(s.liveTools, func(t *ToolCall) bool { return !t.Started.Before(s.Turn.Started) })
}

// Busy reports whether the agent works on something that no prompt began.
func (s *State) Busy() bool {
	w := &s.Work
	return len(w.Background) > 0 || w.State != "" && w.State != acpclient.WorkIdle ||
		len(s.Tasks) > 0 || len(s.RunningSubagents()) > 0
}

// Operation is a part of the agent's work that can be cancelled alone: a call, or the command
// of a terminal in it.
type Operation struct {
	Call     *ToolCall
	Terminal acpclient.TerminalID // "" for the call itself
}

// Operations returns the running operations, oldest first.
func (c *Conversation) Operations() []Operation {
	var all []Operation
	for _, t := range c.liveTools {
		if t.ended() || t.Cancelled {
			continue
		}
		if t.CanCancel {
			all = append(all, Operation{Call: t})
			continue
		}
		for _, term := range t.Terminals {
			if term.CanCancel && term.Exit == nil {
				all = append(all, Operation{Call: t, Terminal: term.ID})
			}
		}
	}
	return all
}

// Clock measures how long work takes, without the time it waits for the user. It uses the
// times of events: without them it measures nothing.
type Clock struct {
	// Started and Ended are zero if that has not happened, or is unknown.
	Started, Ended time.Time

	waiting time.Time     // since when it waits for the user, zero if it does not
	waited  time.Duration // total of earlier waits
}

// Worked returns how long the work has taken so far, or took; 0 if unknown.
func (c *Clock) Worked(now time.Time) time.Duration {
	switch {
	case c.Started.IsZero():
		return 0
	case !c.Ended.IsZero():
		now = c.Ended
	case !c.waiting.IsZero():
		now = c.waiting
	}
	return max(0, now.Sub(c.Started)-c.waited)
}

// Took returns how long finished work took, 0 if it is unfinished or unknown.
func (c *Clock) Took() time.Duration {
	if c.Ended.IsZero() {
		return 0
	}
	return c.Worked(c.Ended)
}

// Waits reports whether the work waits for the user.
func (c *Clock) Waits() bool { return !c.waiting.IsZero() }

// follow pauses the clock if waits is set, else resumes it.
func (c *Clock) follow(waits bool, at time.Time) {
	switch {
	case !c.Ended.IsZero():
	case waits && c.waiting.IsZero():
		c.waiting = at
	case !waits && !c.waiting.IsZero():
		c.waited += max(0, at.Sub(c.waiting))
		c.waiting = time.Time{}
	}
}

// stop ends the work, unless it has ended or never started.
func (c *Clock) stop(at time.Time) {
	if !c.Started.IsZero() && c.Ended.IsZero() {
		c.follow(false, at)
		c.Ended = at
	}
}

// clockFrom updates the clock of a call after its status was before.
func (t *ToolCall) clockFrom(before acpclient.ToolCallStatus, at time.Time) {
	switch {
	case t.Status == before || t.Started.IsZero() || at.IsZero():
	case t.ended():
		t.stop(at)
	case t.Status != acpclient.ToolInProgress:
		t.Ended = time.Time{}
	default: // it was only announced before
		waits := t.Waits()
		t.Clock = Clock{Started: at}
		t.follow(waits, at)
	}
}

// Waiting returns the number of open questions to the user.
func (s *State) Waiting() int { return len(Questions[Question](s)) }

// hold pauses clocks while a question is open: those of the turn, of the call (which may be
// nil) and of the calls above it. It returns the paused calls, at most maxNesting of them, the
// innermost first.
func (s *State) hold(t *ToolCall, at time.Time) (held []*ToolCall) {
	s.Turn.follow(true, at)
	for ; t != nil && len(held) < maxNesting && !slices.Contains(held, t); t = s.tools[t.Parent] {
		t.follow(true, at)
		held = append(held, t)
	}
	return held
}

// release resumes clocks after a question was closed, unless another question holds them.
func (s *State) release(held []*ToolCall, at time.Time) {
	s.Turn.follow(s.Waiting() > 0, at)
	for _, t := range held {
		t.follow(slices.ContainsFunc(s.questions, func(q Question) bool { return slices.Contains(q.asking().holds, t) }), at)
	}
}
