package cli

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"parley/config"
	"parley/internal/app"
	"parley/tui/desktop"
)

// configEditCommand opens the configuration in the person's editor.
func configEditCommand(s *streams) *cobra.Command {
	return &cobra.Command{
		Use:   "edit",
		Short: "Edit the configuration in $EDITOR, then check it",
		Long: `edit opens the configuration file in $VISUAL or $EDITOR, then checks it. A new
file starts as the example, which explains every setting.`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error { return editConfig(s) },
	}
}

// editConfig edits the configuration until nothing is wrong with it, or the person has
// had enough.
func editConfig(s *streams) error {
	path := config.ConfigFile()
	if _, err := desktop.SystemEditor().Words(); err != nil {
		return app.WithHint("Or edit the file yourself: "+path, "%w", err)
	}
	if err := config.MakeFile(path); err != nil {
		return err
	}
	answers := bufio.NewReader(s.In)
	for line := 0; ; {
		if err := openEditor(s, path, line); err != nil {
			return err
		}
		_, wrong := config.Load(path)
		if wrong == nil {
			return nil
		}
		line = mistakesOf(s, wrong)
		fmt.Fprint(s.Err, "Edit it again? [Y/n] ")
		answer, err := answers.ReadString('\n')
		if answer = strings.ToLower(strings.TrimSpace(answer)); err != nil && answer == "" || strings.HasPrefix(answer, "n") {
			return app.WithHint("parley does not start until it is fixed: parley config edit", "the configuration still has mistakes")
		}
	}
}

// openEditor waits for the person's editor.
func openEditor(s *streams, path string, line int) error {
	cmd, err := desktop.SystemEditor().Open(path, line)
	if err != nil {
		return err
	}
	// It reads the terminal, never the answers that are piped into parley.
	if s.InTerminal {
		cmd.Stdin = s.In
	}
	cmd.Stdout, cmd.Stderr = s.Out, s.Err
	if err := cmd.Run(); err != nil {
		return app.WithHint("Set $EDITOR, or edit the file yourself: "+path, "the editor %s: %w", cmd.Args[0], err)
	}
	return nil
}
