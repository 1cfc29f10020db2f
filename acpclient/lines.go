package acpclient

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

const (
	// readBuffer has room for nearly every line, which is then decoded in place.
	readBuffer = 64 << 10
	// keepBuffer limits the buffer for long lines that is kept for reuse.
	keepBuffer = 1 << 20
	// DefaultMaxLine is the default of Lines.MaxLine. Decoding and storing a message
	// takes several times its size.
	DefaultMaxLine = 24 << 20
)

// Lines is the Transport of the protocol's stdio: a message is a line of UTF-8
// that ends with "\n" or "\r\n" (see "Transports" in the protocol's pages).
type Lines struct {
	// MaxLine is the maximum length of a line in bytes, including its end. Read refuses
	// a longer line and continues with the next. Set it before the first Read.
	MaxLine int

	r    *bufio.Reader
	w    io.Writer
	long Joined // a line longer than the read buffer
}

// NewLines returns a Transport over r and w, for instance a Process's Stdout and Stdin.
// The caller keeps both, and closes them to unblock Read and Write.
func NewLines(r io.Reader, w io.Writer) *Lines {
	return &Lines{MaxLine: DefaultMaxLine, r: bufio.NewReaderSize(r, readBuffer), w: w}
}

// Read implements Transport. The last line may lack an end.
func (l *Lines) Read() ([]byte, error) {
	line, err := l.r.ReadSlice('\n')
	if err == nil && len(line) <= l.MaxLine {
		return trimEnd(line), nil
	}
	l.long.Limit = l.MaxLine
	for _, _ = l.long.Write(line); errors.Is(err, bufio.ErrBufferFull); _, _ = l.long.Write(line) {
		line, err = l.r.ReadSlice('\n')
	}
	line, refused := l.long.Take()
	switch {
	case refused != nil:
		return nil, refused
	case err != nil && (len(line) == 0 || !errors.Is(err, io.EOF)):
		return nil, err
	}
	return trimEnd(line), nil
}

// Write implements Transport with a single Write of the writer.
func (l *Lines) Write(message []byte) error {
	_, err := l.w.Write(append(message, '\n'))
	return err
}

// Close does nothing: reader and writer belong to the caller, and output of the peer is
// read to its end, so that the peer does not block.
func (l *Lines) Close() error { return nil }

func trimEnd(line []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
}
