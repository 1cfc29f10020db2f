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

// ErrClosed means that the connection has ended. Open calls return it joined with the
// cause.
var ErrClosed = errors.New("the connection to the peer is closed")

// MaxHandlers limits the number of the peer's requests that are handled at the same
// time. Beyond it, the connection stops reading until one is answered, or rejects.
const MaxHandlers = 1024

// ErrTooMany is the answer to a request that is rejected.
var ErrTooMany = &Error{Code: CodeInvalidRequest, Message: "too many requests are open: wait for an answer"}

// maxIncoming limits the total size in bytes of the params of these requests in the
// same way. A single request may exceed it.
const maxIncoming = 32 << 20

// maxQueued is the number of unwritten bytes beyond which answers to the peer's
// requests block. Our own requests never block.
const maxQueued = 16 << 20

// queuedOverhead is roughly the memory that a queued message takes besides its bytes.
const queuedOverhead = 256

// Transport carries whole messages between two peers, as Lines does over pipes. Read
// and Write are each called from a single goroutine, not the same one.
type Transport interface {
	// Read waits for the next message, which is valid until the next Read. io.EOF is
	// the orderly end. After an error that wraps ErrMessageRefused, Read is called
	// again; any other error ends the connection. The result may contain noise besides
	// or instead of messages.
	Read() ([]byte, error)

	// Write sends one message, which contains no line ends. The Transport owns the
	// slice, including its spare capacity. After an error nothing more is written.
	Write(message []byte) error

	// Close is called once, when the connection ends. It unblocks Read and Write,
	// unless the Transport's owner does so, and does not wait for the peer.
	Close() error
}

// ErrMessageRefused is wrapped by the error of a Transport's Read for a message that it
// rejects, for instance because it is too long. Conn answers with an error, with the id of the message if
// the error is a Refusal.
var ErrMessageRefused = errors.New("message refused")

// Receiver takes what the peer sends. Its methods are called in the order of
// the wire, from one goroutine.
type Receiver interface {
	// HandleNotification must return before the next message is taken from the
	// wire: that is the back-pressure. It must not wait for a call on the same
	// connection, and must not keep params.
	HandleNotification(ctx context.Context, method string, params json.RawMessage)

	// HandleRequest answers a request with its result or an error (*Error to
	// choose the code). The next message waits until HandleRequest returns or
	// calls Async. ctx ends when the peer cancels the request or the
	// connection closes.
	HandleRequest(ctx context.Context, method string, params json.RawMessage) (any, error)
}

// ConnOptions are the settings of a Conn; the zero value is usable.
type ConnOptions struct {
	// Log gets noise on the wire and refused messages. Nil discards.
	Log *slog.Logger
	// Noise, if set, is called in wire order with each line, or part of a line, that is
	// not a message. It must not keep the slice.
	Noise func(line []byte)
	// Refused, if set, is called in wire order with each ErrMessageRefused of the
	// Transport.
	Refused func(error)
	// Rejects answers a request beyond the bounds of what is handled at once with ErrTooMany, so that
	// messages behind it, such as a cancel, are read. Otherwise it waits for other requests to be answered.
	Rejects bool
	// Tap, if set, is called with every line written to or read from the wire, without
	// its end, from two goroutines. It must not keep the slice.
	Tap func(sent bool, line []byte)

	// uncancellable is the request that the protocol does not let a client cancel.
	uncancellable string
}

func (o ConnOptions) logger() *slog.Logger {
	if o.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return o.Log
}

// Conn is one JSON-RPC 2.0 connection over any Transport. All methods may be
// called from any goroutine.
type Conn struct {
	opt       ConnOptions
	transport Transport
	receiver  Receiver
	ctx       context.Context // of all handlers
	cancel    context.CancelCauseFunc
	done      chan struct{}
	lastID    atomic.Int64 // of our requests

	mu       sync.Mutex
	state    inFlight
	closeErr error // why the connection ended; set once, before done is closed

	queue    []queued // messages to write, in order
	queued   int      // size of queue
	writable *sync.Cond
	writeErr error // set once: nothing is written after it
}

// queued is a message to write. over, if set, is called when it was written or
// dropped, possibly with Conn.mu held, and must return at once.
type queued struct {
	message []byte
	over    func()
}

func (q *queued) size() int { return len(q.message) + queuedOverhead }

// inFlight has the unanswered requests; Conn.mu guards it. The code that removes an id
// from outgoing calls its function; the code that removes one from incoming sends the answer:
// so each happens exactly once.
type inFlight struct {
	outgoing map[int64]func(json.RawMessage, error)
	incoming map[RequestID]context.CancelCauseFunc
	handlers int // that run, also while their answers wait for room
	bytes    int // of the params of their requests
}

// NewConn returns a connection that begins to read from t. It ends when t ends or by
// Close.
func NewConn(t Transport, receiver Receiver, opt ConnOptions) *Conn {
	opt.Log = opt.logger()
	c := &Conn{
		opt: opt, transport: t, receiver: receiver,
		done: make(chan struct{}),
		state: inFlight{
			outgoing: map[int64]func(json.RawMessage, error){},
			incoming: map[RequestID]context.CancelCauseFunc{},
		},
	}
	c.writable = sync.NewCond(&c.mu)
	c.ctx, c.cancel = context.WithCancelCause(context.Background())
	go c.write()
	go c.read()
	return c
}

// Receive replaces the receiver. Call it only while an answer or a notification is
// handled, so that the order of the wire decides what reaches which receiver.
func (c *Conn) Receive(r Receiver) { c.receiver = r }

// Done is closed when the connection has ended and every open call has returned.
// Handlers are cancelled by then, but may still be running.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Err returns nil while the connection is open, then an error that wraps ErrClosed.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closeErr
}

// Close ends the connection: open calls return ErrClosed, handlers are cancelled, and
// the Transport is closed.
func (c *Conn) Close() { c.end(nil) }

// Call sends a request and waits for its answer. An error answer is an *Error.
// If ctx ends first, Call sends $/cancel_request, unless the protocol forbids it for this
// request, drops a later answer and returns the context's error. A nil result ignores the
// answer.
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
			if method == c.opt.uncancellable {
				return ctx.Err()
			}
			_ = c.Notify(CancelRequest.Name, &CancelRequestNotification{RequestID: NumberID(id)})
			return ctx.Err()
		}
		a = <-ch // the answer came first and is about to be sent
	}
	if a.err != nil || result == nil {
		return a.err
	}
	return decodeResult(method, a.raw, result)
}

// start sends a request. Unless it returns an error, it calls done exactly once, for
// an answer in the order of the wire. done must not block.
func (c *Conn) start(method string, params any, done func(json.RawMessage, error)) (int64, error) {
	id := c.lastID.Add(1)
	rid := NumberID(id)
	message, err := outgoing{ID: &rid, Method: method, Params: params}.encode()
	if err != nil {
		return 0, fmt.Errorf("encode %s: %w", method, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.brokenLocked(); err != nil {
		return 0, err
	}
	c.state.outgoing[id] = done
	c.sendLocked(queued{message: message})
	return id, nil
}

func (c *Conn) forget(id int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, open := c.state.outgoing[id]
	delete(c.state.outgoing, id)
	return open
}

// Notify sends a notification. It does not wait until it is written.
func (c *Conn) Notify(method string, params any) error {
	message, err := outgoing{Method: method, Params: params}.encode()
	if err != nil {
		return fmt.Errorf("encode %s: %w", method, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.brokenLocked(); err != nil {
		return err
	}
	c.sendLocked(queued{message: message})
	return nil
}

// Flush waits until everything sent so far is written. It returns an error if ctx or
// the connection ends first. Call it before Close if the last messages matter.
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
	if c.queued == 0 {
		return c.writeErr // an error has emptied the queue
	}
	return ctx.Err()
}

func (c *Conn) brokenLocked() error {
	if c.closeErr != nil {
		return c.closeErr
	}
	return c.writeErr
}

// sendLocked queues a message. A single goroutine writes them, so messages do not
// interleave and a peer that stops reading blocks only that goroutine.
func (c *Conn) sendLocked(q queued) {
	c.queue = append(c.queue, q)
	c.queued += q.size()
	c.writable.Broadcast()
}

// replyLocked queues an answer when there is room for it, so that a peer that sends
// requests without reading cannot fill the memory.
func (c *Conn) replyLocked(q queued) {
	for c.queued > maxQueued && c.brokenLocked() == nil {
		c.writable.Wait()
	}
	if c.brokenLocked() == nil {
		c.sendLocked(q)
	} else if q.over != nil {
		q.over()
	}
}

// write writes what is queued, until the connection has ended and nothing is left.
func (c *Conn) write() {
	for {
		c.mu.Lock()
		for len(c.queue) == 0 && c.closeErr == nil {
			c.writable.Wait()
		}
		if len(c.queue) == 0 {
			c.mu.Unlock()
			return
		}
		next := c.queue[0]
		c.queue[0] = queued{}
		c.queue = c.queue[1:]
		c.mu.Unlock()

		if c.opt.Tap != nil {
			c.opt.Tap(true, next.message)
		}
		size := next.size()
		err := c.transport.Write(next.message)
		next.message = nil
		if next.over != nil {
			next.over()
		}

		c.mu.Lock()
		c.queued -= size
		c.writable.Broadcast()
		if err != nil {
			c.writeErr = fmt.Errorf("%w: it no longer reads messages: %w", ErrClosed, err)
			for _, q := range c.queue {
				if q.over != nil {
					q.over()
				}
			}
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

// takeOutgoingLocked removes all open calls and returns their callbacks, for the
// caller to call with an error.
func (c *Conn) takeOutgoingLocked() []func(json.RawMessage, error) {
	var open []func(json.RawMessage, error)
	for id, done := range c.state.outgoing {
		open = append(open, done)
		delete(c.state.outgoing, id)
	}
	return open
}

// end closes the connection, once. cause is the error of the reader, if any.
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
	for id := range c.state.incoming { // too late to answer
		delete(c.state.incoming, id)
	}
	c.writable.Broadcast()
	err := c.closeErr
	c.mu.Unlock()

	c.cancel(err)
	_ = c.transport.Close() // the connection is over in any case
	for _, done := range open {
		done(nil, err)
	}
	close(c.done)
}

// Method is a request of the protocol: its name, and the types of its params
// and its result.
type Method[Params, Result any] struct{ Name string }

// Notification is a message of the protocol without an answer.
type Notification[Params any] struct{ Name string }

// Requester makes calls in the types of this package, whatever version the peer speaks.
type Requester interface {
	// Request sends a request and returns at once. It calls done exactly once, as Go
	// does: with nil after filling in result, a pointer, or else with an error.
	Request(method string, params, result any, done func(error))
	// Call sends a request and waits for its answer, as Conn.Call does.
	Call(ctx context.Context, method string, params, result any) error
}

// Call sends a request and waits for its answer, as Conn.Call does.
func Call[P, R any](ctx context.Context, c Requester, m Method[P, R], params *P) (*R, error) {
	result := new(R)
	if err := c.Call(ctx, m.Name, params, result); err != nil {
		return nil, err
	}
	return result, nil
}

// Go sends a request and returns at once. It calls done exactly once, with the answer or
// an error; for an answer, in the order of the wire among the updates. done must not
// block and must not wait for a call on the same connection.
func Go[P, R any](c Requester, m Method[P, R], params *P, done func(*R, error)) {
	result := new(R)
	c.Request(m.Name, params, result, func(err error) {
		if err != nil {
			done(nil, err)
			return
		}
		done(result, nil)
	})
}

// Request implements Requester.
func (c *Conn) Request(method string, params, result any, done func(error)) {
	_, err := c.start(method, params, func(raw json.RawMessage, err error) {
		if err == nil {
			err = decodeResult(method, raw, result)
		}
		done(err)
	})
	if err != nil {
		done(err)
	}
}
