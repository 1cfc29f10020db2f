package v2

import (
	"encoding/json"

	"parley/acpclient"
)

// RequestPermissionRequest asks the person (method session/request_permission).
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
