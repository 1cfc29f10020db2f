package acpclient

import (
	"cmp"
	"log/slog"
)

// SessionID identifies a conversation with the agent.
type SessionID string

// NewSessionRequest starts a session (method session/new).
type NewSessionRequest struct {
	// Cwd is the absolute working directory.
	Cwd string `json:"cwd" acp:"required"`
	// AdditionalDirectories are more absolute roots; they need the
	// additionalDirectories capability.
	AdditionalDirectories []string        `json:"additionalDirectories,omitempty"`
	MCPServers            List[MCPServer] `json:"mcpServers"`
	Meta                  Meta            `json:"_meta,omitempty"`
}

// SessionState is the common part of all responses that open a session. If
// ConfigOptions are present, ignore Modes and Models.
type SessionState struct {
	Modes         *SessionModeState     `json:"modes,omitempty"`
	ConfigOptions []SessionConfigOption `json:"configOptions,omitzero"`
	// Models is an older, unstable form of a model selector.
	Models *SessionModelState `json:"models,omitempty"`
	Meta   Meta               `json:"_meta,omitempty"`
}

// NewSessionResponse is the new session.
type NewSessionResponse struct {
	SessionID SessionID `json:"sessionId" acp:"required"`
	SessionState
}

// LoadSessionRequest opens an old session; the agent replays its history as updates
// (method session/load). It needs the loadSession capability.
type LoadSessionRequest struct {
	SessionID             SessionID       `json:"sessionId" acp:"required"`
	Cwd                   string          `json:"cwd" acp:"required"`
	AdditionalDirectories []string        `json:"additionalDirectories,omitempty"`
	MCPServers            List[MCPServer] `json:"mcpServers"`
	Meta                  Meta            `json:"_meta,omitempty"`
}

// LoadSessionResponse is the loaded session.
type LoadSessionResponse struct{ SessionState }

// ResumeSessionRequest opens an old session without its history (method
// session/resume). It needs the resume capability.
type ResumeSessionRequest struct {
	SessionID             SessionID   `json:"sessionId" acp:"required"`
	Cwd                   string      `json:"cwd" acp:"required"`
	AdditionalDirectories []string    `json:"additionalDirectories,omitempty"`
	MCPServers            []MCPServer `json:"mcpServers,omitempty"`
	Meta                  Meta        `json:"_meta,omitempty"`
}

// ResumeSessionResponse is the resumed session.
type ResumeSessionResponse struct{ SessionState }

// ListSessionsRequest asks for one page of the agent's sessions (method
// session/list). It needs the list capability.
type ListSessionsRequest struct {
	// Cwd, if not empty, restricts the list to sessions of that directory.
	Cwd string `json:"cwd,omitempty"`
	// Cursor is NextCursor of the previous page, empty for the first.
	Cursor string `json:"cursor,omitempty"`
	Meta   Meta   `json:"_meta,omitempty"`
}

// ListSessionsResponse is one page of sessions.
type ListSessionsResponse struct {
	Sessions List[SessionInfo] `json:"sessions"`
	// NextCursor is empty on the last page.
	NextCursor string `json:"nextCursor,omitempty"`
	Meta       Meta   `json:"_meta,omitempty"`
}

// SessionInfo describes a session that can be opened (schema type SessionInfo).
type SessionInfo struct {
	SessionID             SessionID `json:"sessionId" acp:"required"`
	Cwd                   string    `json:"cwd" acp:"required"`
	AdditionalDirectories []string  `json:"additionalDirectories,omitempty"`
	Title                 string    `json:"title,omitempty"`
	// UpdatedAt is an ISO 8601 time, as the agent spelled it.
	UpdatedAt string `json:"updatedAt,omitempty"`
	Meta      Meta   `json:"_meta,omitempty"`
}

// SessionRequest names a session and nothing else.
type SessionRequest struct {
	SessionID SessionID `json:"sessionId" acp:"required"`
	Meta      Meta      `json:"_meta,omitempty"`
}

// DeleteSessionRequest deletes a session (method session/delete). It needs the
// delete capability.
type DeleteSessionRequest SessionRequest

// CloseSessionRequest stops a session and frees its resources (method session/close). It needs the close capability.
type CloseSessionRequest SessionRequest

// ForkSessionRequest starts a session that continues a copy of another (the
// unstable method session/fork). It needs the fork capability.
type ForkSessionRequest ResumeSessionRequest

// SteeringRequest puts a prompt into the running turn (the extension _session/steering of
// claude-agent-acp and codex-acp). The agent does not send the prompt back as a message.
type SteeringRequest struct {
	SessionID SessionID      `json:"sessionId" acp:"required"`
	Prompt    []ContentBlock `json:"prompt" acp:"required"`
	Meta      Meta           `json:"_meta,omitempty"`
}

// SteeringResponse says what became of the prompt.
type SteeringResponse struct {
	Outcome SteeringOutcome `json:"outcome" acp:"required"`
	// Reason says why a prompt is required, such as "noRunningTurn".
	Reason string `json:"reason,omitempty"`
	Meta   Meta   `json:"_meta,omitempty"`
}

// SteeringOutcome is what became of a prompt that was to go into the running turn.
type SteeringOutcome string

// The outcomes that agents send.
const (
	SteeringInjected       SteeringOutcome = "injected"       // it is in the running turn
	SteeringPromptRequired SteeringOutcome = "promptRequired" // no turn runs: the client is to send it
	SteeringStartedNewTurn SteeringOutcome = "startedNewTurn" // no turn ran, and one has begun without session/prompt
)

// StopTaskRequest stops a task that works in the background (the extension
// _session/async_task/stop of claude-agent-acp).
type StopTaskRequest struct {
	SessionID   SessionID `json:"sessionId" acp:"required"`
	AsyncTaskID string    `json:"asyncTaskId" acp:"required"`
	Meta        Meta      `json:"_meta,omitempty"`
}

// StopTaskResponse says whether the task was stopped.
type StopTaskResponse struct {
	Stopped bool `json:"stopped"`
	Meta    Meta `json:"_meta,omitempty"`
}

// ForkSessionResponse is the new session.
type ForkSessionResponse NewSessionResponse

// CancelNotification cancels the running turn (notification session/cancel).
// The agent then answers the prompt with StopCancelled.
type CancelNotification SessionRequest

// PromptRequest starts a turn (method session/prompt).
type PromptRequest struct {
	SessionID SessionID          `json:"sessionId" acp:"required"`
	Prompt    List[ContentBlock] `json:"prompt"`
	Meta      Meta               `json:"_meta,omitempty"`
}

// PromptResponse ends a turn.
type PromptResponse struct {
	StopReason StopReason `json:"stopReason"`
	// Usage counts tokens (unstable); nil if unknown.
	Usage *Usage `json:"usage,omitempty"`
	Meta  Meta   `json:"_meta,omitempty"`
}

// Usage counts tokens, of the turn or of the session so far, depending on the agent
// (unstable schema type Usage). Counts that the agent does not report are nil.
type Usage struct {
	TotalTokens       uint64  `json:"totalTokens"`
	InputTokens       uint64  `json:"inputTokens"`
	OutputTokens      uint64  `json:"outputTokens"`
	ThoughtTokens     *uint64 `json:"thoughtTokens,omitempty"`
	CachedReadTokens  *uint64 `json:"cachedReadTokens,omitempty"`
	CachedWriteTokens *uint64 `json:"cachedWriteTokens,omitempty"`
	Meta              Meta    `json:"_meta,omitempty"`
}

// StopReason says why a turn ended (schema type StopReason). Agents may send other
// values; absent means StopEndTurn.
type StopReason string

// The stop reasons that the protocol defines.
const (
	StopEndTurn         StopReason = "end_turn"
	StopMaxTokens       StopReason = "max_tokens"
	StopMaxTurnRequests StopReason = "max_turn_requests"
	StopRefusal         StopReason = "refusal"
	StopCancelled       StopReason = "cancelled"
	// StopError is only in version 2, and comes with an Error. In version 1 the error
	// answers the prompt.
	StopError StopReason = "error"
)

// MCPTransport is how to connect to an MCP server.
type MCPTransport string

// The transports that the protocol defines.
const (
	MCPStdio MCPTransport = "stdio"
	MCPHTTP  MCPTransport = "http"
	MCPSSE   MCPTransport = "sse"
)

// MCPServer is a Model Context Protocol server for the agent to connect to (schema type
// McpServer). Transports other than MCPStdio need a capability. Environment and headers
// are secrets: String, GoString and LogValue omit their values.
type MCPServer struct {
	// Type defaults to MCPStdio.
	Type MCPTransport `json:"type,omitempty"`
	Name string       `json:"name" acp:"required"`

	// Command is the absolute path of a stdio server's program.
	Command string        `json:"command,omitempty" acp:"of=stdio"`
	Args    []string      `json:"args,omitempty" acp:"of=stdio"`
	Env     []EnvVariable `json:"env,omitempty" acp:"of=stdio"`

	// URL and Headers of an http or sse server.
	URL     string       `json:"url,omitempty" acp:"of=http|sse"`
	Headers []HTTPHeader `json:"headers,omitempty" acp:"of=http|sse"`

	Meta Meta `json:"_meta,omitempty"`
}

// EnvVariable is an environment variable (schema type EnvVariable). It prints without its value.
type EnvVariable struct {
	Name  string `json:"name" acp:"required"`
	Value string `json:"value" acp:"required"`
	Meta  Meta   `json:"_meta,omitempty"`
}

// HTTPHeader is a header for an MCP server (schema type HttpHeader).
type HTTPHeader = EnvVariable

// String returns the name.
func (e EnvVariable) String() string { return e.Name + "=…" }

// GoString is String.
func (e EnvVariable) GoString() string { return e.String() }

// LogValue is String.
func (e EnvVariable) LogValue() slog.Value { return slog.StringValue(e.String()) }

// MarshalJSON encodes the fields of the server's transport. Stdio is encoded without it.
func (s MCPServer) MarshalJSON() ([]byte, error) {
	kind := cmp.Or(s.Type, MCPStdio)
	if kind == MCPStdio {
		s.Type = ""
	}
	return marshalUnion(s, kind, nil)
}
