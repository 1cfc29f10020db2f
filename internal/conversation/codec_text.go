package conversation

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"unicode/utf8"
	"unsafe"
)

// appendText appends text so that every byte of it comes back.
func appendText(dst []byte, s string) []byte {
	if !utf8.ValidString(s) {
		dst = append(dst, `{"base64":"`...)
		dst = base64.StdEncoding.AppendEncode(dst, unsafe.Slice(unsafe.StringData(s), len(s)))
		return append(dst, `"}`...)
	}
	dst = append(dst, '"')
	plain := 0 // where what needs no escape begins
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[plain:i]...)
		dst = appendEscape(dst, c)
		plain = i + 1
	}
	dst = append(dst, s[plain:]...)
	return append(dst, '"')
}

// appendEscape appends a character that may not stand in a JSON string.
func appendEscape(dst []byte, c byte) []byte {
	const hex = "0123456789abcdef"
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}

// decodeText takes valid JSON.
func decodeText(raw json.RawMessage) (string, error) {
	switch {
	case len(raw) > 1 && raw[0] == '"' && bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw):
		return string(raw[1 : len(raw)-1]), nil
	case len(raw) > 0 && raw[0] == '{':
		var binary struct {
			Base64 []byte `json:"base64"`
		}
		err := json.Unmarshal(raw, &binary)
		return string(binary.Base64), err
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err
}

// textOf is bytes as a string that is only looked at while they do not change.
func textOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
