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

	// Raw is the whole of the params as they were received, also what this
	// package does not know; nil if they were not received. It is not encoded.
	Raw json.RawMessage
}

// SessionUpdate is one of the update types of this package: *ContentChunk,
// *ToolCall, *ToolCallUpdate, *Plan, *AvailableCommandsUpdate,
// *CurrentModeUpdate, *ConfigOptionUpdate, *SessionInfoUpdate, *UsageUpdate,
// *Notice, *CompactionUpdate, *CompactionSummaryChunk, the unstable *PlanUpdate,
// *PlanRemoved and *SubagentUpdate, or *UnknownUpdate (schema type
// SessionUpdate). What only newer versions of the protocol have is one of
// *MessageUpdate, *PromptAccepted, *StateUpdate, *ToolCallContentChunk,
// *TerminalUpdate and *TerminalOutputChunk.
type SessionUpdate interface {
	// UpdateKind is the update's discriminator on the wire, such as "tool_call".
	UpdateKind() string
}

// ChunkKind says which kind of message a chunk belongs to.
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
	// Chunk is the kind of message; it is the update's discriminator.
	Chunk   ChunkKind    `json:"-"`
	Content ContentBlock `json:"content" acp:"required"`
	// MessageID is the message that the chunk belongs to. A changed one begins
	// a new message; many agents send none.
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
	// Input is nil for a command that takes none.
	Input *AvailableCommandInput `json:"input,omitempty"`
	Meta  Meta                   `json:"_meta,omitempty"`
}

// AvailableCommandInput describes the input of a command, the text typed after it.
type AvailableCommandInput struct {
	// Hint is shown while nothing has been typed.
	Hint string `json:"hint"`
	Meta Meta   `json:"_meta,omitempty"`
}

// SessionInfoUpdate changes what is known of the session (the update
// "session_info_update").
type SessionInfoUpdate struct {
	Title Field[string] `json:"title,omitzero"`
	// UpdatedAt is an ISO 8601 time, as the agent spelled it.
	UpdatedAt Field[string] `json:"updatedAt,omitzero"`
	Meta      Meta          `json:"_meta,omitempty"`
}

// UsageUpdate says how full the context is, in tokens, and what the session
// cost so far (the update "usage_update").
type UsageUpdate struct {
	Used uint64 `json:"used"`
	Size uint64 `json:"size"`
	Cost *Cost  `json:"cost,omitempty"`
	Meta Meta   `json:"_meta,omitempty"`
}

// Cost is an amount of a currency (ISO 4217) or another unit.
type Cost struct {
	Amount   float64 `json:"amount" acp:"required"`
	Currency string  `json:"currency" acp:"required"`
	Meta     Meta    `json:"_meta,omitempty"`
}

// NoticeSeverity is how loud a notice is. Any other string is taken as NoticeInfo.
type NoticeSeverity string

// The severities that the protocol defines.
const (
	NoticeInfo    NoticeSeverity = "info"
	NoticeWarning NoticeSeverity = "warning"
	NoticeError   NoticeSeverity = "error"
)

// Notice tells the user something that is not part of the conversation (the
// update "notice").
type Notice struct {
	Severity    NoticeSeverity `json:"severity"`
	Title       string         `json:"title" acp:"required"`
	Description string         `json:"description,omitempty"`
	Meta        Meta           `json:"_meta,omitempty"`
}

// CompactionID identifies a compaction within a session.
type CompactionID string

// CompactionStatus is where a compaction is in its life.
type CompactionStatus string

// The statuses that the protocol defines.
const (
	CompactionInProgress CompactionStatus = "in_progress"
	CompactionCompleted  CompactionStatus = "completed"
	CompactionFailed     CompactionStatus = "failed"
	CompactionCancelled  CompactionStatus = "cancelled"
)

// CompactionUpdate creates or changes a compaction of the context (the update
// "compaction_update"). A Summary that is not nil replaces the one before.
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

// SubagentUpdate says that the session owns another one (the unstable update
// "subagent_update").
type SubagentUpdate struct {
	SessionID   SessionID       `json:"sessionId" acp:"required"`
	Title       Field[string]   `json:"title,omitzero"`
	Description Field[string]   `json:"description,omitzero"`
	State       json.RawMessage `json:"state,omitempty"`
	Meta        Meta            `json:"_meta,omitempty"`
}

// UnknownUpdate is an update of a kind that this package does not know, or one
// that lacks what its kind cannot do without.
type UnknownUpdate struct {
	// Name is the discriminator, "" if there was none.
	Name string
	// Raw is the update as it was received.
	Raw json.RawMessage
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
func (u *UnknownUpdate) UpdateKind() string         { return u.Name }
func (u *MessageUpdate) UpdateKind() string         { return wholeMessages[u.Chunk] }
func (*PromptAccepted) UpdateKind() string          { return "prompt_accepted" }
func (*ToolCallContentChunk) UpdateKind() string    { return "tool_call_content_chunk" }
func (*TerminalUpdate) UpdateKind() string          { return "terminal_update" }
func (*TerminalOutputChunk) UpdateKind() string     { return "terminal_output_chunk" }
func (*StateUpdate) UpdateKind() string             { return "state_update" }

// updateTypes are the types that stand for one kind of update, by that kind.
var updateTypes = func() map[string]reflect.Type {
	types := map[string]reflect.Type{}
	for _, u := range []SessionUpdate{
		&ToolCall{}, &ToolCallUpdate{}, &Plan{}, &AvailableCommandsUpdate{}, &CurrentModeUpdate{},
		&ConfigOptionUpdate{}, &SessionInfoUpdate{}, &UsageUpdate{}, &Notice{}, &CompactionUpdate{},
		&CompactionSummaryChunk{}, &PlanUpdate{}, &PlanRemoved{}, &SubagentUpdate{}, &PromptAccepted{},
		&ToolCallContentChunk{}, &TerminalUpdate{}, &TerminalOutputChunk{}, &StateUpdate{},
	} {
		types[u.UpdateKind()] = reflect.TypeOf(u).Elem()
	}
	return types
}()

// newUpdate returns an empty update of a kind, nil if it is not known.
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

type notificationWire struct {
	SessionID SessionID       `json:"sessionId"`
	Update    json.RawMessage `json:"update"`
	Meta      Meta            `json:"_meta,omitempty"`
}

// MarshalJSON encodes the update with its discriminator.
func (n SessionNotification) MarshalJSON() ([]byte, error) {
	if n.Update == nil {
		return nil, errors.New("a session notification without an update")
	}
	var update json.RawMessage
	if u, ok := n.Update.(*UnknownUpdate); ok {
		update = u.Raw
	} else {
		b, err := marshal(n.Update)
		if err != nil {
			return nil, err
		}
		update = splice("sessionUpdate", n.Update.UpdateKind(), b)
	}
	return marshal(notificationWire{n.SessionID, update, n.Meta})
}

// UnmarshalJSON decodes as Unmarshal does.
func (n *SessionNotification) UnmarshalJSON(b []byte) error { return Unmarshal(b, n) }

func (n *SessionNotification) decodeVariant(raw json.RawMessage) error {
	if raw[0] != '{' {
		return fmt.Errorf("SessionNotification: %w", wrongKind{raw[0], "an object"})
	}
	var id, update, meta json.RawMessage
	for key, value := range members(raw) {
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

// decodeUpdate never fails: what it cannot make sense of is an UnknownUpdate.
func decodeUpdate(raw json.RawMessage) SessionUpdate {
	kind := discriminator(raw, "sessionUpdate")
	u := newUpdate(kind)
	if u == nil || decode(raw, u) != nil {
		return &UnknownUpdate{Name: kind, Raw: bytes.Clone(raw)}
	}
	return u
}

// discriminator returns the string that tells which variant a value is, "" if
// there is none.
func discriminator(raw json.RawMessage, name string) string {
	value := member(raw, name)
	if value == nil {
		return ""
	}
	kind, _ := decodeString(value)
	return kind
}

// WorkState says whether an agent is at work in a session. Any other string than
// the ones below may come.
type WorkState string

// The states that the protocol defines.
const (
	// WorkIdle: the agent is ready for a prompt. It may go on in the background.
	WorkIdle WorkState = "idle"
	// WorkRunning: the agent works on a prompt, or on something of its own.
	WorkRunning WorkState = "running"
	// WorkRequiresAction: it cannot go on before the user has done something.
	WorkRequiresAction WorkState = "requires_action"
)

// StateUpdate says whether the agent is at work (the update "state_update"). It may
// be repeated without a change.
type StateUpdate struct {
	State WorkState `json:"state" acp:"required"`
	// StopReason says why the work ended that WorkIdle is the end of, and Error what
	// went wrong if it is StopError.
	StopReason StopReason `json:"stopReason,omitempty"`
	Error      *Error     `json:"error,omitempty"`
	// Usage counts tokens (unstable); nil if the agent does not say.
	Usage *Usage `json:"usage,omitempty"`
	// Background is all that goes on beside; nil if the agent does not say.
	Background []BackgroundWork `json:"background,omitzero"`
	Meta       Meta             `json:"_meta,omitempty"`
}

// BackgroundType tells what goes on in the background.
type BackgroundType string

// The kinds of work in the background that the protocol defines. Any other is kept
// in Raw.
const (
	BackgroundTerminal BackgroundType = "terminal"
	BackgroundToolCall BackgroundType = "tool_call"
	BackgroundSubagent BackgroundType = "subagent"
)

// BackgroundWork is something that goes on while the agent is idle, or beside what
// it does. Type says which of the ids matters.
type BackgroundWork struct {
	Type       BackgroundType `json:"type" acp:"required"`
	TerminalID TerminalID     `json:"terminalId,omitempty"`
	ToolCallID ToolCallID     `json:"toolCallId,omitempty"`
	SessionID  SessionID      `json:"sessionId,omitempty"`
	Meta       Meta           `json:"_meta,omitempty"`

	// Raw is the whole of it, if its type is not one of the above.
	Raw json.RawMessage `json:"-"`
}

func (w *BackgroundWork) decodeVariant(raw json.RawMessage) error {
	if err := decodePlain(raw, w); err != nil {
		return err
	}
	switch w.Type {
	case BackgroundTerminal, BackgroundToolCall, BackgroundSubagent:
	default:
		w.Raw = bytes.Clone(raw)
	}
	return nil
}

// MarshalJSON encodes the work; one of an unknown type as it was received.
func (w BackgroundWork) MarshalJSON() ([]byte, error) {
	if len(w.Raw) > 0 {
		return w.Raw, nil
	}
	type plain BackgroundWork
	return marshal(plain(w))
}

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
