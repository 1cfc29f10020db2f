package remote

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
)

// oneConn is a listener that accepts one connection.
type oneConn chan net.Conn

// Accept implements net.Listener.
func (l oneConn) Accept() (net.Conn, error) {
	if c, ok := <-l; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

// Close implements net.Listener.
func (l oneConn) Close() error { close(l); return nil }

// Addr implements net.Listener.
func (l oneConn) Addr() net.Addr { return &net.UnixAddr{} }

// While a long message is on its way out, the server cannot be asked whether it is there.
// It is given up when nothing moves any more, and not before.
func TestASlowUploadIsNoSilence(t *testing.T) {
	message := strings.Repeat("x", 500_000)
	for _, tt := range []struct {
		name  string
		reads func(r io.Reader) // the message
		kept  bool
	}{
		{"it begins late", func(r io.Reader) { time.Sleep(pingEvery + pingPatience/2); _, _ = io.Copy(io.Discard, r) }, true},
		{"it reads slowly", func(r io.Reader) {
			for {
				time.Sleep(time.Second)
				if _, err := io.CopyN(io.Discard, r, 4<<10); err != nil {
					return
				}
			}
		}, true},
		{"it does not read", func(r io.Reader) { time.Sleep(time.Hour) }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				here, there := net.Pipe()
				listener := make(oneConn, 1)
				listener <- there
				served := make(chan struct{})
				web := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					defer close(served)
					c, err := websocket.Accept(w, r, nil)
					if err != nil {
						t.Error(err)
						return
					}
					defer c.CloseNow()
					c.SetReadLimit(-1)
					if _, r, err := c.Reader(context.Background()); err == nil {
						tt.reads(r)
					}
					_, _, _ = c.Read(context.Background())
				})}
				go func() { _ = web.Serve(listener) }()
				defer web.Close()

				a, err := New(Options{URL: "ws://localhost"})
				if err != nil {
					t.Fatal(err)
				}
				a.dial = func(context.Context, string, string) (net.Conn, error) { return here, nil }
				c := a.Connect()
				lost := make(chan error, 1)
				go func() {
					_, err := c.Read()
					lost <- err
				}()
				err = c.Write([]byte(message))
				if tt.kept && err != nil {
					t.Errorf("given up: %v", err)
				}
				if !tt.kept && !strings.Contains(err.Error(), errSilent.Error()) {
					t.Errorf("it ended with %v", err)
				}
				c.Stop(context.Background())
				if err := <-lost; tt.kept && !errors.Is(err, net.ErrClosed) {
					t.Errorf("reading ended with %v", err)
				}
				<-served
			})
		})
	}
}
