package tab

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/acpclient"
	"parley/config"
	"parley/docs"
	"parley/internal/conversation"
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
	noModels        = "this agent offers no models"
	noThoughtLevels = "this agent offers no thought levels"
	nothingToSend   = "nothing to send"
)

// actions performs what keys, palette and slash commands name.
type actions struct{ *Tab }

// unavailable says why an action cannot be done now, or returns "".
func (t actions) unavailable(a config.ActionInfo) string {
	c := t.conv
	if a.Context == config.ContextTranscript {
		return t.noItems()
	}
	switch a.Action {
	case config.ActionPalette, config.ActionHelp, config.ActionGuide, config.ActionNews, config.ActionQuit, config.ActionSuspend,
		config.ActionSessions, config.ActionNewAgent, config.ActionRenameTab, config.ActionCloseTab, config.ActionLendMouse:
		return ""
	case config.ActionNextTab, config.ActionPrevTab:
		return unless(!t.program.Tabs.Alone(), "there is only one tab")
	case config.ActionEditor, config.ActionHistorySearch, config.ActionPasteImage:
		return unless(t.composerActive(), noAgent)
	case config.ActionFocusTranscript, config.ActionFind, config.ActionScrollTop, config.ActionScrollBottom, config.ActionExport:
		return t.noItems()
	}
	if t.session == nil {
		return noAgent
	}
	switch a.Action {
	case config.ActionNextMode, config.ActionMode:
		return unless(c.OptionByCategory(acpclient.CategoryMode) != nil, noModes)
	case config.ActionModel:
		return unless(c.OptionByCategory(acpclient.CategoryModel) != nil || c.OptionByCategory(acpclient.CategoryModelConfig) != nil, noModels)
	case config.ActionThoughtLevel:
		return unless(c.OptionByCategory(acpclient.CategoryThoughtLevel) != nil, noThoughtLevels)
	case config.ActionOptions:
		return unless(c.Phase == conversation.PhaseReady, "the session is not open")
	case config.ActionChanges:
		return unless(t.session.Options().Journal != nil, t.noReview())
	case config.ActionCancel:
		return unless(c.Turn.Running || c.Starts(), "no turn is running")
	case config.ActionQueue:
		return unless(t.queue.Queued() > 0, "the queue is empty")
	case config.ActionSendNow:
		return unless(t.queue.Queued() > 0 || !t.composer.Empty(), nothingToSend)
	case config.ActionTerminal:
		return unless(len(c.Running()) > 0, "no command is running")
	case config.ActionAddOutput:
		return unless(t.commands.Last() != nil, "run a command with ! first")
	}
	return ""
}

// unless returns why if not ok.
func unless(ok bool, why string) string {
	if ok {
		return ""
	}
	return why
}

func (t actions) noItems() string {
	return unless(t.conv != nil && len(t.conv.Items) > 0, emptyTranscript)
}

// noReview says why the session has no review of changes.
func (t actions) noReview() string {
	if t.stored.readOnly != "" {
		return "no review: this session is read-only"
	}
	return "Undo is off: journal = false in the configuration"
}

func (t actions) noSignIn() string {
	return unless(t.session != nil && len(t.conv.Agent.AuthMethods) > 0, "the agent offers no sign-in method")
}

func (t actions) noSignOut() string {
	c := t.conv
	return unless(t.session != nil && c.Agent.Capabilities.Auth.Logout != nil, "the agent offers no sign-out")
}

func (t actions) noUsage() string {
	return unless(t.usage() != "", "the agent has reported no usage")
}

// usage returns context use and cost in words, or "".
func (t actions) usage() string {
	c := t.conv
	if c == nil || c.Usage == nil {
		return ""
	}
	var words []string
	for _, p := range usageParts(c.Usage, t.program.Theme) {
		words = append(words, ansi.Strip(p.text))
	}
	return strings.Join(words, ", ")
}

// showUsage says how much of the context is used, and what the session costs.
func (t actions) showUsage() tea.Cmd {
	if why := t.noUsage(); why != "" {
		return t.say(why)
	}
	return t.say("used: " + t.usage())
}

// showSignIn shows the agent's sign-in methods.
func (t actions) showSignIn() tea.Cmd {
	if why := t.noSignIn(); why != "" {
		return t.say(why)
	}
	t.signIn.Ask(conversation.AuthRequired{})
	return nil
}

// editConfig opens the configuration file, and makes it if there is none.
func (t actions) editConfig() tea.Cmd {
	path := config.ConfigFile()
	return inBackground(func() then {
		err := config.MakeFile(path)
		return func() tea.Cmd {
			if err != nil {
				return t.say(err.Error())
			}
			return t.edit(path, 0)
		}
	})
}

// keysNow returns the actions that matter most now and have a key.
func (t actions) keysNow() []config.Action {
	const most = 9
	var now []config.Action
	for _, a := range []config.Action{
		config.ActionCancel, config.ActionSendNow, config.ActionQueue, config.ActionTerminal, config.ActionSend, config.ActionNewline,
		config.ActionPalette, config.ActionNextMode, config.ActionChanges, config.ActionFocusTranscript, config.ActionModel,
		config.ActionSessions, config.ActionNewSession, config.ActionOptions, config.ActionHistorySearch, config.ActionEditor, config.ActionQuit,
	} {
		if len(now) < most && len(t.program.Keys.For(a)) > 0 && t.unavailable(config.ActionInfo{Action: a, Context: config.ContextPrompt}) == "" {
			now = append(now, a)
		}
	}
	return now
}

// run performs an action; the empty action does nothing.
func (t actions) run(a config.Action) tea.Cmd {
	if a != config.ActionInterrupt {
		t.lifecycle.Acted()
	}
	if cmd, other := t.inReplay(a); !other {
		return cmd
	}
	if a != config.ActionCancel {
		t.queue.Acted()
	}
	switch a {
	case config.ActionNextMode:
		return nextMode(t.Tab)
	case config.ActionMode:
		return categoryList(t.Tab, noModes, acpclient.CategoryMode)
	case config.ActionModel:
		return categoryList(t.Tab, noModels, acpclient.CategoryModel, acpclient.CategoryModelConfig)
	case config.ActionThoughtLevel:
		return categoryList(t.Tab, noThoughtLevels, acpclient.CategoryThoughtLevel)
	case config.ActionOptions:
		if t.conv != nil && t.conv.Phase == conversation.PhaseReady {
			t.dialogs.Push(dialog.NewOptions(t.env(), t.conv))
		}
	case config.ActionChanges:
		return t.showChanges()
	case config.ActionInspector:
		return t.inspect()
	case config.ActionPalette:
		openPalette(t.Tab, t.otherItems(), t.runChosen, t.unavailable)
	case config.ActionHelp:
		t.dialogs.Push(pages.NewHelp(t.env(), t.keysNow()...))
	case config.ActionGuide:
		t.dialogs.Push(pages.NewGuide(t.env(), "Guide", docs.Guide()))
	case config.ActionNews:
		t.news = false
		t.dialogs.Push(pages.NewGuide(t.env(), "What is new", t.program.Changes))
	case config.ActionCancel:
		return t.lifecycle.Cancel()
	case config.ActionInterrupt:
		return t.lifecycle.Interrupt()
	case config.ActionQuit:
		return t.lifecycle.Leave()
	case config.ActionSuspend:
		return send(Suspend{})
	case config.ActionFocusTranscript:
		if t.list != nil && len(t.conv.Items) > 0 {
			t.list.Focus(true)
		}
	case config.ActionFind, config.ActionPageUp, config.ActionPageDown, config.ActionLineUp, config.ActionLineDown,
		config.ActionScrollTop, config.ActionScrollBottom:
		if t.reader != nil {
			t.reader.Do(a)
		}
	case config.ActionLendMouse:
		t.lendMouse()
	default:
		return t.runOnPrompt(a)
	}
	return nil
}

// runOnPrompt performs the actions of the prompt, the queue and shell commands.
func (t actions) runOnPrompt(a config.Action) tea.Cmd {
	switch a {
	case config.ActionSend:
		return t.queue.SendNothing()
	case config.ActionSendNow:
		return t.queue.SendNow()
	case config.ActionQueue:
		return t.queue.Show()
	case config.ActionHistoryPrev:
		return t.queue.Recall()
	case config.ActionPasteImage:
		return t.images.pasteImage()
	case config.ActionAddOutput:
		return t.commands.AddOutput(t.commands.Last())
	case config.ActionTerminal:
		return t.commands.StepIntoRunning()
	}
	return t.runAmongTabs(a)
}

// runAmongTabs performs the actions of sessions and tabs.
func (t actions) runAmongTabs(a config.Action) tea.Cmd {
	switch a {
	case config.ActionSessions:
		return openSessionList(t.Tab)
	case config.ActionQuestions:
		return openQuestionList(t.Tab)
	case config.ActionNewSession:
		return t.newSession()
	case config.ActionNewAgent:
		return t.starter.chooseAnother()
	case config.ActionNextTab:
		t.program.Tabs.Step(1)
	case config.ActionPrevTab:
		t.program.Tabs.Step(-1)
	case config.ActionRenameTab:
		t.renameTab()
	case config.ActionCloseTab:
		return t.lifecycle.Close()
	case config.ActionStartAgain:
		switch {
		case t.stored.untrusted != nil && !t.dialogs.Asks():
			t.starter.askToTrustAgent()
			return nil
		case t.stored.readOnly != "":
			return t.say(t.stored.readOnly)
		}
		return t.lifecycle.StartAgain()
	case config.ActionExport:
		return t.exporter().choose()
	}
	return nil
}

// composerActive reports whether the prompt has, or will soon have, a recipient.
func (t actions) composerActive() bool {
	return t.replay == nil && t.session != nil || t.starting != nil || t.reopening != nil
}

// slashCommand is one of parley's own slash commands. The agent's command of the same name
// takes precedence.
type slashCommand struct {
	name  string
	about string
	run   func(t actions, argument string) tea.Cmd
	// others are names that other clients have for it. They are offered once typed.
	others []string
}

func slashCommands() []slashCommand {
	calls := func(f func(actions) tea.Cmd) func(actions, string) tea.Cmd {
		return func(t actions, _ string) tea.Cmd { return f(t) }
	}
	does := func(a config.Action) func(actions, string) tea.Cmd {
		return calls(func(t actions) tea.Cmd { return t.run(a) })
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
		{"usage", "Show usage and cost", calls(actions.showUsage), []string{"cost", "context", "stats"}},
		{"rules", "Show and remove rules", calls(actions.showRules), []string{"permissions", "approvals"}},
		{"login", "Sign in to the agent", calls(actions.showSignIn), []string{"signin", "auth"}},
		{"logout", "Sign out of the agent", calls(actions.signOut), []string{"signout"}},
		{"theme", "Choose the theme", calls(actions.chooseTheme), []string{"themes"}},
		{"config", "Edit the configuration file", calls(actions.editConfig), []string{"vim", "mcp", "sandbox", "keys"}},
		{"help", "List the keys", does(config.ActionHelp), []string{"commands"}},
		{"rename", "Rename tab", actions.renameTo, []string{"title"}},
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
func (t actions) runSlashCommand(name, argument string) tea.Cmd {
	all := slashCommands()
	at := slices.IndexFunc(all, func(c slashCommand) bool { return c.name == name || slices.Contains(c.others, name) })
	if at < 0 {
		return nil
	}
	before := t.dialogs.Top()
	cmd := all[at].run(t, argument)
	if list, is := t.dialogs.Top().(*dialog.Selector); is && dialog.Dialog(list) != before && argument != "" {
		list.Paste(argument)
	}
	return cmd
}

// askUnknownCommand asks what to do with a prompt that looks like a slash command which
// neither the agent nor parley has.
func (t actions) askUnknownCommand(name string, p composer.Prompt) {
	edit := func() { t.composer.Restore(p) }
	t.choose(dialog.List{
		Title: "Unknown command /" + name, About: "Neither the agent nor parley has this command.", Left: edit,
		Items: []dialog.Item{
			{ID: "edit", Title: "Edit it", Do: dialog.Do(func() tea.Cmd { edit(); return nil })},
			{ID: "send", Title: "Send it to the agent as a prompt", Do: dialog.Do(func() tea.Cmd { return t.queue.Submit(p) })},
		},
	})
}

func (t actions) showRules() tea.Cmd {
	rules := t.rules()
	if rules == nil {
		return t.say(noAgent)
	}
	return rules.Show()
}

func (t actions) signOut() tea.Cmd {
	if why := t.noSignOut(); why != "" {
		return t.say(why)
	}
	return t.signIn.Out(t.program.Context)
}

func (t actions) chooseTheme() tea.Cmd { return chooseTheme(t.Tab, t.program.ThemeSwitcher) }

// runChosen performs an action chosen in the palette.
func (t actions) runChosen(a config.ActionInfo) tea.Cmd {
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
	return t.run(a.Action)
}

// otherItems returns the palette items without a key.
func (t actions) otherItems() []dialog.Item {
	do := func(id, title, words, why string, do func() tea.Cmd) dialog.Item {
		return withReason(dialog.Item{ID: id, Title: title, Words: words, Do: dialog.Do(do)}, why, t.say)
	}
	needsSession, noRules := unless(t.session != nil, noAgent), unless(t.rules() != nil, noAgent)
	noFork := unless(t.session != nil && t.conv.Agent.Capabilities.SessionCapabilities.Fork != nil, "this agent cannot fork sessions")
	items := []dialog.Item{
		do("config", "Edit the configuration file", "settings preferences vim mcp servers sandbox keys notifications", "", t.editConfig),
		do("theme", "Choose the theme", "colours colors dark light appearance", "", t.chooseTheme),
		do("usage", "Show usage and cost", "usage context tokens money price budget", t.noUsage(), t.showUsage),
		do("files", "Show the files the agent wrote", "edits diff changes", needsSession, func() tea.Cmd { return fileList(t.Tab) }),
		do("shell", "Open your shell", "terminal bash console command !", needsSession, func() tea.Cmd { return t.commands.Run("") }),
		do("rules", "Show and remove rules", "permissions approve approval allow deny trust", noRules, t.showRules),
		do("fork", "Fork this session", "branch copy duplicate", noFork, func() tea.Cmd { return t.sayIf(t.session.Fork()) }),
		do("login", "Sign in to the agent", "login log in account auth authenticate", t.noSignIn(), t.showSignIn),
		do("logout", "Sign out of the agent", "logout log out account auth", t.noSignOut(), t.signOut),
	}
	if t.session != nil {
		items = append(items, t.pieceItems()...)
		items = append(items, t.worktree.Items()...)
	}
	for i := range items {
		items[i].Group = "more"
	}
	return append(items, t.commandItems()...)
}

// commandItems returns the palette items of the agent's slash commands. One that takes
// input is put into the prompt.
func (t actions) commandItems() []dialog.Item {
	if t.session == nil {
		return nil
	}
	var items []dialog.Item
	for _, c := range t.conv.Commands {
		items = append(items, dialog.Item{
			ID: "command " + c.Name, Title: "/" + c.Name, Detail: c.Description, Group: "commands of the agent",
			Do: dialog.Do(func() tea.Cmd {
				if c.Input == nil {
					return t.queue.Submit(composer.NewPrompt("/" + c.Name))
				}
				keep := t.composer.Keep(t.composer.Text())
				t.composer.SetText("/" + c.Name + " ")
				return keep
			}),
		})
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
	items := recentFirst(t.program.Recent, append(t.actions.actionItems(run, why), more...))
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

// actionItems returns the items of all actions in the palette.
func (t actions) actionItems(run func(config.ActionInfo) tea.Cmd, why func(config.ActionInfo) string) []dialog.Item {
	var items []dialog.Item
	for _, a := range config.Actions() {
		if absent[a.Action] != "" {
			continue
		}
		item := dialog.Item{
			ID: string(a.Action), Title: a.Help, Words: a.Words, Do: dialog.Do(func() tea.Cmd { return run(a) }),
		}
		if keys := t.program.Keys.For(a.Action); len(keys) > 0 {
			item.Key = keys[0]
			item.Words += " " + strings.Join(keys, " ")
		}
		if a.Context == config.ContextTranscript {
			item.Group = "the marked item"
		}
		items = append(items, withReason(item, why(a), t.say))
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

// pieceItems returns the palette items that cancel single calls.
func (t actions) pieceItems() []dialog.Item {
	var items []dialog.Item
	for i, p := range t.conv.Operations() {
		items = append(items, dialog.Item{
			ID: fmt.Sprintf("cancel-%d", i), Title: "cancel only: " + toolview.Title(p.Call, termtext.Line),
			Do: dialog.Do(func() tea.Cmd { return t.cancelOperation(p) }),
		})
	}
	return items
}

// cancelOperation asks the agent to cancel one operation. The transcript shows the
// outcome.
func (t actions) cancelOperation(p conversation.Operation) tea.Cmd {
	ctx, s := t.program.Context, t.session
	asked := conversation.Operation{Call: &conversation.ToolCall{ID: p.Call.ID}, Terminal: p.Terminal}
	return func() tea.Msg {
		if err := s.CancelOperation(ctx, asked); err != nil {
			s.AddNotice(acpclient.NoticeWarning, "The agent did not cancel the call", err.Error())
		}
		return nil
	}
}
