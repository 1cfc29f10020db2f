package app

import (
	"strings"
	"time"

	"parley/config"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/termtext"
)

// atLimit returns what follows when a turn ends at a limit of the user's plan.
func (l *Launcher) atLimit() session.LimitPolicy {
	switch {
	case l.WaitForLimit, l.Config.LimitWait == config.LimitWaitAlways:
		return session.WaitAtLimit
	case l.Config.LimitWait == config.LimitWaitNever:
		return session.FailAtLimit
	}
	return session.AskAtLimit
}

// WaitsAtLimit reports whether sessions wait by themselves when a limit of the user's plan is
// reached.
func (l *Launcher) WaitsAtLimit() bool { return l.atLimit() == session.WaitAtLimit }

// limitNames are names for the limits of claude-agent-acp (SDKRateLimitInfo.rateLimitType).
var limitNames = map[string]string{
	"five_hour": "5-hour limit", "seven_day": "weekly limit", "seven_day_opus": "weekly limit of Opus",
	"seven_day_sonnet": "weekly limit of Sonnet", "seven_day_overage_included": "weekly limit", "overage": "limit of extra usage",
}

// LimitName returns the name of a limit for display.
func LimitName(kind string) string {
	if name, known := limitNames[kind]; known {
		return name
	}
	const most = 40 // cells
	return strings.TrimSpace(termtext.Truncate(strings.ReplaceAll(termtext.Line(kind), "_", " "), most, "…") + " limit")
}

// LimitText says how much of a limit is used up and when it resets.
func LimitText(l conversation.PlanLimit, now time.Time) string {
	text := LimitName(l.Kind)
	switch {
	case l.Reached:
		text += " reached"
	case l.Used >= 0:
		text += " " + PercentText(l.Used) + " used"
	case l.Near:
		text += " almost reached"
	default:
		text += " not reached"
	}
	if l.Resets.After(now) {
		text += ", resets " + MomentText(l.Resets, now)
	}
	return text
}

// MomentText names a moment in the time of this machine: "at 15:04", with the day unless it is
// today.
func MomentText(at, now time.Time) string {
	at, now = at.Local(), now.Local()
	if at.YearDay() == now.YearDay() && at.Year() == now.Year() {
		return "at " + at.Format("15:04")
	}
	return "on " + at.Format("Mon 2 Jan") + " at " + at.Format("15:04")
}

// InText says how long it is until a moment: "in 3 min".
func InText(at, now time.Time) string {
	switch left := at.Sub(now); {
	case left < time.Second:
		return "now"
	case left < time.Minute:
		return "in " + termtext.Count(int((left+time.Second-1)/time.Second), "second")
	case left < 2*time.Hour:
		return "in " + termtext.Count(int((left+time.Minute-1)/time.Minute), "minute")
	case left < 48*time.Hour:
		return "in " + termtext.Count(int((left+time.Hour/2)/time.Hour), "hour")
	default:
		return "in " + termtext.Count(int((left+12*time.Hour)/(24*time.Hour)), "day")
	}
}

// UsedText returns the use of the context, the cost and the limits of the user's plan in words,
// "" if nothing is known.
func UsedText(c *conversation.Conversation, now time.Time) string {
	var words []string
	if text := UsageText(c.Usage); text != "" {
		words = append(words, "used: "+text)
	}
	for _, l := range c.Limits {
		words = append(words, LimitText(l, now))
	}
	return strings.Join(words, "; ")
}

// LimitWaitText says when a session goes on that waits for a limit.
func LimitWaitText(c *conversation.Conversation, now time.Time) string {
	return "Waiting for the plan's limit, next try " + MomentText(c.LimitWait, now)
}

// LimitReachedText says that a turn has ended at a limit, and when that resets.
func LimitReachedText(l conversation.LimitReached, now time.Time) string {
	text := "the plan's " + LimitName(l.Kind) + " is reached"
	if l.Resets.After(now) {
		text += "; it resets " + MomentText(l.Resets, now)
	}
	return text
}

// limitTitle says that a limit is reached, or has reset.
func limitTitle(l *conversation.LimitReached, reached bool) string {
	switch name := termtext.Capital(LimitName(l.Kind)); {
	case name == "Limit" && reached:
		return "The limit of the plan is reached"
	case name == "Limit":
		return "The limit of the plan has reset"
	case reached:
		return name + " reached"
	default:
		return name + " has reset"
	}
}

// LimitQuestion asks how to go on after a turn has ended at a limit of the user's plan. It is nil
// if there is nothing to ask: no such turn, the session waits already, or it is for others to
// decide. handOver has the user choose another agent; it may be nil.
func LimitQuestion(s Session, c *conversation.Conversation, now time.Time, handOver func()) *Question {
	limit := c.Limit
	if limit == nil || limit.Stopped || limit.Waits || !c.LimitWait.IsZero() || len(c.Queue) == 0 || c.Turn.Running || c.Gone() || s.About().LookOn {
		return nil
	}
	q := Question{Title: limitTitle(limit, true)}
	wait := Choice{Name: "Wait and go on", Key: "w", Here: func() { session.Post(s, session.WaitForLimit{}) }}
	switch {
	case limit.Resets.After(now):
		wait.More = MomentText(limit.Resets, now)
		q.Text = "It resets " + MomentText(limit.Resets, now) + ". This is sent then:"
	case !limit.Resets.IsZero():
		wait.Name = "Go on"
		q.Title, q.Text = limitTitle(limit, false), "This is sent again:"
	default:
		wait.More = "tries again every 15 minutes"
		q.Text = "The agent does not say when it resets. This is sent once it has:"
	}
	q.Lines = []string{PromptLine(c.Queue[0])}
	q.Choices = append(q.Choices, wait)
	if handOver != nil {
		q.Choices = append(q.Choices, Choice{Name: "Continue with another agent…", Key: "h", Here: handOver})
	}
	q.Choices = append(q.Choices, Choice{Name: "Stop here", More: "the prompt stays in the queue", Key: "s", Here: func() { session.Post(s, session.StopWaiting{}) }})
	return &q
}
