package tab

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/command"
	"parley/internal/termtext"
	"parley/tui/composer"
	"parley/tui/dialog"
	"parley/tui/pages"
	"parley/tui/toolview"
)

const (
	noAgent         = "start an agent first"
	emptyTranscript = "the transcript is empty"
	noModes         = "this agent has no modes"
	nothingToSend   = "nothing to send"
	notQueued       = "it is no longer queued"
	notOpen         = "the session is not open"
	oneTab          = "there is only one tab"
)

// refusal says why a command cannot be done now, or returns "".
func (t *Tab) refusal(c command.Common) string {
	_, open := t.live()
	switch {
	case c.Waits && t.opens():
		return ""
	case t.replays() && !c.Replay:
		return notInReplay
	case c.Session && !open && t.opening != nil:
		return notOpen + " yet"
	case c.Session && !open, c.Prompt && t.chooses():
		return noAgent
	case c.Why == nil:
		return ""
	}
	return c.Why(t.acting)
}

// promptRows are the commands of the prompt, and those that work everywhere.
var promptRows func() command.Rows[command.Common]

func init() {
	promptRows = sync.OnceValue(newPromptRows)
	Actions = sync.OnceValue(func() *config.Actions { return config.NewActions(groups()...) })
}

// Actions returns all commands that keys can have.
var Actions func() *config.Actions

// groups are all commands that keys can have, in the order of the help.
func groups() []config.Group {
	return []config.Group{
		promptRows().Group(config.Group{
			Context: config.ContextPrompt, Title: "In the prompt and everywhere", Typed: "the prompt",
			About: "In the prompt, and everywhere. A key that types text counts only while the\ndraft is empty.",
		}),
		transcriptRows().Group(config.Group{Context: config.ContextTranscript, Title: "In the transcript", About: "In the transcript, while it has the focus."}),
		pagerRows().Group(config.Group{
			Context: config.ContextPager, Title: "In the pager",
			About: "In the view of one item on the whole screen. Other keys mean what they mean in\nthe transcript.",
		}),
		terminalRows().Group(config.Group{
			Context: config.ContextTerminal, Title: "In a command that you stepped into", Typed: "the command",
			About: "In a command into which you have stepped. All other keys go to the command.",
		}),
		pages.ReviewGroup(config.Group{Context: config.ContextChanges, Title: "In the review of changes", About: "Among the changed files, on the whole screen."}),
		pages.CompareGroup(config.Group{Context: config.ContextCompare, Title: "In a comparison", About: "In the comparison of agents, and of what they have changed."}),
		pages.AsideGroup(config.Group{Context: config.ContextAside, Title: "In an answer aside", About: "In the answer to a question that was asked aside."}),
		pages.InspectorGroup(config.Group{Context: config.ContextInspector, Title: "In the inspector", About: "In the inspector."}),
		replayRows().Group(config.Group{
			Context: config.ContextReplay, Title: "In a replay",
			About: "In a replay. Other keys mean what they mean in the prompt, as far as they do not act.",
		}),
		dialog.Group(config.Group{Context: config.ContextDialog, Title: "In dialogs", About: "In dialogs. The last four answer a permission request."}),
	}
}

func newPromptRows() command.Rows[command.Common] {
	const prompt = "it is about the key itself, which writes or ends the prompt"
	always := func(do func(*Tab)) func(command.Front) {
		return onTab(func(t *Tab) tea.Cmd { do(t); return nil })
	}
	reading := func(do readerFunc) command.Common {
		return command.Common{AtQuestion: true, Replay: true, Why: ofTab(noItems), Do: onTab(func(t *Tab) tea.Cmd { return do(t.reader) })}
	}
	severalTabs := ofTab(func(t *Tab) string { return command.Unless(!t.program.Tabs.Alone(), oneTab) })

	rows := append(command.Commands(), command.Map(composer.Commands(), func(do func(*composer.Composer) tea.Cmd) command.Common {
		return command.Common{Prompt: true, Do: onTab(func(t *Tab) tea.Cmd { return do(t.composer) })}
	})...)
	rows = append(rows, command.Rows[command.Common]{
		{ID: command.Send, Keys: "enter", Help: "Send the prompt", Absent: prompt, Do: command.Common{Do: onTab(sendNothing)}},
		{ID: command.NextMode, Keys: "shift+tab", Help: "Next mode", Words: "cycle switch permission plan auto", Do: command.Common{
			Session: true, Do: onLive(nextMode), AtQuestion: true, Why: ofLive(func(l *live) string { return command.Offers(l.Live, noModes, acpclient.CategoryMode) }), Waits: true,
		}},
		{ID: command.Palette, Keys: "ctrl+p", Help: "Open the palette", Absent: "it opens the palette", Do: command.Common{AtQuestion: true, Do: always(showPalette)}},
		{ID: command.Cancel, Keys: "esc", Help: "Cancel turn / close", Words: "stop abort interrupt", Do: command.Common{
			Session: true, Do: onTab(cancel),
			Why: ofLive(func(l *live) string {
				return command.Unless(l.Conversation.Turn.Running || l.Conversation.Opening(), "no turn is running")
			}),
		}},
		{ID: command.Interrupt, Keys: "ctrl+c", Help: "Clear the draft, then cancel the turn, then quit", Absent: "cancel and quit are listed by themselves", Do: command.Common{
			Replay: true, Do: onTab(func(t *Tab) tea.Cmd { return t.leaving.Interrupt() }), AtQuestion: true,
		}},
		{ID: command.Suspend, Keys: "ctrl+z", Help: "Suspend parley, or detach", Words: "background pause", Do: command.Common{Replay: true, Do: onTab((*Tab).suspend), AtQuestion: true}},
		{ID: command.HistoryPrev, Keys: "up", Help: "Previous prompt", Absent: step, Do: command.Common{Do: onLive(func(l *live) tea.Cmd { return l.queue.Recall() })}},
		{ID: command.PasteImage, Keys: "ctrl+v", Help: "Paste the image on the clipboard", Words: "screenshot picture attach", Do: command.Common{
			Prompt: true, Do: onTab(func(t *Tab) tea.Cmd { return t.prompt.pasteImage() }),
		}},
		{ID: command.SendNow, Keys: "alt+s", Help: "Send now: steer the turn, or cancel it first", Words: "interrupt inject", Do: command.Common{
			Session: true, Do: onLive(func(l *live) tea.Cmd { return l.queue.SendNow() }),
			Why: ofLive(func(l *live) string {
				return command.Unless(l.queue.Queued() > 0 || !l.composer.Empty(), nothingToSend)
			}),
		}},
		{ID: command.FocusTranscript, Keys: "tab alt+t", Help: "Move to the transcript", Words: "transcript scroll read copy select", Do: reading(reads(func(r *reader) { r.list.Focus(true) }))},
		{ID: command.Find, Keys: "ctrl+f", Help: "Find words in the transcript", Words: "search grep", Do: reading(reads((*reader).startFinding))},
	}...)
	rows = append(rows, command.Map(scrollRows(), reading)...)
	return append(rows, command.Rows[command.Common]{
		{ID: command.LendMouse, Help: "Let the terminal use the mouse (until a key)", Words: "select copy", Do: command.Common{Do: always(func(t *Tab) { t.input.lendMouse() }), AtQuestion: true, Replay: true}},
		{ID: command.Terminal, Keys: "f7", Help: "Step into the running command", Words: "attach shell bash console", Do: command.Common{
			Session: true, Do: onLive(func(l *live) tea.Cmd { return l.commands.StepIntoRunning() }), AtQuestion: true,
			Why: ofLive(func(l *live) string {
				return command.Unless(len(l.Conversation.Running()) > 0, "no command is running")
			}),
		}},
		{ID: command.AddOutput, Keys: "f8", Help: "Add the output of your last command", Words: "output shell bash attach", Do: command.Common{
			Session: true, Do: onLive(func(l *live) tea.Cmd { return l.commands.AddOutput(l.Conversation.LastCommand()) }),
			Why: ofLive(func(l *live) string {
				return command.Unless(l.Conversation.LastCommand() != nil, "run a command with ! first")
			}),
		}},
		{ID: command.Inspector, Keys: "f12", Help: "Inspect the protocol", Words: "debug log json rpc acp traffic messages", Do: command.Common{Session: true, Do: onLive((*live).inspect), AtQuestion: true}},
		{ID: command.NextTab, Keys: "ctrl+pgdown alt+.", Help: "Next tab", Do: command.Common{Do: always(func(t *Tab) { t.program.Tabs.Step(1) }), Why: severalTabs}},
		{ID: command.PrevTab, Keys: "ctrl+pgup alt+,", Help: "Previous tab", Do: command.Common{Do: always(func(t *Tab) { t.program.Tabs.Step(-1) }), Why: severalTabs}},
		{ID: command.Tab, Keys: "alt+1 alt+2 alt+3 alt+4 alt+5 alt+6 alt+7 alt+8 alt+9", Help: "Go to this tab", Absent: "it is the number of the tab: next and previous tab are listed", Do: command.Common{Do: always(func(*Tab) {})}}, // the key names the tab: see tabKey
		{ID: "compare", Help: "Compare agents", Words: "best of side by side race worktrees", Slash: "compare", Do: command.Common{
			Why: ofTab(noCompare), Do: onTab(openCompare), With: func(f command.Front, words string) { f.(*front).add(newCompare(f.(*front).tab, words)) }, AtQuestion: true,
		}},
		{ID: command.CloseTab, Keys: "alt+w", Help: "Close the tab", Do: command.Common{Do: onTab(func(t *Tab) tea.Cmd { return t.leaving.Close() })}},
		{ID: "shell", Help: "Open your shell", Words: "terminal bash console command !", Do: command.Common{Session: true, Do: onLive(func(l *live) tea.Cmd { return l.commands.Run("") })}},
		{ID: "theme", Help: "Choose the theme", Words: "colours colors dark light appearance", Slash: "theme themes", Do: command.Common{Do: onTab(func(t *Tab) tea.Cmd { return chooseTheme(t, t.program.ThemeSwitcher) })}},
		{ID: "edit_config", Help: "Edit the configuration file", Words: "settings preferences vim mcp servers sandbox keys notifications", Slash: "config vim mcp sandbox keys", Do: command.Common{Do: onTab((*Tab).editConfig)}},
	}...)
}

// promptCommandOf returns what a command of the prompt does; that of no command does nothing.
func promptCommandOf(id config.Action) command.Common {
	if row := promptRows().Named(id); row != nil {
		return row.Do
	}
	return command.Common{Do: func(command.Front) {}}
}

func noItems(t *Tab) string { return command.Unless(!t.empty(), emptyTranscript) }

// editConfig opens the configuration file, creating it if needed.
func (t *Tab) editConfig() tea.Cmd {
	path := config.ConfigFile()
	return t.front(func(f command.Front) {
		command.Get(f, "", func(context.Context) (string, error) { return path, config.MakeFile(path, Actions()) }, func(path string) {
			t.acting.Edit(path, 0)
		})
	})
}

// keysNow returns the actions that matter most now and have a key.
func keysNow(t *Tab) []config.Action {
	const most = 9
	var now []config.Action
	for _, a := range []config.Action{
		command.Cancel, command.SendNow, command.Queue, command.Terminal, command.Send, command.Newline,
		command.Palette, command.NextMode, command.Changes, command.FocusTranscript, command.Model,
		command.Sessions, command.NewSession, command.Options, command.HistorySearch, command.Editor, command.Quit,
	} {
		if len(now) < most && t.program.Keys.First(a) != "" && t.refusal(promptCommandOf(a)) == "" {
			now = append(now, a)
		}
	}
	return now
}

// run performs an action, or says why it cannot be done now; the empty action does
// nothing.
func (t *Tab) run(a config.Action) tea.Cmd {
	if a != command.Interrupt {
		t.leaving.Acted()
	}
	if a != command.Cancel {
		t.prompts.Acted()
	} else if t.awaited.cancel() {
		return nil
	} else if t.writes != nil {
		return t.acting.do(func() { t.written(nil) })
	}
	t.program.Guard.Acts()
	b := promptCommandOf(a)
	why := t.refusal(b)
	if a == command.Cancel { // its key has other uses outside turns
		why = ""
	}
	switch {
	case a != "" && why != "":
		return t.say(why)
	case b.Waits && t.opens():
		t.awaited.set(a, "")
		return nil
	}
	return t.front(b.Do)
}

// sendNothing handles enter on an empty prompt.
func sendNothing(t *Tab) tea.Cmd {
	if l, open := t.live(); open {
		return l.queue.SendNothing()
	}
	return t.say(nothingToSend)
}

// cancel handles the key that cancels.
func cancel(t *Tab) tea.Cmd {
	if l, open := t.live(); open {
		return l.cancel()
	}
	if t.replays() {
		return t.say(t.keyOf(command.ReplayQuit) + " closes the replay")
	}
	if o := t.opening; o != nil && o.preparing.Load() != nil {
		o.interrupt()
		return t.say("interrupted: the session opens with what is there")
	}
	return t.say(notOpen)
}

// composerCommands returns parley's own slash commands. The agent's command of the same
// name takes precedence.
func composerCommands() []composer.OwnCommand {
	var list, others []composer.OwnCommand
	for _, r := range promptRows() {
		for i, name := range strings.Fields(r.Slash) {
			if c := (composer.OwnCommand{Name: name, About: r.Help, Alias: i > 0}); c.Alias {
				others = append(others, c)
			} else {
				list = append(list, c)
			}
		}
	}
	return append(list, others...)
}

// runSlashCommand runs one of parley's commands.
func (t *Tab) runSlashCommand(name, argument string) tea.Cmd {
	all := promptRows()
	at := slices.IndexFunc(all, func(r command.Row[command.Common]) bool { return slices.Contains(strings.Fields(r.Slash), name) })
	if at < 0 {
		return nil
	}
	id, c := all[at].ID, all[at].Do
	switch why := t.refusal(c); {
	case c.With != nil && why != "":
		return t.say(why)
	case c.Waits && t.opens():
		t.awaited.set(id, argument)
		return nil
	}
	return t.runWith(id, argument)
}

// runWith performs an action with an argument: else that filters the list that it opens, if any.
func (t *Tab) runWith(a config.Action, argument string) tea.Cmd {
	if with := promptCommandOf(a).With; with != nil && argument != "" {
		return t.front(func(f command.Front) { with(f, argument) })
	}
	before := t.dialogs.Top()
	cmd := t.run(a)
	if list, is := t.dialogs.Top().(*dialog.Selector); is && dialog.Dialog(list) != before && argument != "" {
		list.Paste(argument)
	}
	return cmd
}

// otherItems returns the palette items that are no actions.
func (l *live) otherItems() []command.Item {
	f := l.acting
	items := slices.Concat(l.operationItems(), command.RewindItems(f), l.worktreeItems())
	for i := range items {
		items[i].Group = "more"
	}
	return append(items, l.slashItems()...)
}

// slashItems returns the palette items of slash commands. One that takes input is put into the prompt.
func (l *live) slashItems() (items []command.Item) {
	add := func(it command.Item, name string, takesInput bool) {
		it.ID, it.Title = it.ID+" "+name, "/"+name
		it.Do = l.here(func() tea.Cmd {
			if !takesInput {
				return l.prompts.Submit(composer.NewPrompt("/" + name))
			}
			keep := l.composer.Keep(l.composer.Text())
			l.composer.SetText("/" + name + " ")
			return keep
		})
		items = append(items, it)
	}
	for _, c := range l.Conversation.Commands {
		add(command.Item{ID: "command", Detail: c.Description, Group: "commands of the agent"}, c.Name, c.Input != nil)
	}
	for _, p := range l.templates {
		if !slices.Contains(l.hidden, p.Name) {
			add(command.Item{ID: "prompt", Detail: p.About, Group: "your prompts", Words: "template snippet"}, p.Name, true)
		}
	}
	return items
}

// showPalette lists all commands, and more of a session, most recently used first.
func showPalette(t *Tab) {
	var more []command.Item
	if l, open := t.live(); open {
		more = l.otherItems()
	}
	items := t.commandItems()
	if t.chooses() { // little can be done yet
		slices.SortStableFunc(items, func(a, b command.Item) int {
			switch {
			case a.Dim == b.Dim:
				return 0
			case b.Dim:
				return -1
			}
			return 1
		})
	}
	items = recentFirst(t.acting, t.program.Recent, append(items, more...))
	t.choose(command.Choice{Title: "Command palette", Items: items, Filter: true, Headings: true})
}

// commandItems returns the items of all commands in the palette.
func (t *Tab) commandItems() []command.Item {
	var items []command.Item
	for _, r := range promptRows() {
		if r.Absent == "" {
			items = append(items, paletteItem(t, r, t.refusal(r.Do), func() tea.Cmd { return t.run(r.ID) }))
		}
	}
	for _, r := range transcriptRows() {
		if r.Absent == "" {
			item := paletteItem(t, r, noItems(t), func() tea.Cmd {
				if t.empty() {
					return t.say(emptyTranscript)
				}
				return t.reader.Chosen(r.Do)
			})
			item.Group = "the marked item"
			items = append(items, item)
		}
	}
	return items
}

// paletteItem returns the item of a command. why says why it cannot be done now.
func paletteItem[F any](t *Tab, r command.Row[F], why string, do func() tea.Cmd) command.Item {
	keys := t.program.Keys
	words := r.Words + " " + strings.Join(keys.For(r.ID), " ")
	item := command.Item{ID: string(r.ID), Title: r.Help, Words: words, Key: keys.First(r.ID), Do: t.here(do), Dim: why != "", Detail: why}
	if why != "" {
		item.Do = func() { t.acting.Say(why) }
	}
	return item
}

// mostRecent bounds the recently used actions at the top.
const mostRecent = 5

// recentFirst moves recently used actions to the top, and records the next choice.
func recentFirst(f *front, memory *config.RecentFile, items []command.Item) []command.Item {
	var before []command.Item
	for _, id := range memory.Used().Actions {
		at := slices.IndexFunc(items, func(i command.Item) bool { return i.ID == id })
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
		items[i].Do = func() {
			item.Do()
			f.add(bestEffort(func() error { return memory.Action(item.ID) }))
		}
	}
	return items
}

// operationItems returns the palette items that cancel single calls.
func (l *live) operationItems() []command.Item {
	var items []command.Item
	for i, p := range l.Conversation.Operations() {
		items = append(items, command.Item{
			ID: fmt.Sprintf("cancel-%d", i), Title: "cancel only: " + toolview.Title(p.Call, termtext.Line),
			Do: func() { command.CancelOperation(l.acting, p) },
		})
	}
	return items
}
