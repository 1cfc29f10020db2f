package tab

import (
	"context"
	"sync"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/git"
	"parley/internal/session"
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

// startWith is startAgent with another constructor of the session.
func (st *starter) startWith(a config.Agent, make func() (*session.Session, error)) tea.Cmd {
	t := st.tab
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
		t.queue.ReturnToDraft()
		var another func() tea.Cmd
		if t.program.Available != nil {
			another = st.chooseAgent
		}
		t.lifecycle.StartFailed(msg.agent, msg.err, another)
		return nil
	}
	st.adopt(msg.agent, msg.session)
	t.rules().AskToTrust()
	return tea.Batch(t.pump.next, st.readBranch(), t.queue.Read(), bestEffort(func() error { return t.program.RememberAgent(msg.agent) }))
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
	t.list.SetSites(t.diffPositions.Known())
	t.reader = newTranscriptReader(t)
	t.changes = nil
	if t.inspector != nil { // its pending work belongs to the previous session
		t.inspector.Stop()
		t.inspector = nil
	}
	t.composer.SetRoot(t.cwd)
	t.queue.Adopted()
	t.drafts.Leave()
	t.pump = &pump{ctx: t.program.Context, session: s}
}

// leaveStart ends an agent that is still starting. If it was the tab's first, the person
// can choose another.
func (st *starter) leaveStart() tea.Cmd {
	t := st.tab
	if t.conv.ID != "" || len(t.conv.Items) > 0 { // there is something to read
		t.session.Kill()
		return nil
	}
	left := t.session
	t.queue.ReturnToDraft(left.EmptyQueue()...) // may hold prompts whose events have not arrived
	t.agent, t.session, t.conv, t.list, t.reader, t.pump = config.Agent{}, nil, nil, nil, nil, nil
	return tea.Batch(send(End{func(ctx context.Context) { app.End(ctx, left) }}), st.chooseAgent())
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
