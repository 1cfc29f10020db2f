package conversation

import (
	"fmt"

	"parley/acpclient"
)

// applyUpdate folds any session update but the plain text of a message.
func (c *Conversation) applyUpdate(e Update) {
	switch u := e.Update.(type) {
	case *acpclient.ContentChunk:
		c.applyChunk(u)
	case *acpclient.ToolCall:
		c.applyToolCall(u, e.At)
	case *acpclient.ToolCallUpdate:
		said := *u
		said.Content = c.shown(u.Content)
		c.tellTool(c.toolByID(u.ToolCallID, u.Meta, e.At), e.At, &said)
	case *acpclient.Plan:
		c.applyPlan(u)
	case *acpclient.PlanUpdate:
		c.applyPlanUpdate(&u.Plan)
	case *acpclient.PlanRemoved:
		c.applyPlanRemoved(u.PlanID)
	case *acpclient.AvailableCommandsUpdate:
		c.Commands = u.AvailableCommands
	case *acpclient.CurrentModeUpdate:
		c.applyMode(u.CurrentModeID)
	case *acpclient.ConfigOptionUpdate:
		if u.ConfigOptions != nil {
			c.updateOptions(u.ConfigOptions, nil)
		}
	case *acpclient.SessionInfoUpdate:
		field(&c.Title, u.Title)
		field(&c.UpdatedAt, u.UpdatedAt)
		c.applyRetry(u.Meta)
	case *acpclient.UsageUpdate:
		usage := *u
		if usage.Cost == nil && c.Usage != nil {
			usage.Cost = c.Usage.Cost
		}
		c.Usage = &usage
	case *acpclient.Notice:
		c.addNote(u.Severity, u.Title, u.Description)
	case *acpclient.CompactionUpdate:
		c.applyCompaction(u)
	case *acpclient.CompactionSummaryChunk:
		p := c.compactionByID(u.CompactionID)
		p.Summary.add(u.Content)
		p.changed()
	case *acpclient.SubagentUpdate:
		// One line for each session that the agent has begun for itself (unstable).
		n := c.subagents[u.SessionID]
		if n == nil {
			n = &Note{Severity: acpclient.NoticeInfo, Title: "Subagent"}
			c.subagents[u.SessionID] = n
			c.addItem(n)
		}
		if u.Title.Set {
			n.Title = "Subagent"
			if u.Title.Value != nil && *u.Title.Value != "" {
				n.Title += ": " + *u.Title.Value
			}
		}
		field(&n.Detail, u.Description)
		n.changed()
	case *acpclient.MessageUpdate:
		c.applyMessage(u)
	case *acpclient.PromptAccepted:
		if c.whole[messageKey{acpclient.UserMessageChunk, u.MessageID, ""}] == nil {
			c.adopted(u.MessageID)
		}
	case *acpclient.StateUpdate:
		c.applyState(u, e.At)
	case *acpclient.ToolCallContentChunk:
		c.applyToolCallContentChunk(u, e.At)
	case *acpclient.TerminalUpdate:
		c.applyTerminalUpdate(u)
	case *acpclient.TerminalOutputChunk:
		c.printed(c.shownTerminal(u.TerminalID), u.Data)
	case *acpclient.UnknownUpdate:
		c.addItem(&Unknown{Kind: u.Name, Raw: u.Raw})
	}
}

// applyRetry tells that the agent calls its model again, which opencode says in _meta.
// Attempts that follow each other are one line.
func (c *Conversation) applyRetry(m acpclient.Meta) {
	type retry struct {
		Attempt int `json:"attempt"`
		Error   struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	r, ok := acpclient.MetaValue[retry](m, "opencode/retry")
	if !ok {
		return
	}
	title := fmt.Sprintf("Retrying, attempt %d", r.Attempt)
	if n := c.retry; n != nil && len(c.Items) > 0 && c.Items[len(c.Items)-1] == Item(n) {
		n.Title, n.Detail = title, r.Error.Message
		n.changed()
		return
	}
	c.closeMessage()
	c.retry = &Note{Severity: acpclient.NoticeWarning, Title: title, Detail: r.Error.Message}
	c.addItem(c.retry)
}

// field takes an optional field: null clears it, and an absent one changes
// nothing.
func field(s *string, f acpclient.Field[string]) {
	if !f.Set {
		return
	}
	*s = ""
	if f.Value != nil {
		*s = *f.Value
	}
}

// applyCompaction creates or changes a compaction. What the update does not
// mention stays as it is.
func (c *Conversation) applyCompaction(u *acpclient.CompactionUpdate) {
	p := c.compactionByID(u.CompactionID)
	if u.Status != "" {
		p.Status = u.Status
	}
	if u.Summary != nil {
		p.Summary = nil
		for _, b := range u.Summary {
			p.Summary.add(b)
		}
	}
	if u.Error != "" {
		p.Error = u.Error
	}
	p.changed()
}

// compactionByID returns the compaction with this id, a new one if there was none.
func (c *Conversation) compactionByID(id acpclient.CompactionID) *Compaction {
	p := c.compactions[id]
	if p == nil {
		c.closeMessage()
		p = &Compaction{ID: id, Status: acpclient.CompactionInProgress}
		c.compactions[id] = p
		c.addItem(p)
	}
	return p
}
