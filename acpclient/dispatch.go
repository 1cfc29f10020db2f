package acpclient

import (
	"context"
	"encoding/json"
	"log/slog"
	"reflect"
	"sync/atomic"
)

// clientMethod is one entry of the table of client methods.
type clientMethod struct {
	name           string
	params, result reflect.Type // result is nil for a notification
	// offered reports whether a client with these capabilities takes it.
	offered func(*ClientCapabilities) bool
	// take decodes the params, which are valid JSON or empty, and hands them to the
	// handler's method.
	take func(ctx context.Context, h Handler, params json.RawMessage) (any, error)
}

// requestMethod is the entry of a request that is taken by a method of Handler.
func requestMethod[P, R any](
	m Method[P, R],
	answer func(Handler, context.Context, *P) (*R, error),
	offered func(*ClientCapabilities) bool,
) clientMethod {
	take := func(ctx context.Context, h Handler, params json.RawMessage) (any, error) {
		p := new(P)
		if err := decode(params, p); err != nil {
			return nil, invalidParams(m.Name, err)
		}
		result, err := answer(h, ctx, p)
		if err != nil {
			return nil, err
		}
		if result == nil {
			result = new(R)
		}
		return result, nil
	}
	return clientMethod{name: m.Name, params: reflect.TypeFor[P](), result: reflect.TypeFor[R](), offered: offered, take: take}
}

// notificationMethod is the entry of a notification that is taken by a method of
// Handler. No client has to ask for it.
func notificationMethod[P any](n Notification[P], tell func(Handler, context.Context, *P)) clientMethod {
	take := func(ctx context.Context, h Handler, params json.RawMessage) (any, error) {
		p := new(P)
		if err := decode(params, p); err != nil {
			return nil, err
		}
		tell(h, ctx, p)
		return nil, nil
	}
	return clientMethod{name: n.Name, params: reflect.TypeFor[P](), offered: always, take: take}
}

func tableOf(methods ...clientMethod) map[string]clientMethod {
	table := make(map[string]clientMethod, len(methods))
	for _, m := range methods {
		table[m.name] = m
	}
	return table
}

// dispatcher hands what an agent sends to a Handler.
type dispatcher struct {
	handler Handler
	offered atomic.Pointer[ClientCapabilities]
	log     *slog.Logger
}

// HandleNotification implements Receiver.
func (d *dispatcher) HandleNotification(ctx context.Context, method string, params json.RawMessage) {
	m, known := clientMethods[method]
	if !known {
		return
	}
	if m.result != nil {
		d.log.Warn("ignored a request without an id", "method", method)
		return
	}
	if _, err := m.take(ctx, d.handler, params); err != nil {
		d.log.Warn("ignored a notification", "method", method, "error", err)
	}
}

// HandleRequest implements Receiver. A notification that has an id, such as null, is
// taken all the same.
func (d *dispatcher) HandleRequest(ctx context.Context, method string, params json.RawMessage) (any, error) {
	m, known := clientMethods[method]
	switch {
	case known && m.result != nil && m.offered(d.offered.Load()):
		return m.take(ctx, d.handler, params)
	case known && m.result == nil:
		d.HandleNotification(ctx, method, params)
		return nil, nil
	case known:
		if x, ok := d.handler.(UnofferedHandler); ok {
			x.Unoffered(method)
		}
	}
	return nil, MethodNotFoundError(method)
}
