package host

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

// small is a history with a small bound.
func small(t testing.TB, most int64, state *conversation.State) *history {
	t.Helper()
	h, err := newHistory(t.TempDir(), "id", most, (&Host{state: state}).open)
	if err != nil {
		t.Fatal(err)
	}
	h.rest = int(most)
	t.Cleanup(func() { _ = h.discard() })
	return h
}

// reader reads a history, as a viewer does.
type reader struct {
	at   int64
	seen []conversation.Event
}

// all reads what there is.
func (r *reader) all(t testing.TB, h *history) {
	t.Helper()
	for r.at < h.events() {
		lines, next, err := h.read(context.Background(), r.at, 1<<10, nil)
		if err != nil || next <= r.at {
			t.Fatalf("after %d of %d it reads up to %d: %v", r.at, h.events(), next, err)
		}
		for line := range bytes.Lines(lines) {
			e, err := conversation.Decode(bytes.TrimSuffix(line, []byte("\n")))
			if err != nil {
				t.Fatal(err)
			}
			r.seen = append(r.seen, e)
		}
		r.at = next
	}
}

// However much an agent sends of whatever kind, the file has no more of it than the bound, and
// who reads it afterwards has the prompts, the queue and the open question, whole.
func TestAHistoryIsBounded(t *testing.T) {
	const most, piece, pieces = 512 << 10, 8 << 10, 200
	up := func(update string, n int) func(int) conversation.Event {
		return func(i int) conversation.Event {
			return test.Up(t, strings.NewReplacer("N", fmt.Sprint(i), "TEXT", strings.Repeat("x", n)).Replace(update))
		}
	}
	for name, flood := range map[string]func(i int) conversation.Event{
		"images":      up(`{"sessionUpdate":"agent_message_chunk","content":{"type":"image","mimeType":"image/png","data":"TEXT"}}`, piece),
		"of the user": up(`{"sessionUpdate":"user_message_chunk","content":{"type":"image","mimeType":"image/png","data":"TEXT"}}`, piece),
		"messages":    up(`{"sessionUpdate":"agent_message","messageId":"N","content":[{"type":"text","text":"TEXT"}]}`, piece),
		"calls":       up(`{"sessionUpdate":"tool_call","toolCallId":"N","title":"T","rawInput":{"a":"TEXT"},"content":[{"type":"diff","path":"/a","oldText":"","newText":"TEXT"}]}`, piece),
		"titles":      up(`{"sessionUpdate":"tool_call_update","toolCallId":"N","title":"TEXT"}`, piece),
		"names":       up(`{"sessionUpdate":"session_info_update","title":"TEXT"}`, piece),
		"meta":        up(`{"sessionUpdate":"tool_call_update","toolCallId":"a","_meta":{"terminal_output":{"terminal_id":"a","data":"TEXT"}}}`, piece),
		"ids":         up(`{"sessionUpdate":"tool_call_update","toolCallId":"TEXTN"}`, piece),
		"small calls": up(`{"sessionUpdate":"tool_call","toolCallId":"N","title":"TEXT"}`, 900),
		"commands":    up(`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"TEXT","description":""}]}`, piece),
		"plans":       up(`{"sessionUpdate":"plan","entries":[{"content":"TEXT","priority":"high","status":"pending"}]}`, piece),
		"odd":         up(`{"sessionUpdate":"odd","is":"TEXT"}`, piece),
		"output":      func(int) conversation.Event { return conversation.TerminalOutput{ID: "t", Data: make([]byte, piece)} },
		"text":        func(int) conversation.Event { return text(strings.Repeat("x", piece)) },
		"files": func(int) conversation.Event {
			return conversation.FileWritten{Path: "/w/a", After: strings.Repeat("x", piece)}
		},
		"prompts": func(int) conversation.Event { return test.Sent(strings.Repeat("x", piece)) },
		"steered": func(int) conversation.Event {
			return conversation.PromptSteered{Prompt: queued(strings.Repeat("x", piece)).Prompt}
		},
		"notices": func(int) conversation.Event {
			return conversation.NoticeAdded{Title: "T", Detail: strings.Repeat("x", piece)}
		},
		"commands run": func(int) conversation.Event {
			return conversation.TerminalCreated{ID: "t", Command: strings.Repeat("x", piece)}
		},
		"questions": func(i int) conversation.Event {
			q := test.Permission(100+i, `{"toolCallId":"t"}`)
			q.Request.ToolCall.RawInput, q.Request.Raw = []byte(`"`+strings.Repeat("x", piece)+`"`), nil
			return q
		},
	} {
		t.Run(name, func(t *testing.T) {
			state := conversation.NewState()
			h := small(t, most, state)
			var happened []conversation.Event
			add := func(e conversation.Event) {
				happened = append(happened, e)
				state.Apply(e)
				if err := h.add([]conversation.Event{e}); err != nil {
					t.Fatal(err)
				}
				if info, err := os.Stat(h.path); err != nil || info.Size() > most*3/2 {
					t.Fatalf("after %d events, the file has %d KB: %v", len(happened), info.Size()>>10, err)
				}
			}
			add(conversation.SessionOpened{ID: "s1", Cwd: "/w"})
			add(test.Sent("the first prompt"))
			early := new(reader)
			early.all(t, h)
			question := test.Permission(1, `{"toolCallId":"t"}`)
			question.Request.ToolCall.RawInput, question.Request.Raw = []byte(`"`+strings.Repeat("x", 4<<10)+`"`), nil
			add(question)
			add(conversation.QueueChanged{Queue: []conversation.QueuedPrompt{queued("queued")}})
			for i := range pieces {
				e := flood(i)
				add(e)
				if q, is := e.(conversation.PermissionOpened); is {
					add(conversation.PermissionClosed{ID: q.ID, Outcome: acpclient.PermissionCancelled})
				}
			}
			add(text("the end"))
			if cap(h.held) > 2*writeAtOnce+most || len(h.marks) > 2*most/markEvery {
				t.Errorf("it keeps %d KB in memory, with %d marks", cap(h.held)>>10, len(h.marks))
			}
			late := new(reader)
			early.all(t, h)
			late.all(t, h)
			whole := conversation.New()
			for _, e := range happened {
				whole.Apply(e)
			}
			for who, r := range map[string]*reader{"early": early, "late": late} {
				c := conversation.New()
				for _, e := range r.seen {
					c.Apply(e)
				}
				if len(c.Permissions) != 1 || len(c.Permissions[0].Asked.RawInput) < 4<<10 {
					t.Errorf("%s: the open question is not there, or not whole", who)
				}
				if len(c.Queue) != 1 || c.Queue[0].Text() != "queued" || len(c.Prompts()) != len(whole.Prompts()) {
					t.Errorf("%s: %d are queued, after %d prompts, want %d", who, len(c.Queue), len(c.Prompts()), len(whole.Prompts()))
				}
				if !strings.HasSuffix(said(c), "the end") {
					t.Errorf("%s: the end is missing", who)
				}
			}
		})
	}
}

// In a flood, viewers get to its end, those who do not read and those who attach meanwhile, and the
// open question is whole.
func TestViewersOfAFlood(t *testing.T) {
	f := newFake()
	h := run(t, Options{Session: f, MostHistory: 1 << 20})
	idle := h.attach(t, ClientOptions{})
	f.post(test.Sent("prompt"))
	f.post(test.Permission(1, `{"toolCallId":"t","title":"Run it"}`))
	image := `{"sessionUpdate":"agent_message_chunk","content":{"type":"image","mimeType":"image/png","data":"` + strings.Repeat("x", 100<<10) + `"}}`
	var late []*watcher
	for i := range 400 {
		f.stream.Push(t.Context(), test.Up(t, image))
		if i%200 == 100 {
			late = append(late, h.attach(t, ClientOptions{}))
		}
	}
	f.post(conversation.NoticeAdded{Title: "the end"})
	for _, w := range append(late, idle, h.attach(t, ClientOptions{})) {
		w.untilNotice(t, "the end")
		if len(w.seen.Permissions) != 1 || w.seen.Permissions[0].Asked.Title != "Run it" || len(w.seen.Prompts()) != 1 {
			t.Errorf("it has %d prompts and %d questions", len(w.seen.Prompts()), len(w.seen.Permissions))
		}
	}
	if info, err := os.Stat(h.history.path); err != nil || info.Size() > 3<<19 {
		t.Errorf("the file has %d KB: %v", info.Size()>>10, err)
	}
}

// recording is a host of which only the history is used, with a bound.
func recording(t testing.TB, dir string, most int64) *Host {
	t.Helper()
	h := &Host{opt: Options{Log: slog.New(slog.DiscardHandler)}, state: conversation.NewState(), carried: map[int]int64{}}
	var err error
	if h.history, err = newHistory(dir, "id", most, h.open); err != nil {
		t.Fatal(err)
	}
	return h
}

// late is what somebody knows who reads a history only now.
func late(t testing.TB, h *history) *conversation.Conversation {
	t.Helper()
	r := new(reader)
	r.all(t, h)
	c := conversation.New()
	for _, e := range r.seen {
		c.Apply(e)
	}
	return c
}

// What a question asks is the same for whoever attaches late, whatever came before and after it.
func TestAQuestionBringsItsCallAlong(t *testing.T) {
	const most = 256 << 10
	for name, ask := range map[string][2][]string{
		"announced before":  {{`{"sessionUpdate":"tool_call","toolCallId":"x","title":"Tidy up","kind":"execute","status":"pending","rawInput":{"command":"rm -rf a"}}`}, nil},
		"described in more": {{`{"sessionUpdate":"tool_call","toolCallId":"x","title":"Tidy up"}`, `{"sessionUpdate":"tool_call_update","toolCallId":"x","rawInput":{"command":"rm -rf a"},"kind":"execute"}`}, nil},
		"changed since":     {{`{"sessionUpdate":"tool_call","toolCallId":"x","title":"Tidy up"}`}, {`{"sessionUpdate":"tool_call_update","toolCallId":"x","rawInput":{"command":"rm -rf a"},"kind":"execute"}`}},
		"in pieces": {{`{"sessionUpdate":"tool_call","toolCallId":"x","title":"Tidy up","rawInput":{"command":"rm -rf a"}}`}, {
			`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"x","content":{"type":"diff","path":"/a","oldText":"","newText":"1"}}`,
			`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"x","content":{"type":"diff","path":"/a","oldText":"1","newText":"2"}}`,
		}},
		"large": {{`{"sessionUpdate":"tool_call","toolCallId":"x","title":"Tidy up","rawInput":{"command":"rm -rf a","why":"` + strings.Repeat("x", 20<<10) + `"}}`}, nil},
		"of a subagent": {{
			`{"sessionUpdate":"tool_call","toolCallId":"p","title":"Task"}`,
			`{"sessionUpdate":"tool_call","toolCallId":"x","title":"Tidy up","rawInput":{"command":"rm -rf a"},"_meta":{"claudeCode":{"parentToolUseId":"p"}}}`,
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			h := recording(t, t.TempDir(), most)
			defer h.history.discard()
			up := func(updates ...string) {
				for _, u := range updates {
					h.add([]conversation.Event{test.Up(t, u)})
				}
			}
			flood := func() {
				for i := range 2 * most / 500 {
					up(fmt.Sprintf(`{"sessionUpdate":"tool_call_update","toolCallId":"z%d","title":%q}`, i, strings.Repeat("z", 400)))
				}
			}
			h.add([]conversation.Event{conversation.SessionOpened{ID: "s1", Cwd: "/w"}, test.Sent("go")})
			up(ask[0]...)
			flood()
			h.add([]conversation.Event{test.Permission(1, `{"toolCallId":"x"}`)})
			up(ask[1]...)
			flood()
			want, c := h.state.Permissions[0], late(t, h.history)
			if !strings.Contains(string(want.Asked.RawInput), "rm -rf a") || want.Asked.Incomplete {
				t.Fatalf("the host asks about %+v", want.Asked)
			}
			if len(c.Permissions) != 1 || c.Permissions[0].Seen != want.Seen || string(c.Permissions[0].Asked.RawInput) != string(want.Asked.RawInput) {
				t.Errorf("%+v is asked, want %+v", c.Permissions, want)
			}
		})
	}
}

// Many questions about a large call do not make the history large. What of the call is missing
// then for whoever attaches late cannot be allowed.
func TestQuestionsBringAlongABoundedPart(t *testing.T) {
	const most = 256 << 10
	h := recording(t, t.TempDir(), most)
	defer h.history.discard()
	h.add([]conversation.Event{test.Sent("go"), test.Up(t, `{"sessionUpdate":"tool_call","toolCallId":"x","title":"T","rawInput":{"command":"`+strings.Repeat("x", 10<<10)+`"}}`)})
	for i := range 100 {
		h.add([]conversation.Event{test.Permission(1+i, `{"toolCallId":"x"}`)})
	}
	for i := range 2 * most / 500 {
		h.add([]conversation.Event{test.Up(t, fmt.Sprintf(`{"sessionUpdate":"tool_call_update","toolCallId":"z%d","title":%q}`, i, strings.Repeat("z", 400)))})
	}
	if h.history.size() > most*3/2 {
		t.Errorf("it has %d KB", h.history.size()>>10)
	}
	for i, p := range late(t, h.history).Permissions {
		want := h.state.Permissions[i]
		if whole := string(p.Asked.RawInput) == string(want.Asked.RawInput); whole != (p.Shown == want.Shown) {
			t.Errorf("question %d, whole: %v, is %+v, want %+v", p.ID, whole, p.Seen, want.Seen)
		}
	}
	for i := range 100 {
		h.add([]conversation.Event{conversation.PermissionClosed{ID: 1 + i, Outcome: acpclient.PermissionCancelled}})
	}
	if h.carrying != 0 || len(h.carried) != 0 {
		t.Errorf("closed questions carry %d bytes", h.carrying)
	}
}

// Keys that nobody can choose: no session's id makes its mode take the place of the queue.
func TestKeysOfAHistoryAreItsOwn(t *testing.T) {
	h := recording(t, t.TempDir(), 64<<10)
	defer h.history.discard()
	h.add([]conversation.Event{conversation.QueueChanged{Queue: []conversation.QueuedPrompt{queued("mine")}}})
	mode := test.Up(t, `{"sessionUpdate":"usage_update","used":1,"size":2}`).(conversation.Update)
	mode.Session, mode.Raw = "1ggaqaj", nil // with FNV-1a of 32 bits, its key is that of the queue
	mode.Update = &acpclient.CurrentModeUpdate{CurrentModeID: "yolo"}
	h.add([]conversation.Event{mode})
	for range 400 {
		h.add([]conversation.Event{text(strings.Repeat("x", 500))})
	}
	if c := late(t, h.history); len(c.Queue) != 1 || c.Queue[0].Text() != "mine" {
		t.Errorf("%+v is queued", c.Queue)
	}
}

// decides is what must be the same for all who fold a history, however much of it they read late.
type decides struct {
	ID          acpclient.SessionID
	Phase       conversation.Phase
	Running     bool
	Prompts     int
	Queue       []conversation.QueuedPrompt
	Paused      bool
	Open        []conversation.Seen
	Asked       []string
	Commands    int
	Reached     bool
	Title, Name string
	Spent       conversation.Spent
	Options     []acpclient.SessionConfigOption
}

func decidesIn(c *conversation.State) decides {
	d := decides{
		ID: c.ID, Phase: c.Phase, Running: c.Turn.Running, Paused: c.QueuePaused, Commands: len(c.Commands),
		Queue: c.Queue, Reached: c.BudgetReached, Title: c.Title, Name: c.Agent.Name(), Spent: c.Spent(), Options: c.Options,
	}
	for _, p := range c.Permissions {
		d.Open = append(d.Open, p.Seen)
		d.Asked = append(d.Asked, p.Asked.Title+string(p.Asked.RawInput))
	}
	for _, q := range c.Elicitations {
		d.Open = append(d.Open, q.Seen)
	}
	return d
}

// Whenever somebody reads, what decides in the session, and how many prompts it has, is the same.
func TestWhatIsLeftOutDecidesNothing(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		h := recording(t, dir, 16<<10)
		defer h.history.discard()
		whole := conversation.New()
		readers := []*reader{{}, {}}
		question := 0
		turn := 0 // agents that use an id again in another turn may leave a late reader unable to allow
		call := func() string { return fmt.Sprint(rapid.SampledFrom([]string{"a", "b", "c"}).Draw(rt, "call"), turn) }
		up := func(update string, args ...any) conversation.Event { return test.Up(t, fmt.Sprintf(update, args...)) }
		for range rapid.IntRange(20, 120).Draw(rt, "events") {
			var e conversation.Event
			switch rapid.IntRange(0, 18).Draw(rt, "kind") {
			case 0:
				e = test.Sent("prompt")
			case 1:
				e = conversation.TurnEnded{Reason: acpclient.StopEndTurn}
			case 2:
				e = conversation.QueueChanged{Queue: []conversation.QueuedPrompt{queued(fmt.Sprint(h.history.events()))}}
			case 3:
				question++
				e = test.Permission(question, fmt.Sprintf(`{"toolCallId":%q}`, call()))
			case 4:
				e = conversation.PermissionClosed{ID: rapid.IntRange(0, question).Draw(rt, "closed"), Outcome: acpclient.PermissionCancelled}
			case 5:
				e = test.Up(t, test.UserSays("replayed", ""))
			case 6:
				e = up(`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"a","description":%q}]}`, strings.Repeat("x", 600))
			case 7:
				e = up(`{"sessionUpdate":"tool_call","toolCallId":%q,"title":"T","status":"pending","rawInput":{"command":"%d"}}`, call(), h.history.events())
			case 8:
				e = up(`{"sessionUpdate":"tool_call_update","toolCallId":%q,"rawInput":{"command":"%d"}}`, call(), h.history.events())
			case 9:
				e = up(`{"sessionUpdate":"usage_update","used":1,"size":2,"cost":{"amount":%d,"currency":%q}}`,
					rapid.IntRange(0, 9).Draw(rt, "cost"), rapid.SampledFrom([]string{"USD", "USD", "EUR"}).Draw(rt, "currency"))
			case 10:
				e = up(`{"sessionUpdate":"session_info_update","title":"%d"}`, h.history.events())
			case 11:
				e = up(`{"sessionUpdate":"session_info_update","updatedAt":"%d"}`, h.history.events())
			case 12:
				e = conversation.AgentStarting{Command: "a"}
			default:
				e = text(strings.Repeat("x", rapid.SampledFrom([]int{1, 500, 3000}).Draw(rt, "size")))
			}
			switch e.(type) {
			case conversation.PromptSent, conversation.TurnEnded, conversation.AgentStarting:
				turn++
			}
			if conversation.Says(e) {
				turn++
			}
			whole.Apply(e)
			h.add([]conversation.Event{e})
			if rapid.Bool().Draw(rt, "read") {
				readers[0].all(t, h.history)
			}
		}
		for i, r := range readers {
			r.all(t, h.history)
			c := conversation.New()
			for _, e := range r.seen {
				c.Apply(e)
			}
			want, got := decidesIn(&whole.State), decidesIn(&c.State)
			want.Prompts, got.Prompts = len(whole.Prompts()), len(c.Prompts())
			if diff := gocmp.Diff(want, got); diff != "" {
				rt.Errorf("reader %d (-want +got):\n%s", i, diff)
			}
		}
	})
}

// fullFor is a file that cannot be written for a while, or only in part.
type fullFor struct {
	file
	room int // bytes that it takes until it is emptied; -1 is all
}

func (f *fullFor) WriteAt(b []byte, at int64) (int, error) {
	if f.room < 0 {
		return f.file.WriteAt(b, at)
	}
	n, err := f.file.WriteAt(b[:min(len(b), f.room)], at)
	if f.room -= n; n < len(b) {
		err = errors.Join(err, io.ErrShortWrite)
	}
	return n, err
}

// What a full disk keeps in memory is bounded, and goes into the file as soon as there is room.
// Whoever reads meanwhile misses nothing.
func TestTheHistoryLeavesMemoryAgain(t *testing.T) {
	const most = 64 << 10
	h := small(t, most, conversation.NewState())
	create := h.create
	h.create = func() (*os.File, error) { return nil, io.ErrShortWrite }
	disk := &fullFor{h.file, 3000}
	h.file = disk
	r := new(reader)
	for i := range 400 {
		if i == 300 {
			disk.room, h.create = -1, create
		}
		e := text(strings.Repeat("x", 500) + fmt.Sprint(i))
		if err := h.add([]conversation.Event{e}); i < 300 && i > 5 && err == nil {
			t.Errorf("event %d: no word of the full disk", i)
		}
		if len(h.held) > most*3/2 {
			t.Fatalf("%d KB are in memory", len(h.held)>>10)
		}
		r.all(t, h)
		if got := r.seen[len(r.seen)-1]; len(r.seen) != i+1 || got != conversation.Event(e) {
			t.Fatalf("event %d is read as %v, number %d", i, got, len(r.seen))
		}
	}
	if len(h.held) > 0 || h.filed > most*3/2 {
		t.Errorf("%d bytes are in memory, %d in the file", len(h.held), h.filed)
	}
	late := new(reader)
	late.all(t, h)
	if last := late.seen[len(late.seen)-1].(conversation.Text); !strings.HasSuffix(last.Text, "399") {
		t.Errorf("it ends with %q", last.Text)
	}
}

// The histories of hosts are counted, and those of killed ones removed.
func TestHistoriesAreCounted(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	dir, err := HistoryDir()
	if err != nil {
		t.Fatal(err)
	}
	h, err := newHistory(dir, "runs", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.discard()
	if err := h.add([]conversation.Event{text(strings.Repeat("x", 5000))}); err != nil {
		t.Fatal(err)
	}
	killed := filepath.Join(dir, "killed"+historyEnd)
	if err := os.WriteFile(killed, make([]byte, 3000), 0o600); err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-time.Hour)
	if err := cmp.Or(os.Chtimes(killed, long, long), os.Chtimes(h.path, long, long)); err != nil {
		t.Fatal(err)
	}
	if n, err := HistoryBytes(); err != nil || n != h.filed || n < 5000 {
		t.Errorf("%d bytes are counted, want %d: %v", n, h.filed, err)
	}
	if _, err := os.Stat(killed); !os.IsNotExist(err) {
		t.Errorf("that of a killed host is there: %v", err)
	}
	if _, err := os.Stat(h.path); err != nil {
		t.Error(err)
	}
}
