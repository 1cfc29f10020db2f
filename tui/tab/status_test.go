package tab

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/tui/theme"
)

// told are the facts of a session in a mode, after some events.
func statusTold(mode, name string, events ...conversation.Event) *statusInfo {
	c := conversation.New()
	events = append([]conversation.Event{conversation.SessionOpened{ID: "s", State: acpclient.SessionState{Modes: &acpclient.SessionModeState{
		CurrentModeID: acpclient.SessionModeID(mode), AvailableModes: []acpclient.SessionMode{{ID: acpclient.SessionModeID(mode), Name: name}},
	}}}}, events...)
	for _, e := range events {
		c.Apply(e)
	}
	return &statusInfo{
		Theme: theme.New(true), Keys: config.DefaultKeys(), Conversation: c, Dir: "/work", Stderr: func() string { return "" },
		Now: time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC),
	}
}

// What an agent may do without asking is the last thing that the status line drops.
func TestTheModeStaysOnTheStatusLine(t *testing.T) {
	f := statusTold("yolo", "BYPASS ALL PERMISSIONS", conversation.Update{Update: &acpclient.UsageUpdate{Used: 150_000, Size: 200_000}})
	f.Branch = strings.Repeat("a-branch-with-a-long-name/", 10)
	for width := 30; width <= 200; width++ {
		line := f.Line(width)
		if !strings.Contains(ansi.Strip(line), "BYPASS ALL PERMISSIONS") {
			t.Errorf("at %d columns it is %q", width, ansi.Strip(line))
		}
		if w := ansi.StringWidth(line); w > width {
			t.Errorf("it is %d wide where there is room for %d", w, width)
		}
	}
}

func TestModesHaveColours(t *testing.T) {
	seen := map[string]string{}
	for _, mode := range []string{"plan", "default", "acceptEdits", "yolo"} {
		look, _, _ := strings.Cut(statusTold(mode, "Mode").Line(80), "Mode")
		if other, taken := seen[look]; taken {
			t.Errorf("%s and %s look the same: %q", mode, other, look)
		}
		seen[look] = mode
	}
}

// What goes on is said in the order in which it matters, and what the person can do about
// it with the key that they have for it.
func TestWhatGoesOn(t *testing.T) {
	began := time.Date(2026, 1, 1, 11, 59, 0, 0, time.UTC)
	sent := conversation.PromptSent{At: began}
	for _, c := range []struct {
		name string
		set  func(*statusInfo)
		of   []conversation.Event
		want string
	}{
		{"nothing", nil, nil, ""},
		{"a turn", nil, []conversation.Event{sent}, "working 1m"},
		{"a turn without a clock", func(f *statusInfo) { f.Still = true }, []conversation.Event{sent}, "● working"},
		{"a question", func(f *statusInfo) { f.Waits = true }, []conversation.Event{sent}, "waiting for you"},
		{"a cancel that is ignored", nil, []conversation.Event{sent, conversation.CancelRequested{At: began}}, "the agent does not react: esc to stop it"},
		{"an agent that has gone", nil, []conversation.Event{conversation.AgentLost{}}, "✗ the agent has gone  alt+r starts it again"},
		{"a connection that is lost", func(f *statusInfo) { f.Connects = true }, []conversation.Event{conversation.AgentLost{}}, "✗ the connection is lost  alt+r connects again"},
		{"one that cannot go on", func(f *statusInfo) { f.ReadOnly = "its worktree was dropped" }, []conversation.Event{sent}, "its worktree was dropped"},
		{"a question of a replay", func(f *statusInfo) { f.Replay, f.Waits, f.Asked = true, true, "  asked: make" }, []conversation.Event{sent}, "asked: make"},
	} {
		f := statusTold("ask", "Asking", c.of...)
		if c.set != nil {
			c.set(f)
		}
		if got := ansi.Strip(f.Activity()); !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: it says %q, want %q", c.name, got, c.want)
		}
	}
	if got := ansi.Strip((&statusInfo{Theme: theme.New(true), Reading: true}).Activity()); !strings.Contains(got, "reading the stored session") {
		t.Errorf("before there is a session it says %q", got)
	}
}

// Of an agent that starts slowly the last lines of what it writes are shown, as they
// would stand on a terminal.
func TestStart(t *testing.T) {
	f := statusTold("ask", "Asking")
	f.Conversation = conversation.New()
	f.Conversation.Apply(conversation.AgentStarting{Command: "slow-agent", At: f.Now.Add(-5 * time.Second)})
	f.Stderr = func() string { return "one\n10%\r100%\n\x1b[31mthree\n" }
	if got := ansi.Strip(f.Activity()); !strings.Contains(got, "still starting slow-agent, 5s") {
		t.Errorf("it says %q", got)
	}
	tail := ansi.Strip(strings.Join(f.StartTail(40, 10), "|"))
	if !strings.Contains(tail, "│ one|  │ 100%|  │ three") {
		t.Errorf("it shows %q", tail)
	}
	f.Now = f.Now.Add(10 * time.Second)
	if got := ansi.Strip(f.Activity()); !strings.Contains(got, "esc leaves it") {
		t.Errorf("it says %q", got)
	}
	f.Connects = true
	if got := ansi.Strip(f.Activity()); !strings.Contains(got, "still connecting to slow-agent") || strings.Contains(got, "starting") {
		t.Errorf("of one that listens it says %q", got)
	}
}
