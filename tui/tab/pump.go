package tab

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/conversation"
	"parley/internal/session"
)

// frame is the least time between two batches of streamed events of a tab in front. It is
// longer than a frame of the screen, so that each batch is drawn when it comes. In the
// background nobody sees them.
const (
	frame           = 40 * time.Millisecond
	backgroundFrame = 250 * time.Millisecond
)

// batchMsg is everything that happened in the session since the last batch.
type batchMsg []conversation.Event

// pumpedMsg is a batch and its pump.
type pumpedMsg struct {
	pump  *pump
	batch batchMsg
}

// pump takes batches from a session's stream. It asks for a batch when the previous one
// has been folded, visible or not, so a slow screen makes batches larger and never queues
// them.
type pump struct {
	ctx     context.Context
	session *session.Session
}

func newPump(ctx context.Context, s *session.Session) *pump {
	p := &pump{ctx, s}
	p.pace(frame)
	return p
}

// pace sets the least time between two batches.
func (p *pump) pace(least time.Duration) {
	if p != nil {
		p.session.Stream().Pace(least)
	}
}

// next waits for the next batch. It returns nil at the end of the stream.
func (p *pump) next() tea.Msg {
	select {
	case <-p.session.Stream().Ready():
	case <-p.ctx.Done():
		return nil
	}
	events := p.session.Stream().Take()
	if len(events) == 0 && p.session.Stream().Closed() {
		return nil
	}
	return pumpedMsg{p, events}
}
