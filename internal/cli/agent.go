package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"parley/config"
)

// tourID is the name of the built-in agent.
const tourID = "tour"

// tourAgent is this program itself, as an agent.
func tourAgent() (config.Agent, error) {
	self, err := os.Executable()
	if err != nil {
		return config.Agent{}, fmt.Errorf("find parley's own program for the tour: %w", err)
	}
	return config.Agent{
		ID: tourID, Name: "The tour", Command: self, Args: []string{"demo-agent"}, Source: config.SourceBuiltIn,
		OwnProject: true,
	}, nil
}

// named is the agent that the command line or the configuration names, nil if
// neither names one.
func (o *startOptions) named(cfg *config.Config) (*config.Agent, error) {
	name := o.agent
	if name == "" {
		name = cfg.DefaultAgent
	}
	switch {
	case o.words() != nil:
		a := agentOfWords("", o.words())
		return &a, nil
	case name == "":
		return nil, nil
	}
	a, err := agentNamed(cfg, name)
	if err != nil {
		return nil, err
	}
	return &a, nil
}

// agentNamed is the agent of that name: the tour, a configured or a known one.
func agentNamed(cfg *config.Config, name string) (config.Agent, error) {
	if name == tourID {
		return tourAgent()
	}
	a, err := cfg.Agent(name)
	var unknown *config.UnknownAgentError
	if errors.As(err, &unknown) {
		hint := unknown.Hint()
		return a, hinted(strings.ToUpper(hint[:1])+hint[1:]+", "+tourID, "no agent is called %q", name)
	}
	return a, err
}

// latest is the configuration as it is now, with the agents that were installed meanwhile;
// one that cannot be read leaves it as it was.
func latest(cfg *config.Config) *config.Config {
	if now, err := config.Load(config.ConfigFile()); err == nil {
		return now
	}
	return cfg
}

// offered are the agents to choose from. The tour stands last.
func offered(cfg *config.Config) ([]config.Agent, error) {
	tour, err := tourAgent()
	if err != nil {
		return nil, err
	}
	return append(cfg.Available(exec.LookPath), tour), nil
}
