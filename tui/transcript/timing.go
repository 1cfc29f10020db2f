package transcript

import (
	"time"

	"parley/internal/conversation"
	"parley/tui/toolview"
)

// From when on it is said how long something takes: shorter is as good as at once,
// and a call that works is only worth a clock when one begins to wait for it.
const (
	leastTime    = time.Second
	leastRunning = 3 * time.Second
)

// SetNow gives the list the time for the clocks of calls that work. It is looked at
// when the list is drawn next; nothing is drawn because of it.
func (l *List) SetNow(now time.Time) { l.now = now }

// shownTime is how long a call takes, as it is shown: 0 if that is not known or not
// worth a word. The time of one that works changes once a second.
func shownTime(c *conversation.ToolCall, now time.Time) time.Duration {
	switch {
	case !c.Running():
		return c.Took()
	case c.Waits():
		return 0
	}
	if d := c.Worked(now); d >= leastRunning {
		return d.Truncate(time.Second)
	}
	return 0
}

// timing says how long the call takes, "" if there is nothing to say.
func (t *toolCall) timing() string {
	if t.item.Running() && t.took > 0 {
		return toolview.Elapsed(t.took)
	}
	return worked(t.took)
}

// worked says how long something took.
func worked(d time.Duration) string {
	if d < leastTime {
		return ""
	}
	return toolview.Took(d)
}
