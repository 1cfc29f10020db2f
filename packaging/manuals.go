package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"parley/internal/cli"
)

// writeManuals writes manual pages and completions below dir, and creates it if needed.
// The pages bear the date SOURCE_DATE_EPOCH, in seconds since 1970, or else the first day
// of 1970, so that one source always gives the same pages.
func writeManuals(dir string) error {
	pages, completions := filepath.Join(dir, "man"), filepath.Join(dir, "completions")
	for _, d := range []string{pages, completions} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return fmt.Errorf("make the folder: %w", err)
		}
	}
	root := cli.Command()
	return errors.Join(writeManual(root, pages), writeCompletions(root, completions))
}

// writeManual writes a page for each visible command.
func writeManual(root *cobra.Command, dir string) error {
	date, err := sourceDate()
	if err != nil {
		return err
	}
	root.DisableAutoGenTag = true
	header := &doc.GenManHeader{Section: "1", Source: "parley", Manual: "parley", Date: &date}
	if err := doc.GenManTree(root, header, dir); err != nil {
		return fmt.Errorf("write the manual: %w", err)
	}
	return nil
}

// sourceDate is the date of the source: https://reproducible-builds.org/specs/source-date-epoch/
func sourceDate() (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		return time.Unix(0, 0).UTC(), nil
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH must be a number of seconds: %w", err)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// writeCompletions writes a script for each shell, under the name by which the shell
// looks for it.
func writeCompletions(root *cobra.Command, dir string) error {
	return errors.Join(
		root.GenBashCompletionFileV2(filepath.Join(dir, "parley.bash"), true),
		root.GenZshCompletionFile(filepath.Join(dir, "_parley")),
		root.GenFishCompletionFile(filepath.Join(dir, "parley.fish"), true),
		root.GenPowerShellCompletionFileWithDesc(filepath.Join(dir, "parley.ps1")),
	)
}
