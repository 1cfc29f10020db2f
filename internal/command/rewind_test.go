package command

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/journal"
	"parley/internal/session"
	"parley/internal/test"
)

// While the agent works in the files, no rewind of them is undone.
func TestARewindIsNotUndoneInATurn(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.journal = &journal.Summary{LastRewind: 1}
	s.live.Conversation.Apply(test.Sent("go on"))
	items := RewindItems(s)
	if items[0].Do(); len(s.did) > 0 || len(s.said) != 1 {
		t.Errorf("did %v, said %q", s.did, s.said)
	}
	s.live.Conversation.Apply(conversation.TurnEnded{At: time.Unix(9, 0)})
	if items[0].Do(); len(s.did) != 1 || s.did[0] != (session.Redo{}) {
		t.Errorf("did %v", s.did)
	}
}

// A rewind says what parley has not seen, in the list and where it asks.
func TestARewindSaysWhatParleyHasNotSeen(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.live.Conversation.Apply(conversation.PromptSent{At: time.Unix(1, 0), Prompt: []acpclient.ContentBlock{acpclient.TextBlock("go")}})
	s.journal = &journal.Summary{Turns: []journal.Turn{{Number: 1, At: time.Unix(1, 0)}}}
	const want = "parley has recorded no change since.%[1]sThis is not seen.%[1]s"
	prompts, plan := s.live.Conversation.Prompts(), &journal.RewindPlan{Turn: 1, Limits: "this is not seen"}
	list := &promptList{f: s, live: s.live, prompts: prompts, plans: map[int]*journal.RewindPlan{1: plan}}
	if about := list.choice().Items[0].About; !strings.HasPrefix(about, fmt.Sprintf(want, " ")) {
		t.Errorf("the list says %q", about)
	}
	(&rewind{f: s, live: s.live, prompt: prompts[0], plan: plan}).ask()
	if text := s.asked[0].Text + "\n"; !strings.HasSuffix(text, fmt.Sprintf(want, "\n")) {
		t.Errorf("the question says %q", text)
	}
}
