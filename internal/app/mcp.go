package app

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"parley/acpclient"
	"parley/config"
)

// serversFor are the MCP servers for an agent: its own, and those for all agents, unless
// it has one of the same name.
func serversFor(cfg *config.Config, a config.Agent) []config.MCPServer {
	servers := slices.Clone(a.MCP)
	for _, s := range cfg.MCP {
		if !slices.ContainsFunc(a.MCP, func(own config.MCPServer) bool { return own.Name == s.Name }) {
			servers = append(servers, s)
		}
	}
	return servers
}

// mcpServers puts the configured servers into the protocol's form. A remote agent cannot
// start programs of this machine: those are left out, by name.
func mcpServers(servers []config.MCPServer, remote bool) (out []acpclient.MCPServer, leftOut []string, err error) {
	for _, s := range servers {
		if remote && s.Type == config.MCPStdio {
			leftOut = append(leftOut, s.Name)
			continue
		}
		m, err := mcpServer(s)
		if err != nil {
			return nil, nil, fmt.Errorf("the MCP server %s: %w", s.Name, err)
		}
		out = append(out, m)
	}
	return out, leftOut, nil
}

func mcpServer(s config.MCPServer) (acpclient.MCPServer, error) {
	m := acpclient.MCPServer{Name: s.Name, Type: acpclient.MCPTransport(s.Type), URL: s.URL, Args: s.Args}
	env, err := s.Env.Expand(os.LookupEnv)
	if err != nil {
		return m, err
	}
	for _, name := range s.Env.Names() {
		m.Env = append(m.Env, acpclient.EnvVariable{Name: name, Value: env[name]})
	}
	headers, err := s.Headers.Expand(os.LookupEnv)
	if err != nil {
		return m, err
	}
	for _, name := range s.Headers.Names() {
		m.Headers = append(m.Headers, acpclient.HTTPHeader{Name: name, Value: headers[name]})
	}
	if s.Command == "" {
		return m, nil
	}
	// The protocol asks for an absolute path.
	path, err := exec.LookPath(s.Command)
	if err != nil {
		return m, fmt.Errorf("%s is not installed, or not on PATH", s.Command)
	}
	m.Command, err = filepath.Abs(path)
	return m, err
}

// rootsFor are the additional directories of a session, with those that the
// configuration has for the agent.
func rootsFor(a config.Agent, dirs []string) ([]string, error) {
	all := slices.Clone(dirs)
	for _, root := range a.Roots {
		dir, err := Directory(root)
		if err != nil {
			return nil, fmt.Errorf("the configuration's agents.%s.roots: %w", a.ID, err)
		}
		if !slices.Contains(all, dir) {
			all = append(all, dir)
		}
	}
	return all, nil
}
