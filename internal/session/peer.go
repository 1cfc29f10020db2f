package session

import (
	"context"
	"io"

	"parley/acpclient"
)

// Peer is a running agent, with the means to talk to it and to end it.
type Peer struct {
	// Transport carries the messages; nil means lines on In and Out.
	Transport acpclient.Transport
	In        io.Reader // from the agent
	Out       io.Writer // to the agent
	// Done is closed when the agent has ended; Err then says how.
	Done <-chan struct{}
	Err  func() error
	// Stderr returns the tail of its stderr, raw.
	Stderr func() string
	// Stop asks the agent to end and waits until it has. It kills the agent if that
	// takes too long or ctx ends.
	Stop func(ctx context.Context)
}

// Spawn starts the agent of a command as a process.
func Spawn(c acpclient.Command) (*Peer, error) {
	p, err := acpclient.StartProcess(c)
	if err != nil {
		return nil, err
	}
	return &Peer{In: p.Stdout, Out: p.Stdin, Done: p.Done(), Err: p.Err, Stderr: p.Stderr, Stop: p.Stop}, nil
}
