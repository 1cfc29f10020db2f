package doctor

import (
	"encoding/json"
	"time"
)

// callV2 tells of a tool call.
func callV2(f *fake, session string, more object) {
	u := object{"sessionUpdate": "tool_call_update", "toolCallId": "t0", "title": "Look", "status": "completed"}
	for name, v := range more {
		u[name] = v
	}
	f.update(session, u)
}

// session is what the fake says of its sessions.
func (f *fake) session() object { return f.hello["capabilities"].(object)["session"].(object) }

// promptedV2 puts something in the place of what follows a prompt; its message has the
// id u1, and the work on it is that of the fake.
func promptedV2(do func(f *fake, id json.RawMessage, session string)) func(*fake) {
	return instead("session/prompt", func(f *fake, id json.RawMessage, p params) { do(f, id, p.SessionID) })
}

// resumedV2 puts something in the place of session/resume, and of from where the start is
// asked for.
func resumedV2(from bool, do func(f *fake, id json.RawMessage, session string)) func(*fake) {
	return instead("session/resume", func(f *fake, id json.RawMessage, p params) {
		if (p.ReplayFrom.Type == "start") != from || p.ReplayFrom.Type == "_parley" || !f.sessions[p.SessionID] {
			f.resumeV2(id, p)
			return
		}
		do(f, id, p.SessionID)
	})
}

// startFaultsV2 are those of what an agent says of itself in version 2.
var startFaultsV2 = []fault{
	{rule: ruleVersion, name: "a later one", make: func(f *fake) { f.hello["protocolVersion"] = 3 }},
	{rule: ruleVersion, name: "an error", make: instead("initialize", func(f *fake, id json.RawMessage, p params) {
		if p.Version > 1 {
			f.refuse(id, -32602)
			return
		}
		f.answer(id, newFake().hello)
	})},
	{rule: ruleVersion, name: "not the newest", make: instead("initialize", func(f *fake, id json.RawMessage, p params) {
		if p.Version > 2 {
			f.answer(id, newFake().hello)
			return
		}
		f.answer(id, f.hello)
	})},
	{rule: ruleAgentInfo, make: func(f *fake) { f.hello["info"] = object{"name": "", "version": "1"} }},
	{rule: ruleSchema, name: "no information", make: func(f *fake) { delete(f.hello, "info") }},
	{rule: ruleAuthMethods, make: func(f *fake) {
		f.hello["authMethods"] = []object{{"type": "agent", "methodId": "a", "name": "A"}, {"type": "agent", "methodId": "a", "name": "B"}}
	}},
	{rule: ruleAuthTerm, make: func(f *fake) {
		f.hello["authMethods"] = []object{{"type": "terminal", "methodId": "a", "name": "A", "args": []string{"--login"}}}
	}},
	{rule: ruleReserved, name: "a way to sign in", make: func(f *fake) {
		f.hello["authMethods"] = []object{{"type": "passkey", "methodId": "a", "name": "A"}}
	}},
	{rule: ruleAdvertised, name: "resume", make: refused("session/resume", -32601)},
	{rule: ruleAdvertised, name: "close", make: refused("session/close", -32601)},
	{rule: ruleUnoffered, make: inTurn(func(f *fake, session string) {
		f.ask("1", "elicitation/create", object{
			"sessionId": session, "mode": "form", "message": "Who?", "requestedSchema": object{"type": "object", "properties": object{}},
		})
	})},
	{rule: ruleOwnMethod, name: "files", make: inTurn(func(f *fake, session string) {
		f.ask("1", "fs/read_text_file", object{"sessionId": session, "path": "/etc/passwd"})
	})},
}

// forkingV2 advertises session/fork and answers it.
func forkingV2(do func(f *fake, id json.RawMessage, p params)) func(*fake) {
	return func(f *fake) {
		f.session()["fork"] = object{}
		f.methods["session/fork"] = do
	}
}

// sessionFaultsV2 are those of sessions in version 2.
var sessionFaultsV2 = []fault{
	{rule: ruleSchema, name: "an option of version 1", make: func(f *fake) { f.options[0]["id"] = "model"; delete(f.options[0], "configId") }},
	{rule: ruleReserved, name: "a kind of option", make: func(f *fake) {
		f.state["configOptions"] = []object{{"configId": "speed", "name": "Speed", "type": "slider", "currentValue": 3}}
	}},
	{rule: ruleProposed, make: forkingV2((*fake).newSession)},
	{rule: ruleFork, make: forkingV2(func(f *fake, id json.RawMessage, _ params) { f.refuse(id, -32603) })},
	{rule: ruleResumeReplay, make: resumedV2(false, func(f *fake, id json.RawMessage, session string) {
		f.replay(session)
		f.idle(session, "cancelled")
		f.answer(id, object{})
	})},
	{rule: ruleResumeState, name: "none", make: resumedV2(false, func(f *fake, id json.RawMessage, _ string) { f.answer(id, object{}) })},
	{rule: ruleResumeState, name: "before the replay", make: resumedV2(true, func(f *fake, id json.RawMessage, session string) {
		f.idle(session, "cancelled")
		f.replay(session)
		f.answer(id, object{})
	})},
	{rule: ruleReplay, name: "nothing", make: resumedV2(true, func(f *fake, id json.RawMessage, session string) {
		f.idle(session, "cancelled")
		f.answer(id, object{})
	})},
	{rule: ruleReplay, name: "a part", make: resumedV2(true, func(f *fake, id json.RawMessage, session string) {
		f.tell(session, "user_message", "u1", "ping")
		f.idle(session, "cancelled")
		f.answer(id, object{})
	})},
	{rule: ruleReplayLate, make: resumedV2(true, func(f *fake, id json.RawMessage, session string) {
		f.idle(session, "cancelled")
		f.answer(id, object{})
		f.replay(session)
	})},
	{rule: ruleReplayID, make: resumedV2(true, func(f *fake, id json.RawMessage, session string) {
		f.tell(session, "user_message", "u9", "ping")
		f.tell(session, "agent_message", "a9", f.said[session])
		f.idle(session, "cancelled")
		f.answer(id, object{})
	})},
	{rule: ruleReplayFrom, name: "taken", make: instead("session/resume", func(f *fake, id json.RawMessage, p params) {
		if p.ReplayFrom.Type == "_parley" {
			p.ReplayFrom.Type = "start"
		}
		f.resumeV2(id, p)
	})},
	{rule: ruleReplayFrom, name: "another code", make: instead("session/resume", func(f *fake, id json.RawMessage, p params) {
		if p.ReplayFrom.Type == "_parley" {
			f.refuse(id, -32603)
			return
		}
		f.resumeV2(id, p)
	})},
	{rule: ruleClosed, make: instead("session/close", func(f *fake, id json.RawMessage, p params) { f.ok(id, p); f.idle(p.SessionID, "cancelled") })},
}

// workFaultsV2 are those of the work on prompts in version 2.
var workFaultsV2 = []fault{
	{rule: ruleAccepted, make: refused("session/prompt", -32603)},
	{rule: ruleSchema, name: "accepted without an id", make: promptedV2(func(f *fake, id json.RawMessage, session string) {
		f.answer(id, object{})
		f.working(session, "running", nil)
		f.idle(session, "end_turn")
	})},
	{rule: ruleSchema, name: "a message without an id", make: inTurn(func(f *fake, session string) { f.say(session, "agent_message_chunk", "hello") })},
	{rule: ruleAcceptedLate, make: promptedV2(func(f *fake, id json.RawMessage, session string) {
		f.tell(session, "user_message", "u1", "ping")
		f.working(session, "running", nil)
		f.goodWork(session)
		f.idle(session, "end_turn")
		f.answer(id, object{"messageId": "u1"})
	})},
	{rule: ruleUserMessage, name: "none", make: promptedV2(func(f *fake, id json.RawMessage, session string) {
		f.answer(id, object{"messageId": "u1"})
		f.working(session, "running", nil)
		f.idle(session, "end_turn")
	})},
	{rule: ruleUserMessage, name: "with another id", make: promptedV2(func(f *fake, id json.RawMessage, session string) {
		f.answer(id, object{"messageId": "u1"})
		f.tell(session, "user_message", "u7", "ping")
		f.working(session, "running", nil)
		f.idle(session, "end_turn")
	})},
	{rule: ruleMessageID, name: "of two kinds", make: inTurn(func(f *fake, session string) { f.sayV2(session, "agent_thought_chunk", "u1", "hm") })},
	{rule: ruleMessageID, name: "of two prompts", make: inTurn(func(f *fake, _ string) { f.prompts = 0 })},
	{rule: ruleRunning, name: "never", make: promptedV2(func(f *fake, id json.RawMessage, session string) {
		f.answer(id, object{"messageId": "u1"})
		f.tell(session, "user_message", "u1", "ping")
		f.idle(session, "end_turn")
	})},
	{rule: ruleRunning, name: "too late", make: promptedV2(func(f *fake, id json.RawMessage, session string) {
		f.answer(id, object{"messageId": "u1"})
		f.tell(session, "user_message", "u1", "ping")
		f.sayV2(session, "agent_message_chunk", "a1", "pong")
		f.working(session, "running", nil)
		f.idle(session, "end_turn")
	})},
	{rule: ruleIdle, make: promptedV2(func(f *fake, id json.RawMessage, session string) {
		f.answer(id, object{"messageId": "u1"})
		f.tell(session, "user_message", "u1", "ping")
		f.working(session, "running", nil)
		f.goodWork(session)
	})},
	{rule: ruleStopReason, make: promptedV2(func(f *fake, id json.RawMessage, session string) {
		f.answer(id, object{"messageId": "u1"})
		f.tell(session, "user_message", "u1", "ping")
		f.working(session, "running", nil)
		f.working(session, "idle", nil)
	})},
	{rule: ruleNotAsked, make: inTurn(func(f *fake, session string) { f.idle(session, "cancelled") })},
	{rule: ruleReserved, name: "a stop reason", make: inTurn(func(f *fake, session string) { f.idle(session, "whim") })},
	{rule: ruleReserved, name: "a state", make: inTurn(func(f *fake, session string) { f.working(session, "busy", nil) })},
	{rule: ruleReserved, name: "an update", make: inTurn(func(f *fake, session string) { f.update(session, object{"sessionUpdate": "mood"}) })},
	{rule: ruleCancel, name: "an error", make: instead("session/cancel", func(f *fake, _ json.RawMessage, p params) {
		f.working(p.SessionID, "idle", object{"stopReason": "error", "error": object{"code": -32603, "message": "aborted"}})
	})},
	{rule: ruleCancel, name: "ignored", make: instead("session/cancel", func(*fake, json.RawMessage, params) {})},
	{rule: ruleCancel, name: "another reason", make: instead("session/cancel", func(f *fake, _ json.RawMessage, p params) {
		time.Sleep(soon + soon/4) // on the clock of the bubble: it goes on for a while
		f.idle(p.SessionID, "end_turn")
	})},
	{rule: ruleAfterCancel, make: instead("session/cancel", func(f *fake, id json.RawMessage, p params) {
		f.cancelV2(id, p)
		f.sayV2(p.SessionID, "agent_message_chunk", "a2", "2\n")
	})},
	{rule: rulePath, name: "of a place", make: inTurn(func(f *fake, session string) {
		callV2(f, session, object{"locations": []object{{"path": "src/a.go"}}})
	})},
	{rule: rulePath, name: "of a diff", make: inTurn(func(f *fake, session string) {
		callV2(f, session, object{"content": []object{{"type": "diff", "changes": []object{{"operation": "modify", "path": "a.go"}}}}})
	})},
	{rule: rulePath, name: "of a terminal", make: inTurn(func(f *fake, session string) {
		f.update(session, object{"sessionUpdate": "terminal_update", "terminalId": "x", "cwd": "src"})
	})},
	{rule: rulePath, name: "of a command", make: inTurn(func(f *fake, session string) {
		f.ask(`"q"`, "session/request_permission", object{
			"sessionId": session, "title": "Run it?", "options": []object{allow},
			"subject": object{"type": "command", "command": "make", "cwd": "src"},
		})
	})},
	{rule: ruleSchema, name: "a call of version 1", make: inTurn(func(f *fake, session string) {
		f.update(session, object{"sessionUpdate": "tool_call_update", "toolCallId": 7})
	})},
}
