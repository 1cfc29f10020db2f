package acpclient

import (
	"fmt"
)

// ProtocolVersion is the version of ACP that this package speaks.
const ProtocolVersion = 1

// Implementation names a client or an agent (schema type Implementation).
type Implementation struct {
	Name string `json:"name" acp:"required"`
	// Title is the display name; Name is the fallback.
	Title   string `json:"title,omitempty"`
	Version string `json:"version"`
	Meta    Meta   `json:"_meta,omitempty"`
}

// InitializeRequest negotiates version and capabilities (method initialize).
type InitializeRequest struct {
	ProtocolVersion    uint16             `json:"protocolVersion" acp:"required"`
	ClientCapabilities ClientCapabilities `json:"clientCapabilities"`
	ClientInfo         *Implementation    `json:"clientInfo,omitempty"`
	Meta               Meta               `json:"_meta,omitempty"`
}

// ClientCapabilities are the capabilities of the client (schema type
// ClientCapabilities). A pointer that is not nil advertises a capability.
type ClientCapabilities struct {
	FS          FileSystemCapabilities     `json:"fs"`
	Terminal    bool                       `json:"terminal"`
	Session     *ClientSessionCapabilities `json:"session,omitempty"`
	Auth        AuthCapabilities           `json:"auth,omitzero"`
	Elicitation *ElicitationCapabilities   `json:"elicitation,omitempty"`
	// Subagents is for subagent_update and session_message, Plan for plan_update and
	// plan_removed (unstable).
	Subagents *Supported `json:"subagents,omitempty"`
	Plan      *Supported `json:"plan,omitempty"`
	Meta      Meta       `json:"_meta,omitempty"`
}

// FileSystemCapabilities says which fs/* methods the client serves.
type FileSystemCapabilities struct {
	ReadTextFile  bool `json:"readTextFile"`
	WriteTextFile bool `json:"writeTextFile"`
	Meta          Meta `json:"_meta,omitempty"`
}

// ClientSessionCapabilities says which session extensions the client shows.
type ClientSessionCapabilities struct {
	// Compaction is for compaction_update and compaction_summary_chunk.
	Compaction *Supported `json:"compaction,omitempty"`
	// ConfigOptions is for kinds of options other than select.
	ConfigOptions *SessionConfigOptionsCapabilities `json:"configOptions,omitempty"`
	// Notices is for the notice update.
	Notices *Supported `json:"notices,omitempty"`
	Meta    Meta       `json:"_meta,omitempty"`
}

// SessionConfigOptionsCapabilities says which kinds of config options the
// client shows beyond select.
type SessionConfigOptionsCapabilities struct {
	Boolean *Supported `json:"boolean,omitempty"`
	Meta    Meta       `json:"_meta,omitempty"`
}

// AuthCapabilities says which sign-in methods the client supports.
type AuthCapabilities struct {
	// Terminal means that the client can run the agent's program in the user's
	// terminal.
	Terminal bool `json:"terminal"`
	Meta     Meta `json:"_meta,omitempty"`
}

// ElicitationCapabilities says how the agent may ask the user.
type ElicitationCapabilities struct {
	Form *Supported `json:"form,omitempty"`
	URL  *Supported `json:"url,omitempty"`
	Meta Meta       `json:"_meta,omitempty"`
}

// Supported advertises a capability by its presence: `{}`.
type Supported Empty

// InitializeResponse is the agent's answer to InitializeRequest.
type InitializeResponse struct {
	ProtocolVersion   uint16            `json:"protocolVersion" acp:"required"`
	AgentCapabilities AgentCapabilities `json:"agentCapabilities"`
	AuthMethods       List[AuthMethod]  `json:"authMethods"`
	AgentInfo         *Implementation   `json:"agentInfo,omitempty"`
	Meta              Meta              `json:"_meta,omitempty"`
}

// AgentCapabilities are the capabilities of the agent (schema type AgentCapabilities).
type AgentCapabilities struct {
	// LoadSession is for session/load.
	LoadSession         bool                  `json:"loadSession"`
	PromptCapabilities  PromptCapabilities    `json:"promptCapabilities"`
	MCPCapabilities     MCPCapabilities       `json:"mcpCapabilities"`
	SessionCapabilities SessionCapabilities   `json:"sessionCapabilities"`
	Auth                AgentAuthCapabilities `json:"auth,omitzero"`
	Meta                Meta                  `json:"_meta,omitempty"`
}

// PromptCapabilities says which content the agent accepts in prompts besides text and
// resource links.
type PromptCapabilities struct {
	Image           bool `json:"image"`
	Audio           bool `json:"audio"`
	EmbeddedContext bool `json:"embeddedContext"`
	Meta            Meta `json:"_meta,omitempty"`
}

// MCPCapabilities says which MCP transports the agent supports besides stdio.
type MCPCapabilities struct {
	HTTP bool `json:"http"`
	SSE  bool `json:"sse"`
	// NoStdio means that the agent does not support stdio.
	NoStdio bool `json:"noStdio,omitempty"`
	Meta    Meta `json:"_meta,omitempty"`
}

// SessionCapabilities says which session methods the agent has besides
// session/new, session/prompt and session/cancel. A field that is not nil
// advertises the method of its name.
type SessionCapabilities struct {
	List                  *Supported `json:"list,omitempty"`
	Delete                *Supported `json:"delete,omitempty"`
	AdditionalDirectories *Supported `json:"additionalDirectories,omitempty"`
	Resume                *Supported `json:"resume,omitempty"`
	Close                 *Supported `json:"close,omitempty"`
	// Fork is an unstable addition: session/fork.
	Fork *Supported `json:"fork,omitempty"`
	Meta Meta       `json:"_meta,omitempty"`
}

// AgentAuthCapabilities says what the agent supports beyond signing in.
type AgentAuthCapabilities struct {
	Logout *Supported `json:"logout,omitempty"`
	Meta   Meta       `json:"_meta,omitempty"`
}

// VersionError is returned by Client.Initialize when the agent speaks another
// version of the protocol.
type VersionError struct {
	// Agent is the agent's version.
	Agent uint16
}

// Error names both versions.
func (e *VersionError) Error() string {
	return fmt.Sprintf("the agent speaks version %d of the Agent Client Protocol, but this client only version %d", e.Agent, ProtocolVersion)
}

// AuthMethodID identifies a sign-in method.
type AuthMethodID string

// AuthMethodType is the type of a sign-in method.
type AuthMethodType string

// The types that the protocol defines. The default is AuthMethodAgent.
const (
	// AuthMethodAgent means that the agent handles Authenticate itself.
	AuthMethodAgent AuthMethodType = "agent"
	// AuthMethodTerminal means that the client runs the agent's program in the user's
	// terminal, with the method's Args and Env.
	AuthMethodTerminal AuthMethodType = "terminal"
)

// AuthMethod is a sign-in method (schema type AuthMethod).
type AuthMethod struct {
	ID          AuthMethodID   `json:"id" acp:"required"`
	Name        string         `json:"name" acp:"required"`
	Description string         `json:"description,omitempty"`
	Type        AuthMethodType `json:"type,omitempty"`
	// Args and Env extend the agent's command, for AuthMethodTerminal.
	Args []string          `json:"args,omitempty"`
	Env  map[string]string `json:"env,omitempty"`
	Meta Meta              `json:"_meta,omitempty"`
}

// AuthenticateRequest signs in (method authenticate).
type AuthenticateRequest struct {
	MethodID AuthMethodID `json:"methodId" acp:"required"`
	Meta     Meta         `json:"_meta,omitempty"`
}

// LogoutRequest signs out (method logout). It needs the auth.logout capability.
type LogoutRequest Empty
