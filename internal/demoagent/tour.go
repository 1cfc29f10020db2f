// Package demoagent is parley's built-in agent, the tour: an agent without a model that shows a
// newcomer around, with real tool calls on a sample project. It speaks versions 1 and 2 of ACP
// over stdio, and needs no account and no other agent. Its texts and actions are in scenes
// (scenes/*.scene): scripts with the verbs of this package. A slash command plays the scene of
// its name.
package demoagent

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/adrg/xdg"
	"github.com/aymanbagabas/go-udiff"

	"parley/acpclient"
	v2 "parley/acpclient/v2"
	"parley/internal/conversation"
)

// Options say how to run the tour.
type Options struct {
	// StateDir is the directory of the sessions.
	StateDir string
	// Delay multiplies the pauses: 1 is normal, 0 is none.
	Delay float64
	// RequireAuth makes the user sign in first, to a fictitious account.
	RequireAuth bool
}

// The environment that OptionsFromEnv reads.
const (
	envSpeed = "PARLEY_DEMO_SPEED"
	envAuth  = "PARLEY_DEMO_AUTH"
)

// OptionsFromEnv reads the options from the environment: PARLEY_DEMO_SPEED is Delay,
// PARLEY_DEMO_AUTH=required is RequireAuth. Sessions are in the user's state directory.
func OptionsFromEnv() Options {
	opt := Options{StateDir: filepath.Join(xdg.StateHome, "parley", "demo"), Delay: 1, RequireAuth: os.Getenv(envAuth) == "required"}
	if d, err := strconv.ParseFloat(os.Getenv(envSpeed), 64); err == nil && d >= 0 {
		opt.Delay = d
	}
	return opt
}

// Run serves one client until in ends, ctx ends, or the user asks for a crash, and returns the
// exit code. A pending read of in continues until in ends.
func Run(ctx context.Context, in io.Reader, out, stderr io.Writer, opt Options) int {
	a := &agent{
		opt: opt, store: store{opt.StateDir}, stderr: stderr,
		crashed: make(chan struct{}), ready: make(chan struct{}),
		sessions: map[acpclient.SessionID]*session{},
	}
	a.life, a.die = context.WithCancel(context.Background())
	a.conn = acpclient.NewConn(acpclient.NewLines(in, out), a, acpclient.ConnOptions{})
	close(a.ready)
	defer a.end()
	select {
	case <-a.conn.Done():
		return 0
	case <-ctx.Done():
		return 0
	case <-a.crashed:
		return 1
	}
}

// SignIn pretends to sign in, for a client that runs the agent with signInFlag.
func SignIn(out io.Writer, opt Options) error {
	err := store{opt.StateDir}.signIn()
	if err == nil {
		_, err = fmt.Fprintln(out, "You are signed in to the tour. It is only pretend: there is no account.")
	}
	return err
}

// agent is one run of the tour: the connection and the sessions that are open on it.
type agent struct {
	opt    Options
	store  store
	stderr io.Writer
	conn   *acpclient.Conn
	ready  chan struct{}   // closed when conn is set
	life   context.Context // of turns in version 2, which outlive their request
	die    context.CancelFunc

	crash   sync.Once
	crashed chan struct{}

	mu       sync.Mutex
	ending   bool                          // no more requests are accepted
	requests sync.WaitGroup                // those being answered; added to with mu held
	client   *acpclient.ClientCapabilities // nil before initialize
	v2       bool                          // version 2 was agreed on
	sessions map[acpclient.SessionID]*session
}

// HandleNotification implements acpclient.Receiver.
func (a *agent) HandleNotification(_ context.Context, method string, params json.RawMessage) {
	var n acpclient.CancelNotification // a skip has the same fields
	if acpclient.Unmarshal(params, &n) != nil {
		return
	}
	switch s := a.session(n.SessionID); {
	case s == nil:
	case method == acpclient.SessionCancel.Name:
		s.cancelTurn()
	case method == conversation.SkipAhead:
		s.skipAhead()
	}
}

// method answers the requests of a method.
type method struct {
	answer func(a *agent, ctx context.Context, params json.RawMessage) (any, error)
	signed bool // the user must have signed in
}

// answers decodes the params of a request for the function that answers it.
func answers[P any](answer func(*agent, context.Context, *P) (any, error)) method {
	return method{answer: func(a *agent, ctx context.Context, params json.RawMessage) (any, error) {
		p := new(P)
		if err := acpclient.Unmarshal(params, p); err != nil {
			return nil, invalid("%v", err)
		}
		return answer(a, ctx, p)
	}}
}

func signed(m method) method { m.signed = true; return m }

// The methods of each version.
var (
	methodsOfBoth = map[string]method{
		"session/new":               signed(answers((*agent).newSession)),
		"session/list":              signed(answers((*agent).listSessions)),
		"session/resume":            signed(answers((*agent).resumeSession)),
		"session/prompt":            signed(answers((*agent).prompt)),
		"session/close":             answers((*agent).closeSession),
		"session/delete":            answers((*agent).deleteSession),
		"session/set_config_option": answers((*agent).setConfigOption),
	}
	methodsOfV1 = map[string]method{
		"authenticate":     answers((*agent).authenticate),
		"logout":           answers((*agent).logout),
		"session/load":     signed(answers((*agent).loadSession)),
		"session/set_mode": answers((*agent).setMode),
	}
	methodsOfV2 = map[string]method{
		"auth/login":  answers((*agent).authenticate),
		"auth/logout": answers((*agent).logout),
	}
)

// HandleRequest implements acpclient.Receiver.
func (a *agent) HandleRequest(ctx context.Context, name string, params json.RawMessage) (any, error) {
	<-a.ready
	if !a.begin() {
		return nil, acpclient.ErrClosed
	}
	defer a.requests.Done()
	if name == acpclient.Initialize.Name {
		return answers((*agent).initialize).answer(a, ctx, params)
	}
	if a.capabilities() == nil {
		return nil, &acpclient.Error{Code: acpclient.CodeInvalidRequest, Message: "initialize comes first"}
	}
	m, known := methodsOfBoth[name]
	if own := methodsOfV1; !known {
		if a.speaksV2() {
			own = methodsOfV2
		}
		m, known = own[name]
	}
	switch {
	case !known:
		return nil, &acpclient.Error{Code: acpclient.CodeMethodNotFound, Message: "Method not found"}
	case m.signed && a.opt.RequireAuth && !a.store.signedIn():
		return nil, &acpclient.Error{Code: acpclient.CodeAuthRequired, Message: "Authentication required"}
	}
	return m.answer(a, ctx, params)
}

// begin counts a request as running, unless the agent is about to end.
func (a *agent) begin() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.ending {
		a.requests.Add(1)
	}
	return !a.ending
}

// end cancels what runs and waits for it.
func (a *agent) end() {
	a.conn.Close()
	a.die()
	a.mu.Lock()
	a.ending = true
	a.mu.Unlock()
	a.requests.Wait()
}

// The ways to sign in, where it is required.
const (
	authPretend  acpclient.AuthMethodID = "pretend"
	authTerminal acpclient.AuthMethodID = "pretend-in-terminal"
)

// signInFlag makes the agent's program sign in.
const signInFlag = "--sign-in"

// initializeRequest has the fields of both versions.
type initializeRequest struct {
	ProtocolVersion    uint16                       `json:"protocolVersion"`
	ClientCapabilities acpclient.ClientCapabilities `json:"clientCapabilities"`
	Capabilities       v2.ClientCapabilities        `json:"capabilities"`
}

// initialize agrees on a version. initialize.json has the capabilities of each.
func (a *agent) initialize(_ context.Context, r *initializeRequest) (any, error) {
	client, version, method := &r.ClientCapabilities, "1", "id"
	if r.ProtocolVersion >= v2.Version {
		yes := &acpclient.Supported{}
		client = &acpclient.ClientCapabilities{Elicitation: r.Capabilities.Elicitation, Session: &acpclient.ClientSessionCapabilities{
			Notices: yes, Compaction: yes, ConfigOptions: &acpclient.SessionConfigOptionsCapabilities{Boolean: yes},
		}}
		client.Auth.Terminal = r.Capabilities.Auth.Terminal != nil
		version, method = "2", "methodId"
	}
	a.mu.Lock()
	a.client, a.v2 = client, version == "2"
	a.mu.Unlock()
	res := decoded[map[string]object]("initialize.json")[version]
	if !a.opt.RequireAuth {
		return res, nil
	}
	if version == "1" {
		res["agentCapabilities"].(object)["auth"] = object{"logout": object{}}
	}
	methods := []object{{method: authPretend, "type": "agent", "name": "Pretend to sign in", "description": "Needs no account and no network"}}
	if client.Auth.Terminal {
		methods = append(methods, object{
			method: authTerminal, "type": "terminal", "name": "Pretend to sign in, in a terminal",
			"description": "Runs a small program that signs you in", "args": []string{signInFlag},
		})
	}
	res["authMethods"] = methods
	return res, nil
}

func (a *agent) authenticate(_ context.Context, r *acpclient.AuthenticateRequest) (any, error) {
	if r.MethodID != authPretend { // the program does the other one
		return nil, invalid("unknown sign-in method %q", r.MethodID)
	}
	return struct{}{}, a.store.signIn()
}

func (a *agent) logout(context.Context, *struct{}) (any, error) {
	return struct{}{}, a.store.signOut()
}

func invalid(format string, args ...any) error {
	return &acpclient.Error{Code: acpclient.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}

// capabilities returns the client's capabilities; nil before initialize.
func (a *agent) capabilities() *acpclient.ClientCapabilities {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.client
}

// speaksV2 reports whether version 2 was agreed on.
func (a *agent) speaksV2() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.v2
}

func (a *agent) session(id acpclient.SessionID) *session {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.sessions[id]
}

// openSession returns an open session, or an error.
func (a *agent) openSession(id acpclient.SessionID) (*session, error) {
	if s := a.session(id); s != nil {
		return s, nil
	}
	return nil, noSession(id)
}

func noSession(id acpclient.SessionID) error {
	return acpclient.NotFoundError("session " + string(id))
}

// The tour is written for version 1 of the protocol. This file translates its messages
// for a client that speaks version 2.

type object = map[string]any

// updateV2 translates an update. It returns nil if version 2 has no such update.
func updateV2(u object) object {
	switch u["sessionUpdate"] {
	case "agent_message_chunk":
		if u["messageId"] == nil { // the greeting
			u["messageId"] = "banner"
		}
	case "current_mode_update":
		return nil
	case "tool_call", "tool_call_update":
		u["sessionUpdate"] = "tool_call_update"
		return toolCallV2(u)
	case "plan":
		return object{"sessionUpdate": "plan_update", "plan": object{"type": "items", "planId": "plan", "entries": u["entries"]}}
	case "config_option_update":
		u["configOptions"] = optionsV2(u["configOptions"])
	case "available_commands_update":
		for _, c := range objects(u["availableCommands"]) {
			c["type"] = "command"
			if input, ok := c["input"].(object); ok {
				input["type"] = "text"
			}
		}
	}
	return u
}

// toolCallV2 translates the content of a tool call, in place.
func toolCallV2(call object) object {
	content, _ := call["content"].([]any)
	for i, item := range content {
		switch item := item.(object); item["type"] {
		case "diff":
			before, had := item["oldText"].(string)
			operation, from, path := acpclient.FileModify, item["path"].(string), item["path"].(string)
			if !had {
				operation, from = acpclient.FileAdd, "/dev/null"
			}
			content[i] = object{
				"type":    "diff",
				"changes": []object{{"operation": operation, "path": path, "fileType": "text"}},
				"patch":   object{"format": v2.GitPatch, "text": "diff --git " + path + " " + path + "\n" + udiff.Unified(from, path, before, item["newText"].(string))},
			}
		case "text": // a block that is not wrapped
			content[i] = object{"type": "content", "content": item}
		}
	}
	return call
}

// optionsV2 translates config options, in place.
func optionsV2(options any) any {
	for _, o := range objects(options) {
		o["configId"] = o["id"]
		delete(o, "id")
		for _, group := range objects(o["options"]) {
			if id, ok := group["group"]; ok {
				group["groupId"] = id
				delete(group, "group")
			}
		}
	}
	return options
}

func objects(list any) (out []object) {
	all, _ := list.([]any)
	for _, item := range all {
		out = append(out, item.(object))
	}
	return out
}

// untyped returns a value as decoded JSON.
func untyped(v any) (out any) {
	raw, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil { // cannot happen: the tour makes them all
		panic(err)
	}
	return out
}
