package app

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/journal"
)

var begun = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)

// opened are the events of a session that is open, a minute after its agent was started.
func opened() []conversation.Event {
	return []conversation.Event{
		conversation.AgentStarting{Command: "baker", At: begun},
		conversation.AgentReady{Info: &acpclient.InitializeResponse{AgentInfo: &acpclient.Implementation{Name: "baker"}}},
		conversation.SessionOpening{How: conversation.OpenNew},
		conversation.SessionOpened{ID: "s"},
		asked(1),
		conversation.TurnEnded{Reason: acpclient.StopEndTurn, At: begun.Add(2 * time.Minute)},
	}
}

func asked(minute int) conversation.Event {
	return conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("bake bread")}, At: begun.Add(time.Duration(minute) * time.Minute)}
}

func update(u acpclient.SessionUpdate) conversation.Event {
	return conversation.Update{Session: "s", Update: u, At: begun.Add(11 * time.Minute)}
}

func says(text string) conversation.Event {
	return conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: text}
}

func field[T any](v T) acpclient.Field[T] { return acpclient.Field[T]{Set: true, Value: &v} }

func overviewOf(events ...conversation.Event) Overview {
	s := conversation.NewState()
	for _, e := range events {
		s.Apply(e)
	}
	return OverviewOf(s, nil)
}

func TestAnOverviewSaysWhereASessionStands(t *testing.T) {
	plan := update(&acpclient.Plan{Entries: []acpclient.PlanEntry{
		{Content: "knead", Status: acpclient.PlanCompleted}, {Content: "rise", Status: acpclient.PlanInProgress}, {Content: "eat", Status: acpclient.PlanPending},
	}})
	call := update(&acpclient.ToolCall{ToolCallID: "1", Title: "Heat the oven", Status: acpclient.ToolInProgress})
	asks := conversation.PermissionOpened{ID: 1, At: begun.Add(20 * time.Minute), Request: &acpclient.RequestPermissionRequest{
		SessionID: "s", ToolCall: acpclient.ToolCallUpdate{ToolCallID: "1"}, Options: []acpclient.PermissionOption{{OptionID: "y", Name: "Yes"}},
	}}
	queued := conversation.QueueChanged{Queue: []conversation.QueuedPrompt{{ID: 1}}, Paused: true}
	for name, c := range map[string]struct {
		events   []conversation.Event
		standing conversation.Standing
		state    string
		minute   int // since when
		step     string
	}{
		"starting": {nil, conversation.StandingWorking, "working", 0, ""},
		"idle":     {[]conversation.Event{}, conversation.StandingIdle, "idle", 2, ""},
		"works":    {[]conversation.Event{asked(10)}, conversation.StandingWorking, "working", 10, ""},
		"plans":    {[]conversation.Event{asked(10), plan, call}, conversation.StandingWorking, "working", 10, "1/3 rise"},
		"calls":    {[]conversation.Event{asked(10), call}, conversation.StandingWorking, "working", 10, "Heat the oven"},
		"asks":     {[]conversation.Event{asked(10), call, asks}, conversation.StandingAsks, "waits for your answer", 20, "Heat the oven"},
		"went on":  {[]conversation.Event{asked(10), asks, conversation.QuestionClosed{ID: 1, At: begun.Add(30 * time.Minute)}}, conversation.StandingWorking, "working", 30, ""},
		"ended":    {[]conversation.Event{asked(10), plan, conversation.TurnEnded{At: begun.Add(12 * time.Minute)}}, conversation.StandingIdle, "idle", 12, ""},
		"queues":   {[]conversation.Event{queued}, conversation.StandingIdle, "paused, 1 prompt queued", 2, ""},
		"at limit": {[]conversation.Event{queued, conversation.LimitReached{}}, conversation.StandingAsks, "waits for you: the plan's limit is reached", 2, ""},
		"reset":    {[]conversation.Event{queued, conversation.LimitReached{Resets: begun}}, conversation.StandingAsks, "waits for you: the plan's limit has reset", 2, ""},
		"waits":    {[]conversation.Event{queued, conversation.LimitReached{}, conversation.LimitWait{Until: begun}}, conversation.StandingLimited, "waits for the plan's limit, next try " + MomentText(begun, time.Now()), 2, ""},
		"spent":    {[]conversation.Event{queued, conversation.BudgetReached{}}, conversation.StandingAsks, "waits for you: the budget is used up", 2, ""},
		"cut": {
			[]conversation.Event{asked(10), conversation.BudgetReached{}, conversation.TurnEnded{Reason: acpclient.StopCancelled, At: begun.Add(13 * time.Minute)}},
			conversation.StandingAsks, "waits for you: the budget is used up", 13, "",
		},
		"signs in": {[]conversation.Event{conversation.AuthRequired{Err: fmt.Errorf("no")}}, conversation.StandingAsks, "waits for you to sign in", 2, ""},
		"cancelled": {
			[]conversation.Event{asked(10), conversation.CancelRequested{At: begun.Add(21 * time.Minute)}, conversation.TurnEnded{Reason: acpclient.StopEndTurn, At: begun.Add(22 * time.Minute)}},
			conversation.StandingIdle, "cancelled", 22, "",
		},
		"exited": {[]conversation.Event{asked(10), conversation.AgentLost{At: begun.Add(15 * time.Minute)}}, conversation.StandingLost, "the agent has exited", 15, ""},
		"child": {
			[]conversation.Event{asked(10), update(&acpclient.SubagentUpdate{SessionID: "c", Title: field("Baker's boy"), State: field(acpclient.StateUpdate{State: acpclient.WorkRequiresAction})})},
			conversation.StandingAsks, "a subagent waits for you: Baker's boy", 10, "Baker's boy",
		},
		"cancels": {[]conversation.Event{asked(10), asks, conversation.CancelRequested{At: begun.Add(21 * time.Minute)}}, conversation.StandingWorking, "working", 21, ""},
	} {
		t.Run(name, func(t *testing.T) {
			events := opened()
			if c.events == nil {
				events = events[:1]
			}
			o := overviewOf(append(events, c.events...)...)
			if asks := o.AtLimit || o.OverBudget; asks != (o.Question != "" && o.Waiting == 0) {
				t.Errorf("it asks %q", o.Question)
			}
			if o.Standing != c.standing || o.State() != c.state || o.Step != c.step {
				t.Errorf("standing %v, %q, step %q; want %v, %q, %q", o.Standing, o.State(), o.Step, c.standing, c.state, c.step)
			}
			if want := begun.Add(time.Duration(c.minute) * time.Minute); !o.Since.Equal(want) && c.minute > 0 {
				t.Errorf("since %v, want %v", o.Since, want)
			}
		})
	}
}

// A queue that waits for the user is said before the end of a turn that they have not seen.
func TestAPausedQueueIsSaidFirst(t *testing.T) {
	for _, standing := range []conversation.Standing{conversation.StandingIdle, conversation.StandingDone} {
		o := Overview{Standing: standing, Queued: 1, Paused: true, Ending: conversation.Ending{How: conversation.EndedWell}}
		if o.State() != "paused, 1 prompt queued" || o.Now() != o.State() || o.Brief(begun) != "paused" || Groups[o.Group()] != "Waits" || o.Stands() != conversation.StandingIdle {
			t.Errorf("%v: %q, %q, %q in %q, stands %v", standing, o.State(), o.Now(), o.Brief(begun), Groups[o.Group()], o.Stands())
		}
	}
}

// How the last turn has ended stays until the next prompt, with how long it worked, without its waits.
func TestAnOverviewSaysHowATurnEnded(t *testing.T) {
	at := func(minute int) time.Time { return begun.Add(time.Duration(minute) * time.Minute) }
	waits := []conversation.Event{asked(10), conversation.PermissionOpened{ID: 1, At: at(11), Request: &acpclient.RequestPermissionRequest{SessionID: "s", ToolCall: acpclient.ToolCallUpdate{ToolCallID: "1"}}}, conversation.QuestionClosed{ID: 1, At: at(15)}}
	for want, events := range map[string][]conversation.Event{
		"finished 120":                      {conversation.TurnEnded{Reason: acpclient.StopEndTurn, At: at(16)}},
		"cancelled 120":                     {conversation.CancelRequested{At: at(16)}, conversation.TurnEnded{Reason: acpclient.StopEndTurn, At: at(16)}},
		"failed 120 no flour (code 500)":    {conversation.TurnEnded{Err: &acpclient.Error{Code: 500, Message: "no flour"}, At: at(16)}},
		"failed 0 no oven":                  {conversation.AgentLost{Err: errors.New("no oven"), At: at(16)}},
		"stopped 120 the budget is used up": {conversation.BudgetReached{}, conversation.CancelRequested{At: at(16)}, conversation.TurnEnded{Reason: acpclient.StopCancelled, At: at(16)}},
		" 0":                                {conversation.TurnEnded{At: at(16)}, asked(17)},
	} {
		e := overviewOf(slices.Concat(opened(), waits, events)...).Ending
		if got := strings.TrimSpace(fmt.Sprint(e.How, " ", e.Seconds, " ", e.Why)); got != strings.TrimSpace(want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The last lines are those of all messages, and what an agent says as a whole replaces what it said.
func TestAnOverviewHasTheLastLines(t *testing.T) {
	whole := func(id acpclient.MessageID, text string) conversation.Event {
		content := []acpclient.ContentBlock{acpclient.TextBlock(text)}
		return update(&acpclient.MessageUpdate{Chunk: acpclient.AgentMessageChunk, MessageID: id, Content: acpclient.Field[[]acpclient.ContentBlock]{Set: true, Value: &content}})
	}
	call := update(&acpclient.ToolCall{ToolCallID: "1", Title: "Look"})
	for name, c := range map[string]struct {
		events []conversation.Event
		want   string
	}{
		"none":        {nil, ""},
		"one message": {[]conversation.Event{says("a\n\nb"), says("c\n")}, "a|bc"},
		"two":         {[]conversation.Event{says("I look."), call, says("Found.")}, "I look.|Found."},
		"as a whole":  {[]conversation.Event{says("before"), whole("1", "bre"), whole("1", "bread")}, "before|bread"},
		"prompts":     {[]conversation.Event{says("one"), asked(20), says("two")}, "one|two"},
		"thoughts":    {[]conversation.Event{conversation.Text{Chunk: acpclient.AgentThoughtChunk, Text: "hm"}}, ""},
	} {
		if got := strings.Join(overviewOf(append(opened(), c.events...)...).Last, "|"); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	long := overviewOf(append(opened(), says(strings.Repeat("é", 1<<20)), says("\n"+strings.Repeat("line\n", 1000)))...).Last
	if len(long) != lastLines || long[0] != "line" {
		t.Errorf("%d lines, the first %q", len(long), long[0])
	}
	if last := overviewOf(append(opened(), says(strings.Repeat("é", 1<<20)))...).Last; len(last) != 1 || len(last[0]) > 4<<10 || strings.Trim(last[0], "é") != "" {
		t.Errorf("a long line is cut to %d bytes", len(last[0]))
	}
}

func TestAnOverviewCountsChanges(t *testing.T) {
	want := journal.Tally{Files: 2, Added: 3, Removed: 1}
	if got := OverviewOf(conversation.NewState(), &journal.Summary{Tally: journal.Tally{Files: 2, Added: 3, Removed: 1}}).Changed; got != want {
		t.Errorf("%v, want %v", got, want)
	}
}

// Those that need the user come before those that do not, and the longest wait first.
func TestTheMostUrgentComesFirst(t *testing.T) {
	at := func(name string, s conversation.Standing, minute int) Overview {
		return Overview{Title: name, Standing: s, Since: begun.Add(time.Duration(minute) * time.Minute)}
	}
	all := []Overview{
		at("idle early", conversation.StandingIdle, 1), at("asks late", conversation.StandingAsks, 9), at("idle late", conversation.StandingIdle, 8), at("limited", conversation.StandingLimited, 1),
		at("lost", conversation.StandingLost, 2), at("works", conversation.StandingWorking, 3), at("asks early", conversation.StandingAsks, 1), at("failed", conversation.StandingFailed, 1), at("done", conversation.StandingDone, 1),
	}
	Arrange(all, func(o Overview) (Overview, string) { return o, "" })
	var got []string
	for _, o := range all {
		got = append(got, o.Title)
	}
	if want := "asks early, asks late, lost, failed, works, limited, done, idle late, idle early"; strings.Join(got, ", ") != want {
		t.Errorf("%s, want %s", strings.Join(got, ", "), want)
	}
}

func TestTheWordsOfAnOverview(t *testing.T) {
	cost := func(amount float64) conversation.Spent {
		return conversation.Spent{Cost: &acpclient.Cost{Amount: amount, Currency: "USD"}, Tokens: 1200}
	}
	for got, want := range map[string]string{
		Overview{Since: begun}.StateText(begun.Add(30 * time.Second)):                   "idle",
		Overview{Since: begun, Waiting: 1}.StateText(begun.Add(3 * time.Minute)):        "waits for your answer, 3 min",
		Overview{Since: begun, Working: true}.StateText(begun.Add(26 * time.Hour)):      "working, 26 h",
		Overview{Since: begun, Gone: true}.StateText(begun.Add(75 * time.Hour)):         "the agent has exited, 3 d",
		Overview{Changed: journal.Tally{Files: 2, Added: 12, Removed: 3}}.ChangesText(): "+12 −3",
		Overview{Changed: journal.Tally{Files: 2}}.ChangesText():                        "2 files",
		Overview{}.ChangesText() + Overview{}.SpentText():                               "",
		Overview{Spent: cost(0.42)}.SpentText():                                         "$0.42",
		Overview{Spent: cost(0)}.SpentText():                                            "1.2k tokens",
		Overview{Working: true, Queued: 2}.Loses(true):                                  "This stops the agent in the middle of its turn. 2 queued prompts will not be sent. The transcript stays.",
		Overview{}.Loses(false):                                                         "This ends the agent and all programs that it has started. It is not stored: the transcript is lost.",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// An overview costs the same however long the session is.
func BenchmarkOverview(b *testing.B) {
	for _, turns := range []int{100, 1000} {
		b.Run(fmt.Sprintf("turns=%d", turns), func(b *testing.B) {
			s := conversation.NewState()
			for _, e := range opened() {
				s.Apply(e)
			}
			for i := range turns {
				s.Apply(asked(i))
				for j := range 20 {
					id := acpclient.ToolCallID(fmt.Sprint(i, j))
					s.Apply(update(&acpclient.ToolCall{ToolCallID: id, Title: "Look", Status: acpclient.ToolInProgress}))
					s.Apply(says(strings.Repeat("a line of what I have found\n", 4)))
					if i < turns-1 {
						s.Apply(update(&acpclient.ToolCallUpdate{ToolCallID: id, Status: new(acpclient.ToolCompleted)}))
					}
				}
				if i < turns-1 {
					s.Apply(conversation.TurnEnded{At: begun})
				}
			}
			b.ReportAllocs()
			for b.Loop() {
				OverviewOf(s, nil)
			}
		})
	}
}
