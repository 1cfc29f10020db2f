package acpclient_test

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"testing"

	"parley/acpclient"
)

// endless is a line without an end, up to a number of bytes.
type endless struct{ left int }

func (e *endless) Read(b []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n := min(len(b), e.left)
	copy(b[:n], bytes.Repeat([]byte("x"), n))
	e.left -= n
	return n, nil
}

// A line beyond the bound costs no more than one within it.
func TestRefusedLineIsNotKept(t *testing.T) {
	lines := acpclient.NewLines(io.MultiReader(&endless{300 << 20}, bytes.NewReader([]byte("\nnext\n"))), io.Discard)
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	_, err := lines.Read()
	runtime.ReadMemStats(&now)
	if !errors.Is(err, acpclient.ErrMessageRefused) {
		t.Fatalf("got %v", err)
	}
	if took := now.Sys - before.Sys; took > 128<<20 {
		t.Errorf("it took %d MB", took>>20)
	}
	if line, err := lines.Read(); string(line) != "next" {
		t.Errorf("after it: %q, %v", line, err)
	}
}
