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
)

func (c *Conversation) applyPromptSent(e PromptSent) {
	c.beginTurn()
	c.prompt = c.addPrompt(e.Prompt)
	c.prompt.Sent, c.prompt.At = e.Prompt, e.At
	c.echo = NewEcho(e.Prompt)
}

// applyPromptSteered adds a prompt in the middle of a turn. Agents do not send it back.
func (c *Conversation) applyPromptSteered(e PromptSteered) {
	c.closeMessages()
	c.addPrompt(e.Prompt).Steered = true
}

// addPrompt adds a prompt that was written here.
func (c *Conversation) addPrompt(prompt []acpclient.ContentBlock) *Message {
	m := &Message{Chunk: acpclient.UserMessageChunk, Done: true, own: true}
	for _, b := range prompt {
		m.Parts.add(b)
	}
	c.addItem(m)
	return m
}

// beginTurn forgets what belongs to the transcript of the turn before.
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
	switch {
	case e.Err != nil:
		c.addTurnFailure(e.Err).Worked = worked
	case title != "" || worked >= longTurn:
		c.addItem(&Note{Severity: severity, Title: title, Worked: worked})
	}
}

// stopWords says a stop reason in words, and how loudly. A normal end needs no
// words.
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

// endTools says of the tool calls of the turn that it has ended. If it was
// cancelled, those that were not done are marked; those that the user has denied
// are marked in any case.
func (s *State) endTools(cancelled bool, at time.Time, fx *effect) {
	var on []*ToolCall
	// Calls in the background go on while the agent is idle.
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
		fx.calls = append(fx.calls, t)
	}
	s.liveTools = on
}

// addFailure adds a note about an error. What an answer of the agent has for programs
// is in the note's Raw.
func (c *Conversation) addFailure(title string, err error) *Note {
	n := &Note{Severity: acpclient.NoticeError, Title: title, Detail: err.Error()}
	if answer, is := errors.AsType[*acpclient.Error](err); is {
		n.Detail = strings.Replace(n.Detail, answer.Error(), answer.Words(), 1)
		n.Raw = answer.Data
		var b bytes.Buffer
		if json.Compact(&b, answer.Data) == nil {
			n.Raw = b.Bytes() // as it is after it was stored
		}
		if n.Raw == nil && json.Valid([]byte(answer.Message)) {
			n.Raw = []byte(answer.Message)
		}
	}
	c.addItem(n)
	return n
}

// addTurnFailure notes why a turn ended with an error. An agent that has said so in
// its last message does not say it twice.
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
		whole, _ := json.Marshal(answer) // what was decoded can be encoded
		n.Raw = whole
	}
	return n
}

// lastWords is the agent's message that the transcript ends with, "" if it ends
// with anything else.
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

// mostly reports whether a text is another one, with little around it.
func mostly(text, other string) bool {
	return other != "" && strings.Contains(text, other) && 2*len(other) >= len(text)
}

// Work is what the agent says about how busy it is, beyond the turns that the user
// began. An agent that never says so is idle.
type Work struct {
	State acpclient.WorkState
	// Background is what goes on beside; nil if the agent does not say.
	Background []acpclient.BackgroundWork
}

// applyWork takes what the agent says it is doing. Its calls in the background go on
// when a turn has ended.
func (s *State) applyWork(u *acpclient.StateUpdate, at time.Time, fx *effect) {
	s.Work.State = u.State
	if u.Background != nil {
		s.Work.Background = u.Background
	}
	if !s.Turn.Running && u.State == acpclient.WorkIdle {
		s.endTools(u.StopReason == acpclient.StopCancelled, at, fx) // of work that no prompt began
	}
}

// Busy reports whether the agent works on something that no prompt of the user's
// began: in the background, or by itself.
func (s *State) Busy() bool {
	w := &s.Work
	return len(w.Background) > 0 || w.State != "" && w.State != acpclient.WorkIdle ||
		len(s.Tasks) > 0 || len(s.RunningSubagents()) > 0
}

// live reports whether what begins now is at work, and not history that is replayed.
func (s *State) live() bool {
	return s.Turn.Running || s.Phase == PhaseReady && s.Busy()
}

// Operation is a part of the agent's work that can be cancelled alone: a call, or the
// command of a terminal in it.
type Operation struct {
	Call     *ToolCall
	Terminal acpclient.TerminalID // "" if it is the call
}

// Operations returns the running operations, the oldest first.
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

// Clock measures how long something works. It stands still while that waits for the
// user. It knows the times that events bring: without them it measures nothing.
type Clock struct {
	// Started is when the work began, Ended when it was done; each is zero if that
	// has not happened, or is not known.
	Started, Ended time.Time

	waiting time.Time     // since when it waits for the user, zero if it does not
	waited  time.Duration // how long it did before that
}

// Worked is how long the work has taken so far, or took until it ended. It is 0 if
// that is not known.
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

// Took is how long work took that has ended, 0 if it has not or that is not known.
func (c *Clock) Took() time.Duration {
	if c.Ended.IsZero() {
		return 0
	}
	return c.Worked(c.Ended)
}

// Waits reports whether the work waits for the user.
func (c *Clock) Waits() bool { return !c.waiting.IsZero() }

// follow takes whether the work waits for the user from a moment on.
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

// stop ends the work, unless it has ended before or its start is unknown.
func (c *Clock) stop(at time.Time) {
	if !c.Started.IsZero() && c.Ended.IsZero() {
		c.follow(false, at)
		c.Ended = at
	}
}

// clockFrom lets the clock of a call follow its status, which was another before.
func (t *ToolCall) clockFrom(before acpclient.ToolCallStatus, at time.Time) {
	switch {
	case t.Status == before || t.Started.IsZero() || at.IsZero():
	case t.ended():
		t.stop(at)
	case t.Status != acpclient.ToolInProgress:
		t.Ended = time.Time{}
	default: // what was before was no more than the announcement
		waits := t.Waits()
		t.Clock = Clock{Started: at}
		t.follow(waits, at)
	}
}

// asks reports whether any question to the user is open.
func (s *State) asks() bool { return len(s.Permissions)+len(s.Elicitations) > 0 }

// hold lets clocks stand still while a question is open: that of the turn, those of
// the call that is asked about and of the calls that it works for. It returns the
// calls; the call may be nil. Of calls that are nested deeper than is shown, only the
// inner ones are held.
func (s *State) hold(t *ToolCall, at time.Time) (held []*ToolCall) {
	s.Turn.follow(true, at)
	for ; t != nil && len(held) < maxNesting && !slices.Contains(held, t); t = s.tools[t.Parent] {
		t.follow(true, at)
		held = append(held, t)
	}
	return held
}

// release lets clocks go on after a question was closed, as far as no other question
// holds them.
func (s *State) release(held []*ToolCall, at time.Time) {
	s.Turn.follow(s.asks(), at)
	for _, t := range held {
		holds := func(others []*ToolCall) bool { return slices.Contains(others, t) }
		t.follow(slices.ContainsFunc(s.Permissions, func(p *Permission) bool { return holds(p.holds) }) ||
			slices.ContainsFunc(s.Elicitations, func(q *Elicitation) bool { return holds(q.holds) }), at)
	}
}
