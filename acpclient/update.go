package acpclient

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// MessageID identifies a message within a session.
type MessageID string

// SessionNotification is one update of a session (notification session/update).
type SessionNotification struct {
	SessionID SessionID
	Update    SessionUpdate
	Meta      Meta

	// Raw is the whole params as received, including unknown fields. It is not encoded.
	Raw json.RawMessage
}

// SessionUpdate is one of the update types of this package: *ContentChunk,
// *ToolCall, *ToolCallUpdate, *Plan, *AvailableCommandsUpdate,
// *CurrentModeUpdate, *ConfigOptionUpdate, *SessionInfoUpdate, *UsageUpdate,
// *Notice, *CompactionUpdate, *CompactionSummaryChunk, the unstable *PlanUpdate,
// *PlanRemoved, *SubagentUpdate, *SessionMessage and *SessionMessageChunk, or
// *UnknownUpdate (schema type SessionUpdate). Version 2 adds *MessageUpdate,
// *PromptAccepted, *StateUpdate, *ToolCallContentChunk, *TerminalUpdate and
// *TerminalOutputChunk.
type SessionUpdate interface {
	// UpdateKind is the update's discriminator on the wire, such as "tool_call".
	UpdateKind() string
}

// ChunkKind is the kind of message that a chunk belongs to.
type ChunkKind string

// The kinds of messages.
const (
	UserMessageChunk  ChunkKind = "user_message_chunk"
	AgentMessageChunk ChunkKind = "agent_message_chunk"
	AgentThoughtChunk ChunkKind = "agent_thought_chunk"
)

// ContentChunk is a piece of a message (the updates "user_message_chunk",
// "agent_message_chunk" and "agent_thought_chunk").
type ContentChunk struct {
	// Chunk is the kind of message, and the update's discriminator.
	Chunk   ChunkKind    `json:"-"`
	Content ContentBlock `json:"content" acp:"required"`
	// MessageID identifies the message; a different one begins a new message. Many
	// agents send none.
	MessageID MessageID `json:"messageId,omitempty"`
	Meta      Meta      `json:"_meta,omitempty"`
}

// AvailableCommandsUpdate is the whole list of slash commands (the update
// "available_commands_update").
type AvailableCommandsUpdate struct {
	AvailableCommands List[AvailableCommand] `json:"availableCommands"`
	Meta              Meta                   `json:"_meta,omitempty"`
}

// AvailableCommand is a slash command (schema type AvailableCommand).
type AvailableCommand struct {
	Name        string `json:"name" acp:"required"`
	Description string `json:"description"`
	// Input is nil for a command without input.
	Input *AvailableCommandInput `json:"input,omitempty"`
	Meta  Meta                   `json:"_meta,omitempty"`
}

// AvailableCommandInput describes the input of a command, the text typed after it.
type AvailableCommandInput struct {
	// Hint is the placeholder.
	Hint string `json:"hint"`
	Meta Meta   `json:"_meta,omitempty"`
}

// SessionInfoUpdate changes a session's metadata (the update "session_info_update").
type SessionInfoUpdate struct {
	Title Field[string] `json:"title,omitzero"`
	// UpdatedAt is an ISO 8601 time, as the agent spelled it.
	UpdatedAt Field[string] `json:"updatedAt,omitzero"`
	Meta      Meta          `json:"_meta,omitempty"`
}

// UsageUpdate has the use and size of the context in tokens, and the cost of the session
// so far (the update "usage_update").
type UsageUpdate struct {
	Used uint64 `json:"used"`
	Size uint64 `json:"size"`
	Cost *Cost  `json:"cost,omitempty"`
	Meta Meta   `json:"_meta,omitempty"`
}

// Cost is an amount in a currency (ISO 4217) or another unit.
type Cost struct {
	Amount   float64 `json:"amount" acp:"required"`
	Currency string  `json:"currency" acp:"required"`
	Meta     Meta    `json:"_meta,omitempty"`
}

// NoticeSeverity is the severity of a notice. Treat unknown values as NoticeInfo.
type NoticeSeverity string

// The severities that the protocol defines.
const (
	NoticeInfo    NoticeSeverity = "info"
	NoticeWarning NoticeSeverity = "warning"
	NoticeError   NoticeSeverity = "error"
)

// Notice is a message to the user that is not part of the conversation (the update
// "notice").
type Notice struct {
	Severity    NoticeSeverity `json:"severity"`
	Title       string         `json:"title" acp:"required"`
	Description string         `json:"description,omitempty"`
	Meta        Meta           `json:"_meta,omitempty"`
}

// CompactionID identifies a compaction within a session.
type CompactionID string

// CompactionStatus is the status of a compaction.
type CompactionStatus string

// The statuses that the protocol defines.
const (
	CompactionInProgress CompactionStatus = "in_progress"
	CompactionCompleted  CompactionStatus = "completed"
	CompactionFailed     CompactionStatus = "failed"
	CompactionCancelled  CompactionStatus = "cancelled"
)

// CompactionUpdate creates or changes a compaction of the context (the update
// "compaction_update"). A Summary that is not nil replaces the previous one.
type CompactionUpdate struct {
	CompactionID CompactionID     `json:"compactionId" acp:"required"`
	Status       CompactionStatus `json:"status"`
	Summary      []ContentBlock   `json:"summary,omitzero"`
	Error        string           `json:"error,omitempty"`
	Meta         Meta             `json:"_meta,omitempty"`
}

// CompactionSummaryChunk adds to a compaction's summary (the update
// "compaction_summary_chunk").
type CompactionSummaryChunk struct {
	CompactionID CompactionID `json:"compactionId" acp:"required"`
	Content      ContentBlock `json:"content" acp:"required"`
	Meta         Meta         `json:"_meta,omitempty"`
}

// SubagentUpdate announces a session that this one owns (the unstable update
// "subagent_update").
type SubagentUpdate struct {
	SessionID   SessionID     `json:"sessionId" acp:"required"`
	Title       Field[string] `json:"title,omitzero"`
	Description Field[string] `json:"description,omitzero"`
	// Capabilities say what the client may do with the session; none are granted before.
	// Cancel means that session/cancel ends its work, and leaves that of its parent.
	Capabilities Field[CancelCapabilities] `json:"capabilities,omitzero"`
	// State is what the session is doing; null means that it is not known.
	State Field[StateUpdate] `json:"state,omitzero"`
	// Cwd and AdditionalDirectories are those of the parent unless they are set.
	Cwd                   Field[string]   `json:"cwd,omitzero"`
	AdditionalDirectories Field[[]string] `json:"additionalDirectories,omitzero"`
	Meta                  Meta            `json:"_meta,omitempty"`
}

// SessionMessage is a message from one session to another, between a parent and its child
// (the unstable update "session_message"). It comes on both sessions, each time with an id
// of its own.
type SessionMessage struct {
	MessageID          MessageID             `json:"messageId" acp:"required"`
	SenderSessionID    Field[SessionID]      `json:"senderSessionId,omitzero"`
	RecipientSessionID Field[SessionID]      `json:"recipientSessionId,omitzero"`
	SenderMessageID    Field[MessageID]      `json:"senderMessageId,omitzero"`
	RecipientMessageID Field[MessageID]      `json:"recipientMessageId,omitzero"`
	Content            Field[[]ContentBlock] `json:"content,omitzero"`
	Meta               Meta                  `json:"_meta,omitempty"`
}

// SessionMessageChunk adds to a message between sessions (the unstable update
// "session_message_chunk").
type SessionMessageChunk struct {
	MessageID MessageID    `json:"messageId" acp:"required"`
	Content   ContentBlock `json:"content" acp:"required"`
	Meta      Meta         `json:"_meta,omitempty"`
}

// UnknownUpdate is an update of an unknown kind, or one without a required field.
type UnknownUpdate struct {
	Name string          // the discriminator, or ""
	Raw  json.RawMessage // the update as received
}

// UpdateKind implements SessionUpdate, as the methods below do.
func (u *ContentChunk) UpdateKind() string          { return string(u.Chunk) }
func (*ToolCall) UpdateKind() string                { return "tool_call" }
func (*ToolCallUpdate) UpdateKind() string          { return "tool_call_update" }
func (*Plan) UpdateKind() string                    { return "plan" }
func (*AvailableCommandsUpdate) UpdateKind() string { return "available_commands_update" }
func (*CurrentModeUpdate) UpdateKind() string       { return "current_mode_update" }
func (*ConfigOptionUpdate) UpdateKind() string      { return "config_option_update" }
func (*SessionInfoUpdate) UpdateKind() string       { return "session_info_update" }
func (*UsageUpdate) UpdateKind() string             { return "usage_update" }
func (*Notice) UpdateKind() string                  { return "notice" }
func (*CompactionUpdate) UpdateKind() string        { return "compaction_update" }
func (*CompactionSummaryChunk) UpdateKind() string  { return "compaction_summary_chunk" }
func (*PlanUpdate) UpdateKind() string              { return "plan_update" }
func (*PlanRemoved) UpdateKind() string             { return "plan_removed" }
func (*SubagentUpdate) UpdateKind() string          { return "subagent_update" }
func (*SessionMessage) UpdateKind() string          { return "session_message" }
func (*SessionMessageChunk) UpdateKind() string     { return "session_message_chunk" }
func (u *UnknownUpdate) UpdateKind() string         { return u.Name }
func (u *MessageUpdate) UpdateKind() string         { return wholeMessages[u.Chunk] }
func (*PromptAccepted) UpdateKind() string          { return "prompt_accepted" }
func (*ToolCallContentChunk) UpdateKind() string    { return "tool_call_content_chunk" }
func (*TerminalUpdate) UpdateKind() string          { return "terminal_update" }
func (*TerminalOutputChunk) UpdateKind() string     { return "terminal_output_chunk" }
func (*StateUpdate) UpdateKind() string             { return "state_update" }

// updateTypes maps kinds of updates to types, where a type has only one kind.
var updateTypes = func() map[string]reflect.Type {
	types := map[string]reflect.Type{}
	for _, u := range []SessionUpdate{
		&ToolCall{}, &ToolCallUpdate{}, &Plan{}, &AvailableCommandsUpdate{}, &CurrentModeUpdate{},
		&ConfigOptionUpdate{}, &SessionInfoUpdate{}, &UsageUpdate{}, &Notice{}, &CompactionUpdate{},
		&CompactionSummaryChunk{}, &PlanUpdate{}, &PlanRemoved{}, &SubagentUpdate{}, &SessionMessage{}, &SessionMessageChunk{}, &PromptAccepted{},
		&ToolCallContentChunk{}, &TerminalUpdate{}, &TerminalOutputChunk{}, &StateUpdate{},
	} {
		types[u.UpdateKind()] = reflect.TypeOf(u).Elem()
	}
	return types
}()

// newUpdate returns an empty update of a kind, nil for an unknown one.
func newUpdate(kind string) SessionUpdate {
	switch ChunkKind(kind) {
	case UserMessageChunk, AgentMessageChunk, AgentThoughtChunk:
		return &ContentChunk{Chunk: ChunkKind(kind)}
	}
	if t, known := updateTypes[kind]; known {
		return reflect.New(t).Interface().(SessionUpdate)
	}
	for chunk, whole := range wholeMessages {
		if kind == whole {
			return &MessageUpdate{Chunk: chunk}
		}
	}
	return nil
}

// MarshalJSON implements json.Marshaler.
func (n SessionNotification) MarshalJSON() ([]byte, error) { return n.encoded() }

// encoded encodes the update with its discriminator.
func (n SessionNotification) encoded() (Encoded, error) {
	if n.Update == nil {
		return nil, errors.New("a session notification without an update")
	}
	var update []byte
	var err error
	if u, ok := n.Update.(*UnknownUpdate); ok {
		update, err = Marshal(u.Raw)
	} else if update, err = Marshal(n.Update); err == nil {
		update = splice("sessionUpdate", n.Update.UpdateKind(), update)
	}
	if err != nil {
		return nil, err
	}
	out, err := Marshal(struct {
		SessionID SessionID `json:"sessionId"`
		Meta      Meta      `json:"_meta,omitempty"`
	}{n.SessionID, n.Meta})
	if err != nil {
		return nil, err
	}
	out = append(append(out[:len(out)-1], `,"update":`...), update...) // package json would read all of it again
	return append(out, '}'), nil
}

// UnmarshalJSON decodes like Unmarshal.
func (n *SessionNotification) UnmarshalJSON(b []byte) error { return Unmarshal(b, n) }

func (n *SessionNotification) decodeVariant(raw json.RawMessage) error {
	if raw[0] != '{' {
		return fmt.Errorf("SessionNotification: %w", wrongKind{raw[0], "an object"})
	}
	var id, update, meta json.RawMessage
	for key, value := range Members(raw) {
		switch string(key) {
		case "sessionId":
			id = value
		case "update":
			update = value
		case "_meta":
			meta = value
		}
	}
	switch {
	case id == nil || isNull(id):
		return fmt.Errorf("SessionNotification: %q: %w", "sessionId", errMissing)
	case update == nil || isNull(update):
		return fmt.Errorf("SessionNotification: %q: %w", "update", errMissing)
	}
	session, err := decodeString(id)
	if err != nil {
		return fmt.Errorf("SessionNotification: %q: %w", "sessionId", err)
	}
	*n = SessionNotification{SessionID: SessionID(session), Update: decodeUpdate(update), Raw: bytes.Clone(raw)}
	if !isNull(meta) {
		n.Meta = bytes.Clone(meta)
	}
	return nil
}

// decodeUpdate never fails: what it cannot decode is an UnknownUpdate.
func decodeUpdate(raw json.RawMessage) SessionUpdate {
	kind := discriminator(raw, "sessionUpdate")
	u := newUpdate(kind)
	if u == nil || decode(raw, u) != nil {
		return &UnknownUpdate{Name: kind, Raw: bytes.Clone(raw)}
	}
	return u
}

// discriminator returns the string that identifies the variant, or "".
func discriminator(raw json.RawMessage, name string) string {
	value := member(raw, name)
	if value == nil {
		return ""
	}
	kind, _ := decodeString(value)
	return kind
}

// WorkState says whether an agent is working in a session. Agents may send other values.
type WorkState string

// The states that the protocol defines.
const (
	// WorkIdle: the agent is ready for a prompt. Background work may continue.
	WorkIdle WorkState = "idle"
	// WorkRunning: the agent is working, on a prompt or by itself.
	WorkRunning WorkState = "running"
	// WorkRequiresAction: the agent is waiting for the user.
	WorkRequiresAction WorkState = "requires_action"
)

// StateUpdate says whether the agent is working (the update "state_update"). Agents may
// repeat it.
type StateUpdate struct {
	State WorkState `json:"state" acp:"required"`
	// StopReason says why work ended, with WorkIdle; Error is set for StopError.
	StopReason StopReason `json:"stopReason,omitempty"`
	Error      *Error     `json:"error,omitempty"`
	// Usage counts tokens (unstable); nil if unknown.
	Usage *Usage `json:"usage,omitempty"`
	// Background is all background work; nil if unknown.
	Background []BackgroundWork `json:"background,omitzero"`
	Meta       Meta             `json:"_meta,omitempty"`
}

// BackgroundType is the type of background work.
type BackgroundType string

// The types that the protocol defines. Work of another type is kept in Raw.
const (
	BackgroundTerminal BackgroundType = "terminal"
	BackgroundToolCall BackgroundType = "tool_call"
	BackgroundSubagent BackgroundType = "subagent"
)

// BackgroundWork is work that goes on even while the agent is idle. Type says which of
// the ids matters.
type BackgroundWork struct {
	Type       BackgroundType `json:"type" acp:"required"`
	TerminalID TerminalID     `json:"terminalId,omitempty" acp:"of=terminal"`
	ToolCallID ToolCallID     `json:"toolCallId,omitempty" acp:"of=tool_call"`
	SessionID  SessionID      `json:"sessionId,omitempty" acp:"of=subagent"`
	Meta       Meta           `json:"_meta,omitempty"`

	// Raw is the whole value if its type is unknown.
	Raw json.RawMessage `json:"-"`
}

func (w *BackgroundWork) decodeVariant(raw json.RawMessage) error {
	return decodeUnion(raw, w, &w.Type, &w.Raw)
}

// MarshalJSON encodes the work.
func (w BackgroundWork) MarshalJSON() ([]byte, error) { return marshalUnion(w, w.Type, w.Raw) }

// Only agents that speak version 2 send the updates below.

// MessageUpdate creates or replaces a message (the updates
// "user_message", "agent_message" and "agent_thought").
type MessageUpdate struct {
	// Chunk is the kind of message, and replaces the update's discriminator.
	Chunk     ChunkKind `json:"-"`
	MessageID MessageID `json:"messageId" acp:"required"`
	// Content, if set, replaces the message's content; null clears it.
	Content Field[[]ContentBlock] `json:"content,omitzero"`
	Meta    Meta                  `json:"_meta,omitempty"`
}

// wholeMessages maps the discriminators of chunks to those of whole messages.
var wholeMessages = map[ChunkKind]string{
	UserMessageChunk:  "user_message",
	AgentMessageChunk: "agent_message",
	AgentThoughtChunk: "agent_thought",
}

// PromptAccepted has the message id of a prompt (the update "prompt_accepted"). No agent
// sends it: package v2 creates it from the response to a prompt.
type PromptAccepted struct {
	MessageID MessageID `json:"messageId" acp:"required"`
	Meta      Meta      `json:"_meta,omitempty"`
}

// ToolCallContentChunk adds to the content of a tool call (the update
// "tool_call_content_chunk"). It creates an unknown call.
type ToolCallContentChunk struct {
	ToolCallID ToolCallID `json:"toolCallId" acp:"required"`
	// Content has one item, or one for each file of a change.
	Content ToolCallContents `json:"content" acp:"required"`
	Meta    Meta             `json:"_meta,omitempty"`
}

// TerminalUpdate creates or changes a terminal that the agent runs itself (the update
// "terminal_update"). Null clears a field.
type TerminalUpdate struct {
	TerminalID TerminalID    `json:"terminalId" acp:"required"`
	Command    Field[string] `json:"command,omitzero"`
	Cwd        Field[string] `json:"cwd,omitzero"`
	// Output replaces all earlier output.
	Output       Field[TerminalSnapshot]   `json:"output,omitzero"`
	ExitStatus   Field[TerminalExitStatus] `json:"exitStatus,omitzero"`
	Size         Field[TerminalSize]       `json:"size,omitzero"`
	Capabilities Field[CancelCapabilities] `json:"capabilities,omitzero"`
	Meta         Meta                      `json:"_meta,omitempty"`
}

// TerminalSnapshot is the kept output of a terminal.
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

// CancelCapabilities says whether a tool call, terminal or subagent can be cancelled by itself.
type CancelCapabilities struct {
	Cancel *Supported `json:"cancel,omitempty"`
	Meta   Meta       `json:"_meta,omitempty"`
}

// TerminalOutputChunk adds to the output of an agent's terminal (the update
// "terminal_output_chunk"). It may split characters.
type TerminalOutputChunk struct {
	TerminalID TerminalID `json:"terminalId" acp:"required"`
	Data       Bytes      `json:"data" acp:"required"`
	Meta       Meta       `json:"_meta,omitempty"`
}

// Bytes are bytes that are base64 on the wire.
type Bytes []byte

// MarshalJSON encodes the bytes in base64.
func (b Bytes) MarshalJSON() ([]byte, error) {
	return Marshal(base64.StdEncoding.EncodeToString(b))
}

// UnmarshalJSON accepts base64 with and without padding.
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
