package termtext

import (
	"bytes"
	"encoding/json"
)

// Indented sets out JSON for reading, in lines of which each is as far in as it is deep.
// It reports false for what is not JSON, and for what is nested so deep that it would be
// lines of next to nothing but blanks: of a few kilobytes those can be gigabytes.
func Indented(raw []byte) ([]byte, bool) {
	if blanks(raw) > mostBlanks*len(raw)+fewBlanks {
		return nil, false
	}
	var out bytes.Buffer
	err := json.Indent(&out, raw, "", "  ")
	return out.Bytes(), err == nil
}

// JSON may become so many times as long by the blanks that its lines begin with, and by
// fewBlanks in any case.
const (
	mostBlanks = 8
	fewBlanks  = 64 << 10
)

// blanks is about how many blanks the lines of JSON begin with when it is set out.
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
