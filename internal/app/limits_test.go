package app

import (
	"strings"
	"testing"
	"time"

	"parley/config"
	"parley/internal/conversation"
	"parley/internal/session"
)

// A session that waits for a limit is not listed as idle, and one that waits for the user says so.
func TestRunningAtALimit(t *testing.T) {
	now := time.Now()
	at := time.Date(now.Year(), now.Month(), now.Day(), 12, 5, 0, 0, now.Location())
	for want, r := range map[string]Running{
		"waits for the plan's limit, next try at 12:05": {Overview: Overview{Queued: 1, GoesOn: at}},
		"waits for you: the plan's limit is reached":    {Overview: Overview{Queued: 1, AtLimit: true}},
		"paused, 1 prompt queued":                       {Overview: Overview{Queued: 1, Paused: true}},
	} {
		if got := r.State(); got != want {
			t.Errorf("it %q, want %q", got, want)
		}
	}
}

func TestLimitText(t *testing.T) {
	now := time.Date(2026, 11, 27, 12, 0, 0, 0, time.Local)
	for want, l := range map[string]conversation.PlanLimit{
		"5-hour limit 82% used, resets at 15:00":             {Kind: "five_hour", Used: 0.82, Near: true, Resets: now.Add(3 * time.Hour)},
		"weekly limit reached, resets on Tue 1 Dec at 12:00": {Kind: "seven_day", Used: -1, Reached: true, Resets: now.AddDate(0, 0, 4)},
		"monthly code reviews limit almost reached":          {Kind: "monthly_code_reviews", Used: -1, Near: true, Resets: now.Add(-time.Hour)},
		"limit not reached":                                  {Used: -1},
	} {
		if got := LimitText(l, now); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got, want := LimitName("x\x1b[2J_y"+strings.Repeat("z", 1000)), 50; len(got) > want || strings.Contains(got, "\x1b") {
		t.Errorf("an agent's name for a limit is shown as %q", got)
	}
}

// limited is a session at a limit.
type limited struct{ Session }

func (limited) About() About { return About{} }

// What an agent calls a limit begins a sentence, in any script.
func TestTheQuestionAtALimit(t *testing.T) {
	c := conversation.New()
	for want, kind := range map[string]string{"5-hour limit reached": "five_hour", "Été limit reached": "été", "The limit of the plan is reached": ""} {
		c.Limit, c.Queue, c.QueuePaused = &conversation.LimitReached{Kind: kind}, []conversation.QueuedPrompt{{ID: 1}}, true
		if q := LimitQuestion(limited{}, c, time.Now(), nil); q == nil || q.Title != want || len(q.Choices) != 2 {
			t.Errorf("it asks %+v, want %q", q, want)
		}
		c.Limit.Resets = time.Unix(9, 0)
		if q := LimitQuestion(limited{}, c, time.Now(), nil); !strings.HasSuffix(q.Title, " has reset") || q.Choices[0].Name != "Go on" {
			t.Errorf("once it has reset, it asks %+v", q)
		}
	}
}

// The configuration says what happens at a limit, and the flag more.
func TestWhatHappensAtALimit(t *testing.T) {
	for _, c := range []struct {
		set  config.LimitWait
		flag bool
		want session.LimitPolicy
	}{
		{config.LimitWaitAsk, false, session.AskAtLimit},
		{config.LimitWaitAlways, false, session.WaitAtLimit},
		{config.LimitWaitNever, false, session.FailAtLimit},
		{config.LimitWaitNever, true, session.WaitAtLimit},
	} {
		cfg := config.Default(nil)
		cfg.LimitWait = c.set
		if got := (&Launcher{Config: cfg, Overrides: Overrides{WaitForLimit: c.flag}}).atLimit(); got != c.want {
			t.Errorf("%s, waits %v: %d, want %d", c.set, c.flag, got, c.want)
		}
	}
}

// /usage says what is used up of each limit.
func TestUsedText(t *testing.T) {
	now := time.Date(2026, 11, 27, 12, 0, 0, 0, time.Local)
	c := conversation.New()
	if got := UsedText(c, now); got != "" {
		t.Errorf("of nothing, it says %q", got)
	}
	c.Limits = []conversation.PlanLimit{{Kind: "five_hour", Used: 0.2}, {Kind: "seven_day", Used: 0.5}}
	if got, want := UsedText(c, now), "5-hour limit 20% used; weekly limit 50% used"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
