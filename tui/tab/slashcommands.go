package tab

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/tui/composer"
	"parley/tui/dialog"
)

// slashCommand is one of parley's own slash commands. The agent's command of the same name
// takes precedence.
type slashCommand struct {
	name  string
	about string
	run   func(*actions) tea.Cmd
	// others are names that other clients have for it. They are offered once typed.
	others []string
}

func slashCommands() []slashCommand {
	does := func(a config.Action) func(*actions) tea.Cmd {
		return func(ac *actions) tea.Cmd { return ac.run(a) }
	}
	return []slashCommand{
		{"new", "New session in a new tab", does(config.ActionNewSession), []string{"clear", "reset"}},
		{"agent", "New tab with another agent", does(config.ActionNewAgent), []string{"agents"}},
		{"sessions", "Search and open sessions", does(config.ActionSessions), []string{"resume", "continue", "history"}},
		{"mode", "Choose the mode", does(config.ActionMode), []string{"modes"}},
		{"model", "Choose the model", does(config.ActionModel), []string{"models"}},
		{"options", "Show all options", does(config.ActionOptions), []string{"settings"}},
		{"changes", "Review and undo changes", does(config.ActionChanges), []string{"diff", "undo", "rewind"}},
		{"queue", "Manage the queue", does(config.ActionQueue), nil},
		{"export", "Export the session to a file", does(config.ActionExport), []string{"share"}},
		{"usage", "Show context use and cost", (*actions).showUsage, []string{"cost", "context", "stats"}},
		{"rules", "Show and remove rules", (*actions).showRules, []string{"permissions", "approvals"}},
		{"login", "Sign in to the agent", (*actions).signIn, []string{"signin", "auth"}},
		{"logout", "Sign out of the agent", (*actions).signOut, []string{"signout"}},
		{"theme", "Choose the theme", (*actions).chooseTheme, []string{"themes"}},
		{"config", "Edit the configuration file", (*actions).editConfig, []string{"vim", "mcp", "sandbox", "keys"}},
		{"help", "List the keys", does(config.ActionHelp), []string{"commands"}},
		{"rename", "Name the tab", does(config.ActionRenameTab), []string{"title"}},
		{"news", "Show the news", does(config.ActionNews), []string{"changelog", "release-notes"}},
		{"guide", "Read the guide", does(config.ActionGuide), []string{"docs"}},
		{"quit", "Quit parley", does(config.ActionQuit), []string{"exit", "q"}},
	}
}

func composerCommands() []composer.OwnCommand {
	var list, others []composer.OwnCommand
	for _, c := range slashCommands() {
		list = append(list, composer.OwnCommand{Name: c.name, About: c.about})
		for _, name := range c.others {
			others = append(others, composer.OwnCommand{Name: name, About: c.about, Alias: true})
		}
	}
	return append(list, others...)
}

// runSlashCommand runs one of parley's commands. Its argument filters the list that the
// command opens, if any.
func (ac *actions) runSlashCommand(name, argument string) tea.Cmd {
	all := slashCommands()
	at := slices.IndexFunc(all, func(c slashCommand) bool { return c.name == name || slices.Contains(c.others, name) })
	if at < 0 {
		return nil
	}
	before := ac.tab.dialogs.Top()
	cmd := all[at].run(ac)
	if list, is := ac.tab.dialogs.Top().(*dialog.Selector); is && dialog.Dialog(list) != before && argument != "" {
		list.Paste(argument)
	}
	return cmd
}

// askUnknownCommand asks what to do with a prompt that looks like a slash command which
// neither the agent nor parley has.
func (ac *actions) askUnknownCommand(name string, p composer.Prompt) {
	t := ac.tab
	edit := func() { t.composer.Restore(p) }
	t.choose(dialog.List{
		Title: "Unknown command /" + name, About: "Neither the agent nor parley has this command.", Left: edit,
		Items: []dialog.Item{
			{ID: "edit", Title: "Edit it", Do: dialog.Do(func() tea.Cmd { edit(); return nil })},
			{ID: "send", Title: "Send it to the agent as a prompt", Do: dialog.Do(func() tea.Cmd { return t.queue.Submit(p) })},
		},
	})
}

func (ac *actions) showRules() tea.Cmd {
	if why := ac.noRules(); why != "" {
		return ac.tab.say(why)
	}
	return ac.tab.rules().Show()
}

func (ac *actions) signOut() tea.Cmd {
	if why := ac.noSignOut(); why != "" {
		return ac.tab.say(why)
	}
	return ac.tab.signIn.Out(ac.tab.program.Context)
}

func (ac *actions) chooseTheme() tea.Cmd { return chooseTheme(ac.tab, ac.tab.program.ThemeSwitcher) }
