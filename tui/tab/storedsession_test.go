package tab

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/store"
	"parley/internal/test"
	"parley/internal/test/sessiontest"
)

// newStored is a bench with a store in which sessions of its agent are.
func newStored(t *testing.T, prompts ...string) (*bench, []store.ID) {
	t.Helper()
	b := newBench(t, t.TempDir())
	b.program.Stored = store.NewLibrary(store.New(t.TempDir()))
	t.Cleanup(func() { _ = b.program.Stored.Close() })
	return b, sessiontest.Sessions(t, b.program.Stored, b.cwd, prompts...)
}

// reopenedAs gives the bench a stored session, as a command would have read it.
func (b *bench) reopenedAs(t *testing.T, id store.ID, change func(*app.Reopened)) {
	t.Helper()
	kept, err := b.program.Stored.Read(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	s, err := session.NewSession(session.Options{
		Cwd: b.cwd, ResumeID: kept.Conversation.ID, HasTranscript: true,
		Spawn:   func(acpclient.Command) (*session.Peer, error) { return nil, context.Canceled },
		Machine: func(session.Observer, session.Asker) (session.Machine, error) { return noMachine{}, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	r := &app.Reopened{Transcript: kept, Agent: config.Agent{ID: "mine"}, Session: s}
	change(r)
	b.Update(reopenedMsg{from: app.Open{ID: id}, Reopened: r})
}

func TestTheViewComesBack(t *testing.T) {
	b, ids := newStored(t, "one")
	l, err := b.program.Stored.Continue(ids[0])
	if err != nil {
		t.Fatal(err)
	}
	for i := range 40 {
		if err := l.Append([]conversation.Event{test.Sent(fmt.Sprintf("prompt %d", i)), conversation.TurnEnded{}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	top := 10
	b.reopenedAs(t, ids[0], func(r *app.Reopened) { r.View = store.View{Draft: "a draft", Top: &top} })
	b.mustShow(t, "❯ prompt 8", "❯ a draft")
	b.mustNotShow(t, "prompt 39")
	if v := b.drafts.view(); v.Top == nil || *v.Top != 10 || v.Draft != "a draft" {
		t.Errorf("the view is %+v", v)
	}
}

func TestADraftIsKeptOverTheOneThatComesBack(t *testing.T) {
	b, ids := newStored(t, "one")
	b.press("n", "e", "w")
	b.reopenedAs(t, ids[0], func(r *app.Reopened) { r.View.Draft = "old" })
	b.mustShow(t, "❯ new")
	b.press("ctrl+r", "o", "l")
	b.mustShow(t, "❯ old") // it is in the history
}

// A prompt that was sent while the session was being read is a draft again if that can only
// be read.
func TestAPromptToASessionThatIsOnlyReadIsGivenBack(t *testing.T) {
	b, ids := newStored(t, "one")
	b.OpenStored(app.Open{ID: ids[0]}) // it is being read
	b.Ask("go on")
	b.reopenedAs(t, ids[0], func(r *app.Reopened) { r.ReadOnly = store.ErrInUse })
	b.mustShow(t, "❯ go on")
}

func TestWhatIsToldOfBeforeIsBounded(t *testing.T) {
	b, ids := newStored(t, "one")
	b.reopenedAs(t, ids[0], func(*app.Reopened) {})
	b.events(conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: strings.Repeat("many words\n", 50_000) + "the very end"})
	if text := app.EarlierText(b.conv); len(text) > 65<<10 || !strings.HasSuffix(strings.TrimSpace(text), "the very end") || !strings.HasPrefix(text, "(earlier parts left out)") {
		t.Errorf("it is %d bytes: %.60q … %q", len(text), text, text[max(0, len(text)-30):])
	}
}

func TestNothingIsSentToASessionThatIsOnlyRead(t *testing.T) {
	b, ids := newStored(t, "one")
	b.reopenedAs(t, ids[0], func(r *app.Reopened) { r.ReadOnly = store.ErrInUse })
	b.clock = b.clock.Add(time.Minute)
	b.press("1") // "Read it"
	b.press("h", "i", "enter")
	b.mustShow(t, "read-only here", "❯ hi")
	if len(b.queue.held) > 0 || len(b.conv.Queue) > 0 {
		t.Error("something waits to be sent")
	}
}

// In a session that is only read no command runs either, and no agent is started.
func TestNothingIsStartedInASessionThatIsOnlyRead(t *testing.T) {
	for _, key := range []string{"enter", "alt+r"} {
		b, ids := newStored(t, "one")
		b.reopenedAs(t, ids[0], func(r *app.Reopened) { r.ReadOnly = store.ErrInUse })
		b.clock = b.clock.Add(time.Minute)
		b.press("1") // "Read it"
		if key == "enter" {
			b.press("!", "l", "s")
		}
		b.press(key)
		if got := b.toast.text; !strings.Contains(got, "read-only here") {
			t.Errorf("%s says %q", key, got)
		}
		if got := b.session.Stream().Take(); len(got) > 0 {
			t.Errorf("%s does %v", key, got)
		}
	}
}

// What would act is refused in a session that is only read, and no hint offers it.
func TestTheHintsOfASessionThatIsOnlyReadHold(t *testing.T) {
	b, ids := newStored(t, "one")
	b.reopenedAs(t, ids[0], func(r *app.Reopened) { r.ReadOnly = store.ErrInUse })
	b.mustShow(t, "Read it")
	b.clock = b.clock.Add(time.Minute)
	b.press("esc") // which is to read it
	b.mustShow(t, "tab transcript", "find", "ctrl+n new session")
	b.press("f5")
	b.mustShow(t, "no review: this session") // and nobody is told that the configuration wants it so
	for _, words := range []string{"restart", "keep", "options", "commands"} {
		if strings.Contains(b.screen(), words) {
			t.Errorf("%q is offered:\n%s", words, b.screen())
		}
	}
}

// The agent of a session that nobody knows any more, or that the person has not agreed to, is
// not started for another session either: one chooses. The question can be had again.
func TestAnAgentThatNobodyAgreedToIsNotStartedForANewSession(t *testing.T) {
	for name, change := range map[string]func(*app.Reopened){
		"unknown":     func(r *app.Reopened) { r.Agent, r.ReadOnly = config.Agent{}, errors.New("no agent is called far") },
		"not trusted": func(r *app.Reopened) { r.ReadOnly = &app.UntrustedError{Listens: "wss://host/acp"} },
	} {
		t.Run(name, func(t *testing.T) {
			b, ids := newStored(t, "one")
			b.program.Available = func() ([]config.Agent, error) { return []config.Agent{{ID: "tour", Name: "The tour"}}, nil }
			b.program.StartIn = func(a config.Agent, _ string) (*session.Session, error) {
				t.Errorf("%q is started", a.ID)
				return nil, context.Canceled
			}
			b.reopenedAs(t, ids[0], change)
			b.draw()
			b.clock = b.clock.Add(time.Minute)
			b.press("esc") // which is to read it
			b.bring(b.Update(keyPress("ctrl+n")))
			b.mustShow(t, "New tab: choose an agent", "The tour")
			b.press("esc", "alt+r")
			if asks := strings.Contains(b.screen(), "Connect to the agent of this session?"); asks != (name == "not trusted") {
				t.Errorf("alt+r asks: %t\n%s", asks, b.screen())
			}
		})
	}
}
