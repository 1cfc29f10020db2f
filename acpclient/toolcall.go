package acpclient

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// ToolCallID identifies a tool call within a session.
type ToolCallID string

// ToolKind is the category of a tool, for icons and layout (schema type
// ToolKind). An unknown kind is shown as ToolOther.
type ToolKind string

// The tool kinds that the protocol defines.
const (
	ToolRead       ToolKind = "read"
	ToolEdit       ToolKind = "edit"
	ToolDelete     ToolKind = "delete"
	ToolMove       ToolKind = "move"
	ToolSearch     ToolKind = "search"
	ToolExecute    ToolKind = "execute"
	ToolThink      ToolKind = "think"
	ToolFetch      ToolKind = "fetch"
	ToolSwitchMode ToolKind = "switch_mode"
	ToolOther      ToolKind = "other"
)

// ToolCallStatus is where a tool call is in its life (schema type
// ToolCallStatus; "Status" on the tool calls page).
type ToolCallStatus string

// The statuses that the protocol defines.
const (
	ToolPending    ToolCallStatus = "pending"
	ToolInProgress ToolCallStatus = "in_progress"
	ToolCompleted  ToolCallStatus = "completed"
	ToolFailed     ToolCallStatus = "failed"
	// ToolPaused and ToolCancelled are in the second version of the protocol only.
	ToolPaused    ToolCallStatus = "paused"
	ToolCancelled ToolCallStatus = "cancelled"
)

// ToolCall announces a tool call (schema type ToolCall; the session update
// "tool_call").
type ToolCall struct {
	ToolCallID ToolCallID `json:"toolCallId" acp:"required"`
	// Title says in words what the tool does.
	Title string `json:"title"`
	// Name is the tool's name in the agent's program.
	Name      string             `json:"name,omitempty"`
	Kind      ToolKind           `json:"kind,omitempty"`
	Status    ToolCallStatus     `json:"status,omitempty"`
	Content   ToolCallContents   `json:"content,omitempty"`
	Locations []ToolCallLocation `json:"locations,omitempty"`
	// RawInput and RawOutput are what the tool got and gave, any JSON.
	RawInput  json.RawMessage `json:"rawInput,omitempty"`
	RawOutput json.RawMessage `json:"rawOutput,omitempty"`
	Meta      Meta            `json:"_meta,omitempty"`
}

// ToolCallUpdate changes a tool call: what is nil stays as it is, and an array
// replaces the one before (schema type ToolCallUpdate; the session update
// "tool_call_update", and what a permission request is about).
type ToolCallUpdate struct {
	ToolCallID ToolCallID         `json:"toolCallId" acp:"required"`
	Title      *string            `json:"title,omitempty"`
	Name       *string            `json:"name,omitempty"`
	Kind       *ToolKind          `json:"kind,omitempty"`
	Status     *ToolCallStatus    `json:"status,omitempty"`
	Content    ToolCallContents   `json:"content,omitzero"`
	Locations  []ToolCallLocation `json:"locations,omitzero"`
	RawInput   json.RawMessage    `json:"rawInput,omitempty"`
	RawOutput  json.RawMessage    `json:"rawOutput,omitempty"`
	// Capabilities say what can be done with this one call.
	Capabilities *CancelCapabilities `json:"capabilities,omitempty"`
	Meta         Meta                `json:"_meta,omitempty"`
}

// ToolCallLocation is a file, and perhaps a line, that a tool works on (schema
// type ToolCallLocation; "Following the Agent").
type ToolCallLocation struct {
	Path string `json:"path" acp:"required"`
	// Line counts from 1.
	Line *int `json:"line,omitempty"`
	Meta Meta `json:"_meta,omitempty"`
}

// ToolContentType tells the kinds of tool call content apart.
type ToolContentType string

// The kinds of tool call content that the protocol defines.
const (
	ToolContentBlock    ToolContentType = "content"
	ToolContentDiff     ToolContentType = "diff"
	ToolContentTerminal ToolContentType = "terminal"
)

// ToolCallContent is something that a tool call produced (schema type
// ToolCallContent). Type says which of the fields matter.
type ToolCallContent struct {
	Type ToolContentType `json:"type" acp:"required"`

	// Content of type "content".
	Content *ContentBlock `json:"content,omitempty"`

	// Path, OldText and NewText of type "diff". A nil OldText is a new file.
	Path    string  `json:"path,omitempty"`
	OldText *string `json:"oldText,omitempty"`
	NewText string  `json:"newText,omitempty"`
	// Change says what is done with the file as a whole, in the place of the texts;
	// nil if there are texts.
	Change *FileChange `json:"change,omitempty"`

	// TerminalID of type "terminal".
	TerminalID TerminalID `json:"terminalId,omitempty"`

	Meta Meta `json:"_meta,omitempty"`

	// Raw is the whole item, if its type is not one of the above.
	Raw json.RawMessage `json:"-"`
}

// ToolCallContents is the content of a tool call. Besides the schema's form it
// decodes bare content blocks in the array, as the session modes page shows
// them, and an array of blocks under one "content".
type ToolCallContents []ToolCallContent

// TextContent is tool call content that is text.
func TextContent(text string) ToolCallContent {
	b := TextBlock(text)
	return ToolCallContent{Type: ToolContentBlock, Content: &b}
}

// DiffContent is a change of one file; a nil oldText makes it new.
func DiffContent(path string, oldText *string, newText string) ToolCallContent {
	return ToolCallContent{Type: ToolContentDiff, Path: path, OldText: oldText, NewText: newText}
}

// TerminalContent embeds a terminal.
func TerminalContent(id TerminalID) ToolCallContent {
	return ToolCallContent{Type: ToolContentTerminal, TerminalID: id}
}

// MarshalJSON encodes the fields of the item's type, required ones even when
// they are empty.
func (c ToolCallContent) MarshalJSON() ([]byte, error) {
	switch c.Type {
	case ToolContentBlock:
		if c.Content == nil {
			break
		}
		return marshal(struct {
			Type    ToolContentType `json:"type"`
			Content *ContentBlock   `json:"content"`
			Meta    Meta            `json:"_meta,omitempty"`
		}{c.Type, c.Content, c.Meta})
	case ToolContentDiff:
		return marshal(struct {
			Type    ToolContentType `json:"type"`
			Path    string          `json:"path"`
			OldText *string         `json:"oldText,omitempty"`
			NewText string          `json:"newText"`
			Change  *FileChange     `json:"change,omitempty"`
			Meta    Meta            `json:"_meta,omitempty"`
		}{c.Type, c.Path, c.OldText, c.NewText, c.Change, c.Meta})
	case ToolContentTerminal:
		return marshal(struct {
			Type       ToolContentType `json:"type"`
			TerminalID TerminalID      `json:"terminalId"`
			Meta       Meta            `json:"_meta,omitempty"`
		}{c.Type, c.TerminalID, c.Meta})
	}
	if len(c.Raw) > 0 {
		return c.Raw, nil
	}
	return nil, fmt.Errorf("tool call content of type %q cannot be encoded", c.Type)
}

func (cs *ToolCallContents) decodeVariant(raw json.RawMessage) error {
	switch raw[0] {
	case '[':
		*cs = ToolCallContents{}
		for item := range elements(raw) {
			*cs = append(*cs, decodeToolContent(item)...)
		}
	case '{': // one item without its array
		*cs = append(ToolCallContents{}, decodeToolContent(raw)...)
	case 'n':
		*cs = nil
	default:
		return wrongKind{raw[0], "an array"}
	}
	return nil
}

// decodeToolContent decodes one item of the array. Usually that is one content.
// It is several if there is an array under "content", and none if it lacks what
// its type cannot be shown without.
func decodeToolContent(raw json.RawMessage) []ToolCallContent {
	if discriminator(raw, "type") == string(ToolContentBlock) {
		if content := member(raw, "content"); content != nil && content[0] == '[' {
			var blocks []ContentBlock
			_ = decode(content, &blocks) // leaves out bad items
			out := make([]ToolCallContent, len(blocks))
			for i := range blocks {
				out[i] = ToolCallContent{Type: ToolContentBlock, Content: &blocks[i]}
			}
			return out
		}
	}
	var c ToolCallContent
	if decodePlain(raw, &c) != nil {
		return nil
	}
	if c.Type == ToolContentBlock && c.Content == nil || c.Type == ToolContentTerminal && c.TerminalID == "" {
		return nil
	}
	if c.Type != ToolContentBlock && c.Type != ToolContentDiff && c.Type != ToolContentTerminal {
		var b ContentBlock
		if decode(raw, &b) == nil && b.complete() {
			return []ToolCallContent{{Type: ToolContentBlock, Content: &b}}
		}
		c.Raw = bytes.Clone(raw)
	}
	return []ToolCallContent{c}
}

// FileOperation is what was done with a file. Any other string than the ones below
// may come.
type FileOperation string

// The operations that the protocol defines.
const (
	FileAdd    FileOperation = "add"
	FileDelete FileOperation = "delete"
	FileModify FileOperation = "modify"
	FileMove   FileOperation = "move"
	FileCopy   FileOperation = "copy"
)

// FileChange says what a change does with a file as a whole: that it is deleted, or
// moved, or changed without a text that could be shown. The content that has it has
// no texts.
type FileChange struct {
	Operation FileOperation `json:"operation" acp:"required"`
	// OldPath is where the file was before FileMove, or is copied from.
	OldPath string `json:"oldPath,omitempty"`
	// FileType is "text", "binary", "directory", "symlink" or something else; empty if
	// it is not known.
	FileType string `json:"fileType,omitempty"`
	MimeType string `json:"mimeType,omitempty"`
}
