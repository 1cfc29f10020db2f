package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/internal/policy"
)

// Source says how parley came to know an agent.
type Source string

const (
	// SourceConfigured marks an agent of the configuration file.
	SourceConfigured Source = "configured"
	// SourceInstalled marks an agent that parley has installed from the registry.
	SourceInstalled Source = "installed"
	// SourceFound marks a known agent whose program is on this machine.
	SourceFound Source = "found"
	// SourceBuiltIn marks an agent that parley knows of, looked for or not.
	SourceBuiltIn Source = "built-in"
)

// Agent is a program that speaks the Agent Client Protocol, and how to start it, or
// where it listens.
type Agent struct {
	// ID is the short name used in the file and on the command line.
	ID string
	// Name is shown to people.
	Name    string
	Command string
	Args    []string
	// Env is set for the agent on top of parley's own environment.
	Env Secrets
	// Address is the URL at which the agent listens; "" if it is started with Command.
	// Headers are sent there. Insecure allows an Address without TLS on another machine.
	Address  string
	Headers  Secrets
	Insecure bool
	// ServeFiles and ServeTerminals offer files and commands of this machine to an agent
	// that runs on another one.
	ServeFiles, ServeTerminals bool
	// RemoteRoot is the session's directory on the agent's machine; "" if the agent runs
	// on this machine, or has the same paths.
	RemoteRoot string
	// Cwd is the directory to start the agent in; "" is the session's own. OwnProject says
	// that its sessions have a directory of their own, wherever they are begun.
	Cwd        string
	OwnProject bool
	Default    bool
	Source     Source
	Sandbox    AgentSandbox
	// Protocol says which versions of the protocol the agent is offered; "" is
	// ProtocolV1.
	Protocol Protocol
	// Reason says why the agent cannot be started on this machine, as far as
	// [Config.Available] knows; "" if nothing is known against it.
	Reason string
	// Origin says of an installed agent where it comes from; nil of others.
	Origin *Origin
	// Mode and Options are what its sessions begin with: the id or the name of a mode, and
	// values by the ids of options.
	Mode    string
	Options map[string]string
	// MCP are the servers handed to this agent, besides those of all.
	MCP []MCPServer
	// Roots are further directories of its sessions.
	Roots []string
	// Rules count for this agent only. They are among those of the configuration, too.
	Rules []policy.Rule
	// InstallHint is one line that says how to get the program, URL where to
	// read about it. Either may be empty.
	InstallHint, URL string
	// Alternative is a command line that fetches and starts the agent without
	// installing it, where there is one. It is for showing to people: parley
	// never runs it by itself.
	Alternative []string
}

// Unusable says why an agent cannot be started on this machine; "" if it can, as far as
// lookPath ([os/exec.LookPath] in use) knows. Of one that listens nothing is known before
// it is connected to.
func (a Agent) Unusable(lookPath func(program string) (string, error)) string {
	if a.Address != "" {
		return ""
	}
	if _, err := lookPath(a.Command); err == nil {
		return ""
	}
	if strings.ContainsRune(a.Command, filepath.Separator) {
		return a.Command + " is not there, or is no program"
	}
	return a.Command + " is not installed, or not on PATH"
}

// discover returns the known agents whose program lookPath finds
// ([os/exec.LookPath] in use), always in the same order.
func discover(lookPath func(program string) (string, error)) []Agent {
	var found []Agent
	for _, a := range knownAgents() {
		if _, err := lookPath(a.Command); err == nil {
			a.Source = SourceFound
			found = append(found, a)
		}
	}
	return found
}

// Available returns the agents to offer: the configured ones in the order of
// the file, whether their programs are there or not, then those of discover
// that are not configured.
func (c *Config) Available(lookPath func(program string) (string, error)) []Agent {
	agents := slices.Clone(c.Agents)
	for _, a := range discover(lookPath) {
		if !slices.ContainsFunc(c.Agents, func(own Agent) bool { return own.ID == a.ID }) {
			agents = append(agents, a)
		}
	}
	for i := range agents {
		agents[i] = c.mark(agents[i])
		agents[i].Reason = agents[i].Unusable(lookPath)
	}
	return agents
}

// Missing returns the known agents whose program lookPath does not find, and that are
// not configured, most used first.
func (c *Config) Missing(lookPath func(program string) (string, error)) []Agent {
	return slices.DeleteFunc(knownAgents(), func(a Agent) bool {
		_, err := lookPath(a.Command)
		return err == nil || slices.ContainsFunc(c.Agents, func(own Agent) bool { return own.ID == a.ID })
	})
}

// mark says of an agent whether it is the default one.
func (c *Config) mark(a Agent) Agent {
	a.Default = a.ID == c.DefaultAgent
	return a
}

// Agent finds an agent by its ID, its name or, for known ones, its program.
// Configured agents come first. Letter case matters only between two that
// would fit otherwise. The error is an [*UnknownAgentError].
func (c *Config) Agent(idOrName string) (Agent, error) {
	known := knownAgents()
	for _, agents := range [][]Agent{c.Agents, known} {
		for _, fits := range []func(Agent) bool{
			func(a Agent) bool { return a.ID == idOrName },
			func(a Agent) bool { return a.Name == idOrName },
			func(a Agent) bool { return strings.EqualFold(a.ID, idOrName) || strings.EqualFold(a.Name, idOrName) },
			func(a Agent) bool { return a.Source == SourceBuiltIn && a.Command == idOrName },
		} {
			if i := slices.IndexFunc(agents, fits); i >= 0 && idOrName != "" {
				return c.mark(agents[i]), nil
			}
		}
	}
	return Agent{}, &UnknownAgentError{Name: idOrName, configured: c.Agents, known: known}
}

// UnknownAgentError is the error for a name that is no agent's.
type UnknownAgentError struct {
	Name              string
	configured, known []Agent
}

// Error names the nearest agent and those that there are.
func (e *UnknownAgentError) Error() string {
	return fmt.Sprintf("no agent is called %q: %s", e.Name, e.Hint())
}

// Hint says on one line which agent was most likely meant, and which there are.
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

// near is the ID of the agent that was most likely meant, or "".
func (e *UnknownAgentError) near() string {
	agents := slices.Concat(e.configured, e.known)
	if id := nearest(e.Name, ids(agents)); id != "" {
		return id
	}
	names := make([]string, len(agents))
	for i, a := range agents {
		names[i] = a.Name
	}
	if i := slices.Index(names, nearest(e.Name, names)); i >= 0 {
		return agents[i].ID
	}
	return ""
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
