package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

// chat stores a session of one turn, and closes it.
func chat(t testing.TB, s *Store, m Meta, prompt string, then ...conversation.Event) ID {
	t.Helper()
	l, err := s.Create(m)
	if err != nil {
		t.Fatal(err)
	}
	appendAll(t, l, append([]conversation.Event{
		conversation.AgentReady{Info: &acpclient.InitializeResponse{AgentInfo: &acpclient.Implementation{Name: "scripted"}}},
		conversation.SessionOpened{ID: acpclient.SessionID("agents-" + prompt)},
		test.Sent(prompt),
	}, then...)...)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return l.ID()
}

// index opens the index of a store, up to date.
func index(t testing.TB, s *Store) *Index {
	t.Helper()
	x, err := s.OpenIndex(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	refresh(t, x)
	return x
}

func refresh(t testing.TB, x *Index) {
	t.Helper()
	if err := x.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// found are the names of the sessions that a search gives, sorted.
func found(t testing.TB, x *Index, words string, q Query) []string {
	t.Helper()
	hits, err := x.Search(t.Context(), words, q)
	if err != nil {
		t.Fatalf("%q: %v", words, err)
	}
	var names []string
	for _, h := range hits {
		names = append(names, h.Name())
	}
	slices.Sort(names)
	return names
}

// listed are the names of the sessions in a list.
func listed(t testing.TB, x *Index, q Query) []string {
	t.Helper()
	list, err := x.List(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range list {
		names = append(names, s.Name())
	}
	return names
}

func TestFindsSessions(t *testing.T) {
	s := New(t.TempDir())
	chat(t, s, Meta{Cwd: "/a"}, "Fix the parser", text("The colo"), text("ur was wrong: it is grün."))
	chat(t, s, Meta{Cwd: "/b"}, "Write docs", conversation.TerminalOutput{ID: "x", Data: []byte("make: *** [docs] Error 1\n")},
		test.Up(t, `{"sessionUpdate":"tool_call","toolCallId":"t","title":"Run it","rawInput":{"command":"make docs"}}`))
	x := index(t, s)
	for _, c := range []struct {
		words, cwd, want string
	}{
		{"parser", "", "Fix the parser"},
		{"colour", "", "Fix the parser"}, // across two events
		{"GRUN", "", "Fix the parser"},
		{"wron", "", "Fix the parser"}, // the beginning of a word
		{"wron colour", "", ""},
		{"colour wrong", "", "Fix the parser"},
		{"error", "", "Write docs"},
		{"make", "", "Write docs"},
		{"make", "/a", ""},
		{`"; DROP TABLE sessions; -- OR NEAR(`, "", ""},
		{"*", "", ""},
		{"", "", ""},
	} {
		if got := strings.Join(found(t, x, c.words, Query{Cwd: c.cwd}), ","); got != c.want {
			t.Errorf("%q in %q: %q, want %q", c.words, c.cwd, got, c.want)
		}
	}
	hits, err := x.Search(t.Context(), "grün", Query{})
	if err != nil || len(hits) != 1 || hits[0].Kind != FromAgent {
		t.Fatalf("%+v, %v", hits, err)
	}
	if got, err := s.Snippet(hits[0], "grün"); err != nil || got != "The colour was wrong: it is grün." {
		t.Errorf("%q, %v", got, err)
	}
}

// A summary has the first prompt and the last one, also if the agent replays them or the
// index was brought up to date in between.
func TestASummaryHasTheLastPrompt(t *testing.T) {
	s, l := newLog(t)
	said := func(text string) conversation.Event {
		return conversation.Text{Chunk: acpclient.UserMessageChunk, Text: text}
	}
	want := func(first, last string) {
		t.Helper()
		list, err := index(t, s).List(t.Context(), Query{})
		if err != nil || len(list) != 1 || list[0].Prompt != first || list[0].LastPrompt != last {
			t.Errorf("listed %+v, %v, want %q and %q", list, err, first, last)
		}
	}
	appendAll(t, l, said("Replayed "), said("first"), text("An answer."), said("Replayed last"), text("Another."))
	want("Replayed", "Replayed last")
	appendAll(t, l, test.Sent("Fix the parser\nplease"), said("Fix the parser\nplease"), text("It is done."))
	want("Replayed", "Fix the parser")
}

// Agents repeat the prompt to the client, in one piece or several. It is found once, also
// if the index was brought up to date in between.
func TestAPromptThatTheAgentRepeatsIsFoundOnce(t *testing.T) {
	said := func(text string) conversation.Event {
		return conversation.Text{Chunk: acpclient.UserMessageChunk, Text: text}
	}
	for name, told := range map[string][]conversation.Event{
		"whole":  {test.Up(t, `{"sessionUpdate":"user_message","messageId":"u","content":[{"type":"text","text":"Fix the parser "}]}`)},
		"pieces": {said("Fix the "), said("parser")},
		"accepted, and in other words": {
			test.Up(t, `{"sessionUpdate":"prompt_accepted","messageId":"u"}`),
			test.Up(t, `{"sessionUpdate":"user_message","messageId":"u","content":[{"type":"text","text":"The parser is to be fixed"}]}`),
		},
		"again and again": {
			test.Up(t, `{"sessionUpdate":"user_message","messageId":"u","content":[{"type":"text","text":"Fix the parser"}]}`),
			test.Up(t, `{"sessionUpdate":"user_message","messageId":"u","content":[{"type":"text","text":"Fix the parser"}]}`),
		},
	} {
		for _, between := range []bool{false, true} {
			t.Run(fmt.Sprint(name, between), func(t *testing.T) {
				s, l := newLog(t)
				appendAll(t, l, test.Sent("Fix the parser"))
				if between {
					index(t, s)
				}
				appendAll(t, l, append(told, text("It is done."), said("Fix the parser"))...)
				x := index(t, s)
				// What the user says once more behind the answer is another prompt.
				if n := passages(t, x, "parser"); n != 2 {
					t.Errorf("the prompt stands in %d passages, want 2", n)
				}
			})
		}
	}
}

// passages counts those in which a word stands.
func passages(t testing.TB, x *Index, word string) (n int) {
	t.Helper()
	if err := x.db.QueryRowContext(t.Context(), "SELECT count(*) FROM words WHERE words MATCH ?", word).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestListsSessions(t *testing.T) {
	s := New(t.TempDir())
	first := chat(t, s, Meta{Cwd: "/a", Agent: "one"}, "First\nand more", conversation.Update{Update: &acpclient.UsageUpdate{Cost: &acpclient.Cost{Amount: 0.5, Currency: "USD"}}})
	second := chat(t, s, Meta{Cwd: "/b"}, "Second", test.Up(t, `{"sessionUpdate":"session_info_update","title":"What the agent says"}`))
	l, err := s.Create(Meta{Cwd: "/a"}) // in which nobody has asked anything
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(s.dir, string(first)+logSuffix), old, old); err != nil {
		t.Fatal(err)
	}
	x := index(t, s)
	if diff := cmp.Diff([]string{"What the agent says", "First"}, listed(t, x, Query{})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"First"}, listed(t, x, Query{Cwd: "/a", Agent: "one"})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"First"}, listed(t, x, Query{Session: "agents-First\nand more"})); diff != "" {
		t.Error(diff)
	}
	list, err := x.List(t.Context(), Query{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"First"}, listed(t, x, Query{After: list[0].Place()})); diff != "" {
		t.Error(diff)
	}
	list, err = x.List(t.Context(), Query{Cwd: "/a"})
	if err != nil || list[0].Turns != 1 || list[0].Cost == nil || list[0].Cost.Amount != 0.5 || list[0].AgentName != "scripted" || list[0].ID != first {
		t.Errorf("%+v, %v", list, err)
	}
	if err := s.Rename(second, "Mine"); err != nil {
		t.Fatal(err)
	}
	refresh(t, x)
	if diff := cmp.Diff([]string{"Mine"}, listed(t, x, Query{Cwd: "/b"})); diff != "" {
		t.Error(diff)
	}
}

// What is written later is found after a refresh, once; what is deleted is not.
// A session in a worktree belongs to the directory for which that was made, too.
func TestListsSessionsInWorktrees(t *testing.T) {
	s := New(t.TempDir())
	chat(t, s, Meta{Cwd: "/w.worktrees/wren", Worktree: "parley/wren", From: "/w"}, "apart")
	chat(t, s, Meta{Cwd: "/w"}, "here")
	chat(t, s, Meta{Cwd: "/elsewhere"}, "elsewhere")
	x := index(t, s)
	for cwd, want := range map[string]int{"/w": 2, "/w.worktrees/wren": 1, "/w.worktrees": 0} {
		list, err := x.List(t.Context(), Query{Cwd: cwd})
		if err != nil || len(list) != want {
			t.Errorf("in %s there are %d, %v, want %d", cwd, len(list), err, want)
		}
		for _, l := range list {
			if l.Cwd == "/w.worktrees/wren" && l.Worktree != "parley/wren" {
				t.Errorf("its worktree is %q", l.Worktree)
			}
		}
	}
}

func TestTheIndexFollowsTheLogs(t *testing.T) {
	s, l := newLog(t)
	appendAll(t, l, test.Sent("Begin"), text("alpha"))
	x := index(t, s)
	appendAll(t, l, text("beta"))
	if got := found(t, x, "beta", Query{}); got != nil {
		t.Errorf("found %s before a refresh", got)
	}
	refresh(t, x)
	refresh(t, x)
	for _, word := range []string{"alpha", "beta", "begin"} {
		if got := found(t, x, word, Query{}); len(got) != 1 {
			t.Errorf("%s: found %s", word, got)
		}
	}
	if err := x.forget(t.Context(), l.ID()); err != nil { // as if it had been begun while the logs were listed
		t.Fatal(err)
	}
	if got := found(t, x, "beta", Query{}); len(got) != 1 {
		t.Errorf("what is stored was forgotten: found %s", got)
	}
	var passages int
	if err := x.db.QueryRowContext(t.Context(), "SELECT count(*) FROM passages").Scan(&passages); err != nil || passages != 3 {
		t.Errorf("%d passages, %v", passages, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(l.ID()); err != nil {
		t.Fatal(err)
	}
	refresh(t, x)
	if got := found(t, x, "alpha", Query{}); got != nil {
		t.Errorf("found %s after it was deleted", got)
	}
}

// Several programs, and several parts of one, bring the index up to date at the same time:
// nobody fails, and everything is in it once.
func TestTheIndexIsBroughtUpToDateBySeveralAtOnce(t *testing.T) {
	s, l := newLog(t)
	appendAll(t, l, text("alpha"))
	one, other := index(t, s), index(t, s)
	const rounds = 10
	for i := range rounds {
		appendAll(t, l, test.Sent(fmt.Sprintf("word%d and some more", i)))
		chat(t, s, Meta{Cwd: "/a"}, fmt.Sprintf("other%d", i))
		var all sync.WaitGroup
		for _, x := range []*Index{one, one, other, other} {
			all.Go(func() {
				if err := x.Refresh(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
	for i := range rounds {
		for _, word := range []string{fmt.Sprintf("word%d", i), fmt.Sprintf("other%d", i)} {
			if n := passages(t, one, word); n != 1 {
				t.Errorf("%s stands in %d passages", word, n)
			}
		}
	}
}

// An index that is gone, damaged or of another version is made anew.
func TestTheIndexIsMadeAnew(t *testing.T) {
	s := New(t.TempDir())
	chat(t, s, Meta{Cwd: "/a"}, "Fix the parser")
	path := filepath.Join(s.dir, indexName)
	for name, spoil := range map[string]func() error{
		"gone":    func() error { return os.Remove(path) },
		"damaged": func() error { return os.WriteFile(path, []byte(strings.Repeat("no database ", 1000)), 0o600) },
		"newer": func() error {
			x, err := s.OpenIndex(t.Context())
			if err != nil {
				return err
			}
			_, err = x.db.ExecContext(t.Context(), "PRAGMA user_version = 99")
			return cmpErr(err, x.Close())
		},
	} {
		x := index(t, s)
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		if got := found(t, index(t, s), "parser", Query{}); len(got) != 1 {
			t.Errorf("%s: found %s", name, got)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// An index of which any part is damaged is made anew when that comes to light, also if it
// was opened before, and by several at once. Nobody is told.
func TestTheIndexIsMadeAnewWhenDamageComesToLight(t *testing.T) {
	s := New(t.TempDir())
	chat(t, s, Meta{Cwd: "/a"}, "Fix the parser")
	path := filepath.Join(s.dir, indexName)
	if err := index(t, s).Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const page = 4096
	for n := 1; n < len(whole)/page; n++ {
		damaged := slices.Clone(whole)
		copy(damaged[n*page:], bytes.Repeat([]byte{0xff}, page))
		if err := os.WriteFile(path, damaged, fileMode); err != nil {
			t.Fatal(err)
		}
		opened := []*Library{NewLibrary(s), NewLibrary(s)}
		for _, lib := range opened {
			_, _ = lib.open(t.Context()) // if that fails, it is made anew by whoever asks
		}
		for _, lib := range opened {
			if list, err := lib.List(t.Context(), Query{}); err != nil || len(list) != 1 {
				t.Errorf("page %d: listed %v, %v", n, list, err)
			}
			if hits, err := lib.Search(t.Context(), "parser", Query{}); err != nil || len(hits) != 1 {
				t.Errorf("page %d: found %v, %v", n, hits, err)
			}
		}
		for _, lib := range opened {
			if err := lib.Close(); err != nil {
				t.Error(err)
			}
		}
		x := index(t, s)
		if got := found(t, x, "parser", Query{}); len(got) != 1 {
			t.Errorf("page %d: found %s afterwards", n, got)
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
}

// An index that is whole is not made anew because nobody waits for it any more, or
// because another program opens it, or makes it, at the same time.
func TestTheIndexIsNotMadeAnewWithoutNeed(t *testing.T) {
	s := New(t.TempDir())
	chat(t, s, Meta{Cwd: "/a"}, "Fix the parser")
	var all sync.WaitGroup
	opened := make([]*Index, 4)
	for i := range opened {
		all.Go(func() {
			x, err := s.OpenIndex(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			opened[i] = x
		})
	}
	all.Wait()
	if t.Failed() {
		t.FailNow()
	}
	refresh(t, opened[0])
	for i, x := range opened {
		if got := found(t, x, "parser", Query{}); len(got) != 1 {
			t.Errorf("number %d has another index, in which there is %s", i, got)
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.OpenIndex(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("opening it for nobody gives %v", err)
	}
	x, err := s.OpenIndex(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if got := found(t, x, "parser", Query{}); len(got) != 1 {
		t.Errorf("it was thrown away: found %s", got)
	}
}

func cmpErr(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

func TestPrune(t *testing.T) {
	s := New(t.TempDir())
	now := time.Now()
	var ids []ID
	for i, days := range []int{1, 10, 40} {
		id := chat(t, s, Meta{}, fmt.Sprint(i), text(strings.Repeat("x", 1000)))
		at := now.AddDate(0, 0, -days)
		if err := os.Chtimes(filepath.Join(s.dir, string(id)+logSuffix), at, at); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	gone, err := s.Prune(t.Context(), Bounds{Age: 30 * 24 * time.Hour}, now)
	if diff := cmp.Diff(ids[2:], gone); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	open, err := s.Continue(ids[1])
	if err != nil {
		t.Fatal(err)
	}
	if gone, err = s.Prune(t.Context(), Bounds{Bytes: 2000}, now); err != nil || gone != nil {
		t.Errorf("%s was deleted while it is open, %v", gone, err)
	}
	if err := open.Close(); err != nil {
		t.Fatal(err)
	}
	gone, err = s.Prune(t.Context(), Bounds{Bytes: 2000}, now)
	if diff := cmp.Diff(ids[1:2], gone); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
}

// rest makes the directories of a store as old as if nothing had changed for an hour.
func rest(t testing.TB, s *Store) {
	t.Helper()
	old := time.Now().Add(-time.Hour)
	for _, dir := range []string{s.dir, filepath.Join(s.dir, openDir)} {
		if err := os.Chtimes(dir, old, old); err != nil {
			t.Fatal(err)
		}
	}
}

// Once the index covers all logs, only those that can have grown are looked at. What an
// open session says, a new name and a new session are found all the same.
func TestACoveredIndexStaysUpToDate(t *testing.T) {
	s := New(t.TempDir())
	named := chat(t, s, Meta{}, "first words")
	l, err := s.Create(Meta{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	x := index(t, s)
	covers := func() {
		t.Helper()
		rest(t, s)
		refresh(t, x)
		if x.covered == (stamp{}) {
			t.Fatal("the index does not know that it covers all logs")
		}
	}
	finds := func(words string, want ...string) {
		t.Helper()
		refresh(t, x)
		if diff := cmp.Diff(want, found(t, x, words, Query{})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", words, diff)
		}
	}
	covers()
	appendAll(t, l, test.Sent("said meanwhile"))
	finds("meanwhile", "said meanwhile")
	covers()
	if err := s.Rename(named, "Another name"); err != nil {
		t.Fatal(err)
	}
	finds("first", "Another name")
	covers()
	chat(t, s, Meta{}, "quite new")
	finds("new", "quite new")
}
