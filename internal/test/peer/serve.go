package peer

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"parley/internal/script"
)

// This file answers for a scripted agent. It speaks version 2 if the script says "speaks v2"
// and the client offers it.

// The capabilities in each version, unless the script names others.
const (
	defaultCapabilities   = `{"promptCapabilities":{"image":true,"embeddedContext":true}}`
	defaultCapabilitiesV2 = `{"session":{"prompt":{"image":{},"embeddedContext":{}},"mcp":{"stdio":{},"http":{}}}}`
)

// The methods that open a session.
const openers = "session/new|session/load|session/resume"

// configOption is a config option, by its fields.
type configOption = map[string]json.RawMessage

func parseSpeaks(a *args) action {
	if !a.Take("v2") {
		a.Fail("wants v2")
	}
	return func(r *runner) error { r.changeState(func() { r.speaksV2 = true }); return nil }
}

func parseRefuses(a *args) action {
	if !a.Take("v2") {
		a.Fail("wants v2")
	}
	var refuses error = exitCode(1)
	if text := a.Rest(); text != "" {
		refuses = &rpcError{Code: -32602, Message: text}
	}
	return func(r *runner) error { r.changeState(func() { r.refuses = refuses }); return nil }
}

func (r *runner) handshake(capabilities, session string) error {
	if err := r.expect("initialize", "", ""); err != nil {
		return err
	}
	err := r.initialize(r.expected[len(r.expected)-1], capabilities)
	if _, refused := errors.AsType[*rpcError](err); refused {
		return nil
	}
	if err != nil {
		return err
	}
	if err := r.expect(openers, "", ""); err != nil {
		return err
	}
	raw, err := r.ExpandJSON(cmp.Or(session, "{}"))
	if err != nil {
		return err
	}
	var result map[string]json.RawMessage
	if err := json.Unmarshal(raw, &result); err != nil {
		return fmt.Errorf("the session's state: %w", err)
	}
	opener := r.expected[len(r.expected)-1]
	if _, named := result["sessionId"]; !named && opener.Method == "session/new" {
		result["sessionId"] = script.Encode(r.newSession())
	}
	return r.answer(opener, script.Encode(result))
}

// initialize answers an initialize and records the agreed version. capabilities "" means the
// default. It returns an *rpcError for a refusal, which it has sent.
func (r *runner) initialize(q *message, capabilities string) error {
	var p struct {
		ProtocolVersion int `json:"protocolVersion"`
	}
	_ = json.Unmarshal(q.Params, &p) // without a version, the client offers version 1
	r.mu.Lock()
	refuses := r.refuses
	r.v2 = r.speaksV2 && p.ProtocolVersion >= 2
	v2 := r.v2
	r.mu.Unlock()
	if p.ProtocolVersion >= 2 && refuses != nil {
		if refused, ok := refuses.(*rpcError); ok {
			return errors.Join(r.send(line{ID: q.ID, Error: refused}), refused)
		}
		return refuses
	}
	if capabilities == "" && v2 {
		capabilities = defaultCapabilitiesV2
	} else if capabilities == "" {
		capabilities = defaultCapabilities
	}
	caps, err := r.ExpandJSON(capabilities)
	if err != nil {
		return err
	}
	info := map[string]string{"name": "parley-script", "title": "Scripted agent", "version": "1"}
	if v2 {
		return r.answer(q, script.Encode(map[string]any{"protocolVersion": 2, "info": info, "capabilities": caps}))
	}
	return r.answer(q, script.Encode(map[string]any{"protocolVersion": 1, "agentInfo": info, "agentCapabilities": caps, "authMethods": []string{}}))
}

// Error implements error, for a refusal.
func (e *rpcError) Error() string { return e.Message }

// version2 reports whether version 2 was agreed.
func (r *runner) version2() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.v2
}

func (r *runner) newSession() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.opened++
	return fmt.Sprintf("session-%d", r.opened)
}

// endTurn ends the work on a prompt with a reason. In version 2 a prompt that is not
// accepted yet is accepted first.
func (r *runner) endTurn(reason string) error {
	q, err := r.requested("session/prompt")
	if err != nil {
		return err
	}
	if !r.version2() {
		return r.answer(q, script.Encode(map[string]string{"stopReason": reason}))
	}
	r.mu.Lock()
	working := r.working
	r.mu.Unlock()
	if !working {
		if err := r.accept(q, ""); err != nil {
			return err
		}
	}
	return r.sayIdle(reason)
}

// parseAccept parses the steps to omit when accepting a prompt.
func parseAccept(a *args) action {
	without := a.Rest()
	for word := range strings.FieldsSeq(without) {
		if !slices.Contains([]string{"unanswered", "nameless", "untold", "unstated"}, word) {
			a.Fail("accept is unanswered, nameless, untold or unstated, not %q", word)
		}
	}
	return func(r *runner) error {
		q, err := r.requested("session/prompt")
		if err != nil {
			return err
		}
		return r.accept(q, without)
	}
}

// accept answers a prompt, sends its message, and sends the state running.
func (r *runner) accept(q *message, without string) error {
	var p struct {
		Prompt json.RawMessage `json:"prompt"`
	}
	_ = json.Unmarshal(q.Params, &p)
	r.mu.Lock()
	r.turns++
	r.working = true
	message := fmt.Sprintf("prompt-%d", r.turns)
	r.closePrompt(q.ID)
	r.mu.Unlock()
	answer := map[string]string{"messageId": message}
	if strings.Contains(without, "nameless") {
		clear(answer)
	}
	var err error
	if !strings.Contains(without, "unanswered") {
		err = r.send(line{ID: q.ID, Result: script.Encode(answer)})
	}
	if err == nil && !strings.Contains(without, "untold") {
		err = r.Update(script.Encode(map[string]any{"sessionUpdate": "user_message", "messageId": message, "content": p.Prompt}))
	}
	if err == nil && !strings.Contains(without, "unstated") {
		err = r.Update(json.RawMessage(`{"sessionUpdate":"state_update","state":"running"}`))
	}
	return err
}

func (r *runner) sayIdle(reason string) error {
	r.changeState(func() { r.working = false })
	state := map[string]string{"sessionUpdate": "state_update", "state": "idle"}
	if reason != "" {
		state["stopReason"] = reason
	}
	return r.Update(script.Encode(state))
}

// serveAlso answers pending and further messages in the background, in order: those of these
// methods, or all if there are none.
func (r *runner) serveAlso(methods ...string) {
	r.serving.Lock()
	defer r.serving.Unlock()
	r.mu.Lock()
	r.serveAll = len(methods) == 0
	for _, m := range methods {
		r.served[m] = true
	}
	var waiting []*message
	for _, m := range r.inbox {
		if !m.answered && (r.serveAll || r.served[m.Method]) {
			m.answered = true
			waiting = append(waiting, m)
		}
	}
	r.mu.Unlock()
	for _, m := range waiting {
		r.serve(m)
	}
}

// serveRest answers all pending and further messages until stdin ends.
func (r *runner) serveRest() error {
	r.serveAlso()
	err := r.wait(func() bool { return false })
	if errors.Is(err, errStdinEnded) {
		return nil
	}
	return err
}

// results are the answers to simple requests, in version 1 and in version 2.
var results = map[string][2]string{
	"session/prompt":   {`{"stopReason":"end_turn"}`, ""},
	"session/list":     {`{"sessions":[]}`, `{"sessions":[]}`},
	"session/resume":   {"{}", "{}"},
	"session/close":    {"{}", "{}"},
	"session/delete":   {"{}", "{}"},
	"session/load":     {"{}", ""},
	"session/set_mode": {"{}", ""},
	"authenticate":     {"{}", ""},
	"logout":           {"{}", ""},
	"auth/login":       {"", "{}"},
	"auth/logout":      {"", "{}"},
	"tool_call/cancel": {"", "{}"},
	"terminal/cancel":  {"", "{}"},
}

// serve answers a message as an agent should. It ignores write errors: the reader notices
// that the client is gone.
func (r *runner) serve(m *message) {
	v2 := r.version2()
	result := results[m.Method][0]
	if v2 {
		result = results[m.Method][1]
	}
	switch {
	case m.Method == "session/cancel":
		r.mu.Lock()
		open, working := r.prompts, r.working
		r.prompts, r.working = nil, false
		r.mu.Unlock()
		if working {
			_ = r.sayIdle("cancelled")
		}
		for _, id := range open {
			if !v2 {
				_ = r.send(line{ID: id, Result: json.RawMessage(`{"stopReason":"cancelled"}`)})
			}
		}
	case len(m.ID) == 0:
	case m.Method == "initialize":
		_ = r.initialize(m, "")
	case m.Method == "session/new":
		_ = r.answer(m, script.Encode(map[string]string{"sessionId": r.newSession()}))
	case m.Method == "session/prompt" && v2:
		_ = r.accept(m, "")
		_ = r.sayIdle("end_turn")
	case m.Method == "session/set_config_option":
		_ = r.answer(m, r.setOption(m.Params))
	case result != "":
		_ = r.answer(m, json.RawMessage(result))
	default:
		_ = r.send(line{ID: m.ID, Error: rpcError{Code: -32601, Message: "Method not found"}})
	}
}

// setOption sets an option and returns the whole state.
func (r *runner) setOption(params json.RawMessage) json.RawMessage {
	var p struct {
		ConfigID string          `json:"configId"`
		Value    json.RawMessage `json:"value"`
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if json.Unmarshal(params, &p) == nil {
		for _, o := range r.state {
			if id := string(script.Encode(p.ConfigID)); string(o["id"]) == id || string(o["configId"]) == id {
				o["currentValue"] = p.Value
			}
		}
	}
	if r.state == nil {
		return json.RawMessage(`{"configOptions":[]}`)
	}
	return script.Encode(map[string]any{"configOptions": r.state})
}

// message is a request, a notification or an answer of the client.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`

	line     json.RawMessage // the whole line
	answered bool            // by the background
	name     string          // of the step that expected it
}

// line is a message of the agent.
type line struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   any             `json:"error,omitempty"`
}

func (r *runner) send(l line) error {
	l.JSONRPC = "2.0"
	return r.write(append(script.Encode(l), '\n'))
}

func (r *runner) write(b []byte) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	if _, err := r.out.Write(b); err != nil {
		return fmt.Errorf("write to the client: %w", err)
	}
	return nil
}

// read handles the client's lines until stdin ends.
func (r *runner) read(in io.Reader) {
	lines := bufio.NewReaderSize(in, 64<<10)
	for {
		r.mu.Lock()
		for r.deaf && !r.over {
			r.changed.Wait()
		}
		over := r.over
		r.mu.Unlock()
		if over {
			return
		}
		raw, err := lines.ReadBytes('\n')
		if raw = bytes.TrimSpace(raw); len(raw) > 0 {
			m := &message{line: raw}
			if json.Unmarshal(raw, m) != nil {
				_, _ = fmt.Fprintf(r.err, "the client sent a malformed line: %.200q\n", raw)
			} else {
				r.take(m)
			}
		}
		if err != nil {
			r.changeState(func() { r.ended = true })
			return
		}
	}
}

// take stores a message for the steps, and answers it if the background serves it.
func (r *runner) take(m *message) {
	r.mu.Lock()
	if m.Method == "" {
		r.answers[string(m.ID)] = m.line
	} else {
		r.note(m.Params)
		m.answered = r.serveAll || r.served[m.Method]
		r.inbox = append(r.inbox, m)
	}
	serve := m.answered
	if serve && r.serveAll {
		r.inbox = nil // no step is left to expect it
	}
	r.changed.Broadcast()
	r.mu.Unlock()
	if serve {
		r.serving.Lock()
		defer r.serving.Unlock()
		r.serve(m)
	}
}

// note remembers the session and the directory in a message.
func (r *runner) note(params json.RawMessage) {
	var p struct {
		SessionID string `json:"sessionId"`
		Cwd       string `json:"cwd"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	if p.SessionID != "" {
		r.Let("session", p.SessionID)
	}
	if p.Cwd != "" {
		r.Let("cwd", p.Cwd)
	}
}
