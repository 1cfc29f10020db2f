package doctor

import (
	"encoding/json"
	"fmt"
)

// newFakeV2 is an agent that does everything right in version 2 of the protocol.
func newFakeV2() *fake {
	f := newFake()
	f.hello = object{
		"protocolVersion": 2,
		"info":            object{"name": "fake", "version": "1"},
		"capabilities":    object{"session": object{"delete": object{}, "prompt": object{"image": object{}}}},
		"authMethods":     []object{{"type": "agent", "methodId": "login", "name": "Log in"}},
	}
	for _, o := range f.options {
		o["configId"] = o["id"]
		delete(o, "id")
	}
	f.state = object{}
	for _, gone := range []string{"session/load", "session/set_mode"} {
		delete(f.methods, gone)
	}
	f.methods["initialize"] = (*fake).initializeV2
	f.methods["session/resume"] = (*fake).resumeV2
	f.methods["session/prompt"] = (*fake).promptV2
	f.methods["session/cancel"] = (*fake).cancelV2
	f.turn = (*fake).goodWork
	return f
}

// initializeV2 answers with its own version what is offered above it.
func (f *fake) initializeV2(id json.RawMessage, p params) {
	if p.Version < 2 {
		f.refuse(id, -32022)
		return
	}
	f.answer(id, f.hello)
}

func (f *fake) working(session, state string, more object) {
	u := object{"sessionUpdate": "state_update", "state": state}
	for name, v := range more {
		u[name] = v
	}
	f.update(session, u)
}

func (f *fake) idle(session, reason string) {
	f.working(session, "idle", object{"stopReason": reason})
}

// sayV2 says something in a message that has an id.
func (f *fake) sayV2(session, kind, id, text string) {
	f.update(session, object{"sessionUpdate": kind, "messageId": id, "content": object{"type": "text", "text": text}})
}

// tell says a whole message.
func (f *fake) tell(session, kind, id, text string) {
	f.update(session, object{"sessionUpdate": kind, "messageId": id, "content": []object{{"type": "text", "text": text}}})
}

// promptV2 accepts a prompt, and works on it at once, or begins to count and goes on until
// it is cancelled.
func (f *fake) promptV2(id json.RawMessage, p params) {
	f.prompts++
	message := fmt.Sprintf("u%d", f.prompts)
	f.answer(id, object{"messageId": message})
	f.tell(p.SessionID, "user_message", message, p.Prompt[0].Text)
	f.working(p.SessionID, "running", nil)
	if p.Prompt[0].Text == longPrompt {
		f.slow[p.SessionID] = id
		f.sayV2(p.SessionID, "agent_message_chunk", "a2", "1\n")
		return
	}
	f.turn(f, p.SessionID)
	f.idle(p.SessionID, "end_turn")
}

func (f *fake) goodWork(session string) {
	f.update(session, object{"sessionUpdate": "tool_call_update", "toolCallId": "t1", "title": "Think", "status": "in_progress"})
	f.update(session, object{"sessionUpdate": "tool_call_update", "toolCallId": "t1", "status": "completed"})
	f.said[session] = "pong, says the fake"
	f.sayV2(session, "agent_message_chunk", "a1", "pong, ")
	f.sayV2(session, "agent_message_chunk", "a1", "says the fake")
}

func (f *fake) cancelV2(_ json.RawMessage, p params) {
	if f.slow[p.SessionID] != nil {
		f.idle(p.SessionID, "cancelled")
		delete(f.slow, p.SessionID)
	}
}

// resumeV2 resumes a session, replays it if that is asked for, and tells its state.
func (f *fake) resumeV2(id json.RawMessage, p params) {
	switch {
	case !f.sessions[p.SessionID]:
		f.refuse(id, -32002)
		return
	case p.ReplayFrom.Type != "" && p.ReplayFrom.Type != "start":
		f.refuse(id, -32602)
		return
	case p.ReplayFrom.Type == "start":
		f.replay(p.SessionID)
	}
	f.working(p.SessionID, "idle", nil)
	f.answer(id, f.opening(nil))
}

func (f *fake) replay(session string) {
	if said := f.said[session]; said != "" {
		f.tell(session, "user_message", "u1", "ping")
		f.tell(session, "agent_message", "a1", said)
	}
}
