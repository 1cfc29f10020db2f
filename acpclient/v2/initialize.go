package v2

import "parley/acpclient"

// InitializeRequest negotiates version and capabilities (method initialize). It also has
// the fields of version 1, for agents that speak only that.
type InitializeRequest struct {
	ProtocolVersion uint16                   `json:"protocolVersion" acp:"required"`
	Info            acpclient.Implementation `json:"info" acp:"required"`
	Capabilities    ClientCapabilities       `json:"capabilities"`

	ClientCapabilities *acpclient.ClientCapabilities `json:"clientCapabilities,omitempty"`
	ClientInfo         *acpclient.Implementation     `json:"clientInfo,omitempty"`

	Meta Meta `json:"_meta,omitempty"`
}

// ClientCapabilities are the capabilities of the client.
type ClientCapabilities struct {
	Auth        *ClientAuthCapabilities            `json:"auth,omitempty"`
	Elicitation *acpclient.ElicitationCapabilities `json:"elicitation,omitempty"`
	Meta        Meta                               `json:"_meta,omitempty"`
}

// ClientAuthCapabilities says which sign-in methods the client supports.
type ClientAuthCapabilities struct {
	Terminal *Marker `json:"terminal,omitempty"`
	Meta     Meta    `json:"_meta,omitempty"`
}

// InitializeResponse is the agent's answer to InitializeRequest.
type InitializeResponse struct {
	ProtocolVersion uint16                     `json:"protocolVersion" acp:"required"`
	Info            acpclient.Implementation   `json:"info" acp:"required"`
	Capabilities    AgentCapabilities          `json:"capabilities"`
	AuthMethods     acpclient.List[AuthMethod] `json:"authMethods"`
	Meta            Meta                       `json:"_meta,omitempty"`
}

// AgentCapabilities are the capabilities of the agent.
type AgentCapabilities struct {
	// Session is set if the agent supports sessions.
	Session *SessionCapabilities `json:"session,omitempty"`
	Auth    *Marker              `json:"auth,omitempty"`
	Meta    Meta                 `json:"_meta,omitempty"`
}

// SessionCapabilities are the optional capabilities of sessions.
type SessionCapabilities struct {
	Prompt                *PromptCapabilities `json:"prompt,omitempty"`
	MCP                   *MCPCapabilities    `json:"mcp,omitempty"`
	Delete                *Marker             `json:"delete,omitempty"`
	AdditionalDirectories *Marker             `json:"additionalDirectories,omitempty"`
	// Fork and Title are proposed additions.
	Fork  *Marker `json:"fork,omitempty"`
	Title *Marker `json:"title,omitempty"`
	Meta  Meta    `json:"_meta,omitempty"`
}

// PromptCapabilities says which content prompts may have besides text and links.
type PromptCapabilities struct {
	Image           *Marker `json:"image,omitempty"`
	Audio           *Marker `json:"audio,omitempty"`
	EmbeddedContext *Marker `json:"embeddedContext,omitempty"`
	Meta            Meta    `json:"_meta,omitempty"`
}

// MCPCapabilities says which MCP transports the agent supports.
type MCPCapabilities struct {
	Stdio *Marker `json:"stdio,omitempty"`
	HTTP  *Marker `json:"http,omitempty"`
	Meta  Meta    `json:"_meta,omitempty"`
}

// AuthMethod is a sign-in method.
type AuthMethod struct {
	Type        acpclient.AuthMethodType `json:"type" acp:"required"`
	MethodID    acpclient.AuthMethodID   `json:"methodId" acp:"required"`
	Name        string                   `json:"name" acp:"required"`
	Description string                   `json:"description,omitempty"`
	Args        []string                 `json:"args,omitempty"`
	Env         []acpclient.EnvVariable  `json:"env,omitempty"`
	Meta        Meta                     `json:"_meta,omitempty"`
}

// offer converts the request of version 1.
func offer(r *acpclient.InitializeRequest) *InitializeRequest {
	out := &InitializeRequest{
		ProtocolVersion:    Version,
		ClientCapabilities: &r.ClientCapabilities, ClientInfo: r.ClientInfo, Meta: r.Meta,
	}
	if r.ClientInfo != nil {
		out.Info = *r.ClientInfo
	}
	out.Capabilities.Elicitation = r.ClientCapabilities.Elicitation
	if r.ClientCapabilities.Auth.Terminal {
		out.Capabilities.Auth = &ClientAuthCapabilities{Terminal: &Marker{}}
	}
	return out
}

// toV1 converts the response. It also advertises what every version 2 agent supports.
func (r *InitializeResponse) toV1() *acpclient.InitializeResponse {
	out := &acpclient.InitializeResponse{ProtocolVersion: r.ProtocolVersion, AgentInfo: &r.Info, Meta: r.Meta}
	out.AgentCapabilities.Meta = r.Capabilities.Meta
	for _, m := range r.AuthMethods {
		out.AuthMethods = append(out.AuthMethods, m.toV1())
	}
	yes := &Marker{}
	if len(out.AuthMethods) > 0 {
		out.AgentCapabilities.Auth.Logout = yes
	}
	s := r.Capabilities.Session
	if s == nil {
		return out
	}
	out.AgentCapabilities.LoadSession = true
	out.AgentCapabilities.SessionCapabilities = acpclient.SessionCapabilities{
		List: yes, Resume: yes, Close: yes,
		Delete: s.Delete, AdditionalDirectories: s.AdditionalDirectories, Fork: s.Fork, Title: s.Title, Meta: s.Meta,
	}
	if p := s.Prompt; p != nil {
		out.AgentCapabilities.PromptCapabilities = acpclient.PromptCapabilities{
			Image: p.Image != nil, Audio: p.Audio != nil, EmbeddedContext: p.EmbeddedContext != nil, Meta: p.Meta,
		}
	}
	mcp := &out.AgentCapabilities.MCPCapabilities
	mcp.NoStdio = s.MCP == nil || s.MCP.Stdio == nil
	if s.MCP != nil {
		mcp.HTTP, mcp.Meta = s.MCP.HTTP != nil, s.MCP.Meta
	}
	return out
}

func (m *AuthMethod) toV1() acpclient.AuthMethod {
	out := acpclient.AuthMethod{
		ID: m.MethodID, Name: m.Name, Description: m.Description, Type: m.Type, Args: m.Args, Meta: m.Meta,
	}
	for _, v := range m.Env {
		if out.Env == nil {
			out.Env = map[string]string{}
		}
		out.Env[v.Name] = v.Value
	}
	return out
}
