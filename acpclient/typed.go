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

// Go sends a request and returns at once. done is called exactly once, with the
// answer or with the error that there will be none; if an answer comes, then in
// the order of the wire, after the updates before it and before those behind
// it. done must not block and must not wait for a call on the same connection.
func Go[P, R any](c *Conn, m Method[P, R], params *P, done func(*R, error)) {
	_, err := c.start(m.Name, params, func(raw json.RawMessage, err error) {
		if err != nil {
			done(nil, err)
			return
		}
		result := new(R)
		if err := decodeResult(m.Name, raw, result); err != nil {
			done(nil, err)
			return
		}
		done(result, nil)
	})
	if err != nil {
		done(nil, err)
	}
}
