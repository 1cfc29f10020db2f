package config

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"parley/internal/policy"
)

// Source is where parley has an agent from.
type Source string

const (
	// SourceConfigured marks an agent in the configuration file.
	SourceConfigured Source = "configured"
	// SourceInstalled marks an agent that parley has installed from the registry.
	SourceInstalled Source = "installed"
	// SourceFound marks a known agent whose program is on this machine.
	SourceFound Source = "found"
	// SourceBuiltIn marks an agent from parley's own table.
	SourceBuiltIn Source = "built-in"
	// SourceAvailable marks an agent of the registry that could be installed.
	SourceAvailable Source = "available"
)

// Agent is a program that speaks the Agent Client Protocol, and how to start it or
// where it listens.
type Agent struct {
	// ID is the short name used in the file and on the command line.
	ID string
	// Name is the display name.
	Name    string
	Command string
	Args    []string
	// Env is set for the agent on top of parley's own environment.
	Env Secrets
	// Address is the URL at which the agent listens; "" if it is started with Command.
	// Headers are sent there. Insecure allows an Address without TLS on another
	// machine.
	Address  string
	Headers  Secrets
	Insecure bool
	// ServeFiles and ServeTerminals offer this machine's files and commands to an agent
	// on another machine.
	ServeFiles, ServeTerminals bool
	// RemoteRoot is the session's directory on the agent's machine; "" if the agent
	// runs on this machine or uses the same paths.
	RemoteRoot string
	// Cwd is the directory to start the agent in; "" means the session's. OwnProject
	// makes its sessions use Cwd as their directory too.
	Cwd        string
	OwnProject bool
	Default    bool
	Source     Source
	Sandbox    AgentSandbox
	// Protocol selects the protocol versions to offer; "" is ProtocolV1.
	Protocol Protocol
	// Unusable says why the agent cannot be started, or installed, on this machine; nil if
	// it can, or before parley has looked.
	Unusable error
	// Origin is where an agent of the registry comes from, installed or not; nil for others.
	Origin *Origin
	// About says what an agent of the registry is.
	About string
	// Mode and Options are set when a session begins: the id or the name of a mode, and
	// values by option id.
	Mode    string
	Options map[string]string
	// MCP are servers for this agent only, in addition to those for all agents.
	MCP []MCPServer
	// Roots are additional directories of its sessions.
	Roots []string
	// Rules apply to this agent only. Config.Rules contains them too.
	Rules []policy.Rule
	// Budget replaces Config.Budget for its sessions, if it is not zero.
	Budget Budget
	// InstallHint is one line on how to install the program, URL a page about it.
	// Either may be empty.
	InstallHint, URL string
}

// Usable returns why an agent cannot be started on this machine, or nil. lookPath is
// usually [os/exec.LookPath]. An agent that listens is always usable.
func (a Agent) Usable(lookPath func(program string) (string, error)) error {
	if a.Address != "" {
		return nil
	}
	if _, err := lookPath(a.Command); err == nil {
		return nil
	}
	if strings.ContainsRune(a.Command, filepath.Separator) {
		return errors.New(a.Command + " does not exist or is not a program")
	}
	return errors.New(a.Command + " is not installed, or not on PATH")
}

// Available returns the agents to offer: the configured ones in the order of the file,
// whether installed or not, then other known agents whose program lookPath finds.
func (c *Config) Available(lookPath func(program string) (string, error)) []Agent {
	agents := slices.Clone(c.Agents)
	for _, a := range knownAgents() {
		if _, err := lookPath(a.Command); err == nil && !Among(c.Agents, a.ID) {
			a.Source = SourceFound
			agents = append(agents, a)
		}
	}
	for i := range agents {
		agents[i] = c.mark(agents[i])
		agents[i].Unusable = agents[i].Usable(lookPath)
	}
	return agents
}

// Missing returns the known agents that are not configured and whose program lookPath
// does not find, most used first.
func (c *Config) Missing(lookPath func(program string) (string, error)) []Agent {
	return slices.DeleteFunc(knownAgents(), func(a Agent) bool {
		_, err := lookPath(a.Command)
		return err == nil || Among(c.Agents, a.ID)
	})
}

func (c *Config) mark(a Agent) Agent {
	a.Default = a.ID == c.DefaultAgent
	return a
}

// Agent finds an agent by any of its names, as [Find] does. Configured agents come first. The
// error is an [*UnknownAgentError].
func (c *Config) Agent(word string) (Agent, error) {
	known := knownAgents()
	for _, agents := range [][]Agent{c.Agents, known} {
		if a, ok := Find(agents, word); ok {
			return c.mark(a), nil
		}
	}
	return Agent{}, &UnknownAgentError{Name: word, configured: c.Agents, known: known}
}

// Find finds an agent by its ID, by its name, or else by any name that [KnownAs] takes. Case
// matters only between two agents that would otherwise both match.
func Find[A interface{ Names() (id, name string) }](agents []A, word string) (found A, ok bool) {
	for _, fits := range []func(id, name string) bool{
		func(id, _ string) bool { return id == word },
		func(_, name string) bool { return name == word },
		func(id, name string) bool { return strings.EqualFold(id, word) || strings.EqualFold(name, word) },
		func(id, _ string) bool { return SameAgent(id, word) },
	} {
		if i := slices.IndexFunc(agents, func(a A) bool { return fits(a.Names()) }); i >= 0 && word != "" {
			return agents[i], true
		}
	}
	return found, false
}

// Names returns the ID and the name.
func (a Agent) Names() (id, name string) { return a.ID, a.Name }

// SameAgent reports whether two names are of one agent.
func SameAgent(a, b string) bool { return KnownAs(a) == KnownAs(b) }

// Among reports whether one of the agents has an ID, under any of its names.
func Among(agents []Agent, id string) bool {
	return slices.ContainsFunc(agents, func(a Agent) bool { return SameAgent(a.ID, id) })
}

// Is reports whether a name that is to allow something means the agent: its own, or, unless it is
// started by a command of the user's own, any that [KnownAs] takes. A program from the command line has
// the name of its file, which anybody can give, and so none.
func (a Agent) Is(name string) bool {
	known := a.Origin != nil || a.InstallHint != ""
	return a.Source != "" && (a.ID == name || known && SameAgent(a.ID, name))
}

// UnknownAgentError reports a name that no agent has.
type UnknownAgentError struct {
	Name              string
	configured, known []Agent
}

// Error returns the message and the hint.
func (e *UnknownAgentError) Error() string {
	return fmt.Sprintf("no agent is called %q: %s", e.Name, e.Hint())
}

// Hint returns one line that suggests the closest agent, or lists all.
func (e *UnknownAgentError) Hint() string {
	hint := "known: " + strings.Join(ids(e.known), ", ")
	if len(e.configured) > 0 {
		hint = "configured: " + strings.Join(ids(e.configured), ", ") + "; " + hint
	}
	if near := e.near(); near != "" {
		hint = fmt.Sprintf("did you mean %q? %s", near, hint)
	}
	return hint
}

// near returns the ID of the closest agent, or "".
func (e *UnknownAgentError) near() string {
	agents := slices.Concat(e.configured, e.known)
	words := ids(agents)
	for _, a := range agents {
		words = append(words, a.Name)
	}
	i := slices.Index(words, Nearest(e.Name, words))
	if i < 0 {
		return ""
	}
	return agents[i%len(agents)].ID
}

func ids(agents []Agent) []string {
	list := make([]string, len(agents))
	for i, a := range agents {
		list[i] = a.ID
	}
	return list
}

// expandHome replaces a leading "~/" as a shell would.
func expandHome(path string) string {
	rest, ok := strings.CutPrefix(path, "~/")
	if !ok && path != "~" {
		return path
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return path
	}
	return filepath.Join(home, strings.TrimPrefix(rest, "~"))
}

// homePath reads a path, which may begin with "~".
func (t *table) homePath(key string) string { return expandHome(t.text(key)) }

// optionValues reads an agent's initial options: strings or booleans by option id.
func (t *table) optionValues(key string) map[string]string {
	pairs, ok := t.child(key)
	if !ok {
		return nil
	}
	values := make(map[string]string, len(pairs.values))
	for _, id := range pairs.keys() {
		if on, is := pairs.values[id].(bool); is {
			values[id] = strconv.FormatBool(on)
			pairs.asked = append(pairs.asked, id)
			continue
		}
		values[id] = pairs.text(id)
	}
	return values
}

func (t *table) registry(key string) string {
	address := t.text(key)
	if address != "" && !isURL(address, "https") {
		t.fail(key, "use a URL that begins with https://", "is not a registry URL")
	}
	return address
}

// agentRules reads the rules in an agent's own table, which apply only to that agent.
func (t *table) agentRules() []policy.Rule {
	rules := t.rules()
	for i := range rules {
		if named := rules[i].Agent; named != "" && named != t.name() {
			t.fail("rules", "write it into [rules]", "has a rule for another agent: %q", named)
		}
		rules[i].Agent = t.name()
	}
	return rules
}

// Protocol selects the versions of the Agent Client Protocol to offer an agent.
type Protocol string

// ProtocolV1 offers only version 1, ProtocolAuto the newest version that both sides
// support.
const (
	ProtocolV1   Protocol = "v1"
	ProtocolAuto Protocol = "auto"
)

// KnownProtocol reports whether word is a Protocol.
func KnownProtocol(word string) bool {
	return word == string(ProtocolV1) || word == string(ProtocolAuto)
}

// Remote reports whether the agent may run on another machine: it listens, or has a
// RemoteRoot.
func (a Agent) Remote() bool { return a.Address != "" || a.RemoteRoot != "" }

// Listens returns where the agent listens, for display: its Address without the query,
// which may hold a secret. It is "" if the agent is started with a command.
func (a Agent) Listens() string {
	u, err := url.Parse(a.Address)
	if err != nil {
		return "a URL that cannot be read"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// Words returns the agent's command line, or only its Address if it listens.
func (a Agent) Words() []string {
	if a.Address != "" {
		return []string{a.Address}
	}
	return append([]string{a.Command}, a.Args...)
}

// checkRemote checks the settings of an agent on another machine. It reports whether
// the agent listens, and so is not started.
func (t *table) checkRemote(a Agent) (listens bool) {
	if t.has("remote_root") && !strings.HasPrefix(a.RemoteRoot, "/") {
		t.fail("remote_root", `write an absolute path on the agent's machine`, "is not an absolute path: %q", a.RemoteRoot)
	}
	if a.Address == "" && !t.has("url") { // started with a command
		t.refuse("remove it, or write url", "applies only to an agent with a url", "headers", "insecure")
		if !t.has("remote_root") {
			t.refuse("remove it, or write remote_root or url", "applies only to a remote agent", "serve_files", "serve_terminals")
		}
		return false
	}
	if !isAgentURL(a.Address) {
		at := t.at.child("url") // the value may hold a password
		t.doc.record(at, t.doc.places[at.id()].value, true, "use https://, wss://, http:// or ws://; put a name and password into headers", at.String()+" is not a valid agent URL")
	}
	t.refuse("remove it or remove url", "does not apply to an agent with a url", "command", "args", "env", "cwd")
	return true
}

// isAgentURL reports whether an agent can listen at s. User names and passwords go into
// headers.
func isAgentURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.User == nil && isURL(s, "http", "https", "ws", "wss")
}

// isURL reports whether s is a URL with a host and one of the schemes.
func isURL(s string, schemes ...string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Host != "" && slices.Contains(schemes, u.Scheme)
}

// agents reads [agents.ID].
func (t *table) agents() []Agent {
	var agents []Agent
	var marked *table
	for _, a := range t.children("agents") {
		agent := a.agent()
		if agent.Default {
			if marked != nil {
				a.fail("default", fmt.Sprintf("keep it on one of %q and %q", marked.name(), a.name()),
					"sets a second default agent")
			}
			marked = a
		}
		agents = append(agents, agent)
	}
	for _, a := range t.doc.saved {
		if !slices.ContainsFunc(agents, func(own Agent) bool { return own.ID == a.ID || own.Origin != nil && own.Origin == a.Origin }) {
			agents = append(agents, a)
		}
	}
	return agents
}

// agentRows are the keys of [agents.ID]. The first example is started, the second listens.
func agentRows() []row[Agent] {
	return []row[Agent]{
		value("name", func(a *Agent) *string { return &a.Name }, (*table).text, "display name").shown(`"Claude Code"`),
		value("command", func(a *Agent) *string { return &a.Command }, (*table).text, "program, found on PATH").shown(`"npx"`),
		value("args", func(a *Agent) *[]string { return &a.Args }, (*table).words, "").shown(`["-y", "@agentclientprotocol/claude-agent-acp"]`),
		value("cwd", func(a *Agent) *string { return &a.Cwd }, (*table).homePath, "where to start it; empty: the session's directory").shown(`""`),
		value("default", func(a *Agent) *bool { return &a.Default }, (*table).flag, `same as default_agent = "claude"`).shown("true"),
		choice("protocol", "", []Protocol{ProtocolV1, ProtocolAuto}, func(a *Agent) *Protocol { return &a.Protocol },
			`protocol version; "auto": the newest that it knows`).shown(`"v1"`),
		{key: "sandbox", about: "for this agent alone", examples: []string{"true"}, read: func(a *Agent, t *table, key string) {
			a.Sandbox.On, a.Sandbox.Set = t.flag(key), t.has(key)
		}},
		value("sandbox_write", func(a *Agent) *[]string { return &a.Sandbox.Write }, (*table).paths, "added to the list for all agents").shown(`["~/.claude"]`),
		value("mode", func(a *Agent) *string { return &a.Mode }, (*table).text, "mode of new sessions, by ID or name").shown(`"plan"`),
		value("options", func(a *Agent) *map[string]string { return &a.Options }, (*table).optionValues, "options of new sessions, by ID or name").shown(`{ model = "large" }`),
		value("roots", func(a *Agent) *[]string { return &a.Roots }, (*table).paths, "more directories for its sessions").shown(`["~/notes"]`),
		value("env", func(a *Agent) *Secrets { return &a.Env }, (*table).environment,
			`[agents.claude.rules], [agents.claude.budget] and [agents.claude.mcp.NAME] are for this
agent alone. "$NAME" or "${NAME}" comes from your environment; "$$" is a dollar sign.
Values of env and headers are never logged or shown.`).shown(`{ ANTHROPIC_API_KEY = "$ANTHROPIC_API_KEY" }`),
		value("url", func(a *Agent) *string { return &a.Address }, (*table).text, "").shown("", `"wss://agents.example.com/acp"`),
		value("headers", func(a *Agent) *Secrets { return &a.Headers }, (*table).headers, "").shown("", `{ Authorization = "Bearer $AGENT_TOKEN" }`),
		value("insecure", func(a *Agent) *bool { return &a.Insecure }, (*table).flag, "").shown("", "false"),
		value("serve_files", func(a *Agent) *bool { return &a.ServeFiles }, (*table).flag, "may it ask for files of this machine?").shown("", "false"),
		value("serve_terminals", func(a *Agent) *bool { return &a.ServeTerminals }, (*table).flag, "may it run commands on this machine?").shown("", "false"),
		value("remote_root", func(a *Agent) *string { return &a.RemoteRoot }, (*table).text, "the session's directory on the agent's machine").shown("", `"/srv/project"`),
		{key: "mcp", read: func(a *Agent, t *table, _ string) { a.MCP = t.mcpServers() }},
		{key: "rules", read: func(a *Agent, t *table, _ string) { a.Rules = t.agentRules() }},
		{key: "budget", rows: budgetRows(func(a *Agent) *Budget { return &a.Budget })},
	}
}

// writeAgents appends the examples of agents.
func writeAgents(b *strings.Builder, _ *Actions) {
	writeExample(b, "agents.claude", agentRows(), 0)
	b.WriteByte('\n')
	writeAbout(b, `An agent on the network, over WebSocket (wss://, ws://) or streamable HTTP (https://,
http://). Connections to other machines need TLS, unless insecure = true. Any command can
lead to another machine too: command = "ssh", with remote_root.`)
	writeExample(b, "agents.far", agentRows(), 1)
}

func (t *table) agent() Agent {
	known, isKnown := t.doc.known(t.name())
	a := Agent{ID: t.name(), Source: SourceConfigured}
	readRows(&a, t, agentRows())
	t.done()
	if !isKnown {
		a.Name = cmp.Or(a.Name, a.ID)
	}
	if known.Address != "" && !t.has("command") && !t.has("url") { // it listens
		a.Name = cmp.Or(a.Name, known.Name)
		a.Address, a.Headers, a.Insecure = known.Address, a.Headers.over(known.Headers), a.Insecure || known.Insecure
	}
	if t.checkRemote(a) {
		return a
	}
	if isKnown {
		a = a.withKnown(known, t.has("command"), t.has("args"))
	}
	switch {
	case t.has("command") && t.values["command"] == "":
		t.fail("command", "name the program that starts the agent", "is empty")
	case a.Command == "" && !t.has("command"):
		t.doc.fail(t.at, `write command = "…", or url = "…" if it listens`, "%s has no command", t.at)
	}
	return a
}

// withKnown fills in from parley's table what the user left out about an agent.
// Arguments belong to their command: a command of the user's own gets none of ours.
func (a Agent) withKnown(known Agent, ownCommand, ownArgs bool) Agent {
	a.Name, a.URL = cmp.Or(a.Name, known.Name), known.URL
	if ownCommand {
		return a
	}
	a.Command, a.InstallHint, a.Origin = known.Command, known.InstallHint, known.Origin
	a.Cwd = cmp.Or(a.Cwd, known.Cwd)
	if !ownArgs {
		a.Args = known.Args
	}
	a.Env = a.Env.over(known.Env)
	return a
}

// defaultAgent returns the default agent: the one that default_agent names, or the one
// that is marked.
func (t *table) defaultAgent(c *Config) string {
	marked := ""
	for _, a := range c.Agents {
		if a.Default {
			marked = a.ID
		}
	}
	named := t.text("default_agent")
	if !t.has("default_agent") {
		return marked
	}
	agent, err := c.Agent(named)
	unknown, isUnknown := errors.AsType[*UnknownAgentError](err)
	switch {
	case named == "" && t.values["default_agent"] == "":
		t.fail("default_agent", "name an agent or leave the line out", "is empty")
	case isUnknown && named != "":
		t.fail("default_agent", unknown.Hint(), "names no agent: %q", named)
	case marked != "" && agent.ID != marked:
		t.fail("default_agent", fmt.Sprintf("remove one of the two: agents.%s.default is set", marked),
			"sets a second default agent")
	}
	return agent.ID
}

// MCPTransport is how an agent talks to an MCP server.
type MCPTransport string

// The transports of ACP's session/new.
const (
	MCPStdio MCPTransport = "stdio"
	MCPHTTP  MCPTransport = "http"
	MCPSSE   MCPTransport = "sse"
)

// MCPServer is an MCP server that a new session passes to the agent. The agent connects
// to it, not parley. Args and URL may have references, to [Expand].
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
func (t *table) mcpServers() (servers []MCPServer) {
	for _, s := range t.children("mcp") {
		servers = append(servers, s.mcpServer())
	}
	return servers
}

// serverRows are the keys of [mcp.NAME]. The first example is a program, the second is on
// the network.
func serverRows() []row[MCPServer] {
	return []row[MCPServer]{
		choice("type", "", []MCPTransport{MCPStdio, MCPHTTP, MCPSSE}, func(s *MCPServer) *MCPTransport { return &s.Type }, "optional with a command").shown(`"stdio"`, `"http"`),
		value("command", func(s *MCPServer) *string { return &s.Command }, (*table).text, "").shown(`"npx"`),
		value("args", func(s *MCPServer) *[]string { return &s.Args }, (*table).words, "").shown(`["-y", "@modelcontextprotocol/server-filesystem", "."]`),
		value("env", func(s *MCPServer) *Secrets { return &s.Env }, (*table).environment, "").shown(`{ LOG_LEVEL = "error" }`),
		value("url", func(s *MCPServer) *string { return &s.URL }, (*table).text, "").shown("", `"https://example.com/mcp"`),
		value("headers", func(s *MCPServer) *Secrets { return &s.Headers }, (*table).headers, "").shown("", `{ Authorization = "Bearer $DOCS_TOKEN" }`),
	}
}

// writeServers appends the examples of MCP servers.
func writeServers(b *strings.Builder, _ *Actions) {
	writeExample(b, "mcp.files", serverRows(), 0)
	b.WriteByte('\n')
	writeAbout(b, `A server on the network, of type "http" or "sse":`)
	writeExample(b, "mcp.docs", serverRows(), 1)
}

func (t *table) mcpServer() MCPServer {
	s := MCPServer{Name: t.name()}
	readRows(&s, t, serverRows())
	t.done()
	if !t.has("type") && t.has("command") {
		s.Type = MCPStdio
	}
	apart := fmt.Sprintf("does not apply to a server of type %q", string(s.Type))
	switch s.Type {
	case MCPStdio:
		t.need("command", s.Command, s.Type)
		t.references("args", s.Args...)
		t.refuse("remove it or change the type", apart, "url", "headers")
	case MCPHTTP, MCPSSE:
		if t.need("url", s.URL, s.Type) && !strings.Contains(s.URL, "$") && !isURL(s.URL, "http", "https") {
			t.fail("url", "use a URL that begins with http:// or https://", "is not a server URL")
		}
		t.references("url", s.URL)
		t.refuse("remove it or change the type", apart, "command", "args", "env")
	case "":
		if t.values["type"] == "" || !t.has("type") {
			t.doc.fail(t.at, `write type = "stdio", "http" or "sse"`, "%s has no type", t.at)
		}
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

// refuse reports keys that do not apply.
func (t *table) refuse(hint, why string, keys ...string) {
	for _, key := range keys {
		if t.has(key) {
			t.failKey(key, hint, "%s", why)
		}
	}
}

// isEnvName reports whether s can be the name of an environment variable.
func isEnvName(s string) bool { return s != "" && !strings.ContainsAny(s, "=\x00") }

// isHeaderName reports whether s is a token of RFC 9110, section 5.6.2.
func isHeaderName(s string) bool {
	odd := func(r rune) bool { return !isNameRune(r) && !strings.ContainsRune("!#$%&'*+-.^`|~", r) }
	return s != "" && !strings.ContainsFunc(s, odd)
}
