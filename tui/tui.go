// Package tui is parley on the screen: a Bubble Tea model that owns the tabs,
// hands every message to the tab that it is for, and draws the one in front.
//
// Update never waits and draws nothing; whatever takes time is a command. Frame is
// one pure step from the state to the lines of a screen, and touches only what
// can be seen. When it is taken is decided by package screen.
package tui

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/record"
	"parley/internal/termtext"
	"parley/tui/screen"
	"parley/tui/tab"
)

// endTime is how long the end of the program waits for all that it ends.
const endTime = 3500 * time.Millisecond

// Options are what the program is started with.
type Options struct {
	app.Backend
	Config *config.Config
	// Agent, if there is one, is started at once.
	Agent *config.Agent
	// Open is a stored session to begin with; Pick lists those that there are, and Board those that
	// run.
	Open  *app.Spec
	Pick  bool
	Board bool
	// Replay, if not nil, is shown instead: no agent starts, and no file is read or
	// written.
	Replay *record.Player
	// Prompt, if not empty, is sent as soon as there is a session.
	Prompt string
	// Inline draws at the end of what the terminal has shown so far, and leaves it what
	// is done.
	Inline bool
	// Cwd is shown while there is no session.
	Cwd     string
	Version string
	// Shown is called once the first frame is on the terminal; nil calls nothing.
	Shown func()
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Getenv reads the environment that describes the terminal; nil is os.Getenv.
	Getenv func(string) string
}

// Left is what the user left behind.
type Left struct {
	// Tabs are those that were open, the one that was on the screen last before the others.
	Tabs []app.Left
	// Dirs are the directories of all sessions that there were, each once.
	Dirs []string
}

// glyphs is which characters the terminal shows.
func glyphs(opt Options) screen.SymbolSet {
	switch opt.Config.Glyphs {
	case config.GlyphsUnicode:
		return screen.Unicode
	case config.GlyphsASCII:
		return screen.ASCII
	}
	return screen.SymbolSetOf(getenv(opt))
}

// started is when a start is over. What it leaves is freed then, since a program that does
// nothing collects no garbage.
const started = 500 * time.Millisecond

// Run runs the program until the user leaves it, and ends every agent that it
// started.
func Run(ctx context.Context, opt Options) (Left, error) {
	m := newModel(ctx, opt)
	m.begin(opt)
	time.AfterFunc(started, debug.FreeOSMemory)
	err := screen.Run(ctx, m, screen.Options{Symbols: glyphs(opt), Inline: opt.Inline, Shown: opt.Shown})
	tabs := m.frontFirst()
	left := make([]app.Left, len(tabs))
	for i, t := range tabs { // while they write their logs
		left[i] = t.Left()
		m.noteDir(t.Cwd())
	}
	m.shutdown()
	if err != nil {
		return Left{}, fmt.Errorf("the screen failed: %w", err)
	}
	for i, t := range tabs {
		left[i].Unsent = t.Unsent() // a host may have confirmed some as they were left
	}
	return Left{left, m.dirs}, nil
}

// frontFirst are the tabs, the one in front before the others.
func (m *Model) frontFirst() []*tab.Tab {
	tabs := []*tab.Tab{m.front}
	for _, t := range m.tabs {
		if t != m.front {
			tabs = append(tabs, t)
		}
	}
	return tabs
}

// begin starts what the options ask for: a stored session, the list of sessions, or an
// agent. Then it offers a session that was never ended, and sends the first prompt. It runs before the
// screen exists; Init returns its commands.
func (m *Model) begin(opt Options) {
	switch {
	case opt.Replay != nil:
		m.first = m.front.Replay(opt.Replay)
	case opt.Open != nil:
		m.first = m.front.Open(*opt.Open)
	case opt.Board:
		m.first = m.front.Do(command.ShowBoard)
	case opt.Pick:
		m.first = m.front.Do(command.ChooseSession)
	default:
		m.first = tea.Batch(m.front.Start(opt.Agent), m.front.OfferUnended(), m.front.OfferRunning(), m.front.LoadDraft())
	}
	if opt.Prompt != "" {
		m.first = tea.Batch(m.first, m.front.Ask(opt.Prompt))
	}
}

// open shows a stored session in the tab that has it open, else in a new one. It closes a
// blank tab.
func (m *Model) open(s app.Spec) tea.Cmd {
	for _, t := range m.tabs {
		if s.Running != "" && t.Running() == s.Running || s.Stored != "" && s.Branch == 0 && t.StoredID() == s.Stored {
			m.show(t)
			return nil
		}
	}
	before := m.front
	t, cmd := tabRow{m}.Open(s)
	m.show(t)
	if before.Blank() {
		cmd = tea.Batch(cmd, m.close(before.ID()))
	}
	return cmd
}

// openAll opens several stored sessions, the last one in front.
func (m *Model) openAll(all tab.Open) tea.Cmd {
	var cmds []tea.Cmd
	for _, o := range all {
		cmds = append(cmds, m.open(o))
	}
	return tea.Batch(cmds...)
}

// consent gives an answer about an agent to all tabs that ask about it.
func (m *Model) consent(c tab.Consent) tea.Cmd {
	cmds := make([]tea.Cmd, len(m.tabs))
	for i, t := range m.tabs {
		cmds[i] = t.TakeConsent(c)
	}
	return tea.Batch(cmds...)
}

// inlineFrame is a frame for a terminal of which only the end is drawn on. The mouse is
// the terminal's.
func (m *Model) inlineFrame() screen.Frame {
	s, done, more := m.front.DrawInline(m.width, m.height-m.lineHeight())
	f := m.frame(m.belowLine(s))
	f.Above, f.More = m.headed(m.front, done), more
	return f
}

// Stay implements [screen.Model]. The lines of the tab in front come last, where its
// screen was.
func (m *Model) Stay() []string {
	var lines []string
	tabs := m.frontFirst()
	for _, t := range slices.Concat(tabs[1:], tabs[:1]) {
		lines = append(lines, m.headed(t, t.Unprinted(m.width))...)
	}
	return lines
}

// headed puts a line that names a tab above lines of it, if the lines that the terminal
// has got before are of another one: they stay together, and nothing else tells them
// apart.
func (m *Model) headed(t *tab.Tab, lines []string) []string {
	if len(lines) == 0 {
		return nil
	}
	before := m.wrote
	m.wrote = t.ID()
	if before == t.ID() || before == 0 && len(m.tabs) == 1 {
		return lines
	}
	return append([]string{"", m.heading(t)}, lines...)
}

// heading is the line that says that what follows is of a tab.
func (m *Model) heading(t *tab.Tab) string {
	th := m.program.Theme
	name := termtext.Truncate(fmt.Sprintf(" tab %d: %s ", m.indexOf(t.ID())+1, t.Summary().Title), m.width-4, "… ")
	rule := strings.Repeat("─", max(0, m.width-2-termtext.Width(name)))
	return th.Faint.Render("──") + th.Muted.Render(name) + th.Faint.Render(rule)
}
