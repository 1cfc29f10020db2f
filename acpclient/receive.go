package acpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
)

// read reads lines until the peer closes. A line is the result of one Read of the
// transport.
func (c *Conn) read() {
	for {
		line, err := c.transport.Read()
		switch {
		case errors.Is(err, ErrMessageRefused):
			c.refuse(err)
			continue
		case err != nil:
			c.end(err)
			return
		}
		if c.ctx.Err() != nil {
			continue // the connection is closed: drain the peer's output
		}
		if c.opt.Tap != nil {
			c.opt.Tap(false, line)
		}
		c.line(line)
	}
}

// refuse answers a message that the transport has refused. If the message is an answer itself, it fails the
// call.
func (c *Conn) refuse(err error) {
	c.opt.Log.Error("a message from the peer was refused", "error", err)
	if c.opt.Refused != nil {
		c.opt.Refused(err)
	}
	var m envelope
	if r, is := errors.AsType[*Refusal](err); is {
		if !bytes.HasPrefix(r.outline, []byte("{")) || !m.read(r.outline) {
			m = envelope{} // also for an id that is none
		}
	}
	switch e := (&Error{Code: CodeInvalidRequest, Message: err.Error()}); {
	case m.Method != "" && m.ID.IsZero() && !m.nullID: // a notification
	case m.Method == "" && len(m.Result)+len(m.Error) > 0:
		m.Error, _ = Marshal(e)
		c.response(&m)
	default:
		c.mu.Lock()
		defer c.mu.Unlock()
		c.rejectLocked(m.ID, e)
	}
}

// rejectLocked answers a request that is not handled.
func (c *Conn) rejectLocked(id RequestID, e *Error) {
	message, _ := outgoing{ID: &id, Error: e}.encode()
	c.replyLocked(queued{message: message})
}

// line handles a line: a message, noise, or both.
func (c *Conn) line(line []byte) {
	trimmed := bytes.TrimSpace(line)
	if len(trimmed) == 0 {
		return
	}
	var m envelope
	if trimmed[0] == '{' && m.read(trimmed) {
		c.message(&m, trimmed)
		return
	}
	c.mixed(trimmed)
}

// mixed finds the messages in a line that is not one: text printed around a message
// without a line end, several messages on one line, a truncated message before a whole
// one, or a batch. JSON without "jsonrpc" is noise, including all objects in it.
func (c *Conn) mixed(line []byte) {
	if batch := batchOf(line); len(batch) > 0 {
		for _, raw := range batch {
			c.line(raw)
		}
		return
	}
	from, at := 0, 0 // line[from:at] is noise
	last := bytes.LastIndex(line, []byte(`"jsonrpc"`))
	for effort := mostEffort*len(line) + readBuffer; effort > 0 && at < last; {
		open := bytes.IndexByte(line[at:], '{')
		if open < 0 {
			break
		}
		at += open
		raw, scanned := objectIn(line[at:])
		if raw == nil {
			effort -= scanned
			at++
			continue
		}
		var m envelope
		if !m.read(raw) || len(m.JSONRPC) == 0 {
			at += len(raw)
			continue
		}
		c.noise(line[from:at])
		c.message(&m, raw)
		at += len(raw)
		from = at
	}
	c.noise(line[from:])
}

// mostEffort limits how often mixed scans each byte of a line: in a malicious line every
// brace might begin a message.
const mostEffort = 4

// batchOf returns the items of an array of objects, or nil.
func batchOf(line []byte) []json.RawMessage {
	var batch []json.RawMessage
	notObject := func(raw json.RawMessage) bool { return raw[0] != '{' }
	if line[0] != '[' || json.Unmarshal(line, &batch) != nil || slices.ContainsFunc(batch, notObject) {
		return nil
	}
	return batch
}

// objectIn returns the JSON object that b begins with, or nil, and how many bytes it
// scanned.
func objectIn(b []byte) (object []byte, scanned int) {
	if key := bytes.TrimLeft(b[1:min(len(b), 100)], " \t"); len(key) == 0 || key[0] != '"' {
		return nil, 0 // not a message
	}
	const start = 512 // what starting a decoder costs, in bytes scanned
	dec := json.NewDecoder(bytes.NewReader(b))
	var raw json.RawMessage
	err := dec.Decode(&raw)
	if err == nil {
		end := int(dec.InputOffset())
		return b[:end], start + end
	}
	if syntax, is := errors.AsType[*json.SyntaxError](err); is {
		return nil, start + int(syntax.Offset)
	}
	return nil, start + len(b)
}

func (c *Conn) noise(line []byte) {
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	c.opt.Log.Debug("noise on the wire", "line", string(line[:min(len(line), 500)]))
	if c.opt.Noise != nil {
		c.opt.Noise(line)
	}
}

func (c *Conn) message(m *envelope, raw []byte) {
	switch {
	case m.Method == CancelRequest.Name && m.ID.IsZero():
		var n CancelRequestNotification
		if decode(m.Params, &n) == nil {
			c.mu.Lock()
			cancel := c.state.incoming[n.RequestID]
			c.mu.Unlock()
			if cancel != nil {
				cancel(errPeerCancelled)
			}
		}
	case m.Method != "" && m.nullID:
		m.ID = nullID
		c.request(m)
	case m.Method != "" && m.ID.IsZero():
		c.notification(m)
	case m.Method != "":
		c.request(m)
	case !m.ID.IsZero() && len(m.JSONRPC)+len(m.Result)+len(m.Error) > 0:
		c.response(m)
	case len(m.Error) > 0 && len(m.JSONRPC) > 0:
		// The peer could not read one of our messages, nor its id.
		c.opt.Log.Error("the peer reports an error without an id", "error", string(m.Error))
	default:
		c.noise(raw)
	}
}

// errPeerCancelled is the cause of a handler's context when the peer has cancelled its
// request.
var errPeerCancelled = errors.New("the peer cancelled its request")

func (c *Conn) notification(m *envelope) {
	defer c.recovered(m.Method, nil)
	c.receiver.HandleNotification(c.ctx, m.Method, m.Params)
}

func (c *Conn) response(m *envelope) {
	var done func(json.RawMessage, error)
	if id, ok := m.ID.number(); ok {
		c.mu.Lock()
		done = c.state.outgoing[id]
		delete(c.state.outgoing, id)
		c.mu.Unlock()
	}
	if done == nil {
		c.opt.Log.Debug("answer to no open request", "id", m.ID)
		return
	}
	defer c.recovered("an answer", nil)
	if len(m.Error) > 0 && string(m.Error) != "null" {
		e := &Error{}
		_ = decode(m.Error, e) // takes anything
		done(nil, e)
		return
	}
	done(bytes.Clone(m.Result), nil)
}

// request runs the handler in a goroutine, and lets the reader continue only when the
// handler has returned or called Async: so messages are handled in the order of the
// wire.
func (c *Conn) request(m *envelope) {
	size := len(m.Params)
	c.mu.Lock()
	full := func() bool {
		return c.state.handlers == MaxHandlers || c.state.bytes > 0 && c.state.bytes+size > maxIncoming
	}
	for full() && !c.opt.Rejects && c.closeErr == nil {
		c.writable.Wait()
	}
	_, taken := c.state.incoming[m.ID]
	if taken || full() || c.closeErr != nil {
		e := ErrTooMany
		if taken {
			e = &Error{Code: CodeInvalidRequest, Message: "a request with this id is still open"}
		}
		c.rejectLocked(m.ID, e)
		c.mu.Unlock()
		return
	}
	ctx, cancel := context.WithCancelCause(c.ctx)
	c.state.incoming[m.ID] = cancel
	c.state.handlers++
	c.state.bytes += size
	c.mu.Unlock()
	m.Params = bytes.Clone(m.Params)

	ended := make(chan struct{})
	hold := &hold{end: sync.OnceFunc(func() { close(ended) })}
	ctx = context.WithValue(ctx, holdKey{}, hold)
	go func() {
		defer hold.end()
		result, err := c.handle(ctx, m)
		c.answer(ctx, m, size, result, err, hold.over)
		cancel(nil)
	}()
	select {
	case <-ended:
	case <-c.ctx.Done():
	}
}

func (c *Conn) handle(ctx context.Context, m *envelope) (result any, err error) {
	defer c.recovered(m.Method, &err)
	params := m.Params
	m.Params = nil // they may be large, and m lives longer
	return c.receiver.HandleRequest(ctx, m.Method, params)
}

// recovered recovers from a panic of a handler or callback.
func (c *Conn) recovered(method string, err *error) {
	if p := recover(); p != nil {
		c.opt.Log.Error("a handler panicked", "method", method, "panic", p, "stack", string(debug.Stack()))
		if err != nil {
			*err = &Error{Code: CodeInternalError, Message: fmt.Sprintf("the handler of %s failed", method)}
		}
	}
}

// answer sends the answer to a request with params of a size. over is called when it was written or dropped.
func (c *Conn) answer(ctx context.Context, m *envelope, size int, result any, err error, over func()) {
	id := m.ID
	out := outgoing{ID: &id}
	var e *Error
	switch {
	case errors.As(err, &e):
		out.Error = e
	case err != nil && errors.Is(context.Cause(ctx), errPeerCancelled):
		out.Error = &Error{Code: CodeRequestCancelled, Message: "Request cancelled"}
	case err != nil:
		out.Error = &Error{Code: CodeInternalError, Message: err.Error()}
	case result == nil:
		out.Result = struct{}{}
	default:
		out.Result = result
	}
	message, encErr := out.encode()
	if encErr != nil {
		message, _ = outgoing{ID: &id, Error: &Error{Code: CodeInternalError, Message: encErr.Error()}}.encode()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	defer func() { // before the peer has the answer
		c.state.handlers--
		c.state.bytes -= size
		c.writable.Broadcast()
	}()
	if _, open := c.state.incoming[m.ID]; !open {
		over() // the connection has ended
		return
	}
	delete(c.state.incoming, m.ID)
	c.replyLocked(queued{message, over})
}

// hold is a request handler's hold on the reader, which reads no other message until it
// ends.
type hold struct {
	end func()

	mu       sync.Mutex
	answered []func()
}

type holdKey struct{}

// over calls the functions of OnAnswered.
func (h *hold) over() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, f := range h.answered {
		f()
	}
	h.answered = nil
}

// Async lets a request handler run concurrently with the messages after its request,
// which otherwise wait for it. Call it before waiting, for instance for the user. It may
// be called twice, and with a context that is not a handler's.
func Async(ctx context.Context) {
	if h, ok := ctx.Value(holdKey{}).(*hold); ok {
		h.end()
	}
}

// OnAsync returns a context whose handler calls f, once, by its first Async.
func OnAsync(ctx context.Context, f func()) context.Context {
	return context.WithValue(ctx, holdKey{}, &hold{end: sync.OnceFunc(f)})
}

// OnAnswered arranges for f to be called when the answer to the request with ctx was
// written or dropped, so that a handler can limit the memory that its answers hold. f
// must return at once and not use the connection. If ctx is not a handler's, OnAnswered
// returns false and does not call f.
func OnAnswered(ctx context.Context, f func()) bool {
	h, ok := ctx.Value(holdKey{}).(*hold)
	if ok {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.answered = append(h.answered, f)
	}
	return ok
}

// decodeResult decodes an answer; null and no result at all mean {}.
func decodeResult(method string, raw json.RawMessage, result any) error {
	if len(raw) == 0 || string(raw) == "null" {
		raw = json.RawMessage("{}")
	}
	if err := decode(raw, result); err != nil {
		return fmt.Errorf("cannot read the agent's answer to %s: %w", method, err)
	}
	return nil
}
