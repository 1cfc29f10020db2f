package doctor

import "strings"

// sessionsV2 tries everything that is about sessions in version 2, as sessions does.
func (e *exam) sessionsV2() {
	if e.caps.Session == nil {
		e.report.Why = "the agent says that it has no sessions"
		return
	}
	first := e.newSession("session/new", e.setup(""))
	if first == nil {
		return
	}
	e.badParams()
	second := e.secondSession()
	e.try("options", func() { e.optionsOf(first) })
	e.try("prompts", func() { e.workOn(first) })
	e.try("session/list", e.list)
	if has(e.caps.Session, "fork") {
		e.try("session/fork", func() { e.fork(first) })
	}
	e.reopenV2(first)
	if second != nil {
		e.try("session/close", func() { e.closeSession(second) })
	}
	if has(e.caps.Session, "delete") {
		e.try("session/delete", e.deleteAll)
	}
}

// reopenV2 closes a session if there was work in it, and resumes it: as it is, and with all
// that was said.
func (e *exam) reopenV2(s *session) {
	if s.turns > 0 {
		e.try("session/close", func() { e.closeSession(s) })
	}
	e.try("session/resume", func() { e.resume(s, nil) })
	e.try("session/resume from the start", func() { e.resume(s, map[string]any{"type": "start"}) })
	e.try("session/resume from nowhere", func() { e.resumeFromNowhere(s) })
	e.try("session/resume", func() { e.openMissing("session/resume") })
}

// resume resumes a session, and has it replayed from somewhere unless that is nil.
func (e *exam) resume(s *session, from any) {
	const method = "session/resume"
	a := e.resuming(s, from)
	s.opening = ""
	switch {
	case a.message == nil || e.missing(method, a):
		return
	case a.err != nil && s.turns == 0:
		e.report.untried(method + " of a session with a conversation: nothing was prompted (--prompt), and without that the agent refuses it")
		return
	case a.err != nil:
		e.referee.finds(ruleResume, a.message, "%s of a session with a conversation is answered with an error: %s", method, a.err)
		return
	}
	atOnce := s.replays
	if from != nil {
		e.report.timing(method+" from the start", a.took)
	} else {
		e.report.timing(method, a.took)
	}
	e.fence()
	if from == nil || s.turns == 0 {
		return
	}
	said := strings.TrimSpace(s.messages.String())
	e.awaitReplay(s, said)
	switch {
	case s.replays == 0:
		e.referee.finds(ruleReplay, a.message, "%s from the start replays nothing of a conversation", method)
	case atOnce == s.replays && said != "" && !strings.Contains(s.replayed.String(), firstWords(said)):
		e.referee.finds(ruleReplay, a.message, "%s from the start does not replay what the agent has said", method)
	}
}

// resuming calls session/resume.
func (e *exam) resuming(s *session, from any) answer {
	params := e.setup(s.id)
	if from != nil {
		params["replayFrom"] = from
	}
	s.opening, s.loaded, s.replays = "session/resume", false, 0
	s.work.resumes, s.work.told, s.work.closed = from != nil, false, false
	s.work.replayed = map[string]bool{}
	s.replayed.Reset()
	return e.call("session/resume", params)
}

// resumeFromNowhere asks for a replay from a place that no agent knows.
func (e *exam) resumeFromNowhere(s *session) {
	a := e.resuming(s, map[string]any{"type": "_parley"})
	s.opening = ""
	switch {
	case a.message == nil:
	case a.err == nil:
		e.referee.finds(ruleReplayFrom, a.message, "session/resume replays from a place that it cannot know")
	case a.err.Code.String() != codeInvalidParams:
		e.referee.finds(ruleReplayFrom, a.message, "session/resume from a place that is not known is refused with %s", a.err)
	}
	e.fence()
}
