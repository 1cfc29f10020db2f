package acpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
)

// A call whose context has ended already is not sent.
func TestCallWithEndedContext(t *testing.T) {
	c, w := connect(t, &listener{}, ConnOptions{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := c.Conn().Call(ctx, "x/call", nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	_ = c.Cancel(&CancelNotification{SessionID: "s"})
	if m := w.receive(); m.Method != SessionCancel.Name {
		t.Errorf("sent %s", m.Method)
	}
}

// When a call's context ends the agent is told which request it was, and a late
// answer is dropped.
func TestCancelledCall(t *testing.T) {
	c, w := connect(t, &listener{}, ConnOptions{})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- c.Conn().Call(ctx, "x/call", nil, nil) }()
	call := w.receive()
	cancel()
	if m := w.receive(); m.Method != CancelRequest.Name || string(m.Params) != `{"requestId":`+string(call.ID)+`}` {
		t.Errorf("%s %s", m.Method, m.Params)
	}
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	w.send(`{"jsonrpc":"2.0","id":` + string(call.ID) + `,"result":{}}`)
	go func() { done <- c.Conn().Call(context.Background(), "x/call", nil, nil) }()
	next := w.receive()
	w.send(`{"jsonrpc":"2.0","id":` + string(next.ID) + `,"result":{}}`)
	if err := <-done; err != nil {
		t.Errorf("the next call: %v", err)
	}
}

// Handlers are cancelled when the connection ends, and answer nobody.
func TestCloseCancelsHandlers(t *testing.T) {
	began, ended := make(chan struct{}), make(chan error, 1)
	c, w := connect(t, &listener{
		onPermission: func(ctx context.Context, _ *RequestPermissionRequest) (*RequestPermissionResponse, error) {
			close(began)
			<-ctx.Done()
			ended <- context.Cause(ctx)
			return nil, ctx.Err()
		},
	}, ConnOptions{})
	w.send(`{"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t"},"options":[]}}`)
	<-began
	c.Conn().Close()
	if err := <-ended; !errors.Is(err, ErrClosed) {
		t.Errorf("cause %v", err)
	}
	if err := c.Cancel(&CancelNotification{SessionID: "s"}); !errors.Is(err, ErrClosed) {
		t.Errorf("notify after close: %v", err)
	}
	Go(c.Conn(), SessionPrompt, &PromptRequest{SessionID: "s"}, func(_ *PromptResponse, err error) { ended <- err })
	if err := <-ended; !errors.Is(err, ErrClosed) {
		t.Errorf("Go after close: %v", err)
	}
}

// Many calls at once, some given up, on a connection that is closed under them:
// each returns once, and nothing races.
func TestManyCallsUnderClose(t *testing.T) {
	conn := pair(t, &peer{release: make(chan struct{})})
	var wg sync.WaitGroup
	for i := range 200 {
		ctx, cancel := context.WithCancel(context.Background())
		wg.Go(func() {
			defer cancel()
			var got json.RawMessage
			err := conn.Call(ctx, []string{"echo", "wait", "panic"}[i%3], i, &got)
			if err == nil && string(got) != fmt.Sprint(i) {
				t.Errorf("call %d got %s", i, got)
			}
		})
		if i%5 == 0 {
			wg.Go(cancel)
		}
	}
	wg.Go(conn.Close)
	wg.Wait()
}
