package fs

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	iofs "io/fs"
	"os"
	"strings"
	"unicode/utf8"
)

// chunkBytes is how much is read between two checks of the context.
const chunkBytes = 64 << 10

// Text is what Read returns.
type Text struct {
	Text string
	// Encoding is how the file stores the text.
	Encoding Encoding
	// Version is the version of the file that was read.
	Version Version
}

// Read returns the text of the regular file at a place, byte for byte (ACP
// fs/read_text_file). line is the first line to return (from 1; 0 counts as 1), limit
// the maximum number of lines; nil means no bound. A line includes its newline. Lines
// past the end are no error: the text is empty.
//
// With line or limit, Read reads only as much as it needs, and only the returned part
// must be UTF-8 and at most MaxBytes long. It always reads UTF-16 files whole.
//
// A missing file is ErrNotExist, for ACP's error -32002.
func (f *FS) Read(ctx context.Context, p ResolvedPath, line, limit *int) (_ Text, err error) {
	defer func() { err = fail("read", p.Path, err) }()
	if line != nil && *line < 0 || limit != nil && *limit < 0 {
		return Text{}, errors.New("line and limit must not be negative")
	}
	dir, name, err := f.enter(p, false)
	if err != nil {
		return Text{}, err
	}
	defer dir.Close()
	file, info, err := openRegular(dir, name, os.O_RDONLY)
	if err != nil {
		return Text{}, err
	}
	defer file.Close()
	if line == nil && limit == nil {
		return f.readWhole(ctx, file, info)
	}
	first, count := span(line, limit)
	return f.readRange(ctx, file, info, first, count)
}

// span returns the first line to read, counted from 1, and how many; -1 is all.
func span(line, limit *int) (first, count int) {
	first, count = 1, -1
	if line != nil {
		first = max(*line, 1)
	}
	if limit != nil {
		count = *limit
	}
	return first, count
}

func (f *FS) readWhole(ctx context.Context, file io.Reader, info iofs.FileInfo) (Text, error) {
	raw, err := f.readAll(ctx, file, info.Size())
	if err != nil {
		return Text{}, err
	}
	encoding := encodingOf(raw)
	text, err := encoding.decode(raw)
	if err == nil && len(text) > int(f.maxBytes) {
		err = f.tooLarge("ask for some of its lines instead")
	}
	if err = cmp.Or(err, checkText(text)); err != nil {
		return Text{}, err
	}
	return Text{text, encoding, versionOf(info, text)}, nil
}

// readRange reads count lines (all if negative), starting at line first, counted from
// 1.
func (f *FS) readRange(ctx context.Context, file io.Reader, info iofs.FileInfo, first, count int) (Text, error) {
	out := Text{Version: Version{exists: true, info: info}}
	head := make([]byte, 3)
	n, err := io.ReadFull(file, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return Text{}, err
	}
	lines := io.MultiReader(bytes.NewReader(head[:n]), file)
	switch out.Encoding = encodingOf(string(head[:n])); out.Encoding {
	case UTF8:
	case UTF8BOM:
		lines = file
	default:
		raw, err := f.readAll(ctx, lines, info.Size())
		if err != nil {
			return Text{}, err
		}
		text, err := out.Encoding.decode(raw)
		if err != nil {
			return Text{}, err
		}
		lines = strings.NewReader(text)
	}
	text, err := f.readLines(ctx, lines, first, count)
	if err == nil {
		err = checkText(text)
	}
	if err != nil {
		return Text{}, err
	}
	out.Text = text
	return out, nil
}

// readAll reads the whole file; size is only a hint. A file takes its size in memory only
// once.
func (f *FS) readAll(ctx context.Context, file io.Reader, size int64) (string, error) {
	if size > f.maxBytes {
		return "", f.tooLarge("ask for some of its lines instead")
	}
	var text strings.Builder
	text.Grow(int(size))
	// One extra byte detects a file that has grown past the bound.
	if _, err := io.Copy(&text, io.LimitReader(&cancelReader{ctx, file}, f.maxBytes+1)); err != nil {
		return "", err
	}
	if int64(text.Len()) > f.maxBytes {
		return "", f.tooLarge("ask for some of its lines instead")
	}
	return text.String(), nil
}

// readLines reads count lines (all if negative), starting at line first, counted from
// 1.
func (f *FS) readLines(ctx context.Context, file io.Reader, first, count int) (string, error) {
	if count == 0 {
		return "", nil
	}
	r := bufio.NewReaderSize(&cancelReader{ctx, file}, chunkBytes)
	var text strings.Builder
	for number := 1; count < 0 || number-first < count; {
		part, err := r.ReadSlice('\n')
		switch {
		case number >= first:
			text.Write(part)
			if int64(text.Len()) > f.maxBytes {
				return "", f.tooLarge("ask for fewer lines")
			}
		case bytes.IndexByte(part, 0) >= 0:
			return "", errNUL
		}
		switch {
		case errors.Is(err, io.EOF):
			return text.String(), nil
		case err == nil:
			number++
		case !errors.Is(err, bufio.ErrBufferFull):
			return "", err
		}
	}
	return text.String(), nil
}

func (f *FS) tooLarge(hint string) error {
	return fmt.Errorf("%w: more than %d bytes; %s", ErrTooLarge, f.maxBytes, hint)
}

var (
	errNUL     = fmt.Errorf("%w: it has NUL bytes", ErrNotText)
	errNotUTF8 = fmt.Errorf("%w: it is not UTF-8", ErrNotText)
)

func checkText(text string) error {
	switch {
	case strings.IndexByte(text, 0) >= 0:
		return errNUL
	case !utf8.ValidString(text):
		return errNotUTF8
	}
	return nil
}

// cancelReader stops reading when its context ends.
type cancelReader struct {
	ctx context.Context
	r   io.Reader
}

func (c *cancelReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p[:min(len(p), chunkBytes)])
}
