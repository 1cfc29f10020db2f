package acpclient

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// PermissionOptionID identifies an option of a permission request.
type PermissionOptionID string

// PermissionOptionKind is a hint for icon and keys, no more (schema type
// PermissionOptionKind).
type PermissionOptionKind string

// The kinds of options that the protocol defines.
const (
	AllowOnce    PermissionOptionKind = "allow_once"
	AllowAlways  PermissionOptionKind = "allow_always"
	RejectOnce   PermissionOptionKind = "reject_once"
	RejectAlways PermissionOptionKind = "reject_always"
)

// Allows reports whether the option lets the tool run.
func (k PermissionOptionKind) Allows() bool { return k == AllowOnce || k == AllowAlways }

// Rejects reports whether the option denies it.
func (k PermissionOptionKind) Rejects() bool { return k == RejectOnce || k == RejectAlways }

// RequestPermissionRequest asks the user about a tool call (method
// session/request_permission).
type RequestPermissionRequest struct {
	SessionID SessionID `json:"sessionId" acp:"required"`
	// ToolCall may have only the id of an earlier tool call.
	ToolCall ToolCallUpdate         `json:"toolCall"`
	Options  List[PermissionOption] `json:"options"`
	// Title and Description are the agent's words for the question itself, if it has
	// any besides the call's title.
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	// Subject is the subject of the question as received, if its type is unknown.
	Subject json.RawMessage `json:"subject,omitempty"`
	Meta    Meta            `json:"_meta,omitempty"`

	// Raw is the whole request as received. It is not encoded.
	Raw json.RawMessage `json:"-"`
}

// decodeVariant also decodes a tool call without an id, so that the user sees what the
// question is about.
func (r *RequestPermissionRequest) decodeVariant(raw json.RawMessage) error {
	if err := decodePlain(raw, r); err != nil {
		return err
	}
	r.Raw = bytes.Clone(raw)
	var wire struct {
		ToolCall map[string]json.RawMessage `json:"toolCall"`
	}
	if r.ToolCall.ToolCallID == "" && decode(raw, &wire) == nil && wire.ToolCall != nil {
		wire.ToolCall["toolCallId"] = json.RawMessage(`""`)
		call, err := Marshal(wire.ToolCall)
		if err != nil {
			return err
		}
		return decode(call, &r.ToolCall)
	}
	return nil
}

// PermissionOption is a possible answer (schema type PermissionOption).
type PermissionOption struct {
	OptionID PermissionOptionID   `json:"optionId" acp:"required"`
	Name     string               `json:"name"`
	Kind     PermissionOptionKind `json:"kind"`
	Meta     Meta                 `json:"_meta,omitempty"`
}

// RequestPermissionResponse is the user's answer.
type RequestPermissionResponse struct {
	Outcome RequestPermissionOutcome `json:"outcome"`
	// Answers is an extension for agents that ask questions by permission requests: the
	// answers by the index of the question.
	Answers map[string]string `json:"answers,omitempty"`
	Meta    Meta              `json:"_meta,omitempty"`
}

// RequestPermissionOutcome is the selected option (schema type
// RequestPermissionOutcome). The zero value means that the turn was cancelled first.
type RequestPermissionOutcome struct {
	OptionID PermissionOptionID
	Meta     Meta

	selected bool // an option was selected; its id may be empty
}

// PermissionSelected returns the outcome that selects one of the offered options.
func PermissionSelected(id PermissionOptionID) RequestPermissionOutcome {
	return RequestPermissionOutcome{OptionID: id, selected: true}
}

// PermissionCancelled is the outcome for a cancelled turn. A denial selects an option
// that rejects instead.
var PermissionCancelled = RequestPermissionOutcome{}

// Cancelled reports whether no option was selected.
func (o RequestPermissionOutcome) Cancelled() bool { return o.OptionID == "" && !o.selected }

type outcomeWire struct {
	Outcome  string              `json:"outcome"`
	OptionID *PermissionOptionID `json:"optionId,omitempty"`
	Meta     Meta                `json:"_meta,omitempty"`
}

// MarshalJSON encodes the outcome with its discriminator.
func (o RequestPermissionOutcome) MarshalJSON() ([]byte, error) {
	if o.Cancelled() {
		return Marshal(outcomeWire{Outcome: "cancelled", Meta: o.Meta})
	}
	return Marshal(outcomeWire{Outcome: "selected", OptionID: &o.OptionID, Meta: o.Meta})
}

// UnmarshalJSON decodes either outcome.
func (o *RequestPermissionOutcome) UnmarshalJSON(b []byte) error {
	var w outcomeWire
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	switch {
	case w.Outcome == "cancelled":
		*o = RequestPermissionOutcome{Meta: w.Meta}
	case w.Outcome == "selected" && w.OptionID != nil:
		*o = PermissionSelected(*w.OptionID)
		o.Meta = w.Meta
	default:
		return fmt.Errorf("a permission outcome %q without an option", w.Outcome)
	}
	return nil
}
