package screen

import (
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// slowTerminal takes what is written only after a time.
type slowTerminal struct {
	after time.Duration
	taken atomic.Int64 // lines
}

func (s *slowTerminal) Write(p []byte) (int, error) {
	time.Sleep(s.after) // on the clock of the bubble
	s.taken.Add(int64(strings.Count(string(p), "\n")))
	return len(p), nil
}

// What stays on the terminal is written to its end, however long a terminal takes for it
// that goes on taking.
func TestEverythingThatStaysIsWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const lines = 5_000
		to := &slowTerminal{after: closeTime - time.Millisecond}
		term := newTerminal(nil, colorprofile.NoTTY, Unicode)
		term.inline = &inline{width: 80}
		o := newOutput(to, term)
		o.on = true
		o.stay(strings.Split(strings.Repeat("A line of the conversation that stays.\n", lines-1)+"The last.", "\n"))
		if !o.leaveFor(closeTime) || to.taken.Load() < lines {
			t.Errorf("%d of %d lines were written", to.taken.Load(), lines)
		}
	})
}

// A terminal that takes nothing any more keeps nobody from leaving.
func TestLeavesATerminalThatTakesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOutput(&slowTerminal{after: time.Hour}, newTerminal(nil, colorprofile.NoTTY, Unicode))
		o.on = true
		if o.leaveFor(closeTime) {
			t.Error("it has taken everything")
		}
		time.Sleep(2 * time.Hour) // lets the one that writes end
	})
}

// The library says at some time after the start with which colours it was started. What
// the terminal said before stays true.
func TestKeepsTheColoursOfTheTerminal(t *testing.T) {
	s := &screen{output: newOutput(&slowTerminal{}, newTerminal(nil, colorprofile.ANSI256, Unicode))}
	for _, p := range []colorprofile.Profile{colorprofile.TrueColor, colorprofile.ANSI256} {
		msg := s.filter(nil, tea.ColorProfileMsg{Profile: p})
		if told := msg != nil; told != (p == colorprofile.TrueColor) {
			t.Errorf("%v: the program is told: %v", p, told)
		}
	}
	if p := s.output.term.profile; p != colorprofile.TrueColor {
		t.Errorf("the colours are those of %v", p)
	}
}

// What a frame says when it is shown, it says when the terminal has taken it.
func TestAFrameIsShownOnceTheTerminalHasTakenIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOutput(&slowTerminal{after: time.Hour}, newTerminal(nil, colorprofile.NoTTY, Unicode))
		o.on, o.painted = true, func() {}
		said := make(chan tea.Msg, 1)
		o.post = func(msg tea.Msg) { said <- msg }
		go o.run()
		o.show(Frame{Lines: []string{"a question"}, Shown: "it is there"}, 80, 24)
		synctest.Wait()
		if len(said) > 0 {
			t.Error("it was shown before the terminal has taken it")
		}
		time.Sleep(2 * time.Hour)
		if msg := <-said; msg != "it is there" {
			t.Errorf("it said %v", msg)
		}
		close(o.done)
	})
}

// The terminal is told once what the program does, each record by itself, and nothing of it
// stays there afterwards.
func TestTheStatusOfTheProgram(t *testing.T) {
	term := newTerminal(nil, colorprofile.NoTTY, Unicode)
	term.enter()
	drawn := func(status ...tea.ProgramStatus) string { return string(term.frame(Frame{Status: status}, 20, 5)) }
	front, others := tea.ProgramStatus{State: tea.ProgramStateWorking, Title: "a"}, tea.ProgramStatus{State: tea.ProgramStateIdle, ID: "others"}
	if got := drawn(front, others); !strings.Contains(got, "7501;state=working") || !strings.Contains(got, "7501;state=idle:id=others") {
		t.Errorf("first %q", got)
	}
	if got := drawn(front, others); strings.Contains(got, "7501") {
		t.Errorf("the same again: %q", got)
	}
	others.State = tea.ProgramStateDone
	if got := drawn(front, others); strings.Count(got, "7501") != 1 || !strings.Contains(got, "state=done:id=others") {
		t.Errorf("one has changed: %q", got)
	}
	if got := drawn(front); strings.Count(got, "7501") != 1 || !strings.Contains(got, "7501;state=clear:id=others") {
		t.Errorf("one is gone: %q", got)
	}
	if got := string(term.leave(nil)); !strings.Contains(got, "7501;state=clear") {
		t.Errorf("at the end %q", got)
	}
}
