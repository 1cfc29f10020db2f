// Package schema validates messages against the official schemas of the Agent Client
// Protocol.
//
// Feed a Validator every line of a connection, from both sides and in order; it matches
// results to requests by their ids:
//
//	v := schema.NewValidator(schema.V1())
//	if err := v.Line(schema.Client, line); err != nil {
//		t.Error(err)
//	}
package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Side is one end of a connection.
type Side string

// The two ends.
const (
	Client Side = "client"
	Agent  Side = "agent"
)

func (s Side) other() Side {
	if s == Client {
		return Agent
	}
	return Client
}

// Violation says how a message violates the schema.
type Violation struct {
	From   Side
	Method string // of the request, also for its answer
	Part   string // "params", "result", "error", or "message" for the envelope
	Path   string // JSON pointer into the part
	Reason string
}

func (v *Violation) Error() string {
	return fmt.Sprintf("%s: %s of %s at %q: %s", v.From, v.Part, v.Method, v.Path, v.Reason)
}

// Validator checks the messages of one connection, in the order of the wire. It is safe
// for concurrent use.
type Validator struct {
	schema *Schema
	allow  []string

	mu   sync.Mutex
	open map[openKey][]string // the methods of the open requests
}

type openKey struct {
	from Side
	id   string
}

// NewValidator returns a Validator for a new connection. Methods outside the schema are
// violations unless their names begin with "_" or are in allow.
func NewValidator(s *Schema, allow ...string) *Validator {
	return &Validator{schema: s, allow: allow, open: map[openKey][]string{}}
}

// Line checks a message. The error joins its violations.
func (v *Validator) Line(from Side, line []byte) error {
	var all []error
	for _, wrong := range v.Violations(from, line) {
		all = append(all, wrong)
	}
	return errors.Join(all...)
}

// Violations checks a message.
func (v *Validator) Violations(from Side, line []byte) []*Violation {
	var m struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"` // may be null
		Method  *string         `json:"method"`
		Params  json.RawMessage `json:"params"`
		Result  json.RawMessage `json:"result"`
		Error   json.RawMessage `json:"error"`
	}
	bad := func(method, format string, args ...any) []*Violation {
		return []*Violation{{From: from, Method: method, Part: "message", Reason: fmt.Sprintf(format, args...)}}
	}
	if err := json.Unmarshal(line, &m); err != nil {
		return bad("?", "not a JSON-RPC message: %v", err)
	}
	if m.JSONRPC != "2.0" {
		return bad("?", `"jsonrpc" is %q, not "2.0"`, m.JSONRPC)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if m.Method != nil {
		if m.Result != nil || m.Error != nil {
			return bad(*m.Method, "a request has no result and no error")
		}
		return v.call(from, *m.Method, m.ID, m.Params)
	}
	if m.ID == nil {
		return bad("?", "it has neither a method nor an id")
	}
	key := openKey{from.other(), string(m.ID)}
	open := v.open[key]
	if len(open) == 0 {
		return bad("?", "it responds to %s, which is not an open request", m.ID)
	}
	method := open[0]
	if v.open[key] = open[1:]; len(open) == 1 {
		delete(v.open, key)
	}
	switch {
	case (m.Result == nil) == (m.Error == nil):
		return bad(method, "a response must have either a result or an error")
	case m.Error != nil:
		return v.check(from, method, "error", "Error", m.Error)
	}
	types, known := v.schema.Types(from, method)
	if !known {
		return nil // the request was reported, or is allowed
	}
	return v.check(from, method, "result", types.Response, m.Result)
}

func (v *Validator) call(from Side, method string, id, params json.RawMessage) []*Violation {
	types, known := v.schema.Types(from.other(), method)
	def := types.Notification
	if id != nil {
		key := openKey{from, string(id)}
		taken := len(v.open[key]) > 0
		v.open[key] = append(v.open[key], method) // a duplicate gets an answer, too
		if taken {
			return []*Violation{{From: from, Method: method, Part: "message", Reason: "its id is that of an open request"}}
		}
		def = types.Request
	}
	switch {
	case !known && (strings.HasPrefix(method, "_") || slices.Contains(v.allow, method)):
		return nil
	case !known:
		return []*Violation{{From: from, Method: method, Part: "message", Reason: "the schema has no such method in this direction"}}
	case def == "":
		return []*Violation{{From: from, Method: method, Part: "message", Reason: "a request without an id, or a notification with one"}}
	case params == nil:
		params = json.RawMessage("null")
	}
	return v.check(from, method, "params", def, params)
}

func (v *Validator) check(from Side, method, part, def string, value json.RawMessage) []*Violation {
	var all []*Violation
	for _, f := range v.schema.Faults(def, value) {
		all = append(all, &Violation{from, method, part, f.Path, f.Reason})
	}
	return all
}
