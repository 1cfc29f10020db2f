package acpclient

import "encoding/json"

// Plan is the agent's whole plan (schema type Plan; the session update "plan"). It
// replaces the previous one.
type Plan struct {
	Entries List[PlanEntry] `json:"entries"`
	Meta    Meta            `json:"_meta,omitempty"`
}

// PlanEntry is one step of a plan (schema type PlanEntry).
type PlanEntry struct {
	Content  string            `json:"content" acp:"required"`
	Priority PlanEntryPriority `json:"priority"`
	Status   PlanEntryStatus   `json:"status"`
	Meta     Meta              `json:"_meta,omitempty"`
}

// PlanEntryPriority is the priority of a step.
type PlanEntryPriority string

// The priorities that the protocol defines.
const (
	PlanHigh   PlanEntryPriority = "high"
	PlanMedium PlanEntryPriority = "medium"
	PlanLow    PlanEntryPriority = "low"
)

// PlanEntryStatus is the status of a step.
type PlanEntryStatus string

// The statuses that the protocol defines.
const (
	PlanPending    PlanEntryStatus = "pending"
	PlanInProgress PlanEntryStatus = "in_progress"
	PlanCompleted  PlanEntryStatus = "completed"
	// PlanCancelled is only in version 2 of the protocol.
	PlanCancelled PlanEntryStatus = "cancelled"
)

// PlanID identifies one of several plans (unstable).
type PlanID string

// PlanUpdate sets one of several plans (the unstable session update "plan_update").
type PlanUpdate struct {
	Plan PlanUpdateContent `json:"plan" acp:"required"`
	Meta Meta              `json:"_meta,omitempty"`
}

// PlanContentType is the form of a plan (unstable).
type PlanContentType = string

// The forms that the protocol proposes. A plan in another form is kept in Raw.
const (
	PlanItems    PlanContentType = "items"
	PlanMarkdown PlanContentType = "markdown"
	PlanFile     PlanContentType = "file"
)

// PlanUpdateContent is a plan as items, as Markdown, or in a file (unstable).
// Type says which of the fields matters.
type PlanUpdateContent struct {
	Type   PlanContentType `json:"type" acp:"required"`
	PlanID PlanID          `json:"planId" acp:"required"`
	// Entries of PlanItems, Content of PlanMarkdown, URI of PlanFile.
	Entries []PlanEntry `json:"entries,omitempty" acp:"of=items"`
	Content string      `json:"content,omitempty" acp:"of=markdown"`
	URI     string      `json:"uri,omitempty" acp:"of=file"`
	Meta    Meta        `json:"_meta,omitempty"`

	// Raw is the whole plan if its type is unknown.
	Raw json.RawMessage `json:"-"`
}

func (c *PlanUpdateContent) decodeVariant(raw json.RawMessage) error {
	return decodeUnion(raw, c, &c.Type, &c.Raw)
}

// MarshalJSON encodes the fields of the plan's form.
func (c PlanUpdateContent) MarshalJSON() ([]byte, error) { return marshalUnion(c, c.Type, c.Raw) }

// PlanRemoved removes a plan (the unstable session update "plan_removed").
type PlanRemoved struct {
	PlanID PlanID `json:"planId" acp:"required"`
	Meta   Meta   `json:"_meta,omitempty"`
}
