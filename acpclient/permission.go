package acpclient

import (
	"encoding/json"
	"fmt"
)

// PermissionOptionID identifies an option of a permission request.
type PermissionOptionID string

// PermissionOptionKind is a hint for icon and keys (schema type
// PermissionOptionKind). It does not decide anything.
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

// RequestPermissionRequest asks the person about a tool call (method
// session/request_permission).
type RequestPermissionRequest struct {
	SessionID SessionID `json:"sessionId" acp:"required"`
	// ToolCall may be as thin as an id; what it does not say stands in the
	// tool call that it names.
	ToolCall ToolCallUpdate         `json:"toolCall"`
	Options  List[PermissionOption] `json:"options"`
	Meta     Meta                   `json:"_meta,omitempty"`
}

// PermissionOption is one answer that can be given (schema type
// PermissionOption).
type PermissionOption struct {
	OptionID PermissionOptionID   `json:"optionId" acp:"required"`
	Name     string               `json:"name"`
	Kind     PermissionOptionKind `json:"kind"`
	Meta     Meta                 `json:"_meta,omitempty"`
}

// RequestPermissionResponse is the person's answer.
type RequestPermissionResponse struct {
	Outcome RequestPermissionOutcome `json:"outcome"`
	Meta    Meta                     `json:"_meta,omitempty"`
}

// RequestPermissionOutcome is a selected option, or, with an empty OptionID,
// that the turn was cancelled first (schema type RequestPermissionOutcome).
type RequestPermissionOutcome struct {
	OptionID PermissionOptionID
	Meta     Meta
}

// PermissionSelected is the outcome that one of the offered options was chosen.
func PermissionSelected(id PermissionOptionID) RequestPermissionOutcome {
	return RequestPermissionOutcome{OptionID: id}
}

// PermissionCancelled is the outcome that the turn was cancelled. A denial is
// not this: it selects an option that rejects.
var PermissionCancelled = RequestPermissionOutcome{}

// Cancelled reports whether no option was selected.
func (o RequestPermissionOutcome) Cancelled() bool { return o.OptionID == "" }

type outcomeWire struct {
	Outcome  string             `json:"outcome" acp:"required"`
	OptionID PermissionOptionID `json:"optionId,omitempty"`
	Meta     Meta               `json:"_meta,omitempty"`
}

// MarshalJSON encodes the outcome and its discriminator.
func (o RequestPermissionOutcome) MarshalJSON() ([]byte, error) {
	w := outcomeWire{Outcome: "selected", OptionID: o.OptionID, Meta: o.Meta}
	if o.Cancelled() {
		w.Outcome = "cancelled"
	}
	return json.Marshal(w)
}

// UnmarshalJSON decodes either outcome.
func (o *RequestPermissionOutcome) UnmarshalJSON(b []byte) error {
	var w outcomeWire
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	if w.Outcome == "selected" && w.OptionID == "" || w.Outcome != "selected" && w.Outcome != "cancelled" {
		return fmt.Errorf("a permission outcome %q without an option", w.Outcome)
	}
	*o = RequestPermissionOutcome{Meta: w.Meta}
	if w.Outcome == "selected" {
		o.OptionID = w.OptionID
	}
	return nil
}
