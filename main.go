// Command parley is a terminal client for coding agents that speak the Agent
// Client Protocol.
package main

import (
	"os"

	"parley/internal/cli"
)

func main() { os.Exit(cli.Main()) }
