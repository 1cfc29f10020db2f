package acpclient

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Plan is the agent's plan, whole (schema type Plan; the session update
// "plan"). Each replaces the one before.
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

// PlanEntryPriority says how much a step matters.
type PlanEntryPriority string

// The priorities that the protocol defines.
const (
	PlanHigh   PlanEntryPriority = "high"
	PlanMedium PlanEntryPriority = "medium"
	PlanLow    PlanEntryPriority = "low"
)

// PlanEntryStatus says whether a step has begun and ended.
type PlanEntryStatus string

// The statuses that the protocol defines.
const (
	PlanPending    PlanEntryStatus = "pending"
	PlanInProgress PlanEntryStatus = "in_progress"
	PlanCompleted  PlanEntryStatus = "completed"
	// PlanCancelled is in the second version of the protocol only.
	PlanCancelled PlanEntryStatus = "cancelled"
)

// PlanID names a plan among several (unstable).
type PlanID string

// PlanUpdate changes one plan of several (the unstable session update
// "plan_update"). Exactly one of its contents is there.
type PlanUpdate struct {
	Plan PlanUpdateContent `json:"plan" acp:"required"`
	Meta Meta              `json:"_meta,omitempty"`
}

// PlanContentType tells the forms of a plan apart (unstable).
type PlanContentType = string

// The forms that the protocol proposes. Any other is kept in Raw.
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
	Entries []PlanEntry `json:"entries,omitempty"`
	Content string      `json:"content,omitempty"`
	URI     string      `json:"uri,omitempty"`
	Meta    Meta        `json:"_meta,omitempty"`

	// Raw is the whole plan, if its type is not one of the above.
	Raw json.RawMessage `json:"-"`
}

func (c *PlanUpdateContent) decodeVariant(raw json.RawMessage) error {
	if err := decodePlain(raw, c); err != nil {
		return err
	}
	switch c.Type {
	case PlanItems, PlanMarkdown, PlanFile:
	default:
		c.Raw = bytes.Clone(raw)
	}
	return nil
}

// MarshalJSON encodes the fields of the plan's form, required ones even when
// they are empty.
func (c PlanUpdateContent) MarshalJSON() ([]byte, error) {
	type common struct {
		Type   PlanContentType `json:"type"`
		PlanID PlanID          `json:"planId"`
		Meta   Meta            `json:"_meta,omitempty"`
	}
	head := common{c.Type, c.PlanID, c.Meta}
	switch c.Type {
	case PlanItems:
		return marshal(struct {
			common
			Entries List[PlanEntry] `json:"entries"`
		}{head, c.Entries})
	case PlanMarkdown:
		return marshal(struct {
			common
			Content string `json:"content"`
		}{head, c.Content})
	case PlanFile:
		return marshal(struct {
			common
			URI string `json:"uri"`
		}{head, c.URI})
	}
	if len(c.Raw) > 0 {
		return c.Raw, nil
	}
	return nil, fmt.Errorf("a plan of type %q cannot be encoded", c.Type)
}

// PlanRemoved takes a plan away (the unstable session update "plan_removed").
type PlanRemoved struct {
	PlanID PlanID `json:"planId" acp:"required"`
	Meta   Meta   `json:"_meta,omitempty"`
}
