package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/export"
	"parley/internal/headless"
	"parley/internal/host"
	"parley/internal/record"
	"parley/internal/session"
	"parley/internal/store"
	"parley/internal/termtext"
)

func sessionsCommand(s *streams) *cobra.Command {
	list := sessionsListCommand(s)
	cmd := leaf("sessions", `List, show, export, search, rename, delete and end sessions
sessions manages the stored sessions, and those that keep running. Without a
command it lists those of this directory, with -a also those that an agent lists.
Name a session by its ID or the beginning of it.`, noArguments, list.RunE)
	cmd.AddCommand(
		list, sessionsShowCommand(s), sessionsExportCommand(s), sessionsSearchCommand(s), sessionsRenameCommand(),
		sessionsDeleteCommand(s), sessionsPruneCommand(s), sessionsEndCommand(s),
	)
	cmd.Flags().AddFlagSet(list.Flags())
	return cmd
}

// openLibrary opens the stored sessions, and returns the configuration.
func openLibrary() (*store.Library, *config.Config, error) {
	cfg, err := loadConfig()
	if err != nil {
		return nil, nil, err
	}
	// Sessions stored before the user set store = false can still be read.
	return store.NewLibrary(store.New(app.StoreDir())), cfg, nil
}

// openSession opens the stored sessions and resolves the ID of one.
func openSession(word string) (*store.Library, store.ID, *config.Config, error) {
	lib, cfg, err := openLibrary()
	if err != nil {
		return nil, "", nil, err
	}
	id, err := lib.Resolve(word)
	if errors.Is(err, store.ErrNotStored) {
		if r, ran := host.Last(word); ran == nil && r.Stored != "" {
			id, err = lib.Resolve(string(r.Stored))
		} else if ran == nil {
			err = app.WithHint("It ran with store = false, or nothing was said in it.", "the session %s is not stored: %s", r.ID, r.How())
		}
	}
	return lib, id, cfg, explained(err)
}

// explained adds a hint to an error of the store.
func explained(err error) error {
	var several *store.AmbiguousError
	switch {
	case errors.As(err, &several):
		return app.WithHint("Give more of the ID: "+string(several.One)+" is one of them.", "%w", err)
	case errors.Is(err, store.ErrNotStored):
		return app.WithHint("'parley sessions list --all' lists them.", "%w", err)
	case errors.Is(err, store.ErrInUse):
		return app.WithHint("Close it first: it is open in another parley or tab.", "%w", err)
	}
	return err
}

func sessionsRenameCommand() *cobra.Command {
	return leaf("rename ID TITLE", "Rename a session; an empty title restores its own", func(cmd *cobra.Command, args []string) error {
		if len(args) != 2 {
			return misused(cmd, "Quote a title of several words.", "rename takes an ID and a title, got %d arguments", len(args))
		}
		return nil
	}, func(_ *cobra.Command, args []string) error {
		lib, id, _, err := openSession(args[0])
		if err != nil {
			return err
		}
		return explained(lib.Rename(id, args[1]))
	})
}

func sessionsDeleteCommand(s *streams) *cobra.Command {
	return leaf("delete ID...", "Delete sessions from parley, not from the agent", arguments(1, math.MaxInt, "a session ID"), func(_ *cobra.Command, args []string) error {
		lib, _, err := openLibrary()
		if err != nil {
			return err
		}
		ids := make([]store.ID, len(args))
		for i, word := range args { // resolve all before deleting any
			if ids[i], err = lib.Resolve(word); err != nil {
				return explained(err)
			}
		}
		for _, id := range ids {
			if err := lib.Delete(id); err != nil {
				return explained(err)
			}
			fmt.Fprintln(s.Out, "deleted "+string(id))
		}
		return nil
	})
}

func sessionsEndCommand(s *streams) *cobra.Command {
	return leaf("end ID...", `End sessions that keep running
end ends sessions that keep running, with their agents, and waits until they have
ended. They can be resumed as any stored session.`, arguments(1, math.MaxInt, "a session ID"), func(cmd *cobra.Command, args []string) error {
		ids := make([]string, len(args))
		for i := range args { // find all before ending any
			var err error
			if ids[i], err = runningNamed(cmd.Context(), s, args[i:i+1]); err != nil {
				return err
			}
		}
		for _, id := range ids {
			if err := host.End(cmd.Context(), id); err != nil {
				return fmt.Errorf("end the session %s: %w", id, err)
			}
			fmt.Fprintln(s.Out, "ended "+id)
		}
		return nil
	})
}

// sessionsListOptions are the flags of the commands that list sessions.
type sessionsListOptions struct {
	streams *streams
	all     bool
	json    bool
	limit   int
}

func (o *sessionsListOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.all, "all", false, "all directories, not only this one")
	f.BoolVar(&o.json, "json", false, "print JSON: a list of objects")
	f.IntVar(&o.limit, "limit", 0, "at most `N` sessions")
}

func sessionsListCommand(s *streams) *cobra.Command {
	o := &sessionsListOptions{streams: s}
	var agents []string
	cmd := leaf("list", "List the sessions of this directory: those that run first, then the latest", noArguments, func(cmd *cobra.Command, _ []string) error {
		none := "No sessions of this directory. 'parley sessions list --all' lists all."
		if o.all {
			none = "No sessions are stored."
		}
		var failed error // of agents: the rest of the list is there
		err := o.run(none, func(lib *store.Library, q store.Query) ([]listed, error) {
			running, err := host.List(cmd.Context())
			if host.Available && err != nil {
				fmt.Fprintln(s.Err, "parley: cannot list the running sessions: "+err.Error())
			}
			if len(running) > 0 || len(agents) > 0 {
				q.Limit = 0 // one that runs may be an old one
			}
			stored, err := lib.List(cmd.Context(), q)
			all := make([]listed, len(stored))
			for i := range stored {
				all[i].Summary = stored[i]
			}
			for _, name := range agents {
				var unlisted error
				all, unlisted = o.listedBy(cmd.Context(), name, all)
				failed = errors.Join(failed, unlisted)
			}
			list := withRunning(all, running, q.Cwd)
			if o.limit > 0 {
				list = list[:min(o.limit, len(list))]
			}
			return list, err
		})
		return errors.Join(err, failed)
	})
	o.flags(cmd)
	cmd.Flags().StringArrayVarP(&agents, "agent", "a", nil, "start the `AGENT`, and list its own sessions too; repeat it")
	return cmd
}

// listedBy adds the sessions that an agent lists, the latest first.
func (o *sessionsListOptions) listedBy(ctx context.Context, name string, all []listed) ([]listed, error) {
	quiet := *o.streams
	quiet.Err = io.Discard
	err := withAgent(ctx, &quiet, name, func(ctx context.Context, l *app.Live) error {
		sessions := app.Sessions{Agent: l.Agent.ID, Cwd: l.Conversation.Cwd}
		for _, one := range all {
			sessions.Stored = append(sessions.Stored, one.Summary)
		}
		err := sessions.RememberAll(ctx, l.Session)
		switch {
		case errors.Is(err, session.ErrUnsupported):
			return fmt.Errorf("%s lists no sessions", l.Agent.Name)
		case acpclient.IsCode(err, acpclient.CodeAuthRequired):
			return app.WithHint("Sign in: parley agents login "+name, "%s: %w", l.Agent.Name, err)
		case err != nil:
			return fmt.Errorf("%s: %w", l.Agent.Name, err)
		}
		for _, e := range sessions.Entries() {
			at := slices.IndexFunc(all, func(one listed) bool { return one.ID != "" && one.ID == e.Stored.ID })
			switch {
			case at >= 0:
				all[at].Updated = e.Used() // it may have gone on elsewhere
			case e.Remembered.SessionID != "" && (o.all || !e.Elsewhere):
				one := listed{ListedBy: app.ListedBy(l.Conversation.Agent.Capabilities)}
				one.Agent, one.AgentName, one.Cwd = l.Agent.ID, l.Agent.Name, e.Cwd()
				one.Session, one.AgentTitle, one.Updated = e.Remembered.SessionID, e.Remembered.Title, e.Used()
				all = append(all, one)
			}
		}
		return nil
	})
	slices.SortStableFunc(all, func(a, b listed) int { return b.Updated.Compare(a.Updated) })
	return all, err
}

func sessionsSearchCommand(s *streams) *cobra.Command {
	o := &sessionsListOptions{streams: s}
	cmd := leaf("search WORD...", "Search the sessions for words near each other", arguments(1, math.MaxInt, "the words to look for"), func(cmd *cobra.Command, args []string) error {
		none := "No matches. Use --all to search all directories."
		if o.all {
			none = "No matches."
		}
		return o.run(none, func(lib *store.Library, q store.Query) ([]listed, error) {
			found, err := app.Search(cmd.Context(), lib, strings.Join(args, " "), q)
			out := make([]listed, len(found))
			for i, f := range found {
				out[i] = listed{Summary: f.Summary, Found: f.Snippet, In: f.Kind}
			}
			return out, err
		})
	})
	o.flags(cmd)
	return cmd
}

// run prints the sessions that find returns, or none as a hint if there are none.
func (o *sessionsListOptions) run(none string, find func(*store.Library, store.Query) ([]listed, error)) error {
	lib, _, err := openLibrary()
	if err != nil {
		return err
	}
	defer lib.Close()
	q := store.Query{Limit: o.limit}
	if o.limit < 0 {
		return errors.New("--limit cannot be negative")
	}
	if !o.all {
		if q.Cwd, err = app.Directory(""); err != nil {
			return err
		}
	}
	list, err := find(lib, q)
	if err != nil {
		return err
	}
	return o.write(list, none)
}

// listed is a session in the list.
type listed struct {
	store.Summary
	Found    string       // the text around a match
	In       store.Kind   // who wrote it
	ListedBy string       // that only the agent stores it, or ""
	Running  *host.Status // nil if it does not run
}

// withRunning are sessions, behind those of a directory that run, of which the one that
// was busy last comes first. cwd "" is every directory. One that is not stored has no stored ID.
func withRunning(sessions []listed, running []host.Status, cwd string) []listed {
	all := []listed{}
	for _, r := range running {
		l := listed{Running: &r}
		i := slices.IndexFunc(sessions, func(s listed) bool {
			return r.Stored != "" && s.ID == r.Stored || s.ID == "" && s.Session == r.Session && config.SameAgent(s.Agent, r.Agent)
		})
		switch {
		case i >= 0:
			l.Summary = sessions[i].Summary
			sessions = slices.Delete(sessions, i, i+1)
		case cwd == "" || r.Cwd == cwd:
			l.Meta = store.Meta{ID: r.Stored, Agent: r.Agent, Cwd: r.Cwd}
			l.Session, l.AgentTitle, l.Updated = r.Session, r.Title, r.Active
		default:
			continue
		}
		all = append(all, l)
	}
	return append(all, sessions...)
}

// MarshalJSON writes the form of --json.
func (l listed) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		store.Summary
		Name    string       `json:"name"`
		Updated time.Time    `json:"updated,omitzero"`
		Size    int64        `json:"bytes"`
		Found   string       `json:"found,omitempty"`
		In      store.Kind   `json:"in,omitempty"`
		ByAgent bool         `json:"listedByAgent,omitempty"`
		Running *host.Status `json:"running,omitempty"`
	}{l.Summary, l.Name(), l.Updated.UTC(), l.Size, l.Found, l.In, l.ListedBy != "", l.Running})
}

// write writes a list to the output. If it is empty, none goes to the error stream.
func (o *sessionsListOptions) write(list []listed, none string) error {
	if o.json {
		return writeJSON(o.streams.Out, list)
	}
	if len(list) == 0 {
		fmt.Fprintln(o.streams.Err, none)
		return nil
	}
	for _, l := range list {
		id := string(l.ID)
		if l.Running != nil {
			id = cmp.Or(id, l.Running.ID)
		}
		used := "unknown date"
		if !l.Updated.IsZero() {
			used = l.Updated.Local().Format("2006-01-02 15:04")
		}
		line := fmt.Sprintf("%s  %-16s  %s", termtext.Line(cmp.Or(id, string(l.Session))), used, termtext.Line(cmp.Or(l.Name(), "(no title)")))
		about := []string{termtext.Line(cmp.Or(l.AgentName, l.Agent))}
		if l.ListedBy != "" {
			about = append(about, l.ListedBy)
		} else if l.Running == nil || l.Turns > 0 {
			about = append(about, termtext.Count(l.Turns, "turn"))
		}
		if l.Worktree != "" {
			about = append(about, "worktree "+termtext.Line(l.Worktree))
		}
		if o.all {
			about = append(about, termtext.Line(l.Cwd))
		}
		fmt.Fprintf(o.streams.Out, "%s  (%s)\n", line, strings.Join(about, ", "))
		if r := l.Running; r != nil {
			line := "    runs as " + r.ID + ": " + r.State()
			if len(r.Viewers) > 0 {
				line += "; " + termtext.Count(len(r.Viewers), "viewer") + ": " + termtext.Line(strings.Join(r.Viewers, ", "))
			}
			fmt.Fprintln(o.streams.Out, line)
		}
		if later := l.Later(); later != "" {
			fmt.Fprintf(o.streams.Out, "    last prompt: %s\n", termtext.Line(later))
		}
		if l.Found != "" {
			fmt.Fprintf(o.streams.Out, "    %s: %s\n", l.In, termtext.Line(l.Found))
		}
	}
	return nil
}

// writeJSON writes a value as indented JSON without control characters.
func writeJSON(to io.Writer, v any) error {
	if list := reflect.ValueOf(v); list.Kind() == reflect.Slice && list.IsNil() {
		v = []any{} // an empty list is one
	}
	b, err := termtext.EncodeJSON(v, "  ")
	if err == nil {
		_, err = to.Write(b)
	}
	return err
}

func sessionsShowCommand(s *streams) *cobra.Command {
	events := false
	cmd := leaf("show ID", `Print the transcript of a session
show prints the transcript: drawn on a terminal, as plain Markdown into a file or
a pipe.`, arguments(1, 1, "a session ID"), func(cmd *cobra.Command, args []string) error {
		lib, id, cfg, err := openSession(args[0])
		switch {
		case err != nil:
			return err
		case events:
			return printEvents(s, lib.Store, id)
		}
		return printSession(cmd.Context(), s, cfg, lib.Store, id)
	})
	cmd.Flags().BoolVar(&events, "json", false, "print the events, one JSON object per line")
	return cmd
}

// printSession prints a session: drawn on a terminal, where prompts stay as they were written, else as
// Markdown.
func printSession(ctx context.Context, s *streams, cfg *config.Config, from *store.Store, id store.ID) error {
	t, err := app.StoredTranscript(ctx, from, id, func(string) *record.Redactor { return record.NewRedactor(nil) })
	if err != nil || !s.OutTerminal {
		return cmp.Or(err, export.Markdown(s.Out, t))
	}
	draw := markdownWriter(s, cfg)
	err = draw(t.Head())
	for i := 0; i < len(t.Entries) && err == nil; i++ {
		text, prompt := t.Entries[i].Markdown(), ""
		if t.Entries[i].Type == "prompt" {
			text, prompt, _ = strings.Cut(text, "\n\n")
		}
		fmt.Fprintln(s.Out)
		if err = draw(text); prompt != "" {
			err = cmp.Or(err, s.printBlock("\n"+strings.TrimSuffix(prompt, "\n")))
		}
	}
	return err
}

func printEvents(s *streams, from *store.Store, id store.ID) error {
	damaged := 0
	for r, err := range from.Records(id) {
		if err != nil {
			return err
		}
		if r.Damaged {
			damaged++
		}
		if r.Event == nil {
			continue
		}
		line, err := headless.Line(r.Event)
		if err != nil {
			continue // cannot happen: the event was read from a line
		}
		if _, err := s.Out.Write(line); err != nil {
			return err
		}
	}
	if damaged > 0 {
		fmt.Fprintln(s.Err, "parley: skipped "+termtext.Count(damaged, "damaged line")+" of the stored session")
	}
	return nil
}

func sessionsPruneCommand(s *streams) *cobra.Command {
	dry := false
	cmd := leaf("prune", `Delete sessions beyond the configured limits
prune deletes the sessions beyond store_days and store_megabytes of the
configuration, oldest first, and lists them. parley does this by itself once a
day. Open sessions stay.`, noArguments, func(cmd *cobra.Command, _ []string) error {
		lib, cfg, err := openLibrary()
		if err != nil {
			return err
		}
		bounds := store.Bounds{Age: cfg.Store.Age, Bytes: cfg.Store.Bytes}
		gone, word := []store.ID(nil), "deleted"
		if dry {
			word = "would delete"
			gone, err = lib.Excess(bounds, time.Now())
		} else {
			gone, err = lib.Prune(cmd.Context(), bounds, time.Now())
		}
		for _, id := range gone {
			fmt.Fprintln(s.Out, word+" "+string(id))
		}
		if len(gone) == 0 && err == nil {
			fmt.Fprintln(s.Err, "No session exceeds the configured limits.")
		}
		return err
	})
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only list what would be deleted")
	return cmd
}

func sessionsExportCommand(s *streams) *cobra.Command {
	var format, output string
	cmd := leaf("export ID", "Export a session as Markdown, JSON or one HTML page", arguments(1, 1, "a session ID"), func(cmd *cobra.Command, args []string) error {
		format := cmp.Or(format, strings.TrimPrefix(strings.ToLower(filepath.Ext(output)), "."), "md")
		write, err := export.Format(format)
		if err != nil {
			return misused(cmd, "The formats are md, json and html.", "%w", err)
		}
		lib, id, cfg, err := openSession(args[0])
		if err != nil {
			return err
		}
		t, err := app.StoredTranscript(cmd.Context(), lib.Store, id, func(agent string) *record.Redactor { return app.RedactorNamed(cfg, agent) })
		if err != nil {
			return err
		}
		if output == "" {
			return write(s.Out, t)
		}
		return export.File(output, func(w io.Writer) error { return write(w, t) })
	})
	cmd.Example = `  parley sessions export 20261121 -o session.html   the name gives the format
  parley sessions export 20261121 --format md | less`
	cmd.Flags().StringVar(&format, "format", "", "`FORMAT`: md, json or html (default: from the file name, else md)")
	cmd.Flags().StringVarP(&output, "output", "o", "", "write to this new `FILE` instead of standard output")
	return cmd
}
