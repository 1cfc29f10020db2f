package conversation

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"parley/acpclient"
)

// applyPlan replaces the plan. The plans of one turn are one item, which changes
// in place.
func (c *Conversation) applyPlan(u *acpclient.Plan) {
	if c.turnPlan == nil {
		if len(u.Entries) == 0 {
			c.Plan = nil
			return
		}
		if p := c.Plan; p != nil && p.ID == "" && slices.EqualFunc(p.Entries, u.Entries, sameEntry) {
			return // some agents send the plan again at the beginning of each turn
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

func sameEntry(a, b acpclient.PlanEntry) bool {
	return a.Content == b.Content && a.Status == b.Status && a.Priority == b.Priority
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

// tasksOf finds a task list in the raw input of a tool call: agents that send no
// plans have a tool that sets one. It is nil if there is none.
func tasksOf(rawInput []byte) []acpclient.PlanEntry {
	if !bytes.Contains(rawInput, []byte(`"todos"`)) {
		return nil // most inputs: they need not be decoded
	}
	var in struct{ Todos []map[string]json.RawMessage }
	if json.Unmarshal(rawInput, &in) != nil {
		return nil
	}
	var tasks []acpclient.PlanEntry
	for _, todo := range in.Todos {
		task := acpclient.PlanEntry{
			Content: taskText(todo, "content", "description", "title", "text", "task"),
			Status:  taskStatus(taskText(todo, "status", "state")), Priority: acpclient.PlanEntryPriority(taskText(todo, "priority")),
		}
		if task.Content != "" {
			tasks = append(tasks, task)
		}
	}
	return tasks
}

// taskText is the first of some fields that has text.
func taskText(fields map[string]json.RawMessage, names ...string) string {
	for _, name := range names {
		var s string
		if json.Unmarshal(fields[name], &s) == nil && strings.TrimSpace(s) != "" {
			return s
		}
	}
	return ""
}

// taskStatus is the status of a plan's step that an agent's own word stands for.
func taskStatus(word string) acpclient.PlanEntryStatus {
	switch word {
	case "done", "complete":
		return acpclient.PlanCompleted
	case "in-progress", "active", "doing":
		return acpclient.PlanInProgress
	case "", "todo", "open":
		return acpclient.PlanPending
	}
	return acpclient.PlanEntryStatus(word)
}
