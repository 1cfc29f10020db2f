package acpclient

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
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

// TerminalOutputChunk is what a terminal of the agent prints next (the update
// "terminal_output_chunk"). It may end inside a character.
type TerminalOutputChunk struct {
	TerminalID TerminalID `json:"terminalId" acp:"required"`
	Data       Bytes      `json:"data" acp:"required"`
	Meta       Meta       `json:"_meta,omitempty"`
}

// UpdateKind implements SessionUpdate, as the methods below do.
func (u *MessageUpdate) UpdateKind() string { return wholeMessages[u.Chunk] }

// UpdateKind implements SessionUpdate.
func (*PromptAccepted) UpdateKind() string { return "prompt_accepted" }

// UpdateKind implements SessionUpdate.
func (*ToolCallContentChunk) UpdateKind() string { return "tool_call_content_chunk" }

// UpdateKind implements SessionUpdate.
func (*TerminalUpdate) UpdateKind() string { return "terminal_update" }

// UpdateKind implements SessionUpdate.
func (*TerminalOutputChunk) UpdateKind() string { return "terminal_output_chunk" }

// newUpsert returns an empty update of one of the kinds in this file, nil for any
// other.
func newUpsert(kind string) SessionUpdate {
	switch kind {
	case "user_message":
		return &MessageUpdate{Chunk: UserMessageChunk}
	case "agent_message":
		return &MessageUpdate{Chunk: AgentMessageChunk}
	case "agent_thought":
		return &MessageUpdate{Chunk: AgentThoughtChunk}
	case "prompt_accepted":
		return &PromptAccepted{}
	case "state_update":
		return &StateUpdate{}
	case "tool_call_content_chunk":
		return &ToolCallContentChunk{}
	case "terminal_update":
		return &TerminalUpdate{}
	case "terminal_output_chunk":
		return &TerminalOutputChunk{}
	}
	return nil
}

func (u *MessageUpdate) decodeVariant(raw json.RawMessage) error {
	chunk := u.Chunk
	if err := decodePlain(raw, reflect.ValueOf(u).Elem()); err != nil {
		return err
	}
	u.Chunk = chunk
	return nil
}

// Bytes are any bytes. On the wire they are a string in base64.
type Bytes []byte

// MarshalJSON encodes the bytes in base64.
func (b Bytes) MarshalJSON() ([]byte, error) {
	return marshal(base64.StdEncoding.EncodeToString(b))
}

// UnmarshalJSON takes base64 with and without padding.
func (b *Bytes) UnmarshalJSON(raw []byte) error {
	var text []byte
	if err := json.Unmarshal(raw, (*quoted)(&text)); err != nil {
		return err
	}
	text = bytes.TrimRight(text, "=")
	out := make([]byte, base64.RawStdEncoding.DecodedLen(len(text)))
	n, err := base64.RawStdEncoding.Decode(out, text)
	if err != nil {
		return fmt.Errorf("bytes in base64: %w", err)
	}
	*b = out[:n]
	return nil
}

// quoted is a JSON string as bytes.
type quoted []byte

// UnmarshalJSON takes a string.
func (q *quoted) UnmarshalJSON(raw []byte) error {
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return err
	}
	*q = []byte(s)
	return nil
}
