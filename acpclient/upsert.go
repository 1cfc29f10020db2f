package acpclient

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
)

// The updates in this file say what a session's messages, calls and terminals are
// as a whole, or add to them. Agents of the protocol's second version send them.

// MessageUpdate creates a message or changes it as a whole (the updates
// "user_message", "agent_message" and "agent_thought").
type MessageUpdate struct {
	// Chunk is the kind of message, named as its chunks are. It stands for the
	// update's discriminator.
	Chunk     ChunkKind `json:"-"`
	MessageID MessageID `json:"messageId" acp:"required"`
	// Content, if set, replaces all that the message had so far; null empties it.
	Content Field[[]ContentBlock] `json:"content,omitzero"`
	Meta    Meta                  `json:"_meta,omitempty"`
}

// wholeMessages are the discriminators of whole messages, by those of their chunks.
var wholeMessages = map[ChunkKind]string{
	UserMessageChunk:  "user_message",
	AgentMessageChunk: "agent_message",
	AgentThoughtChunk: "agent_thought",
}

// PromptAccepted says under which id a prompt of ours stands in the session (the
// update "prompt_accepted"). No agent sends it: it is made of the answer to a
// prompt.
type PromptAccepted struct {
	MessageID MessageID `json:"messageId" acp:"required"`
	Meta      Meta      `json:"_meta,omitempty"`
}

// ToolCallContentChunk adds to what a tool call has produced (the update
// "tool_call_content_chunk"). It creates the call if there is none.
type ToolCallContentChunk struct {
	ToolCallID ToolCallID `json:"toolCallId" acp:"required"`
	// Content is mostly one; a change of several files is one for each.
	Content ToolCallContents `json:"content" acp:"required"`
	Meta    Meta             `json:"_meta,omitempty"`
}

// TerminalUpdate creates or changes a terminal that the agent runs itself, and only
// shows (the update "terminal_update"). What is not set stays as it is, and null
// clears it.
type TerminalUpdate struct {
	TerminalID TerminalID    `json:"terminalId" acp:"required"`
	Command    Field[string] `json:"command,omitzero"`
	Cwd        Field[string] `json:"cwd,omitzero"`
	// Output replaces all that was printed before.
	Output       Field[TerminalSnapshot]   `json:"output,omitzero"`
	ExitStatus   Field[TerminalExitStatus] `json:"exitStatus,omitzero"`
	Size         Field[TerminalSize]       `json:"size,omitzero"`
	Capabilities Field[CancelCapabilities] `json:"capabilities,omitzero"`
	Meta         Meta                      `json:"_meta,omitempty"`
}

// TerminalSnapshot is all that a terminal has printed, as far as it is kept.
type TerminalSnapshot struct {
	Data Bytes `json:"data" acp:"required"`
	Meta Meta  `json:"_meta,omitempty"`
}

// TerminalSize is the size of a terminal in cells.
type TerminalSize struct {
	Cols uint32 `json:"cols" acp:"required"`
	Rows uint32 `json:"rows" acp:"required"`
	Meta Meta   `json:"_meta,omitempty"`
}

// CancelCapabilities says that one tool call, or one terminal, can be cancelled
// alone.
type CancelCapabilities struct {
	Cancel *Supported `json:"cancel,omitempty"`
	Meta   Meta       `json:"_meta,omitempty"`
}

// TerminalOutputChunk adds to the output of a terminal of the agent (the update
// "terminal_output_chunk"). It may end inside a character.
type TerminalOutputChunk struct {
	TerminalID TerminalID `json:"terminalId" acp:"required"`
	Data       Bytes      `json:"data" acp:"required"`
	Meta       Meta       `json:"_meta,omitempty"`
}

// Bytes are any bytes. On the wire they are a string in base64.
type Bytes []byte

// MarshalJSON encodes the bytes in base64.
func (b Bytes) MarshalJSON() ([]byte, error) {
	return marshal(base64.StdEncoding.EncodeToString(b))
}

// UnmarshalJSON takes base64 with and without padding.
func (b *Bytes) UnmarshalJSON(raw []byte) error {
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return err
	}
	out, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "="))
	if err != nil {
		return fmt.Errorf("bytes in base64: %w", err)
	}
	*b = out
	return nil
}
