package tui

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/config"
	"parley/internal/cells"
	"parley/internal/safetext"
	"parley/tui/clipboard"
	"parley/tui/composer"
	"parley/tui/dialog"
	"parley/tui/screen"
	"parley/tui/tab"
	"parley/tui/theme"
)

// tick is the time between two steps of what moves, while it moves.
const tick = 120 * time.Millisecond

// Model is the root of the program's state: the tabs, and what they share.
type Model struct {
	// program is what every tab is made with.
	program tab.Program
	// autoTheme says that the theme follows the terminal's background.
	autoTheme bool
	// markdown is how Markdown is drawn in every theme.
	markdown config.MarkdownStyle
	// cwd is the directory of a new tab.
	cwd string
	// first is the command of the start, which Init returns.
	first tea.Cmd

	depth theme.Depth
	// takesMouse says that the mouse is not left to the terminal.
	takesMouse bool

	width, height int

	// tabs are never empty; front is the one on the screen.
	tabs   []*tab.Tab
	front  *tab.Tab
	lastID tab.ID
	ending sync.WaitGroup // what has been closed and is not gone yet

	changed bool // the last message may have changed what is on the screen
	line    tabLine

	ticking bool // a tick is under way
	arming  bool // an armMsg is under way
	// trouble is what went wrong before there was a screen to say it on.
	trouble error
}

func newModel(ctx context.Context, opt Options) *Model {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	history, err := composer.OpenHistory(composer.HistoryFile(), opt.Cwd)
	th := theme.New(opt.Config.Theme != config.ThemeLight).WithMarkdown(opt.Config.MarkdownStyle.Style)
	m := &Model{
		program: tab.Program{
			Context: ctx, Theme: th, Keys: opt.Config.Keys,
			Guard: dialog.NewGuard(opt.Now), History: history, Agents: opt.Agents, Offered: opt.Offered, Start: opt.Start,
			Stored: opt.Stored, Reopen: opt.Reopen,
			Version: opt.Version, Now: opt.Now, Clipboard: clipboard.Here(os.Getenv).Copy,
		},
		takesMouse: !opt.Config.NoMouse,
		autoTheme:  opt.Config.Theme == config.ThemeAuto, markdown: opt.Config.MarkdownStyle,
		cwd:   opt.Cwd,
		width: 80, height: 24,
		trouble: err, // the prompts of this time are not remembered
	}
	m.program.Row = row{m}
	m.show(m.add())
	return m
}

// start starts an agent, or, if there is none, lets the person choose one. It is
// called before the screen is there; Init takes up what comes of it.
func (m *Model) start(a *config.Agent) { m.first = m.front.Start(a) }

// ask sends a first prompt, if there is one, as soon as there is a session. It is
// called before the screen is there.
func (m *Model) ask(prompt string) {
	if prompt != "" {
		m.first = tea.Batch(m.first, m.front.Ask(prompt))
	}
}

// Init implements [screen.Model].
func (m *Model) Init() tea.Cmd {
	cmds := []tea.Cmd{m.first}
	if m.trouble != nil {
		cmds = append(cmds, m.front.Update(tab.ErrorMsg{Err: m.trouble}))
	}
	if m.autoTheme {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	return tea.Batch(cmds...)
}

type (
	tickMsg struct{}
	armMsg  struct{}
)

// Patient implements [screen.Patient].
func (tickMsg) Patient() {}

// Update implements [screen.Model].
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	m.changed = true
	cmd := m.route(msg)
	return tea.Batch(cmd, m.animate(), m.arm())
}

// route gives a message to whom it is for: the tab that it names, the tab on the
// screen, or the program itself.
func (m *Model) route(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tab.Msg:
		return m.deliver(msg)
	case tab.Wish:
		return m.grant(msg)
	case tea.KeyPressMsg, tea.PasteMsg:
		return m.front.Update(msg)
	case tea.MouseMsg:
		return m.mouse(msg)
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		return m.front.Update(msg)
	case tea.BackgroundColorMsg:
		if m.autoTheme && msg.IsDark() != m.program.Theme.Dark {
			m.setTheme(msg.IsDark(), m.depth)
		}
	case tea.ModeReportMsg:
		if msg.Mode == ansi.ModeUnicodeCore {
			measureBy(msg.Value)
		}
	case tea.ColorProfileMsg:
		if depth := theme.DepthOf(msg.Profile); depth != m.depth {
			m.setTheme(m.program.Theme.Dark, depth)
		}
	case tickMsg:
		m.ticking = false
		m.front.Tick()
	case armMsg:
		m.arming = false // and the screen is drawn again
	}
	return nil
}

// measureBy lays out everything as the terminal measures text, now that it has
// said what it makes of mode 2027. Who paints switches the mode on if it is off.
func measureBy(graphemes ansi.ModeSetting) {
	switch graphemes {
	case ansi.ModeReset, ansi.ModeSet, ansi.ModePermanentlySet:
		cells.Use(cells.Graphemes)
	default:
		cells.Use(cells.Safe)
	}
}

// grant does what a tab wishes.
func (m *Model) grant(w tab.Wish) tea.Cmd {
	switch w := w.(type) {
	case tab.Quit:
		return m.quit(w)
	case tab.Open:
		return m.open(w)
	case tab.Leave:
		return m.close(w.Tab)
	case tab.End:
		m.ending.Go(func() { politely(w.Do) })
	case tab.Copy:
		return tea.SetClipboard(safetext.Block(w.Text)) // it is pasted where parley cannot guard it
	case tab.Suspend:
		return tea.Suspend
	case tab.Exec:
		return screen.Exec(w.Cmd, w.Done)
	}
	return nil
}

// animate keeps one tick under way while something on the screen moves, and none
// otherwise.
func (m *Model) animate() tea.Cmd {
	if m.ticking || !m.front.Moves() {
		return nil
	}
	m.ticking = true
	return tea.Tick(tick, func(time.Time) tea.Msg { return tickMsg{} })
}

// arm keeps one message under way for the moment at which the dialog on the screen
// takes keys: it is drawn again then.
func (m *Model) arm() tea.Cmd {
	in := m.front.ArmsIn()
	if m.arming || in <= 0 {
		return nil
	}
	m.arming = true
	return tea.Tick(in+time.Millisecond, func(time.Time) tea.Msg { return armMsg{} })
}

// setTheme draws everything for a background, and for the colours that the
// terminal has.
func (m *Model) setTheme(dark bool, depth theme.Depth) {
	m.depth = depth
	m.program.Theme = theme.NewFor(dark, depth).WithMarkdown(m.markdown.Style)
	for _, t := range m.tabs {
		t.SetTheme(m.program.Theme)
	}
}

// Frame implements [screen.Model].
func (m *Model) Frame() screen.Frame {
	s := m.draw()
	f := screen.Frame{Lines: s.Lines, Cursor: s.Cursor, Title: m.windowTitle()}
	if m.takesMouse && m.front.TakesMouse() {
		f.Mouse = tea.MouseModeCellMotion
	}
	return f
}

// draw makes the lines of the screen, and the cursor, from the state.
func (m *Model) draw() tab.Screen {
	above := m.lineHeight()
	s := m.front.Draw(m.width, m.height-above)
	if above > 0 {
		s.Lines = slices.Insert(s.Lines, 0, m.line.draw(m.program.Theme, m.faces(), m.indexOf(m.front.ID()), m.width))
		if s.Cursor != nil {
			s.Cursor.Y += above
		}
	}
	return s
}

// windowTitle says what the session in front is about, and how many wait for the
// person.
func (m *Model) windowTitle() string {
	title := "parley"
	if about := m.front.Title(); about != "" {
		title = about + " · parley"
	}
	waiting := 0
	for _, t := range m.tabs {
		if t.State() == tab.Waiting {
			waiting++
		}
	}
	if waiting > 0 {
		return fmt.Sprintf("(%d waiting) %s", waiting, title)
	}
	return title
}
