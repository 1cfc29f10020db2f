package acpclient

import (
	"context"
	"encoding/json"
)

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
	GoWith(c, m, params, func(r *R, err error) { answers <- answer{r, err} })
	select {
	case a := <-answers:
		return a.result, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// GoWith is Go over a Requester.
func GoWith[P, R any](c Requester, m Method[P, R], params *P, done func(*R, error)) {
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

// Go sends a request and returns at once. done is called exactly once, with the
// answer or with the error that there will be none; if an answer comes, then in
// the order of the wire, after the updates before it and before those behind
// it. done must not block and must not wait for a call on the same connection.
func Go[P, R any](c *Conn, m Method[P, R], params *P, done func(*R, error)) {
	GoWith(c, m, params, done)
}
