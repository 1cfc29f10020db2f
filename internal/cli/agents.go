package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"parley/config"
	"parley/internal/app"
	"parley/internal/registry"
	"parley/internal/termtext"
)

// agentsCommand is about the agents of this machine and of the registry.
func agentsCommand(s *streams) *cobra.Command {
	list := agentsListCommand(s)
	cmd := &cobra.Command{
		Use:   "agents",
		Short: "List, add, install, update and remove agents, and sign in to them",
		Long: `agents manages the agents that parley can start: those of your configuration,
those that you added or installed, those found on this machine, and those of the
public registry of the Agent Client Protocol, which parley can install.
Without a command it lists them.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return misused(cmd, "", "unknown command %q of agents", args[0])
			}
			return nil
		},
		RunE: list.RunE,
	}
	cmd.AddCommand(
		list, agentsInfoCommand(s), agentsAddCommand(s), agentsInstallCommand(s), agentsUpdateCommand(s),
		agentsRemoveCommand(s), agentsRefreshCommand(s), agentsLoginCommand(s), agentsLogoutCommand(s),
	)
	return cmd
}

// openAgents are the agents of this machine, with the configuration.
func openAgents() (*registry.Agents, *config.Config, error) {
	cfg, err := config.Load(config.ConfigFile())
	if err != nil {
		return nil, nil, err
	}
	return registry.Here(cfg.Registry), cfg, nil
}

// openEdition is the registry as it is known here. What is wrong with the copy that was
// fetched is told, and no hindrance.
func openEdition(s *streams, a *registry.Agents) *registry.Edition {
	e, err := a.Cache.Open()
	if err != nil {
		fmt.Fprintln(s.Err, termtext.Line("parley: "+err.Error()+"; using the built-in registry"))
	}
	return e
}

// editionLine says which registry is known here.
func editionLine(e *registry.Edition) string {
	if e.BuiltIn {
		return "built in, from " + e.Date.Format("2006-01-02")
	}
	return "fetched on " + e.Date.Local().Format("2006-01-02")
}

// agentExplained is an error of installing an agent with what to do about it.
func agentExplained(err error) error {
	var missing *registry.MissingError
	switch {
	case errors.As(err, &missing):
		return app.WithHint("Install it first: "+missing.Hint(), "%w", err)
	case errors.Is(err, registry.ErrUnknown):
		return app.WithHint("'parley agents list' lists the agents, 'parley agents refresh' fetches the newest registry.\nAny other agent: parley agents add NAME -- COMMAND ARG...", "%w", err)
	case errors.Is(err, registry.ErrOwn):
		return app.WithHint("Remove it first: parley agents remove NAME", "%w", err)
	case errors.Is(err, registry.ErrOffline):
		return app.WithHint("Installed agents stay unchanged.", "%w", err)
	case errors.Is(err, registry.ErrDigest):
		return app.WithHint("Nothing was installed. Run 'parley agents refresh' and try again; if it fails again, tell the agent's author.", "%w", err)
	}
	return err
}

// askedFirst shows what an installation does, and asks for it.
func askedFirst(ctx context.Context, s *streams, q app.Question, yes bool) error {
	for _, l := range q.Lines {
		fmt.Fprintln(s.Err, termtext.VisibleLine(l))
	}
	if yes {
		return nil
	}
	if !s.InTerminal || !s.ErrTerminal {
		return app.WithHint("To skip this question: --yes", "nothing was installed: no terminal to ask on")
	}
	fmt.Fprint(s.Err, "Install it? [y/N] ")
	if answer, err := line(ctx, s); err == nil && (strings.EqualFold(answer, "y") || strings.EqualFold(answer, "yes")) {
		return nil
	}
	return errors.New("nothing was installed")
}
