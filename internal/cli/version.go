package cli

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set when parley is built by its Makefile or packaged.
var version = ""

// build describes how the binary was built.
type build struct {
	Version string `json:"version"`
	// Commit is the commit that was checked out, and Date its time (RFC 3339); both are ""
	// outside a repository. The time of the build is left out, so that builds are
	// reproducible.
	Commit string `json:"commit,omitempty"`
	Date   string `json:"date,omitempty"`
	// Modified says that the source differed from the commit.
	Modified bool `json:"modified"`
	// Go is the version of the toolchain; Platform is like linux/amd64.
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func thisBuild() build {
	b := build{Version: version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		if b.Version == "" && info.Main.Version != "(devel)" {
			b.Version = info.Main.Version
		}
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				b.Commit = s.Value
			case "vcs.time":
				b.Date = s.Value
			case "vcs.modified":
				b.Modified = s.Value == "true"
			}
		}
	}
	b.Version = cmp.Or(b.Version, "dev")
	return b
}

func currentVersion() string { return thisBuild().Version }

func printVersion(s *streams) error {
	_, err := fmt.Fprintf(s.Out, "parley %s\n", currentVersion())
	return err
}

func versionCommand(s *streams) *cobra.Command {
	asJSON := false
	cmd := leaf("version", "Print the version; with --json the whole build", noArguments, func(*cobra.Command, []string) error {
		if asJSON {
			return writeJSON(s.Out, thisBuild())
		}
		return printVersion(s)
	})
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON: version, commit, date, Go and platform")
	return cmd
}
