package tab

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/tui/dialog"
	"parley/tui/tab/lists"
	"parley/tui/tab/themes"
)

// notInPalette are the actions that the palette does not list, with the reason.
var notInPalette = func() map[config.Action]string {
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
		config.ActionItemNext: step, config.ActionItemPrev: step, config.ActionHalfUp: step, config.ActionHalfDown: step,
		config.ActionFindNext: step, config.ActionFindPrev: step,
		config.ActionSearch: "find is listed", config.ActionFocusPrompt: "closing the palette does it",
	}
	for _, a := range config.Actions() {
		switch a.Context {
		case config.ContextTerminal:
			reasons[a.Action] = inside
		case config.ContextReplay:
			reasons[a.Action] = "it steers a recording while that is played: there is no time to look for it in a list"
		case config.ContextPager, config.ContextChanges:
			reasons[a.Action] = view
		case config.ContextDialog:
			reasons[a.Action] = asked
		}
	}
	return reasons
}()

// showPalette lists what can be done: what was chosen last first.
func (t *Tab) showPalette() {
	items := t.recentFirst(append(t.actionItems(), t.otherItems()...))
	t.desk.List(dialog.List{Title: "Command palette", Items: items, Filter: true})
}

// actionItems are the actions that have, or could have, a key.
func (t *Tab) actionItems() []dialog.Item {
	var items []dialog.Item
	for _, a := range config.Actions() {
		if notInPalette[a.Action] != "" {
			continue
		}
		item := dialog.Item{
			ID: string(a.Action), Title: a.Help, Detail: strings.Join(t.program.Keys.For(a.Action), ", "),
			Do: dialog.Do(func() tea.Cmd { return t.runChosen(a) }),
		}
		if a.Context == config.ContextTranscript {
			item.Group = "the item that is marked in the transcript"
		}
		items = append(items, item)
	}
	return items
}

// runChosen does what an action says that was chosen in the palette.
func (t *Tab) runChosen(a config.ActionInfo) tea.Cmd {
	switch {
	case a.Context == config.ContextTranscript:
		if t.reader == nil || len(t.conv.Items) == 0 {
			return t.desk.Say("there is nothing in the transcript yet")
		}
		return t.reader.Chosen(a.Action)
	case a.Action == config.ActionEditor, a.Action == config.ActionHistorySearch:
		if !t.composerActive() {
			return t.desk.Say("there is no prompt yet: choose an agent first")
		}
		_, cmd := t.composer.Do(a.Action)
		return cmd
	}
	return t.run(a.Action)
}

// otherItems are what can be done and has no key.
func (t *Tab) otherItems() []dialog.Item {
	items := []dialog.Item{
		{ID: "theme", Title: "choose the theme", Do: dialog.Do(func() tea.Cmd { return themes.Choose(t.desk, t.program.Looks) })},
		{ID: "files", Title: "show the files that the agent wrote", Do: dialog.Do(func() tea.Cmd { return lists.Files(t.desk, t.conv, t.edit) })},
	}
	if r := t.rules(); r != nil {
		items = append(items, dialog.Item{ID: "rules", Title: "show the rules, and take one back", Do: dialog.Do(r.Show)})
	}
	if t.conv != nil && t.conv.Agent.Capabilities.SessionCapabilities.Fork != nil {
		items = append(items, dialog.Item{ID: "fork", Title: "go on with a copy of this session", Do: dialog.Do(t.fork)})
	}
	if t.conv != nil && t.conv.Agent.Capabilities.Auth.Logout != nil {
		items = append(items, dialog.Item{ID: "logout", Title: "sign out of the agent", Do: dialog.Do(func() tea.Cmd { return t.signIn.Out(t.program.Context) })})
	}
	if t.session != nil {
		items = append(items, lists.Pieces(t.program.Context, t.conv, t.session)...)
		items = append(items, t.worktree.Items()...)
	}
	for i := range items {
		items[i].Group = "more"
	}
	return items
}

// mostRecent is how many of the actions that were chosen last stand before all others.
const mostRecent = 5

// recentFirst puts the actions that were chosen last before all others, and remembers
// which is chosen now.
func (t *Tab) recentFirst(items []dialog.Item) []dialog.Item {
	memory := t.program.Recent
	var before []dialog.Item
	for _, id := range memory.Used().Actions {
		at := slices.IndexFunc(items, func(i dialog.Item) bool { return i.ID == id })
		if at >= 0 && len(before) < mostRecent {
			item := items[at]
			item.Group = "used last"
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
		items[i].Do = dialog.Do(func() tea.Cmd { return tea.Batch(do(), t.keepRecent(func() error { return memory.Action(item.ID) })) })
	}
	return items
}

// keepRecent keeps something for the next run, beside the screen. That it could not be
// kept is no trouble of the person's.
func (t *Tab) keepRecent(keep func() error) tea.Cmd {
	if t.program.Recent == nil {
		return nil
	}
	return func() tea.Msg {
		_ = keep()
		return nil
	}
}
