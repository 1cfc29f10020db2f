package acpclient

import (
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"time"
)

// mostLeft is how much of an ended process's output is read at most, in bytes. No
// pipe holds so much, so that nothing is lost but what is written after the end
// by somebody else.
const mostLeft = 4 << 20

// output is the reading end of a process's stdout. A read deadline in the past
// tells it that the process has ended: from then on it returns what is left in
// the pipe, and ends when nothing has come for a while, even if another process
// still holds the other end.
type output struct {
	file  *os.File
	ended bool
	left  int   // bytes that are still taken once the process has ended
	err   error // how it ended; the file is closed then
}

func (o *output) Read(b []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	if !o.ended {
		n, err := o.file.Read(b)
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, o.closeOn(err)
		}
		o.ended = true
	}
	if o.left == 0 {
		return 0, o.closeOn(io.EOF)
	}
	_ = o.file.SetReadDeadline(time.Now().Add(drainGrace))
	n, err := o.file.Read(b[:min(len(b), o.left)])
	o.left -= n
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = io.EOF
	}
	return n, o.closeOn(err)
}

// closeOn closes the pipe if err is not nil, and returns err.
func (o *output) closeOn(err error) error {
	if err != nil {
		o.err = err
		_ = o.file.Close()
	}
	return err
}

func (o *output) Close() error { return o.file.Close() }

// tail is a writer that keeps the last max bytes.
type tail struct {
	mu  sync.Mutex
	max int
	buf []byte
}

// Write keeps the end of the output.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b...)
	if len(t.buf) > 2*t.max {
		t.buf = append(t.buf[:0], t.buf[len(t.buf)-t.max:]...)
	}
	return len(b), nil
}

// String returns what was kept.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	b := t.buf[max(0, len(t.buf)-t.max):]
	return strings.ToValidUTF8(string(b), "\uFFFD")
}
