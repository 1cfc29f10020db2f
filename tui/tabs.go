package tui

import (
	"cmp"
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/app"
	"parley/tui/tab"
)

// add adds a tab in the background.
func (m *Model) add(cwd string) *tab.Tab {
	m.lastID++
	t := tab.New(m.lastID, m.program, cwd)
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

// deliver gives a message to its tab. It drops messages for closed tabs.
func (m *Model) deliver(msg tab.Msg) tea.Cmd {
	if i := m.indexOf(msg.To); i >= 0 {
		return m.tell(m.tabs[i], msg.Msg)
	}
	return nil
}

// tell gives a message to a tab. A background tab causes drawing only if its summary
// changes, or if the one in front lists it.
func (m *Model) tell(t *tab.Tab, msg tea.Msg) tea.Cmd {
	if t == m.front {
		return t.Update(msg)
	}
	before := t.Summary()
	cmd := t.Update(msg)
	m.changed = t.Summary() != before || m.front.Shows(t)
	return cmd
}

// Changed implements [screen.Model].
func (m *Model) Changed() bool { return m.changed }

func (m *Model) indexOf(id tab.ID) int {
	return slices.IndexFunc(m.tabs, func(t *tab.Tab) bool { return t.ID() == id })
}

// close closes a tab and ends its agent. Closing the last tab quits.
func (m *Model) close(id tab.ID) tea.Cmd {
	i := m.indexOf(id)
	switch {
	case i < 0:
		return nil
	case len(m.tabs) == 1:
		return tea.Quit
	}
	gone := m.tabs[i]
	m.noteDir(gone.Cwd())
	m.tabs = slices.Delete(m.tabs, i, i+1)
	delete(m.attention.seen, id)
	if gone == m.front {
		m.show(m.tabs[min(i, len(m.tabs)-1)])
	}
	m.end(gone)
	return nil
}

// noteDir remembers a session's directory for the end of the program.
func (m *Model) noteDir(dir string) {
	if !slices.Contains(m.dirs, dir) {
		m.dirs = append(m.dirs, dir)
	}
}

// end closes a tab and ends its agent in the background.
func (m *Model) end(t *tab.Tab) {
	end := t.Close()
	m.ending.Go(func() { politely(end) })
}

// politely runs do with a deadline, after which it kills.
func politely(do func(context.Context)) {
	ctx, cancel := context.WithTimeout(context.Background(), app.StopTime)
	defer cancel()
	do(ctx)
}

// quit quits. It asks first if that ends turns that the user may not know about.
func (m *Model) quit(w tab.Quit) tea.Cmd {
	working := func() (titles []string) {
		for _, t := range m.tabs {
			if t.Works() && !t.Kept() && t.ID() != w.Despite {
				titles = append(titles, t.Summary().Title)
			}
		}
		return titles
	}
	if w.Sure || len(working()) == 0 {
		return tea.Quit
	}
	m.front.AskToLeave(working)
	return nil
}

// tabRow implements [tab.Tabs].
type tabRow struct{ m *Model }

func (r tabRow) Alone() bool { return len(r.m.tabs) == 1 }

func (r tabRow) Step(by int) {
	n := len(r.m.tabs)
	r.Go((r.m.indexOf(r.m.front.ID()) + by + n) % n)
}

func (r tabRow) Go(number int) bool {
	if number < 0 || number >= len(r.m.tabs) {
		return false
	}
	r.m.show(r.m.tabs[number])
	return true
}

func (r tabRow) All() []*tab.Tab { return r.m.tabs }

func (r tabRow) Show(t *tab.Tab) {
	if slices.Contains(r.m.tabs, t) {
		r.m.show(t)
	}
}

func (r tabRow) CloseTab(t *tab.Tab) tea.Cmd { return r.m.close(t.ID()) }

func (r tabRow) Open(s app.Spec) (*tab.Tab, tea.Cmd) {
	t := r.m.add(cmp.Or(s.Cwd, r.m.cwd))
	cmd := t.Open(s)
	if s.New() {
		cmd = tea.Batch(cmd, t.LoadDraft())
	}
	return t, cmd
}

// shutdown ends all agents concurrently and waits, but no longer than endTime.
func (m *Model) shutdown() {
	for _, t := range m.tabs {
		m.end(t)
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
