package acpclient

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// The functions of this file walk valid JSON without space around it. They return parts
// of it without copying or validating them again: encoding/json would validate a value
// once for every object around it.

// Members returns the keys of an object with their values, which are parts of it. The object
// must be valid JSON.
func Members(object []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		for at := skipSpace(object, 1); object[at] != '}'; {
			from := at
			at = stringEnd(object, at)
			key := object[from+1 : at-1]
			if bytes.IndexByte(key, '\\') >= 0 || !utf8.Valid(key) {
				text, _ := decodeString(object[from:at])
				key = []byte(text)
			}
			from = skipSpace(object, skipSpace(object, at)+1) // behind the colon
			at = valueEnd(object, from)
			if !yield(key, object[from:at]) {
				return
			}
			at = nextPart(object, at)
		}
	}
}

// member returns the value of a key in an object, or nil. The last of several wins.
func member(object []byte, name string) (value []byte) {
	if object[0] != '{' {
		return nil
	}
	for key, v := range Members(object) {
		if string(key) == name {
			value = v
		}
	}
	return value
}

// Elements returns the elements of an array likewise.
func Elements(array []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for at := skipSpace(array, 1); array[at] != ']'; {
			from := at
			at = valueEnd(array, from)
			if !yield(array[from:at]) {
				return
			}
			at = nextPart(array, at)
		}
	}
}

// nextPart returns the offset of the next member or element, or of the closing bracket.
func nextPart(b []byte, at int) int {
	if at = skipSpace(b, at); b[at] == ',' {
		at = skipSpace(b, at+1)
	}
	return at
}

// valueEnd returns the end of the value that begins at an offset.
func valueEnd(b []byte, at int) int {
	depth := 0
	for {
		switch b[at] {
		case '"':
			at = stringEnd(b, at)
		case '{', '[':
			depth++
			at++
		case '}', ']':
			depth--
			at++
		default: // a number, a word, or a separator
			at++
			for depth == 0 && !isSpace(b[at]) && b[at] != ',' && b[at] != '}' && b[at] != ']' {
				at++
			}
		}
		if depth == 0 {
			return at
		}
	}
}

// stringEnd returns the end of the string that begins at an offset.
func stringEnd(b []byte, at int) int {
	for at++; ; at++ {
		at += bytes.IndexByte(b[at:], '"')
		slashes := 0
		for b[at-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return at + 1
		}
	}
}

func skipSpace(b []byte, at int) int {
	for isSpace(b[at]) {
		at++
	}
	return at
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// decodeString decodes a string; null is "".
func decodeString(raw []byte) (string, error) {
	switch raw[0] {
	case '"':
		return unquote(raw)
	case 'n':
		return "", nil
	}
	return "", wrongKind{raw[0], "a string"}
}

// unquote decodes a valid string without validating it again. It leaves invalid UTF-8 to
// encoding/json.
func unquote(raw []byte) (string, error) {
	rest := raw[1 : len(raw)-1]
	escape := bytes.IndexByte(rest, '\\')
	if !utf8.Valid(rest) {
		var text string
		err := json.Unmarshal(raw, &text)
		return text, err
	}
	if escape < 0 {
		return string(rest), nil
	}
	var text strings.Builder
	text.Grow(len(rest) - 3*bytes.Count(rest, []byte(`\u`))) // its six bytes become three at most
	for ; escape >= 0; escape = bytes.IndexByte(rest, '\\') {
		text.Write(rest[:escape])
		c := rest[escape+1]
		if rest = rest[escape+2:]; c == 'u' {
			var r rune
			r, rest = unescape(rest)
			text.WriteRune(r)
			continue
		}
		if i := strings.IndexByte("ntrbf", c); i >= 0 {
			c = "\n\t\r\b\f"[i]
		}
		text.WriteByte(c)
	}
	text.Write(rest)
	return text.String(), nil
}

// unescape decodes the \u escape whose digits b begins with, or the two of a surrogate
// pair, and returns what follows. Half a pair is U+FFFD.
func unescape(b []byte) (rune, []byte) {
	r, _ := hex4(b)
	b = b[4:]
	if !utf16.IsSurrogate(r) {
		return r, b
	}
	if len(b) >= 6 && b[0] == '\\' && b[1] == 'u' {
		if low, _ := hex4(b[2:]); utf16.DecodeRune(r, low) != utf8.RuneError {
			return utf16.DecodeRune(r, low), b[6:]
		}
	}
	return utf8.RuneError, b
}

// wrongKind is the error for a value of the wrong JSON type.
type wrongKind struct {
	first byte // of the value
	want  string
}

func (e wrongKind) Error() string {
	is := "a number"
	switch e.first {
	case '{':
		is = "an object"
	case '[':
		is = "an array"
	case '"':
		is = "a string"
	case 't', 'f':
		is = "a boolean"
	case 'n':
		is = "null"
	}
	return fmt.Sprintf("it is %s, not %s", is, e.want)
}
