package conversation

import (
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
		return "The agent refused to go on. It will not remember this prompt and what followed it", acpclient.NoticeWarning
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
