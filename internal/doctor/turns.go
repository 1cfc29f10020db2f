package doctor

import (
	"encoding/json"
	"time"
)

// soon bounds how long after its cancellation a turn may still end by itself, before the
// agent has read it.
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
		if !e.gone && e.ctx.Err() == nil {
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
	case e.gone || s.prompt == "" || s.people[s.prompt]:
	case len(s.people) > 0:
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
	s.prompt, s.people, s.calls = "", map[string]bool{}, map[string]bool{}
	s.stopReason, s.chunk, s.ended = "", nil, nil
	return e.request("session/prompt", map[string]any{
		"sessionId": s.id, "prompt": []any{map[string]any{"type": "text", "text": text}},
	})
}

// cancelAfter is how long after its first chunk each turn is cancelled. A turn that ends
// by itself at one of these times does not end by itself at the other.
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

// cancelTurn sends a prompt and cancels the turn some time after the agent begins to
// answer. It returns true, and how long the agent took, if the turn has ended with
// another reason than cancelled.
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
		if !e.gone && e.ctx.Err() == nil {
			e.unanswered++
			e.referee.finds(ruleCancel, nil, "A cancelled turn (line %d) did not end within %v", line, e.opt.Timeout)
		}
		return 0, false
	}
	e.settle() // the answer to the prompt may follow the state idle
	m := e.answers[key(id)]
	if m == nil {
		e.referee.finds(ruleNoAnswer, nil, "A cancelled prompt got no response")
		return 0, false
	}
	if raw, failed := m.fields["error"]; failed {
		var err rpcError
		_ = json.Unmarshal(raw, &err)
		if err.Code.String() != e.referee.dialect.cancelCode {
			e.referee.finds(ruleCancel, m, "A cancelled prompt returned the error %s", &err)
		}
		return 0, false
	}
	took = s.ended.at.Sub(began)
	e.report.once("session/cancel", took)
	return took, s.stopReason != "cancelled"
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
