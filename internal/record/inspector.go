package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"time"

	"parley/internal/schema"
)

// initialize begins a connection.
const initialize = "initialize"

// Inspector describes the entries of a ring, in order. It is for one goroutine at a
// time.
type Inspector struct {
	open map[call]opened
	// validator checks the connection against the schema; nil before the first message.
	validator *schema.Validator
	// version is the protocol version in use, 0 if unknown.
	version int
	// partial means that messages of the connection are missing, so that answers to
	// unknown requests are fine.
	partial bool
	hello   []byte // the request that began the connection, until it is answered
}

// call identifies a pending request: who made it, and its id.
type call struct {
	sent bool
	id   string
}

// opened is a pending request.
type opened struct {
	number uint64
	method string
	at     time.Time
}

// NewInspector returns an Inspector. version is the protocol version if the beginning
// of the connection is missing, 0 if unknown.
func NewInspector(version int) *Inspector {
	return &Inspector{open: map[call]opened{}, version: version}
}

// Version returns the protocol version at the last entry taken, 0 if unknown.
func (r *Inspector) Version() int { return r.version }

// envelope holds the fields that all messages share.
type envelope struct {
	ID     json.RawMessage `json:"id"`
	Method *string         `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// Take describes an entry. missing means that entries before it are missing.
func (r *Inspector) Take(e Numbered, missing bool) Message {
	r.partial = r.partial || missing
	m := Message{Number: e.Number, Time: e.Time, Sent: e.Kind == Sent, Size: len(e.Data) + e.Cut}
	var env envelope
	switch {
	case e.Kind == Stderr:
		m.Kind, m.Summary = StderrMessage, excerpt(string(e.Data))
		return m
	case e.Cut > 0:
		m.Kind, m.Summary, r.partial = NoiseMessage, "too long to be kept whole: "+excerpt(string(e.Data)), true
		return m
	case !isObject(e.Data) || json.Unmarshal(e.Data, &env) != nil:
		m.Kind, m.Summary = NoiseMessage, excerpt(string(e.Data))
		return m
	}
	switch {
	case env.Method != nil:
		r.call(&m, &env, e.Data)
	default:
		r.answer(&m, &env, e.Data)
	}
	return m
}

func isObject(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) > 0 && line[0] == '{'
}

// call handles a request or a notification.
func (r *Inspector) call(m *Message, env *envelope, line []byte) {
	m.Kind, m.Method = Notification, *env.Method
	m.describe(env.Params)
	if env.ID != nil {
		m.Kind, m.ID = Request, string(env.ID)
		if m.Sent && m.Method == initialize {
			// A new connection: the requests of the previous one stay unanswered.
			r.open = map[call]opened{}
			r.partial, r.hello, r.version = false, line, 0
			r.validator = schema.NewValidator(schemaOf(r.version))
		}
		r.open[call{m.Sent, m.ID}] = opened{m.Number, m.Method, m.Time}
	}
	r.validate(m, line)
}

// answer handles an answer.
func (r *Inspector) answer(m *Message, env *envelope, line []byte) {
	m.Kind, m.ID = Answer, string(env.ID)
	m.Failed = env.Error != nil
	key := call{!m.Sent, m.ID}
	request, known := r.open[key]
	if known {
		delete(r.open, key)
		m.Method, m.Answers, m.Took = request.method, request.number, m.Time.Sub(request.at)
	}
	if m.Failed {
		m.describeError(env.Error)
	} else {
		m.describe(env.Result)
	}
	if known && !m.Sent && request.method == initialize {
		// The answer settles the version.
		var version struct {
			ProtocolVersion int `json:"protocolVersion"`
		}
		_ = json.Unmarshal(env.Result, &version) // an error has no version
		r.version = version.ProtocolVersion
		if r.version == 2 && r.hello != nil {
			r.validator = schema.NewValidator(schemaOf(r.version))
			_ = r.validator.Line(schema.Client, r.hello) // it was checked against version 1
		}
		r.hello = nil
	}
	if known || !r.partial {
		r.validate(m, line)
	}
}

// schemaOf returns the schema of a version, including the unstable parts.
func schemaOf(version int) *schema.Schema {
	if version == 2 {
		return schema.V2Unstable()
	}
	return schema.V1Unstable()
}

// validate records how a message violates the schema.
func (r *Inspector) validate(m *Message, line []byte) {
	if r.validator == nil {
		r.validator, r.partial = schema.NewValidator(schemaOf(r.version)), true
	}
	from := schema.Agent
	if m.Sent {
		from = schema.Client
	}
	m.Wrong = violations(r.validator.Line(from, line))
}

// violations returns those that an error joins.
func violations(err error) []*schema.Violation {
	if err == nil {
		return nil
	}
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		var out []*schema.Violation
		for _, one := range all.Unwrap() {
			out = append(out, violations(one)...)
		}
		return out
	}
	var v *schema.Violation
	if errors.As(err, &v) {
		return []*schema.Violation{v}
	}
	return []*schema.Violation{{Part: "message", Reason: err.Error()}}
}
