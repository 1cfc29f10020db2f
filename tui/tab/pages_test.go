package tab

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/record"
	"parley/internal/session"
)

// watched is a session whose messages are kept in a ring.
func watched(t *testing.T, dir string) (app.Session, *record.Ring) {
	t.Helper()
	ring := record.NewRing(record.Header{Cwd: dir}, nil, time.Now)
	s, err := app.Here(session.Options{
		Cwd: dir, Ring: ring,
		Spawn:   func(acpclient.Command) (*acpclient.Peer, error) { return nil, errors.New("no agent in this test") },
		Machine: func(session.Observer, session.Asker) (session.Machine, error) { return noMachine{}, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, ring
}

// What was still being read of an agent that was left is not shown among the messages of
// the next one.
func TestTheInspectorShowsTheMessagesOfItsAgentOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, t.TempDir())
		defer b.Close()(t.Context())
		left, old := watched(t, b.cwd)
		b.adopt((&app.Opened{Session: left}).Live())
		reading := b.open().inspect()
		b.press("ctrl+c") // which closes it without its knowing
		next, ring := watched(t, b.cwd)
		b.adopt((&app.Opened{Session: next}).Live())
		reads := b.open().inspect()
		old.Line(false, []byte(`{"jsonrpc":"2.0","method":"of/the/old"}`))
		ring.Line(false, []byte(`{"jsonrpc":"2.0","method":"of/the/new"}`))
		b.Update(reading())
		b.Update(reads())
		b.mustShow(t, "of/the/new")
		b.mustNotShow(t, "of/the/old")
	})
}
