package demoagent

import (
	"context"
	"fmt"
	"io"
	"os"
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
	// runs when the person chooses to do that in a terminal (signInFlag).
	SignIn bool
}

// Run runs the agent until In ends, the script ends, or ctx ends, and returns the
// exit code. A read of In that waits goes on waiting after that, until In ends.
// The environment of the tour is documented at optionsFromEnv.
func Run(ctx context.Context, opt Options) int {
	if opt.SignIn {
		return signInAtTerminal(opt.Out, optionsFromEnv())
	}
	if opt.Log != "" {
		log, err := os.OpenFile(opt.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			_, _ = fmt.Fprintf(opt.Err, "parley demo-agent: open the log: %v\n", err)
			return ExitBroken
		}
		defer func() { _ = log.Close() }()
		opt.In = io.TeeReader(opt.In, log)
	}
	if opt.Script == "" {
		return runTour(ctx, opt.In, opt.Out, opt.Err, optionsFromEnv())
	}
	s, err := Load(opt.Script)
	if err != nil {
		_, _ = fmt.Fprintln(opt.Err, err)
		return ExitBroken
	}
	return s.Run(ctx, opt.In, opt.Out, opt.Err)
}
