package host

import (
	"context"
	"fmt"
	"testing"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/store"
	"parley/internal/test"
)

// turns are the events of a session of that many turns, each with a prompt, a tool call and
// an answer.
func turns(t testing.TB, n int) []conversation.Event {
	t.Helper()
	events := []conversation.Event{conversation.AgentStarting{Command: "a", At: time.Unix(1, 0)}, conversation.SessionOpened{ID: "s"}}
	for i := range n {
		events = append(
			events, test.Sent(fmt.Sprint("prompt ", i)),
			test.Up(t, fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"t%d","title":"Write main.go","kind":"edit","status":"completed","content":[{"type":"diff","path":"main.go","oldText":"a","newText":"b"}]}`, i)),
			text("It is done, and this is what the answer says of it, in a line or two."),
			conversation.TurnEnded{Reason: acpclient.StopEndTurn, At: time.Unix(2, 0)},
		)
	}
	return events
}

// BenchmarkHistory attaches to a session. BenchmarkHistory/…/load is the same from the store,
// in this process.
func BenchmarkHistory(b *testing.B) {
	for _, n := range []int{2000, 20000} {
		events := turns(b, n)
		b.Run(fmt.Sprintf("%d/attach", n), func(b *testing.B) {
			h := run(b, Options{Session: newFake(events...)})
			b.SetBytes(h.log.End())
			b.ReportAllocs()
			for b.Loop() {
				c, err := Attach(b.Context(), ClientOptions{Name: "viewer", Dial: h.dial})
				if err != nil {
					b.Fatal(err)
				}
				if len(c.Past().Items) < 3*n {
					b.Fatalf("there are %d items", len(c.Past().Items))
				}
				c.Close(context.Background())
			}
		})
		b.Run(fmt.Sprintf("%d/load", n), func(b *testing.B) {
			s := store.New(b.TempDir())
			l, err := s.Create(store.Meta{Cwd: "/w"})
			if err == nil {
				err = l.Append(events)
			}
			if err != nil {
				b.Fatal(err)
			}
			if err := l.Close(); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Read(b.Context(), l.ID()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkEventThroughHost takes the time of one event from the stream of a session
// to that of a viewer.
func BenchmarkEventThroughHost(b *testing.B) {
	f := newFake()
	h := run(b, Options{Session: f})
	c := h.attach(b, ClientOptions{})
	b.ReportAllocs()
	for b.Loop() {
		f.stream.Push(b.Context(), conversation.NoticeAdded{Title: "a few words"}) // text would come at a pace
		for len(c.Stream().Take()) == 0 {
			<-c.Stream().Ready()
		}
	}
}

// BenchmarkAct takes the time of an act until it has its answer.
func BenchmarkAct(b *testing.B) {
	rec := &calls{}
	rec.next(nil)
	h := run(b, Options{Session: recorder{newFake(), rec}})
	c := h.attach(b, ClientOptions{})
	b.ReportAllocs()
	for b.Loop() {
		// Unlike TypeInto it is waited for.
		if _, err := session.Do(b.Context(), c, session.StartShell{Spec: session.ShellSpec{Line: "k"}}); err != nil {
			b.Fatal(err)
		}
	}
}
