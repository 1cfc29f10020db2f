package transcript

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/internal/test"
	"parley/tui/theme"
	"parley/tui/toolview"
)

// up is a session update as it comes from the wire.
func up(t rapid.TB, update string) conversation.Event {
	t.Helper()
	n := new(acpclient.SessionNotification)
	if err := acpclient.Unmarshal(json.RawMessage(`{"sessionId":"s","update":`+update+`}`), n); err != nil {
		t.Fatalf("%s: %v", update, err)
	}
	return conversation.FromNotification(n)
}

// permits is a question about a call that was answered with yes or no.
func permits(t testing.TB, call, answer string) []conversation.Event {
	t.Helper()
	r := new(acpclient.RequestPermissionRequest)
	if err := acpclient.Unmarshal(json.RawMessage(`{"sessionId":"s","toolCall":`+call+`,"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]}`), r); err != nil {
		t.Fatal(err)
	}
	return []conversation.Event{
		conversation.PermissionOpened{ID: 1, Request: r},
		conversation.QuestionClosed{ID: 1, Outcome: acpclient.PermissionSelected(acpclient.PermissionOptionID(answer))},
	}
}

// drawn folds events and draws them, everything expanded or nothing.
func drawn(events []conversation.Event, expanded bool) string {
	l := newList(fold(events...), 80, 60)
	if expanded {
		for i := range l.conv.Items {
			l.expanded[l.conv.Node(i)] = true
		}
	}
	return view(l)
}

// An answer is about what was asked: a call that is called something else since says what that was.
func TestAnAnswerIsToWhatWasAsked(t *testing.T) {
	asked := permits(t, `{"toolCallId":"t","title":"go test ./...","kind":"execute"}`, "yes")
	if got := drawn(asked, false); strings.Contains(got, "asked as") {
		t.Errorf("as it was asked:\n%s", got)
	}
	got := drawn(append(asked, up(t, `{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed","title":"rm -rf ~"}`)), false)
	if !strings.Contains(got, "rm -rf ~") || !strings.Contains(got, "you: Yes (asked as: go test ./...)") {
		t.Errorf("called something else:\n%s", got)
	}
}

// What was approved stays, whatever the agent puts in its place.
func TestWhatWasApprovedStays(t *testing.T) {
	done := func(fields string) conversation.Event {
		return up(t, `{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed",`+fields+`}`)
	}
	const said = `"content":[{"type":"content","content":{"type":"text","text":"Done well."}}]`
	for _, c := range []struct {
		name, asked string
		then        conversation.Event
		want        string
	}{
		{
			"a change", `{"toolCallId":"t","title":"Write a","kind":"edit","content":[{"type":"diff","path":"/project/a","newText":"new\n"}]}`,
			done(said), "✓ ✎ Write a +1 −0 new file  you: Yes\n  │ 1 + new\n  │ Done well.",
		},
		{
			"a change that is shown in another way", `{"toolCallId":"t","title":"Write a","kind":"edit","content":[{"type":"diff","path":"/project/a","newText":"new\n"}]}`,
			done(`"content":[{"type":"diff","path":"/project/a","oldText":null,"newText":"newer\n"}]`), "✓ ✎ Write a +1 −0 new file  you: Yes\n  │ 1 + newer",
		},
		{
			"a plan", `{"toolCallId":"t","title":"Go","kind":"switch_mode","content":[{"type":"content","content":{"type":"text","text":"1. **Look**"}}]}`,
			done(said), "✓ ↔ Go  you: Yes\n  │ 1. Look\n  │ Done well.",
		},
		{
			"a plan that comes again", `{"toolCallId":"t","title":"Go","kind":"switch_mode","content":[{"type":"content","content":{"type":"text","text":"Look **twice**\n"}}]}`,
			done(`"content":[{"type":"content","content":{"type":"text","text":"Approved: Look **twice**"}}]`), "✓ ↔ Go  you: Yes\n  │ Approved: Look twice",
		},
		{
			"words about a command", `{"toolCallId":"t","title":"make","kind":"execute","content":[{"type":"content","content":{"type":"text","text":"(to build it)"}}]}`,
			done(said), "✓ $ make  you: Yes\n  │ Done well.",
		},
		{
			"a command", `{"toolCallId":"t","title":"make all","kind":"execute","rawInput":{"command":"make all"}}`,
			done(`"title":"Build it",` + said), "✓ $ Build it  you: Yes (asked as: make all)\n  │ $ make all\n  │ Done well.",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := drawn(append(permits(t, c.asked, "yes"), c.then), false); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// Where a heading has no room for all, title and rule are cut, never the counts or how it ended.
func TestAHeadingKeepsItsOutcome(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		title, rule := strings.Repeat("t", rapid.IntRange(1, 200).Draw(t, "title")), strings.Repeat("r", rapid.IntRange(1, 200).Draw(t, "rule"))
		width := rapid.IntRange(80, 140).Draw(t, "width")
		call := &acpclient.ToolCall{ToolCallID: "t", Title: title, Kind: acpclient.ToolExecute, Content: acpclient.ToolCallContents{acpclient.DiffContent("/project/a", nil, "new\n")}}
		l := newList(fold(
			ready("OpenCode"), conversation.Update{Update: call},
			conversation.PermissionOpened{ID: 1, Request: &acpclient.RequestPermissionRequest{
				ToolCall: acpclient.ToolCallUpdate{ToolCallID: "t"}, Options: []acpclient.PermissionOption{{OptionID: "yes", Name: "Yes", Kind: acpclient.AllowOnce}},
			}},
			conversation.QuestionClosed{ID: 1, Outcome: acpclient.PermissionSelected("yes"), Rule: rule, Source: "rules.toml"},
			up(t, `{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"failed","rawOutput":{"metadata":{"exit":3}}}`),
		), width, 20)
		head, _, _ := strings.Cut(view(l), "\n")
		if termtext.Width(head) > width || !strings.Contains(head, " +1 −0") || !strings.HasSuffix(head, "  failed, exit code 3") {
			t.Fatalf("in %d columns:\n%s", width, head)
		}
		if whole := "✗ $ " + title + " a +1 −0 new file  rule: " + rule + " (rules.toml)  failed, exit code 3"; termtext.Width(whole) < width && head != whole { // the last column stays free
			t.Fatalf("cut with room left:\n%s\nwant\n%s", head, whole)
		}
	})
}

func TestCommands(t *testing.T) {
	run := func(title, input, fields string) conversation.Event {
		return up(t, `{"sessionUpdate":"tool_call","toolCallId":"t","title":`+title+`,"kind":"execute","status":"pending","rawInput":`+input+fields+`}`)
	}
	for _, c := range []struct {
		name  string
		event conversation.Event
		want  string
	}{
		{"in the title", run(`"ls -l"`, `{"command":"ls -l"}`, ""), "○ $ ls -l"},
		{"in words, and a command", run(`"List the files"`, `{"command":"ls -l"}`, ""), "○ $ List the files\n  │ $ ls -l"},
		{"of several lines", run(`"cd src &&\nmake"`, `{"command":"cd src &&\nmake"}`, ""), "○ $ cd src && …\n  │ $ cd src &&\n  │   make"},
		{"in the working directory", run(`"ls"`, `{"command":"ls"}`, `,"locations":[{"path":"/project"}]`), "○ $ ls"},
		{"elsewhere", run(`"ls"`, `{"command":"ls"}`, `,"locations":[{"path":"/project/src"}]`), "○ $ ls src"},
		{"with a file that it names", run(`"rm -rf build"`, `{"command":"rm -rf build"}`, `,"locations":[{"path":"build"}]`), "○ $ rm -rf build"},
		{"with a path that it names in short", run(`"rm -rf build"`, `{"command":"rm -rf build"}`, `,"locations":[{"path":"/project/build"}]`), "○ $ rm -rf build"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := drawn([]conversation.Event{c.event}, false); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
	inShell := func(title, command string) conversation.Event {
		return up(t, `{"sessionUpdate":"tool_call","toolCallId":"t","title":"`+title+`","kind":"execute","status":"in_progress","rawInput":{"command":`+command+`}}`)
	}
	for _, c := range []struct {
		name  string
		event conversation.Event
		want  string
	}{
		{"by a shell", inShell("ls -l", `["/bin/bash","-lc","ls -l"]`), "○ $ ls -l"},
		{"by a shell, on a line", inShell("ls -l", `"/bin/bash -lc 'ls -l'"`), "○ $ ls -l"},
		{"by a shell, in words", inShell("List the files", `["/bin/bash","-lc","ls -l 'a b'"]`), "○ $ List the files\n  │ $ ls -l 'a b'"},
		{"by a shell that does more", inShell("ls -l", `"/bin/bash -lc 'ls -l' | rm a"`), "○ $ ls -l\n  │ $ /bin/bash -lc 'ls -l' | rm a"},
		{"by a shell with a script that is not known", inShell("ls -l", `"/bin/bash -lc $X"`), "○ $ ls -l\n  │ $ /bin/bash -lc $X"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := drawn([]conversation.Event{c.event}, false); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
	plain := up(t, `{"sessionUpdate":"tool_call","toolCallId":"t","title":"cd src &&\nmake all","kind":"execute","status":"pending"}`)
	if got, want := drawn([]conversation.Event{plain}, true), "○ $ cd src && …\n    make all"; got != want {
		t.Errorf("expanded, without an input:\n%s\nwant\n%s", got, want)
	}
	edit := up(t, `{"sessionUpdate":"tool_call","toolCallId":"t","title":"Look at a","kind":"read","rawInput":{"command":"view","path":"a"}}`)
	if got := drawn([]conversation.Event{edit}, false); got != "○ ◇ Look at a" {
		t.Errorf("what is no command:\n%s", got)
	}
}

func TestQuestionsAndTasksOfToolCalls(t *testing.T) {
	asked := up(t, `{"sessionUpdate":"tool_call","toolCallId":"t","title":"Ask","kind":"other","rawInput":{"questions":[{"header":"Colour","question":"Which?","options":[{"label":"Red","description":"Warm"},{"label":"Blue"}]}]},
		"content":[{"type":"content","content":{"type":"text","text":"Which?"}}]}`)
	if got, want := drawn([]conversation.Event{asked}, false), "○ • Ask\n  │ Colour: Which?\n  │ • Red: Warm\n  │ • Blue"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	tasks := up(t, `{"sessionUpdate":"tool_call","toolCallId":"t","title":"2 todos","kind":"other","status":"completed",
		"rawInput":{"todos":[{"content":"Look","status":"completed"},{"content":"Build","status":"in_progress"},{"content":"Test","status":"pending"},{"content":"Rest","status":"cancelled"}]},
		"content":[{"type":"content","content":{"type":"text","text":"[{\"content\":\"Look\"}]"}}]}`)
	if got, want := drawn([]conversation.Event{tasks}, false), "✓ • 2 todos\n  │ ✓ Look\n  │ ◐ Build\n  │ ○ Test\n  │ ⊘ Rest"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestRejectedCallsSaySo(t *testing.T) {
	events := append([]conversation.Event{ask("go")}, permits(t, `{"toolCallId":"t","title":"Write a","kind":"edit","status":"pending"}`, "no")...)
	events = append(events, conversation.TurnEnded{Reason: acpclient.StopEndTurn})
	if got := drawn(events, false); !strings.HasSuffix(got, "⊘ ✎ Write a  you: No  rejected") {
		t.Errorf("%s", got)
	}
	events[1].(conversation.PermissionOpened).Request.Options[1].Name = "Reject"
	if got := drawn(events, false); !strings.HasSuffix(got, "⊘ ✎ Write a  you: Reject") { // once is enough
		t.Errorf("%s", got)
	}
}

// However much a body shows, no line is wider than there is room.
func TestBodiesKeepToTheWidth(t *testing.T) {
	long := strings.Repeat("long/path/", 20)
	old := "x\n"
	events := []conversation.Event{
		up(t, `{"sessionUpdate":"tool_call","toolCallId":"a","title":"`+long+`","kind":"execute","rawInput":{"command":"`+long+`","cwd":"/`+long+`"}}`),
		tool("b", "", acpclient.DiffContent("/"+long, &old, ""), acpclient.DiffContent("/b"+long, &old, "")),
		up(t, `{"sessionUpdate":"tool_call","toolCallId":"c","title":"c","rawInput":{"questions":[{"question":"`+long+`","options":["`+long+`"]}],"todos":[{"content":"`+long+`"}]}}`),
	}
	for _, width := range []int{20, 33, 80} {
		for _, line := range newList(fold(events...), width, 100).Lines() {
			if w := ansi.StringWidth(line); w > width {
				t.Errorf("%d cells where there are %d: %q", w, width, ansi.Strip(line))
			}
		}
	}
}

// The command of a call is shown once: in the heading, or else above its output, without
// the shell that it was given to.
func TestACommandIsShownOnce(t *testing.T) {
	for title, want := range map[string]string{
		"sh check.sh":   "✓ $ sh check.sh\n  │ all good",
		"Run the check": "✓ $ Run the check\n  │ $ sh check.sh\n  │ all good",
	} {
		c := fold(
			conversation.Update{Update: &acpclient.ToolCall{
				ToolCallID: "t", Title: title, Kind: acpclient.ToolExecute, Status: acpclient.ToolCompleted, RawInput: []byte(`{"command": "sh check.sh"}`),
				Content: acpclient.ToolCallContents{
					acpclient.TextContent("```sh\nsh check.sh\n```"), // what was asked about
					{Type: acpclient.ToolContentTerminal, TerminalID: "1"},
				},
			}},
			conversation.TerminalCreated{ID: "1", Command: "sh -c 'sh check.sh'"},
			conversation.TerminalOutput{ID: "1", Data: []byte("all good\n")},
		)
		if shown := view(newList(c, 80, 20)); !strings.Contains(shown, want) {
			t.Errorf("%s:\n%s", title, shown)
		}
	}
}

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func after(d time.Duration) time.Time { return noon.Add(d) }

func command(title string, status acpclient.ToolCallStatus, at time.Duration) conversation.Event {
	return conversation.Update{At: after(at), Update: &acpclient.ToolCall{
		ToolCallID: "t", Title: title, Kind: acpclient.ToolExecute, Status: status,
	}}
}

func TestCallsSayHowLongTheyTook(t *testing.T) {
	begin := test.At(ask("go"), noon)
	long := strings.Repeat("long ", 30)
	for name, test := range map[string]struct {
		events []conversation.Event
		want   string
	}{
		"a second":     {[]conversation.Event{begin, command("make", "in_progress", 0), command("make", "completed", 1250*time.Millisecond)}, "✓ $ make  1.2s  (no output)"},
		"minutes":      {[]conversation.Event{begin, command("make", "in_progress", 0), command("make", "failed", 125*time.Second)}, "✗ $ make  2m 05s  failed"},
		"next to none": {[]conversation.Event{begin, command("make", "in_progress", 0), command("make", "completed", 900*time.Millisecond)}, "✓ $ make  (no output)"},
		"not known":    {[]conversation.Event{command("make", "in_progress", 0), command("make", "completed", time.Hour)}, "✓ $ make  (no output)"},
		"cancelled": {
			[]conversation.Event{begin, command("make", "in_progress", 0), conversation.CancelRequested{At: after(4 * time.Second)}},
			"⊘ $ make  4.0s  cancelled",
		},
		"answered": {
			[]conversation.Event{
				begin, command("make", "pending", 0), test.At(test.Permission(1, `{"toolCallId":"t"}`), after(time.Second)),
				test.At(conversation.QuestionClosed{ID: 1, Outcome: acpclient.PermissionSelected("y")}, after(time.Minute)),
				command("make", "completed", 62*time.Second),
			},
			"✓ $ make  3.0s  you: Yes  (no output)",
		},
		"a long title makes room": {
			[]conversation.Event{begin, command(long, "in_progress", 0), command(long, "failed", 12*time.Second)},
			"✗ $ " + long[:61] + "…  12s  failed",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := view(newList(fold(test.events...), 80, 30))
			if got = strings.TrimPrefix(got, "❯ go\n\n"); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// The clock of a call that works goes on whenever the list is drawn, and stands still
// while the user is asked.
func TestClocksOfCallsThatWork(t *testing.T) {
	c := fold(test.At(ask("go"), noon), command("make", "in_progress", 0))
	l := newList(c, 80, 30)
	at := func(d time.Duration, want string) {
		t.Helper()
		l.SetNow(after(d))
		if got := view(l); got != "❯ go\n\n"+want {
			t.Errorf("after %v:\n%s\nwant\n%s", d, got, want)
		}
	}
	at(time.Second, "◐ $ make")
	at(5900*time.Millisecond, "◐ $ make  5s")
	at(65*time.Second, "◐ $ make  1m 05s")
	c.Apply(test.At(test.Permission(1, `{"toolCallId":"t"}`), after(66*time.Second)))
	at(time.Hour, "◐ $ make")
	c.Apply(test.At(conversation.QuestionClosed{ID: 1, Outcome: acpclient.PermissionSelected("y")}, after(time.Hour)))
	at(time.Hour+4*time.Second, "◐ $ make  1m 10s  you: Yes")
	c.Apply(command("make", "completed", time.Hour+5*time.Second))
	at(2*time.Hour, "✓ $ make  1m 11s  you: Yes  (no output)")
}

func TestTurnsSayHowLongTheyWorked(t *testing.T) {
	for want, turn := range map[string]struct {
		took   time.Duration
		reason acpclient.StopReason
	}{
		"● Done.":                             {9 * time.Second, acpclient.StopEndTurn},
		"● Done.\n\n· worked 12s":             {12 * time.Second, acpclient.StopEndTurn},
		"● Done.\n\n· Cancelled":              {time.Second / 2, acpclient.StopCancelled},
		"● Done.\n\n· Cancelled  worked 2.5s": {2500 * time.Millisecond, acpclient.StopCancelled},
	} {
		l := newList(fold(test.At(ask("go"), noon), say("Done."), conversation.TurnEnded{Reason: turn.reason, At: after(turn.took)}), 80, 30)
		if got := view(l); got != "❯ go\n\n"+want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		if l.Focus(true); strings.Contains(want, "worked") && !strings.Contains(want, l.Excerpt().Text) {
			t.Errorf("%q is taken", l.Excerpt().Text)
		}
	}
}

// A prompt stands on a ground of its own from edge to edge; where there are no
// grounds, behind a bar.
func TestPromptsStandApart(t *testing.T) {
	c := fold(ask("one\ntwo"), say("An answer."))
	for _, name := range []string{"dark", "light"} {
		for _, depth := range []theme.Depth{theme.TrueColor, theme.Colors256, theme.Colors16} {
			th := theme.Named(name).Theme(depth)
			l := New(th, c)
			l.SetSize(40, 6)
			lines := l.Lines()
			for i, text := range []string{"one", "two"} {
				plain := ansi.Strip(lines[i])
				if depth == theme.Colors16 {
					if plain != "┃ "+text || strings.Contains(lines[i], "\x1b[4") {
						t.Errorf("%s, depth %v: %q", name, depth, lines[i])
					}
					continue
				}
				if len([]rune(plain)) != 40 || strings.Count(lines[i], th.Prompt) != strings.Count(lines[i], "\x1b[m") || !strings.HasPrefix(lines[i], th.Prompt) {
					t.Errorf("%s, depth %v: %q", name, depth, lines[i])
				}
			}
			if strings.Contains(strings.Join(lines[2:], ""), th.Prompt) && th.Prompt != "" || ansi.Strip(lines[3]) != "● An answer." {
				t.Errorf("%s, depth %v: the answer is %q", name, depth, lines[2:])
			}
		}
	}
}

// Beside the edge of a tool call, code has none of its own.
func TestCodeInToolCallsHasNoBar(t *testing.T) {
	text := "See:\n\n```go\nx := 1\n" + strings.Repeat("y", 30) + "\n```"
	l := newList(fold(conversation.Update{Update: &acpclient.ToolCall{
		ToolCallID: "t", Title: "Fetch", Kind: acpclient.ToolFetch, Status: acpclient.ToolCompleted, Content: acpclient.ToolCallContents{acpclient.TextContent(text)},
	}}, say("```go\nx := 1\n```")), 27, 30)
	want := "✓ ↓ Fetch\n  │ See:\n  │\n  │ x := 1\n  │ yyyyyyyyyyyyyyyyyyyyyy\n  │ ¦ yyyyyyyy\n\n● │ go\n  │ x := 1"
	if got := view(l); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	l.Focus(true)
	l.Select(-1)
	l.Toggle()
	if got := view(l); !strings.Contains(got, "▌ │ x := 1\n▌ │ yyyyyyyyyyyyyyyyyyyyyy\n▌ │ ¦ yyyyyyyy") {
		t.Errorf("expanded:\n%s", got)
	}
}

// What can be copied, opened and saved of the last item of each kind.
func TestExcerpt(t *testing.T) {
	image := acpclient.ImageBlock("image/png", "QUJD")
	update := func(u acpclient.SessionUpdate) conversation.Event { return conversation.Update{Update: u} }
	for _, c := range []struct {
		name   string
		events []conversation.Event
		want   toolview.Excerpt
	}{
		{"nothing", nil, toolview.Excerpt{}},
		{"a prompt", []conversation.Event{ask("why?\n")}, toolview.Excerpt{Text: "why?"}},
		{"an answer", []conversation.Event{say("Because **so**.\n")}, toolview.Excerpt{Text: "Because **so**."}},
		{
			"an answer with a picture",
			[]conversation.Event{say("See:"), update(&acpclient.ContentChunk{Chunk: acpclient.AgentMessageChunk, Content: image})},
			toolview.Excerpt{Text: "See:", Media: &toolview.Media{Data: "QUJD", Ext: ".png", Opens: true}},
		},
		{"a thought", []conversation.Event{conversation.Text{Chunk: acpclient.AgentThoughtChunk, Text: "Hm."}}, toolview.Excerpt{Text: "Hm."}},
		{
			"a tool call",
			[]conversation.Event{tool("a", acpclient.ToolCompleted, acpclient.DiffContent("/project/a", nil, "new\n"))},
			toolview.Excerpt{Text: "Tool a\n\n/project/a\nnew\n", Path: "/project/a"},
		},
		{
			"a plan",
			[]conversation.Event{update(&acpclient.Plan{Entries: []acpclient.PlanEntry{
				{Content: "read", Status: acpclient.PlanCompleted}, {Content: "write", Status: acpclient.PlanPending},
			}})},
			toolview.Excerpt{Text: "- [x] read\n- [ ] write\n"},
		},
		{
			"an error",
			[]conversation.Event{ask("go"), conversation.TurnEnded{Err: &acpclient.Error{Code: 400, Message: "no credit"}}},
			toolview.Excerpt{Text: "The agent answered with an error\nno credit (code 400)"},
		},
		{
			"an update of an unknown kind",
			[]conversation.Event{update(&acpclient.UnknownUpdate{Name: "weather", Raw: []byte(`{"sky":"blue"}`)})},
			toolview.Excerpt{Text: `{"sky":"blue"}`},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newList(fold(c.events...), 80, 20)
			l.Focus(true)
			if d := cmp.Diff(c.want, l.Excerpt()); d != "" {
				t.Error(d)
			}
		})
	}
}

// What each kind of content of a tool call shows, collapsed and expanded.
func TestContentOfToolCalls(t *testing.T) {
	image := acpclient.ImageBlock("image/png", "QUJD")
	for _, c := range []struct {
		name                string
		content             acpclient.ToolCallContent
		collapsed, expanded string
	}{
		{"text", acpclient.TextContent("*some* text"), "  │ *some* text", "  │ *some* text"},
		{"a diff", acpclient.DiffContent("/project/a", nil, "new\n"), "  │ 1 + new", "  │ 1 + new"},
		{"a block", acpclient.ToolCallContent{Type: acpclient.ToolContentBlock, Content: &image}, "  │ ▣ image image/png  3 bytes", "  │ ▣ image image/png  3 bytes"},
		{"a terminal", acpclient.TerminalContent("t"), "  │ $ make\n  │ built", "  │ $ make\n  │ built"},
		{
			"an unknown kind",
			acpclient.ToolCallContent{Type: "hologram", Raw: []byte(`{"depth":3}`)},
			"  │ content of a kind that parley does not know: hologram\n  │ … 3 more lines",
			"  │ content of a kind that parley does not know: hologram\n  │ {\n  │   \"depth\": 3\n  │ }",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			call := acpclient.ToolCall{
				ToolCallID: "a", Title: "Look", Kind: acpclient.ToolRead, Content: acpclient.ToolCallContents{c.content},
				RawInput: []byte(`{"depth":3}`), RawOutput: []byte(`"unseen"`),
			}
			events := []conversation.Event{conversation.Update{Update: &call}}
			if c.content.Type == acpclient.ToolContentTerminal { // otherwise it would be a call of its own
				events = append(
					events, conversation.TerminalCreated{ID: "t", Command: "make"}, conversation.TerminalOutput{ID: "t", Data: []byte("built\n")})
			}
			l := newList(fold(events...), 80, 20)
			first, body, _ := strings.Cut(view(l), "\n")
			if !strings.HasPrefix(first, "○ ◇ Look") || body != c.collapsed {
				t.Errorf("collapsed:\n%s\nwant:\n%s", body, c.collapsed)
			}
			l.Focus(true)
			l.Toggle()
			l.Focus(false)
			_, body, _ = strings.Cut(view(l), "\n")
			if want := c.expanded + "\n  │ raw input\n  │ {\n  │   \"depth\": 3\n  │ }"; body != want {
				t.Errorf("expanded:\n%s\nwant:\n%s", body, want)
			}
		})
	}
}

// Blank letters in what a tool gives are seen, as prose, as the text of a file and as output.
func TestBlankLettersOfToolsAreSeen(t *testing.T) {
	const text, want = "rm \u3164\u115f\uffa0a\u00adb", "rm ⟨U+3164⟩⟨U+115F⟩⟨U+FFA0⟩a⟨U+00AD⟩b"
	for name, events := range map[string][]conversation.Event{
		"prose": {conversation.Update{Update: &acpclient.ToolCall{
			ToolCallID: "a", Title: "Look", Kind: acpclient.ToolFetch, Content: acpclient.ToolCallContents{acpclient.TextContent(text)},
		}}},
		"a file": {conversation.Update{Update: &acpclient.ToolCall{
			ToolCallID: "a", Title: "Look", Kind: acpclient.ToolRead, Content: acpclient.ToolCallContents{acpclient.TextContent(text)},
		}}},
		"output": {
			conversation.TerminalCreated{ID: "t", Command: "make"},
			conversation.TerminalOutput{ID: "t", Data: []byte(text + "\n")},
			conversation.Update{Update: &acpclient.ToolCall{
				ToolCallID: "a", Title: "Look", Kind: acpclient.ToolExecute, Content: acpclient.ToolCallContents{acpclient.TerminalContent("t")},
			}},
		},
	} {
		if got := view(newList(fold(events...), 80, 20)); !strings.Contains(got, want) {
			t.Errorf("%s is drawn as\n%s", name, got)
		}
	}
}

// What is for the assistant only is not drawn, and leaves no bullet.
func TestBlocksForTheAssistant(t *testing.T) {
	const secret = `"annotations":{"audience":["assistant"]}}`
	screen := drawn([]conversation.Event{
		test.Up(t, `{"sessionUpdate":"agent_message_chunk","messageId":"1","content":{"type":"text","text":"for the model",`+secret+`}`),
		test.Up(t, `{"sessionUpdate":"agent_message_chunk","messageId":"2","content":{"type":"resource_link","uri":"file:///hidden","name":"hidden",`+secret+`}`),
		test.Up(t, `{"sessionUpdate":"tool_call","toolCallId":"t","title":"Look","kind":"other","status":"completed","content":[{"type":"content","content":{"type":"resource_link","uri":"file:///hidden","name":"hidden",`+secret+`},{"type":"content","content":{"type":"text","text":"for you"}}]}`),
	}, true)
	if strings.Contains(screen, "hidden") || strings.Contains(screen, "model") || !strings.Contains(screen, "for you") || strings.Contains(screen, "●") {
		t.Errorf("the screen is\n%s", screen)
	}
}
