package record_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/conversation"
	"parley/internal/record"
)

// keptLines is what a ring keeps, from a number on.
func keptLines(r *record.Ring, from uint64) (lines []string) {
	_, end := r.Span()
	for from < end {
		entries, next := r.Read(from, 100)
		for _, e := range entries {
			lines = append(lines, string(e.Data))
		}
		from = next
	}
	return lines
}

// Whatever comes, the ring keeps the last of it, whole and in order, and no more than
// its bounds: a small one until somebody is about to read it.
func TestRingKeepsTheLast(t *testing.T) {
	t.Run("unread", func(t *testing.T) { keepsTheLast(t, record.NewRing(header(), nil, time.Now), 128<<10) })
	t.Run("read", func(t *testing.T) {
		r := record.NewRing(header(), nil, time.Now)
		r.KeepMore()
		keepsTheLast(t, r, 16<<20)
	})
}

func keepsTheLast(t *testing.T, r *record.Ring, bound int) {
	const sent = 400 // five times what is kept
	random := rand.New(rand.NewPCG(1, 2))
	var all []string
	for i := range sent {
		line := fmt.Sprintf(`{"n":%d,"x":"%s"}`, i, strings.Repeat("x", random.IntN(bound/40)))
		all = append(all, line)
		r.Line(i%2 == 0, []byte(line))
		if i%7 == 0 {
			r.Take([]conversation.Event{said(strings.Repeat("y", random.IntN(bound/1000)))})
		}
	}
	lines := keptLines(r, 0)
	size := 0
	for i, line := range lines {
		size += len(line)
		if want := all[len(all)-len(lines)+i]; line != want {
			t.Fatalf("line %d of %d is %.40s, want %.40s", i, len(lines), line, want)
		}
	}
	if size > bound || size < bound*9/10 {
		t.Errorf("%d bytes are kept in %d lines of %d", size, len(lines), sent)
	}
}

// What was kept before more is kept is still there, and an empty line is one.
func TestRingKeepsMore(t *testing.T) {
	r := record.NewRing(header(), nil, time.Now)
	for i := range 110_000 { // they take memory, though there are no bytes in them
		r.Line(i%2 == 0, nil)
	}
	if first, next := r.Span(); next-first > 50_000 {
		t.Errorf("%d entries are kept before anybody has asked for more", next-first)
	}
	r.Line(false, []byte("before"))
	r.KeepMore()
	r.Line(false, bytes.Repeat([]byte("x"), 3<<20))
	if e, ok := r.At(110_000); !ok || string(e.Data) != "before" {
		t.Errorf("what was there before is %q, %t", e.Data, ok)
	}
	if e, ok := r.At(110_001); !ok || e.Cut > 0 {
		t.Errorf("of what came then, %d bytes are kept and %d cut", len(e.Data), e.Cut)
	}
}

func TestRingBoundsTheCount(t *testing.T) {
	r := record.NewRing(header(), nil, time.Now)
	r.KeepMore()
	for i := range 250_000 {
		r.Line(false, []byte(fmt.Sprint(i)))
	}
	first, next := r.Span()
	if first != 150_000 || next != 250_000 {
		t.Errorf("kept are %d to %d", first, next)
	}
	if e, ok := r.At(150_000); !ok || string(e.Data) != "150000" {
		t.Errorf("the oldest is %q, %t", e.Data, ok)
	}
	if _, ok := r.At(149_999); ok {
		t.Error("what was dropped is still there")
	}
}

// A message that alone is too long is kept in part, and it is said how much is missing.
func TestRingCutsWhatIsTooLong(t *testing.T) {
	r := record.NewRing(header(), nil, time.Now)
	long := bytes.Repeat([]byte("x"), 20<<20)
	r.Line(false, []byte("before"))
	r.Line(false, long)
	r.Line(false, []byte("after"))
	if e, ok := r.At(1); !ok || e.Cut == 0 || len(e.Data)+e.Cut != len(long) {
		t.Errorf("%d bytes are kept, %d cut", len(e.Data), e.Cut)
	}
	if e, ok := r.At(2); !ok || string(e.Data) != "after" {
		t.Errorf("then %q", e.Data)
	}
	r.KeepMore()
	path := filepath.Join(t.TempDir(), "saved.jsonl")
	r.Take([]conversation.Event{said(string(long)), said("after")})
	_, err := r.Save(path)
	saved, errRead := os.ReadFile(path)
	if err != nil || errRead != nil || len(saved) > 1<<20 || !bytes.Contains(saved, []byte("Not in this recording: an update of 20 MB")) {
		t.Errorf("an event of %d bytes is saved in %d: %v, %v", len(long), len(saved), err, errRead)
	}
}

func TestRingWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := record.NewRing(header(), nil, time.Now)
		woken := make(chan bool, 1)
		go func() { r.Wait(t.Context(), 0); woken <- true }()
		synctest.Wait()
		r.Take([]conversation.Event{said("an event is no message")})
		synctest.Wait()
		if len(woken) > 0 {
			t.Error("woken by an event")
		}
		r.Stderr([]byte("words"))
		<-woken
		ctx, cancel := context.WithCancel(t.Context())
		go func() { r.Wait(ctx, 100); woken <- true }()
		synctest.Wait()
		cancel()
		<-woken
	})
}

// What is handed out has no secrets, as little as a recording has.
func TestRingHandsOutNoSecrets(t *testing.T) {
	r := record.NewRing(header(), record.NewRedactor([]string{"hunter2-correct"}), time.Now)
	r.Line(true, []byte(`{"id":1,"method":"session/new","params":{"mcpServers":[{"name":"a","env":[{"name":"KEY","value":"abc"}]},{"name":"b","headers":[{"name":"Auth","value":"abc"}]}]}}`))
	r.Line(false, []byte(`it is hunter2-correct`))
	r.Line(false, []byte(`{"text":"it is hunter2-correct"}`))
	r.Stderr([]byte("KEY=hunter2-correct\n"))
	r.Take([]conversation.Event{said("it is hunter2-correct")})
	path := filepath.Join(t.TempDir(), "saved.jsonl")
	if n, err := r.Save(path); n != 5 || err != nil {
		t.Errorf("saved %d, %v", n, err)
	}
	saved, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range append(keptLines(r, 0), string(saved)) {
		if strings.Contains(text, "hunter2") || strings.Contains(text, `"abc"`) {
			t.Errorf("a secret is in %s", text)
		}
	}
	if !strings.Contains(keptLines(r, 0)[0], `"Auth"`) || !strings.Contains(string(saved), "it is [secret]") {
		t.Errorf("more than secrets is missing: %s", saved)
	}
}

// What is saved is a recording like any other, with the times at which things happened.
func TestRingIsSaved(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "saved.jsonl")
	synctest.Test(t, func(t *testing.T) {
		r := record.NewRing(header(), nil, time.Now)
		if _, err := r.Save(path); !errors.Is(err, record.ErrNothingKept) {
			t.Errorf("nothing was saved: %v", err)
		}
		for _, do := range []func(){
			func() { r.Line(true, []byte(`{"id":1}`)) },
			func() { r.Line(false, []byte("no JSON")) },
			func() { r.Stderr([]byte("words\n")) },
			func() { r.Take([]conversation.Event{said("hello")}) },
		} {
			do()
			time.Sleep(time.Second)
		}
		if n, err := r.Save(path); n != 4 || err != nil {
			t.Errorf("saved %d, %v", n, err)
		}
		if _, err := r.Save(path); !errors.Is(err, fs.ErrExist) {
			t.Errorf("saved over another: %v", err)
		}
	})
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	saved := read(t, text)
	var got strings.Builder
	for _, e := range saved.Entries {
		fmt.Fprintf(&got, "%v %s\n", e.At, e.Kind)
	}
	if want := "0s sent\n1s noise\n2s stderr\n3s event\n"; got.String() != want || saved.Header.Agent != header().Agent || len(saved.Lost) > 0 {
		t.Errorf("%s\n%+v", got.String(), saved)
	}
}

// A session that nobody inspects makes no garbage of its messages.
func TestAnUnreadRingUsesItsMemoryAgain(t *testing.T) {
	r := record.NewRing(header(), nil, time.Now)
	line := []byte(strings.Repeat("x", 100))
	fill := func() {
		for range 5_000 {
			r.Line(false, line)
		}
	}
	fill()
	if n := testing.AllocsPerRun(5, fill); n > 0 {
		t.Errorf("5,000 lines take %v allocations", n)
	}
}

// The tap runs with every message: in the long run it copies that, and allocates nothing.
func BenchmarkRing(b *testing.B) {
	r := record.NewRing(header(), nil, time.Now)
	line := []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"some words "}}}}`)
	for range 200_000 {
		r.Line(false, line)
	}
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		r.Line(false, line)
	}
}

// Every session has a ring, of which most are never read: what it costs is this.
func BenchmarkRingFills(b *testing.B) {
	line := []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"some words "}}}}`)
	b.ReportAllocs()
	for b.Loop() {
		r := record.NewRing(header(), nil, time.Now)
		for range 100_000 {
			r.Line(false, line)
		}
	}
}
