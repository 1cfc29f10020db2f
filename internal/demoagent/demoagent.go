// Package demoagent is the agent that is built into parley: a real one that
// speaks ACP version 1 over stdio, in two guises. Without a script it is the
// tour, which shows a newcomer around on a machine without any other agent and
// without an account (package tour). With a script it does exactly what the
// script says, good or bad, and is the peer of parley's tests: see package
// script for the format.
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
	// In and Out are the connection to the client, Err is for people. Out may
	// be an io.Closer; it is closed only when a script says so.
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

// Run is the agent's whole life. The environment of the tour is documented at
// tour.OptionsFromEnv. It returns the exit code when In has ended,
// the script has come to its end, or ctx has. A read of In that is under way
// then ends with In.
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
