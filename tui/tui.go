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

	"parley/acpclient"
	"parley/config"
	"parley/internal/session"
	"parley/internal/store"
	"parley/tui/screen"
	"parley/tui/tab"
)

const (
	// stopTime is how long the end of a tab or of the program waits for agents to
	// be polite.
	stopTime = 4 * time.Second
	// endTime is how long the end of the program waits for all that it ends.
	endTime = 3500 * time.Millisecond
)

// Options are what the program is started with.
type Options struct {
	Config *config.Config
	// Agents can be chosen from; Agent, if there is one, is started at once.
	Agents []config.Agent
	Agent  *config.Agent
	// Offered finds the agents to choose from, for a person who wants another one
	// later. It may take its time; nil finds none.
	Offered func() ([]config.Agent, error)
	// Start makes the session with an agent. It must not wait for the agent.
	Start func(config.Agent) (*session.Session, error)
	// Stored are the sessions that are kept; nil keeps none. Reopen makes the session that
	// goes on with one of them: see [tab.Program].
	Stored *store.Library
	Reopen func(context.Context, tab.Open) (*tab.Reopened, error)
	// Open is a stored session to begin with; Pick lists those that there are.
	Open *tab.Open
	Pick bool
	// Prompt, if not empty, is sent as soon as there is a session.
	Prompt string
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
	// Stored is the id of the session in the store, "" if it is not stored, and Cwd its
	// directory.
	Stored store.ID
	Cwd    string
}

// Run runs the program until the person leaves it, and ends every agent that it
// started.
func Run(ctx context.Context, opt Options) (Left, error) {
	m := newModel(ctx, opt)
	m.begin(opt) // it needs time, in which the terminal is made ready
	m.ask(opt.Prompt)
	err := screen.Run(ctx, m, screen.Options{})
	stored, cwd := m.front.StoredID(), m.front.Cwd()
	m.shutdown()
	if err != nil {
		return Left{}, fmt.Errorf("the screen failed: %w", err)
	}
	agent, id := m.front.Resumable()
	return Left{agent, id, stored, cwd}, nil
}
