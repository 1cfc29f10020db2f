package doctor

import (
	"encoding/json"
	"fmt"
	"time"
)

// workOn has the agent work on a prompt, and on one that is cancelled, if prompts may be
// sent: in version 2 the answer to a prompt only accepts it.
func (e *exam) workOn(s *session) {
	short, long, ok := e.prompts()
	if !ok {
		return
	}
	began := time.Now()
	a := e.await(e.prompt(s, short), "session/prompt")
	if a.message == nil || a.err != nil {
		s.turn = false
		e.fence()
		return
	}
	e.report.timing("session/prompt", a.took)
	if !e.finished(s) {
		return
	}
	if s.chunk != nil {
		e.report.timing("session/prompt to the first update", s.chunk.at.Sub(began))
	}
	e.report.timing("session/prompt to idle", s.work.ended.at.Sub(began))
	e.fence()
	e.mentioned(s, a.message)
	if s.work.stopReason == "error" {
		e.report.untried("work that succeeds: it has ended with an error")
	}
	if !e.stopped() {
		e.cancelledWork(s, long)
	}
}

// finished waits for the end of the work on a prompt.
func (e *exam) finished(s *session) bool {
	if e.until(e.opt.Timeout, func() bool { return !s.turn }) {
		return true
	}
	s.turn = false
	if !e.gone && e.ctx.Err() == nil {
		e.unanswered++
		e.referee.finds(ruleIdle, nil, "The work on a prompt that was accepted does not end with the state idle within %v (line %d was the last)", e.opt.Timeout, e.line)
	}
	return false
}

// mentioned looks whether the agent has told of the message of a prompt.
func (e *exam) mentioned(s *session, m *message) {
	w := &s.work
	switch {
	case e.gone || w.prompt == "" || w.people[w.prompt]:
	case w.mentioned:
		e.referee.finds(ruleUserMessage, m, "A prompt is answered with the message id %q, and its message is told of with another one", words(w.prompt))
	default:
		e.referee.finds(ruleUserMessage, m, "The message of a prompt is never told of")
	}
}

// cancelledWork sends a prompt and cancels the work on it when the agent has begun.
func (e *exam) cancelledWork(s *session, text string) {
	id := e.prompt(s, text)
	defer func() { e.referee.sent[key(id)].late = true }()
	over := func() bool { return !s.turn }
	e.until(min(e.opt.Timeout, firstChunk), func() bool { return s.chunk != nil || over() })
	if over() || e.gone {
		e.report.untried("to cancel work: it was over before that")
		return
	}
	s.cancel = true
	e.notify("session/cancel", map[string]any{"sessionId": s.id})
	line, began := e.line, time.Now()
	if !e.until(e.opt.Timeout, over) {
		s.turn = false
		if !e.gone && e.ctx.Err() == nil {
			e.unanswered++
			e.referee.finds(ruleCancel, nil, "Work that was cancelled (line %d) does not end with the state idle within %v", line, e.opt.Timeout)
		}
		return
	}
	e.fence() // the answer to the prompt may come now only
	e.cancelEnded(s, e.answers[key(id)], began)
}

// cancelEnded looks at how work has ended that was cancelled.
func (e *exam) cancelEnded(s *session, accepted *message, began time.Time) {
	w := &s.work
	if accepted == nil {
		e.referee.finds(ruleNoAnswer, nil, "A prompt that was cancelled is never answered")
		return
	}
	if raw, failed := accepted.fields["error"]; failed {
		var err rpcError
		_ = json.Unmarshal(raw, &err)
		if err.Code.String() != codeRequestCancelled {
			e.referee.finds(ruleCancel, accepted, "A prompt that was cancelled is answered with %s", &err)
		}
		return
	}
	took := w.ended.at.Sub(began)
	e.report.timing("session/cancel", took)
	switch {
	case w.stopReason == "cancelled":
	case took < soon && w.stopReason != "error": // an aborted operation is no error
		e.report.untried(fmt.Sprintf("to cancel work: it has ended by itself (%s) at the same time", words(w.stopReason)))
	default:
		e.referee.finds(ruleCancel, &w.ended, "Work that was cancelled ends with the stop reason %q", words(w.stopReason))
	}
}
