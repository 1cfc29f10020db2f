package tab

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/compare"
	"parley/internal/conversation"
	"parley/internal/git"
	"parley/internal/session"
	"parley/internal/store"
	"parley/internal/termtext"
	"parley/tui/composer"
	"parley/tui/dialog"
	"parley/tui/toolview"
)

// opening is a session that is being made, or attached to. It replaces what the tab has.
type opening struct {
	app.Opening
	// stop interrupts the preparation of its worktree, and preparing is what that does, nil for nothing.
	stop      context.CancelFunc
	preparing atomic.Pointer[preparing]
	// failed says why there will be none; nil says so in the usual way.
	failed func(error)
}

func openingOf(s app.Spec) *opening { return &opening{Opening: app.Opening{Spec: s}} }

// preparing is a step in the preparation of a worktree, with the last lines that it has printed.
type preparing struct {
	words string
	since time.Time
	lines []string
}

// openedMsg is a session that was made, or the error.
type openedMsg struct {
	of *opening
	*app.Opened
	wanted []toolview.Fragment // the changes in it
	err    error
}

// Open makes a session in this tab, or attaches to one. It waits for nothing: a new agent starts
// in the background, at the latest when the command runs.
func (t *Tab) Open(s app.Spec) tea.Cmd {
	t.dir = s.Cwd
	return t.address(tea.Batch(t.readBranch(), t.open(s)))
}

func (t *Tab) open(s app.Spec) tea.Cmd {
	return t.replace(openingOf(s), nil)
}

// openChosen opens a session with an agent chosen from a list: the tour begins by itself.
func (t *Tab) openChosen(s app.Spec) tea.Cmd {
	s.Cwd = t.dir
	cmd := t.open(s)
	if first := app.FirstPrompt(*s.Agent); first != "" {
		cmd = tea.Batch(cmd, t.prompts.Submit(composer.NewPrompt(first)))
	}
	return cmd
}

// replace replaces what the tab has by the session that create makes; nil makes it as usual. A session
// can be read until then.
func (t *Tab) replace(o *opening, create func(context.Context) (*app.Opened, error)) tea.Cmd {
	ctx := t.program.Context
	if create == nil {
		backend, now := t.program.Backend, t.program.Now
		prepared, stop := context.WithCancel(ctx)
		o.stop = stop
		create = func(ctx context.Context) (*app.Opened, error) {
			return backend.MakePrepared(ctx, prepared, o.Spec, func(step, line string) bool {
				p := preparing{words: step, since: now()}
				if line != "" {
					p = *o.preparing.Load()
					p.lines = append(slices.Clone(p.lines[max(0, len(p.lines)-startLines+1):]), line)
				}
				o.preparing.Store(&p)
				return false
			})
		}
	}
	var saved func() error
	if o.Spec.HandOver { // what is written goes along
		t.drafts.save()
		saved = t.drafts.last
	}
	o.Wait = sync.OnceValues(func() (*app.Opened, error) {
		if saved != nil {
			_ = saved() // at worst it is only in the prompt
		}
		made, err := create(ctx)
		if err == nil && !made.Runs && made.ReadOnly == nil {
			session.Post(made.Session, session.Start{})
		}
		return made, err
	})
	dropped := t.dropOpening()
	t.opening = o
	if _, open := t.live(); !open {
		t.become(&unopened{t}, conversation.New())
	}
	return tea.Batch(dropped, func() tea.Msg {
		msg := openedMsg{of: o}
		if msg.Opened, msg.err = o.Wait(); msg.err == nil && msg.Transcript != nil {
			msg.wanted = diffFragments(msg.Transcript.Conversation)
		}
		return msg
	})
}

// interrupt ends the preparation.
func (o *opening) interrupt() {
	if o.stop != nil {
		o.stop()
	}
}

// dropOpening ends the session that is being made, if there is one, once it is.
func (t *Tab) dropOpening() tea.Cmd {
	o := t.opening
	if t.opening = nil; o == nil {
		return nil
	}
	o.interrupt()
	return send(End{o.Drop})
}

// opened takes over a session. Prompts sent in the meantime go to it, or into the draft before that of
// a branch. The draft goes along to another agent.
func (t *Tab) opened(msg openedMsg) tea.Cmd {
	if msg.of != t.opening {
		return nil // another one was opened instead
	}
	t.opening = nil
	if msg.err != nil {
		return t.notOpened(msg.of, msg.err)
	}
	old, shown := t.live()
	l, s, keep := t.adopt(msg.Live()), msg.of.Spec, tea.Cmd(nil)
	if t.stored = (storedSession{from: s}); s.Branch != 0 {
		t.stored.from = app.Spec{Stored: msg.Transcript.Meta.ID}
		if !s.HandOver {
			keep = t.composer.Keep(t.composer.Text())
			t.composer.SetText("")
		}
	}
	cmds := []tea.Cmd{keep, l.next, t.readBranch()}
	if msg.Transcript == nil {
		// The session's own event comes with the next batch.
		l.Conversation.Apply(conversation.AgentStarting{Command: l.Session.About().Command, At: t.program.Now()})
		cmds = append(cmds, bestEffort(func() error { return t.program.RememberAgent(msg.Agent) }))
	} else {
		cmds = append(cmds, l.restoreView(msg), t.locate(msg.wanted))
	}
	var back []conversation.QueuedPrompt
	if shown { // it only showed the transcript
		if !old.HostGone() { // else they are stored: see [command.Restart]
			back = old.queue.withdraw()
		}
		go old.Session.Close(context.Background())
	}
	back = append(back, msg.Queue...)
	if msg.Prompt != nil {
		back = append(back, conversation.QueuedPrompt{Prompt: msg.Prompt})
	}
	if msg.ReadOnly != nil || s.Branch != 0 {
		cmds = append(cmds, t.prompts.ReturnToDraft(back...))
	} else {
		cmds = append(cmds, t.composer.TakeBack(back...))
	}
	if s.HandOver {
		cmds = append(cmds, t.drafts.save())
	}
	if msg.ReadOnly != nil {
		return tea.Batch(append(cmds, l.showReadOnly(msg.ReadOnly))...)
	}
	switch c := l.Conversation; {
	case msg.Runs && c.Gone():
		l.askAboutLost()
	case msg.Runs && c.OverBudget():
		l.askAboutBudget()
	case msg.Runs && c.AuthError != nil:
		l.signIn.Ask(l.SignIn(conversation.AuthRequired{}))
	}
	l.askToTrustRules()
	cmds = append(cmds, l.questions.Follow(), l.commands.Follow())
	if s.Last && t.composer.Empty() {
		cmds = append(cmds, t.drafts.Load())
	}
	t.prompts.held.Send(l.Session)
	return tea.Batch(cmds...)
}

// notOpened says why a session was not opened. One that could be read stays.
func (t *Tab) notOpened(of *opening, err error) tea.Cmd {
	var back tea.Cmd
	if of.failed == nil && of.Spec.New() {
		back = t.prompts.stay()
	} else {
		back = t.prompts.ReturnToDraft()
	}
	switch a := of.Spec.Agent; {
	case of.failed != nil:
		return tea.Batch(back, t.acting.do(func() { of.failed(err) }))
	case of.Spec.New():
		t.ask(app.Question{
			Title: a.Name + " could not be started", Text: app.StartErrorText(*a, err),
			Choices: []app.Choice{{Name: "Choose another agent", Here: func() { command.ChooseAgent(t.acting) }}, t.leaving.LeaveChoice("")},
		})
	default:
		t.ask(app.Question{Title: "Cannot open the stored session", Text: err.Error(), Choices: []app.Choice{
			{Name: "List the sessions", Here: func() { command.ChooseSession(t.acting) }},
			{Name: "Quit parley", Here: func() { t.acting.add(send(Quit{Despite: t.id})) }},
		}})
	}
	return back
}

// adopt makes a session the tab's.
func (t *Tab) adopt(s *app.Live) *live {
	about := s.Session.About()
	if t.setDir(about.Cwd); about.Far {
		t.composer.SetRoot(about.Host) // its files are not here to be listed
	}
	l := newLive(t, s)
	t.drafts.Leave()
	t.pace(frame)
	return l
}

func (t *Tab) setDir(cwd string) {
	if cwd != t.cwd {
		t.cwd, t.branch = cwd, ""
		t.worktree, t.note = nil, compare.Note{}
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
		branch, tree, note := git.Branch(dir), git.WorktreeOf(dir), compare.Note{}
		if tree != nil {
			note, _ = compare.NoteOf(tree)
		}
		return func() tea.Cmd {
			if dir == t.cwd {
				t.branch, t.worktree, t.note = branch, tree, note
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
	replaced   bool // a new session replaced one that could not be reopened
}

// restoreView restores the stored view. If the user has started another draft, the stored
// one goes into the history.
func (l *live) restoreView(msg openedMsg) (keep tea.Cmd) {
	c := msg.Transcript.Conversation
	l.stored.title = msg.Transcript.Title
	l.composer.SetCommands(c.Commands, nil)
	if top := msg.View.Top; top != nil {
		l.reader.list.StartAt(*top)
	}
	switch draft := msg.View.Draft; {
	case l.composer.Empty():
		l.composer.SetText(draft)
	case l.composer.Text() != draft:
		if keep = l.composer.Keep(draft); keep != nil {
			keep = tea.Batch(keep, l.sayKeptDraft())
		}
	}
	return tea.Batch(keep, l.drafts.Open(msg.Transcript.Meta.ID, msg.View))
}

// showReadOnly reports why the session is read-only, and asks where consent would help.
func (l *live) showReadOnly(why error) tea.Cmd {
	var untrusted *app.UntrustedError
	l.stored.readOnly = "read-only here: " + why.Error()
	if errors.As(why, &untrusted) {
		l.stored.untrusted = untrusted
		if untrusted.Agreed() { // meanwhile, in another tab
			return l.open(l.stored.from)
		}
		l.askToTrustAgent()
		return nil
	}
	l.ask(app.Question{Title: "This session is read-only", Text: why.Error(), Choices: []app.Choice{{Name: "Read it"}}})
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
	if !c.Yes || t.opening != nil {
		return nil
	}
	return t.address(t.open(t.stored.from))
}

// askToTrustAgent asks whether to start, or connect to, the session's agent.
func (l *live) askToTrustAgent() {
	why := l.stored.untrusted
	done := "started"
	if why.Listens != "" {
		done = "connected to"
	}
	l.stored.readOnly = "its agent was not " + done + ": " + keyOrPalette(l.program.Keys, command.StartAgain) + " asks about it again"
	l.stored.consenting = l.ask(why.Question(app.Choice{Risky: true, Here: func() {
		why.Agree()
		l.acting.add(send(Consent{why, true}))
	}}, app.Choice{Name: "Only read", Here: func() { l.acting.add(send(Consent{why, false})) }}))
}

// askForNewSession offers a new session when the agent cannot reopen a stored one.
func (l *live) askForNewSession(err error) {
	anew := func(about string) func() {
		return l.here(func() tea.Cmd {
			l.stored.replaced, l.Earlier = true, about
			return l.try(l.Session, session.OpenAnew{})
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
	l.ask(app.Question{Title: title, Text: why + "\nYou can still read it here. A new session knows it only if it is sent with your next prompt.", Choices: []app.Choice{
		{Name: "New session with this conversation", Here: anew(app.EarlierText(l.Conversation))},
		{Name: "New session", Here: anew("")},
		{Name: "Stay and read"},
	}})
}

// StoredID returns the id of the stored session, or "" if it is not stored yet.
func (t *Tab) StoredID() store.ID {
	if o := t.opening; o != nil && o.Spec.Branch == 0 {
		return o.Spec.Stored // so that no other tab opens it
	}
	if l, ok := t.live(); ok {
		return cmp.Or(l.Session.StoredID(), t.stored.from.Stored)
	}
	return ""
}

// Cwd returns the session's directory.
func (t *Tab) Cwd() string { return t.cwd }

// Blank reports whether closing the tab would lose nothing.
func (t *Tab) Blank() bool {
	if l, open := t.live(); open && (len(l.Conversation.Queue) > 0 || l.Conversation.Turn.Running) {
		return false
	}
	return t.empty() && (t.opening == nil || t.opening.Spec.New()) && t.composer.Empty() && len(t.prompts.held) == 0
}

// sayMoreDrafts says how many more drafts of the directory no tab has.
func (t *Tab) sayMoreDrafts(more int) tea.Cmd {
	if more == 0 {
		return nil
	}
	return t.say(termtext.Count(more, "more unsent draft") + " of this directory: " + t.keyOf(command.NewSession) + " brings one into a new tab")
}

// sayKeptDraft says where another draft of the session is.
func (t *Tab) sayKeptDraft() tea.Cmd {
	return t.say("another unsent draft of this session is in the prompt history: " + t.keyOf(command.HistoryPrev))
}

// LoadDraft restores a draft of the directory.
func (t *Tab) LoadDraft() tea.Cmd { return t.address(t.drafts.Load()) }

// openAll asks the program to open sessions.
func (t *Tab) openAll(s ...app.Spec) { t.acting.add(send(Open(s))) }

// OfferUnended offers to continue sessions of the tab's directory that parley did not end.
func (t *Tab) OfferUnended() tea.Cmd {
	lib, cwd, now, ctx := t.program.Stored, t.cwd, t.program.Now(), t.program.Context
	if lib == nil {
		return nil
	}
	return t.address(inBackground(func() then {
		q, err := app.FindUnended(ctx, lib, cwd, now, t.openAll)
		if err != nil || q == nil {
			return nil // best effort
		}
		return func() tea.Cmd { t.ask(*q); return nil }
	}))
}
