package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/acpclient"
)

func TestCloseSaysGoodbye(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		Post(h, Start{})
		h.settle()
		h.prompt("go")
		ch := h.agent().ask(t.Context(), "session/request_permission", permissionFor("t1"))
		h.settle()
		h.close()
		h.Close(t.Context()) // again
		got := h.agent().got()
		if i := slices.Index(got, "session/cancel s1"); i < 0 || !slices.Contains(got[i:], "session/close s1") {
			t.Errorf("the agent got %q", got)
		}
		if got := <-ch; got.err == nil && string(got.raw) != `{"outcome":{"outcome":"cancelled"}}` {
			t.Errorf("the open question was answered %s", got.raw)
		}
		if !h.machine.closed {
			t.Error("the machine is not closed")
		}
		// Nothing does anything any more.
		Post(h, Start{})
		Post(h, Reconnect{})
		h.prompt("too late")
		if err := Try(h.Context(), h, OpenSession{acpclient.SessionInfo{SessionID: "other"}}); err == nil {
			t.Error("opened a session after the end")
		}
		if len(h.agents) != 1 {
			t.Error("an agent was started after the end")
		}
	})
}

// Whoever closes a session that is just being closed waits for that as well.
func TestCloseWhileItIsBeingClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		Post(h, Start{})
		h.settle()
		h.agent().slow, h.agent().let = true, make(chan struct{})
		h.agent().die() // the pipes, not the process
		synctest.Wait()
		var returned atomic.Int32
		for range 2 {
			go func() { h.Close(t.Context()); returned.Add(1) }()
		}
		synctest.Wait()
		if n := returned.Load(); n != 0 {
			t.Errorf("%d have returned while the agent runs", n)
		}
		close(h.agent().let)
		synctest.Wait()
		if n := returned.Load(); n != 2 {
			t.Errorf("%d of 2 have returned", n)
		}
	})
}

// The goodbye comes behind all that was said before, also what another goroutine is just
// sending, and before the agent is ended.
func TestCloseWhileSomethingIsBeingSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		Post(h, Start{})
		h.settle()
		h.prompt("go")
		sends := make(chan struct{})
		h.mu.Lock()
		h.outbox = append(h.outbox, func() { <-sends })
		go h.unlock()
		synctest.Wait()
		go h.Close(t.Context())
		synctest.Wait()
		close(sends)
		synctest.Wait()
		got := h.agent().got()
		if i := slices.Index(got, "session/cancel s1"); i < 0 || !slices.Contains(got[i:], "session/close s1") {
			t.Errorf("the agent got %q", got)
		}
	})
}

// An agent that does not read must not hold up the exit.
func TestCloseWithAnAgentThatDoesNotListen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		Post(h, Start{})
		h.settle()
		h.agent().slow = true
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		h.Close(ctx)
		if took := time.Since(began); took > time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

func TestCloseWhileTheStreamIsFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		Post(h, Start{})
		h.settle()
		for range 60 {
			h.agent().text("s1", strings.Repeat("x", 100_000))
		}
		synctest.Wait() // the reader waits for room
		h.close()
	})
}

func TestCloseDuringTheStart(t *testing.T) {
	for _, answered := range []string{"", "initialize"} {
		synctest.Test(t, func(t *testing.T) {
			h := newHarness(t)
			h.prepare = func(a *fakeAgent) {
				for m := range a.auto {
					if m != answered {
						delete(a.auto, m)
					}
				}
			}
			Post(h, Start{})
			synctest.Wait()
			h.close()
		})
	}
	synctest.Test(t, func(t *testing.T) { // while the program is being started
		h := newHarness(t)
		h.spawnOf = func() error { time.Sleep(time.Second); return nil }
		Post(h, Start{})
		Post(h, Start{}) // does not start two
		synctest.Wait()
		h.close()
		if len(h.agents) != 1 {
			t.Errorf("%d agents", len(h.agents))
		}
		select {
		case <-h.agent().done:
		default:
			t.Error("the agent outlives the session")
		}
	})
}

// What the agent leaves behind while it ends is put right too, and told.
func TestAfterTheAgentsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ended bool
		h := newHarness(t, func(h *harness, o *Options) {
			o.AfterTurn = func() (string, string) {
				select {
				case <-h.agents[0].done:
					ended = true
				default:
				}
				return "put right", ""
			}
		})
		Post(h, Start{})
		h.settle()
		h.Close(t.Context())
		h.settle()
		if !ended || !slices.ContainsFunc(h.notices(), func(n string) bool { return strings.HasPrefix(n, "put right") }) {
			t.Errorf("put right after the agent: %t; told: %q", ended, h.notices())
		}
	})
}

func TestNewSessionWithoutAMachine(t *testing.T) {
	broken := errors.New("no such directory")
	_, err := NewSession(Options{Machine: func(Observer, Asker) (Machine, error) { return nil, broken }})
	if !errors.Is(err, broken) {
		t.Error(err)
	}
}

// What an agent has left behind is put right after each turn, when it has exited and at the
// end, and the transcript tells it.
func TestAfterTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int32
		h := newHarness(t, func(_ *harness, o *Options) {
			o.AfterTurn = func() (string, string) {
				if n := calls.Add(1); n != 2 {
					return fmt.Sprint("put right ", n), ""
				}
				return "", "nothing"
			}
		})
		Post(h, Start{})
		h.settle()
		for range 2 {
			h.prompt("go")
			h.reply("session/prompt", `{"stopReason":"end_turn"}`)
			h.settle()
		}
		h.agent().exit(errors.New("crashed"))
		h.settle()
		h.Close(t.Context())
		h.settle()
		var told []string
		for _, n := range h.notices() {
			if strings.HasPrefix(n, "put right") {
				told = append(told, n)
			}
		}
		if want := []string{"put right 1", "put right 3", "put right 4"}; !slices.Equal(told, want) {
			t.Errorf("the transcript tells %q, want %q", told, want)
		}
	})
}
