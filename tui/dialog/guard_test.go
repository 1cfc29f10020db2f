package dialog

import (
	"testing"
	"time"
)

func TestGuard(t *testing.T) {
	const ms = time.Millisecond
	// Each step is a moment after the dialog came up.
	type step struct {
		at    time.Duration
		typed bool
		want  time.Duration // until it takes keys, after the step
	}
	for _, tt := range []struct {
		name  string
		steps []step
	}{
		{"nobody types", []step{{at: 0, want: 450 * ms}, {at: 449 * ms, want: ms}, {at: 450 * ms, want: 0}}},
		{"typed long before", []step{{at: -time.Second, typed: true, want: 0}, {at: 0, want: 450 * ms}}},
		{"typed just before", []step{{at: -10 * ms, typed: true, want: 490 * ms}, {at: 0, want: 490 * ms}, {at: 490 * ms, want: 0}}},
		{"types on", []step{
			{at: 100 * ms, typed: true, want: 500 * ms},
			{at: 550 * ms, typed: true, want: 500 * ms},
			{at: 1049 * ms, want: ms},
			{at: 1050 * ms, want: 0},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &clock{time.Unix(1000, 0)}
			g := NewGuard(c.now)
			came := c.at
			opened := false
			for _, s := range tt.steps {
				c.at = came.Add(s.at)
				if s.at >= 0 && !opened {
					at := c.at
					c.at = came
					g.open()
					c.at, opened = at, true
				}
				if s.typed {
					g.Typed()
				}
				if !opened {
					continue
				}
				if got := g.ArmsIn(c.at); got != s.want {
					t.Errorf("at %v: arms in %v, want %v", s.at, got, s.want)
				}
			}
		})
	}
}

func TestGuardBounce(t *testing.T) {
	c := &clock{time.Unix(1000, 0)}
	g := NewGuard(c.now)
	if g.Bounced("y") {
		t.Error("a key bounced before any answer")
	}
	g.answer("y")
	g.open()
	for range 20 { // held down
		c.pass(100 * time.Millisecond)
		if !g.Bounced("y") {
			t.Fatal("a key held down after it answered reached somebody")
		}
		if g.Bounced("n") {
			t.Error("another key bounced")
		}
		if !g.inert() {
			t.Error("the next question takes keys while the last key is held down")
		}
	}
	c.pass(LookTime)
	if g.Bounced("y") {
		t.Error("a new press counts as a bounce")
	}
	if g.inert() {
		t.Error("still inert")
	}
}

// A question that is long on its way to the screen has been seen by nobody.
func TestGuardBeginsWhenTheQuestionIsOnTheScreen(t *testing.T) {
	c := &clock{time.Unix(1000, 0)}
	g := NewGuard(c.now)
	g.Watched = true
	g.open()
	first, unseen := g.Unseen()
	c.pass(time.Minute)
	if !unseen || !g.inert() {
		t.Error("it takes keys before it is on the screen")
	}
	g.open() // another question, before the first one is on the screen
	second, _ := g.Unseen()
	g.Seen(first)
	c.pass(LookTime)
	if !g.inert() {
		t.Error("it takes keys because another question was on the screen")
	}
	g.Seen(second)
	if in := g.ArmsIn(c.at); in != LookTime {
		t.Errorf("once it is on the screen it takes keys in %v, want %v", in, LookTime)
	}
	c.pass(LookTime)
	g.Seen(second) // as the next frame says
	if _, unseen := g.Unseen(); unseen || g.inert() {
		t.Error("it never takes keys")
	}
}
