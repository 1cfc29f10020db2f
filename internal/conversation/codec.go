package conversation

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"parley/acpclient"
)

// Events as lines
//
// A session is stored as its events, one JSON object per line, each complete in itself but for what
// a log does not repeat (repeats.go, queueline.go):
//
//	{"v":1,"event":"text","data":{"chunk":"agent_message_chunk","text":"Hello"}}
//	{"v":1,"event":"update","data":{"sessionId":"s1","update":{"sessionUpdate":"plan",…}}}
//	{"v":1,"event":"turn_ended","data":{"reason":"end_turn","at":"2026-11-21T12:00:00.5Z"}}
//
// "v" is the version of this format, "event" the kind of event, and "data" has the members
// of the event's fields. Folding decoded events gives the same conversation as folding the original
// ones.
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
//   - An error is an object with its "text", and with the details that parley
//     checks errors for (storedError).
//   - No event holds values of environment variables or headers, or secrets that
//     the user filled in, so no line does.
//
// A reader accepts every older version and ignores unknown members. An optional member
// therefore needs no new version; a change in the meaning of a line that older readers accept
// does. An unknown kind of event is ErrUnknownEvent, a newer version ErrNewerVersion: both can
// be skipped. Any other error means a damaged line.

// CodecVersion is the version of the format that Encode writes.
const CodecVersion = 1

var (
	// ErrUnknownEvent reports an unknown kind of event.
	ErrUnknownEvent = errors.New("the kind of event is not known")
	// ErrNewerVersion reports a line in a newer format.
	ErrNewerVersion = errors.New("a newer version of parley has written it")
)

// A line consists of lineHead, the name of the event and a quote, timeKey and the time if it
// is an update with a known time, dataKey, the data and a brace.
const (
	lineHead = `{"v":1,"event":"` // of CodecVersion
	timeKey  = `,"at":`
	dataKey  = `,"data":`
)

const updateName = "update"

// Encode returns the line of an event, without a line end.
func Encode(e Event) ([]byte, error) { return AppendEncode(nil, e) }

// AppendEncode appends the line of an event to dst, without a line end. On an error it returns
// dst unchanged.
func AppendEncode(dst []byte, e Event) ([]byte, error) {
	is := reflect.TypeOf(e)
	k := kindWhere(func(k *kind) bool { return k.event == is })
	if k == nil {
		return dst, fmt.Errorf("an event of type %T cannot be encoded", e)
	}
	line := append(append(append(dst, lineHead...), k.name...), '"')
	var err error
	if u, ok := e.(Update); ok && !u.At.IsZero() {
		line, err = appendTime(append(line, timeKey...), u.At)
	}
	if err == nil {
		line, err = k.append(append(line, dataKey...), e)
	}
	if err != nil {
		return dst, fmt.Errorf("encode the event %s: %w", k.name, err)
	}
	return append(line, '}'), nil
}

// Decode returns the event of a line. It keeps no reference to the line.
func Decode(line []byte) (Event, error) {
	if name, at, data := plainLine(line); name != nil {
		if k := kindNamed(string(name)); k != nil {
			if e, err := k.decode(at, data); err == nil {
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
	e, err := k.decode(l.At, l.Data)
	if err != nil {
		return nil, fmt.Errorf("decode the event %s: %w", k.name, err)
	}
	return e, nil
}

// plainLine splits a line in the exact form that Encode writes; the name is nil for any other.
// This saves a pass over the JSON: such a line is valid if its time and data are.
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

// appendUpdate appends the data of an update: the params of the notification as received, or
// encoded here if no agent has sent one.
func appendUpdate(dst []byte, u Update) ([]byte, error) {
	if len(u.Raw) > 0 {
		return appendReceived(dst, u.Raw), nil
	}
	if unknown, ok := u.Update.(*acpclient.UnknownUpdate); ok && len(unknown.Raw) == 0 {
		return dst, errors.New("an unknown update has no JSON")
	}
	return appendJSON(dst, acpclient.SessionNotification{SessionID: u.Session, Update: u.Update})
}

func decodeUpdate(at, data json.RawMessage) (u Update, err error) {
	n := new(acpclient.SessionNotification)
	if err := acpclient.Unmarshal(data, n); err != nil {
		return u, err
	}
	u = Update{Session: n.SessionID, Update: n.Update, Raw: n.Raw}
	if len(at) > 0 {
		if err = json.Unmarshal(at, &u.At); err != nil {
			err = fmt.Errorf("\"at\": %w", err)
		}
	}
	return u, err
}

// appendReceived appends JSON as received. Line feeds occur only between its tokens, where a
// space means the same.
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

// appendJSON appends the JSON of a value. It does not escape HTML characters, which would
// change raw JSON inside the value.
func appendJSON(dst []byte, v any) ([]byte, error) {
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	e.Reset()
	if err := e.json.Encode(v); err != nil {
		return dst, err
	}
	return append(dst, bytes.TrimSuffix(e.Bytes(), []byte("\n"))...), nil
}

type encoder struct {
	bytes.Buffer
	json *json.Encoder
}

// encoders are used again, since every event needs some.
var encoders = sync.Pool{New: func() any {
	e := new(encoder)
	e.json = json.NewEncoder(&e.Buffer)
	e.json.SetEscapeHTML(false)
	return e
}}

// kind is a type of events. Its data have a member for each field with a JSON tag; one with
// omitzero is left out if it is zero.
type kind struct {
	name    string
	event   reflect.Type
	members []member
}

type member struct {
	name     string
	optional bool
}

// kinds are all kinds of events, the most frequent first. Their stored names are those of the types, in
// lower case and with underscores: never reuse one.
var kinds = sync.OnceValue(func() (all []*kind) {
	for _, e := range []Event{
		Update{},
		Text{},
		TerminalOutput{},
		TerminalCreated{},
		TerminalHidden{},
		TerminalExited{},
		ShellStarted{},
		FileWritten{},
		PromptSent{},
		PromptSteered{},
		TurnEnded{},
		CancelRequested{},
		QueueChanged{},
		BudgetSet{},
		BudgetReached{},
		BudgetShared{},
		LimitReached{},
		LimitWait{},
		PermissionOpened{},
		PermissionReferred{},
		FilesSeen{},
		ElicitationOpened{},
		QuestionClosed{},
		ElicitationCompleted{},
		OptionChosen{},
		OptionSettled{},
		NoticeAdded{},
		AgentStarting{},
		AgentReady{},
		AgentLost{},
		SessionOpening{},
		SessionOpened{},
		SessionFailed{},
		AuthRequired{},
		AuthDone{},
	} {
		k := &kind{event: reflect.TypeOf(e)}
		if k.name = strings.ToLower(innerCapital.ReplaceAllString(k.event.Name(), "${1}_$2")); k.name == "notice_added" {
			k.name = "said"
		}
		for f := range k.event.Fields() {
			name, optional := strings.CutSuffix(f.Tag.Get("json"), ",omitzero")
			k.members = append(k.members, member{name, optional})
		}
		all = append(all, k)
	}
	return all
})

var innerCapital = regexp.MustCompile("([a-z])([A-Z])")

// kindWhere returns the first kind with a property, nil if there is none.
func kindWhere(is func(*kind) bool) *kind {
	all := kinds()
	if i := slices.IndexFunc(all, is); i >= 0 {
		return all[i]
	}
	return nil
}

// renamed are the earlier names of kinds.
var renamed = map[string]string{"permission_closed": "question_closed", "elicitation_closed": "question_closed"}

func kindNamed(name string) *kind {
	name = cmp.Or(renamed[name], name)
	return kindWhere(func(k *kind) bool { return k.name == name })
}

// Kinds returns an empty event of each kind.
func Kinds() (all []Event) {
	for _, k := range kinds() {
		all = append(all, reflect.Zero(k.event).Interface().(Event))
	}
	return all
}

var errMissing = errors.New("is missing")

// append appends the data of an event.
func (k *kind) append(dst []byte, e Event) ([]byte, error) {
	if u, ok := e.(Update); ok {
		return appendUpdate(dst, u)
	}
	event := reflect.New(k.event).Elem()
	event.Set(reflect.ValueOf(e))
	dst = append(dst, '{')
	first := len(dst)
	for i, f := range k.members {
		if f.optional && event.Field(i).IsZero() {
			continue
		}
		if len(dst) > first {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, '"'), f.name...), '"', ':')
		start := len(dst)
		var err error
		if dst, err = appendValue(dst, event.Field(i)); err == nil && !f.optional && string(dst[start:]) == "null" {
			err = errMissing
		}
		if err != nil {
			return nil, fmt.Errorf("%q: %w", f.name, err)
		}
	}
	return append(dst, '}'), nil
}

func (k *kind) decode(at, data json.RawMessage) (Event, error) {
	if k.name == updateName {
		return decodeUpdate(at, data)
	}
	var values map[string]json.RawMessage
	if err := acpclient.Unmarshal(data, &values); err != nil {
		return nil, err
	}
	event := reflect.New(k.event).Elem()
	for i, f := range k.members {
		err := errMissing
		if raw := values[f.name]; raw != nil && string(raw) != "null" {
			err = decodeValue(raw, event.Field(i))
		} else if f.optional {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%q: %w", f.name, err)
		}
	}
	return event.Interface().(Event), nil
}

// appendValue appends the JSON of a field, null if it is left out.
func appendValue(dst []byte, f reflect.Value) ([]byte, error) {
	if f.Kind() == reflect.String && !utf8.ValidString(f.String()) {
		return appendText(dst, f.String())
	}
	switch v := f.Addr().Interface().(type) {
	case **string:
		if *v != nil {
			return appendText(dst, **v)
		}
	case *[]byte:
		return appendText(dst, string(*v))
	case *time.Time:
		if !v.IsZero() {
			return appendTime(dst, *v)
		}
	case *error:
		if *v != nil {
			return appendError(dst, *v)
		}
	case **acpclient.RequestPermissionRequest:
		if *v != nil && len((*v).Raw) > 0 {
			return appendReceived(dst, (*v).Raw), nil
		}
		return appendJSON(dst, v)
	case **acpclient.CreateElicitationRequest:
		if *v != nil && len((*v).Raw) > 0 {
			return appendReceived(dst, (*v).Raw), nil
		}
		return appendJSON(dst, v)
	default:
		return appendJSON(dst, v)
	}
	return append(dst, "null"...), nil
}

// decodeValue reads what appendValue has written. Types of the protocol follow the protocol's
// rules.
func decodeValue(raw json.RawMessage, f reflect.Value) (err error) {
	var text string
	switch v := f.Addr().Interface().(type) {
	case **string:
		text, err = decodeText(raw)
		*v = &text
	case *[]byte:
		text, err = decodeText(raw)
		*v = []byte(text)
	case *time.Time:
		err = json.Unmarshal(raw, v)
	case *error:
		*v, err = decodeError(raw)
	default:
		if f.Kind() != reflect.String {
			return acpclient.Unmarshal(raw, v)
		}
		text, err = decodeText(raw)
		f.SetString(text)
	}
	return err
}

// appendTime fails for a year outside RFC 3339.
func appendTime(dst []byte, at time.Time) ([]byte, error) {
	dst, err := at.UTC().AppendText(append(dst, '"'))
	return append(dst, '"'), err
}

// appendText appends text without losing a byte, whether or not it is UTF-8.
func appendText(dst []byte, s string) ([]byte, error) {
	if utf8.ValidString(s) {
		return appendJSON(dst, s)
	}
	return append(base64.StdEncoding.AppendEncode(append(dst, `{"base64":"`...), []byte(s)), `"}`...), nil
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
	err := acpclient.Unmarshal(raw, &s)
	return s, err
}

// storedError is an error in its stored form: its text, and the errors that errors.As finds in
// it, without commands and their environment.
type storedError struct {
	Text json.RawMessage `json:"text"`
	// Answer is the agent's error response.
	Answer *acpclient.Error `json:"answer,omitempty"`
	// NotStarted says that the agent could not be started.
	NotStarted bool `json:"notStarted,omitempty"`
	// AgentVersion is the protocol version of an agent whose version parley does not speak.
	AgentVersion *uint16 `json:"agentVersion,omitempty"`

	text string // Text, decoded
}

func (e *storedError) Error() string { return e.text }

// Unwrap returns the errors that errors.As found when the error was stored.
func (e *storedError) Unwrap() (causes []error) {
	if e.Answer != nil {
		causes = append(causes, e.Answer)
	}
	if e.NotStarted {
		causes = append(causes, &acpclient.StartError{Err: errors.New(e.text)})
	}
	if e.AgentVersion != nil {
		causes = append(causes, &acpclient.VersionError{Agent: *e.AgentVersion})
	}
	return causes
}

func appendError(dst []byte, err error) ([]byte, error) {
	text, _ := appendText(nil, err.Error()) // strings always encode
	e := storedError{Text: text}
	errors.As(err, &e.Answer)
	e.NotStarted = errors.As(err, new(*acpclient.StartError))
	if version := (*acpclient.VersionError)(nil); errors.As(err, &version) {
		e.AgentVersion = &version.Agent
	}
	return appendJSON(dst, e)
}

// decodeError returns an *acpclient.Error if the stored error was only that.
func decodeError(raw json.RawMessage) (stored, err error) {
	e := new(storedError)
	if err := json.Unmarshal(raw, e); err != nil {
		return nil, err
	}
	if e.text, err = decodeText(e.Text); err != nil {
		return nil, fmt.Errorf("an error without text: %w", err)
	}
	if e.Answer != nil && e.Answer.Error() == e.text {
		return e.Answer, nil
	}
	return e, nil
}
