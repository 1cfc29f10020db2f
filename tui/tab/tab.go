// Package tab is a session's place on the screen: its conversation with one
// agent, the transcript, the prompt, the dialogs, and how all of it is drawn.
//
// A [Tab] is a plain struct that the program's root model owns. Update never
// waits; whatever takes time is a command, and every message that a command
// brings names the tab that it is for ([Msg]), so that a tab works on while
// another is on the screen. What only the program can do, a tab asks for with a
// [Wish]. Draw is one step from the state to lines, and touches only what can be
// seen.
//
// A tab says which message and which key is for which of its parts, and puts together what
// they draw. A part owns a state of its own and knows the tab.
//
// Nothing in this package is safe for concurrent use; everything happens in the
// program's Update and View.
package tab

import (
	"cmp"
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/tui/composer"
	"parley/tui/dialog"
	"parley/tui/pages"
	"parley/tui/theme"
	"parley/tui/transcript"
)

// Tab is one session and all that is shown of it.
type Tab struct {
	id      ID
	program Program

	// cwd is the directory of the session, or, while there is none, the one that
	// it will probably have. branch is the git branch there.
	cwd, branch string
	worktree    *worktree
	// base is the directory that parley works in: paths that the person writes begin there.
	base string

	// The agent and the session; nil until an agent was started. They stay the
	// tab's for good, unless the person leaves the agent while it starts.
	agent         config.Agent
	session       *session.Session
	conv          *conversation.Conversation
	list          *transcript.List
	reader        *transcriptReader // of the list
	pump          *pump
	diffPositions *diffPositions // where changes stand in their files

	stored storedSession  // the stored session that it goes on with
	replay *replayControl // what was recorded, if that is shown; nil otherwise

	// Its parts, each with a state of its own.
	toast     toast
	dialogs   *dialog.Stack
	composer  *composer.Composer
	queue     *promptQueue
	drafts    *drafts
	images    *images
	questions *questions
	signIn    *signIn
	commands  *commands
	lifecycle *lifecycle
	pictures  imageDecoder
	info      tabInfo          // what the line of tabs tells
	changes   *pages.Review    // made when it is shown first
	inspector *pages.Inspector // made when it is shown first

	planOpen bool // the steps of the plan are shown above the prompt
	ticks    int  // steps of what moves
	// starting makes the session that is on its way, or waits until somebody else
	// has; nil if none is.
	starting func() startedMsg
	// reopening reads a stored session that is on its way, in the same manner.
	reopening func() reopenedMsg
	news      bool // parley is newer than the time before, and the person has not seen how

	// The layers that are always there.
	globalKeys *globalKeys
	panel      *panel
	prompt     *prompt
	actions    *actions
	view       *view
	starter    *starter

	mouseLent bool  // to the terminal, until the next key
	pressed   layer // has taken the click of the button that is held; nil if none has

	width, height int    // of the screen
	area          layout // of what was drawn last, for the mouse
	hintCache     cachedLine
}

// New makes a tab for a session in a directory. It is in the background until it
// is shown.
func New(id ID, p Program, cwd string) *Tab {
	t := &Tab{id: id, program: p, cwd: cwd, base: cwd}
	t.dialogs = dialog.NewStack(p.Guard)
	t.images = &images{t}
	t.composer = t.newComposer()
	t.queue = &promptQueue{tab: t}
	t.drafts = &drafts{Drafts: app.Drafts{Library: p.Stored, Dir: cwd}, tab: t}
	t.questions = &questions{tab: t}
	t.globalKeys, t.panel, t.prompt, t.actions = &globalKeys{t}, &panel{t}, &prompt{tab: t}, &actions{t}
	t.view, t.starter = &view{t}, &starter{t}
	t.signIn = &signIn{tab: t}
	t.commands = &commands{tab: t}
	t.diffPositions = newDiffPositions(t.Cwd)
	t.worktree = &worktree{tab: t}
	t.lifecycle = &lifecycle{tab: t}
	return t
}

// newComposer makes an empty composer for the tab's directory.
func (t *Tab) newComposer() *composer.Composer {
	p := t.program
	return composer.New(composer.Options{
		Theme: p.Theme, Keys: p.Keys, History: p.History, Root: t.cwd, Now: p.Now, Exec: t.exec, Vim: p.Vim,
		Placeholder: "Ask for something", NoImages: t.images.None, Own: composerCommands(),
	})
}

// Ask sends a prompt that was written elsewhere, as soon as there is a session.
func (t *Tab) Ask(text string) tea.Cmd {
	return t.address(t.queue.Submit(composer.NewPrompt(text, t.cwd)))
}

// AskToLeave asks whether to leave the program while agents work: those of the tabs with
// these titles.
func (t *Tab) AskToLeave(titles []string) { t.lifecycle.AskToLeave(titles) }

// ID is the tab's name.
func (t *Tab) ID() ID { return t.id }

// Start starts an agent, or, if there is none, lets the person choose one. It is for
// a tab that is not on the screen yet: the agent is under way when it returns, and
// gets what a processor has to give before the screen does.
func (t *Tab) Start(a *config.Agent) tea.Cmd {
	cmds := []tea.Cmd{t.starter.readBranch()}
	if a != nil {
		cmds = append(cmds, t.starter.startAgent(*a))
		t.starting()
	} else {
		cmds = append(cmds, t.starter.chooseFirst())
	}
	return t.address(tea.Batch(cmds...))
}

// Launch starts an agent while the program runs: nothing waits for that.
func (t *Tab) Launch(a config.Agent) tea.Cmd {
	return t.address(tea.Batch(t.starter.readBranch(), t.starter.startAgent(a)))
}

// Load is Begin for a session that the agent remembers.
func (t *Tab) Load(a config.Agent, info acpclient.SessionInfo) tea.Cmd {
	load := t.program.Load
	return t.address(tea.Batch(t.starter.readBranch(), t.starter.startWith(a, func() (*session.Session, error) { return load(a, info) })))
}

// Show says that the tab is on the screen from now on, and takes keys.
func (t *Tab) Show() {
	t.info.Show()
	t.dialogs.Show()
}

// Hide says that it is in the background from now on. Whatever happens in the
// session is taken in all the same.
func (t *Tab) Hide() {
	t.info.Hide()
	t.dialogs.Hide()
}

// Close ends the agent, also one that is just being started, politely until ctx
// ends, and waits for it. The tab must not be used after it.
func (t *Tab) Close(ctx context.Context) {
	t.drafts.SaveLast()
	if t.inspector != nil {
		t.inspector.Stop()
	}
	s := t.session
	if t.starting != nil {
		s = t.starting().session
	}
	if t.reopening != nil {
		if r := t.reopening(); r.Reopened != nil {
			s = r.Session
		}
	}
	if s != nil {
		app.End(ctx, s)
	}
}

// Resumable is the agent, and the session that it can open again another time;
// that is empty if there is none.
func (t *Tab) Resumable() (config.Agent, acpclient.SessionID) {
	if t.conv == nil {
		return t.agent, ""
	}
	return t.agent, app.ResumableID(t.conv)
}

// Title is what the session is about, "" if that is not known.
func (t *Tab) Title() string {
	if t.conv == nil {
		return ""
	}
	return app.ShortTitle(cmp.Or(t.stored.title, t.conv.Title))
}

// SetTheme draws everything in another theme from now on.
func (t *Tab) SetTheme(th *theme.Theme) {
	t.program.Theme = th
	t.composer.SetTheme(th)
	t.dialogs.SetTheme(th)
	if t.list != nil {
		t.list.SetTheme(th)
	}
	if t.changes != nil {
		t.changes.SetTheme(th)
	}
	if t.inspector != nil {
		t.inspector.SetTheme(th)
	}
}

// Recolour colours anew, beside the screen, what was coloured in another theme.
func (t *Tab) Recolour() tea.Cmd {
	if t.inspector == nil {
		return nil
	}
	return t.address(t.inspector.Recolour())
}

// Moves reports whether something in the tab moves while nothing happens: it
// wants to be ticked then.
func (t *Tab) Moves() bool {
	c := t.conv
	if t.replay != nil && !t.replay.Playing() {
		return false
	}
	return c != nil && !waits(t.conv) && (c.Turn.Running || c.Phase == conversation.PhaseStarting || c.Phase == conversation.PhaseOpening)
}

// Tick is one step of what moves.
func (t *Tab) Tick() { t.ticks++ }

// ArmsIn is after what time the tab should be drawn again because the dialog on
// its screen takes keys then; 0 if there is no such dialog.
func (t *Tab) ArmsIn() time.Duration { return t.dialogs.ArmsIn(t.program.Now()) }

// Update takes a message that is for this tab, or a key, a paste or a mouse event
// while it is on the screen.
func (t *Tab) Update(msg tea.Msg) tea.Cmd {
	cmd := t.handle(msg)
	cmd = tea.Batch(cmd, t.prompt.typeLetters(), t.drafts.Touched(msg))
	t.commands.Fit(t.width, t.height)
	if decode := t.pictures.Next(t.list); decode != nil {
		cmd = tea.Batch(cmd, decode)
	}
	return t.address(cmd)
}

func (t *Tab) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case pumpedMsg:
		if msg.pump == t.pump { // else it is of an agent that was left while it started
			return t.fold(msg.batch)
		}
	case batchMsg:
		return t.fold(msg)
	case startedMsg:
		return t.starter.started(msg)
	case agentsMsg:
		return msg.list.take(msg.Agents)
	case progressMsg:
		return msg.of.showProgress()
	case installedMsg:
		return msg.of.ended(msg)
	case tea.KeyPressMsg:
		return t.key(msg)
	case tea.PasteMsg:
		return t.paste(msg.Content)
	case tea.MouseMsg:
		return t.mouse(msg)
	case tea.WindowSizeMsg:
		t.width, t.height = msg.Width, msg.Height
	case tea.ResumeMsg:
		t.dialogs.Regain() // what is pressed at first was for the program that had the terminal
	case ErrorMsg:
		return t.say(msg.Err.Error())
	case composer.ErrorMsg:
		return t.say(msg.Err.Error())
	case copiedMsg:
		return t.say(msg.String())
	case failedMsg:
		msg.dialog.Failed(msg.err)
	case then:
		return msg()
	case pages.ChangesMsg:
		if t.changes != nil {
			return t.changes.Update(msg, t.dialogs.Has(t.changes))
		}
	case pages.InspectorMsg:
		if t.inspector != nil {
			return t.inspector.Update(msg, t.dialogs.Has(t.inspector))
		}
	case editorLeftMsg:
		if t.changes != nil && t.dialogs.Has(t.changes) {
			return t.changes.Open()
		}
	case reopenedMsg:
		return t.starter.reopened(msg)
	default:
		return t.composer.Update(msg)
	}
	return nil
}
