// Package tui is parley on the screen: one Bubble Tea model that routes messages
// to plain parts (the transcript, the composer, dialogs) and draws them.
//
// Update never waits and draws nothing; whatever takes time is a command. Draw
// is one pure step from the state to the lines of a screen, and touches only
// what can be seen.
package tui

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/internal/safetext"
	"parley/internal/session"
	"parley/tui/composer"
	"parley/tui/dialog"
	"parley/tui/theme"
	"parley/tui/transcript"
)

const (
	// tick is the time between two steps of what moves, while it moves.
	tick = 120 * time.Millisecond
	// slowStart is when it is said that an agent is still starting.
	slowStart = 3 * time.Second
	// slowCancel is when it is offered to stop an agent that ignores a cancel.
	slowCancel = 5 * time.Second
	// againTime is how long the first of two ctrl+c counts.
	againTime = 2 * time.Second
	// wheelLines is how far one step of the mouse wheel scrolls.
	wheelLines = 3
	// framesPerSecond is Bubble Tea's clock for painting. A key waits for it: at
	// 120 it is on the screen in 6 ms at the median, at the usual 60 in 13.
	framesPerSecond = 120
	// stopTime is how long the end of the program waits for agents to be polite.
	stopTime = 4 * time.Second
)

// Options are what the program is started with.
type Options struct {
	Config *config.Config
	// Agents can be chosen from; Agent, if there is one, is started at once.
	Agents []config.Agent
	Agent  *config.Agent
	// Start makes the session with an agent. It must not wait for the agent.
	Start func(config.Agent) (*session.Session, error)
	// Cwd is shown while there is no session.
	Cwd     string
	Version string
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Left is what the person left behind.
type Left struct {
	// Agent and Session are those that were on the screen last; Session is empty
	// if none was open, or the agent cannot open it again.
	Agent   config.Agent
	Session acpclient.SessionID
}

// Run runs the program until the person leaves it, and ends every agent that it
// started.
func Run(ctx context.Context, opt Options) (Left, error) {
	m := newModel(ctx, opt)
	// Signals end ctx, which leaves as a person would: two listeners for the
	// same signal can wait for each other for ever.
	p := tea.NewProgram(m, tea.WithoutSignalHandler(), tea.WithFPS(framesPerSecond))
	defer context.AfterFunc(ctx, p.Quit)()
	_, err := p.Run()
	m.shutdown()
	if err != nil {
		return Left{}, fmt.Errorf("the screen failed: %w", err)
	}
	return m.left(), nil
}

func (m *Model) left() Left {
	l := Left{Agent: m.agent}
	if c := m.conv; c != nil && len(c.Items) > 0 {
		caps := c.Agent.Capabilities
		if caps.LoadSession || caps.SessionCapabilities.Resume != nil {
			l.Session = c.ID
		}
	}
	return l
}

// Model is the root of the program's state.
type Model struct {
	ctx  context.Context
	opt  Options
	keys config.Keys
	now  func() time.Time

	theme         *theme.Theme
	width, height int
	cwd, branch   string

	// The agent and the session, nil until one was chosen.
	agent   config.Agent
	session *session.Session
	conv    *conversation.Conversation
	list    *transcript.List
	pump    *pump

	history  *composer.History
	composer *composer.Composer
	outbox   []composer.Prompt // sent by the person, on their way to the session
	dialogs  []dialog.Dialog   // the last one is on top
	guard    *dialog.Guard

	sessions []acpclient.SessionInfo // of the agent, as far as they were listed
	listing  int                     // counts the lists: a page of an earlier one is dropped

	ticking bool
	arming  bool
	ticks   int
	flash   string // said above the prompt for a moment
	flashID int
	leaving time.Time // of a first ctrl+c with nothing left to clear
	area    layout    // of what was drawn last, for the mouse
}

func newModel(ctx context.Context, opt Options) *Model {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	m := &Model{
		ctx: ctx, opt: opt, keys: opt.Config.Keys, now: opt.Now, cwd: opt.Cwd,
		theme: theme.New(opt.Config.Theme != config.ThemeLight),
		width: 80, height: 24,
	}
	m.guard = dialog.NewGuard(m.now)
	history, err := composer.OpenHistory(composer.HistoryFile(), opt.Cwd)
	if err != nil {
		m.flash = err.Error() // and the prompts of this time are not remembered
	}
	m.history = history
	m.composer = m.newComposer(opt.Cwd)
	return m
}

// newComposer makes an empty composer for a project.
func (m *Model) newComposer(root string) *composer.Composer {
	return composer.New(composer.Options{
		Theme: m.theme, Keys: m.keys, History: m.history, Root: root, Now: m.now,
		Placeholder: "Ask for something",
	})
}

// Init starts the chosen agent, or lets the person choose one.
func (m *Model) Init() tea.Cmd {
	cmds := []tea.Cmd{readBranch(m.cwd)}
	if m.flash != "" {
		cmds = append(cmds, m.say(m.flash))
	}
	if m.opt.Config.Theme == config.ThemeAuto {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	if m.opt.Agent != nil {
		cmds = append(cmds, m.start(*m.opt.Agent))
	} else {
		m.push(m.agentPicker())
	}
	return tea.Batch(cmds...)
}

// startedMsg is a session made for an agent, or why there is none.
type startedMsg struct {
	agent   config.Agent
	session *session.Session
	err     error
}

// start makes a session with an agent.
func (m *Model) start(a config.Agent) tea.Cmd {
	return func() tea.Msg {
		s, err := m.opt.Start(a)
		return startedMsg{a, s, err}
	}
}

// started begins the session.
func (m *Model) started(msg startedMsg) tea.Cmd {
	if msg.err != nil {
		m.push(m.startFailed(msg.agent, msg.err))
		return nil
	}
	m.agent = msg.agent
	m.adopt(msg.session)
	m.session.Start()
	return tea.Batch(m.pump.next, readBranch(m.cwd))
}

// adopt makes a session the one on the screen.
func (m *Model) adopt(s *session.Session) {
	m.session, m.conv = s, conversation.New()
	m.cwd, m.branch = s.Options().Cwd, ""
	m.conv.Cwd = m.cwd
	m.list = transcript.New(m.theme, m.conv)
	m.composer = m.newComposer(m.cwd)
	m.pump = &pump{ctx: m.ctx, session: s}
}

// shutdown ends the agent, politely at first.
func (m *Model) shutdown() {
	if m.session == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	m.session.Close(ctx)
}

type (
	tickMsg     struct{}
	armMsg      struct{}
	flashMsg    int
	leavingOver struct{}
)

// Update implements tea.Model.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.update(msg)
	return m, tea.Batch(cmd, m.animate(), m.arm())
}

func (m *Model) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case batchMsg:
		return m.fold(msg)
	case startedMsg:
		return m.started(msg)
	case tea.KeyPressMsg:
		return m.key(msg)
	case tea.PasteMsg:
		return m.paste(msg.Content)
	case tea.MouseMsg:
		return m.mouse(msg)
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.BackgroundColorMsg:
		if m.opt.Config.Theme == config.ThemeAuto && msg.IsDark() != m.theme.Dark {
			m.setTheme(theme.New(msg.IsDark()))
		}
	case branchMsg:
		if msg.dir == m.cwd {
			m.branch = msg.branch
		}
	case tickMsg:
		m.ticking = false
		m.ticks++
	case flashMsg:
		if int(msg) == m.flashID {
			m.flash = ""
		}
	case armMsg:
		m.arming = false // and the screen is drawn again
	case leavingOver:
		// The screen is drawn again: a hint is over.
	default:
		return m.other(msg)
	}
	return nil
}

// fold takes a batch of events into the conversation and asks for the next.
func (m *Model) fold(b batchMsg) tea.Cmd {
	if b.session != m.session {
		return nil
	}
	var cmds []tea.Cmd
	for _, e := range b.events {
		m.conv.Apply(e)
		cmds = append(cmds, m.react(e))
	}
	m.questions()
	cmds = append(cmds, m.pump.next)
	return tea.Batch(cmds...)
}

// react does what an event asks for beyond being shown.
func (m *Model) react(e conversation.Event) tea.Cmd {
	switch e := e.(type) {
	case conversation.SessionOpening:
		if e.Clear {
			m.list.Reset()
		}
	case conversation.AuthRequired:
		m.askToSignIn(e)
	case conversation.AuthDone:
		m.signedIn(e)
	case conversation.AgentLost:
		m.push(m.lost())
	case conversation.SessionFailed:
		m.push(m.sessionFailed(e.Err))
	case conversation.TurnEnded:
		return readBranch(m.cwd)
	case conversation.Update:
		if _, ok := e.Update.(*acpclient.AvailableCommandsUpdate); ok {
			m.composer.SetCommands(m.conv.Commands)
		}
	}
	return nil
}

// animate keeps one tick under way while something moves, and none otherwise.
func (m *Model) animate() tea.Cmd {
	c := m.conv
	if c == nil || m.ticking {
		return nil
	}
	if !c.Turn.Running && c.Phase != conversation.PhaseStarting && c.Phase != conversation.PhaseOpening {
		return nil
	}
	m.ticking = true
	return tea.Tick(tick, func(time.Time) tea.Msg { return tickMsg{} })
}

// say shows something above the prompt for a moment.
func (m *Model) say(words string) tea.Cmd {
	m.flash = safetext.Line(words) // it may quote the agent
	m.flashID++
	id := m.flashID
	return tea.Tick(3*time.Second, func(time.Time) tea.Msg { return flashMsg(id) })
}

func (m *Model) setTheme(th *theme.Theme) {
	m.theme = th
	m.composer.SetTheme(th)
	if m.list != nil {
		m.list.SetTheme(th)
	}
	for _, d := range m.dialogs {
		d.SetTheme(th)
	}
}

// other hands messages on to the parts that they may be for.
func (m *Model) other(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case failedMsg:
		return m.say(msg.err.Error())
	case composer.ErrorMsg:
		return m.say(msg.Err.Error())
	case promptMsg:
		return m.sent(msg)
	case urlFailedMsg:
		m.urlFailed(msg)
		return nil
	case savedMsg:
		return m.saved(msg)
	case sessionsMsg:
		return m.takeSessions(msg)
	case filesMsg:
		m.filesShown(msg)
		return nil
	case deletedMsg:
		return m.deleted(msg)
	case terminalAuthMsg:
		m.signedInOnTerminal(msg)
		return nil
	case logoutMsg:
		if msg.err != nil {
			return m.say("signing out failed: " + msg.err.Error())
		}
		return m.say("signed out")
	}
	return m.composer.Update(msg)
}
