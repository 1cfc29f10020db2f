package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"parley/internal/app"
	"parley/internal/termtext"
)

// agentsInfoCommand tells all that is known of an agent.
func agentsInfoCommand(s *streams) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "info NAME",
		Short: "Show an agent and exactly what it runs",
		Args:  oneArgument("the name of an agent"),
		RunE: func(_ *cobra.Command, args []string) error {
			l, err := findListed(s, args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(s.Out, l)
			}
			l.write(s)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON: one object")
	return cmd
}

// findListed is the agent of an id or a name.
func findListed(s *streams, word string) (listedAgent, error) {
	a, cfg, err := openAgents()
	if err != nil {
		return listedAgent{}, err
	}
	e := openEdition(s, a)
	list := listAgents(cfg, e)
	for _, fits := range []func(listedAgent) bool{
		func(l listedAgent) bool { return l.ID == word },
		func(l listedAgent) bool { return strings.EqualFold(l.ID, word) || strings.EqualFold(l.Name, word) },
	} {
		if i := slices.IndexFunc(list, fits); i >= 0 {
			return list[i], nil
		}
	}
	if known, err := app.AgentNamed(cfg, word); err == nil { // one that is not on this machine
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
