package host

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"sync"
)

// history is every event of the session as a line, in an already deleted file, which
// disappears with the host. It is safe for concurrent use.
type history struct {
	mu     sync.Mutex
	file   file
	filed  int64  // bytes in the file, which never change
	rest   []byte // what follows if the file could not be written; it only grows
	closed bool
	grown  chan struct{}
}

// file is the part of [os.File] that a history uses.
type file interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
}

func newHistory(dir string) (*history, error) {
	f, err := os.CreateTemp(dir, "history-")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &history{file: f, grown: make(chan struct{})}, nil
}

// add appends lines. After a write error, these and later ones stay in memory.
func (h *history) add(lines []byte) (err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.rest == nil {
		var n int
		n, err = h.file.WriteAt(lines, h.filed)
		h.filed += int64(n)
		lines = lines[n:]
	}
	h.rest = append(h.rest, lines...)
	h.tell()
	return err
}

// tell wakes waiting readers. h.mu must be held.
func (h *history) tell() {
	close(h.grown)
	h.grown = make(chan struct{})
}

// size returns the current length of the history.
func (h *history) size() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.filed + int64(len(h.rest))
}

// close marks the history as complete.
func (h *history) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	h.tell()
}

// discard frees the space. Nobody may read any more.
func (h *history) discard() error { return h.file.Close() }

// errOver means that a complete history has been read to its end.
var errOver = errors.New("the history is complete")

// read waits until the history extends past a position, and returns whole lines from there,
// roughly most bytes. It uses buf if that is large enough.
func (h *history) read(ctx context.Context, at int64, most int, buf []byte) ([]byte, error) {
	for {
		h.mu.Lock()
		from, filed, rest, closed, grown := h.file, h.filed, h.rest, h.closed, h.grown
		h.mu.Unlock()
		if at < filed+int64(len(rest)) {
			return lines(from, filed, rest, at, most, buf)
		}
		if closed {
			return nil, errOver
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// lines returns whole lines from a position in a file followed by rest.
func lines(file io.ReaderAt, filed int64, rest []byte, at int64, most int, buf []byte) ([]byte, error) {
	for ; ; most *= 2 {
		size := int(min(int64(most), filed+int64(len(rest))-at))
		if cap(buf) < size {
			buf = make([]byte, size)
		}
		buf = buf[:size]
		n := 0
		if at < filed {
			var err error
			if n, err = file.ReadAt(buf[:min(int64(size), filed-at)], at); err != nil {
				return nil, err
			}
		}
		if n < size {
			copy(buf[n:], rest[at+int64(n)-filed:])
		}
		if end := bytes.LastIndexByte(buf, '\n'); end >= 0 {
			return buf[:end+1], nil
		}
	}
}
