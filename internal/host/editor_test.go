package host

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
)

// ask asks the host's editor for a file.
func (r *running) ask(t *testing.T) (string, error) {
	t.Helper()
	ask := r.Editor()
	if ask == nil {
		t.Fatal("there is no editor")
	}
	return ask(t.Context(), "/w/file")
}

// having is an editor that has a text, whatever the file.
func having(text string) func(context.Context, string) (string, error) {
	return func(context.Context, string) (string, error) { return text, nil }
}

// Of several editors, the one that attached last is asked; without it, the one before. Viewers without an
// editor are not, and none that only look on.
func TestWhichEditorIsAsked(t *testing.T) {
	h := run(t, Options{Session: newFake()})
	h.attach(t, ClientOptions{})
	h.attach(t, ClientOptions{ReadFile: having("looks on"), ReadOnly: true})
	if h.Editor() != nil {
		t.Fatal("there is an editor")
	}
	h.attach(t, ClientOptions{ReadFile: having("first")})
	last := h.attach(t, ClientOptions{ReadFile: func(_ context.Context, path string) (string, error) {
		if path != "/w/file" {
			t.Errorf("asked for %s", path)
		}
		return "last", nil
	}})
	h.attach(t, ClientOptions{})
	if got, err := h.ask(t); err != nil || got != "last" {
		t.Errorf("%q, %v", got, err)
	}
	last.Close(t.Context())
	if got, err := h.ask(t); err != nil || got != "first" {
		t.Errorf("%q, %v", got, err)
	}
	h.attach(t, ClientOptions{ReadFile: func(context.Context, string) (string, error) { return "", errors.New("not open") }})
	if got, err := h.ask(t); err == nil || got != "" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := h.ask(t); err == nil { // it is still the one that is asked
		t.Error("another editor was asked")
	}
}

// An editor that leaves while it is asked is not waited for.
func TestAnEditorThatLeaves(t *testing.T) {
	h := run(t, Options{Session: newFake()})
	asked, left := make(chan struct{}), make(chan struct{})
	w := h.attach(t, ClientOptions{ReadFile: func(context.Context, string) (string, error) {
		close(asked)
		<-left
		return "late", nil
	}})
	go func() {
		<-asked
		w.Close(context.Background())
		close(left)
	}()
	if got, err := h.ask(t); !errors.Is(err, acpclient.ErrClosed) || got != "" {
		t.Errorf("%q, %v", got, err)
	}
	if h.Editor() != nil {
		t.Error("it is still asked")
	}
}

// An editor that is slow to answer is not asked for a while, and the user is told once. What comes too late
// is for nothing.
func TestAnEditorThatDoesNotAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, Options{Session: newFake()})
		w := h.attach(t, ClientOptions{ReadFile: func(ctx context.Context, _ string) (string, error) {
			<-ctx.Done()
			return "late", nil
		}})
		begun := time.Now()
		if got, err := h.ask(t); !errors.Is(err, context.DeadlineExceeded) || got != "" {
			t.Errorf("%q, %v", got, err)
		}
		if waited := time.Since(begun); waited != 3*time.Second {
			t.Errorf("waited %v", waited)
		}
		w.untilNotice(t, "The editor answers slowly")
		if h.Editor() != nil {
			t.Error("it is asked again at once")
		}
		time.Sleep(time.Minute) // in the bubble's time
		if got, err := h.ask(t); !errors.Is(err, context.DeadlineExceeded) || got != "" {
			t.Errorf("after a while: %q, %v", got, err)
		}
		late := h.attach(t, ClientOptions{ReadFile: func(context.Context, string) (string, error) {
			time.Sleep(3*time.Second - 1) // in the bubble's time
			return "late", nil
		}})
		if got, err := h.ask(t); err != nil || got != "late" || h.Editor() != nil {
			t.Errorf("just in time: %q, %v, or it is asked again at once", got, err)
		}
		late.Close(t.Context())
		again := h.attach(t, ClientOptions{ReadFile: func(context.Context, string) (string, error) {
			time.Sleep(time.Second/2 - 1) // in the bubble's time
			return "in time", nil
		}})
		if got, err := h.ask(t); err != nil || got != "in time" {
			t.Errorf("%q, %v", got, err)
		}

		// An agent that has cancelled its request does not make the editor one that does not answer.
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := h.Editor()(ctx, "/w/file"); !errors.Is(err, context.Canceled) || h.Editor() == nil {
			t.Errorf("%v", err)
		}
		notices := 0
		for _, i := range h.attach(t, ClientOptions{}).seen.Items {
			if _, is := i.(*conversation.Note); is {
				notices++
			}
		}
		if notices != 2 { // one for each
			t.Errorf("%d notices", notices)
		}
		again.Close(t.Context())
		w.Close(t.Context())
		h.end()
	})
}
