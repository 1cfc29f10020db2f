package termtext

import (
	"bytes"
	"encoding/json"
)

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
