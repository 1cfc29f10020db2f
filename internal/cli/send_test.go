package cli

import (
	"context"
	"testing"
	"testing/synctest"

	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/session"
)

// slowHost is a session whose host confirms nothing before it is told to.
type slowHost struct {
	app.Session
	stream  *session.Stream
	confirm chan struct{}
}

func (s slowHost) Stream() *session.Stream { return s.stream }

func (s slowHost) Perform(_ context.Context, c session.Call) error { return nil }

func (s slowHost) Begin(session.Call) (wait func(context.Context) error, err error) {
	return func(context.Context) error { <-s.confirm; return nil }, nil
}

// An equal prompt that was sent before is not taken for the one that is being sent.
func TestSendingAPromptTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := slowHost{stream: session.NewStream(), confirm: make(chan struct{})}
		first, second := queued("continue"), queued("continue")
		first.ID, second.ID = 1, 2
		before := conversation.NewState()
		before.Apply(conversation.QueueChanged{Queue: []conversation.QueuedPrompt{first}})
		push := func(e conversation.Event) { s.stream.Push(t.Context(), e) }
		var paused bool
		var err error
		done := make(chan struct{})
		go func() {
			defer close(done)
			paused, err = enqueue(t.Context(), s, before, queued("continue"), session.Prompt{Prompt: queued("continue")})
		}()
		push(conversation.PromptSent{Prompt: first.Prompt})
		push(conversation.QueueChanged{})
		synctest.Wait()
		close(s.confirm)
		synctest.Wait()
		select {
		case <-done:
			t.Fatal("the first prompt is taken for the second")
		default:
		}
		push(conversation.QueueChanged{Queue: []conversation.QueuedPrompt{second}, Paused: true})
		if <-done; err != nil || !paused {
			t.Errorf("paused %v, %v", paused, err)
		}
	})
}
