package v2

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"

	"parley/acpclient"
)

// Client is acpclient.Client for an agent that speaks version 2, with the same types. It
// is safe for concurrent use.
type Client struct {
	conn    *acpclient.Conn
	handler acpclient.Handler
	log     *slog.Logger
	v1      acpclient.Receiver // for what was renamed

	mu    sync.Mutex
	turns map[acpclient.SessionID]*turns
}

var _ acpclient.Requester = (*Client)(nil)

// newClient takes over the connection of first.
func newClient(first *acpclient.Client, h acpclient.Handler, log *slog.Logger) *Client {
	c := &Client{conn: first.Conn(), handler: h, log: log, v1: first.Receiver(), turns: map[acpclient.SessionID]*turns{}}
	go func() {
		<-c.conn.Done()
		c.connectionEnded()
	}()
	c.conn.Receive(&receiver{c})
	return c
}

// The requests that version 1 lacks, for a Conn: with sessionId and toolCallId or terminalId. The
// call or the terminal must have the capability.
const (
	ToolCallCancel = "tool_call/cancel"
	TerminalCancel = "terminal/cancel"
)

// Request implements acpclient.Requester. For methods that version 2 lacks, the error is
// acpclient.CodeMethodNotFound.
func (c *Client) Request(method string, params, result any, done func(error)) {
	if p, ok := params.(*acpclient.PromptRequest); ok && method == acpclient.SessionPrompt.Name {
		c.prompt(p, result.(*acpclient.PromptResponse), done)
		return
	}
	s, err := rename(method, params, result)
	if err != nil {
		done(err)
		return
	}
	c.opens(s.session)
	c.conn.Request(s.method, s.params, s, func(err error) { done(c.answered(s, err)) })
}

// Call implements acpclient.Requester, for all requests but prompts.
func (c *Client) Call(ctx context.Context, method string, params, result any) error {
	s, err := rename(method, params, result)
	if err != nil {
		return err
	}
	c.opens(s.session)
	return c.answered(s, c.conn.Call(ctx, s.method, s.params, s))
}

// renamed is a request in the words of version 2. Its answer is decoded in those of version 1.
type renamed struct {
	request
	params   any
	into     any
	session  json.RawMessage
	commands json.RawMessage
}

func rename(method string, params, result any) (*renamed, error) {
	r, known := requests[method]
	if !known {
		return nil, acpclient.MethodNotFoundError(method)
	}
	s := &renamed{request: r, params: params, into: result}
	if r.params == nil {
		return s, nil
	}
	raw, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	s.params = change(raw, func(o object) {
		r.params(o)
		s.session = o["sessionId"]
	})
	return s, nil
}

// UnmarshalJSON decodes the answer.
func (s *renamed) UnmarshalJSON(b []byte) error {
	if s.result != nil {
		b = change(b, func(o object) {
			s.result(o)
			s.commands = o["availableCommands"]
			if id, ok := o["sessionId"]; ok {
				s.session = id
			}
		})
	}
	if s.into == nil {
		return nil
	}
	return acpclient.Unmarshal(b, s.into)
}

// opens notes that the client uses a session.
func (c *Client) opens(session json.RawMessage) {
	if id := text(session); id != "" {
		c.mu.Lock()
		c.sessionLocked(acpclient.SessionID(id))
		c.mu.Unlock()
	}
}

// answered passes on the commands in an answer that opens a session. Version 1 sends an
// update instead.
func (c *Client) answered(s *renamed, err error) error {
	if err != nil {
		return err
	}
	c.opens(s.session)
	if s.commands == nil {
		return nil
	}
	n, err := notification(encoded(object{"sessionId": s.session, "update": encoded(object{
		"sessionUpdate": quoted("available_commands_update"), "availableCommands": s.commands,
	})}))
	if err != nil {
		c.log.Warn("ignored the commands of an answer", "error", err)
		return nil
	}
	c.handler.SessionUpdate(context.Background(), n)
	return nil
}

// receiver hands what the agent sends to the handler of its client.
type receiver struct{ c *Client }

// HandleNotification implements acpclient.Receiver.
func (r *receiver) HandleNotification(ctx context.Context, method string, params json.RawMessage) {
	if method != acpclient.SessionUpdateNotification.Name {
		r.c.v1.HandleNotification(ctx, method, params)
		return
	}
	n, err := notification(params)
	if err != nil {
		r.c.log.Warn("ignored a notification", "method", method, "error", err)
		return
	}
	r.c.handler.SessionUpdate(ctx, n)
	if end := r.c.follow(n); end != nil {
		end()
	}
}

// HandleRequest implements acpclient.Receiver.
func (r *receiver) HandleRequest(ctx context.Context, method string, params json.RawMessage) (any, error) {
	switch method {
	case acpclient.SessionUpdateNotification.Name:
		r.HandleNotification(ctx, method, params) // with an id, such as null
		return nil, nil
	case acpclient.SessionRequestPermission.Name:
		answer, err := r.c.v1.HandleRequest(ctx, method, change(params, renamePermission))
		if err != nil && ctx.Err() != nil {
			// The agent cancelled the request, for which version 2 has an outcome.
			return &acpclient.RequestPermissionResponse{Outcome: acpclient.PermissionCancelled}, nil
		}
		return answer, err
	}
	return r.c.v1.HandleRequest(ctx, method, params)
}

// notification decodes the params of an update. What is malformed, or only in version 1, is
// an *acpclient.UnknownUpdate.
func notification(params json.RawMessage) (*acpclient.SessionNotification, error) {
	var head struct {
		Update json.RawMessage `json:"update" acp:"required"`
	}
	if err := acpclient.Unmarshal(params, &head); err != nil {
		return nil, err
	}
	var update struct {
		Kind string `json:"sessionUpdate"`
	}
	_ = acpclient.Unmarshal(head.Update, &update) // no kind is an unknown one
	rename, known := updates[update.Kind]
	if rename != nil {
		params = change(params, func(o object) { o["update"] = change(head.Update, rename) })
	}
	n := new(acpclient.SessionNotification)
	if err := acpclient.Unmarshal(params, n); err != nil {
		return nil, err
	}
	if !known {
		n.Update = &acpclient.UnknownUpdate{Name: update.Kind, Raw: head.Update}
	}
	return n, nil
}
