package doctor

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"parley/internal/termtext"
)

// message is a line of the agent that is a JSON object.
type message struct {
	number int // of the line
	raw    []byte
	at     time.Time
	fields map[string]json.RawMessage
	id     json.RawMessage // nil if there is none
	method string
	call   bool // it has a method
}

// parse makes a message of a line; nil if the line is not a JSON object.
func parse(number int, line rawLine) *message {
	m := &message{number: number, raw: line.data, at: line.at}
	if json.Unmarshal(line.data, &m.fields) != nil || m.fields == nil {
		return nil
	}
	m.id = m.fields["id"]
	if method, ok := m.fields["method"]; ok {
		m.call = json.Unmarshal(method, &m.method) == nil
	}
	return m
}

// params decodes the params into v. What does not fit is left out: it breaks the schema,
// and is reported as that.
func (m *message) params(v any) { _ = json.Unmarshal(m.fields["params"], v) }

// key is an id in a canonical form. The string "7" is not the number 7.
func key(id json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, id) != nil {
		return string(id)
	}
	var text string
	if json.Unmarshal(id, &text) == nil {
		quoted, _ := json.Marshal(text) // two ways to escape make one string
		return string(quoted)
	}
	return b.String()
}

// rpcError is an error of JSON-RPC.
type rpcError struct {
	Code    json.Number `json:"code"`
	Message string      `json:"message"`
}

// The codes that are looked for.
const (
	codeInvalidParams  = "-32602"
	codeMethodNotFound = "-32601"
	codeAuthRequired   = "-32000"
)

// String is the error as untrusted text.
func (e *rpcError) String() string {
	return strings.TrimSpace(e.Code.String() + " " + e.Message)
}

// words is the beginning of a text of the agent, fit to be drawn.
func words(text string) string { return short(text, 120) }

// excerpt is the beginning of a line, fit to be drawn.
func excerpt(line []byte) string { return short(string(line), 200) }

func short(text string, runes int) string {
	cut := false
	if most := 4 * runes; len(text) > most {
		text, cut = strings.ToValidUTF8(text[:most], ""), true
	}
	if r := []rune(text); len(r) > runes {
		text, cut = string(r[:runes]), true
	}
	if cut {
		text += "…"
	}
	return termtext.VisibleLine(text)
}
