// Command packaging writes what packages of parley bring along besides the program.
//
//	go run ./packaging manuals DIR             manual pages and shell completions
//	go run ./packaging npm [-name NAME] DIST OUT   npm packages of GoReleaser's folder DIST
//
// Publish the npm packages with "npm publish", those of the platforms first. It is a
// program of its own because the libraries that make manual pages would be dead weight
// in parley.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "packaging: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	usage := errors.New("usage: packaging manuals DIR | packaging npm [-name NAME] DIST OUT")
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
	case args[0] == "npm" && flags.NArg() == 2:
		return writeNPM(*name, flags.Arg(0), flags.Arg(1), filepath.Join("packaging", "npm"))
	}
	return usage
}
