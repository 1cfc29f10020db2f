package conversation_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

// fold applies events, given as such or as updates in JSON. It checks that the
// fold is pure: folding them again gives the same, and the events stay as they
// were.
func fold(t testing.TB, happened ...any) *conversation.Conversation {
	t.Helper()
	var all, asReceived []conversation.Event
	for _, e := range happened {
		switch e := e.(type) {
		case string:
			all, asReceived = append(all, test.Up(t, e)), append(asReceived, test.Up(t, e))
		case conversation.Event:
			all, asReceived = append(all, e), append(asReceived, e)
		default:
			t.Fatalf("%T is no event", e)
		}
	}
	c, again := conversation.New(), conversation.New()
	for _, e := range all {
		c.Apply(e)
	}
	for _, e := range all {
		again.Apply(e)
	}
	if d := test.Diff(c, again); d != "" {
		t.Errorf("folding twice differs:\n%s", d)
	}
	if d := test.Diff(asReceived, all); d != "" {
		t.Errorf("folding has changed the events:\n%s", d)
	}
	return c
}

func TestFoldTranscript(t *testing.T) {
	for name, c := range map[string]struct {
		events []any
		want   []string
	}{
		// Where messages begin.
		"chunks without ids are one message": {
			[]any{test.AgentSays("a", ""), test.AgentSays("b", "")},
			[]string{"agent: ab"},
		},
		"another id is another message": {
			[]any{test.AgentSays("a", "1"), test.AgentSays("b", "1"), test.AgentSays("c", "2")},
			[]string{"agent: ab", "agent: c"},
		},
		"an id after none is another message": {
			[]any{test.AgentSays("banner", ""), test.AgentSays("a", "1")},
			[]string{"agent: banner", "agent: a"},
		},
		"no id after one goes on": {
			[]any{test.AgentSays("a", "1"), test.AgentSays("b", "")},
			[]string{"agent: ab"},
		},
		"without ids another role is another message": {
			[]any{test.Thinks("a", ""), test.AgentSays("b", ""), test.Thinks("c", "")},
			[]string{"thought: a", "agent: b", "thought: c"},
		},
		"without ids a tool call is a boundary": {
			[]any{test.AgentSays("a", ""), `{"sessionUpdate":"tool_call","toolCallId":"t","title":"T"}`, test.AgentSays("b", "")},
			[]string{"agent: a", "tool t: T", "agent: b"},
		},
		"an update of a known call is none": {
			[]any{
				`{"sessionUpdate":"tool_call","toolCallId":"t","title":"T"}`, test.AgentSays("a", ""),
				`{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed"}`, test.AgentSays("b", ""),
			},
			[]string{"tool t: T (completed)", "agent: ab"},
		},
		"with ids thoughts and text may be streamed side by side": {
			[]any{test.Thinks("a", "1"), test.AgentSays("b", "2"), test.Thinks("c", "1"), test.AgentSays("d", "2")},
			[]string{"thought: ac", "agent: bd"},
		},
		"the same id in two roles is two messages": {
			[]any{test.Thinks("a", "1"), test.AgentSays("b", "1"), test.Thinks("c", "1")},
			[]string{"thought: ac", "agent: b"},
		},
		"with an id a message goes on beyond a tool call": {
			[]any{test.AgentSays("a", "1"), `{"sessionUpdate":"tool_call","toolCallId":"t","title":"T"}`, test.AgentSays("b", "1")},
			[]string{"agent: ab", "tool t: T"},
		},
		"an id of an earlier turn is another message": {
			[]any{test.Sent("x"), test.AgentSays("a", "1"), conversation.TurnEnded{}, test.Sent("y"), test.AgentSays("b", "1")},
			[]string{"user: x", "agent: a", "user: y", "agent: b"},
		},
		"the end of a turn is a boundary": {
			[]any{test.Sent("x"), test.AgentSays("a", ""), conversation.TurnEnded{}, test.AgentSays("b", "")},
			[]string{"user: x", "agent: a", "agent: b"},
		},
		"an empty chunk is no message": {
			[]any{test.Thinks("", ""), test.AgentSays("", "1"), test.AgentSays("a", "1"), test.AgentSays("", "")},
			[]string{"agent: a"},
		},
		"what parley says does not cut a message": {
			[]any{test.AgentSays("a", ""), conversation.NoticeAdded{Title: "by the way"}, `{"sessionUpdate":"notice","title":"N"}`, `{"sessionUpdate":"odd"}`, test.AgentSays("b", "")},
			[]string{"agent: ab", "note: by the way", "note: N", "unknown: odd"},
		},
		"a subagent's text is not the agent's": {
			[]any{test.AgentSays("a", ""), `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"child"},"_meta":{"claudeCode":{"parentToolUseId":"t"}}}`, test.AgentSays("b", "")},
			[]string{"agent: a", "agent of t: child", "agent: b"},
		},
		"other content stands between text": {
			[]any{test.AgentSays("a", ""), `{"sessionUpdate":"agent_message_chunk","content":{"type":"image","mimeType":"image/png","data":"AA=="}}`, test.AgentSays("b", "")},
			[]string{"agent: a[image]b"},
		},
		"text with annotations": {
			[]any{
				`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"for you ","annotations":{"priority":1}}}`,
				`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"not for you","annotations":{"audience":["assistant"]}}}`,
			},
			[]string{"agent: for you [text]"},
		},

		// The repetition of the prompt.
		"the echo of a prompt is dropped": {
			[]any{test.Sent("hello world"), test.UserSays("hello world", "u1"), test.AgentSays("a", "")},
			[]string{"user: hello world", "agent: a"},
		},
		"in pieces, too": {
			[]any{test.Sent("hello world"), test.UserSays("hello ", ""), test.UserSays("world", ""), test.AgentSays("a", "")},
			[]string{"user: hello world", "agent: a"},
		},
		"and with other space around it": {
			[]any{test.Sent("hello\n"), test.UserSays("hello", ""), test.AgentSays("a", "")},
			[]string{"user: hello\n", "agent: a"},
		},
		"and with its links": {
			[]any{
				conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("see "), acpclient.ResourceLinkBlock("f", "file:///f")}},
				test.UserSays("see ", ""), `{"sessionUpdate":"user_message_chunk","content":{"type":"resource_link","name":"f","uri":"file:///f"}}`,
			},
			[]string{"user: see [resource_link]"},
		},
		"what is said later in the turn is no echo": {
			[]any{test.Sent("yes please"), test.AgentSays("a", ""), test.UserSays("yes", "")},
			[]string{"user: yes please", "agent: a", "user: yes"},
		},
		"what differs is no echo": {
			[]any{test.Sent("hello"), test.UserSays("help", "")},
			[]string{"user: hello", "user: help"},
		},

		// Tool calls.
		"an update of an unknown call makes it": {
			[]any{`{"sessionUpdate":"tool_call_update","toolCallId":"t","title":"T","status":"failed"}`},
			[]string{"tool t: T (failed)"},
		},
		"a call announced twice is one": {
			[]any{`{"sessionUpdate":"tool_call","toolCallId":"t","title":"T"}`, `{"sessionUpdate":"tool_call","toolCallId":"t","title":"","status":"pending"}`},
			[]string{"tool t: T (pending)"},
		},
		"unless it had ended in an earlier turn": {
			[]any{
				test.Sent("x"), `{"sessionUpdate":"tool_call","toolCallId":"1","title":"A","status":"completed"}`,
				conversation.TurnEnded{},
				test.Sent("y"), `{"sessionUpdate":"tool_call","toolCallId":"1","title":"B"}`, `{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"failed"}`,
			},
			[]string{"user: x", "tool 1: A (completed)", "user: y", "tool 1: B (failed)"},
		},
		"an update after its turn reaches the call": {
			[]any{test.Sent("x"), `{"sessionUpdate":"tool_call","toolCallId":"1","title":"A","status":"in_progress"}`, conversation.TurnEnded{}, test.Sent("y"), `{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"completed"}`},
			[]string{"user: x", "tool 1: A (completed)", "user: y"},
		},
		"permissions without an id are about different calls": {
			[]any{test.Permission(1, `{"title":"A"}`), test.Permission(2, `{"title":"B"}`)},
			[]string{"tool : A", "tool : B"},
		},

		// Plans.
		"a plan is replaced within a turn and new in the next": {
			[]any{
				test.Sent("x"), test.Plan("pending", "pending"), test.AgentSays("a", ""), test.Plan("completed", "pending"),
				conversation.TurnEnded{},
				test.Sent("y"), test.Plan("completed"),
			},
			[]string{"user: x", "plan 1/2 ", "agent: a", "user: y", "plan 1/1 "},
		},
		"an unchanged plan stays where it is": {
			[]any{
				test.Sent("x"), test.Plan("completed", "pending"),
				conversation.TurnEnded{},
				test.Sent("y"), test.Plan("completed", "pending"), test.AgentSays("a", ""), test.Plan("completed", "completed"),
				conversation.TurnEnded{},
				test.Sent("z"), test.Plan("completed", "completed"),
			},
			[]string{"user: x", "plan 1/2 ", "user: y", "agent: a", "plan 2/2 ", "user: z"},
		},
		"a plan that comes back after it was taken away": {
			[]any{test.Sent("x"), test.Plan("pending"), test.Plan(), conversation.TurnEnded{}, test.Sent("y"), test.Plan("pending")},
			[]string{"user: x", "plan removed", "user: y", "plan 0/1 "},
		},
		"an empty plan takes it away": {
			[]any{test.Sent("x"), test.Plan(), test.Plan("pending"), test.Plan()},
			[]string{"user: x", "plan removed"},
		},
		"plans with names": {
			[]any{
				`{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"a","entries":[{"content":"1","priority":"high","status":"completed"}]}}`,
				`{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"b","content":"# B"}}`,
				`{"sessionUpdate":"plan_update","plan":{"type":"file","planId":"c","uri":"file:///c"}}`,
				`{"sessionUpdate":"plan_update","plan":{"type":"hologram","planId":"d"}}`,
				`{"sessionUpdate":"plan_removed","planId":"a"}`,
				`{"sessionUpdate":"plan_removed","planId":"unheard-of"}`,
				`{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"b","content":"# B2"}}`,
			},
			[]string{"plan removed", "plan 0/0 # B2", "plan 0/0 file:///c", "unknown: plan_update"},
		},

		// The rest.
		"a compaction": {
			[]any{
				`{"sessionUpdate":"compaction_update","compactionId":"c","status":"in_progress"}`,
				`{"sessionUpdate":"compaction_summary_chunk","compactionId":"c","content":{"type":"text","text":"so "}}`,
				`{"sessionUpdate":"compaction_summary_chunk","compactionId":"c","content":{"type":"text","text":"far"}}`,
				`{"sessionUpdate":"compaction_update","compactionId":"c","status":"completed"}`,
				`{"sessionUpdate":"compaction_update","compactionId":"d","status":"in_progress","summary":[{"type":"text","text":"old"}]}`,
				`{"sessionUpdate":"compaction_update","compactionId":"d","status":"failed","summary":[],"error":"no room"}`,
			},
			[]string{"compaction completed: so far", "compaction failed: no room"},
		},
		"a subagent has one call": {
			[]any{
				`{"sessionUpdate":"subagent_update","sessionId":"c1","title":"Look"}`,
				`{"sessionUpdate":"subagent_update","sessionId":"c1","state":{"state":"running"}}`,
				`{"sessionUpdate":"subagent_update","sessionId":"c1","title":"Look again"}`,
				`{"sessionUpdate":"subagent_update","sessionId":"c2"}`,
			},
			[]string{"tool subagent c1: Look again (in_progress)", "tool subagent c2: Subagent"},
		},
		"what is unknown is kept": {
			[]any{`{"sessionUpdate":"_vendor/thing","x":1}`, `{"sessionUpdate":"tool_call"}`, `{}`},
			[]string{"unknown: _vendor/thing", "unknown: tool_call", "unknown: "},
		},
		"stop reasons in words": {
			[]any{
				conversation.TurnEnded{Reason: acpclient.StopEndTurn},
				conversation.TurnEnded{Reason: acpclient.StopMaxTokens},
				conversation.TurnEnded{Reason: acpclient.StopMaxTurnRequests},
				conversation.TurnEnded{Reason: acpclient.StopRefusal},
				conversation.TurnEnded{Reason: "out_of_luck"},
				conversation.TurnEnded{Err: errors.New("x")},
				conversation.TurnEnded{Err: &acpclient.Error{Message: "y"}},
			},
			[]string{
				"note: Stopped: the answer reached the model's token limit", "note: Stopped: the turn reached the agent's limit of model requests",
				"note: The agent refused to continue. It forgets this prompt and its answer", "note: Stopped: out of luck",
				"note: The turn failed", "note: The agent answered with an error",
			},
		},
		"a history that is replayed": {
			[]any{test.UserSays("a", ""), test.AgentSays("b", ""), test.UserSays("c", ""), test.Plan("pending"), test.AgentSays("d", "")},
			[]string{"user: a", "agent: b", "user: c", "plan 0/1 ", "agent: d"},
		},
		"a history that comes again": {
			[]any{test.Sent("x"), test.AgentSays("a", ""), conversation.SessionOpening{How: conversation.OpenLoad, ID: "s", Clear: true}, test.UserSays("x", ""), test.AgentSays("a", "")},
			[]string{"user: x", "agent: a"},
		},
		"a new session after a restart keeps what can be read": {
			[]any{
				test.Sent("x"), `{"sessionUpdate":"tool_call","toolCallId":"1","title":"A"}`,
				conversation.AgentLost{},
				conversation.SessionOpening{How: conversation.OpenNew},
				conversation.SessionOpened{ID: "s2"},
				`{"sessionUpdate":"tool_call_update","toolCallId":"1","title":"B"}`,
			},
			[]string{"user: x", "tool 1: A cancelled", "tool 1: B"},
		},
	} {
		t.Run(name, func(t *testing.T) { test.WantTranscript(t, fold(t, c.events...), c.want...) })
	}
}

// A session has cost what it has, whether the agent that goes on with it counts that or
// begins at zero.
func TestTheCostStaysWhenTheAgentIsStartedAgain(t *testing.T) {
	for name, c := range map[string]struct {
		after []float64
		want  float64
	}{
		"before it reports":           {nil, 0.5},
		"the agent counts its own":    {[]float64{0.25, 0.75}, 1.25},
		"the agent begins at zero":    {[]float64{0, 0.25}, 0.75},
		"the agent counts everything": {[]float64{0.5, 0.75}, 0.75},
		"which it says late":          {[]float64{0, 0.75}, 0.75},
	} {
		t.Run(name, func(t *testing.T) {
			cost := func(amount float64) string {
				return fmt.Sprintf(`{"sessionUpdate":"usage_update","used":1,"size":9,"cost":{"amount":%v,"currency":"USD"}}`, amount)
			}
			conv := fold(t, cost(0.5))
			for range 2 { // the second start takes what the first one has left
				conv.Apply(conversation.AgentStarting{})
				conv.Apply(conversation.SessionOpening{How: conversation.OpenResume, ID: "s"})
			}
			for _, amount := range c.after {
				conv.Apply(test.Up(t, cost(amount)))
			}
			if got := conv.Usage.Cost; got == nil || got.Amount != c.want {
				t.Errorf("it costs %v, want %v", got, c.want)
			}
		})
	}
}

func TestInfoAndUsage(t *testing.T) {
	c := fold(t,
		`{"sessionUpdate":"session_info_update","title":"T","updatedAt":"2026-01-01T00:00:00Z"}`,
		`{"sessionUpdate":"session_info_update","updatedAt":null}`,
		`{"sessionUpdate":"usage_update","used":10,"size":100,"cost":{"amount":1.5,"currency":"USD"}}`,
		`{"sessionUpdate":"usage_update","used":20,"size":100}`,
		`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"a"},{"name":"b"}]}`,
		`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"c"}]}`,
	)
	if c.Title != "T" || c.UpdatedAt != "" {
		t.Errorf("title %q, updated %q", c.Title, c.UpdatedAt)
	}
	if c.Usage.Used != 20 || c.Usage.Cost == nil || c.Usage.Cost.Amount != 1.5 {
		t.Errorf("usage %+v", c.Usage)
	}
	if len(c.Commands) != 1 || c.Commands[0].Name != "c" {
		t.Errorf("commands %+v", c.Commands)
	}
	if c := fold(t, `{"sessionUpdate":"session_info_update","title":"T"}`, `{"sessionUpdate":"session_info_update","title":null}`); c.Title != "" {
		t.Errorf("title %q", c.Title)
	}
}

func TestPlanNow(t *testing.T) {
	if c := fold(t, test.Sent("x"), test.Plan("pending"), test.Plan()); c.Plan != nil {
		t.Error("a plan that was taken away is still the plan")
	}
	c := fold(t, `{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"b","content":"B"}}`)
	if c.Plan == nil || c.Plan.Markdown != "B" {
		t.Errorf("plan %+v", c.Plan)
	}
	c.Apply(test.Up(t, `{"sessionUpdate":"plan_removed","planId":"b"}`))
	if c.Plan != nil {
		t.Error("a plan that was removed is still the plan")
	}
}

func TestFiles(t *testing.T) {
	c := fold(t, conversation.FileWritten{Path: "a"}, conversation.FileWritten{Path: "b"}, conversation.FileWritten{Path: "a"})
	if !slices.Equal(c.Files, []string{"a", "b"}) {
		t.Errorf("files %q", c.Files)
	}
	c.Apply(conversation.SessionOpened{ID: "s"})
	c.Apply(conversation.SessionOpening{How: conversation.OpenLoad, ID: "s", Clear: true})
	if len(c.Files) != 2 {
		t.Error("the journal of the same session was lost")
	}
	c.Apply(conversation.SessionOpening{How: conversation.OpenLoad, ID: "other", Clear: true})
	if len(c.Files) != 0 {
		t.Error("another session has the journal of this one")
	}
}

// Whoever drew an item draws it again only if its version is another.
func TestVersionsChangeWithWhatIsShown(t *testing.T) {
	c := conversation.New()
	versions := map[conversation.Item]uint64{}
	shown := map[conversation.Item]string{}
	all := []any{
		test.Sent("x"), test.Thinks("a", "1"), test.AgentSays("b", ""), test.FullCall, test.Permission(1, `{"toolCallId":"t","title":"Other"}`),
		conversation.QuestionClosed{ID: 1, Outcome: acpclient.PermissionCancelled},
		test.Plan("pending"), test.Plan("completed"),
		`{"sessionUpdate":"compaction_update","compactionId":"c"}`, `{"sessionUpdate":"compaction_update","compactionId":"c","status":"failed"}`,
		`{"sessionUpdate":"subagent_update","sessionId":"c1"}`, `{"sessionUpdate":"subagent_update","sessionId":"c1","description":"d"}`,
		test.Thinks("more", "1"), test.Plan(),
		conversation.CancelRequested{},
		`{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed"}`,
		conversation.TurnEnded{},
	}
	for _, e := range all {
		if s, ok := e.(string); ok {
			e = test.Up(t, s)
		}
		c.Apply(e.(conversation.Event))
		for _, i := range c.Items {
			// Everything but the version, and what nobody sees.
			s := cmp.Diff(nil, i, test.DeepEqual, test.IgnoreVersions, cmpopts.IgnoreFields(conversation.ToolCall{}, "announced"))
			if was, known := shown[i]; known && was != s && versions[i] == i.Version() {
				t.Errorf("after %#v an item looks different at the same version:\n%s", e, cmp.Diff(was, s))
			}
			shown[i], versions[i] = s, i.Version()
		}
	}
}

// What was there before an opening that clears it comes back if the opening fails: it
// is all that there is to read then.
func TestAFailedOpeningTakesNothingAway(t *testing.T) {
	for name, fails := range map[string]conversation.Event{
		"refused":        conversation.SessionFailed{Err: errors.New("no such session")},
		"the agent died": conversation.AgentLost{Err: errors.New("crash")},
	} {
		t.Run(name, func(t *testing.T) {
			c := conversation.New()
			for _, e := range []conversation.Event{
				conversation.SessionOpened{ID: "s1"},
				conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: "what was said"},
				conversation.AgentLost{Err: errors.New("crash")},
				conversation.QueueChanged{Queue: []conversation.QueuedPrompt{{ID: 1}}, Paused: true},
				conversation.AgentStarting{Command: "agent"},
				conversation.SessionOpening{How: conversation.OpenLoad, ID: "s1", Clear: true},
				conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: "half of it, replayed"},
				conversation.SessionOpening{How: conversation.OpenLoad, ID: "s1", Clear: true},
			} {
				c.Apply(e)
			}
			if len(c.Items) != 0 {
				t.Fatalf("the replay begins with %d items", len(c.Items))
			}
			c.Apply(fails)
			if got := strings.Join(test.Transcript(c), "\n"); !strings.Contains(got, "what was said") || strings.Contains(got, "replayed") {
				t.Errorf("the transcript is %q", got)
			}
			if !c.Restored() || c.Phase != conversation.PhaseFailed || c.ID != "s1" || len(c.Queue) != 1 {
				t.Errorf("restored %v, phase %v, id %q, %d prompts wait", c.Restored(), c.Phase, c.ID, len(c.Queue))
			}
			c.Apply(conversation.SessionOpening{How: conversation.OpenLoad, ID: "s1", Clear: true})
			c.Apply(conversation.SessionOpened{ID: "s1"})
			c.Apply(conversation.AgentLost{Err: errors.New("crash")})
			if c.Restored() || strings.Contains(strings.Join(test.Transcript(c), "\n"), "what was said") {
				t.Error("a session that was opened well brings back what it has replaced")
			}
		})
	}
}

// A question that was asked while the session was being opened is still asked when that
// has failed, also one that the rules are being looked at for.
func TestAFailedOpeningTakesNoQuestionAway(t *testing.T) {
	asked := test.Permission(1, `{"toolCallId":"t"}`)
	asked.Judging = true
	c := fold(t, conversation.SessionOpened{ID: "s1"}, test.AgentSays("what was said", ""),
		conversation.SessionOpening{How: conversation.OpenLoad, ID: "s1", Clear: true}, asked,
		conversation.SessionFailed{Err: errors.New("no")}, conversation.PermissionReferred{ID: 1})
	if len(test.Permissions(c)) != 1 {
		t.Error("nobody is asked")
	}
}

// What cannot be the use of a context is left out, and its cost stays.
func TestAbsurdUsageIsLeftOut(t *testing.T) {
	for _, tt := range []struct{ used, size, want int }{{900, 100, 900}, {2000, 100, 0}, {90, 0, 90}} {
		c := fold(t, fmt.Sprintf(`{"sessionUpdate":"usage_update","used":%d,"size":%d,"cost":{"amount":1.5,"currency":"USD"}}`, tt.used, tt.size))
		if int(c.Usage.Used) != tt.want || c.Usage.Cost == nil {
			t.Errorf("%d of %d: %+v", tt.used, tt.size, c.Usage)
		}
	}
}
