package tab

import (
	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/tui/composer"
)

// own are parley's own commands: what they are called, and what they do. A command of the
// agent of the same name comes before it.
var own = []struct {
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

func ownCommands() []composer.OwnCommand {
	list := make([]composer.OwnCommand, len(own))
	for i, c := range own {
		list[i] = composer.OwnCommand{Name: c.name, About: c.about}
	}
	return list
}

// runOwn does what a command of parley's says.
func (ac *actions) runOwn(name string) tea.Cmd {
	for _, c := range own {
		if c.name == name {
			return ac.run(c.action)
		}
	}
	return nil
}
