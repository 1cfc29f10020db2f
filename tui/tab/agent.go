package tab

import (
	"errors"
	"sync"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/tui/dialog"
	"parley/tui/tab/desk"
	"parley/tui/tab/reader"
	"parley/tui/transcript"
)

// startedMsg is a session made for an agent, or why there is none.
type startedMsg struct {
	agent   config.Agent
	session *session.Session
	err     error
}

// startAgent makes a session with an agent and starts it.
func (t *Tab) startAgent(a config.Agent) tea.Cmd {
	start := t.program.Start
	return t.startWith(a, func() (*session.Session, error) { return start(a) })
}

// startWith starts the session with an agent that another function makes.
func (t *Tab) startWith(a config.Agent, make func() (*session.Session, error)) tea.Cmd {
	t.starting = sync.OnceValue(func() startedMsg {
		s, err := make()
		if err == nil {
			s.Start()
		}
		return startedMsg{a, s, err}
	})
	started := t.starting
	return func() tea.Msg { return started() }
}

// started takes the session. What was written and sent while it was being made is
// for it.
func (t *Tab) started(msg startedMsg) tea.Cmd {
	t.starting = nil
	if msg.err != nil {
		t.outbox.GiveBack()
		t.askAfterFailedStart(msg.agent, msg.err)
		return nil
	}
	t.adopt(msg.agent, msg.session)
	t.rules().AskToTrust()
	return tea.Batch(t.pump.next, t.readBranch(), t.outbox.Read(), t.keepAgent(msg.agent))
}

// keepAgent remembers the agent for the next first screen, unless it is one of the
// command line.
func (t *Tab) keepAgent(a config.Agent) tea.Cmd {
	if a.Source == "" {
		return nil
	}
	return desk.Quietly(func() error { return t.program.Recent.Agent(a.ID) })
}

// adopt makes a session the tab's.
func (t *Tab) adopt(a config.Agent, s *session.Session) {
	t.agent, t.session, t.conv = a, s, conversation.New()
	if cwd := s.Options().Cwd; cwd != t.cwd {
		t.cwd, t.branch = cwd, ""
		t.worktree.Is(nil)
	}
	t.conv.Cwd = t.cwd
	t.questions.SetRoots(append([]string{t.cwd}, s.Options().AdditionalDirectories...))
	t.list = transcript.New(t.program.Theme, t.conv)
	t.list.SetSites(t.sites.Known())
	t.reader = reader.NewTranscript(t.desk, host{t}, t.list, t.conv, t.commands)
	t.changes = nil
	t.composer.SetRoot(t.cwd)
	t.outbox.Adopted()
	t.drafts.Leave()
	t.pump = &pump{ctx: t.program.Context, session: s}
}

// askAfterFailedStart tells that an agent could not even be tried.
func (t *Tab) askAfterFailedStart(a config.Agent, err error) {
	q := dialog.Confirmation{Title: a.Name + " could not be started", Text: describe(a, err)}
	if t.program.Offered != nil {
		q.Choices = append(q.Choices, dialog.Choice{Name: "Choose another agent", Do: dialog.Do(t.chooseAgent)})
	}
	q.Choices = append(q.Choices, t.wayOut(""))
	t.desk.Ask(q)
}

// askAfterLoss tells that the agent has gone, and offers to start it again.
func (t *Tab) askAfterLoss() {
	title := "The agent has gone"
	switch failed := t.conv.Phase == conversation.PhaseFailed; {
	case failed && t.session.Connects():
		title = "There is no connection to the agent"
	case failed:
		title = "The agent could not be started"
	case t.session.Connects():
		title = "The connection to the agent is lost"
	}
	t.askToStartAgain(title, describe(t.agent, t.conv.Agent.Err), t.conv.Agent.Stderr)
}

// askToStartAgain asks what to do about an agent that is of no use as it is. stderr
// is the end of what it wrote there.
func (t *Tab) askToStartAgain(title, reason, stderr string) {
	again := func() tea.Cmd { t.session.Start(); return nil }
	name := "Start it again"
	if t.session.Connects() {
		name = "Connect again"
	}
	t.restart = dialog.NewConfirm(t.desk.Env(), dialog.Confirmation{Title: title, Text: reason, Detail: stderr, Choices: []dialog.Choice{
		{Name: name, Key: "r", Do: dialog.Do(again)},
		{Name: "Stay here and read", Key: "s", Do: dialog.Close{}},
		t.wayOut("q"),
	}})
	t.dialogs.Push(t.restart)
}

// wayOut is the answer that leaves what has gone wrong: the tab, if there are others.
func (t *Tab) wayOut(key string) dialog.Choice {
	if t.row().Alone() {
		return dialog.Choice{Name: "Leave parley", Key: key, Do: dialog.Do(t.quit)}
	}
	return dialog.Choice{Name: "Close this tab", Key: key, Do: dialog.Do(t.closeNow)}
}

// describe puts an error of starting an agent into words, and says what to do.
func describe(a config.Agent, err error) string {
	what := err.Error()
	var start *acpclient.StartError
	if errors.As(err, &start) && a.InstallHint != "" {
		what += "\nTo install it: " + a.InstallHint
	}
	return what
}
