package doctor

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"parley/acpclient"
)

// setup returns the params that open a session.
func (e *exam) setup(id string) map[string]any {
	p := map[string]any{"cwd": e.opt.Cwd, "mcpServers": []any{}}
	if id != "" {
		p["sessionId"] = id
	}
	return p
}

// sessions examines everything about sessions with new ones, and deletes them.
func (e *exam) sessions() {
	if !e.can["session/new"] {
		e.report.Why = "the agent does not support sessions"
		return
	}
	first := e.newSession(e.setup(""))
	if first == nil {
		return
	}
	e.mustRefuse(e.call("session/new", struct{}{}), ruleParams, acpclient.CodeInvalidParams, "session/new opened a session without cwd")
	var second *session // beside the first one
	if !e.stopped() {
		params := e.setup("")
		if e.can[moreDirectories] {
			params["additionalDirectories"] = []string{e.opt.Cwd}
		}
		before := len(e.referee.sessions)
		if s := e.newSession(params); len(e.referee.sessions) > before {
			second = s
		}
	}
	if e.referee.has(ruleSetMode) {
		e.try("modes", func() { e.setModes(first) })
	}
	e.try("options", func() { e.setOptions(first) })
	e.try("turns", func() { e.turns(first) })
	e.try("session/list", e.list)
	e.try("session/fork", func() { e.fork(first) })
	if first.turns > 0 {
		e.try("session/close", func() { e.closeSession(first) })
	}
	for _, how := range e.referee.dialect.reopen {
		e.try(how.name, func() { e.reopen(how, first) })
	}
	if e.referee.has(ruleReplayFrom) {
		e.try("session/resume from an unknown position", func() {
			a := e.callReopen(reopening{method: "session/resume", from: "_parley", replays: true}, first)
			e.mustRefuse(a, ruleReplayFrom, acpclient.CodeInvalidParams, "session/resume replayed from an unknown position")
			e.fence()
		})
	}
	for _, method := range []string{"session/load", "session/resume"} {
		e.try(method, func() {
			a := e.call(method, e.setup("00000000-0000-4000-8000-00000000dead"))
			e.mustRefuse(a, ruleNotThere, 0, "%s opened a session that does not exist", method)
			e.fence()
		})
	}
	if second != nil {
		e.try("session/close", func() { e.closeSession(second) })
	}
	e.try("session/delete", e.deleteAll)
}

// try runs a step, unless the exam has stopped or the agent does not advertise the method
// that the step's name begins with.
func (e *exam) try(name string, do func()) {
	method, _, _ := strings.Cut(name, " ")
	if e.stopped() || strings.Contains(method, "/") && !e.can[method] {
		return
	}
	e.say(name)
	do()
}

// newSession opens a session; nil without one.
func (e *exam) newSession(params any) *session {
	a := e.call("session/new", params)
	switch {
	case a.message == nil:
		return nil
	case a.is(acpclient.CodeAuthRequired):
		e.report.Why = short(e.opt.Clean("the agent wants you to sign in before it opens a session: "+a.err.Message), 300)
		if len(e.report.SignIn) == 0 {
			e.referee.finds(ruleAuthMethods, a.message, "The agent asks for sign-in but offers no method")
		}
		return nil
	case a.err != nil:
		e.referee.finds(ruleNew, a.message, "session/new returned an error: %s", a.err)
		return nil
	}
	e.report.timing("session/new", a.took)
	var result struct {
		SessionID string `json:"sessionId"`
	}
	_ = json.Unmarshal(a.result, &result)
	e.fence()
	return e.referee.sessions[result.SessionID]
}

// callReopen reopens a session.
func (e *exam) callReopen(how reopening, s *session) answer {
	params := e.setup(s.id)
	if how.from != "" {
		params["replayFrom"] = map[string]any{"type": how.from}
	}
	s.opens(how)
	defer func() { s.opening = "" }()
	return e.call(how.method, params)
}

// reopen reopens a session and examines the replay.
func (e *exam) reopen(how reopening, s *session) {
	a := e.callReopen(how, s)
	switch {
	case a.message == nil || e.missing(how.method, a):
		return
	case a.err != nil && s.turns == 0:
		e.report.untried(how.method + " of a session with a turn: no prompt was sent (--prompt), and without one the agent rejects it")
		return
	case a.err != nil && e.can["session/close"]:
		e.referee.finds(how.broken, a.message, "%s of a session with a turn returned an error: %s", how.name, a.err)
		return
	case a.err != nil:
		e.referee.finds(how.broken, a.message, "%s of a session with a turn, still open because the agent cannot close it, returned an error: %s", how.name, a.err)
		return
	}
	e.report.timing(how.name, a.took)
	inTime := s.replays
	e.settle()
	if !how.replays || s.turns == 0 {
		return
	}
	if e.opt.Unordered {
		e.until(e.opt.Timeout, func() bool { return s.replays > 0 && s.whole() })
	}
	switch {
	case s.replays == 0:
		e.referee.finds(ruleReplay, a.message, "%s replayed nothing", how.name)
	case inTime == s.replays && !s.whole():
		e.referee.finds(ruleReplay, a.message, "%s did not replay the agent's messages", how.name)
	}
}

func (e *exam) closeSession(s *session) {
	if a, ok := e.succeeds(ruleClose, "session/close of an open session", "session/close", map[string]any{"sessionId": s.id}); ok {
		e.report.timing("session/close", a.took)
		e.fence() // for its last updates
	}
}

func (e *exam) fork(s *session) {
	a := e.call("session/fork", e.setup(s.id))
	switch {
	case a.message == nil || e.missing("session/fork", a):
	case a.err != nil && s.turns > 0:
		e.referee.finds(ruleFork, a.message, "session/fork of an open session returned an error: %s", a.err)
	case a.err == nil:
		e.report.timing("session/fork", a.took)
	}
	e.fence()
}

// mostPages limits the pages of a list. The exam's own directory has fewer.
const mostPages = 20

// listed lists the sessions of the directory, and returns their ids.
func (e *exam) listed() (out []string) {
	params := map[string]any{"cwd": e.opt.Cwd}
	for range mostPages {
		a, ok := e.succeeds(ruleList, "session/list", "session/list", params)
		if !ok {
			return out
		}
		var page struct {
			Sessions []struct {
				ID      string `json:"sessionId"`
				Cwd     string `json:"cwd"`
				Updated string `json:"updatedAt"`
			} `json:"sessions"`
			Next string `json:"nextCursor"`
		}
		_ = json.Unmarshal(a.result, &page)
		for _, s := range page.Sessions {
			out = append(out, s.ID)
			switch {
			case !absolute(s.Cwd):
				e.referee.path(a.message, "The cwd of a listed session", s.Cwd)
			case s.Cwd != e.opt.Cwd:
				e.referee.finds(ruleList, a.message, "session/list returned sessions of another directory")
			}
			if s.Updated != "" && !isTime(s.Updated) {
				e.referee.finds(ruleUpdatedAt, a.message, "The updatedAt of a listed session is %q", words(s.Updated))
			}
		}
		switch {
		case page.Next == "":
			return out
		case page.Next == params["cursor"]:
			e.referee.finds(rulePages, a.message, "session/list returned the cursor it was given")
			return out
		}
		params["cursor"] = page.Next
	}
	e.referee.finds(rulePages, nil, "session/list returned more than %d pages for a new directory", mostPages)
	return out
}

// isTime reports whether a text is a time by ISO 8601.
func isTime(text string) bool {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02", "20060102T150405Z0700"} {
		if _, err := time.Parse(layout, text); err == nil {
			return true
		}
	}
	return false
}

func (e *exam) list() {
	began := time.Now()
	e.listed()
	e.report.timing("session/list", time.Since(began))
	if e.report.has(ruleAdvertised) || e.stopped() {
		return
	}
	a := e.call("session/list", map[string]any{"cursor": "parley-is-no-cursor"})
	e.mustRefuse(a, ruleCursor, 0, "session/list accepted an invalid cursor")
}

// deleteAll deletes the exam's sessions and checks that they are gone.
func (e *exam) deleteAll() {
	var deleted []string
	for id := range e.referee.sessions {
		a, ok := e.succeeds(ruleDelete, "session/delete", "session/delete", map[string]any{"sessionId": id})
		switch {
		case ok:
			deleted = append(deleted, id)
		case a.message == nil || a.is(acpclient.CodeMethodNotFound):
			return
		}
	}
	if len(deleted) == 0 {
		return
	}
	if a := e.call("session/delete", map[string]any{"sessionId": deleted[0]}); a.err != nil {
		e.referee.finds(ruleDeleteAgain, a.message, "Deleting a session a second time returned an error: %s", a.err)
	}
	if !e.can["session/list"] || e.stopped() {
		return
	}
	for _, id := range e.listed() {
		if slices.Contains(deleted, id) {
			e.referee.finds(ruleDeleted, nil, "session/list returned a deleted session")
		}
	}
}

// soon is how long after the cancellation a turn may still end by itself, because the agent
// has not read it yet.
const soon = time.Second

// firstChunk is how long to wait for the first chunk of a turn before cancelling it.
const firstChunk = 10 * time.Second

// turns runs a turn and a cancelled one, if there is a prompt to send.
func (e *exam) turns(s *session) {
	short, long := e.opt.Prompt, e.opt.Prompt
	switch e.opt.Prompt {
	case "":
		e.report.untried("turns, cancelling and replaying them: no prompt was given (--prompt)")
		return
	case ScriptedPrompt:
		short, long = shortPrompt, longPrompt
	}
	began := time.Now()
	a := e.await(e.prompt(s, short), "session/prompt")
	if a.message == nil || a.err != nil {
		s.turn = false
		e.listen(quiet)
		e.keepStderr()
		return
	}
	e.report.timing("session/prompt", a.took)
	if !e.until(e.opt.Timeout, func() bool { return !s.turn }) {
		s.turn = false
		if !e.lost() {
			e.unanswered++
			e.referee.finds(ruleIdle, nil, "Work on an accepted prompt did not end with the state idle within %v (last line: %d)", e.opt.Timeout, e.line)
		}
		return
	}
	if s.chunk != nil {
		e.report.timing("session/prompt to the first update", s.chunk.at.Sub(began))
	}
	if e.referee.dialect.states {
		e.report.timing("session/prompt to idle", s.ended.at.Sub(began))
	}
	e.settle()
	switch {
	case e.gone || s.prompt == "" || s.userMessages[s.prompt]:
	case len(s.userMessages) > 0:
		e.referee.finds(ruleUserMessage, a.message, "The response to a prompt has the message id %q, but its message has another id", words(s.prompt))
	default:
		e.referee.finds(ruleUserMessage, a.message, "The message of a prompt was never sent as an update")
	}
	if s.stopReason == "error" {
		e.report.untried("a successful turn: it ended with an error")
	}
	if !e.stopped() {
		e.cancelled(s, long)
	}
}

// prompt sends a prompt without waiting for the answer.
func (e *exam) prompt(s *session, text string) json.RawMessage {
	s.turn, s.cancel, s.ran, s.asked, s.accepted, s.loaded = true, false, s.working, false, false, false
	s.prompt, s.userMessages, s.calls = "", map[string]bool{}, map[string]bool{}
	s.stopReason, s.chunk, s.ended = "", nil, nil
	return e.request("session/prompt", map[string]any{
		"sessionId": s.id, "prompt": []any{map[string]any{"type": "text", "text": text}},
	})
}

// cancelAfter is how long after its first chunk each turn is cancelled. No turn should end
// by itself at both of these times.
var cancelAfter = []time.Duration{0, 100 * time.Millisecond}

// cancelled runs turns and cancels them, until one has ended as cancelled. A turn that
// ends soon with another reason may have ended by itself, so a second one is tried.
func (e *exam) cancelled(s *session, text string) {
	for _, wait := range cancelAfter {
		took, ok := e.cancelTurn(s, text, wait)
		if !ok || e.stopped() {
			return
		}
		if took >= soon || s.stopReason == "error" { // an aborted operation is no error
			break
		}
	}
	e.referee.finds(ruleCancel, s.ended, "A cancelled turn ended with the stop reason %q", words(s.stopReason))
}

// cancelTurn sends a prompt and cancels the turn some time after its first chunk. other
// reports whether the turn ended with another stop reason than cancelled, after took.
func (e *exam) cancelTurn(s *session, text string, wait time.Duration) (took time.Duration, other bool) {
	id := e.prompt(s, text)
	over := func() bool { return !s.turn }
	e.until(min(e.opt.Timeout, firstChunk), func() bool { return s.chunk != nil || over() })
	e.until(wait, over)
	if over() || e.gone {
		e.settle()
		e.report.untried("cancelling a turn: it ended too soon")
		return 0, false
	}
	s.cancel = true
	e.notify("session/cancel", map[string]any{"sessionId": s.id})
	line, began := e.line, time.Now()
	if !e.until(e.opt.Timeout, over) {
		s.turn = false
		if !e.lost() {
			e.unanswered++
			e.referee.finds(ruleCancel, nil, "A cancelled turn (line %d) did not end within %v", line, e.opt.Timeout)
		}
		return 0, false
	}
	e.settle() // the answer to the prompt may follow the state idle
	e.until(e.opt.Timeout, func() bool { return e.answers[key(id)] != nil })
	m := e.answers[key(id)]
	if m == nil {
		e.referee.finds(ruleNoAnswer, nil, "A cancelled prompt got no response within %v", e.opt.Timeout)
		return 0, false
	}
	if raw, failed := m.fields["error"]; failed {
		var err acpclient.Error
		_ = acpclient.Unmarshal(raw, &err)
		if err.Code != e.referee.dialect.cancelCode {
			e.referee.finds(ruleCancel, m, "A cancelled prompt returned the error %s", &err)
		}
		return 0, false
	}
	took = s.ended.at.Sub(began)
	e.report.once("session/cancel", took)
	return took, s.stopReason != "cancelled"
}

// once records a timing, the first time only.
func (r *Report) once(what string, d time.Duration) {
	if !slices.ContainsFunc(r.Timings, func(t Timing) bool { return t.What == what }) {
		r.timing(what, d)
	}
}
