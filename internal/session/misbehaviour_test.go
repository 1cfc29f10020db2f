package session_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/test"
)

// misbehaviours are agents of the second version that do what they should not. Each is
// told "first" and, when that has ended, "second", which it answers as it should: so a
// turn that ends too late or too early shows.
var misbehaviours = map[string]struct {
	script string // for the first prompt, behind its expect
	want   []string
}{
	"the answer comes when all is over": {
		"accept unanswered\nsay It is done.\nidle end_turn\nreply {\"messageId\": \"prompt-1\"}",
		[]string{"you: first", "agent: It is done."},
	},
	"the answer names no message": {
		"accept nameless\nsay It is done.\nidle end_turn",
		[]string{"you: first", "agent: It is done."},
	},
	"the answer names another message": {
		"accept unanswered\nreply {\"messageId\": \"who knows\"}\nsay It is done.\nidle end_turn",
		[]string{"you: first", "agent: It is done."},
	},
	"two answers": {
		"accept\nreply {\"messageId\": \"prompt-1\"}\nsay It is done.\nidle end_turn\nreply-error -32603 no",
		[]string{"you: first", "agent: It is done."},
	},
	"an error behind the message": {
		"accept unanswered\nreply-error -32603 the model is gone",
		[]string{"you: first", "! The agent answered with an error"},
	},
	"it never tells of the message": {
		"accept untold\nsay It is done.\nidle end_turn",
		[]string{"you: first", "agent: It is done."},
	},
	"it tells of the message again and again, in other words": {
		`accept
update {"sessionUpdate": "user_message", "messageId": "prompt-1", "content": [{"type": "text", "text": "first, that is"}]}
update {"sessionUpdate": "user_message_chunk", "messageId": "prompt-1", "content": {"type": "text", "text": "!"}}
say It is done.
idle end_turn`,
		[]string{"you: first", "agent: It is done."},
	},
	"it never says to be at work": {
		"accept unstated\nsay It is done.\nidle end_turn",
		[]string{"you: first", "agent: It is done."},
	},
	"idle twice": {
		"accept\nsay It is done.\nidle end_turn\nidle end_turn\nidle cancelled",
		[]string{"you: first", "agent: It is done."},
	},
	"idle without a reason": {
		"accept\nsay It is done.\nidle",
		[]string{"you: first", "agent: It is done."},
	},
	"a state that nobody knows": {
		"accept\nupdate {\"sessionUpdate\": \"state_update\", \"state\": \"_dreaming\"}\nsay It is done.\nidle end_turn",
		[]string{"you: first", "agent: It is done."},
	},
	"pieces before the message that they answer": {
		"say Before you ask:\naccept\nsay it is done.\nidle end_turn",
		[]string{"you: first", "agent: Before you ask:", "agent: it is done."},
	},
	"pieces and ends behind the end": {
		`accept
update {"sessionUpdate": "tool_call_update", "toolCallId": "c", "title": "Work", "status": "in_progress"}
idle end_turn
update {"sessionUpdate": "agent_message_chunk", "messageId": "late", "content": {"type": "text", "text": "It is done."}}
update {"sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "completed"}`,
		[]string{"you: first", "Work: completed", "agent: It is done."},
	},
	"ids that nobody knows": {
		`accept
update {"sessionUpdate": "tool_call_content_chunk", "toolCallId": "c", "content": {"type": "content", "content": {"type": "text", "text": "x"}}}
update {"sessionUpdate": "terminal_output_chunk", "terminalId": "t", "data": "eA=="}
update {"sessionUpdate": "terminal_update", "terminalId": "u", "exitStatus": {"exitCode": 0}}
update {"sessionUpdate": "compaction_summary_chunk", "compactionId": "k", "content": {"type": "text", "text": "x"}}
notify session/update {"sessionId": "of somebody else", "update": {"sessionUpdate": "state_update", "state": "idle", "stopReason": "end_turn"}}
notify session/update {"sessionId": "of somebody else", "update": {"sessionUpdate": "agent_message_chunk", "messageId": "m", "content": {"type": "text", "text": "not for you"}}}
notify elicitation/complete {"elicitationId": "e"}
notify $/cancel_request {"requestId": 77}
say It is done.
idle end_turn`,
		[]string{"you: first", ": ", "compaction", "agent: It is done."},
	},
	"the first version's words": {
		`accept
update {"sessionUpdate": "tool_call", "toolCallId": "c", "title": "Old", "status": "pending"}
update {"sessionUpdate": "current_mode_update", "currentModeId": "m"}
request fs/read_text_file {"sessionId": "${session}", "path": "/etc/hosts"} as file
await file contains -32601
request terminal/create {"sessionId": "${session}", "command": "true"} as terminal
await terminal contains -32601
say It is done.
idle end_turn`,
		[]string{"you: first", "? tool_call", "? current_mode_update", "agent: It is done."},
	},
	"what is required is missing": {
		`accept
update {"sessionUpdate": "tool_call_update", "title": "Nameless"}
update {"sessionUpdate": "terminal_output_chunk", "terminalId": "t", "data": 7}
update {"sessionUpdate": "state_update"}
notify session/update {"update": {"sessionUpdate": "state_update", "state": "idle"}}
request session/request_permission {"title": "May I?"} as question
await question contains -32602
say It is done.
idle end_turn`,
		[]string{"you: first", "? tool_call_update", "? terminal_output_chunk", "? state_update", "agent: It is done."},
	},
	"idle with a question open, which it takes back": {
		`accept
request session/request_permission {"sessionId": "${session}", "title": "May I?", "options": [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]} as question
idle end_turn
cancel question
await question contains "cancelled"`,
		[]string{"you: first", "May I?: "},
	},
}

func TestMisbehavioursOfTheSecondVersion(t *testing.T) {
	for name, tt := range misbehaviours {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := watch(t, "speaks v2\nhandshake\nexpect session/prompt\n"+tt.script+`
expect session/prompt contains second
accept
say That, too.
idle end_turn
serve`)
			session.Post(w, session.Start{})
			session.Post(w, session.Prompt{Prompt: conversation.QueuedPrompt{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("first")}}})
			w.shows(tt.want...)
			session.Post(w, session.Prompt{Prompt: conversation.QueuedPrompt{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("second")}}})
			w.shows(append(slices.Clone(tt.want), "you: second", "agent: That, too.")...)
			if len(test.Permissions(w.conv)) > 0 || w.conv.Busy() {
				t.Errorf("questions %v, work %+v", test.Permissions(w.conv), w.conv.Work)
			}
		})
	}
}

// noMachine is the machine of a session whose agent uses nothing of it.
type noMachine struct{ session.Machine }

func (noMachine) EndTerminals() {}
func (noMachine) Close()        {}

// watcher folds the stream of a session.
type watcher struct {
	testing.TB
	*session.Session
	conv *conversation.Conversation
}

// watch is a session with an agent that does what a script says.
func watch(t *testing.T, script string) *watcher {
	t.Helper()
	s, err := session.NewSession(session.Options{
		Cwd: t.TempDir(), Unattended: true, OfferV2: true,
		Spawn:   func(acpclient.Command) (*acpclient.Peer, error) { return test.Play(script), nil },
		Machine: func(session.Observer, session.Asker) (session.Machine, error) { return noMachine{}, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(context.Background()) })
	return &watcher{t, s, conversation.New()}
}

// until folds until the conversation is as wanted.
func (w *watcher) until(what string, as func(*conversation.Conversation) bool) {
	w.Helper()
	late := time.After(2 * time.Minute)
	for {
		for _, e := range w.Stream().Take() {
			w.conv.Apply(e)
		}
		if as(w.conv) {
			return
		}
		select {
		case <-w.Stream().Ready():
		case <-late:
			w.Fatalf("it takes too long until %s\nphase %v, error %v\nit is %q", what, w.conv.Phase, w.conv.Agent.Err, w.transcript())
		}
	}
}

// shows waits until no turn runs, and those are the lines of the transcript.
func (w *watcher) shows(lines ...string) {
	w.Helper()
	w.until(fmt.Sprintf("no turn runs, and it is %q", lines), func(c *conversation.Conversation) bool {
		return c.Phase == conversation.PhaseReady && !c.Turn.Running && len(c.Queue) == 0 && slices.Equal(w.transcript(), lines)
	})
}

// transcript is a line for each item.
func (w *watcher) transcript() []string {
	var lines []string
	for _, item := range w.conv.Items {
		switch item := item.(type) {
		case *conversation.Message:
			who := "agent: "
			if item.Chunk == acpclient.UserMessageChunk {
				who = "you: "
			}
			lines = append(lines, who+strings.TrimSpace(item.Parts.Plain()))
		case *conversation.ToolCall:
			lines = append(lines, item.Title+": "+string(item.Status))
		case *conversation.Note:
			lines = append(lines, "! "+item.Title)
		case *conversation.Unknown:
			lines = append(lines, "? "+item.Kind)
		case *conversation.Compaction:
			lines = append(lines, "compaction")
		}
	}
	return lines
}
