package host

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/test"
)

// over reports whether the host has ended.
func (r *running) isOver() bool {
	synctest.Wait()
	select {
	case <-r.ended:
		return true
	default:
		return false
	}
}

func TestWhenAHostEnds(t *testing.T) {
	ready := []conversation.Event{conversation.AgentStarting{Command: "a", At: time.Unix(1, 0)}, conversation.AgentReady{Info: &acpclient.InitializeResponse{}}, conversation.SessionOpened{ID: "s"}}
	with := func(more ...conversation.Event) []conversation.Event {
		return append(ready[:len(ready):len(ready)], more...)
	}
	const idle = time.Hour
	for name, tt := range map[string]struct {
		before []conversation.Event
		after  time.Duration // when it ends if nobody ever looks on; 0 is never
	}{
		"not started":      {nil, unwatched},
		"nothing was said": {ready, unwatched},
		"a command ran":    {with(conversation.TerminalCreated{ID: "t"}), idle},
		"turn ended":       {with(test.Sent("a"), conversation.TurnEnded{Reason: acpclient.StopEndTurn}), idle},
		"turn":             {with(test.Sent("a")), 0},
		"question":         {with(test.Permission(1, test.FullCall)), 0},
		"prompts wait":     {with(conversation.QueueChanged{Queue: []conversation.QueuedPrompt{queued("a")}}), 0},
		"prompts paused":   {with(conversation.QueueChanged{Queue: []conversation.QueuedPrompt{queued("a")}, Paused: true}), 0},
		"agent has ended":  {with(conversation.AgentLost{At: time.Unix(2, 0)}), unwatched},
		"ended in mid act": {with(test.Sent("a"), conversation.AgentLost{At: time.Unix(2, 0)}), unwatched},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				h := start(t, Options{Session: newFake(tt.before...), Idle: idle, Dir: dir})
				defer h.end()
				if tt.after == 0 {
					time.Sleep(1000 * idle)
					if h.isOver() {
						t.Error("it ends")
					}
					return
				}
				time.Sleep(tt.after - time.Second)
				if h.isOver() {
					t.Error("it ends too early")
				}
				time.Sleep(2 * idleCheck)
				if !h.isOver() {
					t.Error("it does not end")
				}
			})
		})
	}
}

// A host whose agent has ended stays as long as somebody looks on, and for those who have lost
// their connection, but not for those who have left.
func TestAHostWithoutAnAgent(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		for _, leaves := range []bool{true, false} {
			h := start(t, Options{Session: newFake(conversation.AgentLost{}), Dir: dir, Idle: time.Minute})
			c, err := Attach(t.Context(), ClientOptions{Name: "viewer", Dial: h.dial})
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(24 * time.Hour)
			if h.isOver() {
				t.Fatal("it ends while somebody looks on")
			}
			if leaves {
				c.Close(t.Context())
				if !h.isOver() {
					t.Error("it does not end when the last one leaves")
				}
				continue
			}
			c.cancel() // it does not come back
			c.mu.Lock()
			c.conn.Close()
			c.mu.Unlock()
			<-c.done
			if time.Sleep(unwatched - time.Second); h.isOver() {
				t.Error("it does not wait for who has lost the connection")
			}
			if time.Sleep(2 * idleCheck); !h.isOver() {
				t.Error("it waits for ever")
			}
			c.Close(context.Background())
		}
	})
}

// A session in which nothing was said ends with its last viewer, and not before.
func TestASessionInWhichNothingWasSaid(t *testing.T) {
	dir := t.TempDir()
	for _, says := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			h := start(t, Options{Session: newFake(atWork[:3]...), Dir: dir, Idle: time.Hour})
			defer h.end()
			attach := func() *Client {
				c, err := Attach(t.Context(), ClientOptions{Name: "viewer", Dial: h.dial})
				if err != nil {
					t.Fatal(err)
				}
				return c
			}
			one, two := attach(), attach()
			if says {
				session.Post(one, session.Prompt{Prompt: queued("one")})
			}
			one.Close(t.Context())
			if time.Sleep(10 * time.Minute); h.isOver() {
				t.Fatal("it ends while somebody looks on")
			}
			two.Close(t.Context())
			if h.isOver() == says {
				t.Errorf("prompt %v: it goes on %v", says, says)
			}
		})
	}
}
