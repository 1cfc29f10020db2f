package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/session"
)

// frame is the least time between two batches of events: what comes faster than
// a screen can show it is folded together.
const frame = 32 * time.Millisecond

// batchMsg is everything that happened in a session since the last one.
type batchMsg struct {
	session *session.Session
	events  []session.Event
}

// pump takes batches from a session's stream. One batch is under way at a time:
// the next is asked for when one has been folded, so a slow screen makes larger
// batches, and never a queue of them.
type pump struct {
	ctx     context.Context
	session *session.Session
	last    time.Time
}

// next waits for the next batch. It is nil when the stream has ended.
func (p *pump) next() tea.Msg {
	select {
	case <-p.session.Stream().Ready():
	case <-p.ctx.Done():
		return nil
	}
	if rest := frame - time.Since(p.last); rest > 0 {
		t := time.NewTimer(rest)
		defer t.Stop()
		select {
		case <-t.C:
		case <-p.ctx.Done():
			return nil
		}
	}
	p.last = time.Now()
	events := p.session.Stream().Take()
	if len(events) == 0 && p.session.Stream().Closed() {
		return nil
	}
	return batchMsg{p.session, events}
}
