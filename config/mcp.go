package config

import (
	"fmt"
	"net/url"
	"strings"
)

// MCPTransport is how an agent talks to an MCP server.
type MCPTransport string

// The transports of ACP's session/new.
const (
	MCPStdio MCPTransport = "stdio"
	MCPHTTP  MCPTransport = "http"
	MCPSSE   MCPTransport = "sse"
)

// MCPServer is an MCP server that a new session passes to the agent. The agent connects
// to it, not parley.
type MCPServer struct {
	Name string
	Type MCPTransport
	// Command, Args and Env start the server, for MCPStdio only.
	Command string
	Args    []string
	Env     Secrets
	// URL and Headers reach the server, for MCPHTTP and MCPSSE only.
	URL     string
	Headers Secrets
}

// mcpServers reads [mcp.NAME].
func (t *table) mcpServers() []MCPServer {
	var servers []MCPServer
	for _, s := range t.children("mcp") {
		servers = append(servers, s.mcpServer())
	}
	return servers
}

func (t *table) mcpServer() MCPServer {
	s := MCPServer{
		Name:    t.name(),
		Type:    MCPTransport(t.text("type")),
		Command: t.text("command"),
		Args:    t.texts("args", false),
		Env:     t.secrets("env", isEnvName),
		URL:     t.text("url"),
		Headers: t.secrets("headers", isHeaderName),
	}
	t.done()
	if !t.has("type") && t.has("command") {
		s.Type = MCPStdio
	}
	switch s.Type {
	case MCPStdio:
		t.need("command", s.Command, s.Type)
		t.exclude(s.Type, "url", "headers")
	case MCPHTTP, MCPSSE:
		if t.need("url", s.URL, s.Type) && !isHTTP(s.URL) {
			t.fail("url", "use a URL that begins with http:// or https://", "is not a server URL")
		}
		t.exclude(s.Type, "command", "args", "env")
	case "":
		if _, isText := t.values["type"].(string); isText || !t.has("type") {
			t.doc.fail(t.at, `write type = "stdio", "http" or "sse"`, "%s has no type", t.at)
		}
	default:
		types := []string{string(MCPStdio), string(MCPHTTP), string(MCPSSE)}
		t.fail("type", didYouMean(string(s.Type), types, "known types"), "cannot be %q", string(s.Type))
	}
	return s
}

// need reports a missing value that a server of this type requires.
func (t *table) need(key, value string, of MCPTransport) bool {
	switch {
	case value != "":
		return true
	case !t.has(key):
		t.doc.fail(t.at, fmt.Sprintf(`write %s = "…"`, key), "%s has no %s, which type %q requires", t.at, key, string(of))
	case t.values[key] == "":
		t.fail(key, "", "is empty")
	}
	return false
}

// exclude reports keys that a server of this type does not use.
func (t *table) exclude(of MCPTransport, keys ...string) {
	for _, key := range keys {
		if t.has(key) {
			t.fail(key, "remove it or change the type", "does not apply to a server of type %q", string(of))
		}
	}
}

func isHTTP(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// isEnvName reports whether s can be the name of an environment variable.
func isEnvName(s string) bool { return s != "" && !strings.ContainsAny(s, "=\x00") }

// isHeaderName reports whether s is a token of RFC 9110, section 5.6.2.
func isHeaderName(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool {
		return !isNameRune(r) && !strings.ContainsRune("!#$%&'*+-.^`|~", r)
	}) < 0
}
