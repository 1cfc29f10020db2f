package doctor

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// setup are the params that open a session.
func (e *exam) setup(id string) map[string]any {
	p := map[string]any{"cwd": e.cwd, "mcpServers": []any{}}
	if id != "" {
		p["sessionId"] = id
	}
	return p
}

// sessions tries everything that is about sessions, with sessions of its own, and
// deletes those.
func (e *exam) sessions() {
	if e.referee.dialect == v2 {
		e.sessionsV2()
		return
	}
	first := e.newSession("session/new", e.setup(""))
	if first == nil {
		return
	}
	e.badParams()
	second := e.secondSession()
	e.try("modes and options", func() { e.modesOf(first); e.optionsOf(first) })
	e.try("turns", func() { e.turns(first) })
	if has(e.caps.Session, "list") {
		e.try("session/list", e.list)
	}
	if has(e.caps.Session, "fork") {
		e.try("session/fork", func() { e.fork(first) })
	}
	e.reopen(first)
	if has(e.caps.Session, "close") && second != nil {
		e.try("session/close", func() { e.closeSession(second) })
	}
	if has(e.caps.Session, "delete") {
		e.try("session/delete", e.deleteAll)
	}
}

// try does a step unless there is no use in it.
func (e *exam) try(name string, do func()) {
	if !e.stopped() {
		e.say(name)
		do()
	}
}

// newSession opens a session; nil if that is not possible.
func (e *exam) newSession(method string, params any) *session {
	a := e.call(method, params)
	var result struct {
		SessionID string `json:"sessionId"`
	}
	switch {
	case a.message == nil:
		return nil
	case a.err != nil && a.err.Code.String() == codeAuthRequired:
		e.report.Why = short("the agent wants you to sign in before it opens a session: "+a.err.Message, 300)
		if len(e.report.SignIn) == 0 {
			e.referee.finds(ruleAuthMethods, a.message, "Signing in is asked for, and there is no method to do so")
		}
		return nil
	case a.err != nil:
		e.referee.finds(ruleNew, a.message, "%s is answered with an error: %s", method, a.err)
		return nil
	}
	e.report.timing(method, a.took)
	_ = json.Unmarshal(a.result, &result)
	e.fence()
	return e.referee.sessions[result.SessionID]
}

// badParams calls a method with params that miss what it needs.
func (e *exam) badParams() {
	a := e.call("session/new", struct{}{})
	switch {
	case a.message == nil:
	case a.err == nil:
		e.referee.finds(ruleParams, a.message, "session/new opens a session without cwd")
	case a.err.Code.String() != codeInvalidParams:
		e.referee.finds(ruleParams, a.message, "session/new without cwd is refused with %s", a.err)
	}
}

// secondSession opens a session beside the first one.
func (e *exam) secondSession() *session {
	if e.stopped() {
		return nil
	}
	params := e.setup("")
	if has(e.caps.Session, "additionalDirectories") {
		params["additionalDirectories"] = []string{e.cwd}
	}
	before := len(e.referee.sessions)
	s := e.newSession("session/new", params)
	if len(e.referee.sessions) == before {
		return nil
	}
	return s
}

// missing reports that an advertised method is not there, which is said once.
func (e *exam) missing(method string, a answer) bool {
	if a.err == nil || a.err.Code.String() != codeMethodNotFound {
		return false
	}
	e.referee.finds(ruleAdvertised, a.message, "%s is advertised, and not found", method)
	return true
}

// reopen closes a session if it had a turn, and loads and resumes it.
func (e *exam) reopen(s *session) {
	if s.turns > 0 && has(e.caps.Session, "close") {
		e.try("session/close", func() { e.closeSession(s) })
	}
	for _, o := range []struct {
		method     string
		advertised bool
		broken     *Rule
	}{
		{"session/load", e.caps.Load, ruleLoad},
		{"session/resume", has(e.caps.Session, "resume"), ruleResume},
	} {
		if !o.advertised {
			continue
		}
		e.try(o.method, func() { e.open(o.method, o.broken, s) })
		e.try(o.method, func() { e.openMissing(o.method) })
	}
}

// open loads or resumes a session.
func (e *exam) open(method string, broken *Rule, s *session) {
	s.opening, s.calls, s.replays = method, map[string]string{}, 0
	s.replayed.Reset()
	a := e.call(method, e.setup(s.id))
	s.opening = ""
	switch {
	case a.message == nil || e.missing(method, a):
		return
	case a.err != nil && s.turns == 0:
		e.report.untried(method + " of a session with a conversation: there was no turn (--prompt), and without one the agent refuses it")
		return
	case a.err != nil:
		e.referee.finds(broken, a.message, "%s of a session in which there was a turn%s is answered with an error: %s", method, e.stillOpen(), a.err)
		return
	}
	e.report.timing(method, a.took)
	atOnce := s.replays
	e.fence()
	if method != "session/load" || s.turns == 0 {
		return
	}
	said := strings.TrimSpace(s.messages.String())
	e.awaitReplay(s, said)
	switch {
	case s.replays == 0:
		e.referee.finds(ruleReplay, a.message, "session/load replays nothing of %d turns", s.turns)
	case atOnce == s.replays && said != "" && !strings.Contains(s.replayed.String(), firstWords(said)):
		e.referee.finds(ruleReplay, a.message, "session/load does not replay what the agent has said")
	}
}

// awaitReplay waits until what was said is replayed, if that may come after the answer.
func (e *exam) awaitReplay(s *session, said string) {
	if e.agent.Unordered {
		e.until(e.opt.Timeout, func() bool { return s.replays > 0 && strings.Contains(s.replayed.String(), firstWords(said)) })
	}
}

// stillOpen says of a session that is opened again that it was not closed before.
func (e *exam) stillOpen() string {
	if has(e.caps.Session, "close") {
		return ""
	}
	return ", and which is still open because the agent cannot close it,"
}

// firstWords are enough of a text to find it again.
func firstWords(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	if r := []rune(line); len(r) > 20 {
		return string(r[:20])
	}
	return line
}

// openMissing opens a session that never was.
func (e *exam) openMissing(method string) {
	a := e.call(method, e.setup("00000000-0000-4000-8000-00000000dead"))
	if a.message != nil && a.err == nil {
		e.referee.finds(ruleNotThere, a.message, "%s opens a session that never was", method)
	}
	e.fence()
}

func (e *exam) closeSession(s *session) {
	a := e.call("session/close", map[string]any{"sessionId": s.id})
	switch {
	case a.message == nil || e.missing("session/close", a):
	case a.err != nil:
		e.referee.finds(ruleClose, a.message, "session/close of an open session is answered with an error: %s", a.err)
	default:
		e.report.timing("session/close", a.took)
		e.fence() // what it still says of the session has come then
	}
}

func (e *exam) fork(s *session) {
	a := e.call("session/fork", e.setup(s.id))
	switch {
	case a.message == nil || e.missing("session/fork", a):
	case a.err != nil && s.turns > 0:
		e.referee.finds(ruleFork, a.message, "session/fork of an open session is answered with an error: %s", a.err)
	case a.err == nil:
		e.report.timing("session/fork", a.took)
	}
	e.fence()
}

// page is an answer to session/list.
type page struct {
	Sessions []struct {
		ID      string `json:"sessionId"`
		Cwd     string `json:"cwd"`
		Updated string `json:"updatedAt"`
	} `json:"sessions"`
	Next string `json:"nextCursor"`
}

// mostPages is how many pages of a list are asked for. A directory that was made for
// the examination has less.
const mostPages = 20

// list lists the sessions of the directory, and returns their ids.
func (e *exam) listed() []string {
	var out []string
	params := map[string]any{"cwd": e.cwd}
	for range mostPages {
		a := e.call("session/list", params)
		if a.message == nil || e.missing("session/list", a) {
			return out
		}
		if a.err != nil {
			e.referee.finds(ruleList, a.message, "session/list is answered with an error: %s", a.err)
			return out
		}
		var p page
		_ = json.Unmarshal(a.result, &p)
		for _, s := range p.Sessions {
			out = append(out, s.ID)
			e.listing(a.message, s.Cwd, s.Updated)
		}
		switch {
		case p.Next == "":
			return out
		case p.Next == params["cursor"]:
			e.referee.finds(rulePages, a.message, "session/list answers with the cursor that it was given")
			return out
		}
		params["cursor"] = p.Next
	}
	e.referee.finds(rulePages, nil, "session/list has more than %d pages for a directory that is new", mostPages)
	return out
}

// listing looks at one session of a list.
func (e *exam) listing(m *message, cwd, updated string) {
	switch {
	case !absolute(cwd):
		e.referee.path(m, "The cwd of a listed session", cwd)
	case cwd != e.cwd:
		e.referee.finds(ruleList, m, "session/list was asked for one directory, and lists sessions of another")
	}
	if updated == "" {
		return
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02", "20060102T150405Z0700"} {
		if _, err := time.Parse(layout, updated); err == nil {
			return
		}
	}
	e.referee.finds(ruleUpdatedAt, m, "The updatedAt of a listed session is %q", words(updated))
}

func (e *exam) list() {
	began := time.Now()
	e.listed()
	e.report.timing("session/list", time.Since(began))
	if e.report.has(ruleAdvertised) || e.stopped() {
		return
	}
	a := e.call("session/list", map[string]any{"cursor": "parley-is-no-cursor"})
	if a.message != nil && a.err == nil {
		e.referee.finds(ruleCursor, a.message, "session/list takes a cursor that it has never given")
	}
}

// deleteAll deletes the sessions that were made, and looks whether they are gone.
func (e *exam) deleteAll() {
	var deleted []string
	for id := range e.referee.sessions {
		a := e.call("session/delete", map[string]any{"sessionId": id})
		switch {
		case a.message == nil || e.missing("session/delete", a):
			return
		case a.err != nil:
			e.referee.finds(ruleDelete, a.message, "session/delete is answered with an error: %s", a.err)
		default:
			deleted = append(deleted, id)
		}
	}
	if len(deleted) == 0 {
		return
	}
	if a := e.call("session/delete", map[string]any{"sessionId": deleted[0]}); a.err != nil {
		e.referee.finds(ruleDeleteAgain, a.message, "Deleting a session a second time is answered with an error: %s", a.err)
	}
	if !has(e.caps.Session, "list") || e.stopped() {
		return
	}
	for _, id := range e.listed() {
		if slices.Contains(deleted, id) {
			e.referee.finds(ruleDeleted, nil, "session/list lists a session that was deleted")
		}
	}
}
