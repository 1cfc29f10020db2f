package app

import (
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/store"
)

// Interrupted sessions of one title are told apart by time, agent and
// last words, and each can be chosen.
func TestInterruptedSessionsAreToldApart(t *testing.T) {
	dir := isolate(t, "")
	lib := store.NewLibrary(store.New(StoreDir()))
	defer lib.Close()
	interrupted := func(agent, title string, prompts ...string) store.ID {
		t.Helper()
		l, err := lib.Create(store.Meta{Agent: agent, Cwd: dir})
		must(t, err)
		for _, p := range prompts {
			must(t, l.Append([]conversation.Event{
				conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock(p)}},
				conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: "An answer to: " + p + "\n"},
			}))
		}
		if title != "" {
			named := acpclient.SessionInfoUpdate{Title: acpclient.Field[string]{Set: true, Value: &title}}
			must(t, l.Append([]conversation.Event{conversation.Update{Update: &named}}))
		}
		must(t, l.Close())
		must(t, os.WriteFile(filepath.Join(StoreDir(), "open", string(l.ID())), nil, 0o600)) // as after a kill
		return l.ID()
	}
	first := interrupted("claude", "", "fix the tests", "now the docs")
	second := interrupted("codex", "", "fix the tests")
	third := interrupted("claude", "Kitchen work", "peel potatoes", "bake bread")
	fourth := interrupted("claude", "Kitchen work", "peel potatoes")
	var opened []Spec
	q, err := FindUnended(t.Context(), lib, dir, time.Now().Add(2*time.Minute), func(s ...Spec) { opened = s })
	must(t, err)
	got := map[store.ID]string{}
	for _, c := range q.Choices[1 : len(q.Choices)-1] {
		if c.Here(); len(opened) != 1 {
			t.Fatalf("%q opens %v", c.Name, opened)
		}
		got[opened[0].Stored] = c.Line()
	}
	want := map[store.ID]string{
		first:  "fix the tests (2 min ago · claude · ❯ now the docs · ● An answer to: now the docs)",
		second: "fix the tests (2 min ago · codex · ● An answer to: fix the tests)",
		third:  "Kitchen work (2 min ago · claude · ❯ bake bread · ● An answer to: bake bread)",
		fourth: "Kitchen work (2 min ago · claude · ❯ peel potatoes · ● An answer to: peel potatoes)",
	}
	if !maps.Equal(got, want) {
		t.Errorf("offered\n%v, want\n%v", got, want)
	}
	if q.Choices[0].Here(); len(opened) != 4 {
		t.Errorf("%q opens %v", q.Choices[0].Name, opened)
	}
	for range 10 { // not all of many
		interrupted("claude", "", "again")
	}
	q, err = FindUnended(t.Context(), lib, dir, time.Now(), func(s ...Spec) { opened = s })
	must(t, err)
	if q.Choices[0].Here(); len(opened) != 7 || len(q.Choices) != 9 {
		t.Errorf("offers %d of 14: %v", len(opened), q.Choices)
	}
}
