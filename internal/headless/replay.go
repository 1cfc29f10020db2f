package headless

import (
	"fmt"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/conversation"
)

// Replay folds the events of a session that was recorded, and hands on the result
// as Run does. The status is how the last turn has ended. Only the functions of the
// options are used.
func Replay(events []conversation.Event, opt Options) *Result {
	r := newRun(opt)
	for _, e := range events {
		if opt.Event != nil {
			r.failed(opt.Event(e))
		}
		r.observe(e)
		if r.over {
			break
		}
	}
	if r.inTurn() {
		r.noteTurn(conversation.TurnEnded{})
		r.setStatus(Cancelled, "the recording ends in the middle of a turn")
	}
	if r.result.Status == "" {
		r.result.Status = Answered
	}
	r.report()
	return &r.result
}

// statusOf returns the status for the end of a turn.
func (r *run) statusOf(e conversation.TurnEnded) (Status, string) {
	if l, limited := r.conv.LimitIn(e.Err, e.At); limited {
		return LimitReached, app.LimitReachedText(l, e.At) + ": " + words(e.Err)
	}
	status, why := statusOf(e)
	if status == Answered && r.conv.Silent() {
		return AgentFailed, "the agent ended the turn without an answer"
	}
	return status, why
}

// statusOf returns the status for the end of a turn.
func statusOf(e conversation.TurnEnded) (Status, string) {
	switch {
	case e.Err != nil:
		return AgentFailed, "the agent returned an error: " + words(e.Err)
	case e.Reason == acpclient.StopRefusal:
		return Refused, "the agent refused to continue"
	case e.Reason == acpclient.StopCancelled:
		return Cancelled, "the agent cancelled the turn"
	case e.Reason == acpclient.StopEndTurn || e.Reason == "":
		return Answered, ""
	case e.Reason == acpclient.StopMaxTokens:
		return Incomplete, "the answer reached the model's token limit"
	case e.Reason == acpclient.StopMaxTurnRequests:
		return Incomplete, "the turn reached the agent's limit of model requests"
	}
	return Incomplete, fmt.Sprintf("the agent ended the turn with the reason %q", string(e.Reason))
}
