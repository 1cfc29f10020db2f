package app

import (
	"context"
	"errors"
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

// GoneText says what has happened to the agent of a conversation that is gone. connects
// says that the agent is on the network.
func GoneText(c *conversation.Conversation, connects bool) string {
	switch failed := c.Phase == conversation.PhaseFailed; {
	case failed && connects:
		return "Not connected to the agent"
	case failed:
		return "The agent could not be started"
	case connects:
		return "Lost the connection to the agent"
	}
	return "The agent exited"
}

// StartErrorText is an error of starting an agent, with how to install the agent if that is
// known.
func StartErrorText(a config.Agent, err error) string {
	text := err.Error()
	if errors.As(err, new(*acpclient.StartError)) && a.InstallHint != "" {
		text += "\nTo install it: " + a.InstallHint
	}
	return text
}
