package tab

import (
	"context"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/store"
	"parley/internal/test/sessiontest"
)

// place is a tab whose agent remembers sessions, beside those that are kept.
type sessionlistPlace struct {
	lib     *store.Library
	conv    *conversation.Conversation
	known   []acpclient.SessionInfo
	fails   error
	deleted []acpclient.SessionID
	opened  store.ID
}

func (p *sessionlistPlace) Remembers() agentSessions                 { return p }
func (p *sessionlistPlace) Conversation() *conversation.Conversation { return p.conv }
func (p *sessionlistPlace) Agent() config.Agent                      { return config.Agent{} }
func (p *sessionlistPlace) Library() *store.Library                  { return p.lib }
func (p *sessionlistPlace) StoredID() store.ID                       { return "" }

func (p *sessionlistPlace) GoTo(id store.ID) tea.Cmd {
	p.opened = id
	return nil
}

func (p *sessionlistPlace) ListSessions(context.Context, string) (*acpclient.ListSessionsResponse, error) {
	return &acpclient.ListSessionsResponse{Sessions: p.known}, p.fails
}

func (p *sessionlistPlace) DeleteSession(_ context.Context, id acpclient.SessionID) error {
	p.deleted = append(p.deleted, id)
	return nil
}

// newPlace is a tab in a directory in which sessions with these prompts are kept.
func newPlace(t *testing.T, cwd string, prompts ...string) (*sessionlistPlace, []store.ID) {
	t.Helper()
	p := &sessionlistPlace{lib: store.NewLibrary(store.New(t.TempDir())), conv: conversation.New()}
	p.conv.Apply(conversation.SessionOpened{ID: "here"})
	lib := p.lib
	t.Cleanup(func() { _ = lib.Close() })
	return p, sessiontest.Sessions(t, lib, cwd, prompts...)
}

func TestStoredSessionsAndTheAgentsAreOneList(t *testing.T) {
	runBench(t, func(t *testing.T, b *deskBench) {
		p, ids := newPlace(t, b.Env.Cwd, "peel potatoes", "bake bread")
		p.known = []acpclient.SessionInfo{
			{SessionID: "agents-1", Cwd: b.Env.Cwd, Title: "Known to both"},
			{SessionID: "another", Cwd: b.Env.Cwd, Title: "Known to the agent"},
		}
		b.Do(openSessionList(t.Context(), b.desk, p))
		for _, words := range []string{"peel potatoes", "Known to both", "Known to the agent"} {
			b.MustSay(words)
		}
		if b.Choose("Known to both"); p.opened != ids[1] {
			t.Errorf("%q was opened, not %q", p.opened, ids[1])
		}
	})
}

// An agent that lists no sessions is no trouble where others are listed.
func TestWhatTheAgentDoesNotList(t *testing.T) {
	for _, c := range []struct {
		name, want string
		fails      error
		kept       bool
	}{
		{"it cannot, and nothing is kept", "this agent does not list its sessions", session.ErrUnsupported, false},
		{"it cannot, and something is kept", "peel potatoes", session.ErrUnsupported, true},
		{"it fails", "the sessions could not be listed", context.DeadlineExceeded, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			runBench(t, func(t *testing.T, b *deskBench) {
				p, _ := newPlace(t, b.Env.Cwd, "peel potatoes")
				if p.fails = c.fails; !c.kept {
					p.lib = nil
				}
				b.Do(openSessionList(t.Context(), b.desk, p))
				b.MustSay(c.want)
				if b.Dialogs.Empty() == c.kept {
					t.Errorf("the list is\n%s", b.Screen())
				}
			})
		})
	}
}

// What comes of words that are not wanted any more is not shown.
func TestTheNewestWordsCount(t *testing.T) {
	runBench(t, func(t *testing.T, b *deskBench) {
		p, ids := newPlace(t, b.Env.Cwd, "peel potatoes", "bake bread")
		l := newList(t.Context(), b.desk, p)
		b.Do(l.keptFrom(0))
		l.lookFor("answer po")
		older := l.look("answer po")
		l.lookFor("answer br")
		if l.look("answer po") != nil {
			t.Error("it is looked for what nobody wants any more")
		}
		b.Do(l.look("answer br"))
		b.Do(older)
		if len(l.hits) != 1 || l.hits[ids[1]].snippet == "" {
			t.Errorf("shown is %v", l.hits)
		}
		if l.lookFor(""); len(l.hits) != 0 {
			t.Errorf("shown is still %v", l.hits)
		}
		time.Sleep(time.Second) // of the bubble: the words have stood still
	})
}
