package record_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/record"
	"parley/internal/test"
)

const second = time.Second

// says is a piece of an answer.
func says(text string) conversation.Event {
	return conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: text}
}

func prompts(text string) conversation.Event {
	return conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock(text)}}
}

// three is a script of three turns: the second begins after a silence of a minute.
func three() *record.Script {
	return &record.Script{
		Started: time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC),
		Steps: []record.Step{
			{At: 0, Event: conversation.AgentStarting{}},
			{At: 1 * second, Event: prompts("1")},
			{At: 2 * second, Event: says("a")},
			{At: 62 * second, Event: prompts("2")},
			{At: 64 * second, Event: says("b")},
			{At: 65 * second, Event: prompts("3")},
			{At: 66 * second, Event: says("c")},
		},
	}
}

// words are events in short.
func words(list []conversation.Event) string {
	var out []string
	for _, e := range list {
		switch e := e.(type) {
		case conversation.PromptSent:
			out = append(out, ">"+e.Prompt[0].Text)
		case conversation.Text:
			out = append(out, e.Text)
		default:
			out = append(out, strings.TrimPrefix(fmt.Sprintf("%T", e), "conversation."))
		}
	}
	return strings.Join(out, " ")
}

func wantSteps(t *testing.T, got []conversation.Event, want string) {
	t.Helper()
	if words(got) != want {
		t.Errorf("got %q, want %q", words(got), want)
	}
}

func TestPlaysInTime(t *testing.T) {
	p := record.NewPlayer(three(), record.PlayerOptions{MaxPause: 2 * second})
	wantSteps(t, p.Advance(0), "AgentStarting")
	wantSteps(t, p.Advance(second/2), "")
	if wait, plays := p.Wait(); wait != second/2 || !plays {
		t.Errorf("the next step comes in %v, %v", wait, plays)
	}
	wantSteps(t, p.Advance(second/2), ">1")
	wantSteps(t, p.Advance(2*second), "a")
	if now := p.Now(); now != three().Started.Add(3*second) {
		t.Errorf("it is %v", now)
	}
	wantSteps(t, p.Advance(second), ">2") // of the minute, two seconds are left
	if now := p.Now(); now != three().Started.Add(62*second) {
		t.Errorf("it is %v", now)
	}
	if played, whole := p.Position(); played != 4*second || whole != 8*second {
		t.Errorf("it is at %v of %v", played, whole)
	}
	if turn, of := p.Turn(); turn != 2 || of != 3 {
		t.Errorf("it is turn %d of %d", turn, of)
	}
	wantSteps(t, p.Advance(time.Hour), "b >3 c")
	if _, plays := p.Wait(); plays || !p.Ended() || p.Playing() {
		t.Error("it has not ended")
	}
}

func TestSpeeds(t *testing.T) {
	p := record.NewPlayer(three(), record.PlayerOptions{MaxPause: 2 * second, Speed: 2})
	wantSteps(t, p.Advance(second), "AgentStarting >1 a")
	p.Slower()
	p.Slower()
	if p.Speed() != 0.5 {
		t.Errorf("the speed is %v", p.Speed())
	}
	wantSteps(t, p.Advance(3*second), "")
	wantSteps(t, p.Advance(second), ">2")
	for range 20 {
		p.Faster()
	}
	if p.Speed() != record.MaxSpeed || p.Speed().String() != "max" {
		t.Errorf("the speed is %v", p.Speed())
	}
	wantSteps(t, p.Advance(0), "b >3 c")
	for text, want := range map[string]record.Speed{"2": 2, "0.5": 0.5, "4x": 4, "max": record.MaxSpeed, "1000": 1000} {
		if got, err := record.ParseSpeed(text); got != want || err != nil {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "x", "0", "-1", "NaN", "Inf", "1e9", "fast", "0.001"} {
		if got, err := record.ParseSpeed(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}

func TestPauseAndTurns(t *testing.T) {
	p := record.NewPlayer(three(), record.PlayerOptions{MaxPause: 2 * second})
	p.Pause()
	wantSteps(t, p.Advance(time.Hour), "")
	wantSteps(t, p.NextTurn(), "AgentStarting >1")
	wantSteps(t, p.NextTurn(), "a >2")
	wantSteps(t, p.NextTurn(), "b >3")
	wantSteps(t, p.NextTurn(), "c")
	wantSteps(t, p.NextTurn(), "")
	// Back is what it has to be folded of anew.
	wantSteps(t, p.PrevTurn(), "AgentStarting >1 a >2 b >3")
	wantSteps(t, p.PrevTurn(), "AgentStarting >1 a >2")
	if !p.Paused() {
		t.Error("it goes on")
	}
	p.Pause()
	wantSteps(t, p.Advance(2*second), "b")
	wantSteps(t, p.PrevTurn(), "AgentStarting >1 a >2")
	wantSteps(t, p.Advance(second/2), "")
	wantSteps(t, p.PrevTurn(), "AgentStarting >1") // it had hardly begun
	wantSteps(t, p.PrevTurn(), "")
	wantSteps(t, p.PrevTurn(), "")
	if played, _ := p.Position(); played != 0 {
		t.Errorf("it is at %v", played)
	}
	wantSteps(t, p.Advance(0), "AgentStarting")
	p.Pause()
	p.Restart()
	wantSteps(t, p.Advance(time.Hour), "AgentStarting >1 a >2 b >3 c")
	wantSteps(t, p.PrevTurn(), "AgentStarting >1 a >2 b >3")
	if !p.Paused() {
		t.Error("from the end it does not stay at the turn that was sought")
	}
}

func TestSilencesAreLeftOut(t *testing.T) {
	p := record.NewPlayer(three(), record.PlayerOptions{})
	wantSteps(t, p.Advance(0), "AgentStarting >1 a >2 b >3 c")
	p = record.NewPlayer(&record.Script{}, record.PlayerOptions{})
	if wantSteps(t, p.Advance(0), ""); !p.Ended() || !p.Now().IsZero() {
		t.Error("nothing has not ended")
	}
	wantSteps(t, p.NextTurn(), "")
	wantSteps(t, p.PrevTurn(), "")
}

// However it is steered, what was handed out since the last way back is the beginning
// of the script, in order.
func TestSteering(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := &record.Script{}
		at := time.Duration(0)
		for i := range rapid.IntRange(0, 1500).Draw(rt, "steps") {
			e := says(fmt.Sprint(i))
			if rapid.IntRange(0, 9).Draw(rt, "turn") == 0 {
				e = prompts(fmt.Sprint(i))
			}
			at += time.Duration(rapid.IntRange(0, 3000).Draw(rt, "gap")) * time.Millisecond
			s.Steps = append(s.Steps, record.Step{At: at, Event: e})
		}
		p := record.NewPlayer(s, record.PlayerOptions{MaxPause: second})
		n := 0
		for range rapid.IntRange(0, 30).Draw(rt, "acts") {
			switch rapid.IntRange(0, 6).Draw(rt, "act") {
			case 0:
				n += len(p.NextTurn())
			case 1:
				n = len(p.PrevTurn())
			case 2:
				p.Pause()
			case 3:
				p.Faster()
			case 4:
				p.Slower()
			default:
				got := p.Advance(time.Duration(rapid.IntRange(0, 5000).Draw(rt, "ms")) * time.Millisecond)
				if words(got) != words(s.Events()[n:n+len(got)]) {
					rt.Fatalf("after %d came %q", n, words(got))
				}
				n += len(got)
			}
			played, whole := p.Position()
			if played < 0 || played > whole || p.Ended() != (n == len(s.Steps)) {
				rt.Fatalf("at %d of %d it is %v of %v, ended: %v", n, len(s.Steps), played, whole, p.Ended())
			}
		}
	})
}

// What is played again from the beginning folds to the same: folding changes no event.
func TestPlayingAgainFoldsToTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stream := rapid.SliceOfN(test.Random(), 0, 40).Draw(t, "stream")
		fold := func() *conversation.Conversation {
			c := conversation.New()
			for _, e := range stream {
				c.Apply(e)
			}
			return c
		}
		first := fold()
		if d := test.Diff(first, fold()); d != "" {
			t.Fatalf("folded again it is another conversation (-first +again):\n%s", d)
		}
	})
}

// Times that are not known are spread between those that are.
func TestTimesOfStoredEvents(t *testing.T) {
	at := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	s := record.ScriptOf([]conversation.Event{
		conversation.AgentReady{},
		conversation.PromptSent{At: at},
		says("a"),
		says("b"),
		says("c"),
		conversation.TurnEnded{At: at.Add(4 * second)},
		conversation.PromptSent{At: at.Add(-time.Hour)}, // a clock that was set back
		says("d"),
	})
	var got []time.Duration
	for _, step := range s.Steps {
		got = append(got, step.At)
	}
	if d := cmp.Diff([]time.Duration{0, 0, second, 2 * second, 3 * second, 4 * second, 4 * second, 4 * second}, got); d != "" || s.Started != at {
		t.Errorf("%v %s", s.Started, d)
	}
	if s := record.ScriptOf([]conversation.Event{says("a")}); !s.Started.IsZero() || len(s.Steps) != 1 {
		t.Errorf("%+v", s)
	}
}

func TestAnswers(t *testing.T) {
	s := &record.Script{Steps: []record.Step{
		{Event: conversation.PermissionOpened{ID: 1}},
		{Event: conversation.PermissionOpened{ID: 2}},
		{At: second, Event: conversation.QuestionClosed{ID: 2, Outcome: acpclient.PermissionSelected("no")}},
	}}
	p := record.NewPlayer(s, record.PlayerOptions{MaxPause: second})
	p.Advance(0)
	if a := p.Answer(2); a == nil || a.Outcome.OptionID != "no" {
		t.Errorf("answered %+v", a)
	}
	if a := p.Answer(1); a != nil {
		t.Errorf("answered %+v", a)
	}
}

// BenchmarkBack goes back in a session of 10,000 items and folds what is before.
func BenchmarkBack(b *testing.B) {
	s := &record.Script{}
	for i := range 10_000 {
		at := time.Duration(i) * second
		s.Steps = append(s.Steps,
			record.Step{At: at, Event: prompts("do it")},
			record.Step{At: at, Event: says("it is done")},
			record.Step{At: at, Event: conversation.TurnEnded{Reason: acpclient.StopEndTurn}})
	}
	b.ReportAllocs()
	for b.Loop() {
		p := record.NewPlayer(s, record.PlayerOptions{Speed: record.MaxSpeed})
		for !p.Ended() {
			p.Advance(0)
		}
		c := conversation.New()
		for _, e := range p.PrevTurn() {
			c.Apply(e)
		}
		if len(c.Items) < 10_000 {
			b.Fatal(len(c.Items))
		}
	}
}
