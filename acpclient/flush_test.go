package acpclient

import (
	"bufio"
	"context"
	"errors"
	"io"
	"testing"
)

func TestFlushWaitsForTheLastWord(t *testing.T) {
	in, feed := io.Pipe()
	read, out := io.Pipe()
	c := NewConn(NewLines(in, out), &peer{release: make(chan struct{})}, ConnOptions{})
	t.Cleanup(func() { _, _, _ = feed.Close(), read.Close(), out.Close(); <-c.Done() })

	if err := c.Flush(t.Context()); err != nil {
		t.Errorf("with nothing to write: %v", err)
	}
	if err := c.Notify("last", nil); err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := c.Flush(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("with nobody reading: %v", err)
	}
	lines := bufio.NewScanner(read)
	if !lines.Scan() {
		t.Fatal(lines.Err())
	}
	if err := c.Flush(t.Context()); err != nil {
		t.Errorf("after it was read: %v", err)
	}
	c.Close()
	if err := c.Notify("more", nil); !errors.Is(err, ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
}
