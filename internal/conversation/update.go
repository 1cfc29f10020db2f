package conversation

import "parley/acpclient"

// update folds a session update that is not plain text.
func (c *Conversation) update(e Update) {
	switch u := e.Update.(type) {
	case *acpclient.ContentChunk:
		c.chunk(u)
	case *acpclient.ToolCall:
		c.toolCall(u)
	case *acpclient.ToolCallUpdate:
		c.toolCallUpdate(u)
	case *acpclient.Plan:
		c.plan(u)
	case *acpclient.PlanUpdate:
		c.planUpdate(&u.Plan)
	case *acpclient.PlanRemoved:
		if p := c.plans[u.PlanID]; p != nil {
			p.Removed = true
			p.changed()
			if c.Plan == p {
				c.Plan = nil
			}
		}
	case *acpclient.AvailableCommandsUpdate:
		c.Commands = u.AvailableCommands
	case *acpclient.CurrentModeUpdate:
		c.modeUpdated(u.CurrentModeID)
	case *acpclient.ConfigOptionUpdate:
		if u.ConfigOptions != nil {
			c.replaceOptions(u.ConfigOptions)
		}
	case *acpclient.SessionInfoUpdate:
		field(&c.Title, u.Title)
		field(&c.UpdatedAt, u.UpdatedAt)
	case *acpclient.UsageUpdate:
		usage := *u
		if usage.Cost == nil && c.Usage != nil {
			usage.Cost = c.Usage.Cost
		}
		c.Usage = &usage
	case *acpclient.Notice:
		c.note(u.Severity, u.Title, u.Description)
	case *acpclient.CompactionUpdate:
		p := c.compaction(u.CompactionID)
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
	case *acpclient.CompactionSummaryChunk:
		p := c.compaction(u.CompactionID)
		p.Summary.add(u.Content)
		p.changed()
	case *acpclient.SubagentUpdate:
		c.subagent(u)
	case *acpclient.UnknownUpdate:
		c.add(&Unknown{Kind: u.Name, Raw: u.Raw})
	}
}

// plan replaces the plan. Within one turn it changes where it stands.
func (c *Conversation) plan(u *acpclient.Plan) {
	if c.turnPlan == nil {
		if len(u.Entries) == 0 {
			c.Plan = nil
			return
		}
		c.closeMessage()
		c.turnPlan = &Plan{}
		c.add(c.turnPlan)
	}
	c.turnPlan.Entries = u.Entries
	c.turnPlan.Removed = len(u.Entries) == 0
	c.turnPlan.changed()
	c.Plan = c.turnPlan
	if c.turnPlan.Removed {
		c.Plan = nil
	}
}

// planUpdate replaces one plan of several (unstable). A form of plan that is not
// known is shown as it came.
func (c *Conversation) planUpdate(u *acpclient.PlanUpdateContent) {
	if len(u.Raw) > 0 {
		c.add(&Unknown{Kind: "plan_update", Raw: u.Raw})
		return
	}
	p := c.plans[u.PlanID]
	if p == nil {
		c.closeMessage()
		p = &Plan{ID: u.PlanID}
		c.plans[u.PlanID] = p
		c.add(p)
	}
	p.Entries, p.Markdown, p.URI, p.Removed = u.Entries, u.Content, u.URI, false
	p.changed()
	c.Plan = p
}

func (c *Conversation) compaction(id acpclient.CompactionID) *Compaction {
	p := c.compactions[id]
	if p == nil {
		c.closeMessage()
		p = &Compaction{ID: id, Status: acpclient.CompactionInProgress}
		c.compactions[id] = p
		c.add(p)
	}
	return p
}

// subagent keeps one line for each session that the agent has begun for itself
// (unstable).
func (c *Conversation) subagent(u *acpclient.SubagentUpdate) {
	n := c.subagents[u.SessionID]
	if n == nil {
		n = &Note{Severity: acpclient.NoticeInfo, Title: "Subagent"}
		c.subagents[u.SessionID] = n
		c.add(n)
	}
	if u.Title.Set {
		n.Title = "Subagent"
		if u.Title.Value != nil && *u.Title.Value != "" {
			n.Title += ": " + *u.Title.Value
		}
	}
	field(&n.Detail, u.Description)
	n.changed()
}

// field applies an optional field: absent leaves alone, null clears.
func field(s *string, f acpclient.Field[string]) {
	if !f.Set {
		return
	}
	*s = ""
	if f.Value != nil {
		*s = *f.Value
	}
}
