package tab

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/command"
	"parley/internal/conversation"
)

// limitQuestion asks after a turn has ended at a limit of the user's plan, and counts down while
// the session waits for that.
type limitQuestion struct {
	asked    *conversation.LimitReached // the limit that it was asked about
	counting bool                       // the next step of the countdown is under way
}

// follow asks once about each limit, and no more once somebody has decided. It draws the
// countdown again each minute, and each second of the last one.
func (q *limitQuestion) follow(l *live) tea.Cmd {
	now, limit := l.program.Now(), l.Conversation.Limit
	var ask tea.Cmd
	if limit != nil && limit != q.asked {
		ask = l.front(func(f command.Front) {
			asks := command.LimitQuestion(f, now)
			if asks == nil {
				return
			}
			q.asked = limit
			asks.While = func() bool { return l.Conversation.Limit == limit && command.LimitQuestion(f, now) != nil }
			f.Ask(*asks)
		})
	}
	if q.counting || !l.Conversation.WaitsForLimit() {
		return ask
	}
	q.counting = true
	step := time.Second
	if left := l.Conversation.LimitWait.Sub(now); left > time.Minute {
		step = max((left-1)%time.Minute, time.Second)
	}
	return tea.Batch(ask, tea.Tick(step, func(time.Time) tea.Msg {
		return then(func() tea.Cmd {
			q.counting = false
			return q.follow(l)
		})
	}))
}
