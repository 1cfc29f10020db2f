package tab

import (
	"cmp"
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/conversation"
	"parley/internal/journal"
	"parley/tui/composer"
	"parley/tui/dialog"
	"parley/tui/screen"
	"parley/tui/theme"
)

// Program is what a tab needs from the program.
type Program struct {
	app.Backend
	// Context ends when the program does.
	Context context.Context
	Theme   *theme.Theme
	Keys    config.Keys
	// Vim enables vim keys in prompts.
	Vim bool
	// Enter is what enter does with a prompt while a turn is running.
	Enter config.EnterKey
	// AnswerKey is what the key of an answer does.
	AnswerKey config.AnswerKey
	// Guard protects the visible dialog, whichever tab owns it.
	Guard   *dialog.Guard
	History *composer.History
	Tabs    Tabs
	// ThemeSwitcher draws everything in a theme.
	ThemeSwitcher themeSwitcher
	// ReducedMotion disables animations.
	ReducedMotion bool
	Version       string
	// Clipboard puts text on the system's clipboard and returns the name of the program that
	// took it. It is nil if the system has none.
	Clipboard func(ctx context.Context, text string) (way string, err error)
	// ClipboardImage reads the image on the system's clipboard.
	ClipboardImage func(ctx context.Context, most int64) ([]byte, error)
	// Now is the clock.
	Now func() time.Time
}

// ID identifies a tab. It is unique within a program.
type ID int

// Msg is a message for one tab, visible or not.
type Msg struct {
	To  ID
	Msg tea.Msg
}

// Request is a message from a tab to the program, for what only the program can do. It is
// one of the types below.
type Request interface{ request() }

// Quit asks to leave the program.
type Quit struct {
	// Despite is the tab whose running turn the user knows about, or 0.
	Despite ID
	// Sure means that they know about all tabs.
	Sure bool
}

// Leave asks to close an empty tab.
type Leave struct{ Tab ID }

// End asks to run Do in the background. The program waits for it before it exits.
type End struct{ Do func(context.Context) }

// Copy asks to put text on the terminal's clipboard.
type Copy struct{ Text string }

// Suspend asks to stop the program, as a shell does, until it is continued.
type Suspend struct{}

// Exec asks to lend the terminal. Done turns the result into a message, which must name its
// tab.
type Exec struct {
	To   screen.Borrower
	Done tea.ExecCallback
}

func (Quit) request()    {}
func (Leave) request()   {}
func (End) request()     {}
func (Copy) request()    {}
func (Exec) request()    {}
func (Suspend) request() {}

// send returns a command that sends a request.
func send(w Request) tea.Cmd { return func() tea.Msg { return w } }

// address addresses all messages of a command to this tab, except requests, which go to
// the program. All commands of a tab pass through here.
//
// Bubble Tea's own commands other than [tea.Batch] must not: their messages are for the
// event loop. A tab sends a Request instead.
func (t *Tab) address(cmd tea.Cmd) tea.Cmd { return addressedCmd(t.id, cmd) }

func addressedCmd(to ID, cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() tea.Msg { return addressed(to, cmd()) }
}

func addressed(to ID, msg tea.Msg) tea.Msg {
	switch msg := msg.(type) {
	case nil, Request, Msg: // of another tab
		return msg
	case tea.BatchMsg:
		cmds := make(tea.BatchMsg, len(msg))
		for i, cmd := range msg {
			cmds[i] = addressedCmd(to, cmd)
		}
		return cmds
	}
	return Msg{to, msg}
}

// Tabs is the row of tabs, as one of its tabs uses it. Changes take effect at once, so
// that the next key goes to the tab then in front. Returned commands are addressed to
// their tabs.
type Tabs interface {
	// Step moves by so many tabs, wrapping around.
	Step(by int)
	// Go shows the tab at an index, and reports whether there is one.
	Go(number int) bool
	// Open opens a tab with a session, in the background.
	Open(app.Spec) (*Tab, tea.Cmd)
	// Alone reports whether there is only one tab.
	Alone() bool
	// All returns all tabs, in order.
	All() []*Tab
	// Show shows a tab, and CloseTab closes one, if they are open.
	Show(*Tab)
	CloseTab(*Tab) tea.Cmd
}

// Summary is a tab as the tab line shows it.
type Summary struct {
	State conversation.Standing
	Title string
}

// Summary returns what the tab line shows.
func (t *Tab) Summary() Summary {
	title := t.label()
	if t.worktree != nil {
		title = command.WorktreeMark + title
	}
	return Summary{t.State(), title}
}

// State returns where the tab stands for the user, who may not have seen the end of a turn.
func (t *Tab) State() conversation.Standing {
	switch is := t.condition(); {
	case is == conversation.StandingLost, is == conversation.StandingFailed:
		return is
	case t.dialogs.Any(func(d dialog.Dialog) bool { // a question of this tab
		_, asks := d.(dialog.Guarded)
		_, foreign := d.(*foreignQuestion)
		return asks && !foreign
	}), t.conv().Stuck():
		return conversation.StandingAsks
	case t.conv().WaitsForLimit():
		return conversation.StandingLimited
	case t.info.unseen == conversation.StandingFailed:
		return conversation.StandingFailed
	case is == conversation.StandingWorking:
		return conversation.StandingWorking
	}
	return t.info.unseen
}

// Overview sums the tab up for lists of several. It costs the same however long the session is.
func (t *Tab) Overview() app.Overview {
	var changes *journal.Summary
	if s := t.session(); s != nil {
		changes = s.Journal()
	}
	o, a := app.OverviewOf(&t.conv().State, changes), t.agent()
	o.Agent, o.Title = cmp.Or(o.Agent, a.Name, a.ID), t.label()
	o.Standing = t.State()
	if t.opening != nil {
		if p := t.opening.preparing.Load(); p != nil {
			o.Step, o.Since = p.words, p.since
		}
	}
	return o
}

// WaitsFor returns what a tab that asks waits for.
func (t *Tab) WaitsFor() tea.ProgramStatusKind {
	switch l, open := t.live(); {
	case open && len(l.questions.permissions()) > 0:
		return tea.ProgramStatusKindPermission
	case open && l.Conversation.AuthError != nil:
		return tea.ProgramStatusKindAuth
	}
	return tea.ProgramStatusKindQuestion
}

// Works reports whether a turn is running.
func (t *Tab) Works() bool { return t.conv().Turn.Running }

// Turns returns how many turns have ended in the tab.
func (t *Tab) Turns() int { return t.info.turns }

// label returns the tab's name in the tab line.
func (t *Tab) label() string {
	a := t.agent()
	return app.Title(append(t.titles(), a.Name, a.ID, "new")...)
}

// newSession starts a session with the same agent and directory in a new tab.
func (l *live) newSession() tea.Cmd {
	if l.Agent.ID == "" || l.stored.untrusted != nil { // unknown, or without consent
		return l.front(command.ChooseAgent)
	}
	return l.openBeside(app.Spec{Agent: &l.Agent})
}

// openBeside opens a new session in a new tab, in this tab's directory unless another one is named.
// It does not reuse the directory if a project belongs to its agent, or if the directory may be
// gone.
func (t *Tab) openBeside(s app.Spec) tea.Cmd {
	if s.Cwd == "" && !s.Agent.OwnProject && !t.agent().OwnProject && t.stored.readOnly == "" {
		s.Cwd = t.cwd
	}
	n, cmd := t.program.Tabs.Open(s)
	t.program.Tabs.Show(n)
	return cmd
}

func (t *Tab) renameTab() {
	t.ask(app.Question{Title: "Rename tab", Entered: t.info.name, Hint: t.label(), EnterHere: func(name string) { t.acting.add(t.setName(name)) }})
}

func (t *Tab) setName(name string) tea.Cmd {
	t.info.name = app.Title(name)
	t.info.unsaved, t.stored.title = true, ""
	return saveName(t)
}

// titles returns the user's name for the session, and what else it is called, best first.
func (t *Tab) titles() []string {
	c := t.conv()
	return []string{t.info.name, t.stored.title, c.Title, c.Asked}
}

// saveName stores the user's name for the session, once the session is stored.
func saveName(t *Tab) tea.Cmd {
	lib, id, name := t.program.Stored, t.StoredID(), t.info.name
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

// tabInfo is the state of a tab for the tab line. The zero value is a new background tab.
type tabInfo struct {
	name   string                // the user's name for the session, or ""
	shown  bool                  // the tab is in front
	turns  int                   // that have ended
	unseen conversation.Standing // StandingDone or StandingFailed after a turn that ended in the background, or StandingIdle
	// unsaved means that the user's name for the session is not stored yet.
	unsaved bool
}

// show marks the tab as in front, and its turns as seen.
func (s *tabInfo) show() { s.shown, s.unseen = true, conversation.StandingIdle }

// Notice updates after an event, which has left the session's last turn with an ending.
func (s *tabInfo) Notice(e conversation.Event, ending conversation.Ending) {
	if e, ok := e.(conversation.TurnEnded); ok {
		s.turns++
		switch {
		case s.shown, e.Reason == acpclient.StopCancelled, ending.How == conversation.EndedByUser: // or the user knows
		case e.Err != nil:
			s.unseen = conversation.StandingFailed
		default:
			s.unseen = conversation.StandingDone
		}
	}
}

// then is the continuation of background work. It is a command's message, called in the
// program's Update.
type then func() tea.Cmd

// ErrorMsg reports an error outside the session.
type ErrorMsg = composer.ErrorMsg

// inBackground runs do in the background and its continuation, which may be nil, in
// Update.
func inBackground(do func() then) tea.Cmd {
	return func() tea.Msg {
		if then := do(); then != nil {
			return then
		}
		return nil
	}
}

// redraw draws the tab again after a time, because a hint expires.
func redraw(after time.Duration) tea.Cmd {
	return tea.Tick(after, func(time.Time) tea.Msg { return then(func() tea.Cmd { return nil }) })
}

// bestEffort runs do in the background and ignores its error, which is not the user's
// problem.
func bestEffort(do func() error) tea.Cmd {
	return func() tea.Msg {
		_ = do()
		return nil
	}
}
