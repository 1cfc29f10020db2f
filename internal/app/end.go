package app

import (
	"context"
	"time"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/store"
)

// StopTime is how long an agent has to end by itself.
const StopTime = 4 * time.Second

// End ends a session and hands the rest of its events to its keeper. The agent has until
// ctx ends to end by itself.
func End(ctx context.Context, s *session.Session) {
	s.Close(ctx)
	s.Stream().Take()
}

// Left is a session that the person has left.
type Left struct {
	// Title is what it was called; it is fit to be drawn.
	Title string
	Agent config.Agent
	// Session is the id by which the agent can open it again, and Stored its id in the
	// store. Each is "" if there is none.
	Session acpclient.SessionID
	Stored  store.ID
	Cwd     string
}

// ResumableID is the id by which the agent can open the session of a conversation again,
// "" if it cannot, or nothing was said.
func ResumableID(c *conversation.Conversation) acpclient.SessionID {
	if caps := c.Agent.Capabilities; len(c.Items) > 0 && (caps.LoadSession || caps.SessionCapabilities.Resume != nil) {
		return c.ID
	}
	return ""
}
