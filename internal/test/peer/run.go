package peer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/internal/script"
)

// The exit codes of a run that no exit step ended.
const (
	exitDone   = 0 // the script was served to the end
	exitFailed = 3 // a step failed
)

// runner is one run of a script. One goroutine runs the steps, another reads the client's
// lines.
type runner struct {
	script.Run
	err io.Writer

	writing sync.Mutex
	out     io.Writer
	serving sync.Mutex // held while answering in the background; locked before mu

	// Used only by the steps.
	expected []*message        // the requests expected so far
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

// exitCode ends the run.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// errStdinEnded ends a wait for a message that cannot come.
var errStdinEnded = errors.New("stdin has ended")

// Run plays the agent on in and out until in ends, a step ends the run, or ctx ends, and
// returns the exit code. A pending read of in continues until in ends.
func (s *Script) Run(ctx context.Context, in io.Reader, out, stderr io.Writer) int {
	r := &runner{
		Run: script.Run{Context: ctx}, err: stderr, out: out,
		asked:   map[string]string{},
		answers: map[string]json.RawMessage{},
		served:  map[string]bool{},
		lastID:  -1,
	}
	r.Let("session", "")
	r.Let("cwd", "")
	r.changed = sync.NewCond(&r.mu)
	// Under mu, because a step may be about to wait.
	stop := context.AfterFunc(ctx, func() { r.changeState(func() {}) })
	defer stop()
	defer r.changeState(func() { r.over = true })
	go r.read(in)

	err := s.steps.Play(r)
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
		case r.Context.Err() != nil:
			return r.Context.Err()
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
		m.name = name
		r.expected = append(r.expected, m)
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
		r.Set(name, raw)
	}
	text, err := r.Expand(contains, true)
	if err != nil {
		return err
	}
	if !strings.Contains(string(raw), text) {
		return fmt.Errorf("wanted %s in %s", text, raw)
	}
	return nil
}

// requested returns the latest request that was expected by a name or a method; "" means any.
func (r *runner) requested(name string) (*message, error) {
	for _, q := range slices.Backward(r.expected) {
		if name == "" || q.name == name || q.Method == name {
			return q, nil
		}
	}
	if name == "" {
		return nil, errors.New("no request has been expected yet")
	}
	return nil, fmt.Errorf("no request was expected as %q", name)
}

// answer sends a result and remembers what later steps need from it.
func (r *runner) answer(q *message, result json.RawMessage) error {
	var state struct {
		ConfigOptions []configOption `json:"configOptions"`
	}
	r.note(result)
	r.mu.Lock()
	if json.Unmarshal(result, &state) == nil && state.ConfigOptions != nil {
		r.state = state.ConfigOptions
	}
	r.closePrompt(q.ID)
	r.mu.Unlock()
	return r.send(line{ID: q.ID, Result: result})
}

// closePrompt forgets an open prompt. The caller holds mu.
func (r *runner) closePrompt(id json.RawMessage) {
	r.prompts = slices.DeleteFunc(r.prompts, func(p json.RawMessage) bool { return string(p) == string(id) })
}

func (r *runner) replyError(name string, e rpcError) error {
	q, err := r.requested(name)
	if err != nil {
		return err
	}
	if e.Message, err = r.Expand(e.Message, false); err != nil {
		return err
	}
	if len(e.Data) > 0 {
		if e.Data, err = r.ExpandJSON(string(e.Data)); err != nil {
			return err
		}
	}
	r.mu.Lock()
	r.closePrompt(q.ID)
	r.mu.Unlock()
	return r.send(line{ID: q.ID, Error: e})
}

type rpcError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Update implements script.Speaker.
func (r *runner) Update(raw json.RawMessage) error {
	session, _ := r.Text("session")
	return r.send(line{Method: "session/update", Params: map[string]any{"sessionId": session, "update": raw}})
}

// Say implements script.Speaker.
func (r *runner) Say(kind, text string) error {
	update := map[string]any{
		"sessionUpdate": kind,
		"content":       map[string]string{"type": "text", "text": text},
	}
	r.mu.Lock()
	if r.v2 {
		update["messageId"] = fmt.Sprintf("%s-%d", kind, r.turns)
	}
	r.mu.Unlock()
	return r.Update(script.Encode(update))
}

// Notify implements script.Speaker.
func (r *runner) Notify(method string, raw json.RawMessage) error {
	if raw == nil {
		return r.send(line{Method: method})
	}
	return r.send(line{Method: method, Params: raw})
}

// Wait implements script.Speaker.
func (r *runner) Wait(d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-r.Context.Done():
		return r.Context.Err()
	}
}

// Request implements script.Speaker. The answer is for await; ids count from 0.
func (r *runner) Request(method string, raw json.RawMessage, name, id string) error {
	if id == "" {
		r.lastID++
		id = fmt.Sprint(r.lastID)
	}
	if name != "" {
		r.asked[name] = id
	}
	return r.send(line{ID: json.RawMessage(id), Method: method, Params: raw})
}
