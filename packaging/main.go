// Command packaging writes the files that packages of parley contain besides the program.
//
//	go run ./packaging manuals DIR             manual pages and shell completions
//	go run ./packaging npm [-name NAME] DIST OUT   npm packages of GoReleaser's folder DIST
//	go run ./packaging agents DIR              the updated built-in registry of agents
//
// Publish the npm packages with "npm publish", those of the platforms first. It is a separate
// program because parley does not need the libraries that write manual pages.
package main

import (
	"context"
	"errors"
	"flag"
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
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "packaging: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	usage := errors.New("usage: packaging manuals DIR | packaging npm [-name NAME] DIST OUT | packaging agents DIR")
	if len(args) == 0 {
		return usage
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	name := flags.String("name", "parley", "`NAME` of the npm package, with its scope if it has one")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	switch {
	case args[0] == "manuals" && flags.NArg() == 1:
		return writeManuals(flags.Arg(0))
	case args[0] == "agents" && flags.NArg() == 1:
		return writeAgents(context.Background(), flags.Arg(0), func(format string, args ...any) { fmt.Printf(format+"\n", args...) })
	case args[0] == "npm" && flags.NArg() == 2:
		return writeNPM(*name, flags.Arg(0), flags.Arg(1), filepath.Join("packaging", "npm"))
	}
	return usage
}

// writeManuals writes manual pages and completions below dir, and creates it if needed.
// For reproducible builds, the date of the pages is SOURCE_DATE_EPOCH, in seconds since 1970,
// or the first day of 1970.
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

// writeCompletions writes a script for each shell, under the file name that the shell expects.
func writeCompletions(root *cobra.Command, dir string) error {
	return errors.Join(
		root.GenBashCompletionFileV2(filepath.Join(dir, "parley.bash"), true),
		root.GenZshCompletionFile(filepath.Join(dir, "_parley")),
		root.GenFishCompletionFile(filepath.Join(dir, "parley.fish"), true),
		root.GenPowerShellCompletionFileWithDesc(filepath.Join(dir, "parley.ps1")),
	)
}
