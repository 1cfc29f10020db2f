package v2

import (
	"encoding/json"
	"slices"

	"parley/acpclient"
)

// ToolCallUpdate creates a tool call or changes it.
type ToolCallUpdate struct {
	ToolCallID   acpclient.ToolCallID                `json:"toolCallId" acp:"required"`
	Name         Field[string]                       `json:"name,omitzero"`
	Title        Field[string]                       `json:"title,omitzero"`
	Kind         Field[acpclient.ToolKind]           `json:"kind,omitzero"`
	Status       Field[acpclient.ToolCallStatus]     `json:"status,omitzero"`
	Content      Field[[]ToolCallContent]            `json:"content,omitzero"`
	Locations    Field[[]acpclient.ToolCallLocation] `json:"locations,omitzero"`
	RawInput     Field[json.RawMessage]              `json:"rawInput,omitzero"`
	RawOutput    Field[json.RawMessage]              `json:"rawOutput,omitzero"`
	Capabilities Field[acpclient.CancelCapabilities] `json:"capabilities,omitzero"`
	Meta         Meta                                `json:"_meta,omitempty"`
}

// ToolCallContentChunk adds one item to what a tool call has produced.
type ToolCallContentChunk struct {
	ToolCallID acpclient.ToolCallID `json:"toolCallId" acp:"required"`
	Content    ToolCallContent      `json:"content" acp:"required"`
	Meta       Meta                 `json:"_meta,omitempty"`
}

// ToolCallContent is something that a tool call produced: content, a diff, a terminal,
// or something of an unknown type.
type ToolCallContent struct {
	Type acpclient.ToolContentType `json:"type" acp:"required"`
	// Diff of the type "diff".
	Diff *Diff `json:"-"`
	// Raw is the whole item.
	Raw json.RawMessage `json:"-"`
}

// Diff is a change of files.
type Diff struct {
	Changes []DiffChange `json:"changes" acp:"required"`
	Patch   *DiffPatch   `json:"patch,omitempty"`
	Meta    Meta         `json:"_meta,omitempty"`
}

// DiffChange is a change of one file.
type DiffChange struct {
	Operation acpclient.FileOperation `json:"operation" acp:"required"`
	Path      string                  `json:"path"`
	OldPath   string                  `json:"oldPath,omitempty"`
	FileType  string                  `json:"fileType,omitempty"`
	MimeType  string                  `json:"mimeType,omitempty"`
	Meta      Meta                    `json:"_meta,omitempty"`
}

// DiffPatch is the text of some or all of the changes.
type DiffPatch struct {
	// Format is GitPatch, or something that is shown as it is.
	Format string `json:"format" acp:"required"`
	Text   string `json:"text" acp:"required"`
	Meta   Meta   `json:"_meta,omitempty"`
}

// GitPatch is the format of `git diff --patch`.
const GitPatch = "git_patch"

// UnmarshalJSON decodes the item and keeps it whole.
func (c *ToolCallContent) UnmarshalJSON(b []byte) error {
	type plain ToolCallContent
	if err := acpclient.Unmarshal(b, (*plain)(c)); err != nil {
		return err
	}
	c.Raw = append(json.RawMessage(nil), b...)
	if c.Type == acpclient.ToolContentDiff {
		c.Diff = new(Diff)
		return acpclient.Unmarshal(b, c.Diff)
	}
	return nil
}

// MarshalJSON encodes the item as it was received.
func (c ToolCallContent) MarshalJSON() ([]byte, error) { return c.Raw, nil }

// contentsToV1 converts items to acpclient's contents: one for each change of a diff.
func contentsToV1(items []ToolCallContent) acpclient.ToolCallContents {
	out := acpclient.ToolCallContents{}
	for _, item := range items {
		if item.Diff != nil {
			out = append(out, item.Diff.toV1()...)
			continue
		}
		var one acpclient.ToolCallContents
		if acpclient.Unmarshal(item.Raw, &one) == nil {
			out = append(out, one...)
		}
	}
	return out
}

// toolCallUpdate translates an update of a call. alike says that acpclient would have
// decoded it to the same.
func toolCallUpdate(raw json.RawMessage) (_ acpclient.SessionUpdate, alike bool, _ error) {
	var u ToolCallUpdate
	if err := acpclient.Unmarshal(raw, &u); err != nil {
		return nil, false, err
	}
	return u.toV1(), !u.clears() && (u.Content.Value == nil || !hasDiff(*u.Content.Value)), nil
}

func toolCallContentChunk(raw json.RawMessage) (_ acpclient.SessionUpdate, alike bool, _ error) {
	var u ToolCallContentChunk
	if err := acpclient.Unmarshal(raw, &u); err != nil {
		return nil, false, err
	}
	items := []ToolCallContent{u.Content}
	return &acpclient.ToolCallContentChunk{ToolCallID: u.ToolCallID, Content: contentsToV1(items), Meta: u.Meta}, !hasDiff(items), nil
}

func hasDiff(items []ToolCallContent) bool {
	return slices.ContainsFunc(items, func(c ToolCallContent) bool { return c.Diff != nil })
}

// clears reports whether the update takes anything back.
func (u *ToolCallUpdate) clears() bool {
	return null(u.Name) || null(u.Title) || null(u.Kind) || null(u.Status) || null(u.Content) ||
		null(u.Locations) || null(u.RawInput) || null(u.RawOutput) || null(u.Capabilities)
}

func null[T any](f Field[T]) bool { return f.Set && f.Value == nil }

// toV1 converts the update. A cleared field gets the value that it has in a new call.
func (u *ToolCallUpdate) toV1() *acpclient.ToolCallUpdate {
	out := &acpclient.ToolCallUpdate{
		ToolCallID: u.ToolCallID,
		Name:       valueOr(u.Name, ""),
		Title:      valueOr(u.Title, ""),
		Kind:       valueOr(u.Kind, acpclient.ToolOther),
		Status:     valueOr(u.Status, acpclient.ToolPending),
		Meta:       u.Meta,
	}
	if items := valueOr(u.Content, nil); items != nil {
		out.Content = contentsToV1(*items)
	}
	if places := valueOr(u.Locations, nil); places != nil {
		out.Locations = append([]acpclient.ToolCallLocation{}, *places...)
	}
	if in := valueOr(u.RawInput, nothing); in != nil {
		out.RawInput = *in
	}
	if given := valueOr(u.RawOutput, nothing); given != nil {
		out.RawOutput = *given
	}
	out.Capabilities = valueOr(u.Capabilities, acpclient.CancelCapabilities{})
	return out
}

// nothing replaces the input or output that an agent has cleared.
var nothing = json.RawMessage(`""`)

// valueOr is what a field sets something to, nil if it leaves it alone. Null sets it
// to a default.
func valueOr[T any](f Field[T], cleared T) *T {
	switch {
	case !f.Set:
		return nil
	case f.Value == nil:
		return &cleared
	}
	return f.Value
}
