package v2

import (
	"context"
	"encoding/json"

	"parley/acpclient"
)

// A prompt of this version is answered when the agent has accepted it, and the agent
// says by state updates when it works and when it is idle. A turn ends
//
//   - with the error that the prompt was refused with,
//   - or with the first step from work to idle after the message was inserted: when
//     the prompt was answered, or its message told of, whichever came first,
//   - or with the connection.
//
// State updates may be repeated, so being idle again is no end. But an agent that
// never says that it works, and gives a reason for being idle after it has told of
// the message, is taken to have forgotten to say so.

// turns are the states of one session, and the turn that is open in it.
type turns struct {
	state acpclient.WorkState
	open  *turn
}

// turn is a prompt that was sent, until its end.
type turn struct {
	result *acpclient.PromptResponse
	done   func(error)

	accepted bool                // the prompt was answered
	inserted bool                // the message stands in the session
	id       acpclient.MessageID // of the message, once the answer has told it
	// seen are the messages of the user that were told since the prompt was sent, and
	// how many were told before each.
	seen map[acpclient.MessageID]int
	// early is the idle state that came behind a message which may turn out to be
	// the prompt's.
	early *earlyIdle
}

type earlyIdle struct {
	behind int // how many messages of seen were before it
	state  *acpclient.StateUpdate
}

// prompt sends a prompt. done is called when its turn has ended.
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

// promptAccepted takes the answer to a prompt.
func (c *Client) promptAccepted(session acpclient.SessionID, t *turn, id acpclient.MessageID) {
	if id != "" {
		u := &acpclient.PromptAccepted{MessageID: id}
		c.handler.SessionUpdate(context.Background(), v1Notification(session, u, nil))
	}
	c.mu.Lock()
	t.accepted, t.inserted, t.id = true, true, id
	early := t.early
	if at, told := t.seen[id]; early == nil || !told || at >= early.behind {
		early = nil // what ended was something else
	}
	c.mu.Unlock()
	if early != nil {
		c.endTurn(session, t, early.state, nil)
	} else if err := c.conn.Err(); err != nil {
		c.endTurn(session, t, nil, err) // connectionEnded may have come before it was accepted
	}
}

// follow notes an update. It returns the function to call if the update ends a turn.
func (c *Client) follow(n *acpclient.SessionNotification) func() {
	switch u := n.Update.(type) {
	case *acpclient.ContentChunk:
		if u.Chunk == acpclient.UserMessageChunk {
			c.messageTold(n.SessionID, u.MessageID)
		}
	case *acpclient.MessageUpdate:
		if u.Chunk == acpclient.UserMessageChunk {
			c.messageTold(n.SessionID, u.MessageID)
		}
	case *acpclient.StateUpdate:
		return c.stateTold(n.SessionID, u)
	}
	return nil
}

func (c *Client) messageTold(session acpclient.SessionID, id acpclient.MessageID) {
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

// stateTold handles a state of the agent, and returns the function that ends the turn if
// the state ends it.
func (c *Client) stateTold(session acpclient.SessionID, u *acpclient.StateUpdate) func() {
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
	told := len(t.seen) > 0 && (t.id == "" || own)
	switch {
	case !worked && (u.StopReason == "" || !told):
		return nil // nothing has ended
	case t.inserted:
		return func() { c.endTurn(session, t, u, nil) }
	case told:
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

// connectionEnded ends what no answer will come for any more. Prompts that were not
// answered are ended by the connection itself.
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

// RequestPermissionRequest asks the user (method session/request_permission).
type RequestPermissionRequest struct {
	SessionID acpclient.SessionID `json:"sessionId" acp:"required"`
	// Title and Description are words for the question itself.
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
