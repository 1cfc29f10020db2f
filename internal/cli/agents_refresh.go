package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"parley/internal/termtext"
)

// agentsRefreshCommand fetches the registry.
func agentsRefreshCommand(s *streams) *cobra.Command {
	return &cobra.Command{
		Use:   "refresh",
		Short: "Fetch the newest registry; installed agents stay unchanged",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
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
				if entry, err := e.Find(own.ID); err == nil && entry.Outdated(own) {
					fmt.Fprintf(s.Out, "%s %s can be updated to %s: parley agents update %s\n", own.ID, termtext.Line(own.Origin.Version), termtext.Line(entry.Version), own.ID)
				}
			}
			return nil
		},
	}
}
