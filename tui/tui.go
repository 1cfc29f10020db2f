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
	"time"

	"parley/config"
	"parley/internal/app"
	"parley/internal/record"
	"parley/tui/screen"
	"parley/tui/tab"
)

const (
	// endTime is how long the end of the program waits for all that it ends.
	endTime = 3500 * time.Millisecond
)

// Options are what the program is started with.
type Options struct {
	app.Backend
	Config *config.Config
	// Agent, if there is one, is started at once.
	Agent *config.Agent
	// Open is a stored session to begin with; Pick lists those that there are.
	Open *app.Open
	Pick bool
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
	// Changes says what has changed from version to version, in Markdown.
	Changes string
	// Shown is called once the first frame is on the terminal; nil calls nothing.
	Shown func()
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Getenv reads the environment that describes the terminal; nil is os.Getenv.
	Getenv func(string) string
}

// Left is what the person left behind.
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

// Run runs the program until the person leaves it, and ends every agent that it
// started.
func Run(ctx context.Context, opt Options) (Left, error) {
	m := newModel(ctx, opt)
	m.begin(opt)
	m.ask(opt.Prompt)
	err := screen.Run(ctx, m, screen.Options{Symbols: glyphs(opt), Inline: opt.Inline, Shown: opt.Shown})
	tabs := m.frontFirst()
	left := make([]app.Left, len(tabs))
	for i, t := range tabs { // while they write their logs
		left[i] = app.Left{Title: t.Summary().Title, Stored: t.StoredID(), Cwd: t.Cwd()}
		m.noteDir(t.Cwd())
	}
	m.shutdown()
	if err != nil {
		return Left{}, fmt.Errorf("the screen failed: %w", err)
	}
	for i, t := range tabs {
		left[i].Agent, left[i].Session = t.Resumable()
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
