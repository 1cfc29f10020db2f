package tab

import (
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/record"
)

// recordedSession is a script of three turns, a second between any two steps. The second
// turn asks for a permission, which is denied.
func recordedSession() *record.Script {
	at := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	s := &record.Script{Started: at, Cwd: "/work"}
	text := func(t string) conversation.Event {
		return conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: t}
	}
	now := at
	stamp := func() time.Time { return now }
	for _, make := range []func() conversation.Event{
		func() conversation.Event { return conversation.SessionOpened{ID: "s", Cwd: "/work"} },
		func() conversation.Event { return sentAt("tidy up", stamp()) },
		func() conversation.Event { return text("All is tidy.") },
		func() conversation.Event { return conversation.TurnEnded{Reason: acpclient.StopEndTurn, At: stamp()} },
		func() conversation.Event { return sentAt("clean up", stamp()) },
		func() conversation.Event {
			return conversation.PermissionOpened{ID: 1, At: stamp(), Request: &acpclient.RequestPermissionRequest{
				ToolCall: acpclient.ToolCallUpdate{ToolCallID: "t", Title: new("Remove the build")},
				Options: []acpclient.PermissionOption{
					{OptionID: "yes", Name: "Allow", Kind: acpclient.AllowOnce},
					{OptionID: "no", Name: "Never", Kind: acpclient.RejectOnce},
				},
			}}
		},
		func() conversation.Event {
			return conversation.QuestionClosed{ID: 1, At: stamp(), Outcome: acpclient.PermissionSelected("no")}
		},
		func() conversation.Event { return text("I leave it then.") },
		func() conversation.Event { return conversation.TurnEnded{Reason: acpclient.StopEndTurn, At: stamp()} },
		func() conversation.Event { return sentAt("goodbye", stamp()) },
		func() conversation.Event { return text("Farewell.") },
		func() conversation.Event { return conversation.TurnEnded{Reason: acpclient.StopEndTurn, At: stamp()} },
	} {
		s.Steps = append(s.Steps, record.Step{At: now.Sub(at), Event: make()})
		now = now.Add(time.Second)
	}
	return s
}

func sentAt(text string, at time.Time) conversation.PromptSent {
	return conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock(text)}, At: at}
}

// replayBench is a tab that shows a replay, at its beginning.
func replayBench(t *testing.T, dir string) *bench {
	t.Helper()
	b := newBench(t, dir)
	b.Tab = New(2, b.program, dir)
	b.Show()
	b.Replay(record.NewPlayer(recordedSession(), record.PlayerOptions{MaxPause: time.Second}))
	b.draw()
	return b
}

// pass lets time pass.
func (b *bench) pass(d time.Duration) {
	const step = 100 * time.Millisecond
	for ; d > 0; d -= step {
		b.clock = b.clock.Add(step)
		b.Update(then(b.state.(*replaying).Play))
	}
}

func TestReplayPlaysAndPauses(t *testing.T) {
	b := replayBench(t, t.TempDir())
	b.mustShow(t, " REPLAY  playing", "0:00 / 0:11  turn 0 of 3  speed 1x", "space pause")
	b.pass(2 * time.Second)
	b.mustShow(t, "❯ tidy up", "All is tidy.", "turn 1 of 3", "working 1s")
	b.press(" ")
	b.pass(time.Hour / 100)
	b.mustShow(t, "paused", "0:02 / 0:11", "space resume", "working 1s") // the time of the session stands still as well
	b.press(" ")
	b.press("+", "+")
	b.mustShow(t, "playing", "speed 4x")
	b.pass(500 * time.Millisecond)
	b.mustShow(t, "turn 2 of 3", "❯ clean up")
	b.press("-", "-")
	b.pass(time.Second)
	b.mustShow(t, "speed 1x", "asked: Remove the build  answered: Never")
	b.pass(time.Minute / 4)
	b.mustShow(t, "at the end", "Farewell.", "0:11 / 0:11  turn 3 of 3", "space play again")
	b.press(" ")
	b.pass(200 * time.Millisecond)
	b.mustShow(t, "playing", "turn 0 of 3")
}

// What is on the screen after a jump is what was there when it was played.
func TestReplaySeeks(t *testing.T) {
	b := replayBench(t, t.TempDir())
	b.press(" ")
	var there []string
	transcript := func() string {
		s, _, _ := strings.Cut(b.screen(), "────")
		return s
	}
	for range 4 {
		b.press("]")
		there = append(there, transcript())
	}
	b.mustShow(t, "at the end")
	if !strings.Contains(there[3], "Farewell.") || strings.Contains(there[2], "Farewell.") || !strings.Contains(there[2], "❯ goodbye") {
		t.Errorf("the turns begin with\n%s", strings.Join(there, "\n---\n"))
	}
	for i := 2; i >= 0; i-- {
		b.press("p")
		if got := transcript(); got != there[i] {
			t.Errorf("back in turn %d:\n%s\ninstead of\n%s", i+1, got, there[i])
		}
	}
	b.press("[")
	b.mustShow(t, "turn 0 of 3")
	for range 4 {
		b.press("n")
	}
	if got := transcript(); got != there[3] {
		t.Errorf("at the end:\n%s\ninstead of\n%s", got, there[3])
	}
}

// Whatever is pressed, a replay asks nothing, starts nothing and writes nothing.
func TestNothingIsDoneInAReplay(t *testing.T) {
	synctest.Test(t, doesNothing) // for the time that commands let pass
}

func doesNothing(t *testing.T) {
	dir := t.TempDir()
	b := replayBench(t, dir)
	before := files(t, dir)
	b.press("]", "]")
	b.pass(time.Second)
	b.mustShow(t, "asked: Remove the build")
	if !b.dialogs.Empty() {
		t.Error("there is a question")
	}
	for _, keys := range [][]string{
		{"1"},
		{"y"},
		{"ctrl+n"},
		{"ctrl+s"},
		{"alt+n"},
		{"alt+w"},
		{"alt+r"},
		{"shift+tab"},
		{"f2"},
		{"ctrl+g"},
		{"ctrl+r"},
		{"alt+1"},
		{"esc"},
		{"up"},
		{"enter"},
		{"!"},
		{"x"},
		{"tab", "o", "t", "x", "a", "esc"},
	} {
		for _, key := range keys {
			if cmd := b.Update(keyPress(key)); cmd != nil {
				wantNoWish(t, key, cmd)
			}
		}
		if !b.dialogs.Empty() || b.session() != nil {
			t.Errorf("%q does something", keys)
		}
	}
	b.Update(tea.PasteMsg{Content: "words"})
	if b.mustShow(t, "REPLAY"); !b.composer.Empty() {
		t.Error("there is a prompt")
	}
	b.pass(time.Minute / 4)
	b.Close()(t.Context())
	if after := files(t, dir); after != before {
		t.Errorf("there are files:\n%s", after)
	}
}

// wantNoWish fails if a command wishes for anything of the program.
func wantNoWish(t *testing.T, key string, cmd tea.Cmd) {
	t.Helper()
	switch msg := cmd().(type) {
	case Request:
		t.Errorf("%s wishes for %T", key, msg)
	case tea.BatchMsg:
		for _, cmd := range msg {
			if cmd != nil {
				wantNoWish(t, key, cmd)
			}
		}
	}
}

func files(t *testing.T, dir string) string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range list {
		names = append(names, f.Name())
	}
	return strings.Join(names, " ")
}

// The transcript can be read as ever, and the help can be opened.
func TestReplayIsRead(t *testing.T) {
	b := replayBench(t, t.TempDir())
	b.press(" ", "]", "]")
	b.press("tab")
	b.mustShow(t, "j/k move")
	b.press("k", "esc")
	b.mustShow(t, "space resume")
	b.press("f1")
	b.mustShow(t, "In the prompt and everywhere")
	b.press("esc")
	b.mustShow(t, "turn 2 of 3")
	for _, key := range []string{"q", "ctrl+c", "ctrl+d"} {
		cmd := b.Update(keyPress(key))
		if cmd == nil {
			t.Fatalf("%s does nothing", key)
		}
		if q, is := cmd().(Quit); !is || !q.Sure {
			t.Errorf("%s does not leave", key)
		}
	}
}
