package acpclient

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A large text is written by hand, and read back as any other.
func TestLargeTexts(t *testing.T) {
	pieces := rapid.Custom(func(t *rapid.T) string {
		return rapid.StringOfN(rapid.Rune(), 1, 50, -1).Draw(t, "text") + string(rapid.SliceOfN(rapid.Byte(), 0, 4).Draw(t, "bytes"))
	})
	for seed := range 10 { // each takes a megabyte
		piece := pieces.Example(seed)
		text := strings.Repeat(piece, largeTextSize/len(piece)+1)
		id := NumberID(7)
		message, err := outgoing{ID: &id, Result: &ReadTextFileResponse{Content: text, Meta: Meta(`{"a":1}`)}}.encode()
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			ID     int
			Result ReadTextFileResponse
		}
		if err := json.Unmarshal(message, &got); err != nil {
			t.Fatal(err)
		}
		if got.ID != 7 || got.Result.Content != strings.ToValidUTF8(text, "\uFFFD") && !brokenInside(text) || string(got.Result.Meta) != `{"a":1}` {
			t.Errorf("%q came back as another text", piece)
		}
		if cap(message) == len(message) {
			t.Error("there is no room for the line end")
		}
	}
}

// brokenInside reports bytes that are no UTF-8: each is replaced, where ToValidUTF8
// replaces a run of them.
func brokenInside(text string) bool { return strings.ToValidUTF8(text, "") != text }

// silent is a transport whose peer asks once and never reads.
type silent struct {
	requests chan string
	writing  chan struct{}
	end      chan struct{}
}

func (s *silent) Read() ([]byte, error) {
	select {
	case r := <-s.requests:
		return []byte(r), nil
	case <-s.end:
		return nil, context.Canceled
	}
}

func (s *silent) Write([]byte) error {
	s.writing <- struct{}{}
	<-s.end
	return context.Canceled
}

func (s *silent) Close() error { return nil }

// answering answers every request at once, and says when it was asked, and when its
// answer was written.
type answering struct{ asked, answered chan string }

func (answering) HandleNotification(context.Context, string, json.RawMessage) {}

func (a answering) HandleRequest(ctx context.Context, method string, _ json.RawMessage) (any, error) {
	if !OnAnswered(ctx, func() { a.answered <- method }) {
		return nil, context.Canceled
	}
	a.asked <- method
	return nil, nil
}

func TestOnAnsweredWaitsForTheWrite(t *testing.T) {
	peer := &silent{requests: make(chan string, 2), writing: make(chan struct{}, 2), end: make(chan struct{})}
	peer.requests <- `{"jsonrpc":"2.0","id":1,"method":"first"}`
	peer.requests <- `{"jsonrpc":"2.0","id":2,"method":"second"}`
	a := answering{make(chan string, 2), make(chan string, 2)}
	c := NewConn(peer, a, ConnOptions{})
	defer c.Close()
	<-peer.writing
	for range 2 {
		<-a.asked // else the connection may end before the second is read
	}
	select {
	case m := <-a.answered:
		t.Errorf("the answer to %s is said to be written", m)
	default:
	}
	close(peer.end) // neither will be
	for range 2 {
		<-a.answered
	}
	if OnAnswered(t.Context(), func() {}) {
		t.Error("a context that is no handler's was taken")
	}
}
