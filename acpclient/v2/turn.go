package v2

import (
	"context"
	"slices"

	"parley/acpclient"
)

// In version 2 the response to a prompt accepts it, and state updates say when the agent
// is working and when it is idle. A turn ends
//
//   - with the error response to the prompt,
//   - with the first change from working to idle after the message was inserted: after
//     the response or the update with the message, whichever came first,
//   - or with the connection.
//
// Agents may repeat states, so another idle does not end a turn. But if an agent never
// reports that it is working, idle with a stop reason after the message ends the turn.

// turns has the state of a session and its open turns: an agent may take a prompt while it
// works on another.
type turns struct {
	state acpclient.WorkState
	open  []*turn
}

// turn is a prompt whose work has not ended.
type turn struct {
	result *acpclient.PromptResponse
	done   func(error)

	accepted bool                // the prompt was answered
	inserted bool                // the message is part of the session
	id       acpclient.MessageID // of the message, from the response
	// seen numbers the user messages since the prompt was sent.
	seen map[acpclient.MessageID]int
	// early is an idle state after a message that may turn out to be the prompt's.
	early *earlyIdle
}

type earlyIdle struct {
	behind int // the number of messages in seen before it
	state  *acpclient.StateUpdate
}

// accepted is session/prompt with the answer of version 2.
var accepted = acpclient.Method[acpclient.PromptRequest, promptResponse]{Name: acpclient.SessionPrompt.Name}

// promptResponse says that the prompt was accepted, not that work on it has ended.
type promptResponse struct {
	// MessageID is required, but some agents omit it.
	MessageID acpclient.MessageID `json:"messageId"`
}

// prompt sends a prompt, and calls done when its turn has ended.
func (c *Client) prompt(p *acpclient.PromptRequest, result *acpclient.PromptResponse, done func(error)) {
	t := &turn{result: result, done: done, seen: map[acpclient.MessageID]int{}}
	c.mu.Lock()
	s := c.sessionLocked(p.SessionID)
	s.open = append(s.open, t)
	c.mu.Unlock()
	acpclient.Go(c.conn, accepted, p, func(r *promptResponse, err error) {
		if err != nil {
			c.endTurn(p.SessionID, t, nil, err)
		} else {
			c.promptAccepted(p.SessionID, t, r.MessageID)
		}
	})
}

// sessionLocked returns the state of a session that the client has named or opened. Others
// have none, so that an agent cannot fill the memory with sessions that it invents.
func (c *Client) sessionLocked(id acpclient.SessionID) *turns {
	s := c.turns[id]
	if s == nil {
		s = &turns{state: acpclient.WorkIdle}
		c.turns[id] = s
	}
	return s
}

// promptAccepted handles the response to a prompt.
func (c *Client) promptAccepted(session acpclient.SessionID, t *turn, id acpclient.MessageID) {
	if id != "" {
		n := &acpclient.SessionNotification{SessionID: session, Update: &acpclient.PromptAccepted{MessageID: id}}
		n.Raw = encoded(n)
		c.handler.SessionUpdate(context.Background(), n)
	}
	c.mu.Lock()
	t.accepted, t.inserted, t.id = true, true, id
	early := t.early
	if at, seen := t.seen[id]; early == nil || !seen || at >= early.behind {
		early = nil // something else ended
	}
	c.mu.Unlock()
	if early != nil {
		c.endTurn(session, t, early.state, nil)
	} else if err := c.conn.Err(); err != nil {
		c.endTurn(session, t, nil, err) // in case connectionEnded ran before
	}
}

// follow tracks an update. It returns a function to call if the update ends a turn.
func (c *Client) follow(n *acpclient.SessionNotification) func() {
	switch u := n.Update.(type) {
	case *acpclient.ContentChunk:
		if u.Chunk == acpclient.UserMessageChunk {
			c.messageSeen(n.SessionID, u.MessageID)
		}
	case *acpclient.MessageUpdate:
		if u.Chunk == acpclient.UserMessageChunk {
			c.messageSeen(n.SessionID, u.MessageID)
		}
	case *acpclient.StateUpdate:
		return c.stateSeen(n.SessionID, u)
	}
	return nil
}

func (c *Client) messageSeen(session acpclient.SessionID, id acpclient.MessageID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.turns[session]
	if s == nil {
		return
	}
	for _, t := range s.open {
		if _, known := t.seen[id]; !known {
			t.seen[id] = len(t.seen)
		}
	}
}

// stateSeen handles a state of the agent. It returns a function to call if the state
// ends turns.
func (c *Client) stateSeen(session acpclient.SessionID, u *acpclient.StateUpdate) func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.turns[session]
	if s == nil {
		return nil
	}
	worked := s.state != acpclient.WorkIdle
	s.state = u.State
	if u.State != acpclient.WorkIdle {
		return nil
	}
	var ended []*turn
	for _, t := range s.open {
		if t.idle(u, worked) {
			ended = append(ended, t)
		}
	}
	if ended == nil {
		return nil
	}
	return func() {
		for _, t := range ended {
			c.endTurn(session, t, u, nil)
		}
	}
}

// idle reports whether the turn ends because the agent is idle.
func (t *turn) idle(u *acpclient.StateUpdate, worked bool) bool {
	_, own := t.seen[t.id]
	seen := len(t.seen) > 0 && (t.id == "" || own)
	switch {
	case !worked && (u.StopReason == "" || !seen):
		return false // nothing has ended
	case t.inserted:
		return true
	case seen:
		t.early = &earlyIdle{len(t.seen), u}
	}
	return false
}

// endTurn ends a turn, once.
func (c *Client) endTurn(session acpclient.SessionID, t *turn, u *acpclient.StateUpdate, err error) {
	c.mu.Lock()
	done := t.done
	t.done = nil
	if s := c.turns[session]; s != nil {
		s.open = slices.DeleteFunc(s.open, func(other *turn) bool { return other == t })
	}
	c.mu.Unlock()
	if done == nil {
		return
	}
	if err == nil && u.StopReason == acpclient.StopError {
		err = u.Error
		if u.Error == nil {
			err = &acpclient.Error{Code: acpclient.CodeInternalError}
		}
	}
	if err == nil {
		t.result.StopReason, t.result.Usage, t.result.Meta = u.StopReason, u.Usage, u.Meta
	}
	done(err)
}

// connectionEnded ends the turns of accepted prompts. The connection ends other prompts
// itself.
func (c *Client) connectionEnded() {
	type open struct {
		session acpclient.SessionID
		turn    *turn
	}
	var all []open
	c.mu.Lock()
	for id, s := range c.turns {
		for _, t := range s.open {
			if t.accepted {
				all = append(all, open{id, t})
			}
		}
	}
	c.mu.Unlock()
	for _, o := range all {
		c.endTurn(o.session, o.turn, nil, c.conn.Err())
	}
}
