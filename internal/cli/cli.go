// Package cli is parley's command line: commands, flags, exit codes.
package cli

// Main runs parley with the arguments of the process and returns its exit code.
func Main() int { return 0 }
