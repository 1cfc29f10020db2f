package fs

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"unicode/utf8"
	"unsafe"
)

// chunkBytes is how much is read between two looks at the context.
const chunkBytes = 64 << 10

// ReadTextFile returns the text of the regular file at the absolute path, byte
// for byte. line is the first line to return (from 1; 0 is taken as 1) and
// limit the greatest number of lines; nil is no bound (ACP fs/read_text_file).
// A line ends with its newline. Lines that are not there are no error: the
// text is empty.
//
// With line or limit no more of the file is read than is needed, and only what
// is returned has to be UTF-8 and at most MaxBytes long.
//
// A file that is not there gives ErrNotExist, which ACP's error -32002 stands for.
func (f *FS) ReadTextFile(ctx context.Context, path string, line, limit *int) (string, error) {
	text, err := f.read(ctx, path, line, limit)
	if err != nil {
		return "", fail("read", path, err)
	}
	return text, nil
}

func (f *FS) read(ctx context.Context, path string, line, limit *int) (_ string, err error) {
	first, count := 1, -1
	if line != nil {
		first = max(*line, 1)
	}
	if limit != nil {
		count = *limit
	}
	if line != nil && *line < 0 || limit != nil && *limit < 0 {
		return "", errors.New("line and limit must not be negative")
	}
	dir, name, err := f.locate(path)
	if err != nil {
		return "", err
	}
	file, info, err := openRegular(dir, name, os.O_RDONLY)
	if err != nil {
		return "", err
	}
	defer file.Close() // nothing was written: its error says nothing
	var text []byte
	if line == nil && limit == nil {
		text, err = f.readAll(ctx, file, info.Size())
	} else {
		text, err = f.readLines(ctx, file, first, count)
	}
	if err != nil {
		return "", err
	}
	return asString(text), checkText(text)
}

// asString makes a string of bytes that nobody changes any more, without copying
// them: there may be very many.
func asString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// readAll reads the whole file; size is only a hint.
func (f *FS) readAll(ctx context.Context, file io.Reader, size int64) ([]byte, error) {
	if size > f.maxBytes {
		return nil, f.tooLarge("ask for some of its lines instead")
	}
	// One byte more shows whether the file has grown over the bound, and lets
	// Buffer see the end without growing.
	var text bytes.Buffer
	text.Grow(int(size) + bytes.MinRead)
	if _, err := text.ReadFrom(io.LimitReader(&cancelReader{ctx, file}, f.maxBytes+1)); err != nil {
		return nil, err
	}
	if int64(text.Len()) > f.maxBytes {
		return nil, f.tooLarge("ask for some of its lines instead")
	}
	return text.Bytes(), nil
}

// readLines reads count lines (all if it is negative) from the first one on,
// which is 1.
func (f *FS) readLines(ctx context.Context, file io.Reader, first, count int) ([]byte, error) {
	if count == 0 {
		return nil, nil
	}
	r := bufio.NewReaderSize(&cancelReader{ctx, file}, chunkBytes)
	var text []byte
	for number := 1; count < 0 || number-first < count; {
		part, err := r.ReadSlice('\n')
		switch {
		case number >= first:
			text = append(text, part...)
			if int64(len(text)) > f.maxBytes {
				return nil, f.tooLarge("ask for fewer lines")
			}
		case bytes.IndexByte(part, 0) >= 0:
			return nil, errNUL
		}
		switch {
		case errors.Is(err, io.EOF):
			return text, nil
		case err == nil:
			number++
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
	return text, nil
}

func (f *FS) tooLarge(hint string) error {
	return fmt.Errorf("%w: more than %d bytes; %s", ErrTooLarge, f.maxBytes, hint)
}

var (
	errNUL     = fmt.Errorf("%w: it has NUL bytes", ErrNotText)
	errNotUTF8 = fmt.Errorf("%w: it is not UTF-8", ErrNotText)
)

func checkText(text []byte) error {
	switch {
	case bytes.IndexByte(text, 0) >= 0:
		return errNUL
	case !utf8.Valid(text):
		return errNotUTF8
	}
	return nil
}

// cancelReader ends reading when its context does.
type cancelReader struct {
	ctx context.Context
	r   io.Reader
}

// Read implements io.Reader until the context ends.
func (c *cancelReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p[:min(len(p), chunkBytes)])
}
