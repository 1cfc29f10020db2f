package app

import (
	"encoding/json"
	"errors"
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

// leftSession is a session that was left with prompts which it has not confirmed.
type leftSession struct {
	Session
	id     store.ID
	unsent *store.Unsent
}

func (s leftSession) StoredID() store.ID    { return s.id }
func (s leftSession) About() About          { return About{Stored: true} }
func (s leftSession) Unsent() *store.Unsent { return s.unsent }

// What a session has not confirmed is saved with its draft, and with no other one's; what it has confirmed since is
// not sent again.
func TestSaveUnsent(t *testing.T) {
	lib := store.NewLibrary(store.New(t.TempDir()))
	const here, there = store.ID("20260101-000000-abc"), store.ID("20260101-000000-abd")
	prompts := &store.Unsent{Viewer: "v", Prompts: []store.UnsentPrompt{{Number: 1}}}
	for _, step := range []struct {
		viewed      store.ID
		unsent      *store.Unsent
		draft, want string
	}{
		{here, prompts, "a draft", `{"draft":"a draft","unsent":{"viewer":"v","prompts":[{"number":1,"prompt":{"id":0,"prompt":null}}]}}`},
		{here, nil, "a draft", `{"draft":"a draft"}`},
		{here, nil, "", `{}`},
		{there, prompts, "another's", `{"unsent":{"viewer":"v","prompts":[{"number":1,"prompt":{"id":0,"prompt":null}}]}}`},
	} {
		before, err := lib.View(step.viewed)
		view := lib.NewViewing(step.viewed, before)
		before.Draft = step.draft
		if err = errors.Join(err, view.Save(before)); err != nil {
			t.Fatal(err)
		}
		SaveUnsent(lib, leftSession{id: here, unsent: step.unsent}, view)
		v, err := lib.View(here)
		if got, _ := json.Marshal(v); err != nil || string(got) != step.want {
			t.Errorf("the view is %s, %v, want %s", got, err, step.want)
		}
	}
	if v, err := lib.View(there); v.Draft != "another's" || v.Unsent != nil || err != nil {
		t.Errorf("the other one's is %+v, %v", v, err)
	}
}
