package doctor

import (
	"encoding/json"
	"fmt"
	"time"
)

// soon is how long a turn that was cancelled may take to end otherwise: it may have
// been at its end before the agent saw that.
const soon = time.Second

// firstChunk is how long is waited for the first words of a turn that is to be cancelled.
const firstChunk = 10 * time.Second

// turns runs a turn, and one that is cancelled, if a prompt may be sent.
func (e *exam) turns(s *session) {
	short, long, ok := e.prompts()
	if !ok {
		return
	}
	id := e.prompt(s, short)
	a := e.await(id, "session/prompt")
	if a.message == nil {
		s.turn = false
		return
	}
	e.report.timing("session/prompt", a.took)
	if s.chunk != nil {
		e.report.timing("session/prompt to the first update", a.took-a.message.at.Sub(s.chunk.at))
	}
	e.fence()
	if a.err != nil || e.stopped() {
		return
	}
	e.cancelled(s, long)
}

// prompts are the prompt of a turn, and that of one that is cancelled, if any may be sent.
func (e *exam) prompts() (short, long string, ok bool) {
	switch e.opt.Prompt {
	case "":
		e.report.untried("turns, how they are cancelled and how they are replayed: no prompt was asked for (--prompt)")
		return "", "", false
	case ScriptedPrompt:
		return shortPrompt, longPrompt, true
	}
	return e.opt.Prompt, e.opt.Prompt, true
}

// prompt sends a prompt, and does not wait.
func (e *exam) prompt(s *session, text string) json.RawMessage {
	s.beginTurn()
	return e.request("session/prompt", map[string]any{
		"sessionId": s.id, "prompt": []any{map[string]any{"type": "text", "text": text}},
	})
}

// cancelled sends a prompt and cancels the turn when the agent has begun to answer.
func (e *exam) cancelled(s *session, text string) {
	id := e.prompt(s, text)
	over := func() bool { return e.answers[key(id)] != nil }
	e.until(min(e.opt.Timeout, firstChunk), func() bool { return s.chunk != nil || over() })
	if over() || e.gone {
		delete(e.answers, key(id))
		e.report.untried("to cancel a turn: it was over before that")
		return
	}
	s.cancel = true
	e.notify("session/cancel", map[string]any{"sessionId": s.id})
	began := time.Now()
	m := e.wait(id, e.opt.Timeout)
	if m == nil {
		s.turn = false
		e.referee.sent[key(id)].late = true
		if !e.gone && e.ctx.Err() == nil {
			e.unanswered++
			e.referee.finds(ruleCancel, nil, "A cancelled turn (line %d) does not end within %v", e.line, e.opt.Timeout)
		}
		return
	}
	took := m.at.Sub(began)
	e.report.timing("session/cancel", took)
	var result struct {
		StopReason string `json:"stopReason"`
	}
	_ = json.Unmarshal(m.fields["result"], &result)
	_, failed := m.fields["error"]
	switch {
	case failed || result.StopReason == "cancelled": // an error has been reported
	case took < soon:
		e.report.untried(fmt.Sprintf("to cancel a turn: it has ended by itself (%s) at the same time", words(result.StopReason)))
	default:
		e.referee.finds(ruleCancel, m, "A turn that was cancelled ends with the stop reason %q", words(result.StopReason))
	}
	e.fence()
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
