package record

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"parley/acpclient"
	"parley/internal/schema"
	"parley/internal/termtext"
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
	if env.Method != nil {
		r.call(&m, &env, e.Data)
	} else {
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
			_ = r.validator.Violations(schema.Client, r.hello) // it was checked against version 1
		}
		r.hello = nil
	}
	if known || !r.partial {
		r.validate(m, line)
	}
}

// schemaOf returns the schema of a version, with the unstable parts.
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
	m.Wrong = r.validator.Violations(from, line)
}

// summaryLength limits a summary, in bytes.
const summaryLength = 240

// excerpt returns the beginning of a text on one line.
func excerpt(text string) string {
	return strings.ReplaceAll(strings.TrimRight(termtext.Head(text, summaryLength, "…"), "\r\n"), "\n", " ")
}

// content is one content block; for kinds other than text, only its kind.
type content struct {
	Type string `json:"type"`
	Text string `json:"text"`
	URI  string `json:"uri"`
}

// contents takes one block or a list of them.
type contents []content

// UnmarshalJSON implements json.Unmarshaler. It ignores what it cannot read.
func (c *contents) UnmarshalJSON(data []byte) error {
	var one content
	if json.Unmarshal(data, &one) == nil {
		*c = contents{one}
		return nil
	}
	var all []content
	_ = json.Unmarshal(data, &all)
	*c = all
	return nil
}

// body holds the most telling fields of params, updates and results. A field of another
// type is ignored, see acpclient.Unmarshal.
type body struct {
	Update     *body    `json:"update"`
	Variant    string   `json:"sessionUpdate"`
	ToolCall   *body    `json:"toolCall"`
	Content    contents `json:"content"`
	Prompt     contents `json:"prompt"`
	Title      string   `json:"title"`
	Status     string   `json:"status"`
	State      string   `json:"state"`
	Path       string   `json:"path"`
	Command    string   `json:"command"`
	Cwd        string   `json:"cwd"`
	Mode       string   `json:"currentModeId"`
	ModeID     string   `json:"modeId"`
	Config     string   `json:"configId"`
	Terminal   string   `json:"terminalId"`
	StopReason string   `json:"stopReason"`
	Outcome    *struct {
		Outcome  string `json:"outcome"`
		OptionID string `json:"optionId"`
	} `json:"outcome"`
}

// texts returns the text of content, and whether it contains nothing else.
func (c contents) texts() (words string, only bool) {
	var b strings.Builder
	only = len(c) > 0
	for _, one := range c {
		if one.Type == "text" {
			b.WriteString(one.Text)
			continue
		}
		only = false
		b.WriteString("[" + one.Type + "]")
		if one.URI != "" {
			b.WriteString(" " + one.URI + " ")
		}
	}
	return b.String(), only
}

// describe sets the summary from params or a result.
func (m *Message) describe(data json.RawMessage) {
	var b body
	if acpclient.Unmarshal(data, &b) != nil {
		m.Summary = compact(data)
		return
	}
	in := &b
	if b.Update != nil {
		in = b.Update
		m.Variant = in.Variant
	}
	if b.ToolCall != nil {
		in = b.ToolCall
	}
	var parts []string
	for _, part := range []string{in.Title, in.Status, in.State, in.Command, in.Path, in.Mode, in.ModeID, in.Config, in.Terminal, in.StopReason, in.Cwd} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	words := strings.Join(parts, " · ")
	if words == "" {
		for _, c := range []contents{in.Content, in.Prompt} {
			if text, only := c.texts(); text != "" {
				words, m.Text = text, only && m.Kind == Notification
			}
		}
	}
	if b.Outcome != nil {
		words = strings.TrimSpace(b.Outcome.Outcome + " " + b.Outcome.OptionID)
	}
	switch {
	case words != "":
		m.Summary = excerpt(words)
	case b.Update != nil:
		var whole struct {
			Update json.RawMessage `json:"update"`
		}
		_ = json.Unmarshal(data, &whole) // it was decoded above
		m.Summary = compact(whole.Update)
	default:
		m.Summary = compact(data)
	}
}

// MessageText returns the text in a message, or "".
func MessageText(message []byte) string {
	var m struct {
		Params body `json:"params"`
	}
	if acpclient.Unmarshal(message, &m) != nil || m.Params.Update == nil {
		return ""
	}
	text, _ := m.Params.Update.Content.texts()
	return text
}

// describeError sets the summary from an error.
func (m *Message) describeError(data json.RawMessage) {
	var e struct {
		Code    json.Number `json:"code"`
		Message string      `json:"message"`
	}
	if json.Unmarshal(data, &e) != nil {
		m.Summary = compact(data)
		return
	}
	m.Summary = excerpt(strings.TrimSpace(e.Code.String() + " " + e.Message))
}

// compact returns the beginning of JSON without white space.
func compact(data json.RawMessage) string {
	const most = 4 * summaryLength
	if len(data) > most {
		return excerpt(string(data[:most]))
	}
	var b bytes.Buffer
	if json.Compact(&b, data) != nil {
		return excerpt(string(data))
	}
	return excerpt(b.String())
}

// PrettyJSON returns a message for reading: indented JSON or, if it is not JSON or
// nested too deeply, the text itself.
func PrettyJSON(data []byte) string {
	if isObject(data) {
		if set, ok := termtext.Indented(bytes.TrimSpace(data)); ok {
			return string(set)
		}
	}
	return string(data)
}

// Label names a message: its method, or what it answers.
func (m *Message) Label() string {
	name := m.Method
	switch {
	case m.Kind == StderrMessage, m.Kind == NoiseMessage:
		return m.Kind.String()
	case m.Kind == Answer && name == "":
		return "answer to " + m.ID
	case m.Kind == Answer:
		return "answer to " + name
	case m.Variant != "":
		return m.Variant
	}
	return name
}

// TookWords returns the time until the answer, in a few characters.
func (m *Message) TookWords() string {
	switch ms := m.Took.Milliseconds(); {
	case m.Took == 0:
		return ""
	case ms < 1:
		return "<1 ms"
	case ms < 1000:
		return strconv.FormatInt(ms, 10) + " ms"
	case ms < 100_000:
		return strconv.FormatFloat(m.Took.Seconds(), 'f', 1, 64) + " s"
	}
	return strconv.Itoa(int(m.Took.Seconds())) + " s"
}

// MessageKind is the kind of a Message.
type MessageKind uint8

// The kinds of messages.
const (
	Request MessageKind = iota
	Answer
	Notification
	NoiseMessage  // a line that is not a message
	StderrMessage // output of the agent to stderr
)

// String names the kind.
func (k MessageKind) String() string {
	return [...]string{"request", "answer", "notification", "noise", "stderr"}[k]
}

// Message describes a message, or other output of the agent. Its texts come from the
// agent; sanitise them before drawing.
type Message struct {
	// Number is the number of the entry in the ring.
	Number uint64
	Time   time.Time
	// Sent means that parley sent it.
	Sent bool
	Kind MessageKind
	// Method is the method of the message, or of the request that it answers; "" if
	// unknown.
	Method string
	// Variant is the kind of a session/update.
	Variant string
	// ID is the id of a request or answer, as JSON.
	ID string
	// Failed means that it is an error.
	Failed bool
	// Summary summarises the content in a few words; Text means that it is a piece
	// of text that continues in the next message of the same kind.
	Summary string
	Text    bool
	// Size is the size in bytes.
	Size int
	// Answers is the number of the request that it answers, and Took the time since
	// then. Both are 0 if it is not an answer, or its request is unknown.
	Answers uint64
	Took    time.Duration
	// Wrong lists its violations of the schema.
	Wrong []*schema.Violation
}

// Foldable reports whether a message continues the previous one, so that runs of such
// messages can be shown as one.
func (m *Message) Foldable(before *Message) bool {
	if m.Kind != before.Kind || m.Sent != before.Sent || len(m.Wrong) > 0 || len(before.Wrong) > 0 {
		return false
	}
	switch m.Kind {
	case Notification:
		return m.Method == before.Method && m.Variant == before.Variant
	case NoiseMessage, StderrMessage:
		return true
	}
	return false
}
