package demoagent

import (
	"encoding/json"
	"errors"
	"fmt"
)

// An agent of a script speaks the second version of the protocol if the script says
// so, "speaks v2", and the client offers it.

// What a handshake answers in the second version where the script does not say.
const defaultCapabilitiesV2 = `{"session":{"prompt":{"image":{},"embeddedContext":{}},"mcp":{"stdio":{},"http":{}}}}`

// refusal is what an agent does that cannot take an offer of the second version.
type refusal struct {
	exit  int
	error *rpcError
}

func parseSpeaks(a *args) (func(*runner) error, error) {
	if word := a.word(); word != "v2" {
		return nil, fmt.Errorf("speaks v2, not %q", word)
	}
	return func(r *runner) error {
		r.tellSteps(func() { r.speaksV2 = true })
		return nil
	}, nil
}

func parseRefuses(a *args) (func(*runner) error, error) {
	if word := a.word(); word != "v2" {
		return nil, fmt.Errorf("refuses v2, not %q", word)
	}
	f := &refusal{exit: 1}
	if text := a.rest(); text != "" {
		f.error = &rpcError{Code: -32602, Message: text}
	}
	return func(r *runner) error {
		r.tellSteps(func() { r.refuses = f })
		return nil
	}, nil
}

// initialize is what the agent answers to an initialize, and remembers which version
// is spoken from here on. The capabilities may be empty.
func (r *runner) initialize(params json.RawMessage, capabilities string) (json.RawMessage, error) {
	var p struct {
		ProtocolVersion int `json:"protocolVersion"`
	}
	_ = json.Unmarshal(params, &p) // a client that says nothing offers the first version
	r.mu.Lock()
	refuses := r.refuses
	r.v2 = r.speaksV2 && p.ProtocolVersion >= 2
	v2 := r.v2
	r.mu.Unlock()
	if p.ProtocolVersion >= 2 && refuses != nil {
		if refuses.error != nil {
			return nil, refuses.error
		}
		return nil, exitCode(refuses.exit)
	}
	if capabilities == "" {
		capabilities = defaultCapabilities
		if v2 {
			capabilities = defaultCapabilitiesV2
		}
	}
	caps, err := r.expandJSON(capabilities)
	if err != nil || !v2 {
		return initialized(caps), err
	}
	return encode(map[string]any{
		"protocolVersion": 2,
		"info":            map[string]string{"name": "parley-script", "title": "Scripted agent", "version": "1"},
		"capabilities":    caps,
	}), nil
}

// Error makes a refusal an error of the step; it is answered.
func (e rpcError) Error() string { return e.Message }

// version2 reports whether the second version is spoken.
func (r *runner) version2() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.v2
}

// acceptance is what an agent leaves out when it accepts a prompt.
type acceptance struct{ unanswered, nameless, untold, unstated bool }

func parseAccept(a *args) (func(*runner) error, error) {
	var how acceptance
	for word := a.word(); word != ""; word = a.word() {
		switch word {
		case "unanswered":
			how.unanswered = true
		case "nameless":
			how.nameless = true
		case "untold":
			how.untold = true
		case "unstated":
			how.unstated = true
		default:
			return nil, fmt.Errorf("accept is unanswered, nameless, untold or unstated, not %q", word)
		}
	}
	return func(r *runner) error { return r.accept(how) }, nil
}

// accept accepts the prompt that was expected last, as a step.
func (r *runner) accept(how acceptance) error {
	for i := len(r.expected) - 1; i >= 0; i-- {
		if q := r.expected[i]; q.method == "session/prompt" {
			return r.acceptPrompt(q.id, q.params, how)
		}
	}
	return errors.New("no session/prompt has been expected yet")
}

// acceptPrompt answers a prompt, says where it stands, and that the work has begun.
func (r *runner) acceptPrompt(id, params json.RawMessage, how acceptance) error {
	var p struct {
		Prompt json.RawMessage `json:"prompt"`
	}
	_ = json.Unmarshal(params, &p)
	r.mu.Lock()
	r.turns++
	r.working = true
	message := fmt.Sprintf("prompt-%d", r.turns)
	r.closePrompt(id)
	r.mu.Unlock()
	answer := map[string]string{"messageId": message}
	if how.nameless {
		clear(answer)
	}
	var err error
	if !how.unanswered {
		err = r.send(line{ID: id, Result: encode(answer)})
	}
	if err == nil && !how.untold {
		err = r.update(encode(map[string]any{"sessionUpdate": "user_message", "messageId": message, "content": p.Prompt}))
	}
	if err == nil && !how.unstated {
		err = r.update(json.RawMessage(`{"sessionUpdate":"state_update","state":"running"}`))
	}
	return err
}

// parseIdle is the step of an agent that says to be idle, whether or not it was at work.
func parseIdle(a *args) (func(*runner) error, error) {
	reason := a.word()
	return func(r *runner) error { return r.sayIdle(reason) }, nil
}

func (r *runner) sayIdle(reason string) error {
	r.tellSteps(func() { r.working = false })
	state := map[string]string{"sessionUpdate": "state_update", "state": "idle"}
	if reason != "" {
		state["stopReason"] = reason
	}
	return r.update(encode(state))
}

// idle ends the work with a reason. A prompt that is not accepted yet is accepted
// first.
func (r *runner) idle(reason string) error {
	r.mu.Lock()
	working := r.working
	r.mu.Unlock()
	if !working {
		if err := r.accept(acceptance{}); err != nil {
			return err
		}
	}
	return r.sayIdle(reason)
}

// messageID is the id of what the agent says next of a kind.
func (r *runner) messageID(kind string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return fmt.Sprintf("%s-%d", kind, r.turns)
}

// serveV2 answers a message as an agent of the second version should, and reports
// whether it did.
func (r *runner) serveV2(m *message) bool {
	q := request{id: m.ID, method: m.Method}
	switch m.Method {
	case "session/cancel":
		r.mu.Lock()
		working := r.working
		r.working = false
		r.mu.Unlock()
		if working {
			_ = r.update(json.RawMessage(`{"sessionUpdate":"state_update","state":"idle","stopReason":"cancelled"}`))
		}
	case "session/prompt":
		_ = r.acceptPrompt(m.ID, m.Params, acceptance{})
		_ = r.idle("end_turn")
	case "auth/login", "auth/logout", "tool_call/cancel", "terminal/cancel":
		_ = r.answer(q, json.RawMessage(`{}`))
	case "session/load", "authenticate", "logout", "session/set_mode":
		_ = r.send(line{ID: m.ID, Error: rpcError{Code: -32601, Message: "Method not found"}})
	default:
		return false
	}
	return true
}
