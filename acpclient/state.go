package acpclient

import (
	"bytes"
	"encoding/json"
	"reflect"
)

// WorkState says whether an agent is at work in a session. Any other string than
// the ones below may come.
type WorkState string

// The states that the protocol defines.
const (
	// WorkIdle: the agent is ready for a prompt. It may go on in the background.
	WorkIdle WorkState = "idle"
	// WorkRunning: the agent works on a prompt, or on something of its own.
	WorkRunning WorkState = "running"
	// WorkRequiresAction: it cannot go on before the person has done something.
	WorkRequiresAction WorkState = "requires_action"
)

// StateUpdate says whether the agent is at work (the update "state_update"). It may
// be repeated without a change.
type StateUpdate struct {
	State WorkState `json:"state" acp:"required"`
	// StopReason says why the work ended that WorkIdle is the end of, and Error what
	// went wrong if it is StopError.
	StopReason StopReason `json:"stopReason,omitempty"`
	Error      *Error     `json:"error,omitempty"`
	// Usage counts tokens (unstable); nil if the agent does not say.
	Usage *Usage `json:"usage,omitempty"`
	// Background is all that goes on beside; nil if the agent does not say.
	Background []BackgroundWork `json:"background,omitzero"`
	Meta       Meta             `json:"_meta,omitempty"`
}

// BackgroundType tells what goes on in the background.
type BackgroundType string

// The kinds of work in the background that the protocol defines. Any other is kept
// in Raw.
const (
	BackgroundTerminal BackgroundType = "terminal"
	BackgroundToolCall BackgroundType = "tool_call"
	BackgroundSubagent BackgroundType = "subagent"
)

// BackgroundWork is something that goes on while the agent is idle, or beside what
// it does. Type says which of the ids matters.
type BackgroundWork struct {
	Type       BackgroundType `json:"type" acp:"required"`
	TerminalID TerminalID     `json:"terminalId,omitempty"`
	ToolCallID ToolCallID     `json:"toolCallId,omitempty"`
	SessionID  SessionID      `json:"sessionId,omitempty"`
	Meta       Meta           `json:"_meta,omitempty"`

	// Raw is the whole of it, if its type is not one of the above.
	Raw json.RawMessage `json:"-"`
}

func (w *BackgroundWork) decodeVariant(raw json.RawMessage) error {
	if err := decodePlain(raw, reflect.ValueOf(w).Elem()); err != nil {
		return err
	}
	switch w.Type {
	case BackgroundTerminal, BackgroundToolCall, BackgroundSubagent:
	default:
		w.Raw = bytes.Clone(raw)
	}
	return nil
}

// MarshalJSON encodes the work; one of an unknown type as it was received.
func (w BackgroundWork) MarshalJSON() ([]byte, error) {
	if len(w.Raw) > 0 {
		return w.Raw, nil
	}
	type plain BackgroundWork
	return marshal(plain(w))
}
