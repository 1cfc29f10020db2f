package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"parley/config"
	"parley/internal/termtext"
)

// configCommand is about the configuration file.
func configCommand(s *streams) *cobra.Command {
	show := configShowCommand(s)
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show, edit and check the configuration",
		Long: `config shows and changes parley's configuration. Without a command it shows the
values and where each comes from.`,
		Args: noArguments,
		RunE: show.RunE,
	}
	cmd.AddCommand(show, configEditCommand(s), configPathCommand(s), configCheckCommand(s))
	return cmd
}

// configPathCommand prints where the configuration is.
func configPathCommand(s *streams) *cobra.Command {
	return &cobra.Command{
		Use:   "path",
		Short: "Print the path of the configuration file, which may not exist",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(s.Out, config.ConfigFile())
			return err
		},
	}
}

// mistakesOf tells what is wrong with the configuration, each mistake on a line that
// begins with file, line and column, as editors read them. It returns the line of the
// first, 0 if it has none.
func mistakesOf(s *streams, err error) (line int) {
	fmt.Fprintln(s.Err, termtext.Block(err.Error()))
	var first *config.Error
	if errors.As(err, &first) {
		return first.Line
	}
	return 0
}
