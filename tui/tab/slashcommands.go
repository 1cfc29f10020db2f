package tab

import (
	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/tui/composer"
)

// slashCommands are parley's own slash commands. The agent's command of the same name
// takes precedence.
var slashCommands = []struct {
	name   string
	action config.Action
	about  string
}{
	{"new", config.ActionNewSession, "a new session, in a tab of its own"},
	{"agent", config.ActionNewAgent, "choose an agent for a new tab"},
	{"sessions", config.ActionSessions, "search and open earlier sessions"},
	{"mode", config.ActionMode, "choose the mode"},
	{"model", config.ActionModel, "choose the model"},
	{"options", config.ActionOptions, "all options of the agent"},
	{"changes", config.ActionChanges, "review what has changed, take it back"},
	{"queue", config.ActionQueue, "edit, order and empty what waits"},
	{"help", config.ActionHelp, "the keys"},
	{"guide", config.ActionGuide, "read the user's guide"},
	{"quit", config.ActionQuit, "leave parley"},
}

func composerCommands() []composer.OwnCommand {
	list := make([]composer.OwnCommand, len(slashCommands))
	for i, c := range slashCommands {
		list[i] = composer.OwnCommand{Name: c.name, About: c.about}
	}
	return list
}

func (ac *actions) runSlashCommand(name string) tea.Cmd {
	for _, c := range slashCommands {
		if c.name == name {
			return ac.run(c.action)
		}
	}
	return nil
}
