package acpclient

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

// PlanEntryStatus says how far a step is.
type PlanEntryStatus string

// The statuses that the protocol defines.
const (
	PlanPending    PlanEntryStatus = "pending"
	PlanInProgress PlanEntryStatus = "in_progress"
	PlanCompleted  PlanEntryStatus = "completed"
)

// PlanID names a plan among several (unstable).
type PlanID string

// PlanUpdate changes one plan of several (the unstable session update
// "plan_update"). Exactly one of its contents is there.
type PlanUpdate struct {
	Plan PlanUpdateContent `json:"plan" acp:"required"`
	Meta Meta              `json:"_meta,omitempty"`
}

// PlanUpdateContent is a plan as items, as Markdown, or in a file, as its Type
// says: "items", "markdown", "file" (unstable).
type PlanUpdateContent struct {
	Type    string      `json:"type" acp:"required"`
	PlanID  PlanID      `json:"planId" acp:"required"`
	Entries []PlanEntry `json:"entries,omitempty"`
	Content string      `json:"content,omitempty"`
	URI     string      `json:"uri,omitempty"`
	Meta    Meta        `json:"_meta,omitempty"`
}

// PlanRemoved takes a plan away (the unstable session update "plan_removed").
type PlanRemoved struct {
	PlanID PlanID `json:"planId" acp:"required"`
	Meta   Meta   `json:"_meta,omitempty"`
}
