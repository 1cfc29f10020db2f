// Package doctor examines an agent: it starts the agent, tries what it advertises, checks
// every message against the schema and the rules of the protocol, and reports deviations.
//
// One exam serves all versions of the protocol. The differences are in the table of
// dialects (dialect.go) and in the table of rules (rule.go).
//
// The agent gets no access to this machine: the doctor advertises no files, terminals or
// forms, and never gives permission. The sessions have a directory of their own. Without a
// prompt, no model is asked.
package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"parley/acpclient"
	"parley/internal/schema"
	"parley/internal/termtext"
)

// Options say what to examine, and how.
type Options struct {
	// Start starts the agent. It is called twice: the second agent is asked what could
	// confuse the first. The writer gets the agent's stderr. One with a Transport listens on the
	// network.
	Start func(stderr io.Writer) (*acpclient.Peer, error)
	// Unordered says that messages may arrive in another order than they were sent in.
	Unordered bool
	// Command is the agent's command as text, or URL where it listens.
	Command, URL string
	// Cwd is the directory of the sessions, an absolute path without symlinks.
	Cwd string
	// Timeout is how long the agent has for each answer. It must be positive.
	Timeout time.Duration
	// Prompt is sent twice, and the second turn cancelled; if that turn seems to have ended
	// by itself, a third one follows. "" sends none, ScriptedPrompt the doctor's own prompts.
	Prompt string
	// Protocol is the newest version of the protocol that the agent is offered: 2, or 1.
	Protocol int
	// Version is the version of the client.
	Version string
	// Wire, if not nil, gets every line of all runs as a line of JSON, numbered as in the
	// report. It is untrusted text.
	Wire io.Writer
	// Clean, if not nil, removes secrets from a line or a text, for Wire and the report.
	Clean func(string) string
	// Progress, if not nil, is called with the name of each step, from one goroutine.
	Progress func(what string)
}

// ScriptedPrompt sends the doctor's own prompts.
const ScriptedPrompt = "\x00scripted"

// The doctor's own prompts: one with a short answer, and one with a long answer.
const (
	shortPrompt = "This is a test of the connection. Answer with the single word: pong. Use no tools."
	longPrompt  = "This is a test of the connection. Count from 1 to 500, one number a line, and use no tools."
)

// Examine examines an agent. When ctx ends, it reports the findings so far. It fails only
// if it cannot write to Wire.
func Examine(ctx context.Context, opt Options) (*Report, error) {
	if opt.Clean == nil {
		opt.Clean = func(text string) string { return text }
	}
	report := &Report{
		clean: opt.Clean,
		V:     ReportVersion, Command: termtext.VisibleLine(opt.Clean(opt.Command)), URL: termtext.VisibleLine(opt.Clean(opt.URL)), Capabilities: []Capability{}, SignIn: []string{},
		Deviations: []Finding{}, Notes: []Finding{}, Timings: []Timing{}, Tried: []string{}, NotTried: []string{},
	}
	e := &exam{opt: opt, report: report, ctx: ctx}
	e = e.nextRun(max(opt.Protocol, newestWithoutOffer))
	e.examine()
	if e.refused && ctx.Err() == nil {
		e = e.nextRun(newestWithoutOffer)
		e.examine()
	}
	if report.Outcome != NotExamined && ctx.Err() == nil {
		e = e.nextRun(e.offer)
		e.examineAgain()
	}
	if ctx.Err() != nil && report.Why == "" {
		report.Why = "the test was interrupted"
	}
	report.Lines = e.line
	report.settle()
	if e.wireErr != nil {
		return report, fmt.Errorf("write the wire log: %w", e.wireErr)
	}
	return report, nil
}

// newestWithoutOffer is the version that every agent must speak.
const newestWithoutOffer = 1

// nextRun makes the next run of the agent.
func (e *exam) nextRun(offer int) *exam {
	return &exam{
		opt: e.opt, report: e.report, referee: newReferee(e.report, offer), ctx: e.ctx,
		run: e.run + 1, offer: offer, line: e.line, wireErr: e.wireErr,
	}
}

// fail reports that the agent could not be examined.
func (r *Report) fail(format string, args ...any) {
	r.Outcome, r.Why = NotExamined, short(r.clean(fmt.Sprintf(format, args...)), 300)
}

// examine does the first run of the agent: every step that cannot confuse it.
func (e *exam) examine() {
	if err := e.start(); err != nil {
		e.report.fail("%v", err)
		return
	}
	defer e.end()
	e.say("initialize")
	if !e.initialize() {
		return
	}
	for _, step := range []struct {
		name string
		try  func()
	}{
		{"unknown methods and notifications", e.unknown},
		{"request ids of every type", e.ids},
		{"a second initialize", func() { e.call("initialize", e.hello(e.offer)); e.fence() }},
		{"sessions", e.sessions},
	} {
		if e.stopped() {
			break
		}
		e.say(step.name)
		step.try()
	}
	if e.unanswered >= patience {
		e.report.Why = fmt.Sprintf("the agent did not respond to %d requests in a row", e.unanswered)
	}
}

func (e *exam) say(what string) {
	if !slices.Contains(e.report.Tried, what) {
		e.report.Tried = append(e.report.Tried, what)
	}
	if e.opt.Progress != nil {
		e.opt.Progress(what)
	}
}

// end closes the agent's stdin and checks how it ends. An agent that listens keeps running.
func (e *exam) end() {
	if e.gone && !e.ending {
		e.died()
	}
	if e.listens() {
		e.endQuietly()
		return
	}
	e.ending = true
	close(e.out)
	began := time.Now()
	e.until(min(e.opt.Timeout, exitTime), func() bool { return e.gone })
	select {
	case <-e.agent.Done:
	case <-time.After(max(min(e.opt.Timeout, exitTime)-time.Since(began), 0)):
	}
	exited := false
	select {
	case <-e.agent.Done:
		exited = true
	default:
	}
	if !exited && !e.full && e.ctx.Err() == nil {
		e.referee.finds(ruleExit, nil, "The agent is still running %v after its stdin was closed", min(e.opt.Timeout, exitTime))
	} else if exited && !e.report.has(ruleDied) {
		e.report.timing("stdin closed to exit", time.Since(began))
		if code := e.exitCode(); code != 0 {
			e.referee.finds(ruleExitCode, nil, "The agent exited with code %d when its stdin was closed", code)
		}
	}
	e.stop()
	if !utf8.ValidString(e.tail.String()) {
		e.referee.finds(ruleStderr, nil, "The agent's stderr is not UTF-8")
	}
	if r := e.report; r.Outcome == NotExamined || r.Why != "" || r.has(ruleDied) || r.has(ruleNew) || r.has(ruleExitCode) {
		e.keepStderr()
	}
}

// exitTime is how long an agent may take to exit after its stdin is closed.
const exitTime = 10 * time.Second

func (r *Report) has(broken *Rule) bool {
	return slices.ContainsFunc(r.Deviations, func(f Finding) bool { return f.Rule == broken.ID })
}

// died reports that the agent has ended or closed its stdout by itself.
func (e *exam) died() {
	if e.listens() {
		if e.report.Outcome != NotExamined { // which says why
			e.referee.finds(ruleDied, nil, "The connection ended after line %d: %v", e.line, e.agent.Err())
		}
		return
	}
	select {
	case <-e.agent.Done:
		e.referee.finds(ruleDied, nil, "The agent exited with code %d after line %d", e.exitCode(), e.line)
	case <-time.After(quiet):
		e.referee.finds(ruleDied, nil, "The agent closed its stdout after line %d", e.line)
	}
}

// keepStderr reports what the agent wrote to stderr since the last request, which failed.
// Earlier output is mostly about the doctor's probes, but not of an agent that ends at once.
func (e *exam) keepStderr() {
	text := e.tail.since()
	if e.report.Outcome == NotExamined && text == "" {
		text = e.tail.String()
	}
	if text = strings.TrimSpace(text); text != "" && e.report.Stderr == "" {
		e.report.Stderr = termtext.Visible(e.opt.Clean(text))
	}
}

// patience is how many unanswered requests in a row end the exam: each takes the whole
// timeout.
const patience = 3

// exam is one run of the agent. It uses one goroutine; two others read and write the
// pipes.
type exam struct {
	opt     Options
	report  *Report
	referee *referee
	ctx     context.Context
	began   time.Time

	agent *acpclient.Peer
	lines chan rawLine
	out   chan []byte
	quit  chan struct{}

	run        int // of the agent, from 1
	offer      int // the version that the agent is offered
	line       int // the number of the last line
	next       int // the id of the next request
	answers    map[string]*message
	gone       bool            // the agent has ended, or its stdout has
	ending     bool            // its stdin is closed
	refused    bool            // it failed on the offer of a later version
	full       bool            // it does not read, and a line was dropped
	unanswered int             // requests without an answer, in a row
	deaf       bool            // it does not answer unknown methods
	can        map[string]bool // the methods that it supports
	wireErr    error
	tail       tail // of stderr
}

// answer is the answer to a request; message is nil without one.
type answer struct {
	method  string
	line    int // of the request
	message *message
	result  json.RawMessage
	err     *acpclient.Error
	took    time.Duration
}

// is reports whether the answer is an error with this code.
func (a answer) is(code acpclient.ErrorCode) bool { return a.err != nil && a.err.Code == code }

// start starts the agent and the goroutines of its pipes.
func (e *exam) start() error {
	e.began = time.Now()
	agent, err := e.opt.Start(&e.tail)
	if err != nil {
		return err
	}
	e.agent, e.referee.unordered = agent, e.opt.Unordered
	e.lines, e.out, e.quit = make(chan rawLine), make(chan []byte, 256), make(chan struct{})
	e.answers = map[string]*message{}
	next := linesOf(agent.In)
	if e.listens() {
		next = messagesOf(agent.Transport, &e.tail)
	}
	go readLines(next, e.lines, e.quit)
	go writeLines(agent, e.out)
	return nil
}

// listens reports whether the agent listens on the network.
func (e *exam) listens() bool { return e.agent.Transport != nil }

// exitCode returns the exit code of an agent that has ended, -1 if a signal ended it.
func (e *exam) exitCode() int {
	if end, ok := e.agent.Err().(interface{ ExitCode() int }); ok {
		return end.ExitCode()
	}
	return -1
}

// stop ends the agent, and the goroutines of its pipes.
func (e *exam) stop() {
	close(e.quit)
	e.agent.Stop(e.ctx)
	if c, ok := e.agent.In.(io.Closer); ok {
		_ = c.Close()
	}
}

// stopped reports whether the exam must end.
func (e *exam) stopped() bool {
	return e.lost() || e.unanswered >= patience
}

// lost reports whether a missing answer says nothing about the agent.
func (e *exam) lost() bool { return e.gone || e.full || e.ctx.Err() != nil }

// send sends a line, unless the agent's stdin is closed. If too many lines wait for an agent
// that does not read, it drops the line and ends the exam.
func (e *exam) send(line []byte) {
	if e.ending || e.full {
		return
	}
	select {
	case e.out <- line:
		e.note(schema.Client, line, time.Now())
	default:
		e.full, e.report.Why = true, fmt.Sprintf("the agent left %d lines unread", cap(e.out))
	}
}

type outgoing struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   any             `json:"error,omitempty"`
}

func (e *exam) write(m outgoing) {
	m.JSONRPC = "2.0"
	line, err := json.Marshal(m)
	if err != nil {
		panic(fmt.Sprintf("doctor: encode a message: %v", err)) // cannot happen: the doctor makes them all
	}
	e.send(line)
}

func (e *exam) notify(method string, params any) {
	e.write(outgoing{Method: method, Params: params})
}

// request sends a request without waiting for the answer.
func (e *exam) request(method string, params any) json.RawMessage {
	id := json.RawMessage(fmt.Sprint(e.next))
	e.next++
	e.requestAs(id, method, params)
	return id
}

func (e *exam) requestAs(id json.RawMessage, method string, params any) {
	session := ""
	if p, ok := params.(map[string]any); ok {
		session, _ = p["sessionId"].(string)
	}
	e.tail.begin()
	e.write(outgoing{ID: id, Method: method, Params: params})
	e.referee.sent[key(id)] = &request{id: key(id), method: method, session: session, line: e.line}
}

// call sends a request and waits for the answer.
func (e *exam) call(method string, params any) answer {
	if e.stopped() {
		return answer{}
	}
	return e.await(e.request(method, params), method)
}

// await waits for the answer to a request and reports a missing one.
func (e *exam) await(id json.RawMessage, method string) answer {
	began := time.Now()
	m, q := e.wait(id), e.referee.sent[key(id)]
	if m == nil {
		if q.late = !e.full; !e.lost() {
			e.unanswered++
			e.referee.finds(ruleNoAnswer, nil, "%s (line %d) got no response within %v", method, q.line, e.opt.Timeout)
		}
		return answer{}
	}
	e.unanswered = 0
	a := answer{method: method, line: q.line, message: m, result: m.fields["result"], took: m.at.Sub(began)}
	if raw, failed := m.fields["error"]; failed {
		a.err = new(acpclient.Error)
		_ = acpclient.Unmarshal(raw, a.err) // takes anything
	}
	return a
}

// mustRefuse reports an answer that is not an error, or one with another code; 0 means any.
func (e *exam) mustRefuse(a answer, broken *Rule, code acpclient.ErrorCode, taken string, args ...any) {
	switch {
	case a.message == nil:
	case a.err == nil:
		e.referee.finds(broken, a.message, taken, args...)
	case code != 0 && !a.is(code):
		e.referee.finds(broken, a.message, "%s (line %d) failed with %s instead of code %d", a.method, a.line, a.err, code)
	}
}

// succeeds calls an advertised method and reports an error as a deviation. It returns
// false without a result.
func (e *exam) succeeds(broken *Rule, what, method string, params any) (answer, bool) {
	a := e.call(method, params)
	if !e.missing(method, a) && a.err != nil {
		e.referee.finds(broken, a.message, "%s returned an error: %s", what, a.err)
	}
	return a, a.message != nil && a.err == nil
}

// missing reports a deviation if an advertised method is not found.
func (e *exam) missing(method string, a answer) bool {
	if a.is(acpclient.CodeMethodNotFound) {
		e.referee.finds(ruleAdvertised, a.message, "%s is advertised but not implemented", method)
		return true
	}
	return false
}

// wait reads lines until a request is answered. It returns nil after the timeout.
func (e *exam) wait(id json.RawMessage) *message {
	e.until(e.opt.Timeout, func() bool { return e.answers[key(id)] != nil || e.full })
	return e.answers[key(id)]
}

// until reads lines until a condition holds or d has passed, and reports whether it holds.
func (e *exam) until(d time.Duration, so func() bool) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for !so() && !e.gone {
		select {
		case l, ok := <-e.lines:
			if e.gone = !ok; ok {
				e.take(l)
			}
		case <-timer.C:
			return so()
		case <-e.ctx.Done():
			return so()
		}
	}
	return so()
}

// take handles a line of the agent.
func (e *exam) take(l rawLine) {
	e.note(schema.Agent, l.data, l.at)
	m := e.referee.line(e.line, l)
	switch {
	case m == nil:
	case m.call:
		e.referee.called(m)
		if m.id != nil {
			e.reply(m)
		}
	default:
		if q := e.referee.answer(m); q != nil {
			e.answers[q.id] = m
		}
	}
}

// reply answers a request of the agent: the exam grants no permission and has no tools.
func (e *exam) reply(m *message) {
	if m.method != "session/request_permission" {
		e.write(outgoing{ID: m.id, Error: map[string]any{"code": -32601, "message": "Method not found"}})
		return
	}
	var q question
	m.params(&q)
	outcome := map[string]any{"outcome": "cancelled"}
	if s := e.referee.sessions[q.SessionID]; s == nil || !s.cancel {
		for _, o := range q.Options {
			if strings.HasPrefix(o.Kind, "reject") {
				outcome = map[string]any{"outcome": "selected", "optionId": o.ID}
				break
			}
		}
	}
	e.write(outgoing{ID: m.id, Result: map[string]any{"outcome": outcome}})
}

// quiet is how long to wait for late messages.
const quiet = 500 * time.Millisecond

// listen reads lines for some time.
func (e *exam) listen(d time.Duration) { e.until(d, func() bool { return false }) }

// settle waits for late messages: parts of a turn or of a replay that has ended.
func (e *exam) settle() {
	e.fence()
	e.listen(quiet)
}

// fence waits until most agents have handled everything sent so far: until one more request
// is answered. It proves nothing, since an agent may answer in any order.
func (e *exam) fence() {
	switch {
	case e.stopped():
	case e.deaf:
		e.listen(quiet)
	default:
		e.deaf = e.wait(e.request("_parley/fence", struct{}{})) == nil
	}
}
