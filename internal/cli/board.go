package cli

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/host"
	"parley/internal/store"
	"parley/internal/termtext"
	"parley/tui/toolview"
)

// boardCommand returns the command that shows all sessions that keep running.
func boardCommand(s *streams) *cobra.Command {
	opt := &startOptions{streams: s, screen: runSupervised, board: true}
	asJSON := false
	cmd := leaf("board", `Show all sessions that keep running, those first that need you
board lists the sessions that keep running on this machine: where each stands and
since when, the step of its plan, changed lines and cost. On the screen you answer,
send, go there and end from the list. With --plain, or into a pipe, it prints a table.`, noArguments, func(cmd *cobra.Command, _ []string) error {
		switch {
		case !host.Available:
			return host.ErrUnavailable
		case !asJSON && !opt.plain && s.InTerminal && s.OutTerminal:
			opt.cmd = cmd
			_ = cmd.Flags().Set("plain", "false") // whatever the configuration says
			return opt.run(cmd.Context())
		}
		all, err := host.List(cmd.Context())
		if err != nil {
			return err
		}
		lib := store.NewLibrary(store.New(app.StoreDir()))
		defer lib.Close()
		rows := boardRows(host.WithKilled(cmd.Context(), lib, all))
		if asJSON {
			return writeJSON(s.Out, rows)
		}
		printBoard(s, rows, time.Now())
		return nil
	})
	f := cmd.Flags()
	f.BoolVar(&asJSON, "json", false, "print JSON: a list of objects")
	f.BoolVar(&opt.plain, "plain", false, "print a table")
	return cmd
}

// boardRow is a session with its group on the board.
type boardRow struct {
	host.Status
	Group string `json:"group"`
}

// boardRows returns sessions in the order and the groups of the board.
func boardRows(all []host.Status) []boardRow {
	rows := make([]boardRow, len(all))
	for i, group := range app.Arrange(all, func(r host.Status) (app.Overview, string) { return r.Overview, r.Comparison }) {
		rows[i] = boardRow{all[i], strings.ToLower(app.Groups[group])}
	}
	return rows
}

// printBoard prints sessions as a table.
func printBoard(s *streams, all []boardRow, now time.Time) {
	if len(all) == 0 {
		fmt.Fprintln(s.Err, "No session keeps running. 'parley --keep' starts one.")
		return
	}
	rows := [][]string{{"ID", "GROUP", "COMPARISON"}}
	for i, r := range all {
		place := toolview.PathsIn("").Path(r.Cwd)
		if r.Worktree && r.Branch != "" {
			place = command.WorktreeMark + r.Branch
		}
		row := []string{r.ID, r.Group, termtext.Line(r.Comparison)}
		for _, c := range command.Columns(&r.Overview, cmp.Or(r.Silent, r.Brief(now)), r.Name(), place) {
			if row = append(row, termtext.Line(c.Text)); i == 0 {
				rows[0] = append(rows[0], strings.ToUpper(c.Name))
			}
		}
		rows = append(rows, row)
	}
	fmt.Fprintln(s.Out, strings.Join(termtext.Table(rows), "\n"))
}
