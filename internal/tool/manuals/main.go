// Command manuals writes what packages bring along beside the program, made from the
// program's own command line: manual pages, and completions for shells.
//
//	go run ./internal/tool/manuals DIR
//
// DIR gets the folders man and completions. The pages bear the date SOURCE_DATE_EPOCH,
// in seconds since 1970, so that one source gives the same pages every time; without
// it they bear the first day of 1970. It is a program of its own because what makes the pages would be
// dead weight in parley.
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

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: manuals DIR")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintf(os.Stderr, "manuals: %v\n", err)
		os.Exit(1)
	}
}

// write writes everything below a directory, which is made where it is not there.
func write(dir string) error {
	pages, completions := filepath.Join(dir, "man"), filepath.Join(dir, "completions")
	for _, d := range []string{pages, completions} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return fmt.Errorf("make the folder: %w", err)
		}
	}
	root := cli.Command()
	return errors.Join(writeManual(root, pages), writeCompletions(root, completions))
}

// writeManual writes a page for each command that people see.
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
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH is no number of seconds: %w", err)
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
