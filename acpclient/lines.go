package acpclient

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
)

const (
	// readBuffer is large enough for nearly every line, so that a line is
	// mostly decoded where it was read.
	readBuffer = 64 << 10
	// keepBuffer bounds what is kept between two lines for long ones.
	keepBuffer = 1 << 20
	// DefaultMaxLine is the longest line, in bytes with its end, that Lines takes
	// unless it is told otherwise. A message takes several times its size while it is
	// decoded, folded and stored.
	DefaultMaxLine = 24 << 20
)

// Lines is the Transport of the protocol's stdio: a message is a line of UTF-8
// that ends with "\n" or "\r\n" (see "Transports" in the protocol's pages).
type Lines struct {
	// MaxLine is the longest line taken, in bytes with its end. A longer one is
	// refused alone: the next one is read as if nothing had happened. It may be
	// changed before the first Read.
	MaxLine int

	r    *bufio.Reader
	w    io.Writer
	long []byte // a line longer than the read buffer, joined
}

// NewLines reads lines from r and writes lines to w, for instance a Process's
// Stdout and Stdin. Both stay the caller's: to end a Read or Write that waits,
// close them.
func NewLines(r io.Reader, w io.Writer) *Lines {
	return &Lines{MaxLine: DefaultMaxLine, r: bufio.NewReaderSize(r, readBuffer), w: w}
}

// Read returns the next line without its end. The last line may lack an end;
// after it comes io.EOF.
func (l *Lines) Read() ([]byte, error) {
	if cap(l.long) > keepBuffer {
		l.long = nil
	}
	line, err := l.r.ReadSlice('\n')
	if err == nil && len(line) <= l.MaxLine {
		return trimEnd(line), nil
	}
	l.long = append(l.long[:0], line...)
	size := len(line)
	for errors.Is(err, bufio.ErrBufferFull) {
		line, err = l.r.ReadSlice('\n')
		size += len(line)
		if size <= l.MaxLine {
			if size > cap(l.long) {
				l.long = slices.Grow(l.long, size) // double it: append adds only a quarter
			}
			l.long = append(l.long, line...)
		}
	}
	if size > l.MaxLine {
		return nil, fmt.Errorf("%w: a line of %d bytes, the bound is %d", ErrMessageRefused, size, l.MaxLine)
	}
	if err != nil && (len(l.long) == 0 || !errors.Is(err, io.EOF)) {
		return nil, err
	}
	return trimEnd(l.long), nil
}

// Write writes the message as a line, in one Write of the writer.
func (l *Lines) Write(message []byte) error {
	_, err := l.w.Write(append(message, '\n'))
	return err
}

// Close does nothing: the reader and the writer are the caller's, and what the
// peer still says is read, so that it can end in peace.
func (l *Lines) Close() error { return nil }

func trimEnd(line []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
}
