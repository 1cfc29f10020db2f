package transcript

import (
	"time"

	"parley/internal/conversation"
	"parley/tui/toolface"
)

// From when on it is said how long something takes: shorter is as good as at once,
// and a call that works is only worth a clock when one begins to wait for it.
const (
	leastTime    = time.Second
	leastRunning = 3 * time.Second
)

// SetNow gives the list the time for the clocks of calls that work. It is looked at
// when the list is drawn next; nothing is drawn because of it.
func (l *List) SetNow(now time.Time) { l.env.now = now }

// timing says how long a call takes, "" if that is not known or not worth a word.
func timing(c *conversation.ToolCall, now time.Time) string {
	if c.Running() {
		if d := c.Worked(now); d >= leastRunning && !c.Waits() {
			return toolface.Elapsed(d)
		}
		return ""
	}
	return worked(c.Took())
}

// worked says how long something took.
func worked(d time.Duration) string {
	if d < leastTime {
		return ""
	}
	return toolface.Took(d)
}
