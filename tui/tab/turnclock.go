package tab

import "time"

// turnClock measures how long the agent has worked in a turn. It stands still
// while the agent waits for the person.
type turnClock struct {
	turn    time.Time     // when the turn began that is measured
	waited  time.Duration // of the person's time so far
	waiting time.Time     // since when the agent waits for them, zero if it does not
}

// follow takes what is true now: the turn that runs, and whether the agent waits.
func (c *turnClock) follow(turn time.Time, waits bool, now time.Time) {
	if !turn.Equal(c.turn) {
		*c = turnClock{turn: turn}
	}
	switch {
	case waits && c.waiting.IsZero():
		c.waiting = now
	case !waits && !c.waiting.IsZero():
		c.waited += now.Sub(c.waiting)
		c.waiting = time.Time{}
	}
}

// worked is how long the agent has worked.
func (c *turnClock) worked(now time.Time) time.Duration {
	if !c.waiting.IsZero() {
		now = c.waiting
	}
	return max(0, now.Sub(c.turn)-c.waited)
}
