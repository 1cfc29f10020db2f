package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
		Short: "Edit the configuration in $VISUAL or $EDITOR, and check it afterwards",
		Long: `edit opens the configuration file in $VISUAL, or else in $EDITOR. If there is no
file, it is made of the example, in which every setting is explained. What is
wrong with it afterwards is told, and can be put right at once.`,
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
	if err := makeConfig(path); err != nil {
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
			return app.WithHint("parley does not start until it is put right: parley config edit", "the configuration is left as it is, with its mistakes")
		}
	}
}

// makeConfig writes the example where there is no configuration.
func makeConfig(path string) error {
	if err := config.MakeDir(filepath.Dir(path)); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, config.FileMode)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("make the configuration file: %w", err)
	}
	_, err = f.WriteString(config.Example())
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write the configuration file: %w", err)
	}
	return nil
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
		return app.WithHint("Set $EDITOR to the editor that you want, or edit the file yourself: "+path, "the editor %s: %w", cmd.Args[0], err)
	}
	return nil
}
