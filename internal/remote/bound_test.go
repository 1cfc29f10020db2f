package remote

import (
	"bytes"
	"io"
	"runtime"
	"strings"
	"testing"

	"parley/acpclient"
)

// An event that does not end takes no more memory than the longest message.
func TestEndlessEventIsNotKept(t *testing.T) {
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	line := strings.Repeat("x", readBuffer)
	parts := []io.Reader{strings.NewReader("data: ")}
	for range (300 << 20) / readBuffer {
		parts = append(parts, strings.NewReader(line))
	}
	_, err := newEvents(io.MultiReader(parts...), acpclient.DefaultMaxLine).next()
	runtime.ReadMemStats(&now)
	if err != io.EOF {
		t.Fatalf("got %v", err)
	}
	if took := now.Sys - before.Sys; took > 160<<20 {
		t.Errorf("an event took %d MB", took>>20)
	}
}

// Neither does a message over WebSocket, in however many fragments.
func TestLongMessageIsNotKept(t *testing.T) {
	a, err := New(Options{URL: "ws://localhost"})
	if err != nil {
		t.Fatal(err)
	}
	s := &socket{agent: a}
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	_, err = s.message(io.LimitReader(zeros{}, 300<<20))
	runtime.ReadMemStats(&now)
	if err == nil {
		t.Fatal("it was taken")
	}
	if took := now.Sys - before.Sys; took > 160<<20 {
		t.Errorf("a message took %d MB", took>>20)
	}
}

// zeros is an endless message.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	return copy(b, bytes.Repeat([]byte("0"), len(b))), nil
}
