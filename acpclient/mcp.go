package acpclient

import (
	"fmt"
	"log/slog"
)

// MCPTransport tells the kinds of MCP servers apart.
type MCPTransport string

// The transports that the protocol defines.
const (
	MCPStdio MCPTransport = "stdio"
	MCPHTTP  MCPTransport = "http"
	MCPSSE   MCPTransport = "sse"
)

// MCPServer is a Model Context Protocol server that the agent is to connect to
// (schema type McpServer). Every agent takes MCPStdio, the others need a
// capability. Its environment and headers are secrets: String, GoString and
// LogValue leave their values out.
type MCPServer struct {
	// Type is MCPStdio if empty.
	Type MCPTransport `json:"type,omitempty"`
	Name string       `json:"name" acp:"required"`

	// Command is the absolute path of a stdio server's program.
	Command string        `json:"command,omitempty"`
	Args    []string      `json:"args,omitempty"`
	Env     []EnvVariable `json:"env,omitempty"`

	// URL and Headers of an http or sse server.
	URL     string       `json:"url,omitempty"`
	Headers []HTTPHeader `json:"headers,omitempty"`

	Meta Meta `json:"_meta,omitempty"`
}

// EnvVariable is set in a process that is started (schema type EnvVariable).
type EnvVariable struct {
	Name  string `json:"name" acp:"required"`
	Value string `json:"value" acp:"required"`
	Meta  Meta   `json:"_meta,omitempty"`
}

// HTTPHeader is sent to an MCP server (schema type HttpHeader).
type HTTPHeader struct {
	Name  string `json:"name" acp:"required"`
	Value string `json:"value" acp:"required"`
	Meta  Meta   `json:"_meta,omitempty"`
}

// String names the variable and hides its value.
func (e EnvVariable) String() string { return e.Name + "=…" }

// GoString is String.
func (e EnvVariable) GoString() string { return e.String() }

// LogValue is String.
func (e EnvVariable) LogValue() slog.Value { return slog.StringValue(e.String()) }

// String names the header and hides its value.
func (h HTTPHeader) String() string { return h.Name + ": …" }

// GoString is String.
func (h HTTPHeader) GoString() string { return h.String() }

// LogValue is String.
func (h HTTPHeader) LogValue() slog.Value { return slog.StringValue(h.String()) }

// MarshalJSON encodes the fields of the server's transport; the schema wants
// their arrays even when they are empty.
func (s MCPServer) MarshalJSON() ([]byte, error) {
	switch s.Type {
	case MCPStdio, "":
		return marshal(struct {
			Name    string            `json:"name"`
			Command string            `json:"command"`
			Args    List[string]      `json:"args"`
			Env     List[EnvVariable] `json:"env"`
			Meta    Meta              `json:"_meta,omitempty"`
		}{s.Name, s.Command, List[string](s.Args), List[EnvVariable](s.Env), s.Meta})
	case MCPHTTP, MCPSSE:
		return marshal(struct {
			Type    MCPTransport     `json:"type"`
			Name    string           `json:"name"`
			URL     string           `json:"url"`
			Headers List[HTTPHeader] `json:"headers"`
			Meta    Meta             `json:"_meta,omitempty"`
		}{s.Type, s.Name, s.URL, List[HTTPHeader](s.Headers), s.Meta})
	}
	return nil, fmt.Errorf("an MCP server of type %q cannot be encoded", s.Type)
}
