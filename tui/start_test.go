package tui

import (
	"context"
	"testing"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/store"
	"parley/tui/tab"
)

// A stored session is opened in a tab of its own, once. A tab in which nothing would be
// lost makes room for it.
func TestAStoredSessionIsOpenedOnce(t *testing.T) {
	p := newProgram(t, map[string]string{"idle": idle, "works": works, "resumes": "handshake {\"sessionCapabilities\": {\"resume\": {}}}\n"})
	lib := store.NewLibrary(store.New(t.TempDir()))
	t.Cleanup(func() { _ = lib.Close() })
	l, err := lib.Create(store.Meta{Cwd: p.cwd})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Append([]conversation.Event{
		conversation.SessionOpened{ID: "old"},
		conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("what was asked")}},
	}); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	reopened := 0
	p.program.Stored = lib
	p.program.Reopen = func(ctx context.Context, o app.Open) (*app.Reopened, error) {
		reopened++
		kept, err := lib.Read(ctx, o.ID)
		if err != nil {
			return nil, err
		}
		s, err := session.NewSession(session.Options{
			Cwd: p.cwd, ResumeID: "old", HasTranscript: true,
			Spawn: func(acpclient.Command) (*session.Peer, error) {
				return p.spawn("resumes", "handshake {\"sessionCapabilities\": {\"resume\": {}}}\n")
			},
			Machine: func(session.Observer, session.Asker) (session.Machine, error) { return machine{p: p}, nil },
		})
		return &app.Reopened{Transcript: kept, Agent: config.Agent{ID: "resumes"}, Session: s}, err
	}

	blank := p.front
	p.start(blank, "idle")
	p.send(tab.Open{{ID: l.ID()}})
	opened := p.front
	if opened == blank || len(p.tabs) != 1 {
		t.Fatalf("there are %d tabs", len(p.tabs))
	}
	p.until("what was stored is shown", func() bool { return shows(opened, "❯ what was asked") })

	busy := p.open("works")
	p.press("g", "o", "enter")
	p.until("the other one works", func() bool { return shows(busy, "At it.") })
	p.send(tab.Open{{ID: l.ID()}})
	if p.front != opened || len(p.tabs) != 2 || reopened != 1 {
		t.Errorf("%d tabs, read %d times", len(p.tabs), reopened)
	}
}
