package store

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

// sessionBytes is how long a generated log is, about.
const sessionBytes = 100 << 10

// generate stores n sessions with text of random words, of which few are frequent, as
// in any language.
func generate(b *testing.B, s *Store, n int) {
	b.Helper()
	words := make([]string, 20_000)
	for i := range words {
		words[i] = "w" + strconv.FormatInt(int64(i*7919), 36)
	}
	r := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(r, 1.3, 3, uint64(len(words)-1))
	for i := range n {
		l, err := s.Create(Meta{Agent: "tour", Cwd: fmt.Sprintf("/project%d", i%50)})
		if err != nil {
			b.Fatal(err)
		}
		batch := []conversation.Event{test.Sent(fmt.Sprintf("Task number %d", i))}
		for size := 0; size < sessionBytes; {
			var t strings.Builder
			for range 200 {
				t.WriteString(words[zipf.Uint64()])
				t.WriteByte(' ')
			}
			size += t.Len()
			batch = append(batch, text(t.String()), conversation.Update{Update: &acpclient.ToolCall{
				ToolCallID: acpclient.ToolCallID(strconv.Itoa(size)), Title: "Run " + words[zipf.Uint64()], RawInput: []byte(`{"command":"make"}`),
			}})
		}
		appendAll(b, l, batch...)
		if err := l.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRead measures how long it takes until a stored session can be shown, and
// that a longer one takes as much longer.
func BenchmarkRead(b *testing.B) {
	for _, megabytes := range []int{1, 10, 100} {
		b.Run(strconv.Itoa(megabytes)+"MB", func(b *testing.B) {
			s := New(b.TempDir())
			l, err := s.Create(Meta{})
			if err != nil {
				b.Fatal(err)
			}
			for range megabytes * 20 {
				appendAll(b, l, test.Sent("go on"), text(strings.Repeat("some words of text\n", 2_700)), conversation.TurnEnded{})
			}
			if err := l.Close(); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := s.Read(b.Context(), l.ID()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkIndex measures what a user waits for. PARLEY_BENCH_SESSIONS says how many
// sessions of 100 KB there are. It takes a minute to make 10000 of them, and some more to
// index them: PARLEY_BENCH_STORE is a directory in which they are kept for the next time.
func BenchmarkIndex(b *testing.B) {
	n, err := strconv.Atoi(os.Getenv("PARLEY_BENCH_SESSIONS"))
	if err != nil {
		n = 200
	}
	dir := os.Getenv("PARLEY_BENCH_STORE")
	if dir == "" {
		dir = b.TempDir()
	}
	s := New(dir)
	made, err := s.logs()
	if err != nil {
		b.Fatal(err)
	}
	generate(b, s, n-len(made))
	index(b, s)
	b.Run("open", func(b *testing.B) {
		timed(b, func() {
			x, err := s.OpenIndex(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			_ = x.Close()
		})
	})
	b.Run("list/first", func(b *testing.B) { // of a process, which compares all logs
		timed(b, func() {
			lib := NewLibrary(s)
			if _, err := lib.List(b.Context(), Query{Limit: 200}); err != nil {
				b.Fatal(err)
			}
			_ = lib.Close()
		})
	})
	lib := NewLibrary(s)
	b.Cleanup(func() { _ = lib.Close() })
	rest(b, s)
	var list []Summary
	b.Run("list", func(b *testing.B) {
		timed(b, func() {
			if list, err = lib.List(b.Context(), Query{Limit: 200}); err != nil || len(list) != min(n, 200) {
				b.Fatal(len(list), err)
			}
		})
	})
	for name, words := range map[string]string{"frequent": "w0", "rare": "w3ks6 task", "beginning": "w6", "none": "nowhere"} {
		b.Run("search/"+name, func(b *testing.B) {
			timed(b, func() {
				if _, err := lib.Search(b.Context(), words, Query{}); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
	b.Run("resume", func(b *testing.B) {
		i := 0
		timed(b, func() {
			if _, err := s.Read(b.Context(), list[i%len(list)].ID); err != nil {
				b.Fatal(err)
			}
			i++
		})
	})
}

// timed measures do, and reports the 95th percentile beside the mean.
func timed(b *testing.B, do func()) {
	b.Helper()
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		do()
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*95/100])/1e6, "p95-ms")
}
