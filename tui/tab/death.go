package tab

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"parley/config"
)

// leaveStart ends an agent that is being started. If it was to be the first one of
// the tab, another can be chosen.
func (t *Tab) leaveStart() tea.Cmd {
	if t.conv.ID != "" || len(t.conv.Items) > 0 { // there is something to read
		t.session.Kill()
		return nil
	}
	t.outbox.GiveBack(t.conv.Queue...)
	left := t.session
	t.agent, t.session, t.conv, t.list, t.reader, t.pump = config.Agent{}, nil, nil, nil, nil, nil
	end := func(ctx context.Context) {
		left.Close(ctx)
		left.Stream().Take() // who keeps the session gets the end of it
	}
	return tea.Batch(send(End{end}), t.chooseAgent())
}
