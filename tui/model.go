package tui

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"golang.org/x/mod/semver"

	"parley/config"
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/composer"
	"parley/tui/desktop"
	"parley/tui/dialog"
	"parley/tui/screen"
	"parley/tui/tab"
	"parley/tui/theme"
)

// tick is the time between two steps of what moves, while it moves.
const tick = 120 * time.Millisecond

// slowTick is that time where nothing moves: what is said after a while is said then.
const slowTick = time.Second

// Model is the root of the program's state: the tabs, and what they share.
type Model struct {
	// program is shared by all tabs.
	program tab.Program
	theming themeState
	// attention notifies the user when they look elsewhere.
	attention attention
	// cwd is the directory of a new tab.
	cwd string
	// first is the command of the start, which Init returns.
	first tea.Cmd

	// inline leaves what has happened to the terminal, above a few lines that are drawn.
	inline bool
	// wrote is the tab whose lines went to the scrollback last.
	wrote tab.ID
	// takesMouse means that parley handles the mouse.
	takesMouse bool

	width, height int

	// tabs are never empty; front is the one on the screen.
	tabs   []*tab.Tab
	front  *tab.Tab
	lastID tab.ID
	ending sync.WaitGroup // what has been closed and is not gone yet

	dirs []string // of the tabs that were closed

	changed bool // the last message may have changed what is on the screen
	line    tabLine

	ticks  time.Time // when the tick comes that is under way; zero for none
	arming bool      // an armMsg is under way
}

func newModel(ctx context.Context, opt Options) *Model {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	look := newThemeState(opt.Config)
	m := &Model{
		theming: look, attention: newAttention(opt.Config.Attention, getenv(opt)),
		program: tab.Program{
			Context: ctx, Theme: look.theme(), ReducedMotion: opt.Config.ReducedMotion, Keys: opt.Config.Keys, Vim: opt.Config.Vim, Enter: opt.Config.Enter, AnswerKey: opt.Config.AnswerKey,
			Guard: dialog.NewGuard(opt.Now), History: historyOf(opt), Backend: opt.Backend,
			Version: opt.Version, Now: opt.Now, Clipboard: desktop.SystemClipboard(os.Getenv).Copy,
			ClipboardImage: desktop.SystemClipboard(os.Getenv).Image,
		},
		inline:     opt.Inline,
		takesMouse: !opt.Config.NoMouse,
		cwd:        opt.Cwd,
		width:      80, height: 24,
	}
	m.program.Guard.Watched = true
	m.program.Tabs, m.program.ThemeSwitcher = tabRow{m}, themeSwitcher{m}
	if opt.Replay != nil {
		m.program.Clipboard = nil                  // its programs are programs
		m.attention.config.When = config.WhenNever // nothing happens now
	}
	m.show(m.add(m.cwd))
	return m
}

// historyOf returns the prompt history. A replay has none.
func historyOf(opt Options) *composer.History {
	if opt.Replay != nil {
		return composer.NewHistory("", opt.Cwd)
	}
	return composer.NewHistory(composer.HistoryFile(), opt.Cwd)
}

// Init implements [screen.Model].
func (m *Model) Init() tea.Cmd {
	return tea.Batch(m.first, m.recall, m.loadHistory, m.askForBackground())
}

// loadHistory reads the earlier prompts in the background.
func (m *Model) loadHistory() tea.Msg {
	if err := m.program.History.Load(); err != nil {
		return tab.ErrorMsg{Err: err}
	}
	return nil
}

type (
	tickMsg struct{ at time.Time }
	armMsg  struct{}
	// seenMsg means that a question is on the screen: see [dialog.Guard.Seen].
	seenMsg struct{ opening int }
)

// Patient implements [screen.Patient].
func (tickMsg) Patient() {}

// Update implements [screen.Model].
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	m.changed = true
	m.attention.focus(msg)
	cmd := m.route(msg)
	follow, others := m.front.FollowOthers()
	m.changed = m.changed || others
	return tea.Batch(cmd, follow, m.animate(), m.arm(), m.attend(), m.askForBackground(), m.recolour())
}

// route gives a message to its tab, to the front tab, or to the program.
func (m *Model) route(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tab.Msg:
		return m.deliver(msg)
	case tab.Request:
		return m.grant(msg)
	case tea.KeyPressMsg:
		if m.tooSmall() && !m.leaves(msg.String()) {
			return m.front.TypeUnseen(msg)
		}
		return m.front.Update(msg)
	case tea.PasteMsg:
		if m.tooSmall() {
			return m.front.TypeUnseen(msg)
		}
		return m.front.Update(msg)
	case tea.MouseMsg:
		if m.tooSmall() {
			return nil
		}
		return m.mouse(msg)
	case tea.ResumeMsg:
		return m.front.Update(msg)
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		return m.front.Update(msg)
	case tea.BackgroundColorMsg:
		m.background(msg.IsDark())
	case screen.BackgroundMsg:
		m.background(msg.Dark)
		m.theming.asks = m.theming.follows() // it may be another than the scheme suggests
	case tea.FocusMsg:
		m.theming.asks = m.theming.follows() // for terminals that do not tell when it changes
	case tea.ModeReportMsg:
		if msg.Mode == ansi.ModeUnicodeCore {
			measureBy(msg.Value)
		}
	case tea.ColorProfileMsg:
		if depth := theme.DepthOf(msg.Profile); depth != m.theming.depth {
			m.theming.depth = depth
			m.restyle()
		}
	case tab.ErrorMsg: // of what the program itself has tried
		return m.front.Update(msg)
	case tickMsg:
		if msg.at.Equal(m.ticks) {
			m.ticks = time.Time{}
		}
		m.front.Tick()
	case recalledMsg:
		return m.recalled(msg)
	case seenMsg:
		m.program.Guard.Seen(msg.opening)
		m.changed = false // until the question takes keys
	case armMsg:
		m.arming = false // and the screen is drawn again
		return m.front.Due()
	}
	return nil
}

// measureBy lays out everything as the terminal measures text, now that it has
// said what it makes of mode 2027. Who paints switches the mode on if it is off.
func measureBy(graphemes ansi.ModeSetting) {
	switch graphemes {
	case ansi.ModeReset, ansi.ModeSet, ansi.ModePermanentlySet:
		termtext.UseMethod(termtext.Graphemes)
	default:
		termtext.UseMethod(termtext.Safe)
	}
}

// grant fulfils a tab's request.
func (m *Model) grant(w tab.Request) tea.Cmd {
	switch w := w.(type) {
	case tab.Quit:
		return m.quit(w)
	case tab.Open:
		return m.openAll(w)
	case tab.Consent:
		return m.consent(w)
	case tab.Leave:
		return m.close(w.Tab)
	case tab.End:
		m.ending.Go(func() { politely(w.Do) })
	case tab.Copy:
		return tea.Raw(ansi.SetSystemClipboard(termtext.Block(w.Text))) // it is pasted where parley cannot guard it
	case tab.Suspend:
		return tea.Suspend
	case tab.Exec:
		return screen.Exec(w.To, w.Done)
	}
	return nil
}

// animate keeps a tick pending for when something moves next.
func (m *Model) animate() tea.Cmd {
	now := m.program.Now()
	next := m.front.Changes(now)
	if m.front.Moves() {
		every := tick
		if m.program.ReducedMotion {
			every = slowTick
		}
		next = now.Add(every)
	}
	if next.IsZero() || !m.ticks.IsZero() && !m.ticks.After(next) {
		return nil
	}
	m.ticks = next
	return tea.Tick(next.Sub(now), func(time.Time) tea.Msg { return tickMsg{next} })
}

// arm keeps one message pending for the moment when the visible dialog takes keys, to draw
// it again.
func (m *Model) arm() tea.Cmd {
	in := m.front.ArmsIn()
	if m.arming || in <= 0 {
		return nil
	}
	m.arming = true
	return tea.Tick(in+time.Millisecond, func(time.Time) tea.Msg { return armMsg{} })
}

// Frame implements [screen.Model].
func (m *Model) Frame() screen.Frame {
	if m.inline && !m.front.Covers() && !m.tooSmall() {
		return m.inlineFrame()
	}
	f := m.frame(m.draw())
	f.Whole = true
	if m.takesMouse && m.front.TakesMouse() {
		f.MouseMode = tea.MouseModeCellMotion
	}
	return f
}

// frame returns the frame for a screen of any size.
func (m *Model) frame(s tab.Screen) screen.Frame {
	follows := m.theming.follows()
	f := screen.Frame{Lines: s.Lines, Status: m.programStatus(), Background: follows, View: tea.View{
		Cursor: s.Cursor, WindowTitle: m.windowTitle(), ProgressBar: m.progressBar(), ReportFocus: follows || m.attention.config.When == config.WhenUnfocused,
	}}
	if opening, unseen := m.program.Guard.Unseen(); unseen && !m.tooSmall() {
		f.Shown = seenMsg{opening}
	}
	return f
}

// leastWidth and leastHeight are the size from which on everything that matters has its
// place.
const leastWidth, leastHeight = 40, 12

// draw draws the screen and its cursor.
func (m *Model) draw() tab.Screen {
	if m.tooSmall() {
		return m.sayTooSmall()
	}
	return m.belowLine(m.front.Draw(m.width, m.height-m.lineHeight()))
}

// belowLine puts a tab's lines below the tab line, if there is one.
func (m *Model) belowLine(s tab.Screen) tab.Screen {
	if m.lineHeight() > 0 {
		s.Lines = slices.Insert(s.Lines, 0, m.line.draw(m.program.Theme, m.summaries(), m.indexOf(m.front.ID()), m.width))
		if s.Cursor != nil {
			s.Cursor.Y += m.lineHeight()
		}
	}
	return s
}

func (m *Model) tooSmall() bool { return m.width < leastWidth || m.height < leastHeight }

// leaves reports keys that cancel or leave: they count also where there is no room.
func (m *Model) leaves(key string) bool {
	keys := m.program.Keys
	return keys.Match(command.Interrupt, key) || keys.Match(command.Quit, key)
}

// sayTooSmall draws the message that the window is too small. Sessions continue, but keys
// only edit the draft, so that nothing is answered or sent unseen.
func (m *Model) sayTooSmall() tab.Screen {
	words := fmt.Sprintf("%d×%d is too small: parley needs %d×%d", m.width, m.height, leastWidth, leastHeight)
	lines := termtext.Wrap(words, max(1, m.width))
	return tab.Screen{Lines: lines[:min(len(lines), m.height)]}
}

// windowTitle says how things stand, what matters most first: how many wait for the
// user, that an agent has gone, or that one works; and what the session in front is
// about. It is "" if parley leaves the title alone.
func (m *Model) windowTitle() string {
	if m.attention.config.NoTitle {
		return ""
	}
	title := "parley"
	if about := m.front.Title(); about != "" {
		title = about + " · parley"
	}
	switch waiting := m.count(conversation.StandingAsks); {
	case waiting > 0:
		return fmt.Sprintf("(%s %d) %s", app.Words[conversation.StandingAsks], waiting, title)
	case m.count(conversation.StandingLost) > 0:
		return "(" + app.Words[conversation.StandingLost] + ") " + title
	case m.count(conversation.StandingFailed) > 0:
		return "(" + app.Words[conversation.StandingFailed] + ") " + title
	case m.works():
		return "(" + app.Words[conversation.StandingWorking] + ") " + title
	}
	return title
}

// recalledMsg is what was used before this start.
type recalledMsg config.Recent

// recall reads what was used last, in the background.
func (m *Model) recall() tea.Msg {
	if m.program.Recent == nil {
		return nil
	}
	return recalledMsg(m.program.Recent.Load())
}

// recalled tells of a new version once, when it is started first. Where no version was
// started before, nothing is new.
func (m *Model) recalled(used recalledMsg) tea.Cmd {
	now, before := canonical(m.program.Version), canonical(used.Version)
	if !semver.IsValid(now) || semver.Compare(now, before) <= 0 {
		return nil
	}
	if semver.IsValid(before) && m.program.News != "" {
		m.front.TellNews()
	}
	memory, version := m.program.Recent, m.program.Version
	return func() tea.Msg {
		_ = memory.Version(version) // on failure the news is shown once more
		return nil
	}
}

// canonical is a version with the letter in front that package semver wants.
func canonical(version string) string {
	return "v" + strings.TrimPrefix(version, "v")
}
