package app

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"parley/internal/conversation"
	"parley/internal/journal"
	"parley/internal/termtext"
)

// Overview sums up a session for lists of several. Its texts are untrusted, but for those of its
// methods.
type Overview struct {
	Agent string `json:"agent"`
	Title string `json:"title,omitempty"`

	// Standing is where the session stands, since Since; zero is unknown.
	Standing conversation.Standing `json:"standing,omitzero"`
	Since    time.Time             `json:"standingSince,omitzero"`
	// Working means that a turn runs, Waiting counts the open questions, Queued the queued
	// prompts. Gone means that the agent has exited, or could not open the session.
	Working bool `json:"working,omitempty"`
	Waiting int  `json:"waiting,omitempty"`
	Queued  int  `json:"queued,omitempty"`
	Gone    bool `json:"gone,omitempty"`
	// GoesOn is when it goes on by itself, after waiting for a limit of the user's plan; zero if
	// it does not wait for one. AtLimit means that the user has to decide about a limit,
	// OverBudget about a used-up budget, and SignIn that they have to sign in.
	GoesOn     time.Time `json:"goesOn,omitzero"`
	AtLimit    bool      `json:"atLimit,omitempty"`
	OverBudget bool      `json:"overBudget,omitempty"`
	SignIn     bool      `json:"signIn,omitempty"`

	// Step is the step of the plan that is in progress, or else the running tool call; "" if
	// nothing runs. Progress is how far the plan is, whether or not anything runs.
	Step     string                `json:"step,omitempty"`
	Progress conversation.Progress `json:"progress,omitzero"`
	// Last are the last lines that the agent has written.
	Last []string `json:"last,omitempty"`

	Spent conversation.Spent `json:"spent,omitzero"`
	// Changed counts the changed files and their lines. The lines are those of changes that are
	// counted so far.
	Changed journal.Tally `json:"changed,omitzero"`
}

// lastLines bounds [Overview.Last].
const lastLines = 30

// OverviewOf sums up the state of a session and the changes on its machine, which may be nil. It costs
// the same however long the session is.
func OverviewOf(s *conversation.State, j *journal.Summary) Overview {
	o := Overview{
		Agent: s.Agent.Name(), Title: s.Title,
		Working: s.Turn.Running, Waiting: len(s.Permissions) + len(s.Elicitations), Queued: len(s.Queue), Gone: s.Gone(),
		AtLimit: s.Stuck() && s.Limit != nil, OverBudget: s.Stuck() && s.BudgetReached, SignIn: s.AuthError != nil,
		Progress: s.Progress(), Last: s.Last(lastLines), Spent: s.Spent(),
	}
	o.Standing, o.Since = s.Standing()
	if !s.Turn.Cancelling.IsZero() {
		o.Waiting = 0 // the questions are closed with the turn
	}
	if s.WaitsForLimit() {
		o.GoesOn = s.LimitWait
	}
	if s.Turn.Running || s.Busy() {
		if o.Step = o.Progress.String(); o.Step == "" {
			if t := s.Doing(); t != nil {
				o.Step = cmp.Or(strings.TrimSpace(t.Title), t.Name)
			}
		}
	}
	if j != nil {
		o.Changed = journal.Tally{Files: j.Len, Added: j.Added, Removed: j.Removed}
	}
	return o
}

// State says in a few words where the session stands.
func (o Overview) State() string {
	switch {
	case o.Standing == conversation.StandingFailed && !o.Gone:
		return "the turn failed"
	case o.Gone:
		return "the agent has exited"
	case o.SignIn:
		return "waits for you to sign in"
	case o.Waiting == 1:
		return "waits for your answer"
	case o.Waiting > 1:
		return fmt.Sprintf("waits for %d answers", o.Waiting)
	case o.Working, o.Standing == conversation.StandingWorking:
		return "working"
	case !o.GoesOn.IsZero():
		return "waits for the plan's limit, next try " + MomentText(o.GoesOn, time.Now())
	case o.AtLimit:
		return "waits for you: the plan's limit is reached"
	case o.OverBudget:
		return "waits for you: the budget is used up"
	case o.Standing == conversation.StandingAsks:
		return "waits for you"
	case o.Standing == conversation.StandingDone:
		return "finished"
	case o.Queued > 0:
		return "idle, " + termtext.Count(o.Queued, "prompt") + " queued"
	}
	return "idle"
}
