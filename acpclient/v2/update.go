package v2

import (
	"bytes"
	"context"
	"encoding/json"

	"parley/acpclient"
)

// UpdateNotification is one update of a session (notification session/update).
type UpdateNotification struct {
	SessionID acpclient.SessionID `json:"sessionId" acp:"required"`
	// Update is a variant, identified by "sessionUpdate".
	Update json.RawMessage `json:"update" acp:"required"`
	Meta   Meta            `json:"_meta,omitempty"`

	raw json.RawMessage
}

// UnmarshalJSON also keeps the JSON of the notification.
func (n *UpdateNotification) UnmarshalJSON(b []byte) error {
	type plain UpdateNotification
	if err := acpclient.Unmarshal(b, (*plain)(n)); err != nil {
		return err
	}
	n.raw = bytes.Clone(b)
	return nil
}

// ConfigOptionUpdate has the complete state of all options.
type ConfigOptionUpdate struct {
	ConfigOptions []ConfigOption `json:"configOptions" acp:"required"`
	Meta          Meta           `json:"_meta,omitempty"`
}

// ToV1 converts an update, and never fails: what it cannot convert becomes an
// *acpclient.UnknownUpdate.
//
// acpclient decodes updates that both versions spell alike, or that only version 2 has.
func (n *UpdateNotification) ToV1() *acpclient.SessionNotification {
	var head struct {
		Kind string `json:"sessionUpdate"`
	}
	_ = acpclient.Unmarshal(n.Update, &head)
	if !updateKinds[head.Kind] {
		return &acpclient.SessionNotification{
			SessionID: n.SessionID, Update: &acpclient.UnknownUpdate{Name: head.Kind, Raw: n.Update}, Meta: n.Meta, Raw: n.raw,
		}
	}
	var translated acpclient.SessionUpdate
	var alike bool
	var err error
	switch head.Kind {
	case "tool_call_update":
		translated, alike, err = toolCallUpdate(n.Update)
	case "tool_call_content_chunk":
		translated, alike, err = toolCallContentChunk(n.Update)
	case "config_option_update":
		var u ConfigOptionUpdate
		err = acpclient.Unmarshal(n.Update, &u)
		translated = &acpclient.ConfigOptionUpdate{ConfigOptions: options(u.ConfigOptions), Meta: u.Meta}
	default:
		out := new(acpclient.SessionNotification)
		if acpclient.Unmarshal(n.raw, out) == nil {
			return out
		}
	}
	if err != nil || translated == nil {
		translated, alike = &acpclient.UnknownUpdate{Name: head.Kind, Raw: n.Update}, true
	}
	if alike {
		return &acpclient.SessionNotification{SessionID: n.SessionID, Update: translated, Meta: n.Meta, Raw: n.raw}
	}
	return v1Notification(n.SessionID, translated, n.Meta)
}

// updateKinds are the updates of version 2, including proposed ones.
var updateKinds = map[string]bool{
	"user_message_chunk": true, "agent_message_chunk": true, "agent_thought_chunk": true,
	"user_message": true, "agent_message": true, "agent_thought": true,
	"state_update": true, "tool_call_update": true, "tool_call_content_chunk": true,
	"terminal_update": true, "terminal_output_chunk": true, "plan_update": true,
	"available_commands_update": true, "config_option_update": true, "session_info_update": true,
	"usage_update": true, "notice": true, "compaction_update": true, "compaction_summary_chunk": true,
	"plan_removed": true, "subagent_update": true,
}

// v1Notification returns a notification with its stored form.
func v1Notification(id acpclient.SessionID, u acpclient.SessionUpdate, meta Meta) *acpclient.SessionNotification {
	n := &acpclient.SessionNotification{SessionID: id, Update: u, Meta: meta}
	n.Raw, _ = n.MarshalJSON() // nil if it cannot be encoded
	return n
}

// receiver hands what the agent sends to the handler of its client.
type receiver struct{ c *Client }

func (r *receiver) HandleNotification(ctx context.Context, method string, params json.RawMessage) {
	switch method {
	case SessionUpdate.Name:
		var n UpdateNotification
		if err := acpclient.Unmarshal(params, &n); err != nil {
			r.ignored(method, err)
			return
		}
		update := n.ToV1()
		r.c.handler.SessionUpdate(ctx, update)
		if end := r.c.follow(update); end != nil {
			end()
		}
	case ElicitationComplete.Name:
		var n acpclient.CompleteElicitationNotification
		if err := acpclient.Unmarshal(params, &n); err != nil {
			r.ignored(method, err)
			return
		}
		r.c.handler.CompleteElicitation(ctx, &n)
	}
}

func (r *receiver) ignored(method string, err error) {
	r.c.log.Warn("ignored a notification", "method", method, "error", err)
}

// HandleRequest implements acpclient.Receiver. Version 2 has no files and terminals of
// the client.
func (r *receiver) HandleRequest(ctx context.Context, method string, params json.RawMessage) (any, error) {
	switch method {
	case SessionRequestPermission.Name:
		var p RequestPermissionRequest
		if err := acpclient.Unmarshal(params, &p); err != nil {
			return nil, invalid(err)
		}
		answer, err := r.c.handler.RequestPermission(ctx, p.toV1())
		if err != nil && ctx.Err() != nil {
			// The agent cancelled the request, for which version 2 has an outcome.
			return &acpclient.RequestPermissionResponse{Outcome: acpclient.PermissionCancelled}, nil
		}
		return answer, err
	case ElicitationCreate.Name:
		if r.c.offered.Elicitation == nil {
			if x, ok := r.c.handler.(acpclient.UnofferedHandler); ok {
				x.Unoffered(method)
			}
			break
		}
		var p acpclient.CreateElicitationRequest
		if err := acpclient.Unmarshal(params, &p); err != nil {
			return nil, invalid(err)
		}
		return r.c.handler.CreateElicitation(ctx, &p)
	case SessionUpdate.Name, ElicitationComplete.Name:
		r.HandleNotification(ctx, method, params) // with an id, such as null
		return nil, nil
	}
	return nil, acpclient.MethodNotFoundError(method)
}

func invalid(err error) *acpclient.Error {
	return &acpclient.Error{Code: acpclient.CodeInvalidParams, Message: "Invalid params: " + err.Error()}
}
