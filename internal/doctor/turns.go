package doctor

import (
	"encoding/json"
	"fmt"
	"time"
)

// soon bounds how long a cancelled turn may take to end in another way: it may have
// ended before the agent read the cancellation.
const soon = time.Second

// firstChunk is how long to wait for the first chunk of a turn before cancelling it.
const firstChunk = 10 * time.Second

// turns runs a turn and a cancelled one, if there is a prompt to send.
func (e *exam) turns(s *session) {
	short, long := e.opt.Prompt, e.opt.Prompt
	switch e.opt.Prompt {
	case "":
		e.report.untried("turns, how they are cancelled and how they are replayed: no prompt was asked for (--prompt)")
		return
	case ScriptedPrompt:
		short, long = shortPrompt, longPrompt
	}
	began := time.Now()
	a := e.await(e.prompt(s, short), "session/prompt")
	if a.message == nil || a.err != nil {
		s.turn = false
		e.fence()
		return
	}
	e.report.timing("session/prompt", a.took)
	if !e.until(e.opt.Timeout, func() bool { return !s.turn }) {
		s.turn = false
		if !e.gone && e.ctx.Err() == nil {
			e.unanswered++
			e.referee.finds(ruleIdle, nil, "The work on a prompt that was accepted does not end with the state idle within %v (line %d was the last)", e.opt.Timeout, e.line)
		}
		return
	}
	if s.chunk != nil {
		e.report.timing("session/prompt to the first update", s.chunk.at.Sub(began))
	}
	if e.referee.dialect.states {
		e.report.timing("session/prompt to idle", s.ended.at.Sub(began))
	}
	e.fence()
	switch {
	case e.gone || s.prompt == "" || s.people[s.prompt]:
	case len(s.people) > 0:
		e.referee.finds(ruleUserMessage, a.message, "A prompt is answered with the message id %q, and its message is told of with another one", words(s.prompt))
	default:
		e.referee.finds(ruleUserMessage, a.message, "The message of a prompt is never told of")
	}
	if s.stopReason == "error" {
		e.report.untried("a turn that succeeds: it has ended with an error")
	}
	if !e.stopped() {
		e.cancelled(s, long)
	}
}

// prompt sends a prompt without waiting for the answer.
func (e *exam) prompt(s *session, text string) json.RawMessage {
	s.turn, s.cancel, s.ran, s.asked, s.accepted, s.loaded = true, false, s.working, false, false, false
	s.prompt, s.people, s.calls = "", map[string]bool{}, map[string]bool{}
	s.stopReason, s.chunk, s.ended = "", nil, nil
	return e.request("session/prompt", map[string]any{
		"sessionId": s.id, "prompt": []any{map[string]any{"type": "text", "text": text}},
	})
}

// cancelled sends a prompt and cancels the turn once the agent answers.
func (e *exam) cancelled(s *session, text string) {
	id := e.prompt(s, text)
	over := func() bool { return !s.turn }
	e.until(min(e.opt.Timeout, firstChunk), func() bool { return s.chunk != nil || over() })
	if over() || e.gone {
		e.report.untried("to cancel a turn: it was over before that")
		return
	}
	s.cancel = true
	e.notify("session/cancel", map[string]any{"sessionId": s.id})
	line, began := e.line, time.Now()
	if !e.until(e.opt.Timeout, over) {
		s.turn = false
		if !e.gone && e.ctx.Err() == nil {
			e.unanswered++
			e.referee.finds(ruleCancel, nil, "A cancelled turn (line %d) does not end within %v", line, e.opt.Timeout)
		}
		return
	}
	e.fence() // the answer to the prompt may follow the state idle
	m := e.answers[key(id)]
	if m == nil {
		e.referee.finds(ruleNoAnswer, nil, "A prompt that was cancelled is never answered")
		return
	}
	if raw, failed := m.fields["error"]; failed {
		var err rpcError
		_ = json.Unmarshal(raw, &err)
		if err.Code.String() != e.referee.dialect.cancelCode {
			e.referee.finds(ruleCancel, m, "A cancelled prompt is answered with the error %s", &err)
		}
		return
	}
	took := s.ended.at.Sub(began)
	e.report.timing("session/cancel", took)
	switch {
	case s.stopReason == "cancelled":
	case took < soon && s.stopReason != "error": // an aborted operation is no error
		e.report.untried(fmt.Sprintf("to cancel a turn: it has ended by itself (%s) at the same time", words(s.stopReason)))
	default:
		e.referee.finds(ruleCancel, s.ended, "A turn that was cancelled ends with the stop reason %q", words(s.stopReason))
	}
}

// once notes how long something took the first time.
func (r *Report) once(what string, d time.Duration) {
	for _, t := range r.Timings {
		if t.What == what {
			return
		}
	}
	r.timing(what, d)
}
