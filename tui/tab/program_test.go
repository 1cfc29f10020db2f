package tab

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

// Whatever a command brings names the tab, or is a wish: nothing of it could be
// taken for another tab's.
func TestEveryMessageNamesItsTab(t *testing.T) {
	t.Setenv("VISUAL", "true")
	dir := t.TempDir()
	for _, tt := range []struct {
		name string
		do   func(*bench) tea.Cmd
	}{
		{"what is said for a moment", func(b *bench) tea.Cmd { return b.Update(ErrorMsg{Err: errors.New("it went wrong")}) }},
		{"a second ctrl+c that does not come", func(b *bench) tea.Cmd { return b.Update(keyPress("ctrl+c")) }},
		{"a turn's end", func(b *bench) tea.Cmd { return b.batch(conversation.TurnEnded{}) }},
		{"a file in an editor", func(b *bench) tea.Cmd { return b.address(b.edit("a.txt", 0)) }},
		{"the prompt in an editor", func(b *bench) tea.Cmd { return b.Update(keyPress("ctrl+g")) }},
		{"a copy", func(b *bench) tea.Cmd {
			b.press("tab")
			return b.Update(keyPress("y"))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, dir)
				defer b.Close()(t.Context())
				b.events(conversation.FileWritten{Path: "a.txt"}, conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: "hello"})
				if n := b.follow(t, tt.do(b)); n == 0 {
					t.Error("nothing came")
				}
			})
		})
	}
}

// follow runs a command and all that follows from it, and counts the messages. Time
// passes at once.
func (b *bench) follow(t *testing.T, cmd tea.Cmd) (n int) {
	t.Helper()
	if cmd == nil {
		return 0
	}
	came := make(chan tea.Msg, 1)
	go func() { came <- cmd() }()
	time.Sleep(time.Minute)
	var msg tea.Msg
	select {
	case msg = <-came:
	default: // the pump waits for the agent
	}
	switch msg := msg.(type) {
	case nil:
		return 0
	case tea.BatchMsg:
		for _, cmd := range msg {
			n += b.follow(t, cmd)
		}
		return n
	case Exec:
		return 1 + b.follow(t, func() tea.Msg { return msg.Done(errors.New("exit status 1")) })
	case Request:
		return 1
	case Msg:
		if msg.To != b.ID() {
			t.Errorf("%T is for the tab %d", msg.Msg, msg.To)
		}
		return 1 + b.follow(t, b.Update(msg.Msg))
	}
	t.Errorf("%T names no tab", msg)
	return 0
}

// There is nothing behind the choice of an agent: closing it closes the tab.
func TestLeavingTheChoiceOfAnAgentLeavesTheTab(t *testing.T) {
	b := newBench(t, t.TempDir())
	empty := New(7, b.program, t.TempDir())
	empty.Show()
	empty.Start(nil)
	cmd := empty.Update(keyPress("esc"))
	if cmd == nil {
		t.Fatal("esc did nothing")
	}
	if got := cmd(); got != (Leave{7}) {
		t.Errorf("esc did %#v", got)
	}
}

// What has ended in the background is told until the tab is shown.
func TestUnseen(t *testing.T) {
	var s tabInfo
	s.Notice(conversation.TurnEnded{}, conversation.Ending{How: conversation.EndedByUser})
	if s.unseen != conversation.StandingIdle {
		t.Errorf("one that the user has cancelled: %d", s.unseen)
	}
	s.Notice(conversation.TurnEnded{}, conversation.Ending{})
	if s.unseen != conversation.StandingDone {
		t.Errorf("a turn in the background: %d", s.unseen)
	}
	s.Notice(conversation.TurnEnded{Err: errors.New("no")}, conversation.Ending{})
	if s.unseen != conversation.StandingFailed {
		t.Errorf("one that failed: %d", s.unseen)
	}
	s.show()
	s.Notice(conversation.TurnEnded{}, conversation.Ending{})
	if s.unseen != conversation.StandingIdle || s.turns != 4 {
		t.Errorf("after it was seen: %d, and %d turns", s.unseen, s.turns)
	}
}

func TestMain(m *testing.M) {
	test.HoldRegexpClock()
	m.Run()
}
