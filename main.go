// Command parley is a terminal client for coding agents that speak the Agent
// Client Protocol.
package main

import (
	_ "embed"
	"os"

	"parley/internal/cli"
)

//go:embed CHANGELOG.md
var changes string

func main() { os.Exit(cli.Main(changes)) }
