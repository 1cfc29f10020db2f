package acpclient

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
)

// twoSessions is an agent that works on two sessions at once: it streams to both
// in turn, and ends the second turn first.
type twoSessions struct {
	conn  *Conn
	begun sync.WaitGroup // both prompts
	order chan struct{}  // closed when the second turn has ended
}

func (a *twoSessions) HandleNotification(context.Context, string, json.RawMessage) {}

func (a *twoSessions) HandleRequest(ctx context.Context, method string, params json.RawMessage) (any, error) {
	var p PromptRequest
	if err := Unmarshal(params, &p); err != nil {
		return nil, err
	}
	Async(ctx)
	a.begun.Done()
	a.begun.Wait()
	for i := range 100 {
		if err := a.conn.Notify(SessionUpdateNotification.Name, SessionNotification{SessionID: p.SessionID, Update: &ContentChunk{
			Chunk: AgentMessageChunk, Content: TextBlock(fmt.Sprintf("%s%d ", p.SessionID, i)),
		}}); err != nil {
			return nil, err
		}
	}
	if p.SessionID == "one" {
		<-a.order
		return PromptResponse{StopReason: StopEndTurn}, nil
	}
	return PromptResponse{StopReason: StopRefusal}, nil
}

// bySession keeps the text of every session apart.
type bySession struct {
	mu   sync.Mutex
	text map[SessionID]string
}

func (h *bySession) SessionUpdate(_ context.Context, n *SessionNotification) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text[n.SessionID] += n.Update.(*ContentChunk).Content.Text
}

func TestTwoSessionsOnOneConnection(t *testing.T) {
	toAgent, fromClient := io.Pipe()
	toClient, fromAgent := io.Pipe()
	agent := &twoSessions{order: make(chan struct{})}
	agent.begun.Add(2)
	agent.conn = NewConn(NewLines(toAgent, fromAgent), agent, ConnOptions{})
	h := &bySession{text: map[SessionID]string{}}
	c := NewClient(NewLines(toClient, fromClient), h, ConnOptions{})
	t.Cleanup(func() {
		_, _ = fromClient.Close(), fromAgent.Close()
		<-c.Conn().Done()
		<-agent.conn.Done()
	})

	type end struct {
		reason StopReason
		err    error
		text   string // of the session, when its turn ended
	}
	ends := map[SessionID]chan end{"one": make(chan end, 1), "two": make(chan end, 1)}
	for id, ch := range ends {
		Go(c.Conn(), SessionPrompt, &PromptRequest{SessionID: id}, func(r *PromptResponse, err error) {
			e := end{err: err}
			if r != nil {
				e.reason = r.StopReason
			}
			h.mu.Lock()
			e.text = h.text[id]
			h.mu.Unlock()
			ch <- e
		})
	}
	two := <-ends["two"]
	close(agent.order)
	one := <-ends["one"]
	for id, e := range map[SessionID]end{"one": one, "two": two} {
		var want strings.Builder
		for i := range 100 {
			fmt.Fprintf(&want, "%s%d ", id, i)
		}
		if e.err != nil || e.text != want.String() {
			t.Errorf("session %s ended with %v and the text %q", id, e.err, e.text)
		}
	}
	if one.reason != StopEndTurn || two.reason != StopRefusal {
		t.Errorf("the turns ended %q and %q", one.reason, two.reason)
	}
}
