package conversation

// Events as lines
//
// A session is stored as the stream of its events, one JSON object a line, each
// on its own:
//
//	{"v":1,"event":"text","data":{"chunk":"agent_message_chunk","text":"Hello"}}
//	{"v":1,"event":"update","data":{"sessionId":"s1","update":{"sessionUpdate":"plan",…}}}
//	{"v":1,"event":"turn_ended","data":{"reason":"end_turn","at":"2026-11-21T12:00:00.5Z"}}
//
// "v" is the version of this format, "event" the kind of event, and "data" has the
// members that the table of kinds lists (codec_event.go). Folding decoded events gives
// the same conversation as folding the encoded ones.
//
//   - A member may be left out if the table says so. Without any other, the line
//     is an error.
//   - The data of an "update" are the params of the agent's session/update
//     notification, byte for byte, including what this version does not know.
//     The time stands beside the data, as "at". The "request" of an event is also
//     kept as received.
//   - Other types of the protocol look as they do on the wire, and are decoded as
//     leniently.
//   - Text that is not valid UTF-8, such as output cut inside a character, is
//     {"base64":"…"} instead of a string. Prompts are kept as they went to the
//     agent, which gets U+FFFD for such bytes.
//   - A time is RFC 3339 in UTC, with nanoseconds.
//   - An error is an object with its "text", and with what the program looks for
//     in errors (codec_error.go).
//   - No event holds values of environment variables or headers, or secrets that
//     the person filled in, so no line does.
//
// A reader takes every older version and ignores members that it does not know. So
// an optional member needs no new version; a change in the meaning of a line that
// older readers accept does. An unknown kind of event is ErrUnknownEvent, a newer
// version ErrNewerVersion: both can be skipped. Any other error is a damaged line.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"parley/acpclient"
)

// CodecVersion is the version of the format that Encode writes.
const CodecVersion = 1

var (
	// ErrUnknownEvent reports a kind of event that this version does not know.
	ErrUnknownEvent = errors.New("the kind of event is not known")
	// ErrNewerVersion reports a line in a newer format.
	ErrNewerVersion = errors.New("a newer version of parley has written it")
)

// A line is lineHead, the name of the event and a quote, timeKey and the time if it is
// an update whose time is known, dataKey, the data and a brace.
const (
	lineHead = `{"v":1,"event":"` // of CodecVersion
	timeKey  = `,"at":`
	dataKey  = `,"data":`
)

const updateName = "update"

// Encode makes a line of an event, without a line end.
func Encode(e Event) ([]byte, error) { return AppendEncode(nil, e) }

// AppendEncode appends the line of an event to dst, without a line end. When it
// fails it returns dst as it was.
func AppendEncode(dst []byte, e Event) ([]byte, error) {
	for i := range kinds {
		k := &kinds[i]
		line, ok, err := k.write(dst, e)
		if err != nil {
			return dst, fmt.Errorf("encode the event %s: %w", k.name, err)
		}
		if ok {
			return append(line, '}'), nil
		}
	}
	return dst, fmt.Errorf("an event of type %T cannot be encoded", e)
}

// Decode makes the event of a line. It keeps no reference to the line.
func Decode(line []byte) (Event, error) {
	if name, at, data := plainLine(line); name != nil {
		if k := kindNamed(string(name)); k != nil {
			if e, err := k.read(at, data); err == nil {
				return e, nil
			}
		}
	}
	var l struct {
		Version int             `json:"v"`
		Event   string          `json:"event"`
		At      json.RawMessage `json:"at"`
		Data    json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(line, &l); err != nil {
		return nil, fmt.Errorf("decode an event: %w", err)
	}
	k := kindNamed(l.Event)
	switch {
	case l.Version < 1:
		return nil, errors.New("decode an event: it has no version")
	case l.Version > CodecVersion:
		return nil, fmt.Errorf("decode the event %q of version %d: %w", l.Event, l.Version, ErrNewerVersion)
	case k == nil:
		return nil, fmt.Errorf("decode the event %q: %w", l.Event, ErrUnknownEvent)
	}
	e, err := k.read(l.At, l.Data)
	if err != nil {
		return nil, fmt.Errorf("decode the event %s: %w", k.name, err)
	}
	return e, nil
}

// plainLine splits a line that is spelled as Encode spells it; the name is nil for any
// other. It saves a pass over the JSON: the line is valid if the time and data are.
func plainLine(line []byte) (name, at, data []byte) {
	rest, ok := bytes.CutPrefix(line, []byte(lineHead))
	head, data, found := bytes.Cut(rest, []byte(dataKey))
	if !ok || !found || !bytes.HasSuffix(data, []byte("}")) {
		return nil, nil, nil
	}
	name, at, ok = bytes.Cut(head, []byte(`"`))
	if !ok || len(at) > 0 && string(name) != updateName {
		return nil, nil, nil
	}
	return name, bytes.TrimPrefix(at, []byte(timeKey)), data[:len(data)-1]
}

func kindNamed(name string) *kind {
	for i := range kinds {
		if kinds[i].name == name {
			return &kinds[i]
		}
	}
	return nil
}

// updateKind is the kind of session updates. Their data are the params of the agent's
// notification as they were received, or made anew if no agent has sent it.
var updateKind = kind{
	name: updateName,
	write: func(dst []byte, e Event) ([]byte, bool, error) {
		u, ok := e.(Update)
		if !ok {
			return dst, false, nil
		}
		line := append(dst, lineHead+updateName+`"`...)
		if !u.At.IsZero() {
			var err error
			if line, err = appendTime(append(line, timeKey...), u.At); err != nil {
				return dst, true, err
			}
		}
		line = append(line, dataKey...)
		if len(u.Raw) > 0 {
			return appendReceived(line, u.Raw), true, nil
		}
		if unknown, ok := u.Update.(*acpclient.UnknownUpdate); ok && len(unknown.Raw) == 0 {
			return dst, true, errors.New("an unknown update has no JSON")
		}
		line, err := appendJSON(line, acpclient.SessionNotification{Update: u.Update})
		return line, true, err
	},
	read: func(at, data json.RawMessage) (Event, error) {
		n := new(acpclient.SessionNotification)
		if err := acpclient.Unmarshal(data, n); err != nil {
			return nil, err
		}
		u := Update{Update: n.Update, Raw: n.Raw}
		if len(at) > 0 {
			if err := json.Unmarshal(at, &u.At); err != nil {
				return nil, fmt.Errorf("\"at\": %w", err)
			}
		}
		return u, nil
	},
}

// appendReceived appends JSON as it was received. It has line feeds between its tokens
// only, where a space will do.
func appendReceived(dst []byte, raw json.RawMessage) []byte {
	start := len(dst)
	dst = append(dst, raw...)
	for rest := dst[start:]; ; {
		at := bytes.IndexByte(rest, '\n')
		if at < 0 {
			return dst
		}
		rest[at] = ' '
		rest = rest[at:]
	}
}

// appendJSON appends the JSON of a value. HTML characters are not escaped: raw
// JSON inside of it is to stay as it is.
func appendJSON(dst []byte, v any) ([]byte, error) {
	b := bytes.NewBuffer(dst)
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return dst, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
