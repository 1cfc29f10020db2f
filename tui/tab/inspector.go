package tab

import (
	tea "charm.land/bubbletea/v2"

	"parley/tui/pages"
)

// inspect shows the protocol as it flows.
func (ac *actions) inspect() tea.Cmd {
	t := ac.tab
	if t.session == nil {
		return t.say("there is no agent yet")
	}
	ring := t.session.Options().Ring
	switch {
	case ring == nil:
		return t.say("no agent was started in this session")
	case t.inspector == nil || t.inspector.Ring() != ring:
		t.inspector = pages.NewInspector(pages.InspectorOptions{
			Context: t.program.Context, Ring: ring, Host: pageHost{t},
			Theme: t.program.Theme, Keys: t.program.Keys, Dir: t.cwd, Now: t.program.Now,
			Version: func() int { return int(t.conv.Agent.Protocol) },
		})
	}
	if !t.dialogs.Has(t.inspector) {
		t.inspector.Close() // it may have been closed without its knowing
		t.dialogs.Push(t.inspector)
	}
	return t.inspector.Open()
}
