package doctor

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync/atomic"

	"parley/acpclient"
)

type object = map[string]any

// fake is an agent that does everything right. A fault puts something else in the place
// of one of its methods, or changes what it says of itself.
type fake struct {
	out    *io.PipeWriter
	stderr io.Writer

	hello   object // the answer to initialize
	state   object // what a session opens with
	methods map[string]func(f *fake, id json.RawMessage, p params)
	// stray takes what is no request of a method above; it reports that it has.
	stray    func(f *fake, id json.RawMessage, line []byte) bool
	first    func(f *fake) // before anything is read
	last     func(f *fake) // when stdin is closed
	turn     func(f *fake, session string)
	stopped  bool // it does not read any more
	exitCode int
	ends     chan struct{} // waited for at the end, if not nil

	opened   int
	prompts  int
	sessions map[string]bool // listed ones
	said     map[string]string
	slow     map[string]json.RawMessage // the prompts that wait to be cancelled
	options  []object
}

// params are those of any request that the agent knows.
type params struct {
	Version   int    `json:"protocolVersion"`
	SessionID string `json:"sessionId"`
	Cwd       string `json:"cwd"`
	Cursor    string `json:"cursor"`
	ModeID    string `json:"modeId"`
	ConfigID  string `json:"configId"`
	Value     string `json:"value"`
	Prompt    []struct {
		Text string `json:"text"`
	} `json:"prompt"`
	ReplayFrom struct {
		Type string `json:"type"`
	} `json:"replayFrom"`
}

func newFake() *fake {
	f := &fake{sessions: map[string]bool{}, said: map[string]string{}, slow: map[string]json.RawMessage{}}
	none := object{}
	f.hello = object{
		"protocolVersion": 1,
		"agentInfo":       object{"name": "fake", "version": "1"},
		"agentCapabilities": object{
			"loadSession":         true,
			"sessionCapabilities": object{"list": none, "resume": none, "close": none, "delete": none},
		},
		"authMethods": []object{{"id": "login", "name": "Log in"}},
	}
	f.options = []object{
		{"id": "model", "name": "Model", "type": "select", "currentValue": "small", "options": []object{
			{"value": "small", "name": "Small"}, {"value": "large", "name": "Large"},
		}},
		{"id": "depth", "name": "Depth", "type": "select", "currentValue": "1", "options": []object{{"value": "1", "name": "1"}}},
	}
	f.state = object{
		"modes": object{"currentModeId": "ask", "availableModes": []object{{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}}},
	}
	f.turn = (*fake).goodTurn
	f.methods = map[string]func(*fake, json.RawMessage, params){
		"initialize":                func(f *fake, id json.RawMessage, _ params) { f.answer(id, f.hello) },
		"session/new":               (*fake).newSession,
		"session/load":              (*fake).load,
		"session/resume":            (*fake).resume,
		"session/close":             (*fake).ok,
		"session/delete":            func(f *fake, id json.RawMessage, p params) { delete(f.sessions, p.SessionID); f.ok(id, p) },
		"session/list":              (*fake).list,
		"session/set_mode":          (*fake).setMode,
		"session/set_config_option": (*fake).setOption,
		"session/prompt":            (*fake).prompt,
		"session/cancel":            (*fake).cancel,
	}
	return f
}

// start is what Options.Start is. Both runs of the agent are one fake.
func (f *fake) start(stderr io.Writer) (*acpclient.Peer, error) {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	f.out, f.stderr, f.stopped = outW, stderr, false
	done, code := make(chan struct{}), new(atomic.Int32)
	stop := make(chan struct{})
	go func() {
		defer close(done)
		f.run(inR)
		if f.ends != nil {
			<-stop
		}
		code.Store(int32(f.exitCode))
		_ = inR.Close()
		_ = outW.Close()
	}()
	return &acpclient.Peer{
		Out: inW, In: outR, Done: done, Err: func() error { return exited(code.Load()) },
		Stop: func(context.Context) { close(stop); _ = inW.Close(); _ = outR.Close(); <-done },
	}, nil
}

// exited is how the fake has ended.
type exited int32

func (e exited) Error() string { return fmt.Sprintf("exit %d", int(e)) }
func (e exited) ExitCode() int { return int(e) }

func (f *fake) run(in io.Reader) {
	if f.first != nil {
		f.first(f)
	}
	lines := bufio.NewReader(in)
	for !f.stopped {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		f.take(line)
	}
	if f.last != nil {
		f.last(f)
	}
}

func (f *fake) take(line []byte) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	bad := json.Unmarshal(line, &m) != nil
	if f.stray != nil && f.stray(f, m.ID, line) {
		return
	}
	if bad {
		f.refuse(json.RawMessage("null"), -32700)
		return
	}
	var p params
	_ = json.Unmarshal(m.Params, &p)
	handle := f.methods[m.Method]
	switch {
	case m.Method == "" && (m.Result != nil || m.Error != nil):
	case handle != nil:
		handle(f, m.ID, p)
	case m.ID == nil && m.Method != "":
	case m.ID == nil || strings.ContainsAny(string(m.ID[:1]), "{[t") || string(m.ID) == "1.5":
		f.refuse(json.RawMessage("null"), -32600)
	default:
		f.refuse(m.ID, -32601)
	}
}

func (f *fake) raw(line string) { _, _ = io.WriteString(f.out, line) }

func (f *fake) write(m object) {
	m["jsonrpc"] = "2.0"
	line, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	f.raw(string(line) + "\n")
}

func (f *fake) answer(id json.RawMessage, result any) { f.write(object{"id": id, "result": result}) }

func (f *fake) refuse(id json.RawMessage, code int) {
	f.write(object{"id": id, "error": object{"code": code, "message": "Refused"}})
}

func (f *fake) ok(id json.RawMessage, _ params) { f.answer(id, object{}) }

func (f *fake) update(session string, u object) {
	f.write(object{"method": "session/update", "params": object{"sessionId": session, "update": u}})
}

func (f *fake) say(session, kind, text string) {
	f.update(session, object{"sessionUpdate": kind, "content": object{"type": "text", "text": text}})
}

func (f *fake) opening(more object) object {
	out := object{"configOptions": f.options}
	for _, from := range []object{f.state, more} {
		for name, v := range from {
			out[name] = v
		}
	}
	return out
}

func (f *fake) newSession(id json.RawMessage, p params) {
	if p.Cwd == "" {
		f.refuse(id, -32602)
		return
	}
	f.opened++
	session := fmt.Sprintf("s%d", f.opened)
	f.sessions[session] = true
	f.update(session, object{"sessionUpdate": "available_commands_update", "availableCommands": []object{}})
	f.answer(id, f.opening(object{"sessionId": session}))
}

func (f *fake) load(id json.RawMessage, p params) {
	if !f.sessions[p.SessionID] {
		f.refuse(id, -32002)
		return
	}
	if said := f.said[p.SessionID]; said != "" {
		f.say(p.SessionID, "user_message_chunk", "ping")
		f.say(p.SessionID, "agent_message_chunk", said)
	}
	f.answer(id, f.opening(nil))
}

func (f *fake) resume(id json.RawMessage, p params) {
	if !f.sessions[p.SessionID] {
		f.refuse(id, -32002)
		return
	}
	f.answer(id, f.opening(nil))
}

func (f *fake) list(id json.RawMessage, p params) {
	if p.Cursor != "" {
		f.refuse(id, -32602)
		return
	}
	list := []object{}
	for session := range f.sessions {
		list = append(list, object{"sessionId": session, "cwd": p.Cwd, "updatedAt": "2026-11-22T10:00:00.000Z"})
	}
	f.answer(id, object{"sessions": list})
}

func (f *fake) setMode(id json.RawMessage, p params) {
	if p.ModeID != "ask" && p.ModeID != "code" {
		f.refuse(id, -32602)
		return
	}
	f.update(p.SessionID, object{"sessionUpdate": "current_mode_update", "currentModeId": p.ModeID})
	f.ok(id, p)
}

func (f *fake) setOption(id json.RawMessage, p params) {
	for _, o := range f.options {
		for _, v := range o["options"].([]object) {
			if (o["id"] == p.ConfigID || o["configId"] == p.ConfigID) && v["value"] == p.Value {
				o["currentValue"] = p.Value
				f.answer(id, object{"configOptions": f.options})
				return
			}
		}
	}
	f.refuse(id, -32602)
}

// prompt answers at once, or begins to count and goes on until it is cancelled.
func (f *fake) prompt(id json.RawMessage, p params) {
	if p.Prompt[0].Text == longPrompt {
		f.slow[p.SessionID] = id
		f.say(p.SessionID, "agent_message_chunk", "1\n")
		return
	}
	f.turn(f, p.SessionID)
	f.answer(id, object{"stopReason": "end_turn"})
}

func (f *fake) goodTurn(session string) {
	f.update(session, object{"sessionUpdate": "tool_call", "toolCallId": "t1", "title": "Think", "status": "in_progress"})
	f.update(session, object{"sessionUpdate": "tool_call_update", "toolCallId": "t1", "status": "completed"})
	f.said[session] = "pong, says the fake"
	f.say(session, "agent_message_chunk", "pong, ")
	f.say(session, "agent_message_chunk", "says the fake")
}

func (f *fake) cancel(_ json.RawMessage, p params) {
	if id := f.slow[p.SessionID]; id != nil {
		f.answer(id, object{"stopReason": "cancelled"})
		delete(f.slow, p.SessionID)
	}
}

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
