package tab

import (
	"cmp"
	"context"
	"errors"
	"sync"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/conversation"
	"parley/internal/git"
	"parley/internal/session"
	"parley/internal/store"
	"parley/tui/composer"
	"parley/tui/dialog"
	"parley/tui/toolview"
)

// startedMsg is a session made for an agent, or the error.
type startedMsg struct {
	of      *starting
	agent   config.Agent
	session *app.Opened
	err     error
}

// startAgent makes and starts a session with an agent.
func (t *Tab) startAgent(a config.Agent) tea.Cmd {
	return t.startWith(app.Spec{Agent: &a, Cwd: t.dir})
}

// startChosen is startAgent for an agent chosen from a list: the tour begins by itself.
func (t *Tab) startChosen(a config.Agent) tea.Cmd {
	cmd := t.startAgent(a)
	if first := app.FirstPrompt(a); first != "" {
		cmd = tea.Batch(cmd, t.prompts.Submit(composer.NewPrompt(first)))
	}
	return cmd
}

// startWith makes and starts a session.
func (t *Tab) startWith(s app.Spec) tea.Cmd {
	of, ctx, create := &starting{unopened: unopened{t}, with: *s.Agent}, t.program.Context, t.program.Make
	started := sync.OnceValue(func() startedMsg {
		made, err := create(ctx, s)
		if err == nil {
			session.Post(made.Session, session.Start{})
		}
		return startedMsg{of, *s.Agent, made, err}
	})
	of.session = func() app.Session {
		if made := started().session; made != nil {
			return made.Session
		}
		return nil
	}
	t.become(of)
	return func() tea.Msg { return started() }
}

// started takes over the session. Prompts sent in the meantime go to it.
func (t *Tab) started(msg startedMsg) tea.Cmd {
	if t.state != state(msg.of) {
		return nil // a stored session was opened instead
	}
	if msg.err != nil {
		t.become(&choosing{unopened{t}})
		back := t.prompts.ReturnToDraft()
		t.ask(app.Question{
			Title: msg.agent.Name + " could not be started", Text: app.StartErrorText(msg.agent, msg.err),
			Choices: []app.Choice{{Name: "Choose another agent", Here: func() { command.ChooseAgent(t.acting) }}, t.leaving.LeaveChoice("")},
		})
		return back
	}
	l := t.adopt(msg.session.Live())
	// The session's own event comes with the next batch.
	l.Conversation.Apply(conversation.AgentStarting{Command: l.Session.About().Command, At: t.program.Now()})
	l.askToTrustRules()
	t.prompts.held.Send(l.Session)
	return tea.Batch(l.pump.next, t.readBranch(), bestEffort(func() error { return t.program.RememberAgent(msg.agent) }))
}

// adopt makes a session the tab's.
func (t *Tab) adopt(s *app.Live) *live {
	about := s.Session.About()
	if t.setDir(about.Cwd); about.Far {
		t.composer.SetRoot(about.Host) // its files are not here to be listed
	}
	l := newLive(t, s)
	t.become(l)
	t.drafts.Leave()
	t.pace(frame)
	return l
}

func (t *Tab) setDir(cwd string) {
	if cwd != t.cwd {
		t.cwd, t.branch = cwd, ""
		t.worktree = nil
	}
	t.composer.SetRoot(t.cwd)
}

// readBranch finds the git branch of the tab's directory, and its worktree if it was
// created for sessions.
func (t *Tab) readBranch() tea.Cmd {
	if t.far() {
		return nil
	}
	dir := t.cwd
	return inBackground(func() then {
		branch, tree := git.Branch(dir), git.WorktreeAt(dir)
		return func() tea.Cmd {
			if dir == t.cwd {
				t.branch = branch
				t.worktree = tree
			}
			return nil
		}
	})
}

// Open asks the program to open stored sessions: each in the tab that already shows it, or
// in a new one. The last one comes to the front.
type Open []app.Spec

func (Open) request() {}

// storedSession is the stored session that a tab continues.
type storedSession struct {
	from     app.Spec
	title    string // the user's name for it
	readOnly string // why nothing can be sent, or ""
	// untrusted is the agent that awaits the user's consent, or nil.
	untrusted *app.UntrustedError
	// consenting asks for it, nil if it was not asked.
	consenting dialog.Dialog
	// earlier is text of an earlier session, sent with the next prompt.
	earlier  string
	replaced bool // a new session replaced one that could not be reopened
}

// reopenedMsg is a stored session that was read, or the error.
type reopenedMsg struct {
	from app.Spec
	*app.Opened
	wanted []toolview.Fragment // the changes in it
	err    error
}

// OpenStored shows a stored session and continues it.
func (t *Tab) OpenStored(o app.Spec) tea.Cmd { return t.address(t.reopenStored(o)) }

func (t *Tab) reopenStored(o app.Spec) tea.Cmd { return t.reopenWith(o, t.program.Make) }

// reopenWith shows the session that reopen makes.
func (t *Tab) reopenWith(o app.Spec, reopen func(context.Context, app.Spec) (*app.Opened, error)) tea.Cmd {
	t.stored.from = o // from now on no other tab opens it
	ctx := t.program.Context
	reopened := sync.OnceValue(func() reopenedMsg {
		msg := reopenedMsg{from: o}
		if msg.Opened, msg.err = reopen(ctx, o); msg.err == nil {
			msg.wanted = diffFragments(msg.Transcript.Conversation)
		}
		return msg
	})
	next := func() app.Session {
		if r := reopened(); r.Opened != nil {
			return r.Session
		}
		return nil
	}
	var left tea.Cmd
	switch s := t.state.(type) {
	case *live: // it can be read until then
		s.reopening = next
	case *starting:
		left = s.abandon()
		t.become(&starting{unopened{t}, s.with, next, true})
	default:
		t.become(&starting{unopened{t}, config.Agent{}, next, true})
	}
	return tea.Batch(left, func() tea.Msg { return reopened() })
}

// reopened shows the stored session and has its agent continue it.
func (t *Tab) reopened(msg reopenedMsg) tea.Cmd {
	old, shown := t.live()
	if msg.err != nil {
		if shown {
			old.reopening = nil
		} else {
			t.become(&choosing{unopened{t}})
		}
		t.stored.from = app.Spec{}
		back := t.prompts.ReturnToDraft()
		t.ask(app.Question{Title: "Cannot open the stored session", Text: msg.err.Error(), Choices: []app.Choice{
			{Name: "List the sessions", Here: func() { command.ChooseSession(t.acting) }},
			{Name: "Quit parley", Here: func() { t.acting.add(send(Quit{Despite: t.id})) }},
		}})
		return back
	}
	l := t.adopt(msg.Live())
	cmds := []tea.Cmd{l.restoreView(msg)}
	var unsent []conversation.QueuedPrompt
	if shown { // it only showed the transcript
		unsent = old.queue.withdraw()
		go old.Session.Close(context.Background())
	}
	cmds = append(cmds, l.pump.next, t.readBranch(), t.diffPositions.Locate(t.cwd, msg.wanted))
	if msg.ReadOnly != nil {
		cmds = append(cmds, t.prompts.ReturnToDraft(unsent...)) // prompts sent in the meantime have no recipient
		return tea.Batch(append(cmds, l.showReadOnly(msg.ReadOnly))...)
	}
	cmds = append(cmds, t.composer.TakeBack(unsent...))
	switch {
	case !msg.Runs:
		session.Post(l.Session, session.Start{})
	case l.Conversation.Gone():
		l.askAboutLost()
	}
	l.askToTrustRules()
	cmds = append(cmds, l.questions.Follow(), l.commands.Follow())
	if msg.from.Last && t.composer.Empty() {
		cmds = append(cmds, t.drafts.Load())
	}
	t.prompts.held.Send(l.Session)
	return tea.Batch(cmds...)
}

// restoreView restores the stored view. If the user has started another draft, the stored
// one goes into the history.
func (l *live) restoreView(msg reopenedMsg) (keep tea.Cmd) {
	t, c := l.tab, msg.Transcript.Conversation
	t.stored = storedSession{from: msg.from, title: msg.Transcript.Title}
	t.info.Remember(c)
	t.composer.SetCommands(c.Commands, nil)
	if top := msg.View.Top; top != nil {
		l.list.StartAt(*top)
	}
	switch draft := msg.View.Draft; {
	case t.composer.Empty():
		t.composer.SetText(draft)
	case t.composer.Text() != draft:
		keep = t.composer.Keep(draft)
	}
	t.drafts.SetSaved(msg.View)
	return keep
}

// showReadOnly reports why the session is read-only, and asks where consent would help.
func (l *live) showReadOnly(why error) tea.Cmd {
	t := l.tab
	var untrusted *app.UntrustedError
	t.stored.readOnly = "read-only here: " + why.Error()
	if errors.As(why, &untrusted) {
		t.stored.untrusted = untrusted
		if untrusted.Agreed() { // meanwhile, in another tab
			return t.reopenStored(t.stored.from)
		}
		l.askToTrustAgent()
		return nil
	}
	t.ask(app.Question{Title: "This session is read-only", Text: why.Error(), Choices: []app.Choice{{Name: "Read it"}}})
	return nil
}

// Consent is the user's answer about the agent of stored sessions. It applies to all tabs that
// ask the same.
type Consent struct {
	Agent *app.UntrustedError
	Yes   bool
}

func (Consent) request() {}

// TakeConsent applies the answer if it is for the tab's question about its agent.
func (t *Tab) TakeConsent(c Consent) tea.Cmd {
	if t.stored.untrusted == nil || !t.stored.untrusted.Same(c.Agent) {
		return nil
	}
	t.dialogs.Close(t.stored.consenting)
	if !c.Yes || t.state.reopens() {
		return nil
	}
	return t.OpenStored(t.stored.from)
}

// askToTrustAgent asks whether to start, or connect to, the session's agent.
func (l *live) askToTrustAgent() {
	t := l.tab
	why := t.stored.untrusted
	done := "started"
	if why.Listens != "" {
		done = "connected to"
	}
	t.stored.readOnly = "its agent was not " + done + ": " + keyOrPalette(t.program.Keys, command.StartAgain) + " asks about it again"
	t.stored.consenting = t.ask(why.Question(app.Choice{Risky: true, Here: func() {
		why.Agree()
		t.acting.add(send(Consent{why, true}))
	}}, app.Choice{Name: "Only read", Here: func() { t.acting.add(send(Consent{why, false})) }}))
}

// askForNewSession offers a new session when the agent cannot reopen a stored one.
func (l *live) askForNewSession(err error) {
	t := l.tab
	anew := func(about string) func() {
		return t.here(func() tea.Cmd {
			t.stored.replaced, t.stored.earlier = true, about
			return t.try(l.Session, session.OpenAnew{})
		})
	}
	why := err.Error()
	if errors.Is(err, session.ErrCannotReopen) {
		why = "The agent does not keep sessions."
	}
	title := "The agent cannot resume this session"
	if l.Session.About().Forked {
		title = "The agent did not fork the session"
	}
	t.ask(app.Question{Title: title, Text: why + "\nYou can still read it here. A new session knows it only if it is sent with your next prompt.", Choices: []app.Choice{
		{Name: "New session with this conversation", Here: anew(app.EarlierText(l.Conversation))},
		{Name: "New session", Here: anew("")},
		{Name: "Stay and read"},
	}})
}

// withEarlier adds the earlier conversation to a prompt, once.
func (s *storedSession) withEarlier(c *conversation.Conversation, p conversation.QueuedPrompt) conversation.QueuedPrompt {
	if s.earlier != "" {
		p.Prompt = app.WithEarlier(p.Prompt, s.earlier, c.Agent.Capabilities.PromptCapabilities)
		s.earlier = ""
	}
	return p
}

// StoredID returns the id of the stored session, or "" if it is not stored yet.
func (t *Tab) StoredID() store.ID {
	if l, ok := t.live(); ok {
		return cmp.Or(l.Session.StoredID(), t.stored.from.Stored)
	}
	return t.stored.from.Stored
}

// Cwd returns the session's directory.
func (t *Tab) Cwd() string { return t.cwd }

// Blank reports whether closing the tab would lose nothing.
func (t *Tab) Blank() bool {
	l, open := t.live()
	return t.empty() && !t.state.reopens() && t.composer.Empty() && len(t.prompts.held) == 0 && (!open || len(l.Conversation.Queue) == 0 && !l.Conversation.Turn.Running)
}

// LoadDraft restores the directory's draft.
func (t *Tab) LoadDraft() tea.Cmd { return t.address(t.drafts.Load()) }

// OfferUnended offers to continue sessions of the tab's directory that parley did not end.
func (t *Tab) OfferUnended() tea.Cmd {
	lib, cwd, now, ctx := t.program.Stored, t.cwd, t.program.Now(), t.program.Context
	if lib == nil {
		return nil
	}
	return t.address(inBackground(func() then {
		q, err := app.FindUnended(ctx, lib, cwd, now)
		if err != nil || q == nil {
			return nil // best effort
		}
		return func() tea.Cmd { t.ask(*q); return nil }
	}))
}
