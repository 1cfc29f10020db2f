package transcript

import (
	"strings"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
)

func TestAThoughtIsOverWhenAnythingElseBegins(t *testing.T) {
	think := conversation.Text{Chunk: acpclient.AgentThoughtChunk, MessageID: "m", Text: "Let me see"}
	for name, c := range map[string]struct {
		events []conversation.Event
		want   string
	}{
		"while it goes on":             {[]conversation.Event{ask("x"), think}, "✻ Thinking…\n  Let me see"},
		"when the answer has begun":    {[]conversation.Event{ask("x"), think, say("So.")}, "✻ Thought: Let me see"},
		"in a session that was loaded": {[]conversation.Event{think, conversation.SessionOpened{ID: "s"}}, "✻ Thought: Let me see"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := drawn(c.events, false); !strings.Contains(got, c.want) {
				t.Errorf("%s\nwant\n%s", got, c.want)
			}
		})
	}
	thinks := func(text string) []conversation.Event {
		return []conversation.Event{ask("x"), conversation.Text{Chunk: acpclient.AgentThoughtChunk, Text: text}, say("So.")}
	}
	for _, empty := range []string{" \n\n", "****", "**  **\n\n<!-- -->\n", "# "} {
		if got := drawn(thinks(empty), false); got != "❯ x\n\n● So." {
			t.Errorf("a thought of %q:\n%s", empty, got)
		}
	}
	if got := drawn(thinks("<!-- -->\n\n**Weighing** it"), false); !strings.Contains(got, "✻ Thought: Weighing it") {
		t.Errorf("the heading is not found:\n%s", got)
	}
}

// A message is what the agent says last that it is, whatever was drawn of it before.
func TestAMessageThatIsReplacedIsDrawnAnew(t *testing.T) {
	for kind, want := range map[acpclient.ChunkKind]string{acpclient.AgentMessageChunk: "● Better words.", acpclient.AgentThoughtChunk: "✻ Thinking…\n  Better words."} {
		c := fold(ask("go"))
		l := newList(c, 60, 20)
		whole := func(text string) {
			u := acpclient.MessageUpdate{Chunk: kind, MessageID: "m"}
			u.Content.Set, u.Content.Value = true, &[]acpclient.ContentBlock{acpclient.TextBlock(text)}
			c.Apply(conversation.Update{Update: &u})
		}
		whole("The first words of all.")
		if got := view(l); !strings.Contains(got, "The first words of all.") {
			t.Fatalf("it is not drawn:\n%s", got)
		}
		whole("Better")
		c.Apply(conversation.Text{Chunk: kind, MessageID: "m", Text: " words."})
		if got := strings.TrimSpace(view(l)); got != "❯ go\n\n"+want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

func TestAnsweredQuestionsStay(t *testing.T) {
	form := &acpclient.CreateElicitationRequest{Mode: acpclient.ElicitForm, Message: "About the\nrelease"}
	link := &acpclient.CreateElicitationRequest{Mode: acpclient.ElicitURL, Message: "Sign in", URL: "https://a/b\u202e", ElicitationID: "e"}
	answer := func(r *acpclient.CreateElicitationRequest, a acpclient.ElicitationAction, answers ...conversation.FieldAnswer) []conversation.Event {
		return []conversation.Event{conversation.ElicitationOpened{ID: 1, Request: r}, conversation.ElicitationClosed{ID: 1, Action: a, Answers: answers}}
	}
	for _, c := range []struct {
		name   string
		events []conversation.Event
		want   string
	}{
		{
			"a form",
			answer(form, acpclient.ElicitAccept, conversation.FieldAnswer{Field: "Name", Value: "parley\x1b[2J"}, conversation.FieldAnswer{Field: "Key", Secret: true}),
			"? About the\n  release\n  Name: parley\n  Key: (not shown: it may be secret)",
		},
		{"declined", answer(form, acpclient.ElicitDecline), "? About the\n  release\n  you declined"},
		{"an address", answer(link, acpclient.ElicitAccept), "? Sign in\n  https://a/b⟨U+202E⟩\n  you went there"},
		{
			"an address, and done there",
			append(answer(link, acpclient.ElicitAccept), conversation.ElicitationCompleted{ElicitationID: "e"}),
			"? Sign in\n  https://a/b⟨U+202E⟩\n  you went there, and the agent says it is done",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := drawn(c.events, false); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// What an error has for programs is there for those who open it.
func TestErrorsOpen(t *testing.T) {
	events := []conversation.Event{ask("go"), conversation.TurnEnded{Err: &acpclient.Error{Code: 400, Message: "no credit", Data: []byte(`{"errorKind":"billing"}`)}}}
	if got, want := drawn(events, false), "❯ go\n\n✗ The agent answered with an error\n  no credit (code 400)"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := drawn(events, true); !strings.Contains(got, "as the agent sent it\n  {\n    \"errorKind\": \"billing\"\n  }") {
		t.Errorf("opened:\n%s", got)
	}
}

// Whatever is searched for in what was asked or answered is found.
func TestFindsWhatWasAskedAndAnswered(t *testing.T) {
	events := append(
		permits(t, `{"toolCallId":"t","title":"Write","kind":"edit","content":[{"type":"diff","path":"/project/a","newText":"needle\n"}]}`, "yes"),
		up(t, `{"sessionUpdate":"tool_call_update","toolCallId":"t","content":[]}`),
		conversation.ElicitationOpened{ID: 2, Request: &acpclient.CreateElicitationRequest{Message: "Where is the needle?"}},
		conversation.ElicitationClosed{ID: 2, Action: acpclient.ElicitAccept, Answers: []conversation.FieldAnswer{{Field: "Place", Value: "the needle is here"}}},
	)
	l := newList(fold(events...), 80, 20)
	l.Find("needle")
	if _, all := l.Found(); all != 3 {
		t.Errorf("found %d times in\n%s", all, view(l))
	}
}

// TestGlamourDrawsWhatIsCompleteOnAPage: an answer that has ended, and the plan that a
// question is about. What still streams looks as in the list. Glamour's tables are as
// wide as the text.
func TestGlamourDrawsWhatIsCompleteOnAPage(t *testing.T) {
	const text = `| file | line |\n|---|---|\n| main.go | 7 |\n`
	answer := up(t, `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"`+text+`"}}`)
	plan := func(status string) conversation.Event {
		return call(t, "p", "switch_mode", status, "Ready to code?", `"content":[{"type":"content","content":{"type":"text","text":"`+text+`"}}]`)
	}
	for name, tt := range map[string]struct {
		events []conversation.Event
		whole  bool
	}{
		"an answer":                {[]conversation.Event{ask("go"), answer, conversation.TurnEnded{}}, true},
		"an answer that streams":   {[]conversation.Event{ask("go"), answer}, false},
		"a plan":                   {[]conversation.Event{ask("go"), plan("pending")}, true},
		"what a running call says": {[]conversation.Event{ask("go"), plan("in_progress")}, false},
	} {
		l := newList(fold(tt.events...), 60, 20)
		page := l.PageOf(l.conv.Items[1], nil)
		page.SetSize(60, 20)
		wide := strings.Repeat("─", 20)
		if strings.Contains(view(page), wide) != tt.whole || strings.Contains(view(l), wide) {
			t.Errorf("%s:\n%s\nin the list:\n%s", name, view(page), view(l))
		}
	}
}
