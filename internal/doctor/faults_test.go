package doctor

import (
	"encoding/json"
	"strings"
	"time"
)

// fault is one thing that an agent can do wrong.
type fault struct {
	rule *Rule
	name string
	make func(f *fake)
	// v1 says that it is one of version 1 only.
	v1 bool
}

// instead puts something in the place of a method.
func instead(method string, do func(f *fake, id json.RawMessage, p params)) func(*fake) {
	return func(f *fake) { f.methods[method] = do }
}

// refused has a method fail.
func refused(method string, code int) func(*fake) {
	return instead(method, func(f *fake, id json.RawMessage, _ params) { f.refuse(id, code) })
}

// accepted has a method answer that all is well, whatever it was asked.
func accepted(method string) func(*fake) { return instead(method, (*fake).ok) }

// inTurn does something at the beginning of a turn.
func inTurn(do func(f *fake, session string)) func(*fake) {
	return func(f *fake) {
		turn := f.turn
		f.turn = func(f *fake, session string) { do(f, session); turn(f, session) }
	}
}

// soonAfter does something some milliseconds later, while the agent goes on.
func soonAfter(do func()) {
	go func() {
		time.Sleep(20 * time.Millisecond)
		do()
	}()
}

// afterPrompt does something some milliseconds after the end of the first turn.
func afterPrompt(do func(f *fake, session string)) func(*fake) {
	return instead("session/prompt", func(f *fake, id json.RawMessage, p params) {
		first := f.said[p.SessionID] == ""
		f.prompt(id, p)
		if first {
			soonAfter(func() { do(f, p.SessionID) })
		}
	})
}

// changed tells of the one option that is set.
func (f *fake) changed(p params) {
	for _, o := range f.options {
		if o["id"] == p.ConfigID || o["configId"] == p.ConfigID {
			o["currentValue"] = p.Value
			f.update(p.SessionID, object{"sessionUpdate": "config_option_update", "configOptions": []object{o}})
		}
	}
}

// stray takes lines that have a text in them.
func stray(text string, do func(f *fake, id json.RawMessage)) func(*fake) {
	return func(f *fake) {
		f.stray = func(f *fake, id json.RawMessage, line []byte) bool {
			if !strings.Contains(string(line), text) {
				return false
			}
			do(f, id)
			return true
		}
	}
}

// ask sends a request of the agent's own.
func (f *fake) ask(id, method string, p object) {
	f.write(object{"id": json.RawMessage(id), "method": method, "params": p})
}

func (f *fake) question(session string, options ...object) {
	f.ask(`"q"`, "session/request_permission", object{
		"sessionId": session, "toolCall": object{"toolCallId": "t0", "status": "completed"}, "options": append([]object{}, options...),
	})
}

var allow = object{"optionId": "yes", "name": "Yes", "kind": "allow_once"}

func announce(f *fake, session string, more object) {
	u := object{"sessionUpdate": "tool_call", "toolCallId": "t0", "title": "Look", "status": "completed"}
	for name, v := range more {
		u[name] = v
	}
	f.update(session, u)
}

// transportFaults are those of JSON-RPC and of the pipes.
var transportFaults = []fault{
	{rule: ruleNoise, name: "a banner", make: func(f *fake) { f.first = func(f *fake) { f.raw("Fake agent 1.0 is ready\n") } }},
	{rule: ruleNoise, name: "a batch", make: inTurn(func(f *fake, _ string) { f.raw("[]\n") })},
	{rule: ruleUTF8, make: inTurn(func(f *fake, _ string) {
		f.raw("{\"jsonrpc\":\"2.0\",\"method\":\"_x\",\"params\":{\"a\":\"\xff\"}}\n")
	})},
	{rule: ruleNewline, make: func(f *fake) { f.last = func(f *fake) { f.raw(`{"jsonrpc":"2.0","method":"_bye"}`) } }},
	{rule: ruleStderr, make: func(f *fake) { f.first = func(f *fake) { _, _ = f.stderr.Write([]byte("caf\xe9\n")) } }},
	{rule: ruleDied, make: instead("session/prompt", func(f *fake, _ json.RawMessage, _ params) { f.stopped = true })},
	{rule: ruleExit, make: func(f *fake) { f.ends = make(chan struct{}) }},
	{rule: ruleExitCode, make: func(f *fake) { f.exitCode = 3 }},
	{rule: ruleMalformed, make: stray("not JSON", func(f *fake, _ json.RawMessage) {
		f.stray = func(*fake, json.RawMessage, []byte) bool { return true }
	})},
	{rule: ruleEnvelope, name: "no version", make: inTurn(func(f *fake, _ string) { f.raw(`{"method":"_x"}` + "\n") })},
	{rule: ruleEnvelope, name: "neither", make: inTurn(func(f *fake, _ string) { f.write(object{}) })},
	{rule: ruleEnvelope, name: "a result and an error", make: inTurn(func(f *fake, _ string) {
		f.write(object{"id": "x", "result": object{}, "error": object{"code": 1, "message": ""}})
	})},
	{rule: ruleAnswerOnce, make: instead("session/resume", func(f *fake, id json.RawMessage, p params) { f.resume(id, p); f.resume(id, p) })},
	{rule: ruleUnasked, make: inTurn(func(f *fake, _ string) { f.answer(json.RawMessage("4711"), object{}) })},
	{rule: ruleIDPrecision, make: stray("9223372036854775807", func(f *fake, _ json.RawMessage) { f.refuse(json.RawMessage("9223372036854776000"), -32601) })},
	{rule: ruleIDPrecision, name: "a fraction", make: stray("9223372036854775807", func(f *fake, _ json.RawMessage) { f.refuse(json.RawMessage("9.2233720368547758e+18"), -32601) })},
	{rule: ruleIDPrecision, name: "no answer", make: stray("9223372036854775807", func(*fake, json.RawMessage) {})},
	{rule: ruleNoAnswer, name: "to an id", make: stray(`"id":"7"`, func(*fake, json.RawMessage) {})},
	{rule: ruleUnasked, name: "a number for a string", make: stray(`"id":"7"`, func(f *fake, _ json.RawMessage) { f.refuse(json.RawMessage("7"), -32601) })},
	{rule: ruleMalformedID, make: stray(`"id":1.5`, func(f *fake, id json.RawMessage) { f.answer(id, object{}) })},
	{rule: ruleOwnID, name: "an object", make: inTurn(func(f *fake, _ string) { f.ask(`{}`, "_x/y", nil) })},
	{rule: ruleOwnID, name: "twice", make: inTurn(func(f *fake, _ string) { f.ask(`1`, "_x/y", nil); f.ask(`1`, "_x/y", nil) })},
	{rule: ruleNoAnswer, make: instead("session/close", func(*fake, json.RawMessage, params) {})},
	{rule: ruleNotified, make: func(f *fake) {
		f.stray = func(f *fake, id json.RawMessage, line []byte) bool {
			unknown := id == nil && strings.Contains(string(line), "parley/unknown")
			if unknown {
				f.refuse(json.RawMessage("null"), -32601)
			}
			return unknown
		}
	}},
	{rule: ruleErrorObject, make: stray("_parley/unknown", func(f *fake, id json.RawMessage) {
		if id != nil {
			f.write(object{"id": id, "error": "no such method"})
		}
	})},
	{rule: ruleParams, name: "taken", make: instead("session/new", func(f *fake, id json.RawMessage, p params) {
		p.Cwd = "/"
		f.newSession(id, p)
	})},
	{rule: ruleParams, name: "another code", make: instead("session/new", func(f *fake, id json.RawMessage, p params) {
		if p.Cwd == "" {
			f.refuse(id, -32603)
			return
		}
		f.newSession(id, p)
	})},
	{rule: ruleUnknown, make: stray("parley/unknown", func(f *fake, id json.RawMessage) {
		if id != nil {
			f.answer(id, object{})
		}
	})},
	{rule: ruleUnknownCode, make: stray("parley/unknown", func(f *fake, id json.RawMessage) {
		if id != nil {
			f.refuse(id, -32603)
		}
	})},
}

// startFaults are those of what an agent says of itself.
var startFaults = []fault{
	{rule: ruleInitialize, make: refused("initialize", -32603)},
	{v1: true, rule: ruleVersion, name: "another one", make: func(f *fake) { f.hello["protocolVersion"] = 2 }},
	{rule: ruleVersion, name: "whatever is asked for", make: instead("initialize", func(f *fake, id json.RawMessage, p params) {
		f.hello["protocolVersion"] = p.Version
		f.answer(id, f.hello)
	})},
	{rule: ruleEarly, make: func(f *fake) { f.first = func(f *fake) { f.write(object{"method": "_hello"}) } }},
	{v1: true, rule: ruleAgentInfo, make: func(f *fake) { delete(f.hello, "agentInfo") }},
	{v1: true, rule: ruleAuthMethods, make: func(f *fake) {
		f.hello["authMethods"] = []object{{"id": "a", "name": "A"}, {"id": "a", "name": "B"}}
	}},
	{rule: ruleAuthMethods, name: "none", make: func(f *fake) {
		delete(f.hello, "authMethods")
		refused("session/new", -32000)(f)
	}},
	{v1: true, rule: ruleAuthTerm, make: func(f *fake) {
		f.hello["authMethods"] = []object{{"id": "a", "name": "A", "type": "terminal", "args": []string{"--login"}}}
	}},
	{rule: ruleAdvertised, make: refused("session/list", -32601)},
	{v1: true, rule: ruleSchema, name: "a wrong type", make: func(f *fake) { f.hello["agentCapabilities"].(object)["loadSession"] = "yes" }},
	{v1: true, rule: ruleSchema, name: "a stop reason", make: instead("session/prompt", func(f *fake, id json.RawMessage, _ params) {
		f.answer(id, object{"stopReason": "whim"})
	})},
	{v1: true, rule: ruleSchema, name: "an update", make: inTurn(func(f *fake, session string) { f.update(session, object{"sessionUpdate": "mood"}) })},
	{rule: ruleOwnMethod, make: inTurn(func(f *fake, _ string) { f.write(object{"method": "fake/hello"}) })},
	{v1: true, rule: ruleUnoffered, name: "files", make: inTurn(func(f *fake, session string) {
		f.ask("1", "fs/read_text_file", object{"sessionId": session, "path": "/etc/passwd"})
	})},
	{v1: true, rule: ruleUnoffered, name: "a terminal", make: inTurn(func(f *fake, session string) {
		f.ask("1", "terminal/create", object{"sessionId": session, "command": "true"})
	})},
	{v1: true, rule: ruleUnoffered, name: "a notice", make: inTurn(func(f *fake, session string) {
		f.update(session, object{"sessionUpdate": "notice", "severity": "info", "title": "x"})
	})},
	{v1: true, rule: rulePath, make: inTurn(func(f *fake, session string) {
		announce(f, session, object{"locations": []object{{"path": "src/a.go"}}})
	})},
	{v1: true, rule: rulePath, name: "of a diff", make: inTurn(func(f *fake, session string) {
		announce(f, session, object{"content": []object{{"type": "diff", "path": "a.go", "newText": ""}}})
	})},
}

// forking advertises session/fork and answers it.
func forking(do func(f *fake, id json.RawMessage, p params)) func(*fake) {
	return func(f *fake) {
		f.hello["agentCapabilities"].(object)["sessionCapabilities"].(object)["fork"] = object{}
		f.methods["session/fork"] = do
	}
}

// sessionFaults are those of sessions and of what can be set in them.
var sessionFaults = []fault{
	{rule: ruleNew, make: refused("session/new", -32603)},
	{rule: ruleSessionID, make: instead("session/new", func(f *fake, id json.RawMessage, p params) { f.opened = 0; f.newSession(id, p) })},
	{rule: ruleUnknownUpdate, make: inTurn(func(f *fake, _ string) { f.say("another", "agent_message_chunk", "hello") })},
	{v1: true, rule: ruleLoad, make: refused("session/load", -32603)},
	{v1: true, rule: ruleReplay, make: instead("session/load", (*fake).resume)},
	{v1: true, rule: ruleReplayLate, name: "some time later", make: instead("session/load", func(f *fake, id json.RawMessage, p params) {
		f.resume(id, p)
		if f.said[p.SessionID] != "" {
			soonAfter(func() { f.say(p.SessionID, "user_message_chunk", "ping") })
		}
	})},
	{v1: true, rule: ruleReplayLate, make: instead("session/load", func(f *fake, id json.RawMessage, p params) {
		f.resume(id, p)
		f.say(p.SessionID, "agent_message_chunk", f.said[p.SessionID])
	})},
	{rule: ruleResume, make: refused("session/resume", -32603)},
	{v1: true, rule: ruleResumeReplay, make: instead("session/resume", (*fake).load)},
	{rule: ruleClose, make: refused("session/close", -32603)},
	{rule: ruleNotThere, make: accepted("session/resume")},
	{v1: true, rule: ruleProposed, make: forking((*fake).newSession)},
	{v1: true, rule: ruleFork, make: forking(func(f *fake, id json.RawMessage, _ params) { f.refuse(id, -32603) })},
	{rule: ruleList, make: instead("session/list", func(f *fake, id json.RawMessage, p params) { p.Cwd = "/elsewhere"; f.list(id, p) })},
	{rule: rulePages, make: instead("session/list", func(f *fake, id json.RawMessage, _ params) {
		f.answer(id, object{"sessions": []object{}, "nextCursor": "more"})
	})},
	{rule: ruleCursor, make: instead("session/list", func(f *fake, id json.RawMessage, p params) { p.Cursor = ""; f.list(id, p) })},
	{rule: ruleUpdatedAt, make: instead("session/list", func(f *fake, id json.RawMessage, p params) {
		f.answer(id, object{"sessions": []object{{"sessionId": "s1", "cwd": p.Cwd, "updatedAt": "yesterday"}}})
	})},
	{rule: ruleDelete, make: refused("session/delete", -32603)},
	{rule: ruleDeleted, make: accepted("session/delete")},
	{rule: ruleDeleteAgain, make: instead("session/delete", func(f *fake, id json.RawMessage, p params) {
		if !f.sessions[p.SessionID] {
			f.refuse(id, -32002)
			return
		}
		delete(f.sessions, p.SessionID)
		f.ok(id, p)
	})},
	{v1: true, rule: ruleModes, make: func(f *fake) { f.state["modes"].(object)["currentModeId"] = "none" }},
	{v1: true, rule: ruleSetMode, make: refused("session/set_mode", -32602)},
	{v1: true, rule: ruleUnknownMode, make: accepted("session/set_mode")},
	{rule: ruleOptions, make: func(f *fake) { f.options[1]["currentValue"] = "2" }},
	{v1: true, rule: ruleBoolean, make: func(f *fake) {
		f.state["configOptions"] = []object{{"id": "fast", "name": "Fast", "type": "boolean", "currentValue": true}}
	}},
	{rule: ruleSetOption, make: refused("session/set_config_option", -32602)},
	{rule: ruleWholeState, make: instead("session/set_config_option", func(f *fake, id json.RawMessage, _ params) {
		f.answer(id, object{"configOptions": f.options[:1]})
	})},
	{rule: ruleWholeState, name: "an update before the answer", make: instead("session/set_config_option", func(f *fake, id json.RawMessage, p params) {
		f.changed(p)
		f.setOption(id, p)
	})},
	{rule: ruleWholeState, name: "an update behind the answer", make: instead("session/set_config_option", func(f *fake, id json.RawMessage, p params) {
		f.setOption(id, p)
		f.changed(p)
	})},
	{rule: ruleUnknownValue, make: instead("session/set_config_option", func(f *fake, id json.RawMessage, _ params) {
		f.answer(id, object{"configOptions": f.options})
	})},
}

// turnFaults are those of turns.
var turnFaults = []fault{
	{v1: true, rule: rulePrompt, make: refused("session/prompt", -32603)},
	{v1: true, rule: ruleNotAsked, make: instead("session/prompt", func(f *fake, id json.RawMessage, _ params) { f.answer(id, object{"stopReason": "cancelled"}) })},
	{v1: true, rule: ruleCancel, name: "an error", make: instead("session/cancel", func(f *fake, _ json.RawMessage, p params) { f.refuse(f.slow[p.SessionID], -32603) })},
	{v1: true, rule: ruleCancel, name: "ignored", make: instead("session/cancel", func(*fake, json.RawMessage, params) {})},
	{v1: true, rule: ruleCancel, name: "another reason", make: instead("session/cancel", func(f *fake, _ json.RawMessage, p params) {
		time.Sleep(soon + soon/4) // on the clock of the bubble: it goes on for a while
		f.answer(f.slow[p.SessionID], object{"stopReason": "end_turn"})
	})},
	{v1: true, rule: ruleCancel, name: "another reason at once", make: instead("session/cancel", func(f *fake, _ json.RawMessage, p params) {
		f.answer(f.slow[p.SessionID], object{"stopReason": "end_turn"})
	})},
	{v1: true, rule: ruleAfterCancel, name: "some time later", make: instead("session/cancel", func(f *fake, id json.RawMessage, p params) {
		f.cancel(id, p)
		soonAfter(func() { f.say(p.SessionID, "agent_message_chunk", "2\n") })
	})},
	{v1: true, rule: ruleAfterCancel, make: instead("session/cancel", func(f *fake, id json.RawMessage, p params) {
		f.cancel(id, p)
		f.say(p.SessionID, "agent_message_chunk", "2\n")
	})},
	{v1: true, rule: ruleOutside, make: instead("session/set_mode", func(f *fake, id json.RawMessage, p params) {
		f.setMode(id, p)
		f.say(p.SessionID, "agent_message_chunk", "I am in another mode")
	})},
	{v1: true, rule: ruleOutside, name: "soon after a turn", make: afterPrompt(func(f *fake, session string) { f.say(session, "agent_message_chunk", "and another thing") })},
	{v1: true, rule: ruleOutside, name: "after a replay", make: instead("session/load", func(f *fake, id json.RawMessage, p params) {
		f.load(id, p)
		f.say(p.SessionID, "agent_message_chunk", "Welcome back!")
	})},
	{v1: true, rule: rulePermission, name: "soon after a turn", make: afterPrompt(func(f *fake, session string) { f.question(session, allow) })},
	{v1: true, rule: rulePermission, make: instead("session/set_mode", func(f *fake, id json.RawMessage, p params) {
		f.setMode(id, p)
		f.question(p.SessionID, allow)
	})},
	{rule: ruleChoices, name: "twice", make: inTurn(func(f *fake, session string) { f.question(session, allow, allow) })},
	{rule: ruleChoices, name: "none", make: inTurn(func(f *fake, session string) { f.question(session) })},
	{v1: true, rule: ruleCallUnknown, make: inTurn(func(f *fake, session string) {
		f.update(session, object{"sessionUpdate": "tool_call_update", "toolCallId": "t9", "status": "completed"})
	})},
	{v1: true, rule: ruleCallUnknown, name: "asked about", make: inTurn(func(f *fake, session string) { f.question(session, allow) })},
	{v1: true, rule: ruleCallTwice, make: inTurn(func(f *fake, session string) { announce(f, session, nil); announce(f, session, nil) })},
	{v1: true, rule: ruleCallOpen, make: inTurn(func(f *fake, session string) { announce(f, session, object{"status": "in_progress"}) })},
	{v1: true, rule: ruleCallTerminal, make: inTurn(func(f *fake, session string) {
		announce(f, session, object{"content": []object{{"type": "terminal", "terminalId": "x"}}})
	})},
}

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
	{rule: ruleCancel, name: "another reason at once", make: instead("session/cancel", func(f *fake, _ json.RawMessage, p params) {
		f.idle(p.SessionID, "end_turn")
	})},
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
