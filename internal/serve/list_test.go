package serve

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/store"
)

func (c *client) list(cwd, cursor string) *acpclient.ListSessionsResponse {
	c.t.Helper()
	r, err := acpclient.Call(c.t.Context(), c, acpclient.SessionList, &acpclient.ListSessionsRequest{Cwd: cwd, Cursor: cursor})
	if err != nil {
		c.t.Fatal(err)
	}
	return r
}

func listed(r *acpclient.ListSessionsResponse) (ids []acpclient.SessionID) {
	for _, info := range r.Sessions {
		ids = append(ids, info.SessionID)
	}
	return ids
}

// The list has the sessions that run and then those that are stored, once each, by a directory if the client
// names one, and in words without control characters.
func TestTheList(t *testing.T) {
	s := newStage(t, "handshake\nexpect session/prompt\nsay ok\nend-turn\nserve\n").storing()
	stored := s.remembers("one", "two\x1b[31m")
	elsewhere := t.TempDir()
	s.running = []app.Running{{
		ID: "away", Stored: "stored-away", Cwd: elsewhere, Active: time.Unix(0, 0),
		Overview: app.Overview{Agent: "Other", Title: "Away\x1b]0;x\a"},
	}}
	c := s.client(Options{}, acpclient.ClientCapabilities{}, false).open(s.opt.Cwd)
	c.ends(c.prompt("hello"), "end_turn")
	link := t.TempDir() + "/link"
	if err := os.Symlink(s.opt.Cwd, link); err != nil {
		t.Fatal(err)
	}
	for cwd, want := range map[string][]acpclient.SessionID{
		"": {"stored-away", c.id, stored[1], stored[0]}, s.opt.Cwd: {c.id, stored[1], stored[0]}, elsewhere: {"stored-away"}, link: {c.id, stored[1], stored[0]}, "/nowhere": nil,
	} {
		r := c.list(cwd, "")
		if got := listed(r); !slices.Equal(got, want) || r.NextCursor != "" {
			t.Errorf("in %q: %q, not %q", cwd, got, want)
		}
	}
	all := c.list("", "").Sessions
	if got := all[0]; got.Title != "Away" || got.UpdatedAt != "1970-01-01T00:00:00Z" || got.Cwd != elsewhere || string(got.Meta) != `{"parley":{"agent":"Other","running":true,"state":"idle"}}` {
		t.Errorf("%+v", got)
	}
	if got := all[2]; got.Title != "two" || got.Cwd != s.opt.Cwd || string(got.Meta) != `{"parley":{"agent":"agent"}}` {
		t.Errorf("%+v", got)
	}
	alone := s.client(Options{Running: "away"}, acpclient.ClientCapabilities{}, false)
	if got := listed(alone.list("", "")); !slices.Equal(got, []acpclient.SessionID{"stored-away"}) {
		t.Errorf("a client of one session sees %q", got)
	}
}

// The list comes in pages, and has no session twice though one is used between them.
func TestTheListHasPages(t *testing.T) {
	s := newStage(t, "handshake\nserve\n").storing()
	var prompts []string
	for i := range listPage + 2 {
		prompts = append(prompts, fmt.Sprint("prompt ", i))
	}
	ids := s.remembers(prompts...)
	slices.Reverse(ids)
	s.running = []app.Running{{ID: "away", Cwd: "/away"}}
	c := s.client(Options{}, acpclient.ClientCapabilities{}, false)
	first := c.list("", "")
	if got := listed(first); !slices.Equal(got, append([]acpclient.SessionID{"away"}, ids[:listPage]...)) {
		t.Fatalf("%q", got)
	}
	if err := s.library.Rename(store.ID(ids[listPage+1]), "used"); err != nil {
		t.Fatal(err)
	}
	rest := c.list("", first.NextCursor)
	if got := listed(rest); !slices.Equal(got, ids[listPage:listPage+1]) || rest.NextCursor != "" {
		t.Errorf("%q, then %q", got, rest.NextCursor)
	}
	for _, cursor := range []string{"x", "-1", "12"} {
		if err := c.call(acpclient.SessionList.Name, map[string]any{"cursor": cursor}); err == nil || !strings.Contains(err.Error(), "unknown cursor") {
			t.Errorf("%q: %v", cursor, err)
		}
	}
}
