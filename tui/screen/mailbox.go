package screen

import (
	"sync"

	tea "charm.land/bubbletea/v2"
)

// mailbox queues messages for the program. Posting never blocks. It is safe for
// concurrent use.
type mailbox struct {
	mu      sync.Mutex
	waiting []tea.Msg
	some    chan struct{}
}

func newMailbox() *mailbox { return &mailbox{some: make(chan struct{}, 1)} }

func (m *mailbox) post(msg tea.Msg) {
	if msg == nil {
		return
	}
	m.mu.Lock()
	m.waiting = append(m.waiting, msg)
	m.mu.Unlock()
	select {
	case m.some <- struct{}{}:
	default:
	}
}

// deliver sends messages to the program in order until done is closed.
func (m *mailbox) deliver(p *tea.Program, done <-chan struct{}) {
	for {
		select {
		case <-done:
			return
		case <-m.some:
		}
		m.mu.Lock()
		msgs := m.waiting
		m.waiting = nil
		m.mu.Unlock()
		for _, msg := range msgs {
			p.Send(msg)
		}
	}
}
