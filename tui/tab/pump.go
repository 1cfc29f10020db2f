package tab

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/conversation"
	"parley/internal/session"
)

// frame is the least time between two batches of what an agent streams: what
// comes faster than anybody can read it is folded together. It is longer than the
// time between two frames of the screen, so that each batch is drawn when it comes.
const frame = 40 * time.Millisecond

// batchMsg is everything that happened in the session since the last one.
type batchMsg []conversation.Event

// pumpedMsg is a batch, and from where.
type pumpedMsg struct {
	pump  *pump
	batch batchMsg
}

// pump takes batches from a session's stream. One batch is under way at a time:
// the next is asked for when one has been folded, whether or not the tab is on the
// screen, so a slow screen makes larger batches, and never a queue of them.
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
	events := p.session.Stream().Take()
	if slices.ContainsFunc(events, streamed) {
		p.last = time.Now()
	}
	if len(events) == 0 && p.session.Stream().Closed() {
		return nil
	}
	return pumpedMsg{p, events}
}

// streamed reports an event of a kind that comes in floods. The others, such as
// those of a start or an answer, hold nothing up.
func streamed(e conversation.Event) bool {
	switch e.(type) {
	case conversation.Text, conversation.Update, conversation.TerminalOutput:
		return true
	}
	return false
}
