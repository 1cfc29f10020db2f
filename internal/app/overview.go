package app

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/internal/conversation"
	"parley/internal/journal"
	"parley/internal/termtext"
)

// Tally counts changed files and lines.
type Tally = journal.Tally

// Overview sums up a session for lists of sessions. Its fields hold untrusted text, its methods return
// text to display.
type Overview struct {
	Agent string `json:"agent"`
	Title string `json:"title,omitempty"`

	// Standing is where the session stands, and Since the time from which on; zero if unknown.
	Standing conversation.Standing `json:"standing,omitzero"`
	Since    time.Time             `json:"standingSince,omitzero"`
	// Working means that a turn runs, Waiting counts the open questions, Queued the queued
	// prompts. Gone means that the agent has exited, or could not open the session.
	Working bool `json:"working,omitempty"`
	Waiting int  `json:"waiting,omitempty"`
	Queued  int  `json:"queued,omitempty"`
	Paused  bool `json:"paused,omitempty"` // the queue waits for the user
	Gone    bool `json:"gone,omitempty"`
	// Over means that its host does not run any more; only boards know.
	Over bool `json:"over,omitempty"`
	// Question is what the first open question asks, or that about a limit or the budget. Asked identifies
	// the agent's, and is zero otherwise.
	Question string            `json:"question,omitempty"`
	Asked    conversation.Seen `json:"asked,omitzero"`
	// GoesOn is when a session that waits for a limit of the user's plan goes on; zero if it does not
	// wait for one. AtLimit and OverBudget mean that the user has to decide about a limit, which resets
	// at Resets, zero if unknown, or the budget, SignIn that they have to sign in.
	GoesOn     time.Time `json:"goesOn,omitzero"`
	AtLimit    bool      `json:"atLimit,omitempty"`
	Resets     time.Time `json:"resets,omitzero"`
	OverBudget bool      `json:"overBudget,omitempty"`
	SignIn     bool      `json:"signIn,omitempty"`
	// Held means that a prompt would wait until the user decides about the budget.
	Held bool `json:"held,omitempty"`
	// Child is a subagent that reports that it waits for the user, "" if there is none.
	Child string `json:"child,omitempty"`

	// Ending is how the last turn has ended, unless another one runs.
	Ending conversation.Ending `json:"ending,omitzero"`
	// Step is the plan's step in progress, or else the running tool call; "" if nothing runs.
	// Progress counts the steps of the latest plan.
	Step     string                `json:"step,omitempty"`
	Progress conversation.Progress `json:"progress,omitzero"`
	// Last are the last lines that the agent has written.
	Last []string `json:"last,omitempty"`

	Spent conversation.Spent `json:"spent,omitzero"`
	// Changed counts the changed files, and their lines as far as these are counted.
	Changed journal.Tally `json:"changed,omitzero"`
}

const (
	lastLines   = 30  // bounds [Overview.Last]
	longestText = 500 // bounds the text of a question or a call, in bytes
)

// OverviewOf sums up the state of a session and the changes on its machine, which may be nil. Its cost
// does not depend on the length of the session.
func OverviewOf(s *conversation.State, j *journal.Summary) Overview {
	o := Overview{
		Agent: s.Agent.Name(), Title: cmp.Or(s.Title, s.Asked),
		Working: s.Turn.Running, Waiting: s.Waiting(), Queued: len(s.Queue), Paused: s.QueuePaused, Gone: s.Gone(),
		AtLimit: s.AtLimit(), OverBudget: s.OverBudget(), Held: s.BudgetReached, SignIn: s.AuthError != nil,
		Ending: s.Ending, Progress: s.Progress(), Last: s.Last(lastLines), Spent: s.Spent(),
	}
	o.Standing, o.Since = s.Standing()
	if !s.Turn.Cancelling.IsZero() {
		o.Waiting = 0 // the questions are closed with the turn
	}
	if o.AtLimit {
		o.Resets = s.Limit.Resets
	}
	if s.WaitsForLimit() {
		o.GoesOn = s.LimitWait
	}
	for _, t := range s.RunningSubagents() {
		if t.Subagent.Waits {
			o.Child = callText(t)
		}
	}
	if o.Waiting > 0 {
		first := conversation.Questions[conversation.Question](s)[0]
		o.Asked = first.Now()
		o.Question = conversation.Match(first,
			func(p *conversation.Permission) string { return callText(p.Asked) },
			func(e *conversation.Elicitation) string { return termtext.Head(e.Request.Message, longestText, "") })
	}
	switch {
	case o.AtLimit:
		o.Question = limitTitle(s.Limit, !o.reset())
	case o.OverBudget:
		o.Question = "The budget is used up"
	}
	if s.Turn.Running || s.Busy() {
		if o.Step = o.Progress.String(); o.Step == "" {
			if t := s.Doing(); t != nil {
				o.Step = callText(t)
			}
		}
	}
	if j != nil {
		o.Changed = j.Tally
	}
	return o
}

// callText is the agent's name for a call.
func callText(t *conversation.ToolCall) string {
	return termtext.Head(cmp.Or(strings.TrimSpace(t.Title), t.Name), longestText, "")
}

// State says in a few words where the session stands.
func (o Overview) State() string {
	switch {
	case o.Over:
		return cmp.Or(termtext.Line(o.Ending.Why), "does not run any more")
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
	case o.Child != "":
		return "a subagent waits for you: " + termtext.Line(o.Child)
	case o.Standing == conversation.StandingAsks && o.Working:
		return "waits for you"
	case o.Working, o.Standing == conversation.StandingWorking:
		return "working"
	case !o.GoesOn.IsZero():
		return "waits for the plan's limit, next try " + MomentText(o.GoesOn, time.Now())
	case o.reset():
		return "waits for you: the plan's limit has reset"
	case o.AtLimit:
		return "waits for you: the plan's limit is reached"
	case o.OverBudget:
		return "waits for you: the budget is used up"
	case o.Standing == conversation.StandingAsks:
		return "waits for you"
	case o.OnHold():
		return "paused, " + termtext.Count(o.Queued, "prompt") + " queued"
	case o.Standing == conversation.StandingDone:
		return "finished"
	case o.Queued > 0:
		return "idle, " + termtext.Count(o.Queued, "prompt") + " queued"
	case o.Ending.How == conversation.EndedByUser:
		return "cancelled"
	case o.Stands() == conversation.StandingFailed:
		return "the turn failed"
	}
	return "idle"
}

// reset reports whether the limit that the user has to decide about has reset.
func (o Overview) reset() bool {
	return o.AtLimit && !o.Resets.IsZero() && !o.Resets.After(time.Now())
}

// Groups are the groups of the board, in order.
var Groups = [...]string{"Needs you", "Works", "Waits", "Done"}

// Group returns the position of the session's group in [Groups].
func (o Overview) Group() int {
	if o.OnHold() {
		return 2
	}
	switch o.Standing {
	case conversation.StandingAsks, conversation.StandingLost, conversation.StandingFailed:
		return 0
	case conversation.StandingWorking:
		return 1
	case conversation.StandingLimited:
		return 2
	}
	return 3
}

// Words are the standings in a word, wherever one stands for a session.
var Words = [...]string{
	conversation.StandingIdle: "idle", conversation.StandingLimited: "waits", conversation.StandingWorking: "works", conversation.StandingDone: "done",
	conversation.StandingFailed: "failed", conversation.StandingLost: "exited", conversation.StandingAsks: "asks",
}

// OnHold reports whether nothing runs, and prompts wait until the user goes on, which matters more than how
// the turn before has ended.
func (o Overview) OnHold() bool {
	return (o.Standing == conversation.StandingIdle || o.Standing == conversation.StandingDone) && o.Paused && o.Queued > 0 && !o.Over
}

// Stands returns where to show that the session stands: its turn has failed also once the user knows.
func (o Overview) Stands() conversation.Standing {
	switch {
	case o.OnHold():
		return conversation.StandingIdle
	case o.Standing == conversation.StandingIdle && o.Ending.How == conversation.EndedBadly:
		return conversation.StandingFailed
	}
	return o.Standing
}

// Brief says in a word where the session stands, and for how long.
func (o Overview) Brief(now time.Time) string {
	word := Words[o.Stands()]
	switch {
	case o.Over:
		word = "ended"
	case o.OnHold():
		word = "paused"
	case o.Standing == conversation.StandingIdle && o.Ending.How == conversation.EndedByUser:
		word = "cancelled"
	}
	return word + o.age(now, " ")
}

// Now says what the session asks, waits for or does; "" if that is nothing.
func (o Overview) Now() string {
	switch {
	case o.Over, o.OnHold(), o.reset(): // perhaps since Question was set
		return o.State()
	case o.Question != "":
		return o.Question
	case o.Standing == conversation.StandingWorking:
		return o.Step
	case o.Standing == conversation.StandingIdle, o.Standing == conversation.StandingDone:
		return ""
	}
	return o.State()
}

// age is how long the session has stood there, after lead; "" if that is unknown.
func (o Overview) age(now time.Time, lead string) string {
	if o.Since.IsZero() || termtext.Age(now.Sub(o.Since)) == "" {
		return ""
	}
	return lead + termtext.Age(now.Sub(o.Since))
}

// StateText returns State with its age.
func (o Overview) StateText(now time.Time) string {
	return o.State() + o.age(now, ", ")
}

// Next returns when these texts change without an event; zero is never.
func (o Overview) Next(now time.Time) (next time.Time) {
	if !o.Since.IsZero() {
		next = o.Since.Add(termtext.NextAge(now.Sub(o.Since)))
	}
	if o.AtLimit && o.Resets.After(now) && (next.IsZero() || o.Resets.Before(next)) {
		next = o.Resets
	}
	return next
}

// ChangesText counts the changed lines, or the files if no lines are known; "" if there are none.
func (o Overview) ChangesText() string {
	switch c := o.Changed; {
	case c.Added+c.Removed > 0:
		return fmt.Sprintf("+%d −%d", c.Added, c.Removed)
	case c.Files > 0:
		return termtext.Count(c.Files, "file")
	}
	return ""
}

// SpentText returns the cost, or the tokens if the cost is unknown; "" if nothing was reported.
func (o Overview) SpentText() string {
	switch {
	case o.Spent.Cost != nil && o.Spent.Cost.Amount > 0:
		return conversation.Money(o.Spent.Cost)
	case o.Spent.Tokens > 0:
		return TokensText(o.Spent.Tokens) + " tokens"
	}
	return ""
}

// Loses says what ending the session now loses. stored means that its transcript is stored.
func (o Overview) Loses(stored bool) string {
	var lost []string
	if o.Working {
		lost = append(lost, "This stops the agent in the middle of its turn.")
	} else {
		lost = append(lost, "This ends the agent and all programs that it has started.")
	}
	if o.Queued > 0 {
		lost = append(lost, termtext.Capital(termtext.Count(o.Queued, "queued prompt"))+" will not be sent.")
	}
	if stored {
		lost = append(lost, "The transcript stays.")
	} else {
		lost = append(lost, "It is not stored: the transcript is lost.")
	}
	return strings.Join(lost, " ")
}

// Arrange puts sessions into the order of the board, and returns the group of each. Those of a comparison
// stand together, where the most urgent of them does. of returns a session's overview and comparison.
func Arrange[T any](all []T, of func(T) (Overview, string)) (groups []int) {
	slices.SortStableFunc(all, func(a, b T) int {
		x, _ := of(a)
		y, _ := of(b)
		return moreUrgent(x, y)
	})
	sorted, placed := slices.Clone(all), map[string]bool{}
	all = all[:0]
	for i, it := range sorted {
		o, in := of(it)
		if placed[in] {
			continue
		}
		placed[in] = in != ""
		for _, other := range sorted[i:] {
			if _, its := of(other); its == in {
				all, groups = append(all, other), append(groups, o.Group())
			}
			if in == "" {
				break
			}
		}
	}
	return groups
}

// moreUrgent orders sessions by their groups, and then by how soon they need the user. Of two with the same
// standing, the one that has waited longer for the user comes first; otherwise the more recent one.
func moreUrgent(a, b Overview) int {
	if a.Group() != b.Group() {
		return cmp.Compare(a.Group(), b.Group())
	}
	if a.Standing != b.Standing {
		return cmp.Compare(b.Standing, a.Standing)
	}
	if a.Standing >= conversation.StandingDone {
		return a.Since.Compare(b.Since)
	}
	return b.Since.Compare(a.Since)
}
