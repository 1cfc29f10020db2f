package test

import (
	"context"
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coder/websocket"
)

// A server can be closed at any moment: also when somebody is just connecting.
func TestClosesWhileSomebodyConnects(t *testing.T) {
	for range 300 {
		s := &Server{Agent: func(_ context.Context, in io.Reader, _ io.Writer) { _, _ = io.Copy(io.Discard, in) }}
		web := httptest.NewServer(s)
		dialled := make(chan struct{})
		go func() {
			defer close(dialled)
			if conn, _, err := websocket.Dial(t.Context(), strings.Replace(web.URL, "http", "ws", 1), nil); err == nil {
				_ = conn.CloseNow()
			}
		}()
		s.Close()
		<-dialled
		web.Close()
	}
}
