package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley/internal/app"
	"parley/internal/store"
	"parley/internal/termtext"
)

// sessionsListOptions are the flags of the commands that list sessions.
type sessionsListOptions struct {
	streams *streams
	all     bool
	json    bool
	limit   int
}

// flags adds the flags to a command.
func (o *sessionsListOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.all, "all", false, "all directories, not only this one")
	f.BoolVar(&o.json, "json", false, "print JSON: a list of objects")
	f.IntVar(&o.limit, "limit", 0, "at most `N` sessions")
}

// query is what is asked of the index.
func (o *sessionsListOptions) query() (store.Query, error) {
	q := store.Query{Limit: o.limit}
	if o.limit < 0 {
		return q, errors.New("--limit cannot be negative")
	}
	if o.all {
		return q, nil
	}
	cwd, err := os.Getwd()
	if err != nil {
		return q, fmt.Errorf("get the current directory: %w", err)
	}
	q.Cwd = cwd
	return q, nil
}

func sessionsListCommand(s *streams) *cobra.Command {
	o := &sessionsListOptions{streams: s}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the sessions of this directory, latest first",
		Args:  noArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return o.list(cmd.Context()) },
	}
	o.flags(cmd)
	return cmd
}

func (o *sessionsListOptions) list(ctx context.Context) error {
	const none = "No sessions of this directory. 'parley sessions list --all' lists all."
	return o.run(none, func(lib *store.Library, q store.Query) ([]listed, error) {
		list, err := lib.List(ctx, q)
		out := make([]listed, len(list))
		for i, s := range list {
			out[i] = listed{Summary: s}
		}
		return out, err
	})
}

func sessionsSearchCommand(s *streams) *cobra.Command {
	o := &sessionsListOptions{streams: s}
	cmd := &cobra.Command{
		Use:   "search WORD...",
		Short: "Search the sessions for words near each other",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return misused(cmd, "", "search takes the words to look for")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return o.search(cmd.Context(), strings.Join(args, " ")) },
	}
	o.flags(cmd)
	return cmd
}

func (o *sessionsListOptions) search(ctx context.Context, words string) error {
	const none = "No matches. Use --all to search all directories."
	return o.run(none, func(lib *store.Library, q store.Query) ([]listed, error) {
		found, err := app.Search(ctx, lib, words, q)
		out := make([]listed, len(found))
		for i, f := range found {
			out[i] = listed{Summary: f.Summary, Found: f.Snippet, In: f.Kind}
		}
		return out, err
	})
}

// run asks what is stored for sessions, and writes those that find returns. none is what
// to do if there are none.
func (o *sessionsListOptions) run(none string, find func(*store.Library, store.Query) ([]listed, error)) error {
	lib, _, err := openLibrary()
	if err != nil {
		return err
	}
	defer lib.Close()
	q, err := o.query()
	if err != nil {
		return err
	}
	list, err := find(lib, q)
	if err != nil {
		return err
	}
	return o.write(list, none)
}

// listed is a session as it is listed.
type listed struct {
	store.Summary
	Found string     // where words were found
	In    store.Kind // whose words
}

// MarshalJSON writes the form of --json.
func (l listed) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		store.Summary
		Name    string     `json:"name"`
		Updated time.Time  `json:"updated"`
		Size    int64      `json:"bytes"`
		Found   string     `json:"found,omitempty"`
		In      store.Kind `json:"in,omitempty"`
	}{l.Summary, l.Name(), l.Updated.UTC(), l.Size, l.Found, l.In})
}

// write writes a list. What to do if it is empty goes to the error stream.
func (o *sessionsListOptions) write(list []listed, none string) error {
	if o.json {
		return writeJSON(o.streams.Out, list)
	}
	if len(list) == 0 {
		fmt.Fprintln(o.streams.Err, none)
		return nil
	}
	for _, l := range list {
		line := fmt.Sprintf("%s  %s  %s", l.ID, l.Updated.Local().Format("2006-01-02 15:04"), termtext.Line(cmp.Or(l.Name(), "(no title)")))
		about := []string{termtext.Line(cmp.Or(l.AgentName, l.Agent)), termtext.Count(l.Turns, "turn")}
		if l.Worktree != "" {
			about = append(about, "worktree "+termtext.Line(l.Worktree))
		}
		if o.all {
			about = append(about, termtext.Line(l.Cwd))
		}
		fmt.Fprintf(o.streams.Out, "%s  (%s)\n", line, strings.Join(about, ", "))
		if l.Found != "" {
			fmt.Fprintf(o.streams.Out, "    %s: %s\n", l.In, termtext.Line(l.Found))
		}
	}
	return nil
}
