package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"parley/config"
)

// configCheckCommand finds what is wrong with the configuration.
func configCheckCommand(s *streams) *cobra.Command {
	return &cobra.Command{
		Use:   "check [FILE]",
		Short: "Check the configuration",
		Long: `check reads the configuration, or another FILE, and reports each mistake with
file, line and column. The exit code is 1 if there is one.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return misused(cmd, "", "check takes at most one file, got %d", len(args))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				return checkFile(s, args[0], true)
			}
			return checkFile(s, config.ConfigFile(), false)
		},
	}
}

// checkFile says what is wrong with a file. One that must be there was named by the
// person; without the other one the defaults count.
func checkFile(s *streams, path string, must bool) error {
	_, missing := os.Stat(path)
	gone := errors.Is(missing, fs.ErrNotExist)
	if gone && must {
		return fmt.Errorf("there is no file %s", path)
	}
	if _, err := config.Load(path); err != nil {
		mistakesOf(s, err)
		return exitStatus(exitError)
	}
	if gone {
		_, err := fmt.Fprintln(s.Out, "There is no file "+path+": parley uses the defaults. Create one with: parley config edit")
		return err
	}
	_, err := fmt.Fprintln(s.Out, path+": no mistakes")
	return err
}
