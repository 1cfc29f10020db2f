package acpclient

import (
	"bufio"
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
	// DefaultMaxLine is the longest line, in bytes with its end, that a
	// connection takes.
	DefaultMaxLine = 256 << 20
)

// errLineTooLong reports one refused line; the lines after it are read.
var errLineTooLong = errors.New("line too long")

// lineReader cuts a stream into lines. A line has no fixed bound but max; only
// a line that is longer is refused, and the next one is read as if nothing had
// happened.
type lineReader struct {
	r    *bufio.Reader
	max  int
	long []byte // a line longer than the read buffer, joined
}

func newLineReader(r io.Reader, max int) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, readBuffer), max: max}
}

// next returns the next line without its end ("\n" or "\r\n"), valid until the
// next call. The last line may lack an end; after it comes io.EOF.
func (l *lineReader) next() ([]byte, error) {
	if cap(l.long) > keepBuffer {
		l.long = nil
	}
	line, err := l.r.ReadSlice('\n')
	if err == nil && len(line) <= l.max {
		return trimEnd(line), nil
	}
	l.long = append(l.long[:0], line...)
	size := len(line)
	for errors.Is(err, bufio.ErrBufferFull) {
		line, err = l.r.ReadSlice('\n')
		size += len(line)
		if size <= l.max {
			if size > cap(l.long) {
				l.long = slices.Grow(l.long, size) // double: append is stingier
			}
			l.long = append(l.long, line...)
		}
	}
	if size > l.max {
		return nil, fmt.Errorf("%w: %d bytes, the bound is %d", errLineTooLong, size, l.max)
	}
	if err != nil && (len(l.long) == 0 || !errors.Is(err, io.EOF)) {
		return nil, err
	}
	return trimEnd(l.long), nil
}

func trimEnd(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\n' {
		line = line[:n-1]
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line
}
