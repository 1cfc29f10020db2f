package v2

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/aymanbagabas/go-udiff"

	"parley/acpclient"
)

// Agent is the agent's end of a connection, for an agent that is written for version 1. It
// speaks version 2 with clients that offer it. Of its methods, Notify, Call and Request take
// the messages of version 1.
type Agent struct {
	*acpclient.Conn
	agent   acpclient.Receiver
	prompts atomic.Int64
	life    context.Context // of prompts in version 2, which outlive their request

	mu      sync.Mutex
	v2      bool           // was agreed on
	asking  map[string]int // how many questions are open, by session
	working map[string]int // on how many prompts, and other work, by session
	// ends is how the last of the client's prompts has ended while other work went on, by session.
	ends map[string]*acpclient.StateUpdate
}

// Serve hands what a client sends over t to agent, in version 1; the params of initialize name the
// version that was offered. The agent lists, resumes and closes sessions,
// which version 2 always has, and gives its messages ids. Its session/prompt calls acpclient.Async once
// it has accepted a prompt, and sends no updates of it before.
func Serve(t acpclient.Transport, agent acpclient.Receiver, opt acpclient.ConnOptions) *Agent {
	life, end := context.WithCancel(context.Background())
	a := &Agent{agent: agent, life: life, asking: map[string]int{}, working: map[string]int{}, ends: map[string]*acpclient.StateUpdate{}}
	a.mu.Lock() // until Conn is set
	defer a.mu.Unlock()
	opt.Rejects = true
	a.Conn = acpclient.NewConn(t, (*server)(a), opt)
	go func() {
		<-a.Done()
		end()
	}()
	return a
}

// SpeaksV2 reports whether version 2 was agreed on.
func (a *Agent) SpeaksV2() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.v2
}

func (a *Agent) speak(v2 bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.v2 = v2
}

// Notify sends a notification. Version 2 has no updates of the mode, which is an option.
func (a *Agent) Notify(method string, params any) error {
	if method != acpclient.SessionUpdateNotification.Name || !a.SpeaksV2() {
		return a.Conn.Notify(method, params)
	}
	var n object
	if err := json.Unmarshal(encoded(params), &n); err != nil {
		return fmt.Errorf("encode %s: %w", method, err)
	}
	dropped := false
	n["update"] = change(n["update"], func(update object) {
		kind := text(update["sessionUpdate"])
		dropped = kind == "current_mode_update"
		if translate := updatesOfV1[kind]; translate != nil {
			translate(update)
		}
	})
	if dropped {
		return nil
	}
	return a.Conn.Notify(method, n)
}

// Call implements acpclient.Requester. In version 2 the session waits for the user while a
// question is open.
func (a *Agent) Call(ctx context.Context, method string, params, result any) error {
	if method != acpclient.SessionRequestPermission.Name || !a.SpeaksV2() {
		return a.Conn.Call(ctx, method, params, result)
	}
	var session json.RawMessage
	raw := change(encoded(params), func(o object) {
		session = o["sessionId"]
		var call object
		_ = json.Unmarshal(o["toolCall"], &call) // which acpclient has encoded
		delete(o, "toolCall")
		callOfV1(call)
		o["title"] = quoted(text(call["title"]))
		o["subject"] = encoded(map[string]any{"type": "tool_call", "toolCall": call})
	})
	a.asks(text(session), 1)
	defer a.asks(text(session), -1)
	return a.Conn.Call(ctx, method, raw, result)
}

// send sends the state of a session. It ignores errors: they mean that the client is gone.
func (a *Agent) send(session string, u *acpclient.StateUpdate) {
	_ = a.Conn.Notify(acpclient.SessionUpdateNotification.Name, &acpclient.SessionNotification{SessionID: acpclient.SessionID(session), Update: u})
}

// server receives what the client sends.
type server Agent

// HandleNotification implements acpclient.Receiver.
func (s *server) HandleNotification(ctx context.Context, method string, params json.RawMessage) {
	s.agent.HandleNotification(ctx, method, params)
}

// HandleRequest implements acpclient.Receiver.
func (s *server) HandleRequest(ctx context.Context, method string, params json.RawMessage) (any, error) {
	a := (*Agent)(s)
	switch v2 := a.SpeaksV2(); {
	case method == acpclient.Initialize.Name:
		return a.initialize(ctx, params)
	case !v2:
		return a.agent.HandleRequest(ctx, method, params)
	case method == acpclient.SessionPrompt.Name:
		return a.prompt(ctx, params)
	}
	var p struct {
		SessionID  json.RawMessage `json:"sessionId"`
		ReplayFrom *struct {
			Type string `json:"type"`
		} `json:"replayFrom"`
	}
	_ = acpclient.Unmarshal(params, &p) // the agent checks them
	served, known := methodsOfV1[method]
	switch {
	case strings.HasPrefix(method, "_"): // an extension
		return a.agent.HandleRequest(ctx, method, params)
	case !known:
		return nil, acpclient.MethodNotFoundError(method)
	}
	if from := p.ReplayFrom; from != nil && from.Type != "start" {
		return nil, &acpclient.Error{Code: acpclient.CodeInvalidParams, Message: "unknown replay position"}
	} else if from != nil {
		served = acpclient.SessionLoad.Name
	}
	result, err := a.agent.HandleRequest(ctx, served, params)
	if err != nil || result == nil {
		return nil, err
	}
	if method == requests[acpclient.SessionResume.Name].method {
		a.current(text(p.SessionID))
	}
	return change(encoded(result), func(o object) {
		delete(o, "modes")
		renameOptions(Version)(o)
	}), nil
}

// asks counts the open questions, and sends what the session waits for.
func (a *Agent) asks(session string, more int) {
	a.mu.Lock()
	if a.asking[session] += more; a.asking[session] == 0 {
		delete(a.asking, session)
	}
	a.mu.Unlock()
	a.current(session)
}

// current sends whether the agent works in a session, or waits for the user.
func (a *Agent) current(session string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	u := &acpclient.StateUpdate{State: acpclient.WorkIdle}
	switch {
	case a.asking[session] > 0:
		u.State = acpclient.WorkRequiresAction
	case a.working[session] > 0:
		u.State = acpclient.WorkRunning
	}
	a.send(session, u)
}

// prompt answers a prompt when the agent has accepted it, and sends what it comes to as
// states.
func (a *Agent) prompt(ctx context.Context, params json.RawMessage) (any, error) {
	var p struct {
		SessionID json.RawMessage `json:"sessionId"`
		Prompt    json.RawMessage `json:"prompt"`
	}
	if err := acpclient.Unmarshal(params, &p); err != nil {
		return nil, &acpclient.Error{Code: acpclient.CodeInvalidParams, Message: err.Error()}
	}
	a.mu.Lock()
	full := a.working[text(p.SessionID)] >= acpclient.MaxHandlers
	a.mu.Unlock()
	if full {
		return nil, acpclient.ErrTooMany
	}
	accepted, answered, refused := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	begin := sync.OnceFunc(func() {
		a.mu.Lock()
		a.working[text(p.SessionID)]++ // before the client knows of it
		a.mu.Unlock()
		close(accepted)
		<-answered
		a.current(text(p.SessionID))
	})
	id := acpclient.MessageID(fmt.Sprintf("prompt-%d", a.prompts.Add(1)))
	life := context.WithValue(acpclient.OnAsync(a.life, begin), promptKey{}, id)
	go func() {
		result, err := a.agent.HandleRequest(life, acpclient.SessionPrompt.Name, params)
		select {
		case <-accepted:
		default:
			if err != nil {
				refused <- err
				return
			}
			begin()
		}
		end := &acpclient.StateUpdate{State: acpclient.WorkIdle, StopReason: acpclient.StopError}
		if r, ok := result.(*acpclient.PromptResponse); ok && err == nil {
			end.StopReason, end.Usage = r.StopReason, r.Usage
		} else {
			end.Error = &acpclient.Error{Code: acpclient.CodeInternalError, Message: fmt.Sprint(err)}
		}
		a.work(text(p.SessionID), -1, end)
	}()
	select {
	case err := <-refused:
		return nil, err
	case <-accepted:
	}
	acpclient.OnAnswered(ctx, func() { close(answered) })
	update := object{"sessionUpdate": quoted("user_message"), "messageId": quoted(id), "content": p.Prompt}
	_ = a.Conn.Notify(acpclient.SessionUpdateNotification.Name, object{"sessionId": p.SessionID, "update": encoded(update)})
	return object{"messageId": quoted(id)}, nil
}

type promptKey struct{}

// PromptID returns the id of the message of the prompt with this context; "" in version 1.
func PromptID(ctx context.Context) acpclient.MessageID {
	id, _ := ctx.Value(promptKey{}).(acpclient.MessageID)
	return id
}

// Work says that the agent begins to work in a session on what no prompt of this client began, or has
// ended that. In version 1 it says nothing.
func (a *Agent) Work(session acpclient.SessionID, begins bool) {
	if !a.SpeaksV2() {
		return
	}
	if begins {
		a.work(string(session), 1, nil)
	} else {
		a.work(string(session), -1, nil)
	}
}

// work counts what the agent works on: it is running from the first on, and idle after the last. That is
// the end of all the client's prompts, whose last has ended so; nil is not for a prompt.
func (a *Agent) work(session string, more int, end *acpclient.StateUpdate) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.working[session] += more
	if end != nil {
		a.ends[session] = end
	}
	switch now := a.working[session]; {
	case now == 0:
		a.send(session, cmp.Or(a.ends[session], &acpclient.StateUpdate{State: acpclient.WorkIdle}))
		delete(a.working, session)
		delete(a.ends, session)
	case now == 1 && more > 0:
		a.send(session, &acpclient.StateUpdate{State: acpclient.WorkRunning})
	}
}

// initialize agrees on the latest version that the client offers.
func (a *Agent) initialize(ctx context.Context, params json.RawMessage) (any, error) {
	var r struct {
		ProtocolVersion uint16             `json:"protocolVersion"`
		Capabilities    ClientCapabilities `json:"capabilities"`
	}
	_ = acpclient.Unmarshal(params, &r) // the agent checks it
	if r.ProtocolVersion < Version {
		a.speak(false)
		return a.agent.HandleRequest(ctx, acpclient.Initialize.Name, params)
	}
	supported := &acpclient.Supported{}
	offered := acpclient.ClientCapabilities{
		Elicitation: r.Capabilities.Elicitation, Meta: r.Capabilities.Meta,
		Auth: acpclient.AuthCapabilities{Terminal: r.Capabilities.Auth.Terminal != nil},
		Session: &acpclient.ClientSessionCapabilities{
			Notices: supported, Compaction: supported, ConfigOptions: &acpclient.SessionConfigOptionsCapabilities{Boolean: supported},
		},
	}
	result, err := a.agent.HandleRequest(ctx, acpclient.Initialize.Name, change(params, func(o object) { o["clientCapabilities"] = encoded(offered) }))
	if err != nil {
		return nil, err
	}
	a.speak(true)
	return change(encoded(result), infoOfV1), nil
}

// updatesOfV1 translate the updates that version 2 spells differently.
var updatesOfV1 = map[string]func(object){
	"tool_call":            callOfV1,
	"tool_call_update":     callOfV1,
	"config_option_update": renameOptions(Version),
	"plan": func(update object) {
		plan := object{"type": quoted("items"), "planId": quoted("plan"), "entries": update["entries"]}
		delete(update, "entries")
		update["sessionUpdate"], update["plan"] = quoted("plan_update"), encoded(plan)
	},
	"available_commands_update": func(update object) {
		each(update, "availableCommands", func(command object) {
			command["type"] = quoted("command")
			command["input"] = change(command["input"], func(input object) { input["type"] = quoted("text") })
			if command["input"] == nil {
				delete(command, "input")
			}
		})
	},
}

// callOfV1 translates a tool call or an update of one.
func callOfV1(call object) {
	if call["sessionUpdate"] != nil {
		call["sessionUpdate"] = quoted("tool_call_update")
	}
	each(call, "content", func(item object) {
		switch text(item["type"]) {
		case "diff":
			patchOf(item)
		case "text": // a block that is not wrapped
			block := encoded(item)
			clear(item)
			item["type"], item["content"] = quoted("content"), block
		}
	})
}

// patchOf turns a diff of two texts into a patch.
func patchOf(item object) {
	path, from, operation := text(item["path"]), text(item["path"]), acpclient.FileModify
	if !supported(item["oldText"]) {
		from, operation = "/dev/null", acpclient.FileAdd
	}
	patch := "diff --git " + path + " " + path + "\n" + udiff.Unified(from, path, text(item["oldText"]), text(item["newText"]))
	clear(item)
	item["type"] = quoted("diff")
	item["changes"] = encoded([]any{map[string]any{"operation": operation, "path": path, "fileType": "text"}})
	item["patch"] = encoded(map[string]string{"format": GitPatch, "text": patch})
}
