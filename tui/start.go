package tui

import (
	tea "charm.land/bubbletea/v2"

	"parley/internal/app"
	"parley/tui/tab"
)

// begin starts what the options ask for: a stored session, the list of sessions, or an
// agent. Then it offers a session that was never ended. It runs before the screen exists;
// Init returns its commands.
func (m *Model) begin(opt Options) {
	switch {
	case opt.Replay != nil:
		m.first = m.front.Replay(opt.Replay)
	case opt.Open != nil:
		m.first = m.front.OpenStored(*opt.Open)
	case opt.Pick:
		m.first = m.front.ShowSessions()
	default:
		m.start(opt.Agent)
		m.first = tea.Batch(m.first, m.front.OfferUnended(), m.front.LoadDraft())
	}
}

// open shows a stored session in the tab that has it open, else in a new one. It closes a
// blank tab.
func (m *Model) open(o app.Open) tea.Cmd {
	for _, t := range m.tabs {
		if t.StoredID() == o.ID {
			m.show(t)
			return nil
		}
	}
	before := m.front
	t := m.add()
	m.show(t)
	cmd := t.OpenStored(o)
	if before.Blank() {
		cmd = tea.Batch(cmd, m.close(before.ID()))
	}
	return cmd
}

// openAll opens several stored sessions, the last one in front.
func (m *Model) openAll(all tab.Open) tea.Cmd {
	var cmds []tea.Cmd
	for _, o := range all {
		cmds = append(cmds, m.open(o))
	}
	return tea.Batch(cmds...)
}
