package conversation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley/acpclient"
)

func (c *Conversation) applyPromptSent(e PromptSent) {
	c.newTurn()
	c.Turn = Turn{Running: true, Clock: Clock{Started: e.At}}
	c.Turn.follow(c.asks(), e.At)
	m := &Message{Chunk: acpclient.UserMessageChunk, Done: true, own: true}
	for _, b := range e.Prompt {
		m.Parts.add(b)
	}
	c.addItem(m)
	c.prompt = m
	c.echo = NewEcho(e.Prompt)
}

// newTurn forgets what belongs to the turn before.
func (c *Conversation) newTurn() {
	c.closeMessages()
	c.turns++
	c.turnPlan, c.prompt = nil, nil
	clear(c.questioned)
	c.echo = Echo{}
}

// longTurn is from when on the end of a turn that ended well is worth a line.
const longTurn = 10 * time.Second

func (c *Conversation) applyTurnEnded(e TurnEnded) {
	c.endTools(e.Reason == acpclient.StopCancelled, e.At)
	c.closeMessages()
	c.Turn.stop(e.At)
	worked := c.Turn.Took()
	c.Turn = Turn{}
	c.echo = Echo{}
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
// cancelled, those that were not done are marked; those that the person has denied
// are marked in any case.
func (c *Conversation) endTools(cancelled bool, at time.Time) {
	var on []*ToolCall
	// Calls in the background go on while the agent is idle.
	background := make(map[acpclient.ToolCallID]bool, len(c.Work.Background))
	for _, b := range c.Work.Background {
		if b.ToolCallID != "" {
			background[b.ToolCallID] = true
		}
	}
	for _, t := range c.liveTools {
		if background[t.ID] && !t.ended() {
			on = append(on, t)
			continue
		}
		if !t.rejectUnlessEnded() && cancelled && t.Running() {
			t.Cancelled = true
			t.stop(at)
		}
		t.Live = false
		t.changed()
		c.settle(c.nodes[t.index])
	}
	c.liveTools = on
}

// addFailure adds a note about an error. What an answer of the agent has for programs
// is in the note's Raw.
func (c *Conversation) addFailure(title string, err error) *Note {
	n := &Note{Severity: acpclient.NoticeError, Title: title, Detail: err.Error()}
	var answer *acpclient.Error
	if errors.As(err, &answer) {
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
	var answer *acpclient.Error
	if !errors.As(err, &answer) {
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
