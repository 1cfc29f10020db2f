package tab

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/tui/dialog"
)

// Tabs is the row of tabs, as one of its tabs uses it. Changes take effect at once, so
// that the next key goes to the tab then in front. Returned commands are addressed to
// their tabs.
type Tabs interface {
	// Step moves by so many tabs, wrapping around.
	Step(by int)
	// Go shows the tab at an index, if there is one.
	Go(number int)
	// Open opens a tab with an agent, and shows it.
	Open(config.Agent) tea.Cmd
	// Load opens a tab with one of the agent's sessions, and shows it.
	Load(config.Agent, acpclient.SessionInfo) tea.Cmd
	// OpenIn is Open in another directory.
	OpenIn(a config.Agent, cwd string) tea.Cmd
	// Close closes the tab in front.
	Close() tea.Cmd
	// Shared reports whether another tab uses the directory of the tab in front.
	Shared() bool
	// Alone reports whether there is only one tab.
	Alone() bool
	// Questions returns the tabs with open questions, in order.
	Questions() []TabQuestions
	// ShowQuestion goes to a question of a tab, if it is still open.
	ShowQuestion(*Tab, Question)
}

// TabQuestions is a tab with open questions.
type TabQuestions struct {
	Tab       *Tab
	Number    int // from 1
	Title     string
	Questions []Question
}

// singleTab is Tabs for a tab on its own.
type singleTab struct{}

func (singleTab) Step(int)                                         {}
func (singleTab) Go(int)                                           {}
func (singleTab) Open(config.Agent) tea.Cmd                        { return nil }
func (singleTab) OpenIn(config.Agent, string) tea.Cmd              { return nil }
func (singleTab) Load(config.Agent, acpclient.SessionInfo) tea.Cmd { return nil }
func (singleTab) Close() tea.Cmd                                   { return nil }
func (singleTab) Shared() bool                                     { return false }
func (singleTab) Alone() bool                                      { return true }
func (singleTab) Questions() []TabQuestions                        { return nil }
func (singleTab) ShowQuestion(*Tab, Question)                      {}

// State is the state of a tab in the tab line.
type State uint8

// The states of a tab. The last one that applies is shown.
const (
	Idle    State = iota
	Done          // a turn has ended unseen
	Working       // a turn runs, or the agent is starting
	Waiting       // a question is open
	Failed        // a turn or a start failed, unseen
	Lost          // the agent exited
)

// Summary is what the tab line shows of a tab.
type Summary struct {
	State State
	Title string
}

func (t *Tab) Summary() Summary {
	if t.worktree.active() {
		return Summary{t.State(), worktreeMark + t.label()}
	}
	return Summary{t.State(), t.label()}
}

// State returns the tab's state.
func (t *Tab) State() State {
	c := t.conv
	_, foreign := t.dialogs.Top().(*foreignQuestion)
	switch {
	case t.conv.Gone():
		if c.Phase == conversation.PhaseLost {
			return Lost
		}
		return Failed
	case t.info.Unseen() == turnBadly:
		return Failed
	case t.dialogs.Asks() && !foreign:
		return Waiting
	case t.Works(), t.composerActive() && (c == nil || c.Phase != conversation.PhaseReady):
		return Working
	case t.info.Unseen() == turnWell:
		return Done
	}
	return Idle
}

// Works reports whether a turn is running.
func (t *Tab) Works() bool { return t.conv != nil && t.conv.Turn.Running }

// Turns returns how many turns have ended in the tab.
func (t *Tab) Turns() int { return t.info.Turns() }

// label returns the tab's name in the tab line.
func (t *Tab) label() string { return t.info.Label(ownTitle(t), t.agent.Name, t.agent.ID) }

// tabKey handles keys that switch tabs whatever is open, and those that open or close tabs
// while a question is open, so that nobody has to answer first. Keys for a tab's number
// answer a question where they must: while the prompt holds text, a bare number is typed.
func (e *globalKeys) tabKey(name string) (cmd tea.Cmd, taken bool) {
	t := e.tab
	keys, asks := t.program.Keys, t.dialogs.Asks()
	if _, answers := keys.Action(config.ContextDialog, name); asks && answers {
		return nil, false
	}
	switch a, _ := keys.Action(config.ContextPrompt, name); a {
	case config.ActionNextTab, config.ActionPrevTab:
		return t.actions.run(a), true
	case config.ActionTab:
		if asks && (!t.composer.Empty() || t.tabs().Alone()) {
			return nil, false
		}
		t.tabs().Go(slices.Index(keys.For(a), name))
		return nil, true
	case config.ActionQuestions, config.ActionNewSession, config.ActionNewAgent, config.ActionCloseTab, config.ActionRenameTab:
		if asks && !t.reader.Reads() {
			return t.actions.run(a), true
		}
	}
	return nil, false
}

func (t *Tab) tabs() Tabs {
	if t.program.Tabs == nil {
		return singleTab{}
	}
	return t.program.Tabs
}

// newSession starts a session with the same agent and directory in a new tab. An unused
// session counts as new already.
func (ac *actions) newSession() tea.Cmd {
	t := ac.tab
	switch {
	case t.session == nil:
		return nil
	case ac.fresh():
		return t.say("this session is still empty")
	case t.agent.ID == "" || t.stored.untrusted != nil: // unknown, or without consent
		return ac.chooseAnother()
	}
	return ac.openBeside(t.agent)
}

// openBeside opens a session with an agent in a new tab, in this tab's directory. It does
// not reuse the directory if a project belongs to its agent, or if the directory may be
// gone.
func (ac *actions) openBeside(a config.Agent) tea.Cmd {
	t := ac.tab
	if t.program.StartIn == nil || a.OwnProject || t.agent.OwnProject || t.stored.readOnly != "" {
		return t.tabs().Open(a)
	}
	return t.tabs().OpenIn(a, t.cwd)
}

// fresh reports whether nothing was, or is about to be, said in the session.
func (ac *actions) fresh() bool {
	t := ac.tab
	c := t.conv
	return !t.conv.Gone() && len(c.Items) == 0 && len(c.Queue) == 0
}

func (ac *actions) renameTab() {
	t := ac.tab
	t.dialogs.Push(dialog.NewEntry(t.env(), dialog.Entry{
		Title: "Name the tab", Text: t.info.Name(), Hint: t.label(),
		Do: func(name string) tea.Cmd {
			t.info.SetName(name)
			t.info.unsaved, t.stored.title = true, ""
			return saveName(t)
		},
	}))
}

// ownTitle returns the title that the session has without its first prompt, or "".
func ownTitle(t *Tab) string {
	if t.conv == nil {
		return ""
	}
	return cmp.Or(t.stored.title, t.conv.Title)
}

// saveName stores the person's name for the session, once the session is stored.
func saveName(t *Tab) tea.Cmd {
	lib, id, name := t.program.Stored, t.StoredID(), t.info.Name()
	if !t.info.unsaved || lib == nil || id == "" {
		return nil
	}
	t.info.unsaved = false
	return inBackground(func() then {
		if err := lib.Rename(id, name); err != nil {
			return func() tea.Cmd { return t.say(err.Error()) }
		}
		return nil
	})
}
