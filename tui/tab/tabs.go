package tab

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/tui/dialog"
)

// Tabs is the row of tabs that a tab stands in. What it is asked for happens at once,
// so that the next key is for the tab that is in front then; its commands are for
// the tabs that they are about.
type Tabs interface {
	// Step shows a tab so many places further, around the ends.
	Step(by int)
	// Go shows the tab with a number, counted from 0, if there is one.
	Go(number int)
	// Open opens a tab with an agent, and shows it.
	Open(config.Agent) tea.Cmd
	// Load opens a tab with a session that an agent remembers, and shows it.
	Load(config.Agent, acpclient.SessionInfo) tea.Cmd
	// OpenIn is Open in another directory.
	OpenIn(a config.Agent, cwd string) tea.Cmd
	// Close takes the tab in front away.
	Close() tea.Cmd
	// Shared reports whether another tab has the directory of the tab in front.
	Shared() bool
	// Alone reports whether there is only one tab.
	Alone() bool
}

// singleTab is the row of a tab that stands in none.
type singleTab struct{}

func (singleTab) Step(int)                                         {}
func (singleTab) Go(int)                                           {}
func (singleTab) Open(config.Agent) tea.Cmd                        { return nil }
func (singleTab) OpenIn(config.Agent, string) tea.Cmd              { return nil }
func (singleTab) Load(config.Agent, acpclient.SessionInfo) tea.Cmd { return nil }
func (singleTab) Close() tea.Cmd                                   { return nil }
func (singleTab) Shared() bool                                     { return false }
func (singleTab) Alone() bool                                      { return true }

// State is what the line of tabs tells of a tab.
type State uint8

// The states of a tab. Of those that fit, the line shows the last one of this list.
const (
	Idle    State = iota
	Done          // a turn has ended, and nobody has seen it yet
	Working       // a turn runs, or the agent starts
	Waiting       // a question waits for the person
	Failed        // a turn or a start went wrong, and nobody has seen it yet
	Lost          // the agent has gone
)

// Summary is what the line of tabs shows of a tab.
type Summary struct {
	State State
	Title string
}

// Summary is what the line of tabs shows of this tab now.
func (t *Tab) Summary() Summary {
	if t.worktree.active() {
		return Summary{t.State(), worktreeMark + t.label()}
	}
	return Summary{t.State(), t.label()}
}

// State says how things stand in the tab.
func (t *Tab) State() State {
	c := t.conv
	switch {
	case t.conv.Gone():
		if c.Phase == conversation.PhaseLost {
			return Lost
		}
		return Failed
	case t.info.Unseen() == turnBadly:
		return Failed
	case t.dialogs.Asks():
		return Waiting
	case t.Works(), t.composerActive() && (c == nil || c.Phase != conversation.PhaseReady):
		return Working
	case t.info.Unseen() == turnWell:
		return Done
	}
	return Idle
}

// Works reports whether a turn runs.
func (t *Tab) Works() bool { return t.conv != nil && t.conv.Turn.Running }

// Turns is how many turns have ended in the tab.
func (t *Tab) Turns() int { return t.info.Turns() }

// label is what the tab is called in the line of tabs.
func (t *Tab) label() string { return t.info.Label(t.Title(), t.agent.Name, t.agent.ID) }

// tabKey takes a key that shows another tab, whatever is open in this one, and, while
// a question waits, one that opens or closes a tab: nobody has to answer first. Those
// that go to a tab by its number answer a question where they have to: while the prompt
// holds text, a number alone is the prompt's.
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
	case config.ActionNewSession, config.ActionNewAgent, config.ActionCloseTab, config.ActionRenameTab:
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

// newSession begins a new session with the same agent where this one works, in a tab of its
// own: what is in this one stays as it is. A session in which nothing was said is new already.
func (ac *actions) newSession() tea.Cmd {
	t := ac.tab
	switch {
	case t.session == nil:
		return nil
	case ac.fresh():
		return t.say("this session is new: nothing was said in it")
	case t.agent.ID == "" || t.stored.untrusted != nil: // nobody knows it, or has agreed to it
		return ac.chooseAnother()
	}
	return ac.openBeside(t.agent)
}

// openBeside opens a session with an agent in a tab of its own, in the directory of this
// one. A project that goes with its agent, and a directory that may not be there any more,
// are not gone on with.
func (ac *actions) openBeside(a config.Agent) tea.Cmd {
	t := ac.tab
	if t.program.StartIn == nil || a.OwnProject || t.agent.OwnProject || t.stored.readOnly != "" {
		return t.tabs().Open(a)
	}
	return t.tabs().OpenIn(a, t.cwd)
}

// fresh reports whether nothing was said in the session, nor is about to be.
func (ac *actions) fresh() bool {
	t := ac.tab
	c := t.conv
	return !t.conv.Gone() && len(c.Items) == 0 && len(c.Queue)+t.queue.Len() == 0
}

// renameTab lets the person name the tab.
func (ac *actions) renameTab() {
	t := ac.tab
	t.dialogs.Push(dialog.NewEntry(t.env(), dialog.Entry{
		Title: "Name the tab", Text: t.info.Name(), Hint: t.label(),
		Do: func(name string) tea.Cmd {
			t.info.SetName(name)
			return nil
		},
	}))
}
