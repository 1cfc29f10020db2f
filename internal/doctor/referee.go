package doctor

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"parley/internal/schema"
)

// referee checks the agent's messages against the schema and the rules. It sees all
// traffic, in the order of the wire.
type referee struct {
	report *Report
	// dialect is the agreed version; until the agent answers, the offered one. newest is the
	// newest version that the agent may choose.
	dialect *dialect
	newest  int
	// sent are the requests to the agent, by the keys of their ids.
	sent map[string]*request
	// asked are the ids of the agent's own requests.
	asked map[string]bool
	// initialized says that initialize was answered.
	initialized bool
	// notified says that an unknown notification was sent and nothing answered since.
	notified bool
	// malformed counts the lines sent without a usable id, which the agent may answer with
	// the id null.
	malformed int
	sessions  map[string]*session
	// early are updates for unknown sessions that came while a session was being opened.
	early map[string]*message
	// unordered says that the transport does not keep the order of messages.
	unordered bool
}

// request is a request to the agent.
type request struct {
	id, method string // the key of the id
	session    string
	line       int
	answered   bool
	failed     bool // with an error
	late       bool // the exam has stopped waiting for it
}

func newReferee(report *Report, newest int) *referee {
	return &referee{
		report: report, dialect: dialectOf(newest), newest: newest, sent: map[string]*request{}, asked: map[string]bool{},
		sessions: map[string]*session{}, early: map[string]*message{},
	}
}

// has reports whether the agreed version has a rule.
func (r *referee) has(rule *Rule) bool { return r.dialect.page(rule) != "" }

// finds reports that the agent breaks a rule of the agreed version, by a message or nil.
func (r *referee) finds(broken *Rule, m *message, format string, args ...any) {
	if r.has(broken) {
		r.findsOn(r.dialect.page(broken), broken, m, format, args...)
	}
}

func (r *referee) findsOn(page string, broken *Rule, m *message, format string, args ...any) {
	if broken.order && r.unordered {
		return
	}
	f := Finding{Rule: broken.ID, Severity: broken.Severity, Message: short(r.report.clean(fmt.Sprintf(format, args...)), 300), Page: page}
	if m != nil {
		f.Line, f.From, f.Excerpt = m.number, schema.Agent, short(r.report.clean(string(m.raw)), 200)
	}
	r.report.find(f)
}

// line checks a line of the agent and returns its message, or nil.
func (r *referee) line(number int, l rawLine) *message {
	m := parse(number, l)
	about := m
	if m == nil {
		about = &message{number: number, raw: l.data}
	}
	if !utf8.Valid(l.data) {
		r.finds(ruleUTF8, about, "A line is not UTF-8")
	}
	switch {
	case l.cut:
		r.finds(ruleNoise, about, "A line is longer than %d MiB", maxLine>>20)
		return nil
	case l.unended && len(l.data) > 0:
		r.finds(ruleNewline, about, "The last line has no newline")
	}
	if m == nil {
		r.finds(ruleNoise, about, "A line is not a JSON object")
		return nil
	}
	if !r.envelope(m) {
		return nil
	}
	return m
}

// envelope checks what all messages have in common.
func (r *referee) envelope(m *message) bool {
	has := func(name string) bool { _, ok := m.fields[name]; return ok }
	if v := string(m.fields["jsonrpc"]); v != `"2.0"` {
		r.finds(ruleEnvelope, m, `"jsonrpc" is %s, not "2.0"`, cmp.Or(v, "missing"))
	}
	switch {
	case has("method") && !m.call:
		r.finds(ruleEnvelope, m, "The method is not a string")
	case m.call && (has("result") || has("error")):
		r.finds(ruleEnvelope, m, "A message has both a method and a result or error")
	case m.call:
		return true
	case !has("id"):
		r.finds(ruleEnvelope, m, "A message has neither a method nor an id")
	case has("result") == has("error"):
		r.finds(ruleEnvelope, m, "A response must have either a result or an error")
		return true // it still answers the request
	default:
		return true
	}
	return false
}

// schema validates a part of a message.
func (r *referee) schema(m *message, side schema.Side, method, part, update string, value json.RawMessage) {
	def := func(s *schema.Schema) string {
		types, _ := s.Types(side, method)
		switch {
		case part == "result":
			return types.Response
		case m.id != nil:
			return types.Request
		}
		return types.Notification
	}
	if value == nil {
		value = json.RawMessage("null")
	}
	d := r.dialect
	name, proposed := def(d.stable()), def(d.proposed())
	if name == "" && proposed == "" {
		r.finds(ruleEnvelope, m, "%s was sent as a notification instead of a request, or the reverse", words(method))
		return
	}
	var wrong []*schema.Fault
	broken := ruleSchema
	if name != "" {
		if wrong, broken = d.validate(d.stable(), name, value); len(wrong) == 0 {
			return
		}
	}
	if proposed != "" {
		draft, by := d.validate(d.proposed(), proposed, value)
		switch {
		case len(draft) == 0 && name == "":
			r.finds(ruleProposed, m, "%s is only a proposal", words(method))
			return
		case len(draft) == 0 && update == "":
			r.finds(ruleProposed, m, "The %s of %s contains what is only a proposal", part, method)
			return
		case len(draft) == 0:
			r.finds(ruleProposed, m, "The %s of %s is %s, which is only a proposal", part, method, words(update))
			return
		case name == "":
			wrong, broken = draft, by
		}
	}
	page := d.page(broken)
	if broken == ruleSchema {
		page = d.pageOf(method, update)
	}
	for _, f := range wrong {
		r.findsOn(page, broken, m, "%s: %s", place(method, part, update, f.Path), f.Reason)
	}
}

// place names a place in a message. It replaces array indexes with *, so that the same
// mistake in many items is one finding.
func place(method, part, update, path string) string {
	what := "The " + part + " of " + method
	if update != "" {
		what = "The update " + update
		path = strings.TrimPrefix(path, "/update")
	}
	if path == "" {
		return what
	}
	keys := strings.Split(path[1:], "/")
	for i, k := range keys {
		if strings.Trim(k, "0123456789") == "" {
			keys[i] = "*"
		}
	}
	return fmt.Sprintf("%s, at /%s", what, strings.Join(keys, "/"))
}

// answer handles a response of the agent and returns its request, or nil. It updates the
// state at once, because the next line is judged by it.
func (r *referee) answer(m *message) *request {
	q := r.matches(m)
	if q == nil {
		return nil
	}
	s := r.sessions[q.session]
	switch q.method {
	case "initialize":
		r.initialized = true
	case "session/new", "session/fork":
		var result struct {
			SessionID string `json:"sessionId"`
		}
		_ = json.Unmarshal(m.fields["result"], &result)
		switch id := result.SessionID; {
		case q.failed || id == "":
		case r.sessions[id] != nil:
			r.finds(ruleSessionID, m, "%s returned the id of an open session", q.method)
		default:
			r.sessions[id] = newSession(id)
		}
		s = r.sessions[result.SessionID]
		if s != nil {
			delete(r.early, s.id)
		}
		r.judgeEarly()
	case "session/load", "session/resume":
		if s != nil {
			r.reopened(m, s, q)
		}
	case "session/prompt":
		if s != nil {
			r.promptAnswered(m, s, q)
		}
	case "session/close":
		if s != nil {
			s.closed = !q.failed
		}
	}
	if s != nil && !q.failed {
		var result state
		_ = json.Unmarshal(m.fields["result"], &result)
		r.opened(m, s, result)
	}
	return q
}

// matches returns the request that an answer is for, and checks the answer.
func (r *referee) matches(m *message) *request {
	q, null := r.sent[key(m.id)], string(m.id) == "null"
	switch {
	case null && r.notified:
		r.finds(ruleNotified, m, "The agent responded to a notification")
		return nil
	case null && r.malformed > 0:
		r.malformed--
		return nil
	case null:
		r.finds(ruleUnasked, m, "A response has the id null")
		return nil
	case q == nil:
		if near := r.near(m.id); near != nil {
			r.finds(idRule(near.id, ruleUnasked), m, "The id %s came back as %s", short(near.id, 40), short(string(m.id), 40))
			return near
		}
		r.finds(ruleUnasked, m, "A response has the id %s, but no request had it", words(string(m.id)))
		return nil
	case q.answered:
		r.finds(ruleAnswerOnce, m, "The agent responded to %s a second time", q.method)
		return nil
	}
	q.answered = true
	if raw, failed := m.fields["error"]; failed {
		q.failed = true
		for _, f := range r.dialect.stable().Faults("Error", raw) {
			r.finds(ruleErrorObject, m, "%s: %s", place("a response", "error", "", f.Path), f.Reason)
		}
		return q
	}
	var result struct {
		Version int `json:"protocolVersion"`
	}
	_ = json.Unmarshal(m.fields["result"], &result)
	if q.method == "initialize" {
		if result.Version > r.newest {
			return q // in another version of the protocol
		}
		r.dialect = dialectOf(result.Version)
	}
	r.schema(m, schema.Agent, q.method, "result", "", m.fields["result"])
	return q
}

// near returns an open request with a similar id.
func (r *referee) near(id json.RawMessage) *request {
	got := strings.Trim(key(id), `"`)
	number, _ := strconv.ParseFloat(got, 64)
	for sent, q := range r.sent {
		want := strings.Trim(sent, `"`)
		rounded, err := strconv.ParseFloat(want, 64)
		if !q.answered && (got == want || err == nil && number == rounded || len(want) > 12 && len(got) > 12 && got[:12] == want[:12]) {
			q.answered = true
			return q
		}
	}
	return nil
}

// called handles a request or a notification of the agent.
func (r *referee) called(m *message) {
	if m.id != nil {
		r.requestID(m)
	}
	if !r.initialized {
		r.finds(ruleEarly, m, "%s was sent before the response to initialize", words(m.method))
	}
	r.offered(m, m.method, "called")
	if !r.dialect.knows(m.method) {
		if !strings.HasPrefix(m.method, "_") {
			r.finds(ruleOwnMethod, m, "The protocol has no client method %q", words(m.method))
		}
		return
	}
	update := ""
	if m.method == "session/update" {
		var p struct {
			Update struct {
				Kind string `json:"sessionUpdate"`
			} `json:"update"`
		}
		m.params(&p)
		update = words(p.Update.Kind)
	}
	r.schema(m, schema.Client, m.method, "params", update, m.fields["params"])
	switch m.method {
	case "session/update":
		r.update(m)
	case "session/request_permission":
		r.permission(m)
	}
}

// offered checks that the client has advertised a method or an update.
func (r *referee) offered(m *message, what, done string) {
	if u, ok := r.dialect.unadvertised[what]; ok {
		r.findsOn(r.dialect.site+u.page, ruleUnoffered, m, "%s was %s, but the client did not advertise %s", what, done, u.capability)
	}
}

// requestID checks the id of a request of the agent.
func (r *referee) requestID(m *message) {
	id := string(m.id)
	switch {
	case id == "null":
		r.finds(ruleOwnID, m, "A request from the agent has the id null")
	case strings.ContainsAny(id[:1], "{[tf") || id[0] != '"' && strings.ContainsAny(id, ".eE"):
		r.finds(ruleOwnID, m, "The id %s is neither a string nor an integer", words(id))
	case r.asked[key(m.id)]:
		r.finds(ruleOwnID, m, "A request from the agent reuses an id")
	}
	r.asked[key(m.id)] = true
}

// judgeEarly reports early updates whose sessions were never opened.
func (r *referee) judgeEarly() {
	for _, q := range r.sent {
		if !q.answered && !q.late && (q.method == "session/new" || q.method == "session/fork") {
			return
		}
	}
	for id, m := range r.early {
		r.finds(ruleUnknownUpdate, m, "%s names the session %q, which was never opened", m.method, words(id))
		delete(r.early, id)
	}
}
