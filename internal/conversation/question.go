package conversation

import (
	"slices"

	"parley/acpclient"
)

// Permission is an open question about a tool call.
type Permission struct {
	ID       int
	ToolCall *ToolCall
	Options  []acpclient.PermissionOption
}

// Elicitation is an open question of the agent.
type Elicitation struct {
	ID      int
	Request *acpclient.CreateElicitationRequest
	// Completed says that what the agent asked to be done at an address was done.
	Completed bool
}

func (c *Conversation) applyPermissionOpened(e PermissionOpened) {
	t := c.toolRequest(&e.Request.ToolCall)
	t.Answer = nil
	c.Permissions = append(c.Permissions, &Permission{ID: e.ID, ToolCall: t, Options: e.Request.Options})
}

func (c *Conversation) applyPermissionClosed(e PermissionClosed) {
	for i, p := range c.Permissions {
		if p.ID != e.ID {
			continue
		}
		c.Permissions = append(c.Permissions[:i:i], c.Permissions[i+1:]...)
		answer := &PermissionAnswer{Cancelled: e.Outcome.Cancelled()}
		for _, o := range p.Options {
			if !answer.Cancelled && o.OptionID == e.Outcome.OptionID {
				answer.Option = o
				break
			}
		}
		p.ToolCall.Answer = answer
		p.ToolCall.changed()
		return
	}
}

// applyElicitationClosed takes a question off the list. The agent may still have to
// say that the person has done what they were asked at an address.
func (c *Conversation) applyElicitationClosed(e ElicitationClosed) {
	for i, q := range c.Elicitations {
		if q.ID == e.ID {
			c.Elicitations = append(c.Elicitations[:i:i], c.Elicitations[i+1:]...)
			if q.Request.Mode == acpclient.ElicitURL && e.Action == acpclient.ElicitAccept {
				c.visits = append(c.visits, q)
			}
			return
		}
	}
}

// applyElicitationCompleted takes that the person has done what they were asked
// at an address, whether or not the question is still open.
func (c *Conversation) applyElicitationCompleted(id acpclient.ElicitationID) {
	for _, q := range slices.Concat(c.Elicitations, c.visits) {
		if q.Request.ElicitationID == id {
			q.Completed = true
		}
	}
	c.visits = slices.DeleteFunc(c.visits, func(q *Elicitation) bool { return q.Completed })
}
