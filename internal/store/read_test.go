package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

// A log of version 1, as it was written when that was the newest. Every later version
// of parley has to read it.
func TestReadsALogOfVersion1(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("testdata", "version1.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	s := New(t.TempDir())
	if err := os.WriteFile(filepath.Join(s.dir, "old.jsonl"), b, fileMode); err != nil {
		t.Fatal(err)
	}
	got, err := s.Read(t.Context(), "old")
	if err != nil {
		t.Fatal(err)
	}
	c := got.Conversation
	test.WantTranscript(t, c,
		"user: Tidy up", "thought: Where to begin", "tool t1: Edit a.txt (completed)", "tool : make (completed)", "agent: Done, all of it.",
		"note: A word of parley's own", "user: And more", "agent: As I was say", "note: What is stored ends in the middle of this turn")
	m := got.Meta
	if m.ID != "old" || m.Agent != "mine" || !slices.Equal(m.Command, []string{"my-agent", "--acp"}) || m.Cwd != "/project" || !slices.Equal(m.Dirs, []string{"/more"}) {
		t.Errorf("the meta is %+v", m)
	}
	if got.Title != "My name for it" || c.Title != "Tidying" || c.ID != "s1" || c.Agent.Name() != "Scripted" {
		t.Errorf("got %q, %q, %q, %q", got.Title, c.Title, c.ID, c.Agent.Name())
	}
	if v, _ := c.OptionValue(c.Option("model")); v != acpclient.SelectValue("small") {
		t.Errorf("the model is %v", v)
	}
	if len(c.Queue) != 1 || !c.QueuePaused || c.Turn.Running || c.Phase != conversation.PhaseLost {
		t.Errorf("the queue is %v, paused %v, the turn runs %v, phase %v", c.Queue, c.QueuePaused, c.Turn.Running, c.Phase)
	}
	if got.Conversation.LastNumber != 3 {
		t.Errorf("the last number is %d", got.Conversation.LastNumber)
	}
	if len(c.Files) != 1 || len(c.Terminals) != 1 {
		t.Errorf("there are %d files and %d terminals", len(c.Files), len(c.Terminals))
	}
}

// Lines whose checksum is wrong are told of where they were, and how many they are.
func TestDamagedLinesAreToldOf(t *testing.T) {
	s, l := newLog(t)
	appendAll(t, l, test.Sent("one"), text("lost"), text("lost too"), conversation.TurnEnded{}, test.Sent("two"), text("lost again"), conversation.TurnEnded{})
	log, err := os.ReadFile(l.path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(l.path, []byte(strings.ReplaceAll(string(log), `"lost`, `"Lost`)), fileMode); err != nil {
		t.Fatal(err)
	}
	got, err := s.Read(t.Context(), l.ID())
	if err != nil {
		t.Fatal(err)
	}
	test.WantTranscript(t, got.Conversation,
		"user: one", "note: Damaged: cannot read 2 lines of the stored session here",
		"user: two", "note: Damaged: cannot read 1 line of the stored session here",
		"note: Damaged: cannot read 3 lines of the stored session in total")
	if got.Damaged != 3 {
		t.Errorf("%d lines are damaged", got.Damaged)
	}
}

// What was open when parley ended is ended by events, which end it for whoever reads the
// log after the next writer as well.
func TestWhatIsOpenIsEnded(t *testing.T) {
	s, l := newLog(t)
	appendAll(t, l, test.Sent("go"), test.Up(t, `{"sessionUpdate":"tool_call","toolCallId":"t1","title":"Run","status":"in_progress"}`),
		test.Permission(1, `{"toolCallId":"t1"}`),
		conversation.QueueChanged{Queue: []conversation.QueuedPrompt{{ID: 1, Steering: true}, {ID: 2, Reading: true}}})
	first, err := s.Read(t.Context(), l.ID())
	if err != nil {
		t.Fatal(err)
	}
	appendAll(t, l, first.Ending...)
	appendAll(t, l, conversation.AgentStarting{}, conversation.SessionOpening{How: conversation.OpenResume, ID: "x"}, conversation.SessionOpened{ID: "x"})
	second, err := s.Read(t.Context(), l.ID())
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range []*conversation.Conversation{first.Conversation, second.Conversation} {
		test.WantTranscript(t, c, "user: go", "tool t1: Run (in_progress) cancelled", "note: What is stored ends in the middle of this turn")
		if c.Turn.Running || len(test.Permissions(c)) > 0 {
			t.Errorf("%d: the turn runs %v, %d questions", i, c.Turn.Running, len(test.Permissions(c)))
		}
		if q := c.Queue; len(q) != 2 || q[0].Steering || !q[0].Unsure || q[1].Reading || q[1].Unsure || !c.QueuePaused {
			t.Errorf("%d: the queue is %+v, paused %v", i, q, c.QueuePaused)
		}
	}
}

// A command runs in the process that writes the log, the user's as the agent's: none outlives
// it, also if nobody could store its end.
func TestCommandsEndWithTheProcessThatRanThem(t *testing.T) {
	s, l := newLog(t)
	appendAll(t, l, test.Sent("go"), conversation.TerminalCreated{ID: "a", Command: "make"}, conversation.TurnEnded{},
		conversation.ShellStarted{ID: "b", Command: "sleep 901"}, conversation.ShellStarted{ID: "c", Command: "bash", Lasts: true},
		conversation.ShellStarted{ID: "d", Command: "true"}, conversation.TerminalExited{ID: "d", Status: acpclient.TerminalExitStatus{Signal: "killed"}})
	first, err := s.Read(t.Context(), l.ID())
	if err != nil {
		t.Fatal(err)
	}
	appendAll(t, l, first.Ending...)
	second, err := s.Read(t.Context(), l.ID())
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range []*conversation.Conversation{first.Conversation, second.Conversation} {
		for _, id := range []acpclient.TerminalID{"a", "b", "c"} {
			if c.Terminals[id].Exit == nil {
				t.Errorf("%d: %s runs", i, c.Terminals[id].Command)
			}
		}
		if len(c.Running()) > 0 || c.Shell() != nil || c.Terminals["d"].Exit.Signal != "killed" {
			t.Errorf("%d: running %v, shell %v, the ended one %+v", i, c.Running(), c.Shell(), c.Terminals["d"].Exit)
		}
	}
	if n := len(second.Ending); n != 1 {
		t.Errorf("%d events end it again", n)
	}
}

// A prompt that waited and was sent does not wait any more, also if the writer was killed
// before it could say so, or the line that says so is damaged: it would be sent a second time.
func TestAPromptThatWasSentDoesNotWait(t *testing.T) {
	done := conversation.TurnEnded{Reason: acpclient.StopEndTurn}
	queued := func(ids ...int) conversation.QueueChanged {
		var q conversation.QueueChanged
		for _, id := range ids {
			q.Queue = append(q.Queue, conversation.QueuedPrompt{ID: id, Prompt: test.Sent(fmt.Sprint("prompt ", id)).Prompt})
		}
		return q
	}
	for name, c := range map[string]struct {
		last    []conversation.Event
		damaged []int
		want    []int
	}{
		"killed before it was said": {[]conversation.Event{queued(1, 2), test.Sent("prompt 1")}, nil, []int{2}},
		"the only one":              {[]conversation.Event{queued(1), test.Sent("prompt 1")}, nil, nil},
		"said":                      {[]conversation.Event{queued(1, 2), test.Sent("prompt 1"), queued(2)}, nil, []int{2}},
		"another one was sent":      {[]conversation.Event{queued(1, 2), test.Sent("prompt 2")}, nil, []int{1, 2}},
		"the same is asked again":   {[]conversation.Event{test.Sent("prompt 1"), queued(1)}, nil, []int{1}},
		"the same waits, too":       {[]conversation.Event{queued(1), test.Sent("prompt 1"), done}, nil, []int{1}},
		"damaged where it is said":  {[]conversation.Event{queued(1, 2, 3), test.Sent("prompt 1"), queued(2, 3), done}, []int{2}, []int{2, 3}},
		"damaged twice":             {[]conversation.Event{queued(1, 2, 3), test.Sent("prompt 1"), queued(2, 3), done, test.Sent("prompt 2"), queued(3), done}, []int{2, 5}, []int{3}},
		"damaged, and said later":   {[]conversation.Event{queued(1, 2), test.Sent("prompt 1"), queued(2), done, queued(2, 1)}, []int{2}, []int{2, 1}},
	} {
		s, l := newLog(t)
		if err := l.Append(c.last); err != nil {
			t.Fatal(err)
		}
		log, err := os.ReadFile(l.path)
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.Split(log, []byte("\n"))
		for _, i := range c.damaged {
			lines[1+i][20] ^= 1 // behind the line of the session
		}
		if err := os.WriteFile(l.path, bytes.Join(lines, []byte("\n")), fileMode); err != nil {
			t.Fatal(err)
		}
		got, err := s.Read(t.Context(), l.ID())
		if err != nil {
			t.Fatal(err)
		}
		var waits []int
		for _, q := range got.Conversation.Queue {
			waits = append(waits, q.ID)
		}
		if !slices.Equal(waits, c.want) || got.Conversation.QueuePaused != (len(c.want) > 0) {
			t.Errorf("%s: %v wait, paused %v, want %v", name, waits, got.Conversation.QueuePaused, c.want)
		}
	}
}

func TestResolvesUniqueBeginnings(t *testing.T) {
	s := New(t.TempDir())
	for _, name := range []string{"2026-a1", "2026-a2", "2026-b"} {
		if err := os.WriteFile(filepath.Join(s.dir, name+logSuffix), nil, fileMode); err != nil {
			t.Fatal(err)
		}
	}
	for prefix, want := range map[string]ID{"2026-b": "2026-b", "2026-a2": "2026-a2", "2026-": "", "x": "", "": "", "../2026-b": ""} {
		got, err := s.Resolve(prefix)
		var several *AmbiguousError
		switch {
		case got != want:
			t.Errorf("%q is %q, %v, want %q", prefix, got, err, want)
		case want == "" && errors.Is(err, ErrNotStored) == errors.As(err, &several):
			t.Errorf("%q: %v", prefix, err)
		}
	}
}

func TestKnowsWhichSessionsWereNeverEnded(t *testing.T) {
	s := New(t.TempDir())
	open, _ := s.Create(Meta{Cwd: "/a"})
	defer open.Close()
	chat(t, s, Meta{Cwd: "/a"}, "ended")
	killed := func(cwd string) ID {
		l, err := s.Create(Meta{Cwd: cwd})
		if err != nil {
			t.Fatal(err)
		}
		_ = l.file.Close() // as the system does when it kills a process
		return l.ID()
	}
	want := killed("/a")
	killed("/b")
	got, err := s.Interrupted("/a")
	if err != nil || !slices.Equal(got, []ID{want}) {
		t.Errorf("got %v, %v, want %s", got, err, want)
	}
	// Whoever goes on and ends it well leaves nothing to offer, and so does who forgets.
	l, err := s.Continue(want)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := s.Interrupted("/a"); len(got) > 0 {
		t.Errorf("%v are offered, and are open", got)
	}
	_ = l.Close()
	declined := killed("/a")
	if err := s.Forget(declined); err != nil {
		t.Fatal(err)
	}
	if got, _ := s.Interrupted("/a"); len(got) > 0 {
		t.Errorf("%v are offered", got)
	}
	if _, err := s.Meta(declined); err != nil {
		t.Errorf("what was forgotten is gone: %v", err)
	}
}

func TestPrunesOnceADay(t *testing.T) {
	s := New(t.TempDir())
	now := time.Now()
	bounds := Bounds{Age: time.Hour}
	left := func() int {
		files, err := s.logs()
		if err != nil {
			t.Fatal(err)
		}
		return len(files)
	}
	prune := func(at time.Time) {
		if err := s.PruneDaily(t.Context(), bounds, at); err != nil {
			t.Fatal(err)
		}
	}
	prune(now)
	chat(t, s, Meta{}, "old")
	if prune(now.Add(2 * time.Hour)); left() != 1 {
		t.Error("it pruned twice in a day")
	}
	if prune(now.Add(25 * time.Hour)); left() != 0 {
		t.Error("it did not prune after a day")
	}
}
