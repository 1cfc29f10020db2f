package doctor

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/acpclient"
)

// advertised reports whether the capability at a path is true or an object.
func advertised(capabilities json.RawMessage, path string) bool {
	for name := range strings.SplitSeq(path, ".") {
		var in map[string]json.RawMessage
		if json.Unmarshal(capabilities, &in) != nil {
			return false
		}
		capabilities = in[name]
	}
	return string(capabilities) == "true" || bytes.HasPrefix(capabilities, []byte("{"))
}

// hello returns the params of initialize. It advertises nothing, so any use of a client
// capability is a deviation. An offer of version 2 has the fields of both versions, because
// the agent chooses between them.
func (e *exam) hello(version int) map[string]any {
	info := map[string]any{"name": "parley-doctor", "title": "parley doctor", "version": e.opt.Version}
	params := map[string]any{"protocolVersion": version, "clientCapabilities": map[string]any{}, "clientInfo": info}
	if version > 1 {
		params["info"], params["capabilities"] = info, map[string]any{}
	}
	return params
}

// protocolVersion returns the version in the answer to initialize, or "".
func protocolVersion(a answer) string {
	var result struct {
		Version json.Number `json:"protocolVersion"`
	}
	_ = json.Unmarshal(a.result, &result)
	return result.Version.String()
}

// initialize initializes the connection. It returns false if the exam cannot go on.
func (e *exam) initialize() bool {
	a := e.call("initialize", e.hello(e.offer))
	if e.refused = e.offer > newestWithoutOffer && e.ctx.Err() == nil && (a.message == nil || a.err != nil); e.refused {
		why := "got no response"
		if a.err != nil {
			why = "failed: " + a.err.Error()
		}
		e.referee.finds(ruleVersion, a.message, "Offering version %d %s. The rest was tested with version %d", e.offer, why, newestWithoutOffer)
		return false
	}
	switch {
	case a.message == nil && e.ctx.Err() != nil:
		e.report.fail("the test was interrupted")
		return false
	case a.message == nil && e.gone && e.listens():
		e.report.fail("%v", e.agent.Err())
		return false
	case a.message == nil && e.gone:
		e.report.fail("the agent exited before it responded to initialize")
		return false
	case a.message == nil:
		e.report.fail("the agent did not respond to initialize within %v", e.opt.Timeout)
		return false
	case a.err != nil:
		e.referee.finds(ruleInitialize, a.message, "initialize returned an error: %s", a.err)
		e.report.fail("initialize returned an error: %s", a.err)
		return false
	}
	e.report.timing("start to initialize", a.message.at.Sub(e.began))
	e.introduced(a)
	version, err := json.Number(protocolVersion(a)).Int64()
	if err == nil {
		e.report.ProtocolVersion, e.report.ProtocolOffered = int(version), e.offer
	}
	if err != nil || version < 1 || version > int64(e.offer) {
		e.referee.finds(ruleVersion, a.message, "Offered version %d, the agent chose version %s", e.offer, cmp.Or(protocolVersion(a), "missing"))
		e.report.fail("the agent does not speak version %d of the protocol", e.offer)
		return false
	}
	return true
}

// introduced records the agent's name, capabilities and sign-in methods. It ignores
// malformed fields, which the schema check reports.
func (e *exam) introduced(a answer) {
	d := e.referee.dialect
	var result map[string]json.RawMessage
	_ = json.Unmarshal(a.result, &result)

	e.can = map[string]bool{}
	for _, method := range d.always {
		e.can[method] = true
	}
	for _, o := range d.offers {
		offered := advertised(result[d.capabilities], o.capability)
		e.report.Capabilities = append(e.report.Capabilities, Capability{o.capability, offered})
		for _, method := range o.methods {
			e.can[method] = offered
		}
	}

	var info *struct{ Name, Title, Version string }
	_ = json.Unmarshal(result[d.info], &info)
	if info == nil {
		e.referee.finds(ruleAgentInfo, a.message, "The response to initialize has no agent info")
	} else {
		if info.Name == "" || info.Version == "" {
			e.referee.finds(ruleAgentInfo, a.message, "The agent's name or version is empty")
		}
		e.report.Agent.Name, e.report.Agent.Title, e.report.Agent.Version = words(info.Name), words(info.Title), words(info.Version)
	}

	var methods []struct {
		IDV1 string `json:"id"`
		IDV2 string `json:"methodId"`
		Name string `json:"name"`
		Type string `json:"type"`
	}
	_ = json.Unmarshal(result["authMethods"], &methods)
	var names []string
	for _, method := range methods {
		id := cmp.Or(method.IDV2, method.IDV1)
		names = append(names, id)
		e.report.SignIn = append(e.report.SignIn, words(method.Name))
		if method.Type == "terminal" {
			e.referee.finds(ruleAuthTerm, a.message, "The sign-in method %q is of type terminal, but the client did not advertise auth.terminal", words(id))
		}
	}
	if id, found := twice(names); found {
		e.referee.finds(ruleAuthMethods, a.message, "Two sign-in methods have the id %q", words(id))
	}
	if len(methods) > 0 {
		if e.can[d.logout] {
			e.report.untried(d.logout + ": it would sign you out")
		}
		e.report.untried(d.login + ": it needs you")
	}
}

// unknown calls unknown methods.
func (e *exam) unknown() {
	for _, method := range []string{"_parley/unknown", "parley/unknown"} {
		a := e.call(method, struct{}{})
		if a.message == nil {
			e.deaf = true
			return
		}
		e.mustRefuse(a, ruleUnknown, 0, "The unknown method %s returned a result", method)
		if a.err != nil {
			e.mustRefuse(a, ruleUnknownCode, acpclient.CodeMethodNotFound, "")
		}
	}
	e.referee.notified = true
	e.notify("_parley/unknown", struct{}{})
	e.notify("parley/unknown", struct{}{})
	e.notify("$/cancel_request", map[string]any{"requestId": "parley-never-sent"})
	e.fence()
	e.referee.notified = false
}

// maxSafe is the largest integer that JavaScript represents exactly.
const maxSafe = 1<<53 - 1

// idRule returns the rule that a wrong response to a request breaks: broken, or a note if
// the id is an integer that JavaScript cannot represent.
func idRule(id string, broken *Rule) *Rule {
	if n, err := strconv.ParseInt(id, 10, 64); err == nil && (n > maxSafe || n < -maxSafe) {
		return ruleIDPrecision
	}
	return broken
}

// ids sends requests with ids of all kinds, for an unknown method, so that only the id
// matters.
func (e *exam) ids() {
	if e.deaf {
		e.report.untried("request ids of every type: the agent does not respond to unknown methods")
		return
	}
	ids := []any{"parley", "7", "", json.RawMessage(`"\u00e9\ud83d\ude00\u2028"`), -1, maxSafe, math.MaxInt64, "parley-" + strings.Repeat("0123456789abcdef", 4<<10)}
	var asked []*request
	for _, id := range ids {
		if e.stopped() {
			return
		}
		raw, _ := json.Marshal(id)
		e.requestAs(raw, "_parley/id", struct{}{})
		// The response may have another id, so wait for that of the next request.
		if e.wait(e.request("_parley/fence", struct{}{})) == nil {
			e.unanswered++
		}
		asked = append(asked, e.referee.sent[key(raw)])
	}
	// An agent may answer in any order: the answer to a later request proves nothing.
	unanswered := func(q *request) bool { return !q.answered }
	if !e.until(e.opt.Timeout, func() bool { return !slices.ContainsFunc(asked, unanswered) }) && !e.lost() {
		for _, q := range asked {
			if unanswered(q) {
				e.referee.finds(idRule(q.id, ruleNoAnswer), nil, "The request with the id %s (line %d) got no response within %v", short(q.id, 40), q.line, e.opt.Timeout)
			}
		}
	}
	malformed := []string{`{}`, `[1]`, `true`, `1.5`}
	e.referee.malformed += len(malformed)
	for _, id := range malformed {
		e.requestAs(json.RawMessage(id), "_parley/id", struct{}{})
	}
	e.fence()
	for _, id := range malformed {
		if q := e.referee.sent[id]; q.answered && !q.failed {
			e.referee.finds(ruleMalformedID, nil, "The request with the id %s (line %d) got a result", id, q.line)
		}
	}
}

// tooNew is a version that does not exist.
const tooNew = 65535

// examineAgain does the last run of the agent: it offers a nonexistent version and sends
// malformed lines.
func (e *exam) examineAgain() {
	if err := e.start(); err != nil {
		e.report.Why = short(e.opt.Clean(fmt.Sprintf("the agent did not start a second time: %v", err)), 300)
		return
	}
	defer e.endQuietly()
	if e.report.has(ruleVersion) { // the first run found this rule broken
		e.call("initialize", e.hello(e.offer))
	} else {
		e.say("an unsupported protocol version")
		e.askTooNew()
	}
	if e.stopped() {
		return
	}
	if e.opt.Unordered {
		e.report.untried("the order of responses and updates: they arrive on separate streams")
	}
	if e.listens() { // the transport may end the connection
		e.report.untried("malformed lines: the agent listens on the network")
		return
	}
	e.say("malformed lines")
	e.referee.malformed = 3
	e.send([]byte(`{"jsonrpc": "2.0", "method": "parley/`))
	e.send([]byte(`not JSON at all`))
	e.send([]byte(`{"jsonrpc": "2.0"}`))
	if e.wait(e.request("_parley/fence", struct{}{})) == nil && !e.full && e.ctx.Err() == nil && !e.report.has(ruleNoAnswer) {
		e.referee.finds(ruleMalformed, nil, "In a second run: the agent stopped responding after a malformed line (line %d)", e.line-1)
	}
}

// askTooNew offers a version that does not exist. The agent should answer with the newest
// that it supports.
func (e *exam) askTooNew() {
	a := e.call("initialize", e.hello(tooNew))
	page := dialectOf(e.report.ProtocolVersion).page(ruleVersion)
	switch v := protocolVersion(a); {
	case a.message == nil:
	case a.err != nil:
		e.referee.findsOn(page, ruleVersion, a.message, "In a second run: offering version %d returned an error: %s", tooNew, a.err)
	case v == fmt.Sprint(tooNew) || v == "":
		e.referee.findsOn(page, ruleVersion, a.message, "In a second run: offered version %d, the agent chose version %s", tooNew, cmp.Or(v, "missing"))
	case e.offer > newestWithoutOffer && v != fmt.Sprint(e.report.ProtocolVersion):
		e.referee.findsOn(page, ruleVersion, a.message, "In a second run: offered version %d, the agent chose version %s; offered version %d, it chose version %d",
			tooNew, words(v), e.offer, e.report.ProtocolVersion)
	}
}

// endQuietly ends the agent of the second run without checking how it ends.
func (e *exam) endQuietly() {
	e.ending = true
	close(e.out)
	if !e.gone {
		e.until(time.Second, func() bool { return e.gone })
	}
	e.stop()
}
