package cli

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"parley/config"
	"parley/internal/app"
	"parley/internal/registry"
	"parley/internal/remote"
	"parley/internal/termtext"
)

// agentsInstallOptions are the flags of installing and updating agents.
type agentsInstallOptions struct {
	streams *streams
	yes     bool
	as      string
}

func agentsInstallCommand(s *streams) *cobra.Command {
	o := &agentsInstallOptions{streams: s}
	cmd := leaf("install NAME", `Install an agent of the registry, after showing exactly what will run
install asks the registry for the newest version of an agent and adds it. If the
registry cannot be reached, it uses the last list fetched, or the built-in one, and
says how old it is. parley downloads, checks and unpacks programs into its data
directory; for an npx or uvx package it records the command and version, which are
fetched when the agent starts. It shows everything that it will download and run,
and asks first.`, arguments(1, 1, "the name of an agent in the registry"), func(cmd *cobra.Command, args []string) error { return o.install(cmd, args[0]) })
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "skip the question")
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
	plan, note, err := app.LatestPlan(cmd.Context(), a, name, kinds...)
	if note != "" {
		fmt.Fprintln(o.streams.Err, termtext.Line("parley: "+note))
	}
	if err == nil {
		err = o.carryOut(cmd.Context(), a, plan)
	}
	return agentExplained(err)
}

// carryOut asks, then installs. On a terminal it shows the progress.
func (o *agentsInstallOptions) carryOut(ctx context.Context, a *registry.Agents, plan config.Agent) error {
	if err := askedFirst(ctx, o.streams, app.InstallQuestion(a, plan, ""), o.yes); err != nil {
		return err
	}
	var progress func(done, all int64)
	if last := ""; o.streams.ErrTerminal {
		progress = func(done, all int64) {
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
	agent, err := a.Install(ctx, plan, progress)
	if err != nil {
		return err
	}
	name := config.KnownAs(agent.ID)
	fmt.Fprintf(o.streams.Out, "installed %s %s: start it with 'parley -a %s'\n", name, termtext.Line(agent.Origin.Version), name)
	return nil
}

func agentsUpdateCommand(s *streams) *cobra.Command {
	o := &agentsInstallOptions{streams: s}
	cmd := leaf("update [NAME...]", `Update installed agents, or all of them
update asks the registry and installs newer versions.`, nil, func(cmd *cobra.Command, args []string) error { return o.update(cmd.Context(), args) })
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "skip the question")
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
	if len(installed) == 0 {
		fmt.Fprintln(o.streams.Out, "No agent of the registry is installed.")
		return nil
	}
	e, asked := a.Cache.Latest(ctx)
	if err := ctx.Err(); err != nil {
		return err
	}
	var errs []error
	current := 0
	for _, own := range installed {
		entry, err := e.Find(own.ID)
		if err != nil {
			errs = append(errs, agentExplained(err))
			continue
		}
		if entry.Version == own.Origin.Version {
			current++
			continue
		}
		fmt.Fprintf(o.streams.Err, "%s has %s, the registry %s\n", own.ID, termtext.Line(own.Origin.Version), termtext.Line(entry.Version))
		plan := entry.PlanHere(registry.Kind(own.Origin.Kind))
		if plan.Unusable != nil { // the registry dropped that kind of package
			plan = entry.PlanHere()
		}
		if err = plan.Unusable; err == nil {
			err = o.carryOut(ctx, a, plan)
		}
		errs = append(errs, agentExplained(err))
	}
	switch {
	case asked != nil:
		hint := "Run it again when the registry can be reached."
		if len(installed) == current {
			hint = "Nothing is newer in " + app.ListAge(e.Date) + ". " + hint
		}
		errs = append(errs, app.WithHint(hint, "%s", app.NotAsked(asked)))
	case len(installed) == current:
		fmt.Fprintln(o.streams.Out, "All agents are up to date.")
	}
	return errors.Join(errs...)
}

// installedAgents returns the installed agents with these names, or all if there are none.
func installedAgents(a *registry.Agents, names []string) ([]config.Agent, error) {
	list, err := a.Saved.Agents()
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(own config.Agent) bool { return own.Origin == nil })
	if len(names) == 0 {
		return list, nil
	}
	var some []config.Agent
	for _, name := range names {
		own, ok := config.Find(list, name)
		if !ok {
			return nil, app.WithHint("'parley agents list' lists the installed agents.", "no installed agent is called %q", name)
		}
		some = append(some, own)
	}
	return some, nil
}

// agentsAddOptions are the flags and arguments of adding an agent.
type agentsAddOptions struct {
	streams  *streams
	title    string
	cwd      string
	env      []string
	headers  []string
	insecure bool
	replace  bool
	id       string
	words    []string // its command, or where it listens
}

func agentsAddCommand(s *streams) *cobra.Command {
	o := &agentsAddOptions{streams: s}
	cmd := leaf("add NAME -- {COMMAND ARG... | URL}", "Add your own agent by its command or its URL", o.takeArgs, func(*cobra.Command, []string) error { return o.run() })
	cmd.Example = `  parley agents add mine -- my-agent --acp
  parley agents add far --env 'TOKEN=$MY_TOKEN' -- ssh host my-agent
  parley agents add team --header 'Authorization=Bearer $TEAM_TOKEN' -- wss://agents.example.com/acp`
	f := cmd.Flags()
	f.StringVar(&o.title, "title", "", "display `NAME`")
	f.StringVar(&o.cwd, "cwd", "", "start it in this `DIR` instead of the session's directory")
	f.StringArrayVar(&o.env, "env", nil, "set an environment variable, `NAME=VALUE`; '$NAME' comes from your environment; may be repeated")
	f.StringArrayVar(&o.headers, "header", nil, "send this header, `NAME=VALUE`; '$NAME' comes from your environment; may be repeated")
	f.BoolVar(&o.insecure, "insecure", false, "allow a URL without TLS on another machine")
	f.BoolVar(&o.replace, "replace", false, "replace an agent that you added under this name")
	return cmd
}

func (o *agentsAddOptions) takeArgs(cmd *cobra.Command, args []string) error {
	const how = "Example: parley agents add mine -- my-agent --acp"
	at := cmd.ArgsLenAtDash()
	switch {
	case at < 0:
		return misused(cmd, how, "no command: write it after --")
	case at != 1:
		return misused(cmd, how, "want one name before --, got %d", at)
	case len(args) == 1 || args[1] == "":
		return misused(cmd, how, "no command after --")
	}
	o.id, o.words = args[0], args[1:]
	listens := len(o.words) == 1 && strings.Contains(o.words[0], "://")
	if listens && !remote.IsURL(o.words[0]) {
		_, err := remote.New(remote.Options{URL: o.words[0]})
		return misused(cmd, "", "%w", err)
	}
	for _, name := range []string{"env", "cwd"} {
		if listens && cmd.Flags().Changed(name) {
			return misused(cmd, "", "--%s is for agents with a command, and this one has a URL", name)
		}
	}
	for _, name := range []string{"header", "insecure"} {
		if !listens && cmd.Flags().Changed(name) {
			return misused(cmd, "", "--%s is for agents with a URL, and this one has a command", name)
		}
	}
	return nil
}

// agent returns the agent that the flags and arguments describe.
func (o *agentsAddOptions) agent() (config.Agent, error) {
	a := app.AgentOf(o.id, o.words)
	a.Name, a.Insecure = o.title, o.insecure
	var err error
	if a.Env, err = settings("env", o.env); err != nil {
		return a, err
	}
	if a.Headers, err = settings("header", o.headers); err != nil {
		return a, err
	}
	if o.cwd != "" {
		if a.Cwd, err = app.Directory(o.cwd); err != nil {
			return a, fmt.Errorf("--cwd: %w", err)
		}
	}
	// A path would lead elsewhere from another directory.
	if strings.ContainsRune(a.Command, filepath.Separator) && !filepath.IsAbs(a.Command) {
		a.Command, err = filepath.Abs(a.Command)
	}
	return a, err
}

// settings parses the values of a repeated flag of the form NAME=VALUE.
func settings(flag string, texts []string) (config.Secrets, error) {
	values := map[string]string{}
	for _, text := range texts {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return config.Secrets{}, app.WithHint("Example: --"+flag+" NAME=VALUE", "--%s %s has no value", flag, name)
		}
		values[name] = value
	}
	return config.NewSecrets(values), nil
}

func (o *agentsAddOptions) run() error {
	a, cfg, err := openAgents()
	if err != nil {
		return err
	}
	agent, err := o.agent()
	if err != nil {
		return err
	}
	if err := o.free(a, cfg); err != nil {
		return err
	}
	if _, err := a.Saved.Put(agent); err != nil {
		return err
	}
	fmt.Fprintf(o.streams.Out, "added %s: start it with 'parley -a %s'\n", termtext.Line(o.id), termtext.Line(o.id))
	if why := agent.Usable(exec.LookPath); why != nil {
		fmt.Fprintln(o.streams.Err, termtext.Line("It cannot start yet: "+why.Error()+"."))
	}
	if _, err := app.RemoteAgent(agent); err != nil {
		fmt.Fprintln(o.streams.Err, termtext.Line("It cannot be reached yet: "+err.Error()+"."))
	}
	return nil
}

// free returns an error if the name is taken.
func (o *agentsAddOptions) free(a *registry.Agents, cfg *config.Config) error {
	if o.id == app.TourID {
		return fmt.Errorf("%s is the name of the built-in tour", app.TourID)
	}
	list, err := a.Saved.Agents()
	if err != nil {
		return err
	}
	for _, own := range list {
		switch {
		case own.ID != o.id:
		case own.Origin != nil:
			return app.WithHint("Choose another name, or remove that one first: parley agents remove "+o.id, "%s is an installed agent", o.id)
		case !o.replace:
			return app.WithHint("To replace it: --replace", "the agent %s already exists", o.id)
		default:
			return nil
		}
	}
	if slices.ContainsFunc(cfg.Agents, func(own config.Agent) bool { return own.ID == o.id }) {
		return app.WithHint("Change it there, or choose another name: "+config.ConfigFile(), "an agent %s is in the configuration", o.id)
	}
	return nil
}
