package conversation

import (
	"slices"
	"time"

	"parley/acpclient"
)

// Clock measures how long something works. It stands still while that waits for the
// person. It knows the times that events bring: without them it measures nothing.
type Clock struct {
	// Started is when the work began, Ended when it was done; each is zero if that
	// has not happened, or is not known.
	Started, Ended time.Time

	waiting time.Time     // since when it waits for the person, zero if it does not
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

// Waits reports whether the work waits for the person.
func (c *Clock) Waits() bool { return !c.waiting.IsZero() }

// follow takes whether the work waits for the person from a moment on.
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

// asks reports whether any question to the person is open.
func (c *Conversation) asks() bool { return len(c.Permissions)+len(c.Elicitations) > 0 }

// hold lets clocks stand still while a question is open: that of the turn, those of
// the call that is asked about and of the calls that it works for. It returns the
// calls; the call may be nil. Of calls that are nested deeper than is shown, only the
// inner ones are held.
func (c *Conversation) hold(t *ToolCall, at time.Time) (held []*ToolCall) {
	c.Turn.follow(true, at)
	for ; t != nil && len(held) < maxNesting && !slices.Contains(held, t); t = c.tools[t.Parent] {
		t.follow(true, at)
		held = append(held, t)
	}
	return held
}

// release lets clocks go on after a question was closed, as far as no other question
// holds them.
func (c *Conversation) release(held []*ToolCall, at time.Time) {
	c.Turn.follow(c.asks(), at)
	for _, t := range held {
		holds := func(others []*ToolCall) bool { return slices.Contains(others, t) }
		t.follow(slices.ContainsFunc(c.Permissions, func(p *Permission) bool { return holds(p.holds) }) ||
			slices.ContainsFunc(c.Elicitations, func(q *Elicitation) bool { return holds(q.holds) }), at)
	}
}
