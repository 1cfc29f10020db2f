package tab

import (
	"slices"

	"parley/config"
	"parley/tui/dialog"
)

// showPalette lists what can be done.
func (t *Tab) showPalette() {
	items := slices.DeleteFunc(dialog.ActionItems(t.program.Keys), func(i dialog.Item) bool { return !here(config.Action(i.ID)) })
	items = append(items, dialog.Item{ID: "files", Title: "show the files that the agent wrote", Do: dialog.Do(t.showFiles)})
	if t.book() != nil {
		items = append(items, dialog.Item{ID: "rules", Title: "show the rules, and take one back", Do: dialog.Do(t.showRules)})
	}
	if t.conv != nil && t.conv.Agent.Capabilities.SessionCapabilities.Fork != nil {
		items = append(items, dialog.Item{ID: "fork", Title: "go on with a copy of this session", Do: dialog.Do(t.fork)})
	}
	if t.conv != nil && t.conv.Agent.Capabilities.Auth.Logout != nil {
		items = append(items, dialog.Item{ID: "logout", Title: "sign out of the agent", Do: dialog.Do(t.logout)})
	}
	t.dialogs.Push(dialog.NewSelector(t.env(), dialog.List{Title: "Command palette", Items: items, Filter: true}))
}

// here reports whether an action makes sense in the palette.
func here(a config.Action) bool {
	switch a {
	case config.ActionNextMode, config.ActionMode, config.ActionModel, config.ActionThoughtLevel, config.ActionOptions,
		config.ActionCancel, config.ActionFocusTranscript, config.ActionFind, config.ActionLendMouse, config.ActionTerminal, config.ActionAddOutput, config.ActionChanges, config.ActionScrollTop, config.ActionScrollBottom,
		config.ActionSessions, config.ActionNewSession, config.ActionNewAgent, config.ActionNextTab, config.ActionPrevTab,
		config.ActionRenameTab, config.ActionCloseTab, config.ActionStartAgain, config.ActionHelp, config.ActionGuide, config.ActionSuspend, config.ActionQuit:
		return true
	}
	return false
}
