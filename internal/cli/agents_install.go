package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"parley/config"
	"parley/internal/app"
	"parley/internal/registry"
	"parley/internal/termtext"
)

// agentsInstallOptions are the flags of installing and updating agents.
type agentsInstallOptions struct {
	streams *streams
	yes     bool
	as      string
}

func (o *agentsInstallOptions) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "skip the question")
}

func agentsInstallCommand(s *streams) *cobra.Command {
	o := &agentsInstallOptions{streams: s}
	cmd := &cobra.Command{
		Use:   "install NAME",
		Short: "Install an agent of the registry, after showing exactly what will run",
		Long: `install adds an agent from the registry. parley downloads, checks and unpacks
programs into its data directory; for an npx or uvx package it records the command
and version, which are fetched when the agent starts. It shows everything that it
will download and run, and asks first.`,
		Args: oneArgument("the name of an agent in the registry"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.install(cmd, args[0]) },
	}
	o.flags(cmd)
	cmd.Flags().StringVar(&o.as, "as", "", "`KIND` of package, if there are several: binary, npx or uvx")
	return cmd
}

func (o *agentsInstallOptions) install(cmd *cobra.Command, name string) error {
	var kinds []registry.Kind
	if o.as != "" {
		kinds = []registry.Kind{registry.Kind(o.as)}
		if !slices.Contains(registry.Kinds(), kinds[0]) {
			return misused(cmd, "", "--as must be binary, npx or uvx, not %q", o.as)
		}
	}
	a, _, err := openAgents()
	if err != nil {
		return err
	}
	p, err := a.Plan(name, kinds...)
	if err != nil {
		return agentExplained(err)
	}
	return o.carryOut(cmd.Context(), a, p)
}

// carryOut asks, and installs.
func (o *agentsInstallOptions) carryOut(ctx context.Context, a *registry.Agents, p registry.Plan) error {
	if err := askedFirst(ctx, o.streams, app.InstallQuestion(a, p), o.yes); err != nil {
		return err
	}
	added, err := a.Install(ctx, p, o.progress())
	if err != nil {
		return agentExplained(err)
	}
	fmt.Fprintf(o.streams.Out, "installed %s %s: start it with 'parley -a %s'\n", added.ID, termtext.Line(added.Origin.Version), added.ID)
	return nil
}

// progress tells on a terminal how much has come, whenever that is another number.
func (o *agentsInstallOptions) progress() func(done, all int64) {
	if !o.streams.ErrTerminal {
		return nil
	}
	last := ""
	return func(done, all int64) {
		text := app.Downloaded(done, all)
		if done == all {
			text += "\n"
		}
		if text != last {
			fmt.Fprintf(o.streams.Err, "\r%-20s", text)
		}
		last = text
	}
}

func agentsUpdateCommand(s *streams) *cobra.Command {
	o := &agentsInstallOptions{streams: s}
	cmd := &cobra.Command{
		Use:   "update [NAME...]",
		Short: "Update installed agents, or all of them",
		Long: `update installs the versions of the registry as last fetched;
'parley agents refresh' fetches the newest.`,
		RunE: func(cmd *cobra.Command, args []string) error { return o.update(cmd.Context(), args) },
	}
	o.flags(cmd)
	return cmd
}

func (o *agentsInstallOptions) update(ctx context.Context, names []string) error {
	a, _, err := openAgents()
	if err != nil {
		return err
	}
	installed, err := installedAgents(a, names)
	if err != nil {
		return err
	}
	e := openEdition(o.streams, a)
	var errs []error
	current := 0
	for _, own := range installed {
		entry, err := e.Find(own.ID)
		if err != nil {
			errs = append(errs, agentExplained(err))
			continue
		}
		if !entry.Outdated(own) {
			current++
			continue
		}
		fmt.Fprintf(o.streams.Err, "%s has %s, the registry %s\n", own.ID, termtext.Line(own.Origin.Version), termtext.Line(entry.Version))
		errs = append(errs, o.renew(ctx, a, own, entry))
	}
	if len(installed) == current {
		fmt.Fprintln(o.streams.Out, "All agents are up to date; registry "+editionLine(e)+".")
	}
	return errors.Join(errs...)
}

// renew installs another version, in the way in which the agent has come if that is there
// still.
func (o *agentsInstallOptions) renew(ctx context.Context, a *registry.Agents, own config.Added, entry registry.Entry) error {
	p, err := entry.PlanHere(registry.Kind(own.Origin.Kind))
	if err != nil {
		p, err = entry.PlanHere()
	}
	if err != nil {
		return agentExplained(err)
	}
	return o.carryOut(ctx, a, p)
}

// installedAgents are those of the names, or all.
func installedAgents(a *registry.Agents, names []string) ([]config.Added, error) {
	list, err := a.Added.Agents()
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(own config.Added) bool { return own.Origin == nil })
	if len(names) == 0 {
		return list, nil
	}
	var some []config.Added
	for _, name := range names {
		i := slices.IndexFunc(list, func(own config.Added) bool {
			return strings.EqualFold(own.ID, name) || strings.EqualFold(own.Name, name)
		})
		if i < 0 {
			return nil, app.WithHint("'parley agents list' lists the installed agents.", "no installed agent is called %q", name)
		}
		some = append(some, list[i])
	}
	return some, nil
}
