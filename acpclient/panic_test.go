package acpclient

import (
	"fmt"
	"io"
	"testing"
)

// What takes an answer may panic; the connection goes on.
func TestAPanicInAnAnswerStaysThere(t *testing.T) {
	in, feed := io.Pipe()
	c := NewConn(NewLines(in, io.Discard), &peer{release: make(chan struct{})}, ConnOptions{})
	t.Cleanup(func() { _ = feed.Close(); <-c.Done() })
	Go(c, SessionDelete, &DeleteSessionRequest{SessionID: "a"}, func(*DeleteSessionResponse, error) { panic("a bad day") })
	next := make(chan error, 1)
	Go(c, SessionDelete, &DeleteSessionRequest{SessionID: "b"}, func(_ *DeleteSessionResponse, err error) { next <- err })
	for id := 1; id <= 2; id++ {
		if _, err := fmt.Fprintf(feed, `{"jsonrpc":"2.0","id":%d,"result":{}}`+"\n", id); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-next; err != nil {
		t.Errorf("the answer behind it: %v", err)
	}
}
