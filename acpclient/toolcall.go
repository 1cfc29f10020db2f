package acpclient

import (
	"bytes"
	"encoding/json"
)

// ToolCallID identifies a tool call within a session.
type ToolCallID string

// ToolKind is the category of a tool, for icons and layout (schema type ToolKind).
// Treat unknown kinds as ToolOther.
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

// ToolCallStatus is the status of a tool call (schema type ToolCallStatus; "Status" on
// the tool calls page).
type ToolCallStatus string

// The statuses that the protocol defines.
const (
	ToolPending    ToolCallStatus = "pending"
	ToolInProgress ToolCallStatus = "in_progress"
	ToolCompleted  ToolCallStatus = "completed"
	ToolFailed     ToolCallStatus = "failed"
	// ToolPaused and ToolCancelled are only in version 2 of the protocol.
	ToolPaused    ToolCallStatus = "paused"
	ToolCancelled ToolCallStatus = "cancelled"
)

// ToolCall announces a tool call (schema type ToolCall; the session update
// "tool_call").
type ToolCall struct {
	ToolCallID ToolCallID `json:"toolCallId" acp:"required"`
	// Title describes what the tool does.
	Title string `json:"title"`
	// Name is the tool's name in the agent's program.
	Name      string             `json:"name,omitempty"`
	Kind      ToolKind           `json:"kind,omitempty"`
	Status    ToolCallStatus     `json:"status,omitempty"`
	Content   ToolCallContents   `json:"content,omitempty"`
	Locations []ToolCallLocation `json:"locations,omitempty"`
	// RawInput and RawOutput are the tool's input and output, any JSON.
	RawInput  json.RawMessage `json:"rawInput,omitempty"`
	RawOutput json.RawMessage `json:"rawOutput,omitempty"`
	Meta      Meta            `json:"_meta,omitempty"`
}

// ToolCallUpdate changes a tool call: nil fields stay unchanged, and arrays replace the
// previous ones (schema type ToolCallUpdate; the session update "tool_call_update", and
// the subject of a permission request).
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
	// Capabilities are those of this call.
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

// ToolContentType is the type of a tool call's content.
type ToolContentType string

// The types that the protocol defines.
const (
	ToolContentBlock    ToolContentType = "content"
	ToolContentDiff     ToolContentType = "diff"
	ToolContentTerminal ToolContentType = "terminal"
)

// ToolCallContent is a piece of a tool call's content (schema type ToolCallContent).
// Type says which of the fields matter.
type ToolCallContent struct {
	Type ToolContentType `json:"type" acp:"required"`

	// Content of type "content".
	Content *ContentBlock `json:"content,omitempty" acp:"of=content"`

	// Path, OldText and NewText of type "diff". A nil OldText is a new file.
	Path    string  `json:"path,omitempty" acp:"of=diff"`
	OldText *string `json:"oldText,omitempty"`
	NewText string  `json:"newText,omitempty" acp:"of=diff"`
	// Change is an operation on the whole file, in place of the texts.
	Change *FileChange `json:"change,omitempty"`

	// TerminalID of type "terminal".
	TerminalID TerminalID `json:"terminalId,omitempty" acp:"of=terminal"`

	Meta Meta `json:"_meta,omitempty"`

	// Raw is the whole item if its type is unknown.
	Raw json.RawMessage `json:"-"`
}

// ToolCallContents is the content of a tool call. It also decodes bare content blocks,
// as on the session modes page, and an array of blocks under "content".
type ToolCallContents []ToolCallContent

// TextContent returns content that is text.
func TextContent(text string) ToolCallContent {
	b := TextBlock(text)
	return ToolCallContent{Type: ToolContentBlock, Content: &b}
}

// DiffContent returns a change of a file; a nil oldText means a new file.
func DiffContent(path string, oldText *string, newText string) ToolCallContent {
	return ToolCallContent{Type: ToolContentDiff, Path: path, OldText: oldText, NewText: newText}
}

// TerminalContent returns content that shows a terminal.
func TerminalContent(id TerminalID) ToolCallContent {
	return ToolCallContent{Type: ToolContentTerminal, TerminalID: id}
}

// MarshalJSON encodes the fields of the item's type.
func (c ToolCallContent) MarshalJSON() ([]byte, error) { return marshalUnion(c, c.Type, c.Raw) }

func (cs *ToolCallContents) decodeVariant(raw json.RawMessage) error {
	switch raw[0] {
	case '[':
		*cs = ToolCallContents{}
		for item := range Elements(raw) {
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

// decodeToolContent decodes an item of the array, usually to one content: to several if
// there is an array under "content", to none if a required part is missing.
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
	if !isOf(&c, string(c.Type)) {
		var b ContentBlock
		if decode(raw, &b) == nil && b.complete() {
			return []ToolCallContent{{Type: ToolContentBlock, Content: &b}}
		}
		c.Raw = bytes.Clone(raw)
	}
	return []ToolCallContent{c}
}

// FileOperation is an operation on a file. Agents may send other values.
type FileOperation string

// The operations that the protocol defines.
const (
	FileAdd    FileOperation = "add"
	FileDelete FileOperation = "delete"
	FileModify FileOperation = "modify"
	FileMove   FileOperation = "move"
	FileCopy   FileOperation = "copy"
)

// FileChange is an operation on a whole file: deleting or moving it, or a change without
// text. Its content has no texts.
type FileChange struct {
	Operation FileOperation `json:"operation" acp:"required"`
	// OldPath is where the file was before FileMove, or is copied from.
	OldPath string `json:"oldPath,omitempty"`
	// FileType is "text", "binary", "directory", "symlink" or another string; empty if
	// unknown.
	FileType string `json:"fileType,omitempty"`
	MimeType string `json:"mimeType,omitempty"`
}
