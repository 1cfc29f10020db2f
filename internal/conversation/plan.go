package conversation

import "parley/acpclient"

// applyPlan replaces the plan. The plans of one turn are one item, which changes
// in place.
func (c *Conversation) applyPlan(u *acpclient.Plan) {
	if c.turnPlan == nil {
		if len(u.Entries) == 0 {
			c.Plan = nil
			return
		}
		c.closeMessage()
		c.turnPlan = &Plan{}
		c.addItem(c.turnPlan)
	}
	c.turnPlan.Entries = u.Entries
	c.turnPlan.Removed = len(u.Entries) == 0
	c.turnPlan.changed()
	c.Plan = c.turnPlan
	if c.turnPlan.Removed {
		c.Plan = nil
	}
}

// applyPlanUpdate replaces one plan of several (unstable). A plan in a form that is
// not known is shown as it was received.
func (c *Conversation) applyPlanUpdate(u *acpclient.PlanUpdateContent) {
	if len(u.Raw) > 0 {
		c.addItem(&Unknown{Kind: "plan_update", Raw: u.Raw})
		return
	}
	p := c.plans[u.PlanID]
	if p == nil {
		c.closeMessage()
		p = &Plan{ID: u.PlanID}
		c.plans[u.PlanID] = p
		c.addItem(p)
	}
	p.Entries, p.Markdown, p.URI, p.Removed = u.Entries, u.Content, u.URI, false
	p.changed()
	c.Plan = p
}

// applyPlanRemoved takes one plan of several away (unstable).
func (c *Conversation) applyPlanRemoved(id acpclient.PlanID) {
	p := c.plans[id]
	if p == nil {
		return
	}
	p.Removed = true
	p.changed()
	if c.Plan == p {
		c.Plan = nil
	}
}
