package transcript

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"parley/acpclient"
	"parley/internal/conversation"
)

// up is a session update as it comes from the wire.
func up(t testing.TB, update string) conversation.Event {
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
		conversation.PermissionClosed{ID: 1, Outcome: acpclient.PermissionSelected(acpclient.PermissionOptionID(answer))},
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
			done(`"title":"Build it",` + said), "✓ $ Build it  you: Yes\n  │ $ make all\n  │ Done well.",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := drawn(append(permits(t, c.asked, "yes"), c.then), false); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestCommands(t *testing.T) {
	run := func(title, input, fields string) conversation.Event {
		return up(t, `{"sessionUpdate":"tool_call","toolCallId":"t","title":`+title+`,"kind":"execute","status":"completed","rawInput":`+input+fields+`}`)
	}
	for _, c := range []struct {
		name  string
		event conversation.Event
		want  string
	}{
		{"in the title", run(`"ls -l"`, `{"command":"ls -l"}`, ""), "✓ $ ls -l"},
		{"in words, and a command", run(`"List the files"`, `{"command":"ls -l"}`, ""), "✓ $ List the files\n  │ $ ls -l"},
		{"of several lines", run(`"cd src &&\nmake"`, `{"command":"cd src &&\nmake"}`, ""), "✓ $ cd src && …\n  │ $ cd src &&\n  │   make"},
		{"in the working directory", run(`"ls"`, `{"command":"ls"}`, `,"locations":[{"path":"/project"}]`), "✓ $ ls"},
		{"elsewhere", run(`"ls"`, `{"command":"ls"}`, `,"locations":[{"path":"/project/src"}]`), "✓ $ ls src"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := drawn([]conversation.Event{c.event}, false); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
	plain := up(t, `{"sessionUpdate":"tool_call","toolCallId":"t","title":"cd src &&\nmake all","kind":"execute","status":"completed"}`)
	if got, want := drawn([]conversation.Event{plain}, true), "✓ $ cd src && …\n    make all"; got != want {
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
				Content: acpclient.ToolCallContents{{Type: acpclient.ToolContentTerminal, TerminalID: "1"}},
			}},
			conversation.TerminalCreated{ID: "1", Command: "sh -c 'sh check.sh'"},
			conversation.TerminalOutput{ID: "1", Data: []byte("all good\n")},
		)
		if shown := view(newList(c, 80, 20)); !strings.Contains(shown, want) {
			t.Errorf("%s:\n%s", title, shown)
		}
	}
}
