package tab

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/app"
	"parley/internal/conversation"
	"parley/tui/dialog"
)

// limitQuestion is the question after a turn has ended at a limit of the user's plan, and the
// countdown while the session waits for that.
type limitQuestion struct {
	of       *conversation.LimitReached // the limit that it was asked about
	dialog   dialog.Dialog
	counting bool // the next step of the countdown is under way
}

// follow asks once about each limit, and no more once somebody has decided. It draws the
// countdown again each minute, and each second of the last one.
func (q *limitQuestion) follow(l *live) tea.Cmd {
	now := l.program.Now()
	asks := app.LimitQuestion(l.Session, l.Conversation, now)
	switch {
	case asks == nil && q.dialog != nil:
		l.dialogs.Close(q.dialog)
		q.dialog = nil
	case asks != nil && q.of != l.Conversation.Limit:
		q.of = l.Conversation.Limit
		q.dialog = dialog.NewConfirm(l.env(), l.confirmation(*asks))
		l.dialogs.Push(q.dialog)
	}
	if q.counting || !l.Conversation.WaitsForLimit() {
		return nil
	}
	q.counting = true
	step := time.Second
	if left := l.Conversation.LimitWait.Sub(now); left > time.Minute {
		step = max((left-1)%time.Minute, time.Second)
	}
	return tea.Tick(step, func(time.Time) tea.Msg {
		return then(func() tea.Cmd {
			q.counting = false
			return q.follow(l)
		})
	})
}
