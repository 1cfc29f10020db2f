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
	"parley/internal/app/command"
	"parley/internal/conversation"
	"parley/internal/session"
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
	noUsage         = "the agent has reported no usage"
	noThoughtLevels = "this agent offers no thought levels"
	nothingToSend   = "nothing to send"
	notOpen         = "the session is not open"
	oneTab          = "there is only one tab"
)

// behaviour is what the tab makes of an action of the prompt, beside its words and keys in
// the configuration.
type behaviour struct {
	in availability
	// live does it on the session; do does it in the states without one, or in all if live
	// is nil.
	do   func(*Tab) tea.Cmd
	live func(*live) tea.Cmd
	// read does it on the transcript instead, once that has items.
	read func(reading)
	// with does it with the argument of the slash command; nil filters the list that do
	// opens, if any.
	with func(t *Tab, argument string) tea.Cmd
	// why, and unready of the session, says why it cannot be done now in a state in which it
	// is available, or returns "". Nil means that it always can.
	why     func(*Tab) string
	unready func(*live) string
	// beside means that it can be done while a question is open and the prompt is empty.
	beside bool
	// waits means that it is done once the session is open, while that is being opened.
	waits bool
	// absent is why the palette does not list it, "" if it does.
	absent string
}

// availability is the states of the tab in which there is an action.
type availability uint8

const (
	unlessReplaying availability = iota
	inSession                    // in live only
	withPrompt                   // in starting and live
	inAll
)

// refusal says why the action cannot be done now, or returns "".
func (b behaviour) refusal(t *Tab) string {
	if b.waits && t.state.opens() {
		return ""
	}
	if why := t.state.refusal(b.in); why != "" {
		return why
	}
	if b.read != nil {
		return noItems(t.state)
	}
	if l, open := t.live(); open && b.unready != nil {
		return b.unready(l)
	}
	if b.why != nil {
		return b.why(t)
	}
	return ""
}

// run does the action.
func (b behaviour) run(t *Tab) tea.Cmd {
	if l, open := t.live(); open && b.live != nil {
		return b.live(l)
	}
	if r, ok := t.state.transcript(); ok && b.read != nil {
		b.read(r)
	}
	if b.do != nil {
		return b.do(t)
	}
	return nil
}

// behaviours has a row for each action of the prompt.
var behaviours map[config.Action]behaviour

func init() {
	const (
		step   = "it is one step of many: a list that closes behind each is no way to make them"
		prompt = "it is about the key itself, which writes or ends the prompt"
	)
	always := func(do func(*Tab)) func(*Tab) tea.Cmd {
		return func(t *Tab) tea.Cmd { do(t); return nil }
	}
	offers := func(none string, of ...acpclient.ConfigCategory) func(*live) string {
		return func(l *live) string {
			return unless(slices.ContainsFunc(of, func(c acpclient.ConfigCategory) bool { return l.conv.OptionByCategory(c) != nil }), none)
		}
	}
	category := func(none string, of ...acpclient.ConfigCategory) behaviour {
		return behaviour{in: inSession, live: func(l *live) tea.Cmd { return categoryList(l, none, of...) }, unready: offers(none, of...), beside: true, waits: true}
	}
	scrolls := func(a config.Action, absent string) behaviour {
		return behaviour{beside: true, in: inAll, absent: absent, read: func(r reading) { r.reader.Do(a) }}
	}
	composes := func(a config.Action, absent string) behaviour {
		return behaviour{
			in: withPrompt, absent: absent,
			do: func(t *Tab) tea.Cmd {
				_, cmd := t.composer.Do(a)
				return cmd
			},
		}
	}
	severalTabs := func(t *Tab) string { return unless(!t.program.Tabs.Alone(), oneTab) }

	behaviours = map[config.Action]behaviour{
		command.Send: {
			live:   func(l *live) tea.Cmd { return l.queue.SendNothing() },
			do:     func(t *Tab) tea.Cmd { return t.say(nothingToSend) },
			absent: prompt,
		},
		command.Newline:       composes(command.Newline, prompt),
		command.Editor:        composes(command.Editor, ""),
		command.HistorySearch: composes(command.HistorySearch, ""),
		command.HistoryNext:   composes(command.HistoryNext, step),
		command.HistoryPrev:   {live: func(l *live) tea.Cmd { return l.queue.Recall() }, absent: step},
		command.PasteImage: {
			in: withPrompt, do: func(t *Tab) tea.Cmd { return t.prompt.pasteImage() },
		},
		command.Queue: {
			in: inSession, live: func(l *live) tea.Cmd { return l.queue.Show() },
			unready: func(l *live) string { return unless(l.queue.Queued() > 0, "the queue is empty") },
		},
		command.SendNow: {
			in: inSession, live: func(l *live) tea.Cmd { return l.queue.SendNow() },
			unready: func(l *live) string {
				return unless(l.queue.Queued() > 0 || !l.tab.composer.Empty(), nothingToSend)
			},
		},
		command.Cancel: {
			in: inSession, live: func(l *live) tea.Cmd { return l.lifecycle.Cancel() }, do: cancelNothing,
			unready: func(l *live) string { return unless(l.conv.Turn.Running || l.conv.Starts(), "no turn is running") },
		},
		command.Interrupt: {
			in: inAll, do: func(t *Tab) tea.Cmd { return t.leaving.Interrupt() }, beside: true, absent: "cancel and quit are listed by themselves",
		},
		command.Quit:    {in: inAll, do: func(t *Tab) tea.Cmd { return t.leaving.Leave() }},
		command.Suspend: {in: inAll, do: (*Tab).suspend, beside: true},
		command.Detach: {
			in: inSession, live: func(l *live) tea.Cmd { return l.tab.detach() }, unready: (*live).notKept, beside: true,
		},
		command.Keep: {in: inSession, live: (*live).keep, unready: (*live).cannotKeep},
		command.EndSession: {
			in: inSession, live: (*live).askToEnd, unready: (*live).notKept,
		},

		command.NextMode: {
			in: inSession, live: nextMode, beside: true, unready: offers(noModes, acpclient.CategoryMode), waits: true,
		},
		command.Mode:         category(noModes, acpclient.CategoryMode),
		command.Model:        category(noModels, acpclient.CategoryModel, acpclient.CategoryModelConfig),
		command.ThoughtLevel: category(noThoughtLevels, acpclient.CategoryThoughtLevel),
		command.Options: {
			in: inSession, live: func(l *live) tea.Cmd { l.tab.dialogs.Push(dialog.NewOptions(l.tab.env(), l.conv)); return nil },
			unready: func(l *live) string {
				return unless(l.conv.Phase == conversation.PhaseReady, notOpen)
			},
			beside: true, waits: true,
		},

		command.FocusTranscript: {
			read: func(r reading) { r.list.Focus(true) }, beside: true, in: inAll,
		},
		command.Find:         scrolls(command.Find, ""),
		command.ScrollTop:    scrolls(command.ScrollTop, ""),
		command.ScrollBottom: scrolls(command.ScrollBottom, ""),
		command.PageUp:       scrolls(command.PageUp, step),
		command.PageDown:     scrolls(command.PageDown, step),
		command.LineUp:       scrolls(command.LineUp, step),
		command.LineDown:     scrolls(command.LineDown, step),
		command.LendMouse:    {do: always(func(t *Tab) { t.input.lendMouse() }), beside: true, in: inAll},

		command.Changes: {
			in: inSession, live: (*live).showChanges,
			unready: func(l *live) string { return unless(l.Session.Journal() != nil, l.noReview()) },
		},
		command.Rewind: {in: inSession, live: (*live).listPrompts, unready: (*live).noRewind},
		command.Files:  {in: inSession, live: fileList},
		command.Terminal: {
			in: inSession, live: func(l *live) tea.Cmd { return l.commands.StepIntoRunning() }, beside: true,
			unready: func(l *live) string { return unless(len(l.conv.Running()) > 0, "no command is running") },
		},
		command.Background: {
			in: inSession, live: openBackground, beside: true,
			unready: func(l *live) string { return unless(len(l.conv.Background()) > 0, nothingInBackground) },
		},
		command.AddOutput: {
			in: inSession, live: func(l *live) tea.Cmd { return l.commands.AddOutput(l.commands.Last()) },
			unready: func(l *live) string { return unless(l.commands.Last() != nil, "run a command with ! first") },
		},
		command.Shell:     {in: inSession, live: func(l *live) tea.Cmd { return l.commands.Run("") }},
		command.Inspector: {in: inSession, live: (*live).inspect, beside: true},
		command.Rules: {
			in: inSession, live: func(l *live) tea.Cmd { return l.rules().Show() },
			unready: func(l *live) string { return unless(l.rules() != nil, noAgent) },
		},
		command.Usage: {
			live:    func(l *live) tea.Cmd { return l.tab.say("used: " + l.usage()) },
			unready: func(l *live) string { return unless(l.usage() != "", noUsage) },
			why:     func(*Tab) string { return noUsage },
		},
		command.SignIn: {
			in: inSession, live: func(l *live) tea.Cmd { l.signIn.Ask(l.SignIn(conversation.AuthRequired{})); return nil },
			unready: func(l *live) string {
				return unless(len(l.conv.Agent.AuthMethods) > 0, "the agent offers no sign-in method")
			},
		},
		command.SignOut: {
			in: inSession, live: func(l *live) tea.Cmd { return l.signIn.Out(l.tab.program.Context) },
			unready: func(l *live) string {
				return unless(l.conv.Agent.Capabilities.Auth.Logout != nil, "the agent offers no sign-out")
			},
		},

		command.Sessions:   {do: func(t *Tab) tea.Cmd { return openSessionList(t) }},
		command.Questions:  {do: func(t *Tab) tea.Cmd { return openQuestionList(t) }},
		command.NewSession: {in: inSession, live: (*live).newSession},
		command.NewAgent:   {in: inSession, live: (*live).chooseAnother},
		command.NextTab:    {do: always(func(t *Tab) { t.program.Tabs.Step(1) }), why: severalTabs},
		command.PrevTab:    {do: always(func(t *Tab) { t.program.Tabs.Step(-1) }), why: severalTabs},
		command.Tab: {
			do:     always(func(*Tab) {}), // the key names the tab: see tabKey
			absent: "it is the number of the tab: next and previous tab are listed",
		},
		command.RenameTab:  {do: always((*Tab).renameTab), with: func(t *Tab, name string) tea.Cmd { return t.setName(name) }},
		command.CloseTab:   {do: func(t *Tab) tea.Cmd { return t.leaving.Close() }},
		command.StartAgain: {in: inSession, live: func(l *live) tea.Cmd { return l.lifecycle.StartAgain() }, beside: true},
		command.Export:     {read: func(r reading) { r.export() }},
		command.Fork: {
			in: inSession, live: (*live).forkAll,
			unready: func(l *live) string {
				return unless(l.conv.Agent.Capabilities.SessionCapabilities.Fork != nil, "this agent cannot fork sessions")
			},
		},

		command.Palette: {
			live: func(l *live) tea.Cmd { showPalette(l.tab, l.otherItems()); return nil },
			do:   always(func(t *Tab) { showPalette(t, nil) }), beside: true,
			absent: "it opens the palette",
		},
		command.Help: {
			do: always(func(t *Tab) { t.dialogs.Push(pages.NewHelp(t.env(), keysNow(t)...)) }), beside: true, in: inAll,
		},
		command.Guide: {
			do:     always(func(t *Tab) { t.dialogs.Push(pages.NewGuide(t.env(), "Guide", docs.Guide())) }),
			beside: true, in: inAll,
		},
		command.News: {do: always(func(t *Tab) {
			t.news = false
			t.dialogs.Push(pages.NewGuide(t.env(), "What is new", t.program.Changes))
		})},
		command.Theme:      {do: func(t *Tab) tea.Cmd { return chooseTheme(t, t.program.ThemeSwitcher) }},
		command.EditConfig: {do: (*Tab).editConfig},
	}
}

// unavailable says why an action cannot be done now, or returns "".
func unavailable(t *Tab, a config.ActionInfo) string {
	if a.Context == config.ContextTranscript {
		return noItems(t.state)
	}
	return behaviours[a.Action].refusal(t)
}

// unless returns why if not ok.
func unless(ok bool, why string) string {
	if ok {
		return ""
	}
	return why
}

func noItems(s state) string { return unless(!s.empty(), emptyTranscript) }

// noReview says why the session has no review of changes.
func (l *live) noReview() string {
	if l.tab.stored.readOnly != "" {
		return "no review: this session is read-only"
	}
	return "Undo is off: journal = false in the configuration"
}

// usage returns context use and cost in words, or "".
func (l *live) usage() string {
	if l.conv.Usage == nil {
		return ""
	}
	var words []string
	for _, p := range usageParts(l.conv.Usage, l.tab.program.Theme) {
		words = append(words, ansi.Strip(p.text))
	}
	return strings.Join(words, ", ")
}

// editConfig opens the configuration file, and makes it if there is none.
func (t *Tab) editConfig() tea.Cmd {
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
func keysNow(t *Tab) []config.Action {
	const most = 9
	var now []config.Action
	for _, a := range []config.Action{
		command.Cancel, command.SendNow, command.Queue, command.Terminal, command.Send, command.Newline,
		command.Palette, command.NextMode, command.Changes, command.FocusTranscript, command.Model,
		command.Sessions, command.NewSession, command.Options, command.HistorySearch, command.Editor, command.Quit,
	} {
		if len(now) < most && len(t.program.Keys.For(a)) > 0 && unavailable(t, config.ActionInfo{Action: a, Context: config.ContextPrompt}) == "" {
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
	}
	b := behaviours[a]
	why := b.refusal(t)
	if a == command.Cancel { // whose key has other uses when no turn runs
		why = ""
	}
	switch {
	case a != "" && why != "":
		return t.say(why)
	case b.waits && t.state.opens():
		t.awaited.set(a, "")
		return nil
	}
	return b.run(t)
}

// cancelNothing handles the key that cancels, without a session.
func cancelNothing(t *Tab) tea.Cmd {
	if t.replays() {
		return t.say(t.keyOf(command.ReplayQuit) + " closes the replay")
	}
	return t.say(notOpen)
}

// composerCommands returns parley's own slash commands. The agent's command of the same
// name takes precedence.
func composerCommands() []composer.OwnCommand {
	var list, others []composer.OwnCommand
	for _, a := range config.Actions() {
		for i, name := range a.Slash {
			if c := (composer.OwnCommand{Name: name, About: a.Help, Alias: i > 0}); c.Alias {
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
	all := config.Actions()
	at := slices.IndexFunc(all, func(a config.ActionInfo) bool { return slices.Contains(a.Slash, name) })
	if at < 0 {
		return nil
	}
	named := all[at].Action
	if with := behaviours[named].with; with != nil && argument != "" {
		return with(t, argument)
	}
	if behaviours[named].waits && t.state.opens() {
		t.awaited.set(named, argument)
		return nil
	}
	return t.runWith(named, argument)
}

// runWith performs an action and filters the list that it opens, if any.
func (t *Tab) runWith(a config.Action, argument string) tea.Cmd {
	before := t.dialogs.Top()
	cmd := t.run(a)
	if list, is := t.dialogs.Top().(*dialog.Selector); is && dialog.Dialog(list) != before && argument != "" {
		list.Paste(argument)
	}
	return cmd
}

// showPalette opens the palette with more items.
func showPalette(t *Tab, more []dialog.Item) {
	run := func(a config.ActionInfo) tea.Cmd {
		if a.Context != config.ContextTranscript {
			return t.run(a.Action)
		}
		if r, ok := t.state.transcript(); ok && !r.empty() {
			return r.reader.Chosen(a.Action)
		}
		return t.say(emptyTranscript)
	}
	openPalette(t, more, run, func(a config.ActionInfo) string { return unavailable(t, a) })
}

// otherItems returns the palette items that are no actions.
func (l *live) otherItems() []dialog.Item {
	items := slices.Concat(l.pieceItems(), l.rewindItems(), l.tab.worktree.Items())
	for i := range items {
		items[i].Group = "more"
	}
	return append(items, l.commandItems()...)
}

// commandItems returns the palette items of the agent's slash commands. One that takes
// input is put into the prompt.
func (l *live) commandItems() []dialog.Item {
	t := l.tab
	var items []dialog.Item
	for _, c := range l.conv.Commands {
		items = append(items, dialog.Item{
			ID: "command " + c.Name, Title: "/" + c.Name, Detail: c.Description, Group: "commands of the agent",
			Do: dialog.Do(func() tea.Cmd {
				if c.Input == nil {
					return t.prompts.Submit(composer.NewPrompt("/" + c.Name))
				}
				keep := t.composer.Keep(t.composer.Text())
				t.composer.SetText("/" + c.Name + " ")
				return keep
			}),
		})
	}
	for _, p := range l.templates {
		if slices.Contains(l.hidden, p.Name) {
			continue
		}
		items = append(items, dialog.Item{
			ID: "prompt " + p.Name, Title: "/" + p.Name, Detail: p.About, Group: "your prompts", Words: "template snippet",
			Do: dialog.Do(func() tea.Cmd {
				keep := t.composer.Keep(t.composer.Text())
				t.composer.SetText("/" + p.Name + " ")
				return keep
			}),
		})
	}
	return items
}

// absent returns why the palette does not list an action, or "".
func absent(a config.ActionInfo) string {
	switch a.Context {
	case config.ContextPrompt:
		return behaviours[a.Action].absent
	case config.ContextTranscript:
		switch a.Action {
		case command.Next, command.Previous, command.HalfUp, command.HalfDown, command.FindNext, command.FindPrev:
			return "it is one step of many: a list that closes behind each is no way to make them"
		case command.Search:
			return "find is listed"
		case command.FocusPrompt:
			return "closing the palette does it"
		}
		return ""
	case config.ContextTerminal:
		return "it has a meaning only where all other keys go to the command"
	case config.ContextReplay:
		return "it steers a recording while that is played: there is no time to look for it in a list"
	case config.ContextDialog:
		return "it answers or moves in the dialog that is open: the palette would be one above it"
	}
	return "it is about the line or file that is marked in a view, which the palette opens"
}

// openPalette lists all actions, which run performs, and more items, most recently used
// first. why says why an action cannot be done now, or returns "".
func openPalette(t *Tab, more []dialog.Item, run func(config.ActionInfo) tea.Cmd, why func(config.ActionInfo) string) {
	items := actionItems(t.program.Keys, run, why, t.say)
	if t.chooses() { // little can be done yet
		slices.SortStableFunc(items, func(a, b dialog.Item) int {
			switch {
			case a.Dim == b.Dim:
				return 0
			case b.Dim:
				return -1
			}
			return 1
		})
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

// actionItems returns the items of all actions in the palette.
func actionItems(keys config.Keys, run func(config.ActionInfo) tea.Cmd, why func(config.ActionInfo) string, say func(string) tea.Cmd) []dialog.Item {
	var items []dialog.Item
	for _, a := range config.Actions() {
		if absent(a) != "" {
			continue
		}
		item := dialog.Item{
			ID: string(a.Action), Title: a.Help, Words: a.Words, Do: dialog.Do(func() tea.Cmd { return run(a) }),
		}
		if keys := keys.For(a.Action); len(keys) > 0 {
			item.Key = keys[0]
			item.Words += " " + strings.Join(keys, " ")
		}
		if a.Context == config.ContextTranscript {
			item.Group = "the marked item"
		}
		items = append(items, withReason(item, why(a), say))
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
func (l *live) pieceItems() []dialog.Item {
	var items []dialog.Item
	for i, p := range l.conv.Operations() {
		items = append(items, dialog.Item{
			ID: fmt.Sprintf("cancel-%d", i), Title: "cancel only: " + toolview.Title(p.Call, termtext.Line),
			Do: dialog.Do(func() tea.Cmd { return l.cancelOperation(p) }),
		})
	}
	return items
}

// cancelOperation asks the agent to cancel one operation. The transcript shows the
// outcome.
func (l *live) cancelOperation(p conversation.Operation) tea.Cmd {
	ctx, s := l.tab.program.Context, l.Session
	cancel := session.CancelOf(p)
	return func() tea.Msg {
		if err := session.Try(ctx, s, cancel); err != nil {
			session.Post(s, session.AddNotice{Severity: acpclient.NoticeWarning, Title: "The agent did not cancel the call", Detail: err.Error()})
		}
		return nil
	}
}
