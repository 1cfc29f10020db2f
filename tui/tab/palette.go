package tab

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/tui/dialog"
)

// runChosen performs an action chosen in the palette.
func (ac *actions) runChosen(a config.ActionInfo) tea.Cmd {
	t := ac.tab
	switch {
	case a.Context == config.ContextTranscript:
		if t.reader == nil || len(t.conv.Items) == 0 {
			return t.say(emptyTranscript)
		}
		return t.reader.Chosen(a.Action)
	case a.Action == config.ActionEditor, a.Action == config.ActionHistorySearch:
		if !t.composerActive() {
			return t.say(noAgent)
		}
		_, cmd := t.composer.Do(a.Action)
		return cmd
	}
	return ac.run(a.Action)
}

// otherItems returns the palette items without a key.
func (ac *actions) otherItems() []dialog.Item {
	t := ac.tab
	do := func(id, title, words, why string, do func() tea.Cmd) dialog.Item {
		return withReason(dialog.Item{ID: id, Title: title, Words: words, Do: dialog.Do(do)}, why, t.say)
	}
	items := []dialog.Item{
		do("config", "Edit the configuration file", "settings preferences vim mcp servers sandbox keys rules theme notifications", "", ac.editConfig),
		do("theme", "Choose the theme", "settings colours colors dark light appearance", "", ac.chooseTheme),
		do("usage", "Show context use and cost", "tokens money price budget", ac.noUsage(), ac.showUsage),
		do("files", "Show the files the agent wrote", "edits diff changes", ac.needsSession(), func() tea.Cmd { return fileList(t) }),
		do("shell", "Open your shell", "bash terminal console command !", ac.needsSession(), func() tea.Cmd { return t.commands.Run("") }),
		do("rules", "Show and remove rules", "permissions approve approval allow deny trust", ac.noRules(), ac.showRules),
		do("fork", "Fork this session", "branch copy duplicate", ac.noFork(), ac.fork),
		do("login", "Sign in to the agent", "login log in account auth authenticate", ac.noSignIn(), ac.signIn),
		do("logout", "Sign out of the agent", "logout log out account auth", ac.noSignOut(), ac.signOut),
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

// absent maps the actions that the palette does not list to the reasons.
var absent = func() map[config.Action]string {
	const (
		step   = "it is one step of many: a list that closes behind each is no way to make them"
		prompt = "it is about the key itself, which writes or ends the prompt"
		inside = "it has a meaning only where all other keys go to the command"
		view   = "it is about the line or file that is marked in a view, which the palette opens"
		asked  = "it answers or moves in the dialog that is open: the palette would be one above it"
	)
	reasons := map[config.Action]string{
		config.ActionPalette: "it opens the palette", config.ActionTab: "it is the number of the tab: next and previous tab are listed",
		config.ActionSend: prompt, config.ActionNewline: prompt, config.ActionInterrupt: "cancel and quit are listed by themselves",
		config.ActionHistoryPrev: step, config.ActionHistoryNext: step, config.ActionLineUp: step, config.ActionLineDown: step,
		config.ActionPageUp: step, config.ActionPageDown: step,
		config.ActionNext: step, config.ActionPrevious: step, config.ActionHalfUp: step, config.ActionHalfDown: step,
		config.ActionFindNext: step, config.ActionFindPrev: step,
		config.ActionSearch: "find is listed", config.ActionFocusPrompt: "closing the palette does it",
	}
	for _, a := range config.Actions() {
		switch a.Context {
		case config.ContextTerminal:
			reasons[a.Action] = inside
		case config.ContextReplay:
			reasons[a.Action] = "it steers a recording while that is played: there is no time to look for it in a list"
		case config.ContextPager, config.ContextChanges, config.ContextInspector:
			reasons[a.Action] = view
		case config.ContextDialog:
			reasons[a.Action] = asked
		}
	}
	return reasons
}()

// openPalette lists all actions, which run performs, and more items, most recently used
// first. why says why an action cannot be done now, or returns "".
func openPalette(t *Tab, more []dialog.Item, run func(config.ActionInfo) tea.Cmd, why func(config.ActionInfo) string) {
	items := actionItems(t.program.Keys, run)
	for i, a := range paletteActions() {
		items[i] = withReason(items[i], why(a), t.say)
	}
	items = recentFirst(t.program.Recent, append(items, more...))
	t.choose(dialog.List{Title: "Command palette", Items: items, Filter: true, Headings: true})
}

// withReason returns an item that cannot be chosen now as one that says why, unless why is
// "".
func withReason(item dialog.Item, why string, say func(string) tea.Cmd) dialog.Item {
	if why != "" {
		item.Words += " " + item.Detail
		item.Dim, item.Detail, item.Do = true, why, dialog.Do(func() tea.Cmd { return say(why) })
	}
	return item
}

// paletteActions returns the actions that have, or could have, a key, and are in the
// palette.
func paletteActions() []config.ActionInfo {
	return slices.DeleteFunc(config.Actions(), func(a config.ActionInfo) bool { return absent[a.Action] != "" })
}

// actionItems returns the items of [paletteActions].
func actionItems(keys config.Keys, run func(config.ActionInfo) tea.Cmd) []dialog.Item {
	var items []dialog.Item
	for _, a := range paletteActions() {
		item := dialog.Item{
			ID: string(a.Action), Title: a.Help, Detail: strings.Join(keys.For(a.Action), ", "), Words: a.Action.Words(),
			Do: dialog.Do(func() tea.Cmd { return run(a) }),
		}
		if a.Context == config.ContextTranscript {
			item.Group = "the marked item"
		}
		items = append(items, item)
	}
	return items
}

// mostRecent bounds the recently used actions at the top.
const mostRecent = 5

// recentFirst moves recently used actions to the top, and records the next choice.
func recentFirst(memory *config.RecentFile, items []dialog.Item) []dialog.Item {
	var before []dialog.Item
	for _, id := range memory.Used().Actions {
		at := slices.IndexFunc(items, func(i dialog.Item) bool { return i.ID == id })
		if at >= 0 && len(before) < mostRecent {
			item := items[at]
			item.Group = "recently used"
			before = append(before, item)
			items = slices.Delete(items, at, at+1)
		}
	}
	for i := range items {
		if len(before) > 0 && items[i].Group == "" {
			items[i].Group = "all"
		}
	}
	items = append(before, items...)
	for i, item := range items {
		do, chosen := item.Do.(dialog.Do)
		if !chosen {
			continue
		}
		items[i].Do = dialog.Do(func() tea.Cmd { return tea.Batch(do(), bestEffort(func() error { return memory.Action(item.ID) })) })
	}
	return items
}
