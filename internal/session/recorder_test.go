package session

import (
	"slices"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
)

// keeping is a recorder that remembers what it got.
type keeping struct {
	got    []conversation.Event
	closed bool
}

func (k *keeping) Record(batch []conversation.Event) []conversation.Event {
	k.got = append(k.got, batch...)
	return []conversation.Event{conversation.NoticeAdded{Title: "kept"}}
}
func (k *keeping) Close() { k.closed = true }

// Whoever keeps the session has everything before it is seen, and the end of it.
func TestTheRecorderHasEverything(t *testing.T) {
	k := &keeping{}
	s := NewStream()
	s.recorder = k
	s.post(conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: "one"})
	s.post(conversation.TurnEnded{})
	batch := s.Take()
	if len(k.got) != 2 || !slices.Equal(k.got, batch[:2]) || batch[2] != conversation.Event(conversation.NoticeAdded{Title: "kept"}) {
		t.Errorf("kept %v, taken %v", k.got, batch)
	}
	s.post(conversation.CancelRequested{})
	s.Close()
	if k.closed {
		t.Error("the recorder was closed before it had everything")
	}
	if batch := s.Take(); len(batch) != 2 || len(k.got) != 3 || !k.closed {
		t.Errorf("kept %v, taken %v, closed %v", k.got, batch, k.closed)
	}
	if batch := s.Take(); batch != nil {
		t.Errorf("taken %v after the end", batch)
	}
}
