//go:build linux || darwin

package host

import (
	"context"
	"errors"
	"strings"
	"testing"

	"parley/internal/conversation"
	"parley/internal/test"
)

// serves runs a host that serves at its socket, until the test ends or end is called.
func serves(t *testing.T, id string) (f *fake, end func()) {
	t.Helper()
	f = newFake()
	if strings.HasPrefix(id, "unstored") {
		f.stored = ""
	}
	h := New(Options{ID: id, Session: f, Dir: t.TempDir(), Version: "1.0.0"})
	l, err := h.Listen()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan struct{})
	go func() {
		defer close(over)
		h.Run(ctx, l)
	}()
	ended := false
	end = func() {
		if !ended {
			ended = true
			cancel()
			<-over
		}
	}
	t.Cleanup(end)
	return f, end
}

// Watch says what changes in all hosts, those that begin and end included.
func TestWatch(t *testing.T) {
	runDir(t)
	one, _ := serves(t, "one")
	ctx, cancel := context.WithCancel(t.Context())
	next := Watch(ctx)
	until := func(is func([]Status) bool) {
		t.Helper()
		for {
			all, err := next()
			if err != nil {
				t.Fatal(err)
			}
			if is(all) {
				return
			}
		}
	}
	until(func(all []Status) bool { return len(all) == 1 && all[0].ID == "one" })
	one.post(test.Sent("a"))
	until(func(all []Status) bool { return len(all) == 1 && all[0].Working })
	one.post(text("I knead.\nIt rises."))
	until(func(all []Status) bool { return len(all[0].Last) == 2 && all[0].Last[1] == "It rises." })
	two, end := serves(t, "two")
	two.post(conversation.AgentLost{})
	until(func(all []Status) bool {
		return len(all) == 2 && (all[0].Gone || all[1].Gone)
	})
	end()
	until(func(all []Status) bool { return len(all) == 1 && all[0].ID == "one" })
	cancel()
	if _, err := next(); !errors.Is(err, context.Canceled) {
		t.Errorf("after its end: %v", err)
	}
}
