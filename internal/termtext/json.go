package termtext

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON escapes the characters of a JSON text that a terminal would interpret, or that
// hide or reorder others. They occur only in strings, whose value stays the same.
func JSON(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		if c := text[0]; c < utf8.RuneSelf && c != 0x7f {
			out, text = append(out, c), text[1:]
			continue
		}
		r, size := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && size == 1, r < 0x10000 && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp):
			out = fmt.Appendf(out, `\u%04x`, r)
		case unicode.Is(unicode.Cf, r):
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = append(out, text[:size]...)
		}
		text = text[size:]
	}
	return out
}

// EncodeJSON returns the JSON of a value with a line end, escaped as by [JSON] but not for
// HTML. indent, if not "", is the indentation of each level.
func EncodeJSON(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return JSON(b.Bytes()), nil
}

// Indented indents JSON for reading. It returns false for invalid JSON, and for JSON
// nested so deeply that indentation would dominate: a few kilobytes could become
// gigabytes.
func Indented(raw []byte) ([]byte, bool) {
	if blanks(raw) > mostBlanks*len(raw)+fewBlanks {
		return nil, false
	}
	var out bytes.Buffer
	err := json.Indent(&out, raw, "", "  ")
	return out.Bytes(), err == nil
}

// Indentation may be up to mostBlanks times the size of the JSON, and fewBlanks in
// any case.
const (
	mostBlanks = 8
	fewBlanks  = 64 << 10
)

// blanks returns roughly how many spaces of indentation the JSON would get.
func blanks(raw []byte) (n int) {
	depth, text := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case text && c == '\\':
			i++
		case c == '"':
			text = !text
		case text:
		case c == '{' || c == '[':
			depth++
			n += 2 * depth
		case c == ',':
			n += 2 * depth
		case c == '}' || c == ']':
			depth--
			n += 2 * depth
		}
	}
	return n
}
