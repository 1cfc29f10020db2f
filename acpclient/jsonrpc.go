package acpclient

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// RequestID identifies a request of one peer: a JSON number or string, kept and sent
// back exactly as it was spelled (schema type RequestId). The zero value is no id.
type RequestID struct{ raw string }

// nullID is the id of a request with the id null, and of its answer.
var nullID = RequestID{"null"}

// NumberID returns the id n.
func NumberID(n int64) RequestID { return RequestID{strconv.FormatInt(n, 10)} }

// String returns the id as it is spelled in JSON.
func (id RequestID) String() string { return id.raw }

// IsZero reports whether there is no id.
func (id RequestID) IsZero() bool { return id.raw == "" }

// MarshalJSON returns the id as received, null for the zero value.
func (id RequestID) MarshalJSON() ([]byte, error) {
	if id.raw == "" {
		return []byte("null"), nil
	}
	return []byte(id.raw), nil
}

// UnmarshalJSON accepts a number, a string or null.
func (id *RequestID) UnmarshalJSON(b []byte) error {
	b = bytes.TrimSpace(b)
	switch {
	case len(b) == 0 || string(b) == "null":
		id.raw = ""
	case b[0] == '"', b[0] == '-', b[0] >= '0' && b[0] <= '9':
		id.raw = string(b)
	default:
		return fmt.Errorf("a request id is a number or a string, not %.20s", b)
	}
	return nil
}

// number returns the id as a number. It tolerates peers that return our numbers as
// strings or fractions (1.0).
func (id RequestID) number() (int64, bool) {
	s := id.raw
	if len(s) > 2 && s[0] == '"' {
		s = s[1 : len(s)-1]
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, false
	}
	return int64(f), true
}

// ErrorCode is an error code (schema type ErrorCode). Peers may send any number.
type ErrorCode int64

// The codes of JSON-RPC, and the one for a cancelled request.
const (
	CodeParseError       ErrorCode = -32700
	CodeInvalidRequest   ErrorCode = -32600
	CodeMethodNotFound   ErrorCode = -32601
	CodeInvalidParams    ErrorCode = -32602
	CodeInternalError    ErrorCode = -32603
	CodeRequestCancelled ErrorCode = -32800
)

// Error is the error answer of a peer, or of a handler (schema type Error). If a handler
// returns any other error, the answer is CodeInternalError with its text.
type Error struct {
	Code    ErrorCode       `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// decodeVariant accepts whatever agents put under "error", such as a bare string or a
// missing code. What it cannot interpret stays in Data.
func (e *Error) decodeVariant(raw json.RawMessage) error {
	*e = Error{Code: CodeInternalError}
	if json.Unmarshal(raw, &e.Message) == nil {
		return nil
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		e.Data = bytes.Clone(raw)
		return nil
	}
	if code, ok := (RequestID{string(fields["code"])}).number(); ok {
		e.Code = ErrorCode(code)
	}
	if data := fields["data"]; !isNull(data) {
		e.Data = data
	}
	_ = json.Unmarshal(fields["message"], &e.Message)
	if delete(fields, "code"); e.Message == "" && e.Data == nil && len(fields) > 0 {
		e.Data = bytes.Clone(raw) // better than nothing
	}
	return nil
}

// Error returns the message, the detail from the data, and the code.
func (e *Error) Error() string { return e.text(e.Detail()) }

// Words is Error without those parts of message and data that only programs can read,
// unless there is nothing else.
func (e *Error) Words() string {
	plain := *e
	if words := wordsIn([]byte(e.Message)); words != "" {
		plain.Message = words // JSON that the agent got from a server
	}
	words := wordsIn(e.Data)
	if words == "" && e.Message == "" {
		return e.Error()
	}
	return plain.text(words)
}

func (e *Error) text(detail string) string {
	msg := e.Message
	if detail != "" && detail != msg {
		if msg != "" {
			msg += ": "
		}
		msg += detail
	}
	if msg == "" {
		msg = "the peer gave no reason"
	}
	code := fmt.Sprintf(" (code %d)", e.Code)
	return strings.TrimSuffix(msg, code) + code // an agent may pass on the text of another such error
}

// Detail returns the words in the data, or else its JSON, shortened.
func (e *Error) Detail() string {
	if words := wordsIn(e.Data); words != "" {
		return words
	}
	data := e.Data
	if compact := new(bytes.Buffer); json.Compact(compact, data) == nil {
		data = compact.Bytes()
	}
	switch string(data) {
	case "", "null", "{}", `""`:
		return ""
	}
	const most = 300
	if len(data) > most {
		return string(bytes.ToValidUTF8(data[:most], nil)) + "…"
	}
	return string(data)
}

// reasonFields are the usual fields of data that hold a reason, the best first.
var reasonFields = []string{"details", "detail", "message", "error", "reason", "description", "cause"}

// wordsIn returns the human-readable text in JSON, or "": a string, one of the usual
// fields of an object, or else the first sentence in any field.
func wordsIn(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		for _, item := range list {
			if s := wordsIn(item); strings.Contains(s, " ") {
				return s
			}
		}
		return ""
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return ""
	}
	for _, k := range reasonFields {
		if s := wordsIn(fields[k]); s != "" {
			return s
		}
	}
	for _, k := range slices.Sorted(maps.Keys(fields)) {
		if s := wordsIn(fields[k]); k != "stack" && strings.Contains(s, " ") {
			return s
		}
	}
	return ""
}

// IsCode reports whether err is an *Error with this code.
func IsCode(err error, code ErrorCode) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}

// MethodNotFoundError returns the answer to an unknown request.
func MethodNotFoundError(method string) *Error {
	data, _ := json.Marshal(map[string]string{"method": method})
	return &Error{Code: CodeMethodNotFound, Message: "Method not found", Data: data}
}

func invalidParams(method string, err error) *Error {
	data, _ := json.Marshal(map[string]string{"method": method, "details": err.Error()})
	return &Error{Code: CodeInvalidParams, Message: "Invalid params", Data: data}
}

// envelope is any message. Its fields decide what it is: a request has ID and Method, a
// notification only Method, a response ID and perhaps Error or Result. "jsonrpc" is
// required only where a program's JSON log might pass for a message.
type envelope struct {
	JSONRPC, Params, Result, Error json.RawMessage

	ID     RequestID
	Method string
	nullID bool // the id is null, as in the answer to an unreadable message
}

// read splits a line into its fields without copying. It returns false if the line is
// not a message.
func (m *envelope) read(line []byte) bool {
	if !valid(line) {
		return false
	}
	var err error
	for key, value := range Members(line) {
		switch string(key) {
		case "jsonrpc":
			m.JSONRPC = value
		case "id":
			m.nullID = isNull(value)
			err = errors.Join(err, m.ID.UnmarshalJSON(value))
		case "method":
			var bad error
			m.Method, bad = decodeString(value)
			err = errors.Join(err, bad)
		case "params":
			m.Params = value
		case "result":
			m.Result = value
		case "error":
			m.Error = value
		}
	}
	return err == nil
}

// outgoing is a message to send. Exactly one of its kinds is filled in.
type outgoing struct {
	JSONRPC string     `json:"jsonrpc"`
	ID      *RequestID `json:"id,omitempty"`
	Method  string     `json:"method,omitempty"`
	Params  any        `json:"params,omitempty"`
	Result  any        `json:"result,omitempty"`
	Error   *Error     `json:"error,omitempty"`
}

// Encoded is JSON without line ends that is known to be valid. As the params of a
// notification it is sent as it is.
type Encoded []byte

// MarshalJSON implements json.Marshaler.
func (e Encoded) MarshalJSON() ([]byte, error) { return e, nil }

func (e Encoded) encoded() (Encoded, error) { return e, nil }

// encode returns the message as JSON without line ends.
func (m outgoing) encode() ([]byte, error) {
	m.JSONRPC = "2.0"
	// Package json would read again what encodes itself.
	if p, ok := m.Params.(interface{ encoded() (Encoded, error) }); ok && m.ID == nil {
		params, err := p.encoded()
		if err != nil {
			return nil, err
		}
		method, err := Marshal(m.Method)
		b := append(make([]byte, 0, len(params)+len(method)+64), `{"jsonrpc":"2.0","method":`...)
		b = append(append(append(b, method...), `,"params":`...), params...)
		return append(b, '}'), err
	}
	if r, ok := m.Result.(largeText); ok {
		if text, rest, mark := r.split(); len(text) >= largeTextSize {
			m.Result = rest
			return marshalAround(m, mark, text)
		}
	}
	return Marshal(m)
}

// Marshal is json.Marshal without escaping for HTML. The result has spare capacity for a
// line end, so that Lines need not copy a long message.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// CancelRequest cancels a request, in either direction. Conn sends and handles it.
var CancelRequest = Notification[CancelRequestNotification]{"$/cancel_request"}

// CancelRequestNotification cancels a request (notification $/cancel_request).
type CancelRequestNotification struct {
	RequestID RequestID `json:"requestId" acp:"required"`
	Meta      Meta      `json:"_meta,omitempty"`
}

// The error codes that ACP adds to those of JSON-RPC.
const (
	// CodeAuthRequired means that the user must sign in first. Any call can return it,
	// at any time.
	CodeAuthRequired ErrorCode = -32000
	// CodeUnsupportedVersion means that the agent speaks no offered version (version 2).
	CodeUnsupportedVersion ErrorCode = -32022
	// CodeResourceNotFound means that a file, terminal or session does not exist.
	CodeResourceNotFound ErrorCode = -32002
)

// NotFoundError returns the answer to a request for a missing resource. Agents match on
// its words.
func NotFoundError(path string) *Error {
	return &Error{Code: CodeResourceNotFound, Message: "Resource not found: " + path}
}
