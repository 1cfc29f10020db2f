package tab

import (
	"testing"
	"time"
)

func TestTheTurnsClockStandsStillWhileThePersonIsAsked(t *testing.T) {
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	at := func(s int) time.Time { return begin.Add(time.Duration(s) * time.Second) }
	var c turnClock
	for _, step := range []struct {
		turn   time.Time
		waits  bool
		at     int
		worked int
	}{
		{at(0), false, 10, 10},
		{at(0), true, 20, 20},
		{at(0), true, 60, 20},
		{at(0), false, 80, 20}, // answered after a minute
		{at(0), false, 85, 25},
		{at(0), true, 90, 30},
		{at(100), false, 105, 5}, // the next turn begins anew
	} {
		c.follow(step.turn, step.waits, at(step.at))
		if got := c.worked(at(step.at)); got != time.Duration(step.worked)*time.Second {
			t.Errorf("at %ds: %v, want %ds", step.at, got, step.worked)
		}
	}
}
