package tui

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/tui/tab"
)

// add makes a tab behind the others. It is in the background, and nothing has been
// started in it.
func (m *Model) add() *tab.Tab {
	m.lastID++
	t := tab.New(m.lastID, m.program, m.cwd)
	m.tabs = append(m.tabs, t)
	return t
}

// show brings a tab to the front.
func (m *Model) show(t *tab.Tab) {
	if t == m.front {
		return
	}
	if m.front != nil {
		m.front.Hide()
	}
	m.front = t
	t.Show()
}

// deliver gives a message to the tab that it is for. One for a tab that has been
// closed is dropped.
func (m *Model) deliver(msg tab.Msg) tea.Cmd {
	if i := m.indexOf(msg.To); i >= 0 {
		return m.tabs[i].Update(msg.Msg)
	}
	return nil
}

func (m *Model) indexOf(id tab.ID) int {
	return slices.IndexFunc(m.tabs, func(t *tab.Tab) bool { return t.ID() == id })
}

// close takes a tab away and ends its agent. There is always one tab: the program
// ends with the last.
func (m *Model) close(id tab.ID) tea.Cmd {
	i := m.indexOf(id)
	switch {
	case i < 0:
		return nil
	case len(m.tabs) == 1:
		return tea.Quit
	}
	gone := m.tabs[i]
	m.tabs = slices.Delete(m.tabs, i, i+1)
	if gone == m.front {
		m.show(m.tabs[min(i, len(m.tabs)-1)])
	}
	m.ending.Go(func() { end(gone) })
	return nil
}

// end ends a tab's agent, politely at first, and waits for it.
func end(t *tab.Tab) {
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	t.Close(ctx)
}

// shutdown ends all agents at the same time, and waits for them, but not longer than
// endTime: whoever leaves must not wait for what does not want to end.
func (m *Model) shutdown() {
	for _, t := range m.tabs {
		m.ending.Go(func() { end(t) })
	}
	ended := make(chan struct{})
	go func() {
		m.ending.Wait()
		close(ended)
	}()
	limit := time.NewTimer(endTime)
	defer limit.Stop()
	select {
	case <-ended:
	case <-limit.C:
	}
}
