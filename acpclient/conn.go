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

// maxIncoming is how many bytes the params of the requests that are handled at the
// same time may have. Past it the connection stops reading as well; one request
// alone may have more.
const maxIncoming = 32 << 20

// maxQueued is the number of bytes that may wait to be written before answers
// to the peer's requests wait too. Our own calls never wait for it.
const maxQueued = 16 << 20

// queuedOverhead is what a message that waits takes beside its bytes, roughly.
const queuedOverhead = 256

// Transport carries whole messages between two peers. Lines is the one of the
// protocol's stdio; whatever keeps messages apart by itself can be another. Read
// and Write are each called from one goroutine, but from two different ones.
type Transport interface {
	// Read waits for the next message and returns it. It is valid until the next
	// Read. io.EOF is the orderly end. An error that wraps ErrMessageRefused is
	// about one message only, and Read is called again; any other one ends the
	// connection.
	//
	// What is read need not be a message: the connection finds the messages in it
	// and treats the rest as noise.
	Read() ([]byte, error)

	// Write sends one message, which has no line ends in it. The slice and the
	// room behind it are the Transport's from then on. An error is final: nothing
	// is written after it.
	Write(message []byte) error

	// Close is called once, when the connection ends. It ends a Read and a Write
	// that wait, unless that is left to somebody else, and does not wait for the
	// peer.
	Close() error
}

// ErrMessageRefused is wrapped by what a Transport's Read returns for a message
// that it does not take, for instance because it is too long.
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
	// Noise, if set, is called in wire order with each line, or part of a line,
	// that is not a message, for instance a print in an agent's start-up. It
	// must not keep the slice.
	Noise func(line []byte)
	// Refused, if set, is called in wire order with the error for each message that
	// the Transport did not take (see ErrMessageRefused).
	Refused func(error)
	// Tap, if set, sees every line as it is written to or read from the wire,
	// without its end. It must not keep the slice. Reads and writes are tapped
	// from two goroutines.
	Tap func(sent bool, line []byte)
}

// logger is where messages for the log go; it is never nil.
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
	ctx       context.Context // of everything that runs for the peer
	cancel    context.CancelCauseFunc
	slots     chan struct{} // one for each running handler
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

// queued is a message that waits to be written. over, if set, is called once it is
// written, or never will be; with Conn.mu held or not, it must return at once.
type queued struct {
	message []byte
	over    func()
}

// size is how much of maxQueued the message takes.
func (q *queued) size() int { return len(q.message) + queuedOverhead }

// inFlight is what waits for an answer. It is only changed with Conn.mu held.
//
// Every id in outgoing was sent and has not been answered; its done is called
// exactly once, by whoever removes it. Every id in incoming was received and
// has not been answered; its answer is sent exactly once, by whoever removes it.
type inFlight struct {
	outgoing map[int64]func(json.RawMessage, error)
	incoming map[RequestID]context.CancelCauseFunc
	bytes    int // of the params of incoming
}

// NewConn starts to read from t and to write to it. The connection ends when t
// ends, or by Close.
func NewConn(t Transport, receiver Receiver, opt ConnOptions) *Conn {
	opt.Log = opt.logger()
	c := &Conn{
		opt: opt, transport: t, receiver: receiver,
		slots: make(chan struct{}, maxHandlers),
		done:  make(chan struct{}),
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

// Receive has r take what the peer sends from here on, in place of the receiver
// before. It must be called where the order of the wire is kept: while an answer or a
// notification is handled.
func (c *Conn) Receive(r Receiver) { c.receiver = r }

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
// cancelled, the Transport is closed. The reading goroutine ends with the
// Transport's Read.
func (c *Conn) Close() { c.end(nil) }

// Call sends a request and waits for its answer. An error answer is an *Error.
// If ctx ends first, Call sends $/cancel_request, drops a later answer and returns the
// context's error. A nil result ignores the answer.
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
		a = <-ch // the answer came first: it is about to be told
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

// Flush waits until everything that was sent so far is written, and returns nil;
// or until ctx ends or the connection is broken, and returns why. Call it before
// Close if the last messages matter.
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

// sendLocked queues a message. One goroutine writes them all, so that messages
// are never mixed and a peer that has stopped reading holds up nobody but itself.
func (c *Conn) sendLocked(q queued) {
	c.queue = append(c.queue, q)
	c.queued += q.size()
	c.writable.Broadcast()
}

// replyLocked queues an answer to the peer when there is room for it, so that a
// peer that asks and does not read cannot fill our memory.
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

// takeOutgoingLocked removes all open calls and returns their callbacks, which must be
// told that no answer will come.
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
	_ = c.transport.Close() // nobody is left to be told
	for _, done := range open {
		done(nil, err)
	}
	close(c.done)
}

// Method is a request of the protocol: its name, and the types of its params
// and its result.
type Method[Params, Result any] struct{ Name string }

// Notification is a message of the protocol that has no answer.
type Notification[Params any] struct{ Name string }

// Call sends a request and waits for its answer, as Conn.Call does.
func Call[P, R any](ctx context.Context, c *Conn, m Method[P, R], params *P) (*R, error) {
	result := new(R)
	if err := c.Call(ctx, m.Name, params, result); err != nil {
		return nil, err
	}
	return result, nil
}

// Requester makes calls in the types of this package, whatever the peer's own are.
type Requester interface {
	// Request sends a request and returns at once. done is called exactly once: when
	// result, a pointer, is filled in, or with the error that there is no answer. It is
	// called as Go calls it.
	Request(method string, params, result any, done func(error))
}

// CallWith is Call over a Requester. When ctx ends first its error is returned, and the
// peer is not told.
func CallWith[P, R any](ctx context.Context, c Requester, m Method[P, R], params *P) (*R, error) {
	type answer struct {
		result *R
		err    error
	}
	answers := make(chan answer, 1)
	Go(c, m, params, func(r *R, err error) { answers <- answer{r, err} })
	select {
	case a := <-answers:
		return a.result, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Go sends a request and returns at once. done is called exactly once, with the
// answer or with the error that there will be none; if an answer comes, then in
// the order of the wire, after the updates before it and before those behind
// it. done must not block and must not wait for a call on the same connection.
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

// Request implements Requester: the types are those of the wire.
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
