package acpclient

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// largeTextSize is the size in bytes from which a text is written into a message by
// hand: encoding/json holds it up to four times at once, this once.
const largeTextSize = 1 << 20

// largeText is a result with one text that can be very large.
type largeText interface {
	// split returns the text, and the result with a mark in its place that occurs
	// nowhere else.
	split() (text string, rest any, mark string)
}

// marshalAround is marshal with the text in the place of the mark.
func marshalAround(v any, mark, text string) ([]byte, error) {
	around, err := marshal(v)
	if err != nil {
		return nil, err
	}
	before, after, _ := bytes.Cut(around, []byte(`"`+mark+`"`))
	const lineEnd = 1
	out := make([]byte, 0, len(before)+quotedSize(text)+len(after)+lineEnd)
	out = append(out, before...)
	out = appendQuoted(out, text)
	return append(out, after...), nil
}

// escapes are the short ones of JSON.
var escapes = [utf8.RuneSelf]string{'"': `\"`, '\\': `\\`, '\n': `\n`, '\r': `\r`, '\t': `\t`}

func init() {
	for c := range byte(' ') {
		if escapes[c] == "" {
			quoted, _ := json.Marshal(string(rune(c))) // a string can always be encoded
			escapes[c] = string(quoted[1 : len(quoted)-1])
		}
	}
}

// replacement replaces bytes that are not UTF-8.
const replacement = `\ufffd`

// quotedSize is how long appendQuoted makes a text.
func quotedSize(text string) int {
	n := 2
	for i := 0; i < len(text); {
		piece, size := quotedAt(text, i)
		n += len(piece)
		i += size
	}
	return n
}

// appendQuoted appends the text as a JSON string.
func appendQuoted(out []byte, text string) []byte {
	out = append(out, '"')
	for i := 0; i < len(text); {
		piece, size := quotedAt(text, i)
		out = append(out, piece...)
		i += size
	}
	return append(out, '"')
}

// quotedAt returns the JSON form of the text at i, one escaped character or a run of
// plain ones, and its size in the text.
func quotedAt(text string, i int) (piece string, size int) {
	end := i
	for end < len(text) && text[end] < utf8.RuneSelf && escapes[text[end]] == "" {
		end++
	}
	if end > i {
		return text[i:end], end - i
	}
	if c := text[i]; c < utf8.RuneSelf {
		return escapes[c], 1
	}
	r, size := utf8.DecodeRuneInString(text[i:])
	if r == utf8.RuneError && size == 1 {
		return replacement, 1
	}
	return text[i : i+size], size
}
