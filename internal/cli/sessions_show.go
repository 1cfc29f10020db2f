package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"parley/config"
	"parley/internal/conversation"
	"parley/internal/headless"
	"parley/internal/store"
	"parley/internal/termtext"
)

// writeJSON writes a value for people and programs to read. Nothing of it acts on a
// terminal.
func writeJSON(to io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := to.Write(termtext.JSON(b.Bytes()))
	return err
}

func sessionsShowCommand(s *streams) *cobra.Command {
	events := false
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Print the transcript of a session",
		Long: `show prints the transcript: drawn on a terminal, as plain Markdown into a file or
a pipe.`,
		Args: oneSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			lib, cfg, err := openLibrary()
			if err != nil {
				return err
			}
			id, err := storedSession(lib, args[0])
			switch {
			case err != nil:
				return err
			case events:
				return printEvents(s, lib.Store, id)
			}
			return printSession(cmd.Context(), s, cfg, lib.Store, id)
		},
	}
	cmd.Flags().BoolVar(&events, "json", false, "print the events, one JSON object per line")
	return cmd
}

// printSession prints a session as fits the output.
func printSession(ctx context.Context, s *streams, cfg *config.Config, from *store.Store, id store.ID) error {
	t, err := from.Read(ctx, id)
	if err != nil {
		return err
	}
	c := t.Conversation
	paragraphs := append([]conversation.Paragraph{
		{Text: "# " + cmp.Or(t.Title, c.Title, "Session "+string(id)), Markdown: true},
		{Text: fmt.Sprintf("%s, %s, %s", cmp.Or(c.Agent.Name(), t.Meta.Agent), t.Meta.Cwd, t.Meta.Created.Local().Format(time.RFC1123))},
	}, conversation.Paragraphs(c)...)
	plain := func(text string) error {
		_, err := fmt.Fprintln(s.Out, termtext.Block(text))
		return err
	}
	markdown := plain
	if s.OutTerminal {
		markdown = drawMarkdown(s, cfg, s.Out)
	}
	for i, p := range paragraphs {
		write := plain
		if p.Markdown {
			write = markdown
		}
		if i > 0 {
			fmt.Fprintln(s.Out)
		}
		if err := write(p.Text); err != nil {
			return err
		}
	}
	return nil
}

// printEvents prints the events of a session.
func printEvents(s *streams, from *store.Store, id store.ID) error {
	damaged := 0
	for r, err := range from.Records(id, 0) {
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
			continue // nothing that came from a line lacks a form as a line
		}
		if _, err := s.Out.Write(line); err != nil {
			return err
		}
	}
	if damaged > 0 {
		fmt.Fprintln(s.Err, "parley: damaged and not readable: "+termtext.Count(damaged, "line")+" of the stored session")
	}
	return nil
}

// sessionsPruneCommand deletes what the configuration does not want to keep.
func sessionsPruneCommand(s *streams) *cobra.Command {
	dry := false
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Delete sessions beyond the configured limits",
		Long: `prune deletes the sessions beyond store_days and store_megabytes of the
configuration, oldest first, and lists them. parley does this by itself once a
day. Open sessions stay.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return prune(cmd.Context(), s, dry) },
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only list what would be deleted")
	return cmd
}

func prune(ctx context.Context, s *streams, dry bool) error {
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
		gone, err = lib.Prune(ctx, bounds, time.Now())
	}
	for _, id := range gone {
		fmt.Fprintln(s.Out, word+" "+string(id))
	}
	if len(gone) == 0 && err == nil {
		fmt.Fprintln(s.Err, "No session exceeds the configured limits.")
	}
	return err
}
