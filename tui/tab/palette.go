package tab

import (
	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/tui/dialog"
)

// runChosen does what an action says that was chosen in the palette.
func (ac *actions) runChosen(a config.ActionInfo) tea.Cmd {
	t := ac.tab
	switch {
	case a.Context == config.ContextTranscript:
		if t.reader == nil || len(t.conv.Items) == 0 {
			return t.say("there is nothing in the transcript yet")
		}
		return t.reader.Chosen(a.Action)
	case a.Action == config.ActionEditor, a.Action == config.ActionHistorySearch:
		if !t.composerActive() {
			return t.say("there is no prompt yet: choose an agent first")
		}
		_, cmd := t.composer.Do(a.Action)
		return cmd
	}
	return ac.run(a.Action)
}

// otherItems are what can be done and has no key.
func (ac *actions) otherItems() []dialog.Item {
	t := ac.tab
	items := []dialog.Item{
		{ID: "theme", Title: "choose the theme", Do: dialog.Do(func() tea.Cmd { return chooseTheme(t, t.program.Looks) })},
		{ID: "files", Title: "show the files that the agent wrote", Do: dialog.Do(func() tea.Cmd { return fileList(t) })},
	}
	if r := t.rules(); r != nil {
		items = append(items, dialog.Item{ID: "rules", Title: "show the rules, and take one back", Do: dialog.Do(r.Show)})
	}
	if t.conv != nil && t.conv.Agent.Capabilities.SessionCapabilities.Fork != nil {
		items = append(items, dialog.Item{ID: "fork", Title: "go on with a copy of this session", Do: dialog.Do(ac.fork)})
	}
	if t.conv != nil && t.conv.Agent.Capabilities.Auth.Logout != nil {
		items = append(items, dialog.Item{ID: "logout", Title: "sign out of the agent", Do: dialog.Do(func() tea.Cmd { return t.signIn.Out(t.program.Context) })})
	}
	if t.session != nil {
		items = append(items, pieceItems(t.program.Context, t.conv, t.session)...)
		items = append(items, t.worktree.Items()...)
	}
	for i := range items {
		items[i].Group = "more"
	}
	return items
}
