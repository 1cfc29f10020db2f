package v2

import (
	"context"
	"encoding/json"

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

// turns has the state of a session and its open turn.
type turns struct {
	state acpclient.WorkState
	open  *turn
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

// prompt sends a prompt, and calls done when its turn has ended.
func (c *Client) prompt(p *acpclient.PromptRequest, result *acpclient.PromptResponse, done func(error)) {
	t := &turn{result: result, done: done, seen: map[acpclient.MessageID]int{}}
	c.mu.Lock()
	c.session(p.SessionID).open = t
	c.mu.Unlock()
	send(c, SessionPrompt, p, func(err error) {
		if err != nil {
			c.endTurn(p.SessionID, t, nil, err)
		}
	}, func(r *PromptResponse) { c.promptAccepted(p.SessionID, t, r.MessageID) })
}

// session returns the state of a session. c.mu must be held.
func (c *Client) session(id acpclient.SessionID) *turns {
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
		u := &acpclient.PromptAccepted{MessageID: id}
		c.handler.SessionUpdate(context.Background(), v1Notification(session, u, nil))
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
	t := c.session(session).open
	if t == nil {
		return
	}
	if _, known := t.seen[id]; !known {
		t.seen[id] = len(t.seen)
	}
}

// stateSeen handles a state of the agent. It returns a function to call if the state
// ends the turn.
func (c *Client) stateSeen(session acpclient.SessionID, u *acpclient.StateUpdate) func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.session(session)
	worked := s.state != acpclient.WorkIdle
	s.state = u.State
	t := s.open
	if t == nil || u.State != acpclient.WorkIdle {
		return nil
	}
	_, own := t.seen[t.id]
	seen := len(t.seen) > 0 && (t.id == "" || own)
	switch {
	case !worked && (u.StopReason == "" || !seen):
		return nil // nothing has ended
	case t.inserted:
		return func() { c.endTurn(session, t, u, nil) }
	case seen:
		t.early = &earlyIdle{len(t.seen), u}
	}
	return nil
}

// endTurn ends a turn, once.
func (c *Client) endTurn(session acpclient.SessionID, t *turn, u *acpclient.StateUpdate, err error) {
	c.mu.Lock()
	s := c.session(session)
	ended := t.done == nil
	done := t.done
	t.done = nil
	if s.open == t {
		s.open = nil
	}
	c.mu.Unlock()
	if ended {
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
	c.mu.Lock()
	open := map[acpclient.SessionID]*turn{}
	for id, s := range c.turns {
		if s.open != nil && s.open.accepted {
			open[id] = s.open
		}
	}
	c.mu.Unlock()
	for id, t := range open {
		c.endTurn(id, t, nil, c.conn.Err())
	}
}

// RequestPermissionRequest asks the user for permission (method
// session/request_permission).
type RequestPermissionRequest struct {
	SessionID acpclient.SessionID `json:"sessionId" acp:"required"`
	// Title and Description describe the question itself.
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
	// Subject is a tool call, a command, something else, or nothing.
	Subject json.RawMessage                            `json:"subject,omitempty"`
	Options acpclient.List[acpclient.PermissionOption] `json:"options"`
	Meta    Meta                                       `json:"_meta,omitempty"`
}

// ToolCallSubject is a tool call that needs permission.
type ToolCallSubject struct {
	ToolCall ToolCallUpdate `json:"toolCall" acp:"required"`
	Meta     Meta           `json:"_meta,omitempty"`
}

// CommandSubject is a command that needs permission. The agent runs it itself.
type CommandSubject struct {
	Command    string               `json:"command" acp:"required"`
	Cwd        string               `json:"cwd" acp:"required"`
	ToolCallID acpclient.ToolCallID `json:"toolCallId,omitempty"`
	TerminalID acpclient.TerminalID `json:"terminalId,omitempty"`
	Meta       Meta                 `json:"_meta,omitempty"`
}

// toV1 converts the question, which version 1 always asks about a tool call.
func (r *RequestPermissionRequest) toV1() *acpclient.RequestPermissionRequest {
	out := &acpclient.RequestPermissionRequest{
		SessionID: r.SessionID, Title: r.Title, Description: r.Description, Options: r.Options, Meta: r.Meta,
	}
	var head struct {
		Type string `json:"type"`
	}
	if len(r.Subject) > 0 {
		_ = acpclient.Unmarshal(r.Subject, &head)
	}
	switch head.Type {
	case "tool_call":
		var s ToolCallSubject
		if acpclient.Unmarshal(r.Subject, &s) == nil {
			out.ToolCall = *s.ToolCall.toV1()
			return out
		}
	case "command":
		var s CommandSubject
		if acpclient.Unmarshal(r.Subject, &s) == nil {
			out.ToolCall = s.toV1(r.Title)
			return out
		}
	}
	out.ToolCall.Title, out.Subject = &r.Title, r.Subject
	return out
}

// toV1 converts a command to a tool call, with its id or a new one.
func (s *CommandSubject) toV1(title string) acpclient.ToolCallUpdate {
	kind := acpclient.ToolExecute
	out := acpclient.ToolCallUpdate{ToolCallID: s.ToolCallID, Kind: &kind, Meta: s.Meta}
	out.RawInput, _ = json.Marshal(struct { // strings can always be encoded
		Command string `json:"command"`
		Cwd     string `json:"cwd"`
	}{s.Command, s.Cwd})
	if s.ToolCallID == "" {
		out.Title = &title
	}
	return out
}
