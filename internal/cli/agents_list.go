package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"parley/config"
	"parley/internal/registry"
	"parley/internal/termtext"
)

// listedAgent is an agent as it is listed; its fields are the form of --json.
type listedAgent struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// State is where it comes from: configured, installed, found or available.
	State   string   `json:"state"`
	Command string   `json:"command,omitempty"`
	Args    []string `json:"args,omitempty"`
	// URL is where it listens, if it is not started with a command; a query is left out.
	URL string `json:"url,omitempty"`
	// Reason says why it cannot be started here.
	Reason  string `json:"reason,omitempty"`
	Default bool   `json:"default,omitempty"`
	// Of agents of the registry:
	Version     string `json:"version,omitempty"`
	Newer       string `json:"newer,omitempty"` // the version that the registry has, if it is another
	Kind        string `json:"kind,omitempty"`
	License     string `json:"license,omitempty"`
	Source      string `json:"source,omitempty"`
	Description string `json:"description,omitempty"`
	Archive     string `json:"archive,omitempty"`
	SHA256      string `json:"sha256,omitempty"`
	// Env are the names of the variables that are set for it.
	Env []string `json:"env,omitempty"`
}

// Headings of the list, in its order.
var agentStates = []struct{ state, heading string }{
	{"configured", "configured"}, {"installed", "installed"}, {"found", "found on this machine"}, {"available", "available from the registry"},
}

func agentsListCommand(s *streams) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the agents of this machine, and those of the registry",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
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
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON: a list of objects")
	return cmd
}

// listAgents are all agents that there are: those that can be started first.
func listAgents(cfg *config.Config, e *registry.Edition) []listedAgent {
	list := []listedAgent{}
	for _, a := range cfg.Available(exec.LookPath) {
		list = append(list, listedOf(a, e))
	}
	for _, entry := range e.Entries {
		if !slices.ContainsFunc(list, func(l listedAgent) bool { return l.ID == entry.ID && l.State != "found" }) {
			list = append(list, availableOf(entry))
		}
	}
	return list
}

// listedOf is an agent that is configured, installed or found.
func listedOf(a config.Agent, e *registry.Edition) listedAgent {
	l := listedAgent{
		ID: a.ID, Name: a.Name, State: string(a.Source), Command: a.Command, Args: a.Args, URL: a.Listens(), Reason: a.Unusable(exec.LookPath),
		Default: a.Default, Source: a.URL, Env: a.Env.Names(),
	}
	if o := a.Origin; o != nil {
		l.State = string(config.SourceInstalled)
		l.Version, l.Kind, l.License, l.Source, l.Archive, l.SHA256 = o.Version, o.Kind, o.License, o.Source, o.Archive, o.SHA256
		if entry, err := e.Find(a.ID); err == nil && entry.Version != o.Version {
			l.Newer = entry.Version
		}
	}
	return l
}

// availableOf is an agent of the registry that is not installed.
func availableOf(entry registry.Entry) listedAgent {
	l := listedAgent{
		ID: entry.ID, Name: entry.Name, State: "available", Version: entry.Version, License: entry.License,
		Source: entry.Source(), Description: entry.Description,
	}
	p, err := entry.PlanHere()
	if err != nil {
		l.Reason = err.Error()
		var missing *registry.MissingError
		if errors.As(err, &missing) {
			l.Kind = string(missing.Kind)
		}
		return l
	}
	l.Kind, l.Command, l.Args, l.Archive, l.SHA256 = string(p.Kind), p.Command, p.Args, p.Archive, p.SHA256
	for _, v := range p.Variables() {
		name, _, _ := strings.Cut(v, "=")
		l.Env = append(l.Env, name)
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

// about says the rest of what is listed of an agent, on one line.
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
		parts = append(parts, commandLine(atHome(l.Command), l.Args...))
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
	return strings.Join(parts, "  ")
}

// atHome shortens a path in the home directory.
func atHome(path string) string {
	home, err := os.UserHomeDir()
	if rest, ok := strings.CutPrefix(path, home+string(os.PathSeparator)); ok && err == nil && home != "" {
		return "~" + string(os.PathSeparator) + rest
	}
	return path
}
