package doctor

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// capabilities are those of the agent that the doctor acts on.
type capabilities struct {
	Load   bool `json:"loadSession"`
	Prompt struct {
		Image    bool `json:"image"`
		Audio    bool `json:"audio"`
		Embedded bool `json:"embeddedContext"`
	} `json:"promptCapabilities"`
	MCP struct {
		HTTP bool `json:"http"`
		SSE  bool `json:"sse"`
	} `json:"mcpCapabilities"`
	Session map[string]json.RawMessage `json:"sessionCapabilities"`
	Auth    map[string]json.RawMessage `json:"auth"`
}

// has reports whether something is advertised by an object that is there.
func has(in map[string]json.RawMessage, name string) bool {
	v, ok := in[name]
	return ok && string(v) != "null"
}

func (c *capabilities) table() []Capability {
	out := []Capability{
		{"loadSession", c.Load},
	}
	for _, name := range []string{"list", "resume", "close", "delete", "fork", "additionalDirectories"} {
		out = append(out, Capability{"sessionCapabilities." + name, has(c.Session, name)})
	}
	return append(
		out,
		Capability{"promptCapabilities.image", c.Prompt.Image},
		Capability{"promptCapabilities.audio", c.Prompt.Audio},
		Capability{"promptCapabilities.embeddedContext", c.Prompt.Embedded},
		Capability{"mcpCapabilities.http", c.MCP.HTTP},
		Capability{"mcpCapabilities.sse", c.MCP.SSE},
		Capability{"auth.logout", has(c.Auth, "logout")},
	)
}

// hello are the params of initialize. Nothing is advertised, so whatever the agent uses
// of a client is a deviation. An offer of a later version has the fields of both, for the
// connection goes on with the one that the agent answers with.
func (e *exam) hello(version int) map[string]any {
	info := map[string]any{"name": "parley-doctor", "title": "parley doctor", "version": e.opt.Version}
	params := map[string]any{"protocolVersion": version, "clientCapabilities": map[string]any{}, "clientInfo": info}
	if version > 1 {
		params["info"], params["capabilities"] = info, map[string]any{}
	}
	return params
}

// welcome is the answer to initialize.
type welcome struct {
	Version      json.Number     `json:"protocolVersion"`
	Capabilities json.RawMessage `json:"agentCapabilities"`
	Info         *info           `json:"agentInfo"`
	Methods      []struct {
		IDV1 string `json:"id"`
		IDV2 string `json:"methodId"`
		Name string `json:"name"`
		Type string `json:"type"`
	} `json:"authMethods"`
	// CapabilitiesV2 and InfoV2 are what version 2 has in the place of the two above.
	CapabilitiesV2 capabilitiesV2 `json:"capabilities"`
	InfoV2         *info          `json:"info"`
}

// info is what an agent says of itself.
type info struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Version string `json:"version"`
}

// initialize begins the connection. Without that there is nothing to examine.
func (e *exam) initialize() bool {
	a := e.call("initialize", e.hello(e.offer))
	if e.refused = e.offer > newestWithoutOffer && e.ctx.Err() == nil && (a.message == nil || a.err != nil); e.refused {
		why := "is not answered"
		if a.err != nil {
			why = "is answered with an error: " + a.err.String()
		}
		e.referee.finds(ruleVersion, a.message, "The offer of version %d %s. It was examined with version %d", e.offer, why, newestWithoutOffer)
		return false
	}
	switch {
	case a.message == nil && e.ctx.Err() != nil:
		e.report.fail("the examination was interrupted")
		return false
	case a.message == nil && e.gone && e.agent.listens():
		e.report.fail("%v", e.agent.Lost())
		return false
	case a.message == nil && e.gone:
		e.report.fail("the agent has ended before it answered initialize")
		return false
	case a.message == nil:
		e.report.fail("the agent has not answered initialize within %v", e.opt.Timeout)
		return false
	case a.err != nil:
		e.referee.finds(ruleInitialize, a.message, "initialize is answered with an error: %s", a.err)
		e.report.fail("initialize was answered with an error: %s", a.err)
		return false
	}
	e.report.timing("start to initialize", a.message.at.Sub(e.began))
	var w welcome
	_ = json.Unmarshal(a.result, &w) // what does not fit breaks the schema
	_ = json.Unmarshal(w.Capabilities, &e.caps)
	if e.referee.dialect == v2 {
		w.Info, e.caps = w.InfoV2, w.CapabilitiesV2.asV1()
	}
	e.introduced(a.message, &w)
	n, err := w.Version.Int64()
	if err != nil || n < 1 || n > int64(e.offer) {
		e.referee.finds(ruleVersion, a.message, "The agent was asked for version %d, and speaks version %s", e.offer, orMissing(w.Version.String()))
		e.report.fail("the agent does not speak version %d of the protocol", e.offer)
		return false
	}
	return true
}

// introduced takes what the agent says of itself.
func (e *exam) introduced(m *message, w *welcome) {
	if n, err := w.Version.Int64(); err == nil {
		e.report.ProtocolVersion, e.report.ProtocolOffered = int(n), e.offer
	}
	e.report.Capabilities = e.caps.table()
	if e.referee.dialect == v2 {
		e.report.Capabilities = w.CapabilitiesV2.table()
	}
	switch {
	case w.Info == nil:
		e.referee.finds(ruleAgentInfo, m, "The answer to initialize does not say which agent it is from")
	case w.Info.Name == "" || w.Info.Version == "":
		e.referee.finds(ruleAgentInfo, m, "The name or the version of the agent is empty")
	}
	if w.Info != nil {
		e.report.Agent.Name, e.report.Agent.Title, e.report.Agent.Version = words(w.Info.Name), words(w.Info.Title), words(w.Info.Version)
	}
	e.signIn(m, w)
}

// signIn takes the ways to sign in.
func (e *exam) signIn(m *message, w *welcome) {
	login, logout := "authenticate", "logout"
	if e.referee.dialect == v2 {
		login, logout = "auth/login", "auth/logout"
	}
	var names []string
	for _, method := range w.Methods {
		id := cmp.Or(method.IDV2, method.IDV1)
		names = append(names, id)
		e.report.SignIn = append(e.report.SignIn, words(method.Name))
		if method.Type == "terminal" {
			e.referee.finds(ruleAuthTerm, m, "The method %q to sign in is of type terminal, and the client has not advertised auth.terminal", words(id))
		}
	}
	if id, found := twice(names); found {
		e.referee.finds(ruleAuthMethods, m, "Two methods to sign in have the id %q", words(id))
	}
	if has(e.caps.Auth, "logout") || e.referee.dialect == v2 && len(w.Methods) > 0 {
		e.report.untried(logout + ": it would sign you out")
	}
	if len(w.Methods) > 0 {
		e.report.untried(login + ": it needs you")
	}
}

// unknown calls what nobody knows.
func (e *exam) unknown() {
	for _, method := range []string{"_parley/unknown", "parley/unknown"} {
		a := e.call(method, struct{}{})
		switch {
		case a.message == nil:
			e.deaf = true
			return
		case a.err == nil:
			e.referee.finds(ruleUnknown, a.message, "The unknown method %s is answered with a result", method)
		case a.err.Code.String() != codeMethodNotFound:
			e.referee.finds(ruleUnknownCode, a.message, "The unknown method %s is refused with %s", method, a.err)
		}
	}
	e.referee.notified = true
	e.notify("_parley/unknown", struct{}{})
	e.notify("parley/unknown", struct{}{})
	e.notify("$/cancel_request", map[string]any{"requestId": "parley-never-sent"})
	e.fence()
	e.referee.notified = false
}

// ids sends requests with ids of all kinds. They are of a method that nobody knows, so
// that it is only the id that counts.
func (e *exam) ids() {
	if e.deaf {
		e.report.untried("ids of all kinds: requests of unknown methods are not answered")
		return
	}
	long, _ := json.Marshal("parley-" + strings.Repeat("0123456789abcdef", 4<<10))
	for _, id := range []json.RawMessage{
		json.RawMessage(`"parley"`), json.RawMessage(`"7"`), json.RawMessage(`""`), json.RawMessage(`"\u00e9\ud83d\ude00\u2028"`),
		number(-1), number(maxSafe), number(maxID), long,
	} {
		if e.stopped() {
			return
		}
		e.requestAs(id, "_parley/id", struct{}{})
		// What comes with another id may be the answer. It is not one to wait for.
		fence := e.request("_parley/fence", struct{}{})
		if e.wait(fence, e.opt.Timeout) == nil {
			e.unanswered++
		}
		if q := e.referee.sent[key(id)]; !q.answered {
			q.late = true
			e.referee.finds(ruleIDPrecision, nil, "A request with the id %s (line %d) is not answered", short(string(id), 40), q.line)
		}
	}
	malformed := []string{`{}`, `[1]`, `true`, `1.5`}
	e.referee.malformed += len(malformed)
	for _, id := range malformed {
		e.requestAs(json.RawMessage(id), "_parley/id", struct{}{})
	}
	e.fence()
	for _, id := range malformed {
		if q := e.referee.sent[key(json.RawMessage(id))]; q.answered && !q.failed {
			e.referee.finds(ruleMalformedID, nil, "A request with the id %s (line %d) gets a result", id, q.line)
		}
		e.referee.sent[key(json.RawMessage(id))].late = true
	}
}

// initializeAgain calls initialize a second time, which must not confuse the agent.
func (e *exam) initializeAgain() {
	e.call("initialize", e.hello(e.offer))
	e.fence()
}

// tooNew is a version that nobody speaks.
const tooNew = 65535

// examineAgain is the last run of the agent: it is asked for a version that nobody speaks,
// and sent a line that is no message.
func (e *exam) examineAgain() {
	if err := e.start(); err != nil {
		e.report.Why = short(fmt.Sprintf("the agent could not be started a second time: %v", err), 300)
		return
	}
	defer e.endQuietly()
	if e.report.has(ruleVersion) { // how it takes an offer is known
		e.call("initialize", e.hello(e.offer))
	} else {
		e.say("a version that nobody speaks")
		e.askTooNew()
	}
	if e.stopped() {
		return
	}
	if e.agent.Unordered {
		e.report.NotTried = append(e.report.NotTried, "whether answers and updates come in order: they come on streams of their own")
	}
	if e.agent.listens() { // what carries the messages may end the connection then
		e.report.NotTried = append(e.report.NotTried, "a line that is no message: the agent listens on the network")
		return
	}
	e.say("a line that is no message")
	e.referee.malformed = 3
	e.send([]byte(`{"jsonrpc": "2.0", "method": "parley/`))
	e.send([]byte(`not JSON at all`))
	e.send([]byte(`{"jsonrpc": "2.0"}`))
	id := e.request("_parley/fence", struct{}{})
	if e.wait(id, e.opt.Timeout) == nil && e.ctx.Err() == nil && !e.report.has(ruleNoAnswer) {
		e.referee.finds(ruleMalformed, nil, "In a second run: the agent answers nothing any more after a line that is no message (line %d)", e.line-1)
	}
}

// askTooNew asks for a version that nobody speaks: the answer is the newest that the agent
// does.
func (e *exam) askTooNew() {
	a := e.call("initialize", e.hello(tooNew))
	if a.message == nil {
		return
	}
	var w welcome
	_ = json.Unmarshal(a.result, &w)
	page := dialectOf(e.report.ProtocolVersion).page(ruleVersion)
	switch v := w.Version.String(); {
	case a.err != nil:
		e.referee.findsOn(page, ruleVersion, a.message, "In a second run: version %d is answered with an error: %s", tooNew, a.err)
	case v == fmt.Sprint(tooNew) || v == "":
		e.referee.findsOn(page, ruleVersion, a.message, "In a second run: version %d is answered with version %s", tooNew, orMissing(v))
	case e.offer > newestWithoutOffer && v != fmt.Sprint(e.report.ProtocolVersion):
		e.referee.findsOn(page, ruleVersion, a.message, "In a second run: version %d is answered with version %s, and version %d with version %d",
			tooNew, words(v), e.offer, e.report.ProtocolVersion)
	}
}

// endQuietly ends the agent of the second run: how it ends is known of the first.
func (e *exam) endQuietly() {
	e.ending = true
	close(e.out)
	if !e.gone {
		e.until(time.Second, func() bool { return e.gone })
	}
	close(e.quit)
	e.agent.Stop(e.ctx)
}
