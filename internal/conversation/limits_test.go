package conversation_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
)

// reported folds usage reports of claude-agent-acp about limits, each at a minute.
func reported(t *testing.T, at time.Time, infos ...string) *conversation.State {
	t.Helper()
	s := conversation.NewState()
	for _, info := range infos {
		u := &acpclient.UsageUpdate{Used: 1, Size: 2, Meta: acpclient.Meta(fmt.Sprintf(`{"_claude/rateLimit":%s}`, info))}
		s.Apply(conversation.Update{Update: u, At: at})
	}
	return s
}

func TestLimitsOfAPlanAreRead(t *testing.T) {
	at := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	resets := at.Add(2 * time.Hour)
	for _, c := range []struct {
		info string
		want conversation.PlanLimit
	}{
		{
			fmt.Sprintf(`{"status":"allowed_warning","rateLimitType":"five_hour","utilization":0.82,"resetsAt":%d}`, resets.Unix()),
			conversation.PlanLimit{Kind: "five_hour", Used: 0.82, Near: true, Resets: resets},
		},
		{
			fmt.Sprintf(`{"status":"rejected","rateLimitType":"seven_day","resetsAt":%d}`, resets.Unix()),
			conversation.PlanLimit{Kind: "seven_day", Used: -1, Reached: true, Resets: resets},
		},
		{`{"status":"rejected","isUsingOverage":true,"utilization":100}`, conversation.PlanLimit{Used: 1}},
		{`{"status":"allowed","utilization":-3,"resetsAt":-1}`, conversation.PlanLimit{Used: -1}},
		{`{"status":"allowed","utilization":1e300,"resetsAt":1e300}`, conversation.PlanLimit{Used: -1}},
		{fmt.Sprintf(`{"status":"allowed","resetsAt":%d}`, at.AddDate(1, 0, 0).Unix()), conversation.PlanLimit{Used: -1}},
		{fmt.Sprintf(`{"status":"allowed","resetsAt":%d}`, resets.UnixMilli()), conversation.PlanLimit{Used: -1}},
	} {
		got := reported(t, at, c.info).Limits
		if len(got) != 1 || !got[0].Resets.Equal(c.want.Resets) {
			t.Errorf("%s: read %v, want %v", c.info, got, c.want)
			continue
		}
		got[0].Resets, c.want.Resets = time.Time{}, time.Time{}
		if got[0] != c.want {
			t.Errorf("%s: read %+v, want %+v", c.info, got[0], c.want)
		}
	}
	if s := reported(t, at, `7`, `{"status":[]}`, `null`); len(s.Limits) != 0 {
		t.Errorf("of what is no report, %v was read", s.Limits)
	}
}

func TestALimitIsReplacedByItsNextReport(t *testing.T) {
	s := reported(t, time.Time{}, `{"rateLimitType":"a","utilization":0.1}`, `{"rateLimitType":"b","utilization":0.2}`, `{"rateLimitType":"a","utilization":0.3}`)
	if got := s.Limits; len(got) != 2 || got[0].Kind != "b" || got[1].Used != 0.3 {
		t.Errorf("the limits are %v", got)
	}
	var many []string
	for i := range 1000 {
		many = append(many, fmt.Sprintf(`{"rateLimitType":"%d"}`, i))
	}
	if got := reported(t, time.Time{}, many...).Limits; len(got) > 8 || got[len(got)-1].Kind != "999" {
		t.Errorf("of 1000 limits, %v are kept", got)
	}
}

func TestLimitIn(t *testing.T) {
	at := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	rejected := fmt.Sprintf(`{"status":"rejected","rateLimitType":"five_hour","resetsAt":%d}`, at.Add(time.Hour).Unix())
	past := fmt.Sprintf(`{"status":"rejected","rateLimitType":"five_hour","resetsAt":%d}`, at.Add(-time.Hour).Unix())
	const claude, codex, gemini = "@agentclientprotocol/claude-agent-acp", "@agentclientprotocol/codex-acp", "gemini-cli"
	for _, c := range []struct {
		name, agent, message, data string
		infos                      []string
		limited                    bool
		resets                     time.Time
	}{
		{"claude says when", claude, "You've hit your limit", `{"errorKind":"rate_limit"}`, []string{rejected}, true, at.Add(time.Hour)},
		{
			"the later of two", claude, "You've hit your limit", `{"errorKind":"rate_limit"}`,
			[]string{rejected, fmt.Sprintf(`{"status":"rejected","rateLimitType":"seven_day","resetsAt":%d}`, at.Add(9*time.Hour).Unix())},
			true, at.Add(9 * time.Hour),
		},
		{"a reset that was long ago says nothing", claude, "rate limited", `{"errorKind":"rate_limit"}`, []string{past}, true, time.Time{}},
		{"claude in words", claude, "You've hit your session limit · resets 3pm (UTC)", "", nil, true, at.Add(3 * time.Hour)},
		{"claude's older words", claude, "5-hour limit reached ∙ resets 3pm (UTC)", "", nil, true, at.Add(3 * time.Hour)},
		{"a date in them", claude, "Weekly limit reached, resets Nov 30, 5pm (UTC)", "", nil, true, time.Date(2026, 11, 30, 17, 0, 0, 0, time.UTC)},
		{"seconds", claude, fmt.Sprintf("Claude AI usage limit reached|%d", at.Add(time.Hour).Unix()), "", nil, true, at.Add(time.Hour)},
		{"in another zone", claude, "You've hit your limit · resets 9:30pm (Asia/Tokyo)", "", nil, true, at.Add(31 * time.Minute)},
		{"tomorrow", claude, "You've hit your limit · resets 9am (UTC)", "", nil, true, at.Add(21 * time.Hour)},
		{"with a date", claude, "You've hit your weekly limit · resets Dec 1 at 5pm (UTC)", "", nil, true, time.Date(2026, 12, 1, 17, 0, 0, 0, time.UTC)},
		{"in no zone", claude, "You've hit your limit · resets 3pm (Mars/Olympus)", "", nil, true, time.Time{}},
		{"codex", codex, "You've hit your usage limit. Try again at 1:05 PM.", `{"codexErrorInfo":"usageLimitExceeded"}`, nil, true, at.Add(66 * time.Minute)},
		{"a minute that has begun", codex, "You've hit your usage limit. Try again at 12:00 PM.", "", nil, true, at.Add(time.Minute)},
		{"a minute that has just passed", codex, "You've hit your usage limit. Try again at 11:56 AM.", "", nil, true, at.Add(time.Minute)},
		{"one that passed a while ago", codex, "You've hit your usage limit. Try again at 11:50 AM.", "", nil, true, at.Add(24*time.Hour - 9*time.Minute)},
		{"codex with a date", codex, "You've hit your usage limit. Try again at Nov 30th, 2026 8:00 AM.", "", nil, true, time.Date(2026, 11, 30, 8, 1, 0, 0, time.UTC)},
		{"codex, far away", codex, "You've hit your usage limit. Try again at Nov 30th, 2036 8:00 AM.", "", nil, true, time.Time{}},
		{"codex in days", codex, "You've hit your usage limit. Try again in 3 days 4 hours 2 minutes.", "", nil, true, at.Add(76*time.Hour + 2*time.Minute)},
		{"gemini", gemini, "You have exhausted your daily quota. Your quota will reset after 3h2m1s.", "", nil, true, at.Add(3*time.Hour + 2*time.Minute + time.Second)},
		{"a number too large", codex, "You've hit your usage limit. Try again in 99999999999999999999 days.", "", nil, true, time.Time{}},
		{"another error after a report", claude, "the server is gone", `{"errorKind":"server_error"}`, []string{rejected}, true, at.Add(time.Hour)},
		{"another error after an old report", claude, "the server is gone", `{"errorKind":"server_error"}`, []string{past}, false, time.Time{}},
		{"another error", claude, "the server is gone", `{"errorKind":"server_error"}`, nil, false, time.Time{}},
		{"an agent that nobody knows", "someone", "You've hit your usage limit. Try again in 2 seconds.", "", nil, true, at.Add(2 * time.Second)},
		{"broken data", "someone", "no", `[1`, nil, false, time.Time{}},
	} {
		s := reported(t, at, c.infos...)
		s.Agent.Info.Name = c.agent
		l, limited := s.LimitIn(&acpclient.Error{Code: -32603, Message: c.message, Data: json.RawMessage(c.data)}, at)
		if limited != c.limited || !l.Resets.Equal(c.resets) {
			t.Errorf("%s: a limit %v that resets %v, want %v, %v", c.name, limited, l.Resets, c.limited, c.resets)
		}
	}
	midnight := &acpclient.Error{Message: "You've hit your usage limit. Try again at 11:59 PM."}
	if l, _ := conversation.NewState().LimitIn(midnight, time.Date(2026, 11, 28, 0, 0, 10, 0, time.UTC)); l.Resets.Hour() != 0 || l.Resets.Day() != 28 {
		t.Errorf("at midnight, the last minute of the day before resets %v", l.Resets)
	}
	next := reported(t, at, rejected)
	next.Apply(conversation.PromptSent{At: at})
	if _, limited := next.LimitIn(&acpclient.Error{Message: "the server is gone"}, at); limited {
		t.Error("an error is a limit that was reported in the turn before")
	}
	if _, limited := conversation.NewState().LimitIn(fmt.Errorf("You've hit your limit"), at); limited {
		t.Error("an error that no agent sent is a limit of its plan")
	}
	if _, limited := conversation.NewState().LimitIn(nil, at); limited {
		t.Error("no error is a limit")
	}
}

func FuzzLimitIn(f *testing.F) {
	for _, words := range []string{"resets 3pm (UTC)", "try again at Jan 3rd, 2026 3:04 PM", "try again in 2 hours 5 minutes", "resets Feb 31 at 12am", "reset after 1d2h3m4s"} {
		f.Add(words)
	}
	at := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, words string) {
		s := conversation.NewState()
		l, limited := s.LimitIn(&acpclient.Error{Message: words, Data: json.RawMessage(`{"errorKind":"rate_limit"}`)}, at)
		if !limited {
			t.Fatal("it is no limit")
		}
		if left := l.Resets.Sub(at); !l.Resets.IsZero() && (left <= 0 || left > 41*24*time.Hour) {
			t.Errorf("%q resets in %v", words, left)
		}
	})
}

func TestAPromptEndsTheLimit(t *testing.T) {
	s := conversation.NewState()
	s.Apply(conversation.QueueChanged{Queue: make([]conversation.QueuedPrompt, 1), Paused: true})
	s.Apply(conversation.LimitReached{Kind: "five_hour"})
	s.Apply(conversation.LimitWait{Until: time.Unix(math.MaxInt32, 0)})
	if !s.WaitsForLimit() || s.Limit == nil || !s.SendsNext() {
		t.Error("it does not wait")
	}
	lost := conversation.NewState()
	*lost = *s
	lost.Apply(conversation.AgentLost{})
	if lost.WaitsForLimit() || lost.Limit == nil || len(lost.Queue) != 1 {
		t.Error("without its agent it waits, or has forgotten why it stands")
	}
	s.Apply(conversation.PromptSent{})
	if s.WaitsForLimit() || s.Limit != nil || slices.ContainsFunc(s.Limits, func(l conversation.PlanLimit) bool { return l.Reached }) {
		t.Error("it still waits")
	}
}
