// Package demoagent is the agent that is built into parley: a real one that
// speaks ACP version 1 over stdio. Without a script it is the tour, which shows a
// newcomer around on a machine without any other agent and without an account
// (package tour). With a script it does exactly what the script says, right or
// wrong, and is the peer of parley's tests: see package script for the format.
package demoagent

import (
	"context"
	"fmt"
	"io"
	"os"

	"parley/internal/demoagent/script"
	"parley/internal/demoagent/tour"
)

// Options say how to run the agent.
type Options struct {
	// In and Out are the connection to the client, Err takes messages for people.
	// If Out is an io.Closer, a script can close it; nothing else does.
	In       io.Reader
	Out, Err io.Writer
	// Script is the path of a script; empty is the tour.
	Script string
	// Log is a file that gets everything the client sends, appended byte by
	// byte before it is acted upon; empty is none.
	Log string
	// SignIn pretends to sign in to the tour, and ends: it is what a client
	// runs when the person chooses to do that in a terminal (tour.SignInFlag).
	SignIn bool
}

// WriteSample fills a directory, which must be empty, with the small project
// that the tour works on. Anywhere else the tour reads and changes nothing but
// new files of its own.
func WriteSample(dir string) error { return tour.WriteSample(dir) }

// Run runs the agent until In ends, the script ends, or ctx ends, and returns the
// exit code. A read of In that waits goes on waiting after that, until In ends.
// The environment of the tour is documented at tour.OptionsFromEnv.
func Run(ctx context.Context, opt Options) int {
	if opt.SignIn {
		return tour.SignIn(opt.Out, tour.OptionsFromEnv())
	}
	if opt.Log != "" {
		log, err := os.OpenFile(opt.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			_, _ = fmt.Fprintf(opt.Err, "parley demo-agent: open the log: %v\n", err)
			return script.ExitBroken
		}
		defer func() { _ = log.Close() }()
		opt.In = io.TeeReader(opt.In, log)
	}
	if opt.Script == "" {
		return tour.Run(ctx, opt.In, opt.Out, opt.Err, tour.OptionsFromEnv())
	}
	s, err := script.Load(opt.Script)
	if err != nil {
		_, _ = fmt.Fprintln(opt.Err, err)
		return script.ExitBroken
	}
	return s.Run(ctx, opt.In, opt.Out, opt.Err)
}
