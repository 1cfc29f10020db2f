package cli

import (
	"fmt"
	"maps"
	"slices"

	"parley/config"
	"parley/internal/headless"
)

// serversFor are the MCP servers for an agent: its own, and those of all that it has none
// of the same name for.
func serversFor(cfg *config.Config, a config.Agent) []config.MCPServer {
	servers := slices.Clone(a.MCP)
	for _, s := range cfg.MCP {
		if !slices.ContainsFunc(a.MCP, func(own config.MCPServer) bool { return own.Name == s.Name }) {
			servers = append(servers, s)
		}
	}
	return servers
}

// rootsFor are the further directories of a session, with those that the configuration has
// for the agent.
func rootsFor(a config.Agent, dirs []string) ([]string, error) {
	all := slices.Clone(dirs)
	for _, root := range a.Roots {
		dir, err := directory(root)
		if err != nil {
			return nil, fmt.Errorf("the configuration's agents.%s.roots: %w", a.ID, err)
		}
		if !slices.Contains(all, dir) {
			all = append(all, dir)
		}
	}
	return all, nil
}

// overruled is an agent without the settings of the configuration in whose place the
// command line has others.
func overruled(a config.Agent, opt headless.Options) config.Agent {
	if opt.Mode != "" {
		a.Mode = ""
	}
	a.Options = maps.Clone(a.Options)
	for _, s := range opt.Settings {
		delete(a.Options, s.Option)
	}
	return a
}
