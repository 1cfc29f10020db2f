// Package terminal serves ACP's terminal/* methods from the local machine.
//
// A Manager runs commands, each on a pty and in a session of its own, keeps the
// end of their output, and ends them with everything that came from them.
// Ptys are a matter of Unix; elsewhere Create returns ErrUnsupported.
//
// What the output looks like on a terminal, and what it says as plain text, is
// worked out by the package terminal/screen.
package terminal
