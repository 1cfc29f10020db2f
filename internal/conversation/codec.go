package conversation

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"parley/acpclient"
)

// Events as lines
//
// A session is stored as its events, one JSON object per line, each complete in itself:
//
//	{"v":1,"event":"text","data":{"chunk":"agent_message_chunk","text":"Hello"}}
//	{"v":1,"event":"update","data":{"sessionId":"s1","update":{"sessionUpdate":"plan",…}}}
//	{"v":1,"event":"turn_ended","data":{"reason":"end_turn","at":"2026-11-21T12:00:00.5Z"}}
//
// "v" is the version of this format, "event" the kind of event, and "data" has the members
// listed in kinds. Folding decoded events gives the same conversation as folding the original
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

// Decode returns the event of a line. It keeps no reference to the line.
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

func kindNamed(name string) *kind {
	for i := range kinds {
		if kinds[i].name == name {
			return &kinds[i]
		}
	}
	return nil
}

// updateKind is the kind of session updates. Their data are the params of the notification as
// received, or encoded here if no agent has sent one.
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
		line, err := appendJSON(line, acpclient.SessionNotification{SessionID: u.Session, Update: u.Update})
		return line, true, err
	},
	read: func(at, data json.RawMessage) (Event, error) {
		n := new(acpclient.SessionNotification)
		if err := acpclient.Unmarshal(data, n); err != nil {
			return nil, err
		}
		u := Update{Session: n.SessionID, Update: n.Update, Raw: n.Raw}
		if len(at) > 0 {
			if err := json.Unmarshal(at, &u.At); err != nil {
				return nil, fmt.Errorf("\"at\": %w", err)
			}
		}
		return u, nil
	},
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
	b := bytes.NewBuffer(dst)
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return dst, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// kind says how events of one type are encoded and decoded.
type kind struct {
	name string
	// write appends the line of an event without its last brace. It reports false for an event
	// of another type.
	write func(dst []byte, e Event) ([]byte, bool, error)
	read  func(at, data json.RawMessage) (Event, error)
}

// member is a member of a JSON object: its name, and a pointer to the event's field with its
// value.
type member struct {
	name  string
	value any
}

// kindOf returns the kind of events whose data have these members.
func kindOf[E Event](name string, members func(*E) []member) kind {
	head := lineHead + name + `"` + dataKey
	return kind{
		name: name,
		write: func(dst []byte, e Event) ([]byte, bool, error) {
			event, ok := e.(E)
			if !ok {
				return dst, false, nil
			}
			line, err := appendMembers(append(dst, head...), members(&event))
			return line, true, err
		},
		read: func(_, data json.RawMessage) (Event, error) {
			var event E
			err := decodeMembers(data, members(&event))
			return event, err
		},
	}
}

var errMissing = errors.New("is missing")

func appendMembers(dst []byte, members []member) ([]byte, error) {
	dst = append(dst, '{')
	first := len(dst)
	for _, m := range members {
		name, optional := strings.CutSuffix(m.name, "?")
		end := len(dst)
		if end > first {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, '"'), name...), '"', ':')
		start := len(dst)
		var err error
		if dst, err = appendValue(dst, m.value); err == nil && !optional && string(dst[start:]) == "null" {
			err = errMissing
		}
		if err != nil {
			return nil, fmt.Errorf("%q: %w", name, err)
		}
		if optional && isZero(dst[start:], m.value) {
			dst = dst[:end]
		}
	}
	return append(dst, '}'), nil
}

// isZero reports whether a value can be left out. A pointer to an empty string cannot.
func isZero(value []byte, v any) bool {
	switch string(value) {
	case "null", "false", "{}":
		return true
	case `""`:
		_, pointer := v.(**string)
		return !pointer
	}
	return false
}

func decodeMembers(data json.RawMessage, members []member) error {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(data, &values); err != nil {
		return err
	}
	for _, m := range members {
		name, optional := strings.CutSuffix(m.name, "?")
		err := errMissing
		if raw := values[name]; raw != nil && string(raw) != "null" {
			err = decodeValue(raw, m.value)
		} else if optional {
			continue
		}
		if err != nil {
			return fmt.Errorf("%q: %w", name, err)
		}
	}
	return nil
}

// appendValue appends the JSON of the value that v points to, null if the value is left out.
func appendValue(dst []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case *string:
		return appendText(dst, *v), nil
	case **string:
		if *v != nil {
			return appendText(dst, **v), nil
		}
	case *[]byte:
		if !utf8.Valid(*v) {
			return appendBase64(dst, *v), nil
		}
		return appendQuoted(dst, *v), nil
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
func decodeValue(raw json.RawMessage, v any) (err error) {
	switch v := v.(type) {
	case *string:
		*v, err = decodeText(raw)
	case **string:
		*v = new(string)
		**v, err = decodeText(raw)
	case *[]byte:
		var s string
		s, err = decodeText(raw)
		*v = []byte(s)
	case *time.Time:
		err = json.Unmarshal(raw, v)
	case *error:
		*v, err = decodeError(raw)
	default:
		err = acpclient.Unmarshal(raw, v)
	}
	return err
}

// appendTime fails for a year outside RFC 3339.
func appendTime(dst []byte, at time.Time) ([]byte, error) {
	dst, err := at.UTC().AppendText(append(dst, '"'))
	return append(dst, '"'), err
}

// appendText appends text without losing a byte, whether or not it is UTF-8.
func appendText(dst []byte, s string) []byte {
	if !utf8.ValidString(s) {
		return appendBase64(dst, []byte(s))
	}
	return appendQuoted(dst, s)
}

// appendBase64 appends text that is not UTF-8.
func appendBase64(dst, b []byte) []byte {
	dst = append(dst, `{"base64":"`...)
	dst = base64.StdEncoding.AppendEncode(dst, b)
	return append(dst, `"}`...)
}

// appendQuoted appends valid UTF-8 as a JSON string.
func appendQuoted[T string | []byte](dst []byte, s T) []byte {
	dst = append(dst, '"')
	plain := 0 // start of the part that needs no escape
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

// appendEscape appends a character that a JSON string must escape.
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
	e := storedError{Text: appendText(nil, err.Error())}
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

// kinds lists all kinds of events and the members of their data, the most frequent first.
// Never reuse a name. A member whose name ends in "?" is left out when it is zero.
var kinds = []kind{
	updateKind,
	kindOf("text", func(e *Text) []member {
		return []member{{"chunk", (*string)(&e.Chunk)}, {"messageId?", (*string)(&e.MessageID)}, {"text", &e.Text}}
	}),
	kindOf("terminal_output", func(e *TerminalOutput) []member {
		return []member{{"id", (*string)(&e.ID)}, {"data", &e.Data}}
	}),
	kindOf("terminal_created", func(e *TerminalCreated) []member {
		return []member{{"id", &e.ID}, {"command", &e.Command}, {"cwd", &e.Cwd}}
	}),
	kindOf("terminal_hidden", func(e *TerminalHidden) []member {
		return []member{{"id", &e.ID}, {"hidden?", &e.Hidden}}
	}),
	kindOf("terminal_exited", func(e *TerminalExited) []member {
		return []member{{"id", &e.ID}, {"status", &e.Status}}
	}),
	kindOf("shell_started", func(e *ShellStarted) []member {
		return []member{{"id", &e.ID}, {"command", &e.Command}, {"cwd", &e.Cwd}, {"lasts?", &e.Lasts}, {"at?", &e.At}}
	}),
	kindOf("file_written", func(e *FileWritten) []member {
		return []member{{"path", &e.Path}, {"before?", &e.Before}, {"after", &e.After}, {"dropped?", &e.Dropped}}
	}),
	kindOf("prompt_sent", func(e *PromptSent) []member {
		return []member{{"prompt?", &e.Prompt}, {"at?", &e.At}}
	}),
	kindOf("prompt_steered", func(e *PromptSteered) []member {
		return []member{{"prompt?", &e.Prompt}, {"at?", &e.At}}
	}),
	kindOf("turn_ended", func(e *TurnEnded) []member {
		return []member{{"reason?", &e.Reason}, {"error?", &e.Err}, {"at?", &e.At}, {"usage?", &e.Usage}}
	}),
	kindOf("budget_set", func(e *BudgetSet) []member {
		return []member{{"budget", &e.Budget}, {"raised?", &e.Raised}, {"unbounded?", &e.Unbounded}, {"spent?", &e.Spent}}
	}),
	kindOf("usage_counted", func(e *UsageCounted) []member {
		return []member{{"usage", &e.Usage}, {"before?", &e.Before}, {"past?", &e.Past}, {"foreign?", &e.Foreign}}
	}),
	kindOf("budget_reached", func(*BudgetReached) []member { return nil }),
	kindOf("budget_shared", func(e *BudgetShared) []member {
		return []member{{"spent", &e.Spent}}
	}),
	kindOf("limit_reached", func(e *LimitReached) []member {
		return []member{{"kind?", &e.Kind}, {"resets?", &e.Resets}, {"waits?", &e.Waits}}
	}),
	kindOf("limit_wait", func(e *LimitWait) []member {
		return []member{{"until?", &e.Until}}
	}),
	kindOf("cancel_requested", func(e *CancelRequested) []member {
		return []member{{"at?", &e.At}}
	}),
	kindOf("queue_changed", func(e *QueueChanged) []member {
		return []member{{"queue?", &e.Queue}, {"paused?", &e.Paused}}
	}),
	kindOf("permission_opened", func(e *PermissionOpened) []member {
		return []member{{"id", &e.ID}, {"request", &e.Request}, {"at?", &e.At}, {"file?", &e.File}, {"judging?", &e.Judging}, {"calls?", &e.Calls}, {"incomplete?", &e.Incomplete}}
	}),
	kindOf("permission_referred", func(e *PermissionReferred) []member {
		return []member{{"id", &e.ID}, {"why?", &e.Why}, {"proposals?", &e.Proposals}, {"at?", &e.At}}
	}),
	kindOf("permission_closed", func(e *PermissionClosed) []member {
		return []member{{"id", &e.ID}, {"outcome", &e.Outcome}, {"at?", &e.At}, {"rule?", &e.Rule}, {"source?", &e.Source}}
	}),
	kindOf("elicitation_opened", func(e *ElicitationOpened) []member {
		return []member{{"id", &e.ID}, {"request", &e.Request}, {"at?", &e.At}}
	}),
	kindOf("elicitation_closed", func(e *ElicitationClosed) []member {
		return []member{{"id", &e.ID}, {"action", &e.Action}, {"answers?", &e.Answers}, {"at?", &e.At}}
	}),
	kindOf("elicitation_completed", func(e *ElicitationCompleted) []member {
		return []member{{"elicitationId", &e.ElicitationID}}
	}),
	kindOf("option_chosen", func(e *OptionChosen) []member {
		return []member{{"seq", &e.Seq}, {"option", &e.Option}, {"value", &e.Value}, {"at?", &e.At}}
	}),
	kindOf("option_settled", func(e *OptionSettled) []member {
		return []member{{"seq", &e.Seq}, {"option", &e.Option}, {"value", &e.Value}, {"options?", &e.Options}, {"error?", &e.Err}}
	}),
	kindOf("said", func(e *NoticeAdded) []member {
		return []member{{"severity?", &e.Severity}, {"title", &e.Title}, {"detail?", &e.Detail}, {"subject?", &e.Subject}, {"unanswered?", &e.Unanswered}}
	}),
	kindOf("agent_starting", func(e *AgentStarting) []member {
		return []member{{"command", &e.Command}, {"at?", &e.At}}
	}),
	kindOf("agent_ready", func(e *AgentReady) []member {
		return []member{{"info", &e.Info}}
	}),
	kindOf("agent_lost", func(e *AgentLost) []member {
		return []member{{"error?", &e.Err}, {"stderr?", &e.Stderr}, {"at?", &e.At}}
	}),
	kindOf("session_opening", func(e *SessionOpening) []member {
		return []member{{"how", &e.How}, {"id?", &e.ID}, {"clear?", &e.Clear}}
	}),
	kindOf("session_opened", func(e *SessionOpened) []member {
		return []member{{"id", &e.ID}, {"cwd", &e.Cwd}, {"state?", &e.State}}
	}),
	kindOf("session_failed", func(e *SessionFailed) []member {
		return []member{{"error", &e.Err}}
	}),
	kindOf("auth_required", func(e *AuthRequired) []member {
		return []member{{"message?", &e.Message}, {"error?", &e.Err}}
	}),
	kindOf("auth_done", func(e *AuthDone) []member {
		return []member{{"method?", &e.Method}, {"error?", &e.Err}}
	}),
}
