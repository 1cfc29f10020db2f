// Package terminal serves ACP's terminal/* methods from the local machine, and
// turns what programs write to a terminal into lines that are fit to be drawn.
//
// A Manager runs commands, each on a pty and in a session of its own, keeps the
// end of their output, and ends them with everything that came from them.
// Ptys are a matter of Unix; elsewhere Create returns ErrUnsupported.
//
// A Screen follows the output as a terminal would and gives out lines of text
// and colours.
package terminal
