package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"
)

// patience is how many requests may stay without an answer before the agent is given
// up, since each of them takes the whole time that an agent has for one.
const patience = 3

// exam is one run of the agent. All of it happens on one goroutine; two others read and
// write the pipes.
type exam struct {
	opt     Options
	report  *Report
	referee *referee
	ctx     context.Context
	began   time.Time
	cwd     string // of the sessions

	agent *Running
	lines chan rawLine
	out   chan []byte
	quit  chan struct{}

	run        int // of the agent, from 1
	offer      int // the version that it is offered
	line       int // the number of the last line
	next       int // the id of the next request
	answers    map[string]*message
	gone       bool // the agent has ended, or its stdout has
	ending     bool // it was asked to
	refused    bool // the agent cannot take the offer of a later version
	unanswered int
	deaf       bool // it does not answer methods that it does not know
	wireErr    error
	tail       tail // of stderr
	caps       capabilities
}

// answer is what came of a request; message is nil if nothing did.
type answer struct {
	message *message
	result  json.RawMessage
	err     *rpcError
	took    time.Duration
}

// start starts the agent, and what reads and writes its pipes.
func (e *exam) start() error {
	e.began = time.Now()
	agent, err := e.opt.Start(&e.tail)
	if err != nil {
		return err
	}
	e.agent, e.referee.unordered = agent, agent.Unordered
	e.lines, e.out, e.quit = make(chan rawLine), make(chan []byte, 256), make(chan struct{})
	e.answers = map[string]*message{}
	go readLines(agent.Stdout, e.lines, e.quit)
	go writeLines(agent.Stdin, e.out)
	return nil
}

// stopped reports that there is no use in going on.
func (e *exam) stopped() bool {
	return e.gone || e.unanswered >= patience || e.ctx.Err() != nil
}

// send sends a line, unless the agent's stdin is closed.
func (e *exam) send(line []byte) {
	if e.ending {
		return
	}
	e.note(Client, line, time.Now())
	select {
	case e.out <- line:
	default: // it has not read for a long time, and will not answer
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
		panic(fmt.Sprintf("doctor: a message that cannot be written: %v", err)) // they are all made here
	}
	e.send(line)
}

func (e *exam) notify(method string, params any) {
	e.write(outgoing{Method: method, Params: params})
}

// request sends a request, and does not wait.
func (e *exam) request(method string, params any) json.RawMessage {
	id := json.RawMessage(fmt.Sprint(e.next))
	e.next++
	e.requestAs(id, method, params)
	return id
}

func (e *exam) requestAs(id json.RawMessage, method string, params any) {
	var p struct {
		SessionID string `json:"sessionId"`
	}
	if raw, err := json.Marshal(params); err == nil {
		_ = json.Unmarshal(raw, &p)
	}
	e.write(outgoing{ID: id, Method: method, Params: params})
	e.referee.sentRequest(id, &request{method: method, session: p.SessionID, line: e.line})
}

// call sends a request and waits for the answer.
func (e *exam) call(method string, params any) answer {
	if e.stopped() {
		return answer{}
	}
	return e.await(e.request(method, params), method)
}

// await waits for the answer to a request, as long as an agent has for one. That there
// is none is a finding.
func (e *exam) await(id json.RawMessage, method string) answer {
	began := time.Now()
	m := e.wait(id, e.opt.Timeout)
	if m == nil {
		if !e.gone && e.ctx.Err() == nil {
			e.unanswered++
			e.referee.finds(ruleNoAnswer, nil, "%s (line %d) is not answered within %v", method, e.referee.sent[key(id)].line, e.opt.Timeout)
		}
		e.referee.sent[key(id)].late = true
		return answer{}
	}
	e.unanswered = 0
	a := answer{message: m, result: m.fields["result"], took: m.at.Sub(began)}
	if raw, failed := m.fields["error"]; failed {
		a.err = new(rpcError)
		_ = json.Unmarshal(raw, a.err)
	}
	return a
}

// wait takes lines until a request is answered.
func (e *exam) wait(id json.RawMessage, d time.Duration) *message {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		if m := e.answers[key(id)]; m != nil {
			delete(e.answers, key(id))
			return m
		}
		if e.gone {
			return nil
		}
		select {
		case l, ok := <-e.lines:
			e.take(l, ok)
		case <-timer.C:
			return nil
		case <-e.ctx.Done():
			return nil
		}
	}
}

// until takes lines until something is so, or the time is over.
func (e *exam) until(d time.Duration, so func() bool) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for !so() && !e.gone {
		select {
		case l, ok := <-e.lines:
			e.take(l, ok)
		case <-timer.C:
			return so()
		case <-e.ctx.Done():
			return so()
		}
	}
	return so()
}

// take takes a line of the agent.
func (e *exam) take(l rawLine, ok bool) {
	if !ok {
		e.gone = true
		return
	}
	e.note(Agent, l.data, l.at)
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
			e.answered(m, q)
		}
	}
}

// answered notes what follows from an answer as soon as it has come, because what the
// agent writes next is judged by it.
func (e *exam) answered(m *message, q *request) {
	for sent, other := range e.referee.sent {
		if other == q {
			e.answers[sent] = m
		}
	}
	s := e.referee.sessions[q.session]
	if q.method == "initialize" {
		e.referee.initialized = true
	}
	if s != nil {
		e.answeredOf(m, s, q)
	}
	var result struct {
		SessionID string `json:"sessionId"`
		state
	}
	_ = json.Unmarshal(m.fields["result"], &result)
	switch q.method {
	case "session/new", "session/fork":
		e.openSession(m, q, result.SessionID)
		s = e.referee.sessions[result.SessionID]
	}
	if s != nil && !q.failed {
		e.referee.opened(m, s, result.state)
	}
}

// answeredOf notes what follows from an answer about a session.
func (e *exam) answeredOf(m *message, s *session, q *request) {
	second := e.referee.dialect == v2
	switch q.method {
	case "session/prompt":
		if second {
			e.referee.acceptedV2(m, s, q)
			return
		}
		e.referee.endTurn(m, s, q)
	case "session/load", "session/resume":
		if second {
			e.referee.resumedV2(m, s, q)
			return
		}
		s.loaded, s.opening = q.method == "session/load" && !q.failed, ""
	case "session/close":
		s.work.closed = second && !q.failed
	}
}

// openSession notes a session that has a new id.
func (e *exam) openSession(m *message, q *request, id string) {
	r := e.referee
	if !q.failed && id != "" {
		if r.sessions[id] != nil {
			r.finds(ruleSessionID, m, "%s answers with the id of a session that is open", q.method)
		} else {
			r.sessions[id] = newSession(id)
		}
		delete(r.early, id)
	}
	r.judgeEarly()
}

// reply answers a request of the agent: it gets no permission and no tools.
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

// quiet is how long is waited for what should not come, where the agent answers
// nothing that would say that it is done.
const quiet = 500 * time.Millisecond

// fence waits until the agent has taken all that was sent before: it answers in the
// order of the wire, so what it had to say to that has come then.
func (e *exam) fence() {
	switch {
	case e.stopped():
	case e.deaf:
		e.until(quiet, func() bool { return false })
	default:
		id := e.request("_parley/fence", struct{}{})
		m := e.wait(id, e.opt.Timeout)
		if e.referee.sent[key(id)].late = m == nil; m == nil {
			e.deaf = true
		}
	}
}

// number is the id of a request that is a number.
func number(n int64) json.RawMessage { return json.RawMessage(fmt.Sprint(n)) }

const (
	// maxSafe is the largest integer that JavaScript has exactly.
	maxSafe = 1<<53 - 1
	maxID   = math.MaxInt64
)
