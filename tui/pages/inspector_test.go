package pages

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/record"
	"parley/tui/theme"
)

// watcher looks at the protocol of a session. What waits for more messages is carried
// out by settle, in a bubble.
type watcher struct {
	*desk
	ring    *record.Ring
	view    *Inspector
	queue   chan func()
	version int // as the session knows it
}

func newWatcher(t testing.TB, dir string) *watcher {
	w := &watcher{desk: &desk{TB: t, width: 120, height: 30}, queue: make(chan func(), 1000)}
	w.ring = record.NewRing(record.Header{Cwd: "/p"}, record.NewRedactor([]string{"hunter2-correct"}), time.Now)
	w.begin = func(do func(context.Context) func()) {
		go func() {
			if then := do(t.Context()); then != nil {
				w.queue <- then
			}
		}()
	}
	w.view = NewInspector(w.env(), InspectorOptions{Ring: w.ring, Dir: dir, Now: time.Now, Version: func() int { return w.version }})
	w.desk.view = w.view
	return w
}

// settle waits until nothing more comes of what is there.
func (w *watcher) settle() {
	for range 400 {
		time.Sleep(pace) // of the bubble
		synctest.Wait()
		for len(w.queue) > 0 {
			(<-w.queue)()
			w.screen()
		}
	}
}

func (w *watcher) press(keys ...string) *watcher {
	w.Helper()
	w.strike(keys...)
	w.settle()
	return w
}

func (w *watcher) write(text string) *watcher {
	w.desk.write(text)
	w.settle()
	return w
}

func (w *watcher) shows(words ...string) *watcher {
	w.Helper()
	w.desk.shows(words...)
	return w
}

func (w *watcher) hides(words ...string) *watcher {
	w.Helper()
	w.desk.hides(words...)
	return w
}

func (w *watcher) lines() []string { return strings.Split(w.screen(), "\n") }

const (
	asked     = `{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"tidy up"}]}}`
	answered  = `{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}`
	called    = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"t","title":"Read notes","status":"whim"}}}`
	chunkForm = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":%q}}}}`
)

func chunk(text string) []byte { return fmt.Appendf(nil, chunkForm, text) }

// turn is what happens in a turn.
func (w *watcher) turn() {
	w.ring.Line(true, []byte(asked))
	time.Sleep(120 * time.Millisecond)
	for _, word := range []string{"one ", "two ", "three"} {
		w.ring.Line(false, chunk(word))
	}
	w.ring.Line(false, []byte(called))
	w.ring.Stderr([]byte("\x1b[31mwarming up\u202e\n"))
	time.Sleep(120 * time.Millisecond)
	w.ring.Line(false, []byte(answered))
}

// watching runs a test in a bubble, with a turn in an open view.
func watching(t *testing.T, do func(t *testing.T, w *watcher)) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w := newWatcher(t, dir)
		w.turn()
		w.view.Open()
		w.settle()
		defer w.view.Stop()
		do(t, w)
	})
}

func TestMessagesAreListed(t *testing.T) {
	watching(t, func(_ *testing.T, w *watcher) {
		w.shows("session/prompt", "240 ms", "tidy up", "agent_message_chunk ×3", "one two three", "✗ tool_call", "Read notes · whim",
			"stderr", "warming up", "answer to session/prompt", "end_turn", "7 messages", "✗ 1 invalid", "live")
		w.hides("\x1b", "\u202e")
		w.ring.Line(true, []byte(strings.Replace(asked, `"id":1`, `"id":2`, 1)))
		w.settle()
		w.shows("8 messages", "…")
		w.press("z").shows("one", "two", "three").hides("×3")
	})
}

// In a narrow window the names of messages have the room of their times.
func TestMessagesHaveNamesInANarrowWindow(t *testing.T) {
	watching(t, func(_ *testing.T, w *watcher) {
		w.width, w.height = 40, 12
		w.shows("Inspector  all", "live", "agent_message_chunk ×3", "answer to session/prompt   240 ms").hides("time ")
		w.width = 60
		w.shows("all messages", "time ", "answer to session/prompt")
	})
}

func TestMessagesAreShownInFull(t *testing.T) {
	watching(t, func(_ *testing.T, w *watcher) {
		w.press("enter").shows("answers session/prompt after 240 ms", `"stopReason": "end_turn"`)
		w.press("p").shows("request 1 · from parley", "answered after 240 ms", `"text": "tidy up"`)
		w.press("j").shows("3 notifications", "text", "one two three", "1 of 3")
		w.press("j").shows(`✗ params/update/status: "whim" is not one of`)
		w.width, w.height = 80, 24
		w.shows("Read notes · whim", "params/update/status", "\n────").press("j").shows("stderr · from the agent")
		for _, size := range [][2]int{{1, 1}, {20, 3}, {40, 8}, {300, 90}} {
			w.width, w.height = size[0], size[1]
			w.lines()
		}
		w.width, w.height = 120, 30
		w.press("q").hides("│").press("q")
		if !w.closed {
			t.Error("it is still open")
		}
	})
}

// What is kept of a run stands below its own number and time, where the first of its
// messages are not kept any more.
func TestWhatIsKeptOfARunHasItsOwnTime(t *testing.T) {
	watching(t, func(_ *testing.T, w *watcher) {
		w.press("g", "j")
		for range 3 {
			w.ring.Stderr(make([]byte, 4<<20))
		}
		w.ring.Stderr(make([]byte, 4<<20-64<<10))
		const dropped = 2 // the request, and the first message of the run
		for first := uint64(0); first < dropped; first, _ = w.ring.Span() {
			w.ring.Stderr([]byte("x")) // one of them makes room for one of these
		}
		w.press("enter").shows("3 notifications", "2 of 3", "3 of 3", "two three").hides("1 of 3")
	})
}

// The title says which version of the protocol is spoken, and what is wrong by it is marked.
func TestTheVersionIsInTheTitle(t *testing.T) {
	watching(t, func(_ *testing.T, w *watcher) {
		w.hides("ACP").shows("1 invalid")
		w.ring.Line(true, []byte(`{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":2,"info":{"name":"p","version":"1"}}}`))
		w.ring.Line(false, []byte(`{"jsonrpc":"2.0","id":7,"result":{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{"session":{}}}}`))
		w.settle()
		w.shows("Inspector  ACP 2 · all messages")
		w.ring.Line(false, []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}`))
		w.ring.Line(false, chunk("a chunk of version 1 has no id"))
		w.settle()
		w.shows("state_update", "2 invalid", `"messageId" is missing`)
	})
}

// Where the beginning of the connection is gone, it is the version that the session knows.
func TestTheVersionOfTheSession(t *testing.T) {
	watching(t, func(_ *testing.T, w *watcher) {
		w.press("q")
		w.closed, w.version = false, 2
		w.view.Open()
		w.settle()
		w.shows("ACP 2", "4 invalid") // the chunks and the call of the turn are those of version 1
	})
}

// colours are the foregrounds of what is drawn of a message in full.
func (w *watcher) colours() string {
	w.Helper()
	var out []string
	for _, line := range w.view.View(w.width, w.height).Lines {
		if _, json, found := strings.Cut(line, "│"); found {
			out = append(out, json)
		}
	}
	return strings.Join(out, "\n")
}

// A message that is shown in full takes the colours of another theme, while nothing else
// happens, and while it is being read.
func TestMessagesTakeTheColoursOfATheme(t *testing.T) {
	watching(t, func(t *testing.T, w *watcher) {
		dark, light := theme.New(true), theme.New(false)
		w.press("enter").shows(`"stopReason": "end_turn"`)
		inDark := w.colours()
		w.view.SetTheme(light)
		w.view.Recolour()
		w.settle()
		inLight := w.colours()
		w.press("enter", "enter") // shown anew
		if fresh := w.colours(); inLight == inDark || fresh != inLight {
			t.Errorf("in another theme it is\n%s\nwas\n%s\nand shown anew\n%s", inLight, inDark, fresh)
		}
		w.view.SetTheme(dark)
		w.view.Recolour()
		w.view.SetTheme(light)
		w.view.Recolour()
		w.settle()
		if got := w.colours(); got != inLight {
			t.Errorf("changed while it was read it is\n%s\nnot\n%s", got, inLight)
		}
		w.begin = func(func(context.Context) func()) { t.Error("it is read again though nothing has changed") }
		w.view.Recolour()
	})
}

func TestMessagesAreFiltered(t *testing.T) {
	watching(t, func(_ *testing.T, w *watcher) {
		w.press("d").shows("sent only", "1 of 7", "session/prompt").hides("tool_call")
		w.press("d").shows("received only", "tool_call").hides("tidy up")
		w.press("a", "t").shows("requests and answers", "2 of 7").hides("tool_call")
		w.press("t").shows("4 of 7").hides("stderr  ").press("t").shows("warming up", "1 of 7")
		w.press("a", "w").shows("schema violations only", "tool_call", "1 of 7")
		w.press("a", "g", "m").shows("only session/prompt", "2 of 7").press("m").shows("all messages")
		w.press("f").write("read not").shows("filter read not", "tool_call", "1 of 7").press("enter").shows("with “read not”")
		w.press("f").write(" invalid received").shows("1 of 7").press("enter").shows("schema violations only · received only · with “read not”").press("d", "w")
		w.ring.Line(false, chunk("passes nothing"))
		w.settle()
		w.shows("1 of 8").press("a").shows("passes nothing")
		w.press("f").write("zzz").shows("No message matches this filter.").press("esc").shows("all messages", "tidy up")
	})
}

func TestMessagesAreSearched(t *testing.T) {
	watching(t, func(_ *testing.T, w *watcher) {
		w.press("/").write("TOOLCALLID").press("enter", "enter").shows(`"toolCallId": "t"`)
		w.press("q", "/").write("session").press("enter")
		first := w.view.list.Mark
		w.press("n")
		second := w.view.list.Mark
		if w.press("N"); first == second || w.view.list.Mark != first {
			t.Errorf("found at %d, then at %d, and back at %d", first, second, w.view.list.Mark)
		}
		w.press("/").write("nowhere").press("enter").shows("no match for “nowhere”")
	})
}

func TestMessagesAreCopiedAndSaved(t *testing.T) {
	watching(t, func(t *testing.T, w *watcher) {
		w.width += len(w.view.opt.Dir) // its path is to be read, wherever temporary files are
		w.ring.Line(false, chunk("it is hunter2-correct"))
		w.settle()
		w.press("y")
		if !strings.Contains(w.copied, `"text": "it is [secret]"`) {
			t.Errorf("copied %q", w.copied)
		}
		w.press("s").shows("save to " + w.view.opt.Dir).press("enter").shows("saved 8 entries to")
		files, _ := filepath.Glob(filepath.Join(w.view.opt.Dir, "parley-*.jsonl"))
		if len(files) != 1 {
			t.Fatalf("saved are %q", files)
		}
		text, err := os.Open(files[0])
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = text.Close() }()
		if r, err := record.Read(text); err != nil || len(r.Entries) != 8 || len(r.Lost) > 0 {
			t.Errorf("%+v, %v", r, err)
		}
		w.press("s").press("enter").shows("saved 8 entries") // a second later
		w.press("s")
		w.strike(slices.Repeat([]string{"backspace"}, 200)...)
		w.write(filepath.Base(files[0])).press("enter").shows("already exists; choose another name")
	})
}

// While the list stands still, what comes is counted, and is there when it goes on.
func TestPause(t *testing.T) {
	watching(t, func(_ *testing.T, w *watcher) {
		w.press("space").shows("paused")
		before := w.lines()[2:10]
		for i := range 2500 {
			w.ring.Line(false, chunk(fmt.Sprint("later ", i)))
		}
		w.settle()
		w.shows("7 messages", "paused, 2,500 new")
		if after := w.lines()[2:10]; strings.Join(before, "\n") != strings.Join(after, "\n") {
			t.Errorf("the list has moved:\n%s", w.screen())
		}
		w.press("space").shows("2,507 messages", "agent_message_chunk ×2,500", "live")
		w.press("space", "space").shows("live")
		w.ring.Line(false, []byte(called))
		w.settle()
		w.shows("2,508 messages")
	})
}

// The list stays where the user is, and follows only at its end.
func TestTheListStaysWhereTheUserIs(t *testing.T) {
	watching(t, func(_ *testing.T, w *watcher) {
		w.press("g").hides("live").shows("❯")
		for range 100 {
			w.ring.Line(false, chunk("x"))
			w.ring.Line(false, []byte(called))
		}
		w.settle()
		if l := w.view.list; l.Mark != 0 || l.Top != 0 {
			t.Errorf("the mark is at %d, the top at %d", l.Mark, l.Top)
		}
		w.press("G").shows("live")
		w.ring.Line(false, chunk("the end"))
		w.settle()
		w.shows("the end")
	})
}

// Closed, it knows nothing and nothing of it runs; opened again, it reads anew.
func TestClosedItCostsNothing(t *testing.T) {
	watching(t, func(t *testing.T, w *watcher) {
		w.press("d", "f12")
		if !w.closed || len(w.view.list.rows) > 0 {
			t.Errorf("closed %t, %d rows", w.closed, len(w.view.list.rows))
		}
		synctest.Wait()
		w.ring.Line(false, chunk("meanwhile"))
		w.settle()
		if len(w.view.list.rows) > 0 {
			t.Error("it reads while it is closed")
		}
		w.closed = false
		w.view.Open()
		w.settle()
		w.shows("sent only", "1 of 8")
	})
}

// Messages that the ring has dropped are gone from a list that is too long, and what is
// in sight stays.
func TestTheListIsBounded(t *testing.T) {
	l := inspectorList{folded: true}
	l.Height = 20
	for i := range mostRows + spareRows {
		m := readMessage{}
		m.Number, m.Method = uint64(i), fmt.Sprint(i%2)
		l.add(&m)
	}
	l.fit()
	l.Mark, l.Top = 60_000, 59_990
	at, _ := l.number()
	l.trim()
	if got, _ := l.number(); got != at || len(l.rows) != mostRows || l.Mark-l.Top != 10 {
		t.Errorf("at %d of %d rows, %d below the top; it was at %d", got, len(l.rows), l.Mark-l.Top, at)
	}
}

func BenchmarkFrame(b *testing.B) {
	for _, n := range []int{1_000, 100_000} {
		b.Run(fmt.Sprintf("messages=%d", n), func(b *testing.B) {
			w := newWatcher(b, "")
			w.ring.KeepMore()
			for i := range n {
				w.ring.Line(i%3 == 0, fmt.Appendf(nil, chunkForm, fmt.Sprint("words ", i)))
			}
			w.view.Open()
			for len(w.view.list.rows) == 0 || w.view.behind {
				(<-w.queue)()
			}
			defer w.view.Stop()
			m := w.view.list.rows[0].readMessage
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				m.Number = uint64(n + i)
				w.view.add([]readMessage{m})
				w.view.View(120, 40)
			}
		})
	}
}
