package cli

import (
	"cmp"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"parley/internal/app"
	"parley/internal/export"
)

// exportOptions say what of a session is written, and where.
type exportOptions struct {
	streams *streams
	format  string
	output  string
}

// sessionsExportCommand writes a session down for those who do not have parley.
func sessionsExportCommand(s *streams) *cobra.Command {
	opt := &exportOptions{streams: s}
	cmd := &cobra.Command{
		Use:   "export ID",
		Short: "Export a session as Markdown, JSON or one HTML page",
		Example: `  parley sessions export 20261121 -o session.html   the name gives the format
  parley sessions export 20261121 --format md | less`,
		Args: oneSession,
		RunE: func(cmd *cobra.Command, args []string) error { return opt.run(cmd, args[0]) },
	}
	cmd.Flags().StringVar(&opt.format, "format", "", "`FORMAT`: md, json or html (default: from the file name, else md)")
	cmd.Flags().StringVarP(&opt.output, "output", "o", "", "write to this new `FILE` instead of standard output")
	return cmd
}

func (o *exportOptions) run(cmd *cobra.Command, word string) error {
	format := cmp.Or(o.format, strings.TrimPrefix(strings.ToLower(filepath.Ext(o.output)), "."), "md")
	write, err := export.Format(format)
	if err != nil {
		return misused(cmd, "The formats are md, json and html.", "%w", err)
	}
	lib, _, err := openLibrary()
	if err != nil {
		return err
	}
	id, err := storedSession(lib, word)
	if err != nil {
		return err
	}
	t, err := app.StoredTranscript(cmd.Context(), lib.Store, id)
	if err != nil {
		return err
	}
	if o.output == "" {
		return write(o.streams.Out, t)
	}
	return export.File(o.output, func(w io.Writer) error { return write(w, t) })
}
