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
// "v" is the version of this format, "event" names the kind of event, and "data"
// has the fields of the event's Go type under the names in its tags. Folding what
// was decoded gives the same conversation as folding what was encoded.
//
//   - A field that may be left out is left out when it has its zero value. A
//     line that lacks any other is an error.
//   - "update" is the exception: its data is the params of the agent's
//     session/update notification, byte for byte, with everything that this
//     version does not know. When it came stands beside the data, as "at". What the agent asks, the "request" of an event, is
//     kept in the same way.
//   - Other types of the protocol stand as they do on the wire. All of them are
//     decoded as leniently as there.
//   - Text that is not valid UTF-8, such as output of a command that was cut
//     inside a character, is {"base64":"…"} instead of a string. Prompts are
//     kept as they went to the agent, which gets U+FFFD for such bytes.
//   - A time is RFC 3339 in UTC, with nanoseconds.
//   - An error is an object with its "text", and with what the program looks for
//     in errors, see codec_error.go.
//   - No line has the value of an environment variable or of a header, nor what the
//     person has filled in: no event has.
//
// A reader takes every older version. It ignores fields that it does not know,
// so a field may be added without a new version, if it may be left out. Whatever
// changes the meaning of a line that older readers would accept needs a new one.
// A kind of event that a reader does not know is ErrUnknownEvent, a newer version
// ErrNewerVersion: both can be skipped. Any other error is a damaged line.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"sync"

	"parley/acpclient"
)

// CodecVersion is the version of the format that Encode writes.
const CodecVersion = 1

var (
	// ErrUnknownEvent says that a line holds a kind of event that this version
	// of parley does not know.
	ErrUnknownEvent = errors.New("the kind of event is not known")
	// ErrNewerVersion says that a line was written in a newer format.
	ErrNewerVersion = errors.New("a newer version of parley has written it")
)

// eventNames are the names of all events in their lines. A name that was given
// once is never used for anything else.
var eventNames = []struct {
	name  string
	event Event
}{
	{"agent_starting", AgentStarting{}},
	{"agent_ready", AgentReady{}},
	{"agent_lost", AgentLost{}},
	{"session_opening", SessionOpening{}},
	{"session_opened", SessionOpened{}},
	{"session_failed", SessionFailed{}},
	{"prompt_sent", PromptSent{}},
	{"cancel_requested", CancelRequested{}},
	{"turn_ended", TurnEnded{}},
	{"queue_changed", QueueChanged{}},
	{"text", Text{}},
	{updateName, Update{}},
	{"option_chosen", OptionChosen{}},
	{"option_settled", OptionSettled{}},
	{"permission_opened", PermissionOpened{}},
	{"permission_referred", PermissionReferred{}},
	{"permission_closed", PermissionClosed{}},
	{"elicitation_opened", ElicitationOpened{}},
	{"elicitation_closed", ElicitationClosed{}},
	{"elicitation_completed", ElicitationCompleted{}},
	{"auth_required", AuthRequired{}},
	{"auth_done", AuthDone{}},
	{"file_written", FileWritten{}},
	{"terminal_created", TerminalCreated{}},
	{"shell_started", ShellStarted{}},
	{"terminal_output", TerminalOutput{}},
	{"terminal_exited", TerminalExited{}},
	{"said", Said{}},
}

// eventFormat is how one kind of event is written.
type eventFormat struct {
	name   string
	typ    reflect.Type
	head   string // what its lines begin with, up to the data
	fields []fieldFormat
}

// eventFormats are the formats of all events, by type and by name.
var eventFormats = sync.OnceValues(func() (map[reflect.Type]*eventFormat, map[string]*eventFormat) {
	byType, byName := map[reflect.Type]*eventFormat{}, map[string]*eventFormat{}
	for _, e := range eventNames {
		f := &eventFormat{name: e.name, typ: reflect.TypeOf(e.event)}
		f.head = lineHead + e.name + dataHead
		if f.typ != updateType {
			f.fields = fieldFormats(f.typ)
		}
		byType[f.typ], byName[f.name] = f, f
	}
	return byType, byName
})

// A line is lineHead, the name of the event, dataHead, its data and a brace. For an
// update whose time is known, timeHead and the time stand behind the name.
var lineHead = `{"v":` + strconv.Itoa(CodecVersion) + `,"event":"`

const (
	timeHead = `","at":"`
	dataHead = `","data":`
)

const updateName = "update"

var updateType = reflect.TypeFor[Update]()

// Encode makes a line of an event, without a line end.
func Encode(e Event) ([]byte, error) { return AppendEncode(nil, e) }

// AppendEncode appends the line of an event to dst, without a line end. When it
// fails it returns dst as it was.
func AppendEncode(dst []byte, e Event) ([]byte, error) {
	byType, _ := eventFormats()
	f := byType[reflect.TypeOf(e)]
	if f == nil {
		return dst, fmt.Errorf("an event of type %T cannot be encoded", e)
	}
	var line []byte
	var err error
	if u, ok := e.(Update); ok {
		line, err = appendUpdate(dst, u)
	} else {
		line, err = f.appendFields(append(dst, f.head...), reflect.ValueOf(e))
	}
	if err != nil {
		return dst, fmt.Errorf("encode the event %s: %w", f.name, err)
	}
	return append(line, '}'), nil
}

// Decode makes the event of a line. It keeps no reference to the line.
func Decode(line []byte) (Event, error) {
	if f, at, data := plainLine(line); f != nil {
		if e, err := f.decodeData(at, data); err == nil {
			return e, nil
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
	_, byName := eventFormats()
	f := byName[l.Event]
	switch {
	case l.Version < 1:
		return nil, errors.New("decode an event: it has no version")
	case l.Version > CodecVersion:
		return nil, fmt.Errorf("decode the event %q of version %d: %w", l.Event, l.Version, ErrNewerVersion)
	case f == nil:
		return nil, fmt.Errorf("decode the event %q: %w", l.Event, ErrUnknownEvent)
	}
	e, err := f.decodeData(l.At, l.Data)
	if err != nil {
		return nil, fmt.Errorf("decode the event %s: %w", f.name, err)
	}
	return e, nil
}

// plainLine takes a line apart that is spelled as Encode spells it, without
// looking at the time and the data; f is nil for any other. If these turn out to be
// valid JSON, so is the line.
func plainLine(line []byte) (f *eventFormat, at, data json.RawMessage) {
	rest, ok := bytes.CutPrefix(line, []byte(lineHead))
	if !ok {
		return nil, nil, nil
	}
	name, rest, ok := bytes.Cut(rest, []byte(dataHead))
	if !ok || len(rest) == 0 || rest[len(rest)-1] != '}' {
		return nil, nil, nil
	}
	if i := bytes.Index(name, []byte(timeHead)); i >= 0 {
		// The quote behind the time is the first character of dataHead.
		start, end := i+len(timeHead)-1, len(name)+1
		at, name = name[start:end:end], name[:i]
	}
	_, byName := eventFormats()
	return byName[string(name)], at, rest[:len(rest)-1]
}

// decodeData makes an event of its data, and of the time beside them if it is an
// update.
func (f *eventFormat) decodeData(at, data json.RawMessage) (Event, error) {
	if f.typ == updateType {
		return decodeUpdate(at, data)
	}
	return f.decodeFields(data)
}

// appendUpdate appends the line of an update up to its last brace.
func appendUpdate(dst []byte, u Update) ([]byte, error) {
	line := append(append(dst, lineHead...), updateName...)
	if !u.At.IsZero() {
		line = append(line, timeHead[:len(timeHead)-1]...)
		var err error
		if line, err = appendTime(line, reflect.ValueOf(u.At)); err != nil {
			return dst, err
		}
		line = line[:len(line)-1] // dataHead has the quote
	}
	return appendNotification(append(line, dataHead...), u)
}

// appendNotification appends the params of a session/update notification: as they
// were received, or made anew for an update that no agent has sent.
func appendNotification(dst []byte, u Update) ([]byte, error) {
	if len(u.Raw) == 0 {
		if unknown, ok := u.Update.(*acpclient.UnknownUpdate); ok && len(unknown.Raw) == 0 {
			return dst, errors.New("an unknown update has no JSON")
		}
		return appendJSON(dst, acpclient.SessionNotification{Update: u.Update})
	}
	return appendRaw(dst, u.Raw), nil
}

func decodeUpdate(at, data json.RawMessage) (Event, error) {
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
}

// appendRaw appends JSON as it was received. JSON has line feeds between its
// tokens only, where a space will do.
func appendRaw(dst []byte, raw json.RawMessage) []byte {
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
