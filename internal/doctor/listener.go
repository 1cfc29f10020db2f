package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"parley/acpclient"
)

// Connection is a connection to an agent that listens.
type Connection interface {
	acpclient.Transport
	// Done is closed when the connection has ended, and Err says why it was lost; nil if it
	// was not.
	Done() <-chan struct{}
	Err() error
	// Stop ends it, the harder the sooner ctx ends.
	Stop(ctx context.Context)
}

// Listener connects to an agent that listens; it is what Options.Start is made of. ordered
// says whether messages come in the order that they were sent in.
func Listener(connect func() Connection, ordered bool) func(stderr io.Writer) (*Running, error) {
	return func(stderr io.Writer) (*Running, error) {
		c := connect()
		stdout, lines := io.Pipe()
		go receive(c, lines, stderr)
		return &Running{
			Stdin: sender{c}, Stdout: stdout, Done: c.Done(), ExitCode: func() int { return -1 }, Lost: c.Err, Unordered: !ordered,
			Stop: func(ctx context.Context) { c.Stop(ctx); _ = stdout.Close() },
		}, nil
	}
}

// receive writes the messages of a connection as lines, to its end.
func receive(c Connection, lines *io.PipeWriter, stderr io.Writer) {
	for {
		message, err := c.Read()
		switch {
		case errors.Is(err, acpclient.ErrMessageRefused):
			fmt.Fprintln(stderr, err) // it is in the report then
			continue
		case err != nil:
			_ = c.Close() // it is over
			_ = lines.Close()
			return
		}
		if _, err := lines.Write(line(message)); err != nil {
			return // nobody reads any more
		}
	}
}

// line is a message as a line. Only on the network a message may have line ends in it.
func line(message []byte) []byte {
	if bytes.ContainsAny(message, "\r\n") {
		var compact bytes.Buffer
		if json.Compact(&compact, message) == nil {
			return append(compact.Bytes(), '\n')
		}
		message = bytes.Join(bytes.Fields(message), []byte(" "))
	}
	return append(bytes.Clone(message), '\n')
}

// sender sends each line as a message.
type sender struct{ to Connection }

// Write implements io.Writer for one line at a time.
func (s sender) Write(line []byte) (int, error) {
	if err := s.to.Write(bytes.Clone(bytes.TrimSuffix(line, []byte("\n")))); err != nil {
		return 0, err
	}
	return len(line), nil
}

// Close implements io.Closer. The connection itself is ended by Stop.
func (s sender) Close() error { return nil }
