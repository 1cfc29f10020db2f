package fs

import (
	"fmt"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
)

// Encoding is how a file stores its text.
type Encoding uint8

// The encodings. A byte order mark, which marks a file as UTF-16, is not part of the text that
// Read returns, and Write keeps it.
const (
	UTF8 Encoding = iota
	UTF16LE
	UTF16BE
	UTF8BOM
)

func (e Encoding) String() string {
	switch e {
	case UTF16LE:
		return "UTF-16 (little-endian)"
	case UTF16BE:
		return "UTF-16 (big-endian)"
	case UTF8BOM:
		return "UTF-8 with a byte order mark"
	}
	return "UTF-8"
}

// utf16 returns the transformation of UTF-16 with a byte order mark.
func (e Encoding) utf16() encoding.Encoding {
	if e == UTF16LE {
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	}
	return unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
}

const byteOrderMark = '\ufeff'

// encodingOf detects the encoding from the first bytes of a file.
func encodingOf(head string) Encoding {
	switch {
	case strings.HasPrefix(head, "\xff\xfe"):
		return UTF16LE
	case strings.HasPrefix(head, "\xfe\xff"):
		return UTF16BE
	case strings.HasPrefix(head, string(byteOrderMark)):
		return UTF8BOM
	}
	return UTF8
}

// decode converts a whole file to UTF-8 and drops its byte order mark. Invalid UTF-16
// is ErrNotText, because it could not be written back unchanged.
func (e Encoding) decode(raw string) (string, error) {
	switch e {
	case UTF8:
		return raw, nil
	case UTF8BOM:
		return strings.TrimPrefix(raw, string(byteOrderMark)), nil
	}
	text, err := e.utf16().NewDecoder().String(raw)
	if err != nil || string(e.encode(text)) != raw {
		return "", fmt.Errorf("%w: it begins like %s, and is not valid", ErrNotText, e)
	}
	return text, nil
}

// encode converts text, which must be valid UTF-8, to the bytes of a file that is not UTF8.
func (e Encoding) encode(text string) []byte {
	if e == UTF8BOM {
		return []byte(string(byteOrderMark) + text)
	}
	out, _ := e.utf16().NewEncoder().Bytes([]byte(text)) // an error would leave something out
	return out
}
