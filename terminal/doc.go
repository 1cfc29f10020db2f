// Package terminal serves ACP's terminal/* methods from the local machine.
//
// A Manager runs commands, each on a pty and in a session of its own, keeps the end of
// their output, and ends them together with all their descendants. Unix has ptys,
// Windows has ConPTY.
//
// Package terminal/screen turns the output into what a terminal would show, and into
// plain text.
package terminal
