package app_test

import (
	"testing"

	"parley/internal/app"
	"parley/internal/prompt"
)

// A prompt that waits for its session is the same one after it was moved, so that what is marked in a list
// of them stays marked.
func TestAMovedPromptIsTheSame(t *testing.T) {
	var held app.HeldPrompts
	for _, text := range []string{"a", "b", "c"} {
		held.Add(prompt.New(text), 0)
	}
	first := held[0].ID
	for range 2 {
		held.Move(first, 1)
	}
	if q, at := held.Take(first); at != 3 || q.Text() != "a" {
		t.Errorf("it is %q at %d", q.Text(), at)
	}
	held.Add(prompt.New("d"), 0)
	if held[0].ID == held[2].ID || held[1].ID == held[2].ID {
		t.Errorf("two have one ID: %+v", held)
	}
}
