package terminal

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
)

// MaxKept bounds the output in bytes that a Manager keeps for all its terminals
// together.
const MaxKept = 64 << 20

// budget bounds the output that all terminals of a manager keep together.
type budget struct {
	limit    int64
	total    atomic.Int64
	trimming sync.Mutex
}

// keep appends output to what the terminal keeps, and trims if the total exceeds the
// bound.
func (m *Manager) keep(t *terminal, data []byte) {
	t.mu.Lock()
	before := t.kept.Size()
	t.kept.Write(data)
	grown := t.kept.Size() - before
	t.mu.Unlock()
	if m.budget.total.Add(int64(grown)) > m.budget.limit {
		m.trim()
	}
}

// trim drops the start of outputs until an eighth of the limit is free, so that it runs
// rarely: first from commands that have ended, in the order in which they ended, then
// from running ones, in the order in which they started.
func (m *Manager) trim() {
	if !m.budget.trimming.TryLock() {
		return // another goroutine is trimming
	}
	defer m.budget.trimming.Unlock()
	m.mu.Lock()
	all := make([]*terminal, 0, len(m.terminals))
	for _, t := range m.terminals {
		all = append(all, t)
	}
	m.mu.Unlock()
	slices.SortFunc(all, func(a, b *terminal) int {
		if x, y := a.ended.Load(), b.ended.Load(); x != y {
			// 0 means running, and comes last.
			return cmp.Compare(uint64(x-1), uint64(y-1))
		}
		return cmp.Compare(a.number, b.number)
	})
	target := m.budget.limit - m.budget.limit/8
	for _, t := range all {
		over := m.budget.total.Load() - target
		if over <= 0 {
			return
		}
		t.mu.Lock()
		before := t.kept.Size()
		t.kept.Drop(int(min(over, int64(before))))
		m.budget.total.Add(int64(t.kept.Size() - before))
		t.mu.Unlock()
	}
}

// forget frees what a terminal keeps, for good.
func (m *Manager) forget(t *terminal) {
	t.mu.Lock()
	defer t.mu.Unlock()
	m.budget.total.Add(-int64(t.kept.Size()))
	t.kept.Close()
}
