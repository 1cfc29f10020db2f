package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

// newLog makes a store with one log in it.
func newLog(t testing.TB) (*Store, *Log) {
	t.Helper()
	s := New(filepath.Join(t.TempDir(), "a [1]"))
	l, err := s.Create(Meta{Agent: "tour", Cwd: "/project"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return s, l
}

func text(s string) conversation.Event {
	return conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: s}
}

// read are the events of a log.
func read(t testing.TB, s *Store, id ID) []conversation.Event {
	t.Helper()
	var got []conversation.Event
	for e, err := range s.Events(id) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e)
	}
	return got
}

func appendAll(t testing.TB, l *Log, events ...conversation.Event) {
	t.Helper()
	if err := l.Append(events); err != nil {
		t.Fatal(err)
	}
}

func TestStoredSessionsFoldToTheSame(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s, l := newLog(t)
		stream := rapid.SliceOfN(test.Random(), 0, 30).Draw(r, "events")
		for batch := range slices.Chunk(stream, 3) {
			appendAll(t, l, batch...)
		}
		want, got := conversation.New(), conversation.New()
		for _, e := range stream {
			want.Apply(e)
		}
		for _, e := range read(t, s, l.ID()) {
			got.Apply(e)
		}
		if diff := test.Diff(want, got); diff != "" {
			r.Fatal(diff)
		}
	})
}

// A log that is cut anywhere in its last two records, or of which any byte of them is
// damaged, loses the records that were hit and no other, and can be written on.
func TestDamageCostsTheRecordThatItHits(t *testing.T) {
	s, l := newLog(t)
	want := []conversation.Event{text("one"), text("two\n {\"v\":1"), conversation.Update{
		Update: &acpclient.UnknownUpdate{Name: "x"}, Raw: []byte(`{"sessionId": "s", "update": {"sessionUpdate":"x", "y": {"v":1}}}`),
	}, text("four")}
	appendAll(t, l, want...)
	path := l.path
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	starts := recordStarts(whole)
	first := starts[len(starts)-2]
	check := func(what string, at int, log []byte, intact ...conversation.Event) {
		t.Helper()
		if err := os.WriteFile(path, log, 0o600); err != nil {
			t.Fatal(err)
		}
		l, err := s.Continue(l.ID())
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		appendAll(t, l, text("more"))
		got := read(t, s, l.ID())
		if diff := cmp.Diff(kinds(append(intact, text("more"))), kinds(got)); diff != "" {
			t.Errorf("%s at byte %d:\n%s", what, at, diff)
		}
	}
	for at := first; at <= len(whole); at++ {
		kept := want[:2:2]
		if at >= starts[len(starts)-1]-1 {
			kept = want[:3:3] // but for its line end, which it gets later
		}
		if at >= len(whole)-1 {
			kept = want
		}
		check("cut", at, whole[:at], kept...)
	}
	for at := first; at < len(whole); at++ {
		damaged := bytes.Clone(whole)
		damaged[at] ^= 0x15
		kept := []conversation.Event{want[0], want[1], want[2]}
		switch {
		case at == starts[len(starts)-1]-1:
			kept = want[:2:2] // a line end that is damaged joins two lines
		case at < starts[len(starts)-1]:
			kept = []conversation.Event{want[0], want[1], want[3]}
		}
		check("damaged", at, damaged, kept...)
	}
}

// gives is an update with all output of a call so far.
func gives(t rapid.TB, id, output string) conversation.Event {
	text, _ := json.Marshal(output)
	n := new(acpclient.SessionNotification)
	if err := acpclient.Unmarshal(fmt.Appendf(nil, `{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":%q,"title":"Run","content":[{"type":"content","content":{"type":"text","text":%s}}]}}`, id, text), n); err != nil {
		t.Fatal(err)
	}
	return conversation.FromNotification(n)
}

// Output that is sent again with each update is stored once: a session of it reads as it was seen,
// also in a branch, is continued, and has its latest words found. A damaged line costs what
// repeats it.
func TestOutputThatIsSentAgainIsStoredOnce(t *testing.T) {
	s, l := newLog(t)
	want := conversation.New()
	add := func(e conversation.Event) {
		appendAll(t, l, e)
		want.Apply(e)
	}
	add(test.Sent("run"))
	output := ""
	for i := range 200 {
		output += strings.Repeat("a line of what is built ", 40) + fmt.Sprintf("step%d\n", i)
		add(gives(t, "1", output))
		if i == 100 {
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			var err error
			if l, err = s.Continue(l.ID()); err != nil {
				t.Fatal(err)
			}
		}
	}
	b, err := s.Branch(t.Context(), l.ID(), 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []ID{l.ID(), b.ID()} {
		got := conversation.New()
		for _, e := range read(t, s, id) {
			if _, opens := e.(conversation.SessionOpening); opens {
				break // what the branch adds
			}
			got.Apply(e)
		}
		if diff := test.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
		if f, _ := s.log(id); f.size > 4*int64(len(output)) {
			t.Errorf("%d bytes of output take %d", len(output), f.size)
		}
	}
	x := index(t, s)
	hits, err := x.Search(t.Context(), "step170", Query{})
	if err != nil || len(hits) != 2 {
		t.Fatalf("found %v: %v", hits, err)
	}
	if line, err := s.Snippet(hits[0], "step170"); err != nil || !strings.Contains(line, "step170") {
		t.Errorf("the excerpt is %q: %v", line, err)
	}
	log, err := os.ReadFile(l.path)
	if err != nil {
		t.Fatal(err)
	}
	log[recordStarts(log)[150]+20] ^= 0x15
	if err := os.WriteFile(l.path, log, fileMode); err != nil {
		t.Fatal(err)
	}
	if damaged, err := s.Read(t.Context(), l.ID()); err != nil || damaged.Damaged == 0 || damaged.Damaged > 100 {
		t.Errorf("with a damaged line: %+v, %v", damaged, err)
	}
}

// recordStarts is where the records of a log begin.
func recordStarts(log []byte) []int {
	starts := []int{0}
	for i, b := range log[:len(log)-1] {
		if b == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// kinds are events as lines, to be compared.
func kinds(list []conversation.Event) []string {
	var out []string
	for _, e := range list {
		line, err := conversation.Encode(e)
		out = append(out, string(line))
		if err != nil {
			panic(err)
		}
	}
	return out
}

// A process that was killed holds the log for a moment longer.
func TestALogOfADyingProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, l := newLog(t)
		closed := make(chan error)
		time.AfterFunc(dyingTime/2, func() { closed <- l.Close() })
		again, err := s.Continue(l.ID())
		if err != nil {
			t.Fatal(err)
		}
		_ = again.Close()
		if err := <-closed; err != nil {
			t.Error(err)
		}
	})
}

func TestALogHasOneWriter(t *testing.T) {
	s, l := newLog(t)
	if _, err := s.Continue(l.ID()); !errors.Is(err, ErrInUse) {
		t.Errorf("a second writer got %v", err)
	}
	if err := s.Delete(l.ID()); !errors.Is(err, ErrInUse) {
		t.Errorf("deleting it gave %v", err)
	}
	if err := s.Rename(l.ID(), "A better name"); err != nil {
		t.Errorf("renaming it gave %v", err)
	}
	appendAll(t, l, text("one"))
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := s.Continue(l.ID())
	if err != nil {
		t.Fatal(err)
	}
	appendAll(t, again, text("two"))
	if got := kinds(read(t, s, l.ID())); len(got) != 2 {
		t.Errorf("got %s", got)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
	aside := s.NewDraft(string(l.ID()))
	if err := aside.Save(View{Draft: "of another viewer"}); err != nil {
		t.Fatal(err)
	}
	aside.Leave()
	if err := s.Delete(l.ID()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Continue(l.ID()); !errors.Is(err, ErrNotStored) {
		t.Errorf("what was deleted gives %v", err)
	}
	if d, _, err := s.TakeDraft(string(l.ID())); err != nil || d.View != (View{}) {
		t.Errorf("of what was deleted there is a draft: %+v, %v", d.View, err)
	}
}

// The text of an editor becomes the draft once. Where it is gone, the draft stays.
func TestTakeView(t *testing.T) {
	s, l := newLog(t)
	file := filepath.Join(t.TempDir(), "prompt.md")
	if err := os.WriteFile(file, []byte("from the editor\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"from the editor", "from the prompt"} {
		if err := s.SaveView(l.ID(), View{Draft: "from the prompt", Editor: file}); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if v, err := s.TakeView(l.ID()); err != nil || v != (View{Draft: want}) {
				t.Errorf("it is %+v, %v, want %q", v, err, want)
			}
		}
		if _, err := os.Stat(file); err == nil {
			t.Error("the file is left")
		}
	}
}

func TestLogsAreTheirOwnersAlone(t *testing.T) {
	s, l := newLog(t)
	if err := s.SaveView(l.ID(), View{Draft: "half a thought"}); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{l.path, s.viewPath(l.ID())} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has the mode %o", path, info.Mode().Perm())
		}
	}
	if v, err := s.View(l.ID()); err != nil || v.Draft != "half a thought" {
		t.Errorf("%+v, %v", v, err)
	}
	if err := s.SaveView(l.ID(), View{}); err != nil {
		t.Fatal(err)
	}
	if v, err := s.View(l.ID()); err != nil || v != (View{}) {
		t.Errorf("%+v, %v", v, err)
	}
}

func TestIDsAreNames(t *testing.T) {
	s := New(t.TempDir())
	for _, id := range []ID{"", "..", "../x", "a/b", "a.jsonl"} {
		if _, err := s.Continue(id); !errors.Is(err, ErrNotStored) {
			t.Errorf("%q: %v", id, err)
		}
	}
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	if a, b := NewID(at), NewID(at.Add(time.Second)); a >= b || !a.valid() {
		t.Errorf("%s, %s", a, b)
	}
}

func BenchmarkAppend(b *testing.B) {
	_, l := newLog(b)
	batch := []conversation.Event{text("a few words of an answer that comes bit by bit, as they do")}
	b.ReportAllocs()
	for b.Loop() {
		if err := l.Append(batch); err != nil {
			b.Fatal(err)
		}
	}
}
