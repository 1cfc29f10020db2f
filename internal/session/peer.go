package session

import (
	"context"
	"io"

	"parley/acpclient"
)

// Peer is an agent that runs, and the means to talk to it and to end it.
type Peer struct {
	// Transport carries the messages; nil is lines on In and Out.
	Transport acpclient.Transport
	In        io.Reader // what the agent says
	Out       io.Writer // what the agent hears
	// Done is closed when the agent has ended; Err then says how.
	Done <-chan struct{}
	Err  func() error
	// Stderr is the tail of what it wrote there, raw.
	Stderr func() string
	// Stop asks the agent to end and waits until it has ended. If that takes too
	// long, or when ctx ends, it is killed.
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
