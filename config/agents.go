package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Source says how parley came to know an agent.
type Source string

const (
	// SourceConfigured marks an agent of the configuration file.
	SourceConfigured Source = "configured"
	// SourceFound marks a known agent whose program is on this machine.
	SourceFound Source = "found"
	// SourceBuiltIn marks an agent that parley knows of, looked for or not.
	SourceBuiltIn Source = "built-in"
)

// Agent is a program that speaks the Agent Client Protocol over stdio, and how
// to start it.
type Agent struct {
	// ID is the short name used in the file and on the command line.
	ID string
	// Name is shown to people.
	Name    string
	Command string
	Args    []string
	// Env is set for the agent on top of parley's own environment.
	Env Secrets
	// Cwd is the directory to start the agent in; "" is the session's own.
	Cwd     string
	Default bool
	Source  Source
	Sandbox AgentSandbox
	// InstallHint is one line that says how to get the program, URL where to
	// read about it. Either may be empty.
	InstallHint, URL string
	// Alternative is a command line that fetches and starts the agent without
	// installing it, where there is one. It is for showing to people: parley
	// never runs it by itself.
	Alternative []string
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
	}
	return agents
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
