package demoagent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
)

// The exit codes of a run that no exit step ended.
const (
	exitDone   = 0 // the script was served to the end
	exitBroken = 2 // the script has a mistake
	exitFailed = 3 // a step failed
)

// runner is one run of a script. One goroutine runs the steps, another reads the client's
// lines.
type runner struct {
	script *Script
	turn   *turn // of the tour, for a scene; otherwise nil
	ctx    context.Context
	err    io.Writer

	writing sync.Mutex
	out     io.Writer
	serving sync.Mutex // held while answering in the background; locked before mu

	// Used only by the steps.
	counts   []int // of the enclosing repeats
	captured map[string]json.RawMessage
	expected []request         // the requests expected so far
	asked    map[string]string // the ids of the agent's requests, by name
	lastID   int

	mu       sync.Mutex
	changed  *sync.Cond // signals changes of the fields below
	inbox    []*message // not yet expected
	answers  map[string]json.RawMessage
	served   map[string]bool
	serveAll bool
	prompts  []json.RawMessage // the ids of expected prompts without an answer
	state    []configOption
	session  string
	cwd      string
	opened   int   // how many sessions were opened
	speaksV2 bool  // accepts an offer of version 2
	refuses  error // the answer to an offer of version 2, nil to accept it
	v2       bool  // version 2 was agreed
	turns    int   // how many prompts were accepted, in version 2
	working  bool  // on the last one
	deaf     bool  // reading is stopped
	ended    bool  // stdin has ended
	over     bool  // the run is over
}

// request is a request of the client that a step has expected.
type request struct {
	id     json.RawMessage
	method string
	name   string
	params json.RawMessage
}

// exitCode ends the run.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// errStdinEnded ends a wait for a message that cannot come.
var errStdinEnded = errors.New("stdin has ended")

// Run plays the agent on in and out until in ends, a step ends the run, or ctx ends, and
// returns the exit code. A pending read of in continues until in ends.
func (s *Script) Run(ctx context.Context, in io.Reader, out, stderr io.Writer) int {
	r := &runner{
		script: s, ctx: ctx, err: stderr, out: out,
		captured: map[string]json.RawMessage{},
		asked:    map[string]string{},
		answers:  map[string]json.RawMessage{},
		served:   map[string]bool{},
		lastID:   -1,
	}
	r.changed = sync.NewCond(&r.mu)
	// Under mu, because a step may be about to wait.
	stop := context.AfterFunc(ctx, func() { r.changeState(func() {}) })
	defer stop()
	defer r.changeState(func() { r.over = true })
	go r.read(in)

	err := r.steps(s.steps)
	if err == nil {
		err = r.serveRest()
	}
	if code, is := errors.AsType[exitCode](err); is {
		return int(code)
	}
	if err != nil {
		_, _ = fmt.Fprintln(stderr, err)
		return exitFailed
	}
	return exitDone
}

func (r *runner) steps(steps []step) error {
	for _, s := range steps {
		err := r.ctx.Err()
		if err == nil {
			err = s.do(r)
		}
		var code exitCode
		var placed *stepError
		switch {
		case err == nil:
		case errors.As(err, &code), errors.As(err, &placed):
			return err
		default:
			return &stepError{fmt.Errorf("%s:%d: %s: %w", r.script.name, s.line, s.verb, err)}
		}
	}
	return nil
}

// stepError is an error that names its step.
type stepError struct{ error }

func (e *stepError) Unwrap() error { return e.error }

func (r *runner) repeat(n int, body []step) error {
	r.counts = append(r.counts, 0)
	defer func() { r.counts = r.counts[:len(r.counts)-1] }()
	for i := range n {
		r.counts[len(r.counts)-1] = i + 1
		if err := r.steps(body); err != nil {
			return err
		}
	}
	return nil
}

// changeState changes fields that steps or the reader may be waiting for.
func (r *runner) changeState(change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
	r.changed.Broadcast()
}

// wait blocks until done, which is called with mu held, or until no message can come.
func (r *runner) wait(done func() bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for !done() {
		switch {
		case r.ctx.Err() != nil:
			return r.ctx.Err()
		case r.ended:
			return errStdinEnded
		}
		r.changed.Wait()
	}
	return nil
}

func (r *runner) expect(methods, name, contains string) error {
	var m *message
	err := r.wait(func() bool {
		i := slices.IndexFunc(r.inbox, func(m *message) bool {
			return slices.Contains(strings.Split(methods, "|"), m.Method)
		})
		if i < 0 {
			return false
		}
		m = r.inbox[i]
		r.inbox = slices.Delete(r.inbox, i, i+1)
		r.note(m.Params)
		if m.Method == "session/prompt" && !m.answered {
			r.prompts = append(r.prompts, m.ID)
		}
		return true
	})
	if err != nil {
		return fmt.Errorf("waiting for %s: %w", methods, err)
	}
	if len(m.ID) > 0 && !m.answered {
		r.expected = append(r.expected, request{m.ID, m.Method, name, m.Params})
	}
	return r.capture(name, m.line, contains)
}

func (r *runner) await(name, contains string) error {
	id, ok := r.asked[name]
	if !ok {
		return fmt.Errorf("no request is called %q", name)
	}
	var answer json.RawMessage
	err := r.wait(func() bool {
		answer, ok = r.answers[id]
		delete(r.answers, id)
		return ok
	})
	if err != nil {
		return fmt.Errorf("waiting for the answer to %s: %w", name, err)
	}
	return r.capture(name, answer, contains)
}

func (r *runner) capture(name string, raw json.RawMessage, contains string) error {
	if name != "" {
		r.captured[name] = raw
	}
	text, err := r.expand(contains, true)
	if err != nil {
		return err
	}
	if !strings.Contains(string(raw), text) {
		return fmt.Errorf("wanted %s in %s", text, raw)
	}
	return nil
}

// requestNamed returns a request that was expected as name, or the latest.
func (r *runner) requestNamed(name string) (request, error) {
	for _, q := range slices.Backward(r.expected) {
		if name == "" || q.name == name {
			return q, nil
		}
	}
	if name == "" {
		return request{}, errors.New("no request has been expected yet")
	}
	return request{}, fmt.Errorf("no request was expected as %q", name)
}

// answer sends a result and remembers what later steps need from it.
func (r *runner) answer(q request, result json.RawMessage) error {
	var state struct {
		ConfigOptions []configOption `json:"configOptions"`
	}
	r.mu.Lock()
	r.note(result)
	if json.Unmarshal(result, &state) == nil && state.ConfigOptions != nil {
		r.state = state.ConfigOptions
	}
	r.closePrompt(q.id)
	r.mu.Unlock()
	return r.send(line{ID: q.id, Result: result})
}

// closePrompt forgets an open prompt. The caller holds mu.
func (r *runner) closePrompt(id json.RawMessage) {
	r.prompts = slices.DeleteFunc(r.prompts, func(p json.RawMessage) bool { return string(p) == string(id) })
}

func (r *runner) replyError(name string, e rpcError) error {
	q, err := r.requestNamed(name)
	if err != nil {
		return err
	}
	if e.Message, err = r.expand(e.Message, false); err != nil {
		return err
	}
	if len(e.Data) > 0 {
		if e.Data, err = r.expandJSON(string(e.Data)); err != nil {
			return err
		}
	}
	r.mu.Lock()
	r.closePrompt(q.id)
	r.mu.Unlock()
	return r.send(line{ID: q.id, Error: e})
}

type rpcError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func (r *runner) update(raw json.RawMessage) error {
	if r.turn != nil {
		r.turn.updateRaw(raw)
		return nil
	}
	r.mu.Lock()
	session := r.session
	r.mu.Unlock()
	return r.send(line{Method: "session/update", Params: struct {
		SessionID string          `json:"sessionId"`
		Update    json.RawMessage `json:"update"`
	}{session, raw}})
}

func (r *runner) chunk(kind, text string) error {
	update := map[string]any{
		"sessionUpdate": kind,
		"content":       map[string]string{"type": "text", "text": text},
	}
	r.mu.Lock()
	if r.v2 {
		update["messageId"] = fmt.Sprintf("%s-%d", kind, r.turns)
	}
	r.mu.Unlock()
	return r.update(encode(update))
}

func (r *runner) request(method string, raw json.RawMessage, name, id string) error {
	if r.turn != nil {
		var result json.RawMessage
		err := r.turn.agent.conn.Call(r.turn.calls, method, raw, &result)
		r.captured[name] = result
		r.done(err == nil)
		if err != nil {
			r.let("error", err.Error())
		}
		return nil
	}
	if id == "" {
		r.lastID++
		id = fmt.Sprint(r.lastID)
	}
	if name != "" {
		r.asked[name] = id
	}
	return r.send(line{ID: json.RawMessage(id), Method: method, Params: raw})
}
