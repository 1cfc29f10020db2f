package tab

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
)

const (
	noAgent         = "start an agent first"
	emptyTranscript = "the transcript is empty"
)

// unavailable says why an action cannot be done now, or returns "".
func (ac *actions) unavailable(a config.ActionInfo) string {
	t, c := ac.tab, ac.tab.conv
	if a.Context == config.ContextTranscript {
		return ac.noItems()
	}
	switch a.Action {
	case config.ActionPalette, config.ActionHelp, config.ActionGuide, config.ActionNews, config.ActionQuit, config.ActionSuspend,
		config.ActionSessions, config.ActionNewAgent, config.ActionRenameTab, config.ActionCloseTab, config.ActionLendMouse:
		return ""
	case config.ActionNextTab, config.ActionPrevTab:
		return unless(!t.tabs().Alone(), "there is only one tab")
	case config.ActionEditor, config.ActionHistorySearch, config.ActionPasteImage:
		return unless(t.composerActive(), noAgent)
	case config.ActionFocusTranscript, config.ActionFind, config.ActionScrollTop, config.ActionScrollBottom, config.ActionExport:
		return ac.noItems()
	}
	if t.session == nil {
		return noAgent
	}
	switch a.Action {
	case config.ActionNextMode, config.ActionMode:
		return unless(c.OptionByCategory(acpclient.CategoryMode) != nil, "this agent has no modes")
	case config.ActionModel:
		return unless(c.OptionByCategory(acpclient.CategoryModel) != nil || c.OptionByCategory(acpclient.CategoryModelConfig) != nil, "this agent offers no models")
	case config.ActionThoughtLevel:
		return unless(c.OptionByCategory(acpclient.CategoryThoughtLevel) != nil, "this agent offers no thought levels")
	case config.ActionOptions:
		return unless(c.Phase == conversation.PhaseReady, "the session is not open")
	case config.ActionChanges:
		return unless(t.session.Options().Journal != nil, ac.noReview())
	case config.ActionCancel:
		return unless(c.Turn.Running || c.Starts(), "no turn is running")
	case config.ActionQueue:
		return unless(t.queue.Queued() > 0, "the queue is empty")
	case config.ActionSendNow:
		return unless(t.queue.Queued() > 0 || !t.composer.Empty(), "nothing to send")
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

func (ac *actions) noItems() string {
	return unless(ac.tab.conv != nil && len(ac.tab.conv.Items) > 0, emptyTranscript)
}

func (ac *actions) needsSession() string { return unless(ac.tab.session != nil, noAgent) }

// noReview says why a session has no review of changes.
func (ac *actions) noReview() string {
	if ac.tab.stored.readOnly != "" {
		return "no review: this session is read-only"
	}
	return "Undo is off: journal = false in the configuration"
}

func (ac *actions) noRules() string { return unless(ac.tab.rules() != nil, noAgent) }

func (ac *actions) noFork() string {
	c := ac.tab.conv
	return unless(ac.tab.session != nil && c.Agent.Capabilities.SessionCapabilities.Fork != nil, "this agent cannot fork sessions")
}

func (ac *actions) noSignIn() string {
	return unless(ac.tab.session != nil && len(ac.tab.conv.Agent.AuthMethods) > 0, "the agent offers no sign-in method")
}

func (ac *actions) noSignOut() string {
	c := ac.tab.conv
	return unless(ac.tab.session != nil && c.Agent.Capabilities.Auth.Logout != nil, "the agent offers no sign-out")
}

func (ac *actions) noUsage() string {
	return unless(ac.usage() != "", "the agent has reported no usage")
}

// usage returns context use and cost in words, or "".
func (ac *actions) usage() string {
	c := ac.tab.conv
	if c == nil || c.Usage == nil {
		return ""
	}
	var words []string
	for _, p := range usageParts(c.Usage, ac.tab.program.Theme) {
		words = append(words, ansi.Strip(p.text))
	}
	return strings.Join(words, ", ")
}

// showUsage says how much of the context is used, and what the session costs.
func (ac *actions) showUsage() tea.Cmd {
	if why := ac.noUsage(); why != "" {
		return ac.tab.say(why)
	}
	return ac.tab.say("context and cost: " + ac.usage())
}

// signIn shows the agent's sign-in methods.
func (ac *actions) signIn() tea.Cmd {
	if why := ac.noSignIn(); why != "" {
		return ac.tab.say(why)
	}
	ac.tab.signIn.Ask(conversation.AuthRequired{})
	return nil
}

// editConfig opens the configuration file, and makes it if there is none.
func (ac *actions) editConfig() tea.Cmd {
	path := config.ConfigFile()
	return inBackground(func() then {
		err := config.MakeFile(path)
		return func() tea.Cmd {
			if err != nil {
				return ac.tab.say(err.Error())
			}
			return ac.edit(path, 0)
		}
	})
}

// keysNow returns the actions that matter most now and have a key.
func (ac *actions) keysNow() []config.Action {
	const most = 9
	var now []config.Action
	for _, a := range []config.Action{
		config.ActionCancel, config.ActionSendNow, config.ActionQueue, config.ActionTerminal, config.ActionSend, config.ActionNewline,
		config.ActionPalette, config.ActionNextMode, config.ActionChanges, config.ActionFocusTranscript, config.ActionModel,
		config.ActionSessions, config.ActionNewSession, config.ActionOptions, config.ActionHistorySearch, config.ActionEditor, config.ActionQuit,
	} {
		if len(now) < most && len(ac.tab.program.Keys.For(a)) > 0 && ac.unavailable(config.ActionInfo{Action: a, Context: config.ContextPrompt}) == "" {
			now = append(now, a)
		}
	}
	return now
}
