package headless

import (
	"context"
	"errors"
	"fmt"

	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/termtext"
)

// Follower looks on at a session that others work in, and has the result of its last turn.
type Follower struct {
	run
	asked map[conversation.Seen]bool // the questions that were told of
	lost  string                     // why there is no agent or no session
}

// NewFollower returns a follower. Only the functions of the options are used, Tell and
// Progress not before [Follower.Wait].
func NewFollower(opt Options) *Follower {
	return &Follower{run: *newRun(opt), asked: map[conversation.Seen]bool{}}
}

// Apply folds an event that has happened before.
func (f *Follower) Apply(e conversation.Event) {
	tell, progress := f.opt.Tell, f.opt.Progress
	f.opt.Tell, f.opt.Progress = nil, nil
	f.follow(e)
	f.opt.Tell, f.opt.Progress = tell, progress
}

// Wait follows the session until no turn runs and no prompt is about to be sent, or nothing
// can go on without the user, or ctx ends. It says of each question, as often as it changes, how to answer it.
func (f *Follower) Wait(ctx context.Context, s app.Session) *Result {
	for !f.ended() {
		f.tellQuestions(s.About().Host)
		select {
		case <-s.Stream().Ready():
			for _, e := range s.Stream().Take() {
				f.follow(e)
			}
		case <-ctx.Done():
			f.end(Cancelled, "stopped waiting: the session goes on")
		}
	}
	if n := len(f.conv.Queue); n > 0 && f.conv.Idle() {
		f.tell("the queue is paused with " + termtext.Count(n, "prompt"))
		f.tell("  to send them: parley attach " + s.About().Host)
	}
	f.report()
	return &f.result
}

// follow folds an event. The result is that of the last turn.
func (f *Follower) follow(e conversation.Event) {
	switch e := e.(type) {
	case conversation.PromptSent:
		next := newRun(f.opt)
		next.conv, next.told = f.conv, f.told
		f.run = *next
	case conversation.CancelRequested:
		f.cause = Cancelled
	case conversation.NoticeAdded:
		f.notice(e)
	}
	f.observe(e)
	switch e := e.(type) {
	case conversation.SessionFailed:
		f.lost = "the agent could not open the session: " + words(e.Err)
	case conversation.AgentLost:
		f.lost = gone(f.conv) + words(e.Err)
		if errors.Is(e.Err, app.ErrGone) {
			f.lost = words(e.Err)
		}
	}
}

// ended reports whether there is nothing to wait for, and notes how the last turn has ended.
func (f *Follower) ended() bool {
	c := f.conv
	switch {
	case f.over:
	case c.Gone():
		f.end(AgentFailed, f.lost)
	case c.AuthError != nil:
		f.end(SignInNeeded, "the agent wants you to sign in first")
	case c.BudgetReached && !c.Turn.Running:
		f.end(OverBudget, "the budget is used up: "+c.BudgetWords())
	case !c.Idle():
	case len(c.Queue) > 0 && (f.result.Status == "" || f.result.Status == Answered || f.result.Status == Cancelled):
		f.end(InputNeeded, "the queue waits for you")
	case f.result.Status == Cancelled && f.rejected == PermissionDenied:
		f.end(PermissionDenied, "the agent ended the turn because a request was denied")
	case f.result.Status == Cancelled && f.cause != "":
		f.end(Cancelled, "the turn was cancelled")
	case f.denied && (f.result.Status == Answered || f.result.Status == ""):
		f.end(PermissionDenied, "the agent answered, but a request was denied")
	case f.result.Status == "": // no turn, or one of the agent's own
		f.end(Answered, "")
	default:
		f.over = true
	}
	return f.over
}

// tellQuestions says of each open question how to answer it, once for each revision.
func (f *Follower) tellQuestions(host string) {
	for _, q := range conversation.Questions[conversation.Question](&f.conv.State) {
		if now := q.Now(); !f.asked[now] {
			f.asked[now] = true
			f.tell("a question waits: " + termtext.Truncate(conversation.Match(q,
				func(p *conversation.Permission) string { return face(p.Asked.Kind, p.Asked.Title) },
				func(e *conversation.Elicitation) string { return termtext.VisibleLine(e.Request.Message) }), maxFace, "…"))
			f.tell(fmt.Sprintf("  to answer it: parley answer %s", host))
		}
	}
}
