package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"parley/config"
	"parley/internal/app"
	"parley/internal/termtext"
)

// agentsRemoveCommand takes agents away.
func agentsRemoveCommand(s *streams) *cobra.Command {
	return &cobra.Command{
		Use:   "remove NAME...",
		Short: "Remove agents that were installed or added, with their programs",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return misused(cmd, "", "remove takes the names of agents")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			a, cfg, err := openAgents()
			if err != nil {
				return err
			}
			for _, name := range args {
				removed, err := a.Remove(name)
				if err != nil {
					return fmt.Errorf("remove %s: %w", name, err)
				}
				if removed == nil {
					return notRemoved(cfg, name)
				}
				fmt.Fprintln(s.Out, "removed "+termtext.Line(name))
			}
			tellLeftBehind(s)
			return nil
		},
	}
}

// tellLeftBehind tells of what the configuration says of an agent that is not there any more:
// with that parley does not start.
func tellLeftBehind(s *streams) {
	if _, err := config.Load(config.ConfigFile()); err != nil {
		fmt.Fprintln(s.Err, termtext.Block("The configuration still has a section for it: "+err.Error()))
		fmt.Fprintln(s.Err, "Remove that section, or parley does not start: parley config edit")
	}
}

// notRemoved says why an agent is not removed.
func notRemoved(cfg *config.Config, name string) error {
	if slices.ContainsFunc(cfg.Agents, func(own config.Agent) bool { return own.ID == name }) {
		return app.WithHint("Remove it there: parley config edit", "%s is in the configuration", name)
	}
	return app.WithHint("'parley agents list' lists the installed agents.", "no agent called %q was installed or added", name)
}
