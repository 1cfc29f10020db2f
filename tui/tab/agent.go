package tab

import (
	"context"
	"slices"
	"sync"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/git"
	"parley/internal/session"
	"parley/tui/composer"
	"parley/tui/transcript"
)

// startedMsg is a session made for an agent, or the error.
type startedMsg struct {
	agent   config.Agent
	session *session.Session
	err     error
}

// starter starts agents and reopens stored sessions for a tab.
type starter struct{ tab *Tab }

// startAgent makes and starts a session with an agent.
func (st *starter) startAgent(a config.Agent) tea.Cmd {
	start := st.tab.program.Start
	return st.startWith(a, func() (*session.Session, error) { return start(a) })
}

// startChosen is startAgent for an agent chosen from a list: the tour begins by itself.
func (st *starter) startChosen(a config.Agent) tea.Cmd {
	cmd := st.startAgent(a)
	if first := app.FirstPrompt(a); first != "" {
		cmd = tea.Batch(cmd, st.tab.queue.Submit(composer.NewPrompt(first)))
	}
	return cmd
}

// startWith is startAgent with another constructor of the session.
func (st *starter) startWith(a config.Agent, make func() (*session.Session, error)) tea.Cmd {
	t := st.tab
	t.agent = a
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

// started takes over the session. Prompts sent in the meantime go to it.
func (st *starter) started(msg startedMsg) tea.Cmd {
	t := st.tab
	t.starting = nil
	if msg.err != nil {
		t.agent = config.Agent{}
		looked := t.queue.ReturnToDraft()
		var another func() tea.Cmd
		if t.program.Available != nil {
			another = st.chooseAgent
		}
		t.lifecycle.StartFailed(msg.agent, msg.err, another)
		return looked
	}
	st.adopt(msg.agent, msg.session)
	// The session's own event comes with the next batch.
	t.conv.Apply(conversation.AgentStarting{Command: msg.session.Options().Command.String(), At: t.program.Now()})
	t.rules().AskToTrust()
	t.queue.held.Send(t.session)
	return tea.Batch(t.pump.next, st.readBranch(), bestEffort(func() error { return t.program.RememberAgent(msg.agent) }))
}

// adopt makes a session the tab's.
func (st *starter) adopt(a config.Agent, s *session.Session) {
	t := st.tab
	t.agent, t.session, t.conv = a, s, conversation.New()
	if cwd := s.Options().Cwd; cwd != t.cwd {
		t.cwd, t.branch = cwd, ""
		t.worktree.set(nil)
	}
	t.conv.Cwd = t.cwd
	t.questions.SetRoots(append([]string{t.cwd}, s.Options().AdditionalDirectories...))
	t.list = transcript.New(t.program.Theme, t.conv)
	t.list.SetDiffPositions(t.diffPositions.Known())
	t.reader = newTranscriptReader(t)
	t.changes = nil
	if t.inspector != nil { // its pending work belongs to the previous session
		t.inspector.Stop()
		t.inspector = nil
	}
	t.composer.SetRoot(t.cwd)
	t.queue.Adopted()
	t.drafts.Leave()
	t.pump = newPump(t.program.Context, s)
}

// command returns what starts an agent, or where it listens, for people.
func (st *starter) command() string {
	a := st.tab.agent
	if a.Address != "" {
		return a.Listens()
	}
	return acpclient.Command{Path: a.Command, Args: a.Args}.String()
}

// leaveStart ends an agent that is still starting. If it was the tab's first, the person
// can choose another.
func (st *starter) leaveStart() tea.Cmd {
	t := st.tab
	if !st.unused() { // there is something to read
		t.session.Kill()
		return nil
	}
	return st.chooseInstead()
}

// unused reports whether the tab has had no session with its agent.
func (st *starter) unused() bool {
	c := st.tab.conv
	spoken := func(it conversation.Item) bool { _, note := it.(*conversation.Note); return !note }
	return c.ID == "" && !slices.ContainsFunc(c.Items, spoken)
}

// chooseInstead ends the tab's agent and lets the person choose another.
func (st *starter) chooseInstead() tea.Cmd {
	t := st.tab
	left := t.session
	looked := t.queue.ReturnToDraft(left.EmptyQueue()...) // may hold prompts whose events have not arrived
	t.agent, t.session, t.conv, t.list, t.reader, t.pump = config.Agent{}, nil, nil, nil, nil, nil
	return tea.Batch(looked, send(End{func(ctx context.Context) { app.End(ctx, left) }}), st.chooseAgent())
}

// readBranch finds the git branch of the tab's directory, and its worktree if it was
// created for sessions.
func (st *starter) readBranch() tea.Cmd {
	t := st.tab
	dir := t.cwd
	return inBackground(func() then {
		branch, tree := git.Branch(dir), git.WorktreeAt(dir)
		return func() tea.Cmd {
			if dir == t.cwd {
				t.branch = branch
				t.worktree.set(tree)
			}
			return nil
		}
	})
}
