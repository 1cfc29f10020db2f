package headless

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"parley/internal/conversation"
)

// Line is an event as a line of JSON, with its end: the line that
// [conversation.Encode] makes of it, in which control and format characters are
// escaped. It can be shown on a terminal, and decoded by [conversation.Decode].
func Line(e conversation.Event) ([]byte, error) {
	line, err := conversation.Encode(e)
	if err != nil {
		return nil, err
	}
	return append(escape(line), '\n'), nil
}

// resultEvent is the name of the last line of a stream, which is no event of the
// session.
const resultEvent = "run_ended"

// Line is the result as the last line of a stream of events, with its end. It looks
// like an event, and is none: [conversation.Decode] says that it does not know it.
func (r *Result) Line() ([]byte, error) {
	return marshal(struct {
		Version int     `json:"v"`
		Event   string  `json:"event"`
		Data    *Result `json:"data"`
	}{conversation.CodecVersion, resultEvent, r}, "")
}

// JSON is the result as an object that people can read, with a line end.
func (r *Result) JSON() ([]byte, error) { return marshal(r, "  ") }

func marshal(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	out := escape(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
	return append(out, '\n'), nil
}

// escape escapes the characters of a JSON text that a terminal would take for
// something else than text. They stand in strings only, and are the same there.
func escape(text []byte) []byte {
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
