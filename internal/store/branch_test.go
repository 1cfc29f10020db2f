package store

import (
	"fmt"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

func TestBranch(t *testing.T) {
	s := New(t.TempDir())
	l, err := s.Create(Meta{Agent: "mine", Cwd: "/project"})
	if err != nil {
		t.Fatal(err)
	}
	events := []conversation.Event{conversation.SessionOpened{ID: "s1", Cwd: "/project"}}
	for i := range 5 {
		id := acpclient.MessageID(fmt.Sprint("m", i+1))
		events = append(events, test.Sent(fmt.Sprint("prompt ", i+1)),
			conversation.Text{Chunk: acpclient.AgentMessageChunk, MessageID: id, Text: fmt.Sprint("answer ", i+1)},
			conversation.TurnEnded{Reason: acpclient.StopEndTurn})
	}
	queue := []conversation.QueuedPrompt{{ID: 1, Prompt: []acpclient.ContentBlock{acpclient.TextBlock("later")}}}
	if err := l.Append(append(events, conversation.QueueChanged{Queue: queue, Paused: true})); err != nil {
		t.Fatal(err)
	}
	b, err := s.Branch(t.Context(), l.ID(), 3, nil) // while the other is open
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Read(t.Context(), b.ID())
	if err != nil {
		t.Fatal(err)
	}
	test.WantTranscript(t, got.Conversation, "user: prompt 1", "agent: answer 1", "user: prompt 2", "agent: answer 2",
		"note: Continues an earlier session from here")
	if m := got.Meta; m.Origin != l.ID() || m.OriginPrompt != 3 || m.Agent != "mine" || m.ID == l.ID() {
		t.Errorf("the meta is %+v", m)
	}
	if c := got.Conversation; c.ID != "" || len(c.Queue) != 0 {
		t.Errorf("the branch is of session %q, with the queue %v", c.ID, c.Queue)
	}
	all, err := s.Branch(t.Context(), l.ID(), 6, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.Read(t.Context(), all.ID()); err != nil || len(got.Conversation.Prompts()) != 5 {
		t.Errorf("the branch at the end: %v", err)
	}
	if _, err := s.Branch(t.Context(), l.ID(), 7, nil); err == nil {
		t.Error("branched before a prompt that does not exist")
	}
	if was, err := s.Read(t.Context(), l.ID()); err != nil || len(was.Conversation.Prompts()) != 5 || was.Conversation.Prompts()[1].After != "m1" {
		t.Errorf("the original has changed: %v", err)
	}
	for _, l := range []*Log{l, b, all} {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}
