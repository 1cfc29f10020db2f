package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"parley/internal/app"
	"parley/internal/host"
	"parley/internal/store"
	"parley/internal/termtext"
)

// attachCommand returns the command that shows a session that runs in a host.
func attachCommand(s *streams) *cobra.Command {
	opt := &startOptions{streams: s, screen: runSupervised}
	cmd := leaf("attach [SESSION]", `Show a session that keeps running
Show a session that 'parley --keep' runs in a process of its own, and work in it.
Without a session it takes the one that runs in this directory, or else anywhere. If
several do, it lists them. ssh://HOST shows one of another machine, which ssh reaches.`, cobra.MaximumNArgs(1), func(cmd *cobra.Command, args []string) error {
		opt.cmd = cmd
		if len(args) == 1 && strings.HasPrefix(args[0], "ssh://") {
			opt.running = args[0]
		} else {
			id, err := runningNamed(cmd.Context(), s, args)
			opt.choose = severalHere(err) && s.InTerminal && s.OutTerminal && !opt.plain && !opt.lookOn
			if err != nil && !opt.choose {
				return err
			}
			opt.running = id
		}
		return opt.run(cmd.Context())
	})
	cmd.Example = `  parley attach                    the session of this directory that runs
  parley attach 4f2c                that session, by its id or the beginning of that
  parley attach ssh://build/4f2c    the same on another machine`
	f := cmd.Flags()
	f.BoolVar(&opt.lookOn, "read-only", false, "only look on: send nothing and answer nothing")
	f.BoolVar(&opt.plain, "plain", false, "read and write lines, for screen readers and simple terminals (default if TERM is dumb)")
	return cmd
}

// runningNamed finds the session that runs by its id, the beginning of that, or the id under
// which parley or the agent stores it. Without a name it is the one of this directory, or else
// of all; the error is a [severalRun] if there are several.
func runningNamed(ctx context.Context, s *streams, args []string) (string, error) {
	if !host.Available {
		return "", host.ErrUnavailable
	}
	all, err := host.List(ctx)
	if err != nil {
		return "", err
	}
	if len(all) == 0 && len(args) == 0 {
		return "", app.WithHint("'parley --keep' starts one.", "%w", notRunning{})
	}
	found := all
	if len(args) == 0 {
		if here, err := app.Directory(""); err == nil {
			elsewhere := func(r host.Status) bool { return r.Cwd != here }
			if slices.ContainsFunc(all, func(r host.Status) bool { return !elsewhere(r) }) {
				found = slices.DeleteFunc(all, elsewhere)
			}
		}
		if len(found) > 1 {
			several := &severalRun{found}
			return "", &failure{app.WithHint(several.list(), "%w", several), exitUsage}
		}
	} else {
		found = store.Named(all, args[0], func(r host.Status) []string { return []string{r.ID, string(r.Stored), string(r.Session)} })
	}
	switch len(found) {
	case 0:
		return "", ranBefore(args[0], len(all) > 0)
	case 1:
		if r := found[0]; r.Silent == host.NoAnswer {
			fmt.Fprintf(s.Err, "parley: the session %s does not answer: its process %d is stopped or busy. Waiting.\n", r.ID, r.PID)
		}
		return found[0].ID, nil
	}
	var ids []string
	for _, r := range found {
		ids = append(ids, r.ID)
	}
	return "", app.WithHint("Write more of its id: "+strings.Join(ids, ", "), "%d sessions have ids that begin with %q", len(found), args[0])
}

// ranBefore is the error for the name of a session that does not run, which says how it has
// ended if it ran before. others says whether other sessions run.
func ranBefore(name string, others bool) error {
	hint := "'parley --keep' starts one."
	if others {
		hint = "'parley sessions --all' lists those that do."
	}
	r, err := host.Last(name)
	if err != nil {
		return app.WithHint(hint, "%w", notRunning{name: name})
	}
	var unsent strings.Builder
	if v, err := store.New(app.StoreDir()).View(r.Stored); err == nil && v.Unsent != nil {
		for _, p := range v.Unsent.Prompts {
			fmt.Fprintf(&unsent, "Not sent to it: %s\n", app.PromptLine(p.Prompt))
		}
	}
	if r.Stored != "" {
		hint = "To go on: parley --resume=" + string(r.Stored) + "\nTo read it: parley sessions show " + r.ID
		if unsent.Len() > 0 {
			hint = strings.Replace(hint, "To go on", "To go on, with that in the queue", 1)
		}
	}
	hint = unsent.String() + hint
	return app.WithHint(hint, "%w", notRunning{r.ID, r.How()})
}

// notRunning is the error for a session that does not run: its name or "", and how it has ended
// if it ran.
type notRunning struct{ name, how string }

func (n notRunning) Error() string {
	switch {
	case n.how != "":
		return fmt.Sprintf("the session %s has ended: %s", n.name, n.how)
	case n.name == "":
		return "no session keeps running"
	}
	return fmt.Sprintf("no session %q keeps running", n.name)
}

// severalRun is the error for a command that names no session where several run.
type severalRun struct{ all []host.Status }

func (s *severalRun) Error() string {
	return fmt.Sprintf("%d sessions keep running; name one", len(s.all))
}

// severalHere reports whether an error is a severalRun for sessions of this directory, which the
// screen lists.
func severalHere(err error) bool {
	several, is := errors.AsType[*severalRun](err)
	here, unknown := app.Directory("")
	return is && unknown == nil && several.all[0].Cwd == here
}

// list has a line for each, with its id and what it does.
func (s *severalRun) list() string {
	var lines []string
	for _, r := range s.all {
		name := termtext.Truncate(r.Name(), 60, "…")
		lines = append(lines, fmt.Sprintf("  %s  %s · %s · %s · %s", r.ID, name, r.State(), termtext.Line(r.Agent), termtext.Line(r.Cwd)))
	}
	return strings.Join(lines, "\n")
}
