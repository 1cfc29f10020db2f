package conversation

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/acpclient"
)

// PlanLimit is what an agent says of a limit of the user's plan, such as what may be used up in
// five hours.
type PlanLimit struct {
	// Kind is the agent's name for it, such as "five_hour". It is untrusted text.
	Kind string
	// Used is the part that is used up, from 0 to 1; -1 if unknown.
	Used float64
	// Near means that the agent warns, Reached that it refuses to work.
	Near, Reached bool
	// Resets is when it resets, zero if unknown.
	Resets time.Time
}

const (
	mostLimits = 8
	// longestLimit is more than any plan counts over. A reset later than that is a mistake.
	longestLimit = 40 * 24 * time.Hour
	// lateError is how long after its reset a limit may still end a turn.
	lateError = 5 * time.Minute
)

// limiting is the part of the State about the limits of the user's plan.
type limiting struct {
	// Limits are those that the agent reports, never changed in place.
	Limits []PlanLimit
	// Limit is the limit at which the last turn has ended, nil if it has not. Its prompt is then
	// the first of the paused queue.
	Limit *LimitReached
	// LimitWait is when the queue goes on, zero if that waits for the user.
	LimitWait time.Time
	// refuses means that the agent has reported a limit as reached since the last prompt.
	refuses bool
}

func (e LimitReached) fold(s *State) { s.Limit, s.LimitWait = &e, time.Time{} }
func (e LimitWait) fold(s *State)    { s.LimitWait = e.Until }

// WaitsForLimit reports whether the queue goes on by itself when a limit resets.
func (s *State) WaitsForLimit() bool {
	return !s.LimitWait.IsZero() && s.QueuePaused && !s.Turn.Running
}

// claudeLimit is SDKRateLimitInfo of claude-agent-acp, which sends it in
// _meta["_claude/rateLimit"] of a usage_update.
type claudeLimit struct {
	Status      string   `json:"status"`
	Kind        string   `json:"rateLimitType"`
	ResetsAt    *float64 `json:"resetsAt"` // seconds since 1970
	Utilization *float64 `json:"utilization"`
	Overage     bool     `json:"isUsingOverage"`
}

// applyLimit folds what a usage report says of a limit.
func (s *State) applyLimit(meta acpclient.Meta, at time.Time) {
	r, ok := acpclient.MetaValue[claudeLimit](meta, "_claude/rateLimit")
	if !ok {
		return
	}
	l := PlanLimit{
		Kind: r.Kind, Used: -1, Near: r.Status == "allowed_warning",
		Reached: r.Status == "rejected" && !r.Overage,
	}
	if u := r.Utilization; u != nil && *u >= 0 && *u <= 100 {
		if l.Used = *u; l.Used > 1 { // in percent
			l.Used /= 100
		}
	}
	if r.ResetsAt != nil {
		l.Resets = plausibleReset(*r.ResetsAt, at)
	}
	s.refuses = s.refuses || l.Reached
	list := slices.DeleteFunc(slices.Clone(s.Limits), func(o PlanLimit) bool { return o.Kind == l.Kind })
	s.Limits = append(list[max(0, len(list)-mostLimits+1):], l)
}

// plausibleReset returns the time of a reset in seconds since 1970, zero if that cannot be. at
// is when it was said, zero if unknown.
func plausibleReset(seconds float64, at time.Time) time.Time {
	if !(seconds > 0 && seconds < math.MaxInt32*2) {
		return time.Time{}
	}
	resets := time.UnixMilli(int64(seconds * 1000))
	if !at.IsZero() && resets.Sub(at) > longestLimit {
		return time.Time{}
	}
	return resets
}

// LimitIn returns the limit of the user's plan at which a turn has ended, from the error of the
// agent and from what it has said before. An error in a turn in which the agent has reported a limit
// as reached that resets later is that limit, whatever its words.
func (s *State) LimitIn(err error, at time.Time) (LimitReached, bool) {
	answer, is := errors.AsType[*acpclient.Error](err)
	if !is {
		return LimitReached{}, false
	}
	words, l := answer.Words(), LimitReached{}
	for _, r := range s.Limits {
		if r.Reached && r.Resets.After(at.Add(-lateError)) && r.Resets.After(l.Resets) { // all of them have to reset
			l = LimitReached{Kind: r.Kind, Resets: r.Resets}
		}
	}
	if !(s.refuses && l.Resets.After(at)) && !limited(answer, words) {
		return LimitReached{}, false
	}
	if l.Resets.IsZero() {
		l.Resets = resetIn(words, at)
	}
	return l, true
}

// limitWords are parts of the errors, in lower case, by which agents say that a limit of the user's
// plan is reached, where nothing else in the error says so.
var limitWords = []string{
	"exhausted your daily quota", "quota exceeded", "exhausted your capacity", "resource_exhausted", // gemini-cli
	"hit your usage limit", "reached your usage limit", // codex-acp
	"you've hit your", "you've reached your", "you're out of usage credits", "out of extra usage", "usage limit reached", "hour limit reached", "weekly limit reached", // claude-agent-acp
}

// limited reports whether an error says that a limit of the user's plan is reached.
func limited(e *acpclient.Error, words string) bool {
	var data struct {
		Kind  string          `json:"errorKind"`
		Codex json.RawMessage `json:"codexErrorInfo"`
	}
	if json.Unmarshal(e.Data, &data) == nil {
		switch {
		case data.Kind == "rate_limit",
			string(data.Codex) == `"usageLimitExceeded"`, string(data.Codex) == `"rateLimitExceeded"`:
			return true
		}
	}
	words = strings.ToLower(words)
	return slices.ContainsFunc(limitWords, func(part string) bool { return strings.Contains(words, part) })
}

// Agents say in words when a limit resets: "try again at 3:04 PM", "try again at Jan 3rd, 2026
// 3:04 PM", "resets 3pm (Europe/Berlin)", "resets Jan 3 at 3:30pm", "try again in 2 hours 5
// minutes", "Your quota will reset after 1h2m3s", "limit reached|1795860000".
var (
	resetUnix  = regexp.MustCompile(`\|(\d{10})\b`)
	resetAfter = regexp.MustCompile(`(?i)\b(?:in|after) ((?:\d+(?:\.\d+)? ?(?:d|h|m|s|days?|hours?|hrs?|minutes?|mins?|seconds?|secs?)\b[ ,]*(?:and )?|\d+[dhms])+)`)
	amount     = regexp.MustCompile(`(?i)(\d+(?:\.\d+)?) ?([dhms])`)
	resetAt    = regexp.MustCompile(`(?i)\b(?:resets|reset at|try again at|again at)(?: at| on)? (?:([a-z]{3})[a-z]* (\d{1,2})(?:st|nd|rd|th)?(?:,? (\d{4}))?(?:,)?(?: at)? )?(\d{1,2})(?::(\d{2}))? ?([ap])\.?m\.?(?: \(([A-Za-z0-9_+/-]+)\))?`)
)

// resetIn reads when a limit resets from words, relative to when they were said; zero if they do
// not say.
func resetIn(words string, at time.Time) time.Time {
	if at.IsZero() {
		return time.Time{}
	}
	if m := resetUnix.FindStringSubmatch(words); m != nil {
		seconds, _ := strconv.ParseFloat(m[1], 64) // ten digits
		return plausibleReset(seconds, at)
	}
	if m := resetAt.FindStringSubmatch(words); m != nil {
		return clockTime(m, at)
	}
	m := resetAfter.FindStringSubmatch(words)
	if m == nil {
		return time.Time{}
	}
	var d time.Duration
	for _, part := range amount.FindAllStringSubmatch(m[1], -1) {
		n, err := strconv.ParseFloat(part[1], 64)
		unit := map[string]time.Duration{"d": 24 * time.Hour, "h": time.Hour, "m": time.Minute, "s": time.Second}[strings.ToLower(part[2])]
		if err != nil || n > longestLimit.Seconds() {
			return time.Time{}
		}
		d += time.Duration(n * float64(unit))
	}
	if d <= 0 || d > longestLimit {
		return time.Time{}
	}
	return at.Add(d)
}

// clockTime returns the first moment after at that a match of resetAt names. A minute is over at its
// end, and one that has just passed is worth a try, not a day of waiting.
func clockTime(m []string, at time.Time) time.Time {
	zone := at.Location()
	if m[7] != "" {
		named, err := time.LoadLocation(m[7])
		if err != nil {
			return time.Time{}
		}
		zone = named
	}
	now := at.In(zone)
	resets, err := time.ParseInLocation("Jan 2 2006 3:04PM", fmt.Sprintf("%s %s %s %s:%s%sM",
		cmp.Or(m[1], now.Format("Jan")), cmp.Or(m[2], now.Format("2")), cmp.Or(m[3], now.Format("2006")),
		m[4], cmp.Or(m[5], "00"), strings.ToUpper(m[6])), zone)
	if m[5] != "" {
		resets = resets.Add(time.Minute)
	}
	if yesterday := resets.AddDate(0, 0, -1); m[1] == "" && now.Sub(yesterday) < lateError {
		resets = yesterday // it is just after midnight
	}
	switch {
	case err != nil:
		return time.Time{}
	case !resets.After(now) && now.Sub(resets) < lateError:
		return at.Add(time.Minute)
	case m[3] != "" || resets.After(now):
	case m[1] != "":
		resets = resets.AddDate(1, 0, 0)
	default:
		resets = resets.AddDate(0, 0, 1)
	}
	if !resets.After(now) || resets.Sub(now) > longestLimit {
		return time.Time{}
	}
	return resets
}
