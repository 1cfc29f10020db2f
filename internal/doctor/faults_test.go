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
	{rule: ruleIDPrecision, name: "a number for a string", make: stray(`"id":"7"`, func(f *fake, _ json.RawMessage) { f.refuse(json.RawMessage("7"), -32601) })},
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
	{v1: true, rule: ruleAfterCancel, make: instead("session/cancel", func(f *fake, id json.RawMessage, p params) {
		f.cancel(id, p)
		f.say(p.SessionID, "agent_message_chunk", "2\n")
	})},
	{v1: true, rule: ruleOutside, make: instead("session/set_mode", func(f *fake, id json.RawMessage, p params) {
		f.setMode(id, p)
		f.say(p.SessionID, "agent_message_chunk", "I am in another mode")
	})},
	{v1: true, rule: rulePermission, make: instead("session/set_mode", func(f *fake, id json.RawMessage, p params) {
		f.setMode(id, p)
		f.question(p.SessionID, allow)
	})},
	{rule: ruleChoices, name: "twice", make: inTurn(func(f *fake, session string) { f.question(session, allow, allow) })},
	{rule: ruleChoices, name: "none", make: inTurn(func(f *fake, session string) { f.question(session) })},
	{v1: true, rule: ruleCallUnknown, make: inTurn(func(f *fake, session string) {
		f.update(session, object{"sessionUpdate": "tool_call_update", "toolCallId": "t9", "status": "completed"})
	})},
	{v1: true, rule: ruleCallTwice, make: inTurn(func(f *fake, session string) { announce(f, session, nil); announce(f, session, nil) })},
	{v1: true, rule: ruleCallOpen, make: inTurn(func(f *fake, session string) { announce(f, session, object{"status": "in_progress"}) })},
	{v1: true, rule: ruleCallTerminal, make: inTurn(func(f *fake, session string) {
		announce(f, session, object{"content": []object{{"type": "terminal", "terminalId": "x"}}})
	})},
}
