package conversation

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"parley/acpclient"
	"parley/internal/termtext"
)

// Standing is where a session stands, ordered by how soon it needs the user.
type Standing uint8

// The standings.
const (
	StandingIdle    Standing = iota // nothing runs
	StandingLimited                 // it waits for a limit of the user's plan, and goes on by itself
	StandingWorking                 // a turn runs, or the agent is starting
	StandingDone                    // a turn has ended that the user has not seen; only front ends know
	StandingFailed                  // there is no session, or a turn failed that the user has not seen
	StandingLost                    // the agent has exited
	StandingAsks                    // a question is open, or the user has to decide
)

// standingNames are the stored names of the standings.
var standingNames = [...]string{
	StandingIdle: "idle", StandingLimited: "limited", StandingWorking: "working", StandingDone: "done",
	StandingFailed: "failed", StandingLost: "lost", StandingAsks: "asks",
}

// MarshalText implements [encoding.TextMarshaler].
func (s Standing) MarshalText() ([]byte, error) {
	if int(s) >= len(standingNames) {
		return nil, fmt.Errorf("there is no standing %d", int(s))
	}
	return []byte(standingNames[s]), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler]. An unknown name is that of a newer parley: the
// session counts as idle.
func (s *Standing) UnmarshalText(name []byte) error {
	*s = Standing(max(0, slices.Index(standingNames[:], string(name))))
	return nil
}

// standing is the part of the State that is shown in lists of sessions.
type standing struct {
	stood         Standing
	since, latest time.Time // of the standing, and of the last event with a time
}

// progressing is the part of the State that says how far the session is.
type progressing struct {
	progress Progress
	plan     acpclient.PlanID // of progress
	plans    bool             // the agent sends plans
	Ending   Ending           // of the last turn, unless another one runs
	last     tail
}

// Standing returns where the session stands, and since when; zero is unknown.
func (s *State) Standing() (now Standing, since time.Time) { return s.stood, s.since }

// stands updates the standing after an event.
func (s *State) stands(e Event) {
	if at := timeOf(e); !at.IsZero() {
		s.latest = at
	}
	if now := s.standingNow(); now != s.stood {
		s.stood, s.since = now, s.latest
	}
}

func (s *State) standingNow() Standing {
	switch {
	case s.Phase == PhaseLost:
		return StandingLost
	case s.Phase == PhaseFailed:
		return StandingFailed
	case s.Waiting() > 0 && s.Turn.Cancelling.IsZero(), s.AuthError != nil, s.Stuck(), s.Work.State == acpclient.WorkRequiresAction,
		slices.ContainsFunc(s.RunningSubagents(), func(t *ToolCall) bool { return t.Subagent.Waits }):
		return StandingAsks
	case s.Turn.Running, s.Opening(), s.Busy():
		return StandingWorking
	case s.WaitsForLimit():
		return StandingLimited
	}
	return StandingIdle
}

// Stuck reports whether the queue, or a turn that the budget has ended, waits until the user decides about a
// budget or a limit of the plan.
func (s *State) Stuck() bool {
	return s.OverBudget() || s.AtLimit()
}

// OverBudget reports whether that is so about the budget.
func (s *State) OverBudget() bool {
	return s.BudgetReached && !s.Stopped && !s.Turn.Running && (len(s.Queue) > 0 || s.Ending.How == EndedEarly)
}

// AtLimit reports whether that is so about a limit.
func (s *State) AtLimit() bool {
	return s.Limit != nil && !s.Limit.Stopped && !s.Turn.Running && len(s.Queue) > 0 && !s.WaitsForLimit()
}

// timeOf returns when an event happened, zero if unknown. Streamed events do not count: a
// merged text has no time.
func timeOf(e Event) (at time.Time) {
	switch e.(type) {
	case Text, Update, TerminalOutput:
		return at
	}
	if f := reflect.ValueOf(e).FieldByName("At"); f.IsValid() {
		at, _ = f.Interface().(time.Time)
	}
	return at
}

// Progress is how far a plan is.
type Progress struct {
	Done int `json:"done"`
	All  int `json:"all"`
	// Step is the entry in progress, or else the next; "" if none is left. It is untrusted.
	Step string `json:"step,omitempty"`
}

// String returns the progress with its step, for display; "" if nothing is left to do.
func (p Progress) String() string {
	if p.Step == "" {
		return ""
	}
	return fmt.Sprintf("%d/%d %s", p.Done, p.All, termtext.Line(p.Step))
}

// Progress returns how far the latest plan is.
func (s *State) Progress() Progress { return s.progress }

func (s *State) applyProgress(id acpclient.PlanID, entries []acpclient.PlanEntry) {
	entries = first(entries, mostEntries)
	s.plan, s.progress = id, Progress{All: len(entries)}
	next, running := "", ""
	for _, e := range slices.Backward(entries) {
		switch e.Status {
		case acpclient.PlanCompleted:
			s.progress.Done++
			continue
		case acpclient.PlanInProgress:
			running = e.Content
		}
		next = e.Content
	}
	if s.progress.Step = next; running != "" {
		s.progress.Step = running
	}
	s.progress.Step = termtext.Head(s.progress.Step, 500, "")
}

// Doing returns the last call of the turn that still runs, nil if none does.
func (s *State) Doing() *ToolCall {
	const near = 100 // calls from the last one on
	for i := len(s.liveTools) - 1; i >= max(0, len(s.liveTools)-near); i-- {
		if t := s.liveTools[i]; t.Running() {
			return t
		}
	}
	return nil
}

// The bounds of a tail, in bytes: it holds at least the last tailBytes, if there are so many.
const (
	tailBytes = 2 << 10
	tailFull  = 2 * tailBytes
)

// tail is the end of what the agent has written, across its messages.
type tail struct {
	text  []byte
	of    messageKey // the message at the end
	begin int        // where it begins in text
}

// write appends text to a message, or replaces the message if the text is the whole of it.
func (t *tail) write(of messageKey, text string, whole bool) {
	if of != t.of {
		t.of = of
		t.end()
	}
	if whole {
		t.text = t.text[:t.begin]
	}
	if cut := len(text) - tailFull; cut > 0 {
		text = text[cut:]
	}
	t.text = append(t.text, text...)
	if cut := len(t.text) - tailBytes; len(t.text) > tailFull {
		t.text = append(t.text[:0], t.text[cut:]...)
		t.begin = max(0, t.begin-cut)
	}
}

// end ends a message: what follows begins on a line of its own.
func (t *tail) end() {
	if n := len(t.text); n > 0 && t.text[n-1] != '\n' {
		t.text = append(t.text, '\n')
	}
	t.begin = len(t.text)
}

// Last returns the last lines that the agent has written, at most so many, without blank ones. It
// costs the same however long the session is. The lines are untrusted.
func (s *State) Last(lines int) (last []string) {
	end := s.last.text[max(0, len(s.last.text)-tailBytes):]
	for line := range strings.Lines(strings.ToValidUTF8(string(end), "")) {
		if line = strings.TrimRight(line, " \t\r\n"); line != "" {
			last = append(last, line)
		}
	}
	return last[max(0, len(last)-lines):]
}
