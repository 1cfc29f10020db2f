package app

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"parley/config"
	"parley/internal/remote"
)

// TourID names the built-in agent.
const TourID = "tour"

// tourAgent is this program itself, as an agent.
func tourAgent() (config.Agent, error) {
	self, err := os.Executable()
	if err != nil {
		return config.Agent{}, fmt.Errorf("find parley's own program for the tour: %w", err)
	}
	return config.Agent{
		ID: TourID, Name: "The tour", Command: self, Args: []string{"demo-agent"}, Source: config.SourceBuiltIn,
		OwnProject: true,
	}, nil
}

// AgentNamed is the agent of a name: the tour, or a configured or known one.
func AgentNamed(cfg *config.Config, name string) (config.Agent, error) {
	if name == TourID {
		return tourAgent()
	}
	a, err := cfg.Agent(name)
	var unknown *config.UnknownAgentError
	if errors.As(err, &unknown) {
		hint := unknown.Hint()
		return a, WithHint(strings.ToUpper(hint[:1])+hint[1:]+", "+TourID, "no agent is called %q", name)
	}
	return a, err
}

// AgentOf is the agent of a command, or of a URL where one listens. An empty name is made
// from the words.
func AgentOf(name string, words []string) config.Agent {
	a := config.Agent{ID: name, Name: name}
	if len(words) == 1 && remote.IsURL(words[0]) {
		a.Address = words[0]
		if u, err := url.Parse(a.Address); err == nil && name == "" {
			a.ID, a.Name = u.Host, u.Host
		}
		return a
	}
	a.Command, a.Args = words[0], words[1:]
	if name == "" {
		a.ID, a.Name = filepath.Base(a.Command), filepath.Base(a.Command)
	}
	return a
}

// reloaded is the configuration as it is now, with the agents that were installed since;
// the given one if it cannot be read.
func reloaded(cfg *config.Config) *config.Config {
	if now, err := config.Load(config.ConfigFile()); err == nil {
		return now
	}
	return cfg
}

// Available are the agents to choose from. The tour comes last.
func Available(cfg *config.Config) ([]config.Agent, error) {
	tour, err := tourAgent()
	if err != nil {
		return nil, err
	}
	return append(cfg.Available(exec.LookPath), tour), nil
}

// Directory is the absolute path of an existing directory.
func Directory(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("the directory %s: %w", dir, err)
	}
	info, err := os.Stat(abs)
	switch {
	case os.IsNotExist(err):
		return "", fmt.Errorf("there is no directory %s", abs)
	case err != nil:
		return "", fmt.Errorf("look at the directory: %w", err)
	case !info.IsDir():
		return "", fmt.Errorf("%s is not a directory", abs)
	}
	return abs, nil
}
