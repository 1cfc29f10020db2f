package termtext

import (
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
