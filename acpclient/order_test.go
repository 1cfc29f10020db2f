package acpclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
)

// A permission request that follows its tool call on the wire is never seen
// before it, nor after what follows it.
func TestRequestsKeepTheirPlace(t *testing.T) {
	const rounds = 10_000
	var seen atomic.Int64 // updates so far, two for each round
	late := 0
	l := &listener{
		onUpdate: func(*SessionNotification) { seen.Add(1) },
		onPermission: func(ctx context.Context, r *RequestPermissionRequest) (*RequestPermissionResponse, error) {
			var round int64
			_, _ = fmt.Sscan(string(r.ToolCall.ToolCallID), &round)
			if seen.Load() != 2*round+1 {
				late++ // before Async: one handler at a time
			}
			Async(ctx)
			return &RequestPermissionResponse{Outcome: PermissionCancelled}, nil
		},
	}
	c, w := connect(t, l, ConnOptions{})
	w.schema = nil
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		for i := range rounds {
			w.send(
				update(fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"%d","title":"T"}`, i)),
				fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"%[1]d"},"options":[]}}`, i),
				update(fmt.Sprintf(`{"sessionUpdate":"tool_call_update","toolCallId":"%d","status":"completed"}`, i)),
			)
		}
	}()
	for range rounds {
		if m := w.receive(); m.Error != nil {
			t.Fatalf("%v", m.Error)
		}
	}
	<-sent
	_ = w.to.Close()
	<-c.Conn().Done()
	if late > 0 {
		t.Errorf("%d of %d requests were seen out of their place", late, rounds)
	}
	if got := seen.Load(); got != 2*rounds {
		t.Errorf("%d updates, want %d", got, 2*rounds)
	}
}

// The end of a turn that is asked for with Go comes after all updates before it
// and before those behind it.
func TestAnswersKeepTheirPlace(t *testing.T) {
	seen := 0
	c, w := connect(t, &listener{onUpdate: func(*SessionNotification) { seen++ }}, ConnOptions{})
	for round := range 500 {
		done := make(chan int, 1)
		Go(c.Conn(), SessionPrompt, &PromptRequest{SessionID: "s"}, func(r *PromptResponse, err error) {
			if err != nil || r.StopReason != StopEndTurn {
				t.Errorf("%v %v", r, err)
			}
			done <- seen
		})
		id := string(w.receive().ID)
		w.send(chunk("a"), chunk("b"), update(`{"sessionUpdate":"plan","entries":[]}`),
			`{"jsonrpc":"2.0","id":`+id+`,"result":{"stopReason":"end_turn"}}`, chunk("after"))
		if got, want := <-done, 4*round+3; got != want {
			t.Fatalf("round %d: the turn ended after %d updates, want %d", round, got, want)
		}
	}
}

// A handler that is slow holds the agent up; nothing is lost or reordered, and
// memory does not grow with what waits.
func TestSlowReader(t *testing.T) {
	const updates = 30_000
	r, w := io.Pipe()
	var sent atomic.Int64
	go func() {
		for i := range updates {
			if _, err := io.WriteString(w, chunk(fmt.Sprint(i))+"\n"); err != nil {
				t.Error(err)
				break
			}
			sent.Store(int64(i + 1))
		}
		_ = w.Close()
	}()

	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	next, most, furthest := 0, uint64(0), int64(0)
	c := NewClient(NewLines(r, io.Discard), &listener{onUpdate: func(n *SessionNotification) {
		if got := n.Update.(*ContentChunk).Content.Text; got != fmt.Sprint(next) {
			t.Errorf("got %s, want %d", got, next)
		}
		next++
		if next%5000 == 0 { // slow, and long enough for anything to pile up
			for range 50 {
				runtime.Gosched()
			}
			runtime.GC()
			runtime.ReadMemStats(&now)
			most = max(most, now.HeapAlloc)
			furthest = max(furthest, sent.Load()-int64(next))
		}
	}}, ConnOptions{})
	<-c.Conn().Done()
	if next != updates {
		t.Errorf("%d updates, want %d", next, updates)
	}
	if grown := int64(most) - int64(before.HeapAlloc); grown > 8<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
	if furthest > 2*readBuffer/int64(len(chunk(""))) {
		t.Errorf("the agent was %d messages ahead", furthest)
	}
}

// While a handler blocks, the agent's writes block too: that is what holds it up.
func TestBlockedHandlerBlocksTheAgent(t *testing.T) {
	hold, held := make(chan struct{}), make(chan struct{}, 1)
	seen := 0
	c, w := connect(t, &listener{onUpdate: func(*SessionNotification) {
		if seen++; seen == 1 {
			held <- struct{}{}
			<-hold
		}
	}}, ConnOptions{})
	w.send(chunk("first"))
	<-held
	wrote := make(chan struct{})
	go func() {
		w.send(strings.Repeat(" ", 2*readBuffer), chunk("last"))
		close(wrote)
	}()
	select {
	case <-wrote:
		t.Error("more was read than a buffer holds")
	default:
	}
	close(hold)
	<-wrote
	_ = w.to.Close()
	<-c.Conn().Done()
	if seen != 2 {
		t.Errorf("%d updates", seen)
	}
}

// An agent that has stopped reading blocks nothing of ours: not notifications,
// not calls that are given up, not what it still says, not Close.
func TestAgentThatDoesNotRead(t *testing.T) {
	answered := make(chan struct{})
	l := &listener{
		onPermission: func(context.Context, *RequestPermissionRequest) (*RequestPermissionResponse, error) {
			return &RequestPermissionResponse{Outcome: PermissionSelected("y")}, nil
		},
	}
	l.onUpdate = func(n *SessionNotification) {
		if n.Update.(*ContentChunk).Content.Text == "still here" {
			close(answered)
		}
	}
	c, w := connect(t, l, ConnOptions{})
	for range 1000 {
		if err := c.Cancel(&CancelNotification{SessionID: "s"}); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		_, err := Call(ctx, c.Conn(), SessionPrompt, &PromptRequest{SessionID: "s", Prompt: List[ContentBlock]{TextBlock(strings.Repeat("x", 1<<20))}})
		done <- err
	}()
	for i := range 100 {
		w.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t"},"options":[]}}`, i))
	}
	w.send(chunk("still here"))
	<-answered
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	c.Conn().Close()
	<-c.Conn().Done()
}

// Answers to an agent that asks and does not read pile up to a bound only.
func TestAnswersThatAreNotReadAreBounded(t *testing.T) {
	big := strings.Repeat("x", 1<<20)
	const asked = 64
	var served atomic.Int64
	r, agent := io.Pipe()
	block := make(chan struct{})
	c := NewClient(NewLines(r, blockedWriter(block)), &listener{
		onRead: func(context.Context, *ReadTextFileRequest) (*ReadTextFileResponse, error) {
			served.Add(1)
			return &ReadTextFileResponse{Content: big}, nil
		},
	}, ConnOptions{})
	c.dispatch.offered.Store(&ClientCapabilities{FS: FileSystemCapabilities{ReadTextFile: true}})
	wrote := make(chan int, 1)
	go func() {
		n := 0
		for ; n < asked; n++ {
			line := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/p"}}`, n)
			if _, err := io.WriteString(agent, line+strings.Repeat(" ", 2*readBuffer)+"\n"); err != nil {
				break
			}
		}
		wrote <- n
	}()
	for served.Load() <= maxQueued/int64(len(big)) {
		runtime.Gosched()
	}
	_ = agent.Close()
	if n := <-wrote; n >= asked {
		t.Errorf("all %d requests were taken", n)
	}
	c.Conn().Close()
	<-c.Conn().Done()
	close(block)
}

// blockedWriter takes nothing until it is closed.
type blockedWriter chan struct{}

func (w blockedWriter) Write(b []byte) (int, error) {
	<-w
	return len(b), nil
}
