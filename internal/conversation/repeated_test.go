package conversation_test

import (
	"fmt"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

// toldCalls describes all calls in order: title, state, answer and output.
func toldCalls(c *conversation.Conversation) string {
	var all []string
	for _, i := range c.Items {
		t, ok := i.(*conversation.ToolCall)
		if !ok {
			continue
		}
		words := []string{t.Title, t.State()}
		if t.Answer != nil {
			words = append(words, "answered "+t.Answer.Option.Name)
		}
		for _, content := range t.Content {
			if content.Content != nil {
				words = append(words, "gave "+content.Content.Text)
			}
		}
		all = append(all, strings.Join(words, ", "))
	}
	return strings.Join(all, " | ")
}

// Agents count their calls from 1 in each turn, or in each message. A call that has ended is
// not the one that begins: it keeps its output and its answer, and the question about the
// new one shows none of it.
func TestACallThatHasEndedIsNotTheOneThatBegins(t *testing.T) {
	announce := func(title string) string {
		return fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"1","title":%q,"kind":"execute","status":"pending","rawInput":{"command":%q}}`, title, title)
	}
	update := func(title, status string) string {
		return fmt.Sprintf(`{"sessionUpdate":"tool_call_update","toolCallId":"1","title":%q,"status":%q}`, title, status)
	}
	ask := func(id int, title string) conversation.PermissionOpened {
		return test.Permission(id, fmt.Sprintf(`{"toolCallId":"1","title":%q,"kind":"execute","status":"pending","rawInput":{"command":%q}}`, title, title))
	}
	yes := func(id int) conversation.QuestionClosed {
		return conversation.QuestionClosed{ID: id, Outcome: acpclient.PermissionSelected("y")}
	}
	no := func(id int) conversation.QuestionClosed {
		return conversation.QuestionClosed{ID: id, Outcome: acpclient.PermissionSelected("n")}
	}
	const done = `{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"completed","content":[{"type":"content","content":{"type":"text","text":"old"}}]}`
	const first = "ls, completed, answered Yes, gave old"
	begun := []any{test.Sent("x"), announce("ls"), ask(1, "ls"), yes(1), done}
	next := []any{conversation.TurnEnded{}, test.Sent("y")}
	for name, c := range map[string]struct {
		more []any
		want string
	}{
		"announced in the turn":        {[]any{announce("rm"), ask(2, "rm")}, first + " | rm, pending"},
		"asked about in the turn":      {[]any{ask(2, "rm")}, first + " | rm, pending"},
		"asked about and done":         {[]any{ask(2, "rm"), yes(2), update("rm", "completed")}, first + " | rm, completed, answered Yes"},
		"updated in the turn":          {[]any{update("rm", "pending")}, first + " | rm, pending"},
		"done at once in the turn":     {[]any{`{"sessionUpdate":"tool_call","toolCallId":"1","title":"rm","status":"completed"}`}, first + " | rm, completed"},
		"announced in the next turn":   {append(next, announce("rm"), ask(2, "rm")), first + " | rm, pending"},
		"asked about in the next turn": {append(next, ask(2, "rm"), yes(2)), first + " | rm, pending, answered Yes"},
		"updated in the next turn":     {append(next, update("rm", "in_progress")), first + " | rm, in_progress"},
		"again the same command":       {[]any{announce("ls")}, first + " | ls, pending"},
		// These are about the call that has ended.
		"output that comes late":       {[]any{`{"sessionUpdate":"tool_call_update","toolCallId":"1","rawOutput":7}`}, first},
		"an end that is told twice":    {[]any{done}, first},
		"an end that is told as whole": {[]any{`{"sessionUpdate":"tool_call","toolCallId":"1","title":"ls","status":"completed","rawInput":{"command":"ls"}}`}, first},
	} {
		t.Run(name, func(t *testing.T) {
			got := fold(t, append(begun[:len(begun):len(begun)], c.more...)...)
			if toldCalls(got) != c.want {
				t.Errorf("%s\nwant %s", toldCalls(got), c.want)
			}
			for _, p := range test.Permissions(got) {
				if p.Asked.Title != "rm" || len(p.Asked.Content) > 0 || p.ToolCall.Answer != nil {
					t.Errorf("the question shows %+v", p.Asked)
				}
			}
		})
	}

	for name, c := range map[string]struct {
		events []any
		want   string
	}{
		// A denied call gets no updates.
		"denied before": {
			[]any{test.Sent("x"), ask(1, "ls"), no(1), conversation.TurnEnded{}, test.Sent("y"), ask(2, "rm")},
			"ls, rejected, answered No | rm, pending",
		},
		"cancelled before": {
			[]any{test.Sent("x"), announce("ls"), conversation.CancelRequested{}, conversation.TurnEnded{Reason: acpclient.StopCancelled}, test.Sent("y"), ask(2, "rm")},
			"ls, cancelled | rm, pending",
		},
		"without an end before": {
			[]any{test.Sent("x"), ask(1, "ls"), yes(1), conversation.TurnEnded{}, test.Sent("y"), ask(2, "rm")},
			"ls, pending, answered Yes | rm, pending",
		},
		"without an end before, the same announced": {
			[]any{test.Sent("x"), announce("ls"), ask(1, "ls"), yes(1), conversation.TurnEnded{}, test.Sent("y"), announce("ls"), ask(2, "ls"), no(2), conversation.TurnEnded{}},
			"ls, pending, answered Yes | ls, rejected, answered No",
		},
		"without an end before, the same asked about": {
			[]any{test.Sent("x"), ask(1, "ls"), yes(1), conversation.TurnEnded{}, test.Sent("y"), ask(2, "ls"), no(2), conversation.TurnEnded{}},
			"ls, pending, answered Yes | ls, rejected, answered No",
		},
		"its end in the next turn": {
			[]any{test.Sent("x"), ask(1, "ls"), yes(1), conversation.TurnEnded{}, test.Sent("y"), update("ls", "completed")},
			"ls, completed, answered Yes",
		},
		"its end between turns": {
			[]any{test.Sent("x"), ask(1, "ls"), yes(1), conversation.TurnEnded{}, update("ls", "completed"), test.Sent("y"), announce("ls")},
			"ls, completed, answered Yes | ls, pending",
		},
		// It goes on, and its question says no more than which call it is about.
		"in the background": {
			[]any{test.Sent("x"), announce("ls"), conversation.TurnEnded{}, test.Sent("y"), test.Permission(2, `{"toolCallId":"1"}`)},
			"ls, pending",
		},
		"announced after its end": {
			[]any{test.Sent("x"), `{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"completed"}`, announce("ls")},
			"ls, pending",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := toldCalls(fold(t, c.events...)); got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
		})
	}
}
