package demoagent

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// What a handshake answers where the script does not say.
const defaultCapabilities = `{"promptCapabilities":{"image":true,"embeddedContext":true}}`

// The methods that open a session.
const openers = "session/new|session/load|session/resume"

// configOption is a config option, of which only what changes is understood.
type configOption = map[string]json.RawMessage

func (r *runner) handshake(capabilities, session string) error {
	if session == "" {
		session = "{}"
	}
	if err := r.expect("initialize", "", ""); err != nil {
		return err
	}
	q := r.expected[len(r.expected)-1]
	info, err := r.initialize(q.params, capabilities)
	var refused *rpcError
	switch {
	case errors.As(err, &refused):
		return r.send(line{ID: q.id, Error: refused})
	case err != nil:
		return err
	}
	if err := r.answer(q, info); err != nil {
		return err
	}
	if err := r.expect(openers, "", ""); err != nil {
		return err
	}
	raw, err := r.expandJSON(session)
	if err != nil {
		return err
	}
	var result map[string]json.RawMessage
	if err := json.Unmarshal(raw, &result); err != nil {
		return fmt.Errorf("the session's state: %w", err)
	}
	opener := r.expected[len(r.expected)-1]
	if _, named := result["sessionId"]; !named && opener.method == "session/new" {
		result["sessionId"] = encode(r.newSession())
	}
	return r.answer(opener, encode(result))
}

func initialized(capabilities json.RawMessage) json.RawMessage {
	return encode(map[string]any{
		"protocolVersion":   1,
		"agentCapabilities": capabilities,
		"agentInfo":         map[string]string{"name": "parley-script", "title": "Scripted agent", "version": "1"},
		"authMethods":       []string{},
	})
}

func (r *runner) newSession() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.opened++
	return fmt.Sprintf("session-%d", r.opened)
}

// remember keeps the config options that an answer names. The caller holds mu.
func (r *runner) remember(result json.RawMessage) {
	var state struct {
		ConfigOptions []configOption `json:"configOptions"`
	}
	if json.Unmarshal(result, &state) == nil && state.ConfigOptions != nil {
		r.state = state.ConfigOptions
	}
}

func (r *runner) setDeaf(deaf bool) error {
	r.tellSteps(func() { r.deaf = deaf })
	return nil
}

// serveMethods answers messages of these methods from now on, those that wait
// included. What comes meanwhile is answered behind them.
func (r *runner) serveMethods(methods []string) {
	r.serving.Lock()
	defer r.serving.Unlock()
	r.mu.Lock()
	var waiting []*message
	for _, m := range methods {
		r.served[m] = true
	}
	for _, m := range r.inbox {
		if r.served[m.Method] && !m.answered {
			m.answered = true
			waiting = append(waiting, m)
		}
	}
	r.mu.Unlock()
	for _, m := range waiting {
		r.serve(m)
	}
}

// serveRest serves everything until stdin ends.
func (r *runner) serveRest() error {
	r.serveWaiting()
	err := r.wait(func() bool { return false })
	if errors.Is(err, errStdinEnded) {
		return nil
	}
	return err
}

// serveWaiting serves everything from now on: what waits, and behind it what comes.
func (r *runner) serveWaiting() {
	r.serving.Lock()
	defer r.serving.Unlock()
	r.mu.Lock()
	waiting := slices.DeleteFunc(r.inbox, func(m *message) bool { return m.answered })
	r.inbox, r.serveAll = nil, true
	r.mu.Unlock()
	for _, m := range waiting {
		r.serve(m)
	}
}

// serve answers one message as an agent should. Errors of writing are left to the
// reader, which sees that the client is gone.
func (r *runner) serve(m *message) {
	if r.version2() && r.serveV2(m) {
		return
	}
	if m.Method == "session/cancel" {
		r.mu.Lock()
		open := r.prompts
		r.prompts = nil
		r.mu.Unlock()
		for _, id := range open {
			_ = r.send(line{ID: id, Result: json.RawMessage(`{"stopReason":"cancelled"}`)})
		}
		return
	}
	if len(m.ID) == 0 {
		return
	}
	q := request{id: m.ID, method: m.Method}
	switch m.Method {
	case "initialize":
		info, err := r.initialize(m.Params, "")
		var refused *rpcError
		switch {
		case err == nil:
			_ = r.answer(q, info)
		case errors.As(err, &refused):
			_ = r.send(line{ID: m.ID, Error: refused})
		}
	case "session/new":
		_ = r.answer(q, encode(map[string]string{"sessionId": r.newSession()}))
	case "session/prompt":
		_ = r.answer(q, json.RawMessage(`{"stopReason":"end_turn"}`))
	case "session/list":
		_ = r.answer(q, json.RawMessage(`{"sessions":[]}`))
	case "session/set_config_option":
		_ = r.answer(q, r.setOption(m.Params))
	case "session/load", "session/resume", "session/close", "session/delete", "session/set_mode", "authenticate", "logout":
		_ = r.answer(q, json.RawMessage(`{}`))
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
			if id := string(encode(p.ConfigID)); string(o["id"]) == id || string(o["configId"]) == id {
				o["currentValue"] = p.Value
			}
		}
	}
	if r.state == nil {
		return json.RawMessage(`{"configOptions":[]}`)
	}
	return encode(map[string]any{"configOptions": r.state})
}
