package tab

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/theme"
)

// statusTold is the status of a session in a mode, after some events.
func statusTold(t *testing.T, mode, name string, events ...conversation.Event) *statusInfo {
	events = append([]conversation.Event{conversation.SessionOpened{ID: "s", State: acpclient.SessionState{Modes: &acpclient.SessionModeState{
		CurrentModeID: acpclient.SessionModeID(mode), AvailableModes: []acpclient.SessionMode{{ID: acpclient.SessionModeID(mode), Name: name}},
	}}}}, events...)
	c := conversation.New()
	for _, e := range events {
		c.Apply(e)
	}
	return statusOf(t, c)
}

func statusOf(t *testing.T, c *conversation.Conversation) *statusInfo {
	b := newBench(t, t.TempDir())
	b.cwd, b.branch = "/work", ""
	f := newStatusInfo(b.Tab)
	f.Conversation = c
	return f
}

// farAgent is a session whose agent is on the network.
type farAgent struct{ app.Session }

func (farAgent) About() app.About { return app.About{Connects: true} }

// What an agent may do without asking is the last thing that the status line drops.
func TestTheModeStaysOnTheStatusLine(t *testing.T) {
	f := statusTold(t, "yolo", "BYPASS ALL PERMISSIONS", conversation.Update{Update: &acpclient.UsageUpdate{Used: 150_000, Size: 200_000}})
	f.branch = strings.Repeat("a-branch-with-a-long-name/", 10)
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

// Where room is short, the first options stay, and the mode and the model longest of all.
func TestOptionsThatHaveNoRoom(t *testing.T) {
	option := func(id acpclient.ConfigID, category acpclient.ConfigCategory, value string) acpclient.SessionConfigOption {
		return acpclient.SessionConfigOption{ID: id, Name: string(id), Category: category, Type: acpclient.ConfigSelect, CurrentValue: acpclient.SelectValue(acpclient.ConfigValueID(value))}
	}
	c := conversation.New()
	c.Apply(conversation.SessionOpened{State: acpclient.SessionState{ConfigOptions: []acpclient.SessionConfigOption{
		option("first", "", "default"), option("second", "", "default"), option("model", acpclient.CategoryModel, "opus"), option("mode", acpclient.CategoryMode, "asking"),
	}}})
	for i, id := range []acpclient.ConfigID{"first", "second"} { // away from their defaults
		v := acpclient.SelectValue(acpclient.ConfigValueID(id + " value"))
		c.Apply(conversation.OptionChosen{Seq: i + 1, Option: id, Value: v})
		c.Apply(conversation.OptionSettled{Seq: i + 1, Option: id, Value: v})
	}
	f := statusOf(t, c)
	for width, want := range map[int]string{
		100: "  first value  second value  opus   asking",
		45:  "  first value  second value  opus   asking",
		40:  "  first value  opus   asking",
		30:  "  opus   asking",
		12:  "  asking",
	} {
		if got := strings.TrimRight(strings.TrimSuffix(strings.TrimRight(ansi.Strip(f.Line(width)), " "), "/work"), " "); strings.TrimSpace(got) != strings.TrimSpace(want) {
			t.Errorf("at %d columns it is %q, want %q", width, got, want)
		}
	}
}

// Mode, model and the files that the user can look at stay longest, then context and cost.
// What is empty is not shown.
func TestTheStatusLineAtEachWidth(t *testing.T) {
	f := statusTold(t, "ask", "Ask before changes", conversation.AgentReady{Info: &acpclient.InitializeResponse{AgentInfo: &acpclient.Implementation{Name: "some-agent", Version: "1.2.3"}}})
	f.cwd, f.branch = "/home/somebody/projects/with/a/long/name", "a-branch-with-a-long-name"
	for _, path := range []string{"/a", "/b", "/c"} {
		f.l.Conversation.Apply(conversation.FileWritten{Path: path})
	}
	mode := f.Conversation.Options[0]
	pace := acpclient.SessionConfigOption{ID: "pace", Name: "Pace", Type: acpclient.ConfigSelect, CurrentValue: acpclient.SelectValue("brisk")}
	f.Conversation.Apply(conversation.Update{Update: &acpclient.ConfigOptionUpdate{ConfigOptions: []acpclient.SessionConfigOption{mode, pace}}})
	pace.CurrentValue = acpclient.SelectValue("calm and steady")
	f.Conversation.Apply(conversation.Update{Update: &acpclient.ConfigOptionUpdate{ConfigOptions: []acpclient.SessionConfigOption{
		mode,
		{ID: "model", Name: "Model", Category: acpclient.CategoryModel, Type: acpclient.ConfigSelect, CurrentValue: acpclient.SelectValue("The one that does everything")},
		pace,
	}}})
	for _, c := range []struct {
		used  uint64
		cost  float64
		width int
		want  string
	}{
		{0, 0, 80, "Ask before changes   The one that does everything  3 files changed"},
		{10, 0.001, 80, "Ask before changes   The one that do…  <1%  <$0.01  3 files changed"},
		{46_000, 0.123, 80, "Ask before changes   The one that do…  23%  $0.12  3 files changed"},
		{46_000, 0.123, 120, "Ask before changes   The one that does everything  pace calm and steady  23% of 200k context  $0.12  3 files changed"},
		{46_000, 0.123, 60, "Ask before changes   The one that do…  3 files changed"},
		{46_000, 0.123, 40, "Ask before changes   23%  $0.12"},
		{46_000, 0.123, 220, "Ask before changes   The one that does everything  pace calm and steady  23% of 200k context  $0.12  3 files changed  some-agent 1.2.3"},
	} {
		f.Conversation.Apply(conversation.Update{Update: &acpclient.UsageUpdate{Used: c.used, Size: 200_000, Cost: &acpclient.Cost{Amount: c.cost, Currency: "USD"}}})
		if got := strings.TrimSpace(ansi.Strip(f.Line(c.width))); !strings.HasPrefix(got, c.want) || c.width <= 80 && got != c.want {
			t.Errorf("at %d columns it is %q, want %q", c.width, got, c.want)
		}
	}
}

// The limit of the plan that is closest is shown from the half on, or once the agent warns.
func TestTheClosestLimitIsShown(t *testing.T) {
	now := time.Date(2026, 11, 27, 12, 0, 0, 0, time.Local)
	day := func(used float64) conversation.PlanLimit {
		return conversation.PlanLimit{Kind: "five_hour", Used: used}
	}
	week := func(l conversation.PlanLimit) conversation.PlanLimit { l.Kind = "seven_day"; return l }
	for want, limits := range map[string][]conversation.PlanLimit{
		"":                            {day(0.49), week(day(0.2)), week(conversation.PlanLimit{Used: -1})},
		"5-hour limit 50%":            {week(day(0.2)), day(0.5)},
		"weekly limit 60%":            {day(0.55), week(day(0.6))},
		"weekly limit 100%":           {day(0.9), week(conversation.PlanLimit{Used: -1, Reached: true})},
		"5-hour limit 91%":            {day(0.91), week(conversation.PlanLimit{Used: 1, Resets: now.Add(-time.Minute)})},
		"weekly limit almost reached": {day(0.6), week(conversation.PlanLimit{Used: -1, Near: true})},
	} {
		got := ""
		for _, part := range limitParts(limits, now, theme.New(true)) {
			got += ansi.Strip(part.text)
		}
		if strings.ReplaceAll(got, "\u00a0", " ") != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestModesHaveColours(t *testing.T) {
	seen := map[string]string{}
	for _, mode := range []string{"plan", "default", "acceptEdits", "yolo"} {
		look, _, _ := strings.Cut(statusTold(t, mode, "Mode").Line(80), "Mode")
		if other, taken := seen[look]; taken {
			t.Errorf("%s and %s look the same: %q", mode, other, look)
		}
		seen[look] = mode
	}
}

// What goes on is said in the order in which it matters, and what the user can do about
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
		{"a turn without a clock", func(f *statusInfo) { f.program.ReducedMotion = true }, []conversation.Event{sent}, "● working"},
		{"a question", nil, []conversation.Event{sent, permissionEvent(1, "make")}, "Waiting for you"},
		{"a cancel that is ignored", nil, []conversation.Event{sent, conversation.CancelRequested{At: began}}, "the agent does not respond: esc to stop it"},
		{"an agent that has gone", nil, []conversation.Event{conversation.AgentLost{}}, "✗ the agent exited  alt+r restarts it"},
		{"a connection that is lost", func(f *statusInfo) { f.l.Session = farAgent{f.l.Session} }, []conversation.Event{conversation.AgentLost{}}, "✗ lost the connection to the agent  alt+r reconnects"},
		{"one that cannot go on", func(f *statusInfo) { f.stored.readOnly = "its worktree was dropped" }, []conversation.Event{sent}, "its worktree was dropped"},
	} {
		f := statusTold(t, "ask", "Asking", c.of...)
		if c.set != nil {
			c.set(f)
		}
		if got := ansi.Strip(f.Activity()); !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: it says %q, want %q", c.name, got, c.want)
		}
	}
	f := statusTold(t, "ask", "Asking")
	f.opening, f.Conversation = openingOf(app.Spec{Stored: "log"}), nil
	if got := ansi.Strip(f.Activity()); !strings.Contains(got, "reading the stored session") {
		t.Errorf("before there is a session it says %q", got)
	}
}

// Of an agent that starts slowly the last lines of what it writes are shown, as they
// would stand on a terminal.
func TestStart(t *testing.T) {
	f := statusTold(t, "ask", "Asking")
	f.Conversation = conversation.New()
	f.Conversation.Apply(conversation.AgentStarting{Command: "slow-agent", At: f.now().Add(-5 * time.Second)})
	f.l.stderr = "one\n10%\r100%\n\x1b[31mthree\n"
	if got := ansi.Strip(f.Activity()); !strings.Contains(got, "still starting slow-agent, 5s") {
		t.Errorf("it says %q", got)
	}
	tail := ansi.Strip(strings.Join(f.StartTail(40, 10), "|"))
	if !strings.Contains(tail, "│ one|  │ 100%|  │ three") {
		t.Errorf("it shows %q", tail)
	}
	later := f.now().Add(10 * time.Second)
	f.now = func() time.Time { return later }
	if got := ansi.Strip(f.Activity()); !strings.Contains(got, "no answer for 15s  esc stops it  starting slow-agent") {
		t.Errorf("it says %q", got)
	}
	f.l.stderr = ""
	if tail := ansi.Strip(strings.Join(f.StartTail(80, 10), "|")); !strings.Contains(tail, "The agent has not answered, and has printed nothing.") {
		t.Errorf("of a silent one it shows %q", tail)
	}
	f.l.Session = farAgent{f.l.Session}
	if got := ansi.Strip(f.Activity()); !strings.Contains(got, "connecting to slow-agent") || strings.Contains(got, "starting") {
		t.Errorf("of one that listens it says %q", got)
	}
}

// planOf is a plan of so many steps, of which some are done and one is at work.
func planOf(done, all int) conversation.Event {
	p := &acpclient.Plan{}
	for i := range all {
		e := acpclient.PlanEntry{Content: fmt.Sprintf("step %d", i+1), Status: acpclient.PlanPending}
		switch {
		case i < done:
			e.Status = acpclient.PlanCompleted
		case i == done:
			e.Status = acpclient.PlanInProgress
		}
		p.Entries = append(p.Entries, e)
	}
	return conversation.Update{Update: p}
}

// The plan stands in the transcript; what goes on names its step at work, also while a
// question waits, and nothing once the turn has ended.
func TestTheStepAtWorkIsNamed(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.events(conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("go")}}, planOf(2, 4))
	b.mustShow(t, "  2/4 step 3\n")
	if n := strings.Count(b.screen(), "step 3"); n != 2 {
		t.Errorf("the step is shown %d times, want once in the transcript and once as what goes on:\n%s", n, b.screen())
	}
	b.events(permissionEvent(1, "Clean up"))
	b.mustShow(t, "Waiting for you", "  2/4 step 3\n")
	b.events(planOf(4, 4))
	b.mustNotShow(t, "4/4")
	b.events(planOf(3, 4), conversation.TurnEnded{Reason: acpclient.StopEndTurn})
	b.mustNotShow(t, "3/4 step 4")
}

func TestTheTranscriptKeepsItsPlaceWhenThePlanComes(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.events(conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("go")}},
		conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: strings.Repeat("a line\n\n", 60)})
	b.draw()
	b.press("pgup")
	first := func() string { return strings.Join(strings.Split(b.screen(), "\n")[:10], "\n") }
	before := first()
	b.events(planOf(0, 3))
	if after := first(); after != before {
		t.Errorf("it moved from\n%s\nto\n%s", before, after)
	}
}

// An agent that works and says nothing, for instance because it waits before it tries
// again, is not taken for one that is about to answer.
func TestTheActivitySaysSinceWhenNothingHasCome(t *testing.T) {
	b := newBench(t, t.TempDir())
	begun := b.clock
	b.events(conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("go")}, At: begun})
	b.clock = begun.Add(app.LongQuiet - time.Second)
	b.mustNotShow(t, "no update")
	b.clock = begun.Add(24 * time.Second)
	b.mustShow(t, "working 24s  no update for 24s")
	b.events(conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: "here"})
	b.mustNotShow(t, "no update")
	b.clock = begun.Add(40 * time.Second)
	b.mustShow(t, "working 40s  no update for 16s")
	b.conv().Agent.Capabilities.Meta = acpclient.Meta(`{"parley":{"skip":true}}`) // which pauses for reading
	b.mustNotShow(t, "no update")
	b.events(conversation.TurnEnded{Reason: acpclient.StopEndTurn, At: b.clock})
	b.mustNotShow(t, "no update")
}

// A session that was attached to has said nothing since then, not since the beginning of time.
func TestQuietBeginsWithTheView(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.conv().Apply(conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("go")}, At: b.clock.Add(-time.Hour)})
	b.mustNotShow(t, "no update")
	b.clock = b.clock.Add(app.LongQuiet)
	b.mustShow(t, "no update for "+termtext.Elapsed(app.LongQuiet))
}

// What a wide screen has room for is not cut: values, headings, and titles in lists.
func TestNothingIsCutWhereThereIsRoom(t *testing.T) {
	const mode, path = "Ask before every change of a file and before every command", "internal/something/with/a/very/long/path/that/goes/on/and/on/for/many/characters/until/the/end/of/the/line.go"
	b := newBench(t, t.TempDir())
	b.columns, b.rows = 160, 50
	b.events(
		conversation.Update{Update: &acpclient.ConfigOptionUpdate{ConfigOptions: []acpclient.SessionConfigOption{
			{ID: "mode", Name: "Mode", Category: acpclient.CategoryMode, Type: acpclient.ConfigSelect, CurrentValue: acpclient.SelectValue(mode)},
		}}},
		sentAt("go", b.clock),
		conversation.Update{Update: &acpclient.ToolCall{ToolCallID: "t", Title: "Read " + path, Kind: acpclient.ToolRead, Status: acpclient.ToolFailed}},
	)
	b.mustShow(t, mode, "Read "+path+"  failed")
	b.columns = 60
	b.mustShow(t, "Ask before every change of a fi…", "failed")
	b.columns = 120
	b.run(command.Palette)
	b.mustShow(t, "Detach; the session keeps running", "this session ends with parley: keep it running first")
}
