package cli

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"parley/internal/app"
	"parley/internal/host"
)

// attachCommand returns the command that shows a session that runs in a host.
func attachCommand(s *streams) *cobra.Command {
	opt := &startOptions{streams: s, screen: runSupervised}
	cmd := &cobra.Command{
		Use:   "attach [SESSION]",
		Short: "Show a session that keeps running",
		Long: `Show a session that 'parley --keep' runs in a process of its own, and work in it.
Without a session it takes the one that was busy last in this directory, or else
anywhere. ssh://HOST shows one of another machine, which ssh reaches.`,
		Example: `  parley attach                    the session of this directory that runs
  parley attach 4f2c                that session, by its id or the beginning of that
  parley attach ssh://build/4f2c    the same on another machine`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			opt.plainGiven = cmd.Flags().Changed("plain")
			if len(args) == 1 && strings.HasPrefix(args[0], "ssh://") {
				opt.running = args[0]
			} else {
				id, err := runningNamed(cmd.Context(), args)
				if err != nil {
					return err
				}
				opt.running = id
			}
			return opt.run(cmd.Context())
		},
	}
	f := cmd.Flags()
	f.BoolVar(&opt.lookOn, "read-only", false, "only look on: send nothing and answer nothing")
	f.BoolVar(&opt.plain, "plain", false, "read and write lines, for screen readers and simple terminals (default if TERM is dumb)")
	return cmd
}

// runningNamed finds the session that runs by its id, the beginning of that, or the id under
// which parley or the agent stores it. Without a name it is the last one of this directory,
// or else of all.
func runningNamed(ctx context.Context, args []string) (string, error) {
	if !host.Available {
		return "", host.ErrUnavailable
	}
	all, err := host.List(ctx)
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		hint, none := "'parley --keep' starts one.", notRunning("")
		if len(args) > 0 {
			none = notRunning(args[0])
		}
		return "", app.WithHint(hint, "%w", none)
	}
	if len(args) == 0 {
		if here, err := os.Getwd(); err == nil {
			for _, s := range all {
				if s.Cwd == here {
					return s.ID, nil
				}
			}
		}
		return all[0].ID, nil
	}
	name := args[0]
	var found []string
	for _, s := range all {
		if s.ID == name || string(s.Stored) == name || string(s.Session) == name {
			return s.ID, nil
		}
		if strings.HasPrefix(s.ID, name) || strings.HasPrefix(string(s.Stored), name) {
			found = append(found, s.ID)
		}
	}
	switch len(found) {
	case 0:
		return "", app.WithHint("'parley sessions --all' lists those that do.", "%w", notRunning(name))
	case 1:
		return found[0], nil
	}
	return "", app.WithHint("Write more of its id: "+strings.Join(found, ", "), "%d sessions have ids that begin with %q", len(found), name)
}

// notRunning is the error for the name of a session that does not run, or "".
type notRunning string

func (n notRunning) Error() string {
	if n == "" {
		return "no session keeps running"
	}
	return fmt.Sprintf("no session %q keeps running", string(n))
}
