// Package tab shows one session: the conversation with an agent, the transcript, the
// prompt and the dialogs.
//
// A [Tab] is a plain struct that the program's root model owns. Update never blocks:
// slow work is a command, and every message names its tab ([Msg]), so that a tab works
// on while another is in front. A tab asks the program with a [Request] for what only
// the program can do. Draw turns the state into lines, and touches only what is visible.
//
// A tab dispatches messages and keys to its parts, and composes what they draw. A part
// owns its state, and holds what it needs of the others.
//
// Nothing in this package is safe for concurrent use: everything runs in the program's
// Update and View.
package tab

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/compare"
	"parley/internal/conversation"
	"parley/internal/git"
	"parley/internal/session"
	"parley/internal/store"
	"parley/tui/composer"
	"parley/tui/dialog"
	"parley/tui/theme"
	"parley/tui/toolview"
)

// Tab is one session and everything shown of it.
type Tab struct {
	*ui

	// cwd is the directory of the session, or of the next one, branch its git branch.
	cwd, branch string
	worktree    *git.Worktree // of the directory, nil if it is in none
	note        compare.Note  // of the worktree, empty if that belongs to no comparison
	dir         string        // where new sessions begin, "" for where parley was started

	// state is what the tab has of an agent, a session or a recording, opening what it will have
	// instead, or nil.
	state   state
	opening *opening
	reader  *reader // of the transcript

	facts  toolview.Facts
	stored storedSession // the stored session being continued

	composer *composer.Composer
	prompts  *prompts
	drafts   *drafts
	foreign  *foreignQuestion // the question of another tab shown last, or nil
	back     func()           // goes back to the page once nothing is asked here, nil if the user came otherwise
	compared *comparison      // that it belongs to, or nil
	writes   *writing         // what is written in place of a prompt to send, or nil
	offer    dialog.Dialog    // to attach to a running session, or nil
	board    *board           // shown last, or nil
	typed    bool             // the user has begun a prompt
	leaving  *leaving
	awaited  awaited
	input    *input
	pictures imageDecoder
	info     tabInfo // for the tab line

	ticks int  // animation step
	news  bool // parley was updated, and the user has not seen the changelog

	// The permanent layers.
	panel  *panel
	prompt *promptLayer

	width, height int // of the screen
	hintCache     cachedLine
}

// New creates a tab for a session in a directory, in the background.
func New(id ID, p Program, cwd string) *Tab {
	t := &Tab{ui: &ui{id: id, program: p, dialogs: dialog.NewStack(p.Guard)}, cwd: cwd}
	t.env, t.now = t.dialogEnv, t.displayedTime
	t.composer = newComposer(t)
	t.prompts = &prompts{tab: t}
	t.drafts = &drafts{
		library: p.Stored, dir: cwd, composer: t.composer, session: t.writtenFor, top: t.topItem,
		waiting: t.prompts.unstored, wait: t.prompts.comeBack, sayMore: t.sayMoreDrafts, sayKept: t.sayKeptDraft,
	}
	t.panel, t.prompt = &panel{tab: t}, &promptLayer{tab: t}
	t.acting = &front{tab: t}
	t.leaving, t.input = &leaving{tab: t}, &input{tab: t}
	t.state, t.reader = &unopened{t}, newReader(t, conversation.New())
	return t
}

func newComposer(t *Tab) *composer.Composer {
	p := t.program
	return composer.New(composer.Options{
		Theme: p.Theme, Keys: p.Keys, History: p.History, Root: t.cwd, Now: p.Now, Exec: t.exec, Vim: p.Vim,
		Save:     func() tea.Cmd { return t.drafts.save() },
		NoImages: t.noImages, Own: composerCommands(),
	})
}

// Ask sends a prompt as soon as there is a session.
func (t *Tab) Ask(text string) tea.Cmd {
	return t.address(t.prompts.Submit(composer.NewPrompt(text)))
}

// ID returns the tab's id.
func (t *Tab) ID() ID { return t.id }

// Start starts an agent, or lets the user choose one if a is nil. The agent starts at
// once, in the background: it does not wait until the command runs.
func (t *Tab) Start(a *config.Agent) tea.Cmd {
	if a == nil {
		return t.address(tea.Batch(t.readBranch(), t.front(command.ChooseAgent)))
	}
	cmd := t.Open(app.Spec{Agent: a})
	go t.opening.Wait()
	return cmd
}

// Show brings the tab to the front: it takes keys.
func (t *Tab) Show() {
	t.info.show()
	t.dialogs.Show()
	t.pace(frame)
}

// Hide puts the tab into the background. It still follows its session.
func (t *Tab) Hide() {
	t.back = nil
	t.info.shown = false
	t.dialogs.Hide()
	t.pace(backgroundFrame)
}

// pace sets the minimum time between two updates of the display.
func (t *Tab) pace(least time.Duration) {
	if l, open := t.live(); open {
		l.Session.Stream().Pace(least)
	}
}

// Close closes the tab, which must not be used afterwards. It returns what ends the agent, even one
// that is starting: that waits for it, but not gracefully beyond ctx, and touches nothing that other
// tabs have.
func (t *Tab) Close() func(ctx context.Context) {
	save := func() {}
	if !t.replays() { // which has no draft
		save = t.drafts.saveLast()
	}
	t.leave()
	s, o, d := t.session(), t.opening, t.drafts
	return func(ctx context.Context) {
		save()
		if o != nil {
			o.interrupt()
			if next, err := o.Wait(); err == nil {
				s = next.Session
			}
		}
		if s != nil {
			app.Leave(ctx, s)
			app.SaveUnsent(d.library, s, d.viewing)
		}
	}
}

// Left describes the session as the user leaves it.
func (t *Tab) Left() app.Left {
	title := t.Summary().Title
	if l, open := t.live(); open {
		return l.Live.Left(title)
	}
	return app.Left{Title: title, Agent: t.agent(), Stored: t.StoredID(), Cwd: t.cwd}
}

// Title returns what the session is called, or "".
func (t *Tab) Title() string { return app.Title(t.titles()...) }

// SetTheme changes the theme.
func (t *Tab) SetTheme(th *theme.Theme) {
	t.program.Theme = th
	t.composer.SetTheme(th)
	t.dialogs.SetTheme(th)
	t.reader.list.SetTheme(th)
}

// Recolour redoes expensive colouring in the background after a change of theme.
func (t *Tab) Recolour() tea.Cmd {
	if l, ok := t.live(); ok && l.inspector != nil {
		return t.address(l.inspector.Recolour())
	}
	return nil
}

// Moves reports whether something is animated, so that the tab needs ticks.
func (t *Tab) Moves() bool {
	if c := t.compared; c != nil && t.dialogs.Has(c.page) && c.moves() {
		return true
	}
	if t.opening != nil {
		return true
	}
	switch s := t.state.(type) {
	case *live:
		return s.signIn.dialog == nil && t.works()
	case *replaying:
		return s.player.Playing() && t.works()
	}
	return false
}

// Changes returns when what is shown changes without an event or a move; zero is never.
func (t *Tab) Changes(now time.Time) (next time.Time) {
	if t.showsBoard() {
		next = t.board.Changes(now)
	}
	return next
}

// Tick advances animations by a step.
func (t *Tab) Tick() { t.ticks++ }

// ArmsIn returns how long until the top dialog takes keys or gives its answer: then draw
// again and call Due. It is 0 if no dialog waits.
func (t *Tab) ArmsIn() time.Duration {
	now := t.program.Now()
	return cmp.Or(t.dialogs.ArmsIn(now), t.dialogs.GivesIn(now))
}

// Due confirms the answer whose key was pressed twice, once its delay has passed without
// another key.
func (t *Tab) Due() tea.Cmd {
	a := t.dialogs.Due()
	if a == nil {
		return nil
	}
	return t.address(t.panel.do(a))
}

// Update handles a message for this tab, or input while it is in front.
func (t *Tab) Update(msg tea.Msg) tea.Cmd {
	cmd := t.handle(msg)
	cmd = tea.Batch(cmd, t.prompt.typeLetters(), t.drafts.Touched(msg), t.awaited.run(t))
	if l, open := t.live(); open {
		l.commands.Fit(t.width, t.height)
	}
	if decode := t.pictures.Next(t.reader.list); decode != nil {
		cmd = tea.Batch(cmd, decode)
	}
	return t.address(cmd)
}

func (t *Tab) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return t.input.key(msg)
	case tea.PasteMsg:
		cmd, _ := t.input.pass(func(l layer) (tea.Cmd, bool) { return l.paste(msg.Content) })
		return cmd
	case tea.MouseMsg:
		return t.input.mouse(msg)
	case tea.WindowSizeMsg:
		t.width, t.height = msg.Width, msg.Height
	case tea.ResumeMsg:
		t.dialogs.Regain() // the first keys were for the program that had the terminal
	case ErrorMsg:
		return t.say(msg.Err.Error())
	case then:
		return msg()
	case openedMsg:
		return t.opened(msg)
	default:
		return t.composer.Update(msg)
	}
	return nil
}

// fold applies a batch of events to the conversation and asks for the next.
func (l *live) fold(batch []conversation.Event) tea.Cmd {
	cmds := make([]tea.Cmd, 0, 2)
	for _, e := range batch {
		if _, ours := e.(conversation.QueueChanged); !ours {
			l.heard = l.program.Now()
		}
		l.Apply(e)
		l.info.Notice(e, l.Conversation.Ending)
		if l.compared != nil {
			cmds = append(cmds, l.compared.follow(l, e))
		}
		if l.Conversation.Restored() {
			l.reader.Reset()
		}
		for _, cmd := range []tea.Cmd{l.react(e), l.options.Follow(e)} {
			if cmd != nil {
				cmds = append(cmds, cmd)
			}
		}
	}
	cmds = append(cmds, l.limit.follow(l), l.questions.Follow(), l.commands.Follow(), l.followStart())
	if cmd := l.locateIn(batch); cmd != nil {
		cmds = append(cmds, cmd)
	}
	return tea.Batch(append(cmds, l.reader.Follow(), l.next)...)
}

// writtenFor returns the session that the prompt is written for, nil if there is none yet: one that is
// only read until the user consents to its agent is not.
func (t *Tab) writtenFor() app.Session {
	if t.stored.untrusted != nil {
		return nil
	}
	return t.session()
}

// askAboutBudget asks about the budget that is used up, once.
func (l *live) askAboutBudget() {
	if l.compared != nil {
		l.compared.askAboutBudget(l)
	} else if l.overBudget == nil || !l.dialogs.Has(l.overBudget) {
		if q := l.BudgetQuestion(); q != nil {
			l.overBudget = l.ask(*q)
		}
	}
}

// react handles what an event requires beyond being shown.
func (l *live) react(e conversation.Event) tea.Cmd {
	switch e := e.(type) {
	case conversation.SessionOpening:
		if e.Clear {
			l.reader.Reset()
			l.stored = storedSession{} // it belongs to the other session
			l.drafts.saved = store.View{}
		}
	case conversation.SessionOpened:
		if q := l.SendQueueQuestion(); q != nil {
			l.ask(*q)
		}
		return l.readTemplates()
	case conversation.QuestionClosed:
		l.questions.answered = l.questions.answered || !e.Cancelled()
	case conversation.AuthRequired:
		l.signIn.Ask(l.SignIn(e))
	case conversation.AuthDone:
		l.signIn.Ended(e.Err)
	case conversation.BudgetReached:
		l.askAboutBudget()
	case conversation.AgentLost:
		if moved, is := errors.AsType[*app.MovedError](e.Err); is {
			s := app.Spec{Running: moved.To, LookOn: l.Session.About().LookOn}
			return tea.Batch(l.say("the session was rewound on another terminal"), l.replace(openingOf(s), func(ctx context.Context) (*app.Opened, error) {
				return l.program.Follow(ctx, s)
			}))
		}
		l.askAboutLost()
	case conversation.SessionFailed:
		if o := l.Session.About(); (o.Reopened || o.Forked) && !l.stored.replaced { // a stored one
			l.askForNewSession(e.Err)
			break
		}
		return act(l.ui, l.Session, session.Stderr{}, func(text string, _ error) tea.Cmd {
			l.askToStartAgain("The agent could not open the session", e.Err.Error(), text)
			return nil
		})
	case conversation.TerminalHidden:
		return l.commands.Hidden(e.ID, e.Hidden)
	case conversation.TerminalExited:
		return l.commands.Ended(e.ID)
	case conversation.TurnEnded:
		return tea.Batch(l.readBranch(), saveName(l.Tab), l.readTemplates())
	case conversation.Update:
		if _, ok := e.Update.(*acpclient.AvailableCommandsUpdate); ok {
			l.offerCommands()
		}
	}
	return nil
}

// readTemplates rereads the user's prompts for slash commands.
func (l *live) readTemplates() tea.Cmd {
	return inBackground(func() then {
		templates := app.Templates(l.Session)
		return func() tea.Cmd {
			l.templates = templates
			l.offerCommands()
			return nil
		}
	})
}

// offerCommands gives the slash commands to the composer. It says once which of the user's
// prompts have the name of another command.
func (l *live) offerCommands() {
	for _, name := range l.composer.SetCommands(l.Conversation.Commands, l.templates) {
		if !slices.Contains(l.hidden, name) {
			l.hidden = append(l.hidden, name)
			session.Post(l.Session, session.AddNotice{Severity: acpclient.NoticeInfo, Title: "Your prompt /" + name + " is hidden", Detail: "There is a command of this name: rename the prompt's file."})
		}
	}
}

// asked reports whether a question of the agent is open.
func asked(c *conversation.Conversation) bool {
	return c.Turn.Cancelling.IsZero() && c.Waiting() > 0
}

// frame is the minimum time between two batches of streamed events of the tab in front: longer
// than a frame of the screen, so that each batch is drawn as it arrives. backgroundFrame is
// that of other tabs.
const (
	frame           = 40 * time.Millisecond
	backgroundFrame = 250 * time.Millisecond
)

// next waits for the next batch of events and folds it, unless the session was left meanwhile. It is called
// when the previous batch has been folded, so a slow screen makes batches larger and never queues them. It
// returns nil at the end of the stream.
func (l *live) next() tea.Msg {
	stream := l.Session.Stream()
	select {
	case <-stream.Ready():
	case <-l.program.Context.Done():
		return nil
	}
	events := stream.Take()
	if len(events) == 0 && stream.Closed() {
		return nil
	}
	return then(func() tea.Cmd {
		if shown, _ := l.live(); shown != l {
			return nil
		}
		return l.fold(events)
	})
}
