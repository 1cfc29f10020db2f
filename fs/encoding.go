package fs

import (
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Encoding is how a file stores its text.
type Encoding uint8

// The encodings. A byte order mark marks a file as UTF-16; it is not part of the text
// that Read returns, and Write keeps it.
const (
	UTF8 Encoding = iota
	UTF16LE
	UTF16BE
)

func (e Encoding) String() string {
	switch e {
	case UTF16LE:
		return "UTF-16 (little-endian)"
	case UTF16BE:
		return "UTF-16 (big-endian)"
	}
	return "UTF-8"
}

type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

// order returns the byte order of UTF-16, or nil for UTF-8.
func (e Encoding) order() byteOrder {
	switch e {
	case UTF16LE:
		return binary.LittleEndian
	case UTF16BE:
		return binary.BigEndian
	}
	return nil
}

const byteOrderMark = '\ufeff'

// encodingOf detects the encoding from the first two bytes of a file.
func encodingOf(head string) Encoding {
	switch {
	case strings.HasPrefix(head, "\xff\xfe"):
		return UTF16LE
	case strings.HasPrefix(head, "\xfe\xff"):
		return UTF16BE
	}
	return UTF8
}

// decode converts a whole file to UTF-8 and drops its byte order mark. Invalid UTF-16
// is ErrNotText, because it could not be written back unchanged.
func (e Encoding) decode(raw string) (string, error) {
	order := e.order()
	if order == nil {
		return raw, nil
	}
	invalid := fmt.Errorf("%w: it begins like %s, and is not valid", ErrNotText, e)
	if len(raw)%2 != 0 {
		return "", invalid
	}
	var text strings.Builder
	text.Grow(len(raw))
	for raw = raw[2:]; len(raw) > 0; raw = raw[2:] {
		r := rune(order.Uint16([]byte(raw[:2])))
		if utf16.IsSurrogate(r) {
			if len(raw) < 4 {
				return "", invalid
			}
			if r = utf16.DecodeRune(r, rune(order.Uint16([]byte(raw[2:4])))); r == utf8.RuneError {
				return "", invalid
			}
			raw = raw[2:]
		}
		text.WriteRune(r)
	}
	return text.String(), nil
}

// encode converts text to the bytes of a file. The text must be valid UTF-8 unless the
// encoding is UTF8.
func (e Encoding) encode(text string) []byte {
	order := e.order()
	out := make([]byte, 0, 2*len(text)+2)
	out = order.AppendUint16(out, byteOrderMark)
	for _, r := range text {
		if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
			out = order.AppendUint16(out, uint16(high))
			r = low
		}
		out = order.AppendUint16(out, uint16(r))
	}
	return out
}
