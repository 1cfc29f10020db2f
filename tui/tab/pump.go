package tab

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/conversation"
	"parley/internal/session"
)

// frame is the least time between two batches of streamed events. It is longer than a
// frame of the screen, so that each batch is drawn when it comes.
const frame = 40 * time.Millisecond

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
	last    time.Time
}

// next waits for the next batch. It returns nil at the end of the stream.
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
	events := p.session.Stream().Take()
	if slices.ContainsFunc(events, streamed) {
		p.last = time.Now()
	}
	if len(events) == 0 && p.session.Stream().Closed() {
		return nil
	}
	return pumpedMsg{p, events}
}

// streamed reports whether an event is of a kind that comes in floods. Other events are
// not delayed.
func streamed(e conversation.Event) bool {
	switch e.(type) {
	case conversation.Text, conversation.Update, conversation.TerminalOutput:
		return true
	}
	return false
}
