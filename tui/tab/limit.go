package tab

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/command"
	"parley/internal/conversation"
	"parley/tui/dialog"
)

// limitQuestion asks after a turn has ended at a limit of the user's plan, and counts down while
// the session waits for that.
type limitQuestion struct {
	asked    *conversation.LimitReached // the limit that it was asked about
	dialog   *dialog.Confirm            // that asked before the limit has reset, nil for none
	counting bool                       // the next step of the countdown is under way
}

// follow asks once about each limit, and no more once somebody has decided. A question that is open
// when the limit resets says so. It draws the wait again each minute, and each second of the last
// one.
func (q *limitQuestion) follow(l *live) tea.Cmd {
	now, limit := l.program.Now(), l.Conversation.Limit
	if limit == nil || q.dialog != nil && !l.dialogs.Has(q.dialog) {
		q.dialog = nil
	}
	var ask tea.Cmd
	if limit != nil && (limit != q.asked || q.dialog != nil && !limit.Resets.After(now)) {
		ask = l.front(func(f command.Front) {
			asks := command.LimitQuestion(f, now)
			if asks == nil {
				return
			}
			asks.While = func() bool { return l.Conversation.Limit == limit && command.LimitQuestion(f, now) != nil }
			if q.asked = limit; q.dialog == nil {
				q.dialog, _ = l.ask(*asks).(*dialog.Confirm)
			} else {
				q.dialog.Set(*asks)
			}
			if !limit.Resets.After(now) {
				q.dialog = nil
			}
		})
	}
	until := l.Conversation.LimitWait
	if q.dialog != nil {
		until = limit.Resets
	}
	if q.counting || q.dialog == nil && !l.Conversation.WaitsForLimit() {
		return ask
	}
	q.counting = true
	step := time.Second
	if left := until.Sub(now); left > time.Minute {
		step = max((left-1)%time.Minute, time.Second)
	}
	return tea.Batch(ask, tea.Tick(step, func(time.Time) tea.Msg {
		return then(func() tea.Cmd {
			q.counting = false
			return q.follow(l)
		})
	}))
}
