package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley/config"
	"parley/internal/app"
	"parley/internal/registry"
	"parley/internal/termtext"
)

func agentsCommand(s *streams) *cobra.Command {
	list := agentsListCommand(s)
	cmd := leaf("agents", `List, add, install, update and remove agents, and sign in to them
agents manages the agents that parley can start: those of your configuration,
those that you added or installed, those found on this machine, and those of the
public registry of the Agent Client Protocol, which parley can install.
Without a command it lists them.`, noArguments, list.RunE)
	cmd.AddCommand(
		list, agentsInfoCommand(s), agentsAddCommand(s), agentsInstallCommand(s), agentsUpdateCommand(s),
		agentsRemoveCommand(s), agentsRefreshCommand(s), agentsLoginCommand(s), agentsLogoutCommand(s),
	)
	return cmd
}

// openAgents returns the agents of this machine and the configuration.
func openAgents() (*registry.Agents, *config.Config, error) {
	cfg, err := loadConfig()
	if err != nil {
		return nil, nil, err
	}
	return registry.Here(cfg.Registry), cfg, nil
}

// openEdition returns the local copy of the registry. It reports a broken copy and falls
// back to the built-in one.
func openEdition(s *streams, a *registry.Agents) *registry.Edition {
	e, err := a.Cache.Open()
	if err != nil {
		fmt.Fprintln(s.Err, termtext.Line("parley: "+err.Error()+"; using the built-in registry"))
	}
	return e
}

// editionLine names the edition of the registry.
func editionLine(e *registry.Edition) string {
	if !e.BuiltIn {
		return "fetched on " + e.Date.Local().Format(time.DateOnly)
	}
	line := "built in, from " + e.Date.Format(time.DateOnly)
	if e.NPM.After(e.Date) {
		line += ", npm packages from " + e.NPM.Format(time.DateOnly)
	}
	return line
}

// agentExplained adds a hint to an error of installing an agent.
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

// askedFirst shows what an installation does and asks for consent.
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
	if agreed(ctx, s, "Install it?") {
		return nil
	}
	return errors.New("nothing was installed")
}

// agreed asks on the terminal for a yes.
func agreed(ctx context.Context, s *streams, what string) bool {
	fmt.Fprint(s.Err, what+" [y/N] ")
	answer, err := line(ctx, s)
	return err == nil && (strings.EqualFold(answer, "y") || strings.EqualFold(answer, "yes"))
}

// listedAgent is an agent in the list; --json prints it.
type listedAgent struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// State is where it comes from: configured, installed, found or available.
	State   string   `json:"state"`
	Command string   `json:"command,omitempty"`
	Args    []string `json:"args,omitempty"`
	// URL is where it listens, without the query; "" for an agent with a command.
	URL string `json:"url,omitempty"`
	// Reason says why it cannot be started here.
	Reason  string `json:"reason,omitempty"`
	Default bool   `json:"default,omitempty"`
	// Only for agents of the registry:
	Version     string `json:"version,omitempty"`
	Newer       string `json:"newer,omitempty"` // the registry's version, if different
	Kind        string `json:"kind,omitempty"`
	License     string `json:"license,omitempty"`
	Source      string `json:"source,omitempty"`
	Description string `json:"description,omitempty"`
	Archive     string `json:"archive,omitempty"`
	SHA256      string `json:"sha256,omitempty"`
	// Env are the names of the variables that parley sets for it.
	Env []string `json:"env,omitempty"`
}

// agentStates are the headings of the list, in order.
var agentStates = []struct{ state, heading string }{
	{"configured", "configured"}, {"installed", "installed"}, {"found", "found on this machine"}, {"available", "available from the registry"},
}

func agentsListCommand(s *streams) *cobra.Command {
	asJSON := false
	cmd := leaf("list", "List the agents of this machine, and those of the registry", noArguments, func(*cobra.Command, []string) error {
		a, cfg, err := openAgents()
		if err != nil {
			return err
		}
		e := openEdition(s, a)
		list := listAgents(cfg, e)
		if asJSON {
			return writeJSON(s.Out, list)
		}
		writeAgents(s, list, e)
		return nil
	})
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON: a list of objects")
	return cmd
}

// listAgents returns all agents, those that can be started first.
func listAgents(cfg *config.Config, e *registry.Edition) []listedAgent {
	list := []listedAgent{}
	for _, a := range cfg.Available(exec.LookPath) {
		list = append(list, listedOf(a, e))
	}
	for _, entry := range e.Entries {
		if !slices.ContainsFunc(list, func(l listedAgent) bool {
			return config.SameAgent(l.ID, entry.ID) && l.State != "found" && (l.State == "installed" || l.Reason == "")
		}) {
			list = append(list, listedOf(entry.PlanHere(), e))
		}
	}
	return list
}

// listedOf describes an agent. e says whether there is a newer one.
func listedOf(a config.Agent, e *registry.Edition) listedAgent {
	l := listedAgent{
		ID: a.ID, Name: a.Name, State: string(a.Source), Command: a.Command, Args: a.Args, URL: a.Listens(),
		Default: a.Default, Source: a.URL, Env: a.Env.Names(), Description: a.About,
	}
	if a.Unusable != nil {
		l.Reason = a.Unusable.Error()
	}
	if o := a.Origin; o != nil {
		if a.Source == config.SourceConfigured { // it has settings, too
			l.State = string(config.SourceInstalled)
		}
		l.Version, l.Kind, l.License, l.Source, l.Archive, l.SHA256 = o.Version, o.Kind, o.License, o.Source, o.Archive, o.SHA256
		if entry, err := e.Find(a.ID); err == nil && entry.Version != o.Version {
			l.Newer = entry.Version
		}
	}
	return l
}

func writeAgents(s *streams, list []listedAgent, e *registry.Edition) {
	widest := 0
	for _, l := range list {
		widest = max(widest, len(l.ID))
	}
	for _, state := range agentStates {
		some := false
		for _, l := range list {
			if l.State != state.state {
				continue
			}
			if !some {
				some = true
				heading := state.heading
				if l.State == "available" {
					heading += ", " + editionLine(e)
				}
				fmt.Fprintln(s.Out, heading+":")
			}
			fmt.Fprintf(s.Out, "  %-*s  %s\n", widest, termtext.Line(l.ID), termtext.VisibleLine(l.about()))
		}
	}
	for _, f := range e.Faults {
		fmt.Fprintln(s.Err, termtext.Line("left out: "+f.Error()))
	}
}

// about describes the agent on one line, behind its ID.
func (l listedAgent) about() string {
	parts := []string{strings.TrimSpace(l.Name + " " + l.Version)}
	switch {
	case l.State == "available" && l.Kind == string(registry.Binary):
		parts = append(parts, "a program to download")
	case l.State == "available" && l.Command != "":
		parts = append(parts, commandLine(l.Command, l.Args...))
	case l.URL != "":
		parts = append(parts, "listens at "+l.URL)
	case l.State != "available":
		parts = append(parts, commandLine(app.HomePath(l.Command), l.Args...))
	}
	if l.License != "" {
		parts = append(parts, l.License)
	}
	if l.Newer != "" {
		parts = append(parts, "the registry has "+l.Newer)
	}
	if l.Default {
		parts = append(parts, "the default")
	}
	if l.Reason != "" {
		parts = append(parts, "cannot start: "+l.Reason)
	}
	if l.State == "available" {
		parts = append(parts, l.Description)
	}
	return strings.Join(parts, "  ")
}

func agentsInfoCommand(s *streams) *cobra.Command {
	asJSON := false
	cmd := leaf("info NAME", "Show an agent and exactly what it runs", arguments(1, 1, "the name of an agent"), func(_ *cobra.Command, args []string) error {
		l, err := findListed(s, args[0])
		if err != nil {
			return err
		}
		if asJSON {
			return writeJSON(s.Out, l)
		}
		l.write(s)
		return nil
	})
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON: one object")
	return cmd
}

// Names returns the ID and the name.
func (l listedAgent) Names() (id, name string) { return l.ID, l.Name }

// findListed finds an agent by any of its names.
func findListed(s *streams, word string) (listedAgent, error) {
	a, cfg, err := openAgents()
	if err != nil {
		return listedAgent{}, err
	}
	e := openEdition(s, a)
	if l, ok := config.Find(listAgents(cfg, e), word); ok {
		return l, nil
	}
	if known, err := app.AgentNamed(cfg, word); err == nil { // not on this machine
		known.Unusable = known.Usable(exec.LookPath)
		return listedOf(known, e), nil
	}
	_, err = e.Find(word)
	return listedAgent{}, agentExplained(err)
}

func (l listedAgent) write(s *streams) {
	line := ""
	if l.Command != "" {
		line = commandLine(l.Command, l.Args...)
	}
	for _, f := range []struct{ name, text string }{
		{"name", l.Name},
		{"id", l.ID},
		{"state", l.State},
		{"about", l.Description},
		{"version", l.Version},
		{"newer", l.Newer},
		{"licence", l.License},
		{"source", l.Source},
		{"comes as", l.Kind},
		{"downloads", l.Archive},
		{"sha256", l.SHA256},
		{"runs", line},
		{"listens at", l.URL},
		{"sets", strings.Join(l.Env, " ")},
		{"but", l.Reason},
	} {
		if f.text != "" {
			fmt.Fprintf(s.Out, "%-10s %s\n", f.name, termtext.VisibleLine(f.text))
		}
	}
}

func agentsRefreshCommand(s *streams) *cobra.Command {
	return leaf("refresh", "Fetch the newest registry; installed agents stay unchanged", noArguments, func(cmd *cobra.Command, _ []string) error {
		a, _, err := openAgents()
		if err != nil {
			return err
		}
		e, changed, err := a.Cache.Refresh(cmd.Context())
		if err != nil {
			return agentExplained(err)
		}
		for _, f := range e.Faults {
			fmt.Fprintln(s.Err, termtext.Line("left out: "+f.Error()))
		}
		news := ""
		if !changed {
			news = "; unchanged"
		}
		fmt.Fprintf(s.Out, "the registry has %s%s\n", termtext.Count(len(e.Entries), "agent"), news)
		installed, err := installedAgents(a, nil)
		if err != nil {
			return err
		}
		for _, own := range installed {
			if entry, err := e.Find(own.ID); err == nil && entry.Version != own.Origin.Version {
				fmt.Fprintf(s.Out, "%s %s can be updated to %s: parley agents update %s\n", own.ID, termtext.Line(own.Origin.Version), termtext.Line(entry.Version), own.ID)
			}
		}
		return nil
	})
}

func agentsRemoveCommand(s *streams) *cobra.Command {
	return leaf("remove NAME...", "Remove agents that were installed or added, with their programs", arguments(1, math.MaxInt, "the name of an agent"), func(_ *cobra.Command, args []string) error {
		a, cfg, err := openAgents()
		if err != nil {
			return err
		}
		for _, name := range args {
			removed, err := a.Remove(name)
			if err != nil {
				return fmt.Errorf("remove %s: %w", name, err)
			}
			switch {
			case removed == nil && slices.ContainsFunc(cfg.Agents, func(own config.Agent) bool { return own.ID == name }):
				return app.WithHint("Remove it there: parley config edit", "%s is in the configuration", name)
			case removed == nil:
				return app.WithHint("'parley agents list' lists the installed agents.", "no agent called %q was installed or added", name)
			}
			fmt.Fprintln(s.Out, "removed "+termtext.Line(name))
		}
		if _, err := loadConfig(); err != nil {
			fmt.Fprintln(s.Err, termtext.Block("The configuration still has a section for it: "+err.Error()))
			fmt.Fprintln(s.Err, "Remove that section, or parley does not start: parley config edit")
		}
		return nil
	})
}
