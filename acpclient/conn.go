package acpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
)

// ErrClosed is the end of the connection: every open call returns it, wrapping
// what ended the connection.
var ErrClosed = errors.New("the connection to the peer is closed")

// maxHandlers bounds the requests of the peer that are handled at the same
// time. Past it the connection stops reading until one is answered.
const maxHandlers = 1024

// maxQueued is the number of bytes that may wait to be written before answers
// to the peer's requests wait too. Our own calls never wait for it.
const maxQueued = 16 << 20

// Receiver takes what the peer sends. Its methods are called in the order of
// the wire, from one goroutine.
type Receiver interface {
	// HandleNotification must return before the next message is taken from the
	// wire: that is the back-pressure. It must not wait for a call on the same
	// connection.
	HandleNotification(ctx context.Context, method string, params json.RawMessage)

	// HandleRequest answers a request with its result or an error (*Error to
	// choose the code). The next message waits until HandleRequest returns or
	// calls Async. ctx ends when the peer cancels the request or the
	// connection closes.
	HandleRequest(ctx context.Context, method string, params json.RawMessage) (any, error)
}

// ConnOptions are the settings of a Conn; the zero value is usable.
type ConnOptions struct {
	// MaxLine is the longest line taken, in bytes; a longer one is refused
	// alone. 0 means DefaultMaxLine.
	MaxLine int
	// Log gets noise on the wire and refused messages. Nil discards.
	Log *slog.Logger
	// Noise, if set, is called in wire order with each line, or part of a line,
	// that is not a message, for instance a print in an agent's start-up. It
	// must not keep the slice.
	Noise func(line []byte)
	// Tap, if set, sees every line as it is written to or read from the wire,
	// without its end. It must not keep the slice. Reads and writes are tapped
	// from two goroutines.
	Tap func(sent bool, line []byte)

	// fast, if set, has the first look at a line and may consume it.
	fast func(ctx context.Context, line []byte) bool
}

// Conn is one JSON-RPC 2.0 connection, one message a line, over any reader and
// writer (see "Transports" in the protocol's pages). All methods may be called
// from any goroutine.
type Conn struct {
	opt      ConnOptions
	receiver Receiver
	ctx      context.Context // of everything that runs for the peer
	cancel   context.CancelCauseFunc
	slots    chan struct{} // one for each running handler
	done     chan struct{}
	lastID   atomic.Int64 // of our requests

	mu       sync.Mutex
	state    inFlight
	closeErr error // why the connection ended; set once, before done is closed

	queue    [][]byte // lines to write, in order
	queued   int      // bytes in queue
	writable *sync.Cond
	writeErr error // set once: nothing is written after it
}

// inFlight is what waits for an answer. It is only changed with Conn.mu held.
//
// Every id in outgoing was sent and has not been answered; its done is called
// exactly once, by whoever removes it. Every id in incoming was received and
// has not been answered; its answer is sent exactly once, by whoever removes it.
type inFlight struct {
	outgoing map[int64]func(json.RawMessage, error)
	incoming map[RequestID]context.CancelCauseFunc
}

// NewConn starts to read from r and to write to w. It ends when r ends, or by
// Close. Closing w or r is the caller's.
func NewConn(r io.Reader, w io.Writer, receiver Receiver, opt ConnOptions) *Conn {
	c := newConn(receiver, opt)
	c.run(r, w)
	return c
}

func newConn(receiver Receiver, opt ConnOptions) *Conn {
	if opt.MaxLine <= 0 {
		opt.MaxLine = DefaultMaxLine
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	c := &Conn{
		opt: opt, receiver: receiver,
		slots: make(chan struct{}, maxHandlers),
		done:  make(chan struct{}),
		state: inFlight{
			outgoing: map[int64]func(json.RawMessage, error){},
			incoming: map[RequestID]context.CancelCauseFunc{},
		},
	}
	c.writable = sync.NewCond(&c.mu)
	c.ctx, c.cancel = context.WithCancelCause(context.Background())
	return c
}

func (c *Conn) run(r io.Reader, w io.Writer) {
	go c.write(w)
	go c.read(newLineReader(r, c.opt.MaxLine))
}

// Done is closed when the connection has ended and every open call has been
// told. Handlers are cancelled by then, and may still be on their way out.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Err returns why the connection ended: nil while it lives, and an error that
// wraps ErrClosed after that.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closeErr
}

// Close ends the connection: open calls return ErrClosed, handlers are
// cancelled. The reading goroutine itself ends with its reader.
func (c *Conn) Close() { c.end(nil) }

// Call sends a request and waits for its answer. An error answer is an *Error.
// When ctx ends first, the peer is told by $/cancel_request, a later answer is
// dropped, and the context's error is returned. A nil result ignores the answer.
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	type answer struct {
		raw json.RawMessage
		err error
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	ch := make(chan answer, 1)
	id, err := c.start(method, params, func(raw json.RawMessage, err error) { ch <- answer{raw, err} })
	if err != nil {
		return err
	}
	var a answer
	select {
	case a = <-ch:
	case <-ctx.Done():
		if c.forget(id) {
			_ = c.Notify(CancelRequest.Name, &CancelRequestNotification{RequestID: NumberID(id)})
			return ctx.Err()
		}
		a = <-ch // the answer was quicker: it is on its way
	}
	if a.err != nil || result == nil {
		return a.err
	}
	return decodeResult(method, a.raw, result)
}

// start sends a request. done is called exactly once, in the order of the wire
// if an answer comes, and must not block. If start returns an error it is never
// called.
func (c *Conn) start(method string, params any, done func(json.RawMessage, error)) (int64, error) {
	id := c.lastID.Add(1)
	rid := NumberID(id)
	line, err := outgoing{ID: &rid, Method: method, Params: params}.encode()
	if err != nil {
		return 0, fmt.Errorf("encode %s: %w", method, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.brokenLocked(); err != nil {
		return 0, err
	}
	c.state.outgoing[id] = done
	c.sendLocked(line)
	return id, nil
}

// forget drops an open call and reports whether it was still open.
func (c *Conn) forget(id int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, open := c.state.outgoing[id]
	delete(c.state.outgoing, id)
	return open
}

// Notify sends a notification. It does not wait until it is written.
func (c *Conn) Notify(method string, params any) error {
	line, err := outgoing{Method: method, Params: params}.encode()
	if err != nil {
		return fmt.Errorf("encode %s: %w", method, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.brokenLocked(); err != nil {
		return err
	}
	c.sendLocked(line)
	return nil
}

// Flush waits until everything that was sent so far is written, and returns nil;
// or until ctx ends or the connection is broken, and returns why. It is for the
// last words before a connection is closed.
func (c *Conn) Flush(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.writable.Broadcast()
	})
	defer stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.queued > 0 && ctx.Err() == nil {
		if err := c.brokenLocked(); err != nil {
			return err
		}
		c.writable.Wait()
	}
	return ctx.Err()
}

func (c *Conn) brokenLocked() error {
	if c.closeErr != nil {
		return c.closeErr
	}
	return c.writeErr
}

// Writing: one goroutine owns the writer, so lines never interleave and a peer
// that has stopped reading holds up nobody but itself.

func (c *Conn) sendLocked(line []byte) {
	c.queue = append(c.queue, line)
	c.queued += len(line)
	c.writable.Broadcast()
}

// replyLocked queues an answer to the peer when there is room for it, so that a
// peer that asks and does not read cannot fill our memory.
func (c *Conn) replyLocked(line []byte) {
	for c.queued > maxQueued && c.brokenLocked() == nil {
		c.writable.Wait()
	}
	if c.brokenLocked() == nil {
		c.sendLocked(line)
	}
}

func (c *Conn) write(w io.Writer) {
	for {
		c.mu.Lock()
		for len(c.queue) == 0 && c.closeErr == nil {
			c.writable.Wait()
		}
		if len(c.queue) == 0 {
			c.mu.Unlock()
			return
		}
		line := c.queue[0]
		c.queue[0] = nil
		c.queue = c.queue[1:]
		c.mu.Unlock()

		if c.opt.Tap != nil {
			c.opt.Tap(true, line[:len(line)-1])
		}
		_, err := w.Write(line)

		c.mu.Lock()
		c.queued -= len(line)
		c.writable.Broadcast()
		if err != nil {
			c.writeErr = fmt.Errorf("%w: it does not take our messages any more: %w", ErrClosed, err)
			c.queue, c.queued = nil, 0
			open := c.takeOutgoingLocked()
			c.mu.Unlock()
			for _, done := range open {
				done(nil, c.writeErr)
			}
			return
		}
		c.mu.Unlock()
	}
}

func (c *Conn) takeOutgoingLocked() []func(json.RawMessage, error) {
	var open []func(json.RawMessage, error)
	for id, done := range c.state.outgoing {
		open = append(open, done)
		delete(c.state.outgoing, id)
	}
	return open
}

// end closes the connection once. cause is what the reader met.
func (c *Conn) end(cause error) {
	c.mu.Lock()
	if c.closeErr != nil {
		c.mu.Unlock()
		return
	}
	c.closeErr = ErrClosed
	if cause != nil && !errors.Is(cause, io.EOF) {
		c.closeErr = fmt.Errorf("%w: %w", ErrClosed, cause)
	}
	open := c.takeOutgoingLocked()
	for id := range c.state.incoming { // nobody is there to answer any more
		delete(c.state.incoming, id)
	}
	c.writable.Broadcast()
	err := c.closeErr
	c.mu.Unlock()

	c.cancel(err)
	for _, done := range open {
		done(nil, err)
	}
	close(c.done)
}
