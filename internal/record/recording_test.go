package record_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/record"
)

// sink is a file in memory. It fails after a number of writes, unless that is 0.
type sink struct {
	bytes.Buffer
	fails, writes int
}

func (s *sink) Write(b []byte) (int, error) {
	if s.writes++; s.fails > 0 && s.writes > s.fails {
		return 0, errors.New("the disk is full")
	}
	return s.Buffer.Write(b)
}

func (s *sink) Close() error { return nil }

func said(text string) conversation.Event {
	return conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: text}
}

func header() record.Header {
	return record.Header{Parley: "1.2", Agent: "mine", Command: []string{"my-agent", "--acp"}, Cwd: "/work"}
}

// recorded is a recording with an entry of each kind, a second apart.
func recorded(t *testing.T) []byte {
	t.Helper()
	var to sink
	synctest.Test(t, func(t *testing.T) {
		w := record.NewWriter(&to, time.Now)
		w.Line(true, []byte(`{"too":"early"}`))
		if err := w.Begin(header(), nil); err != nil {
			t.Fatal(err)
		}
		for _, do := range []func(){
			func() { w.Line(true, []byte(`{"jsonrpc":"2.0","id":1,  "method":"initialize"}`)) },
			func() { w.Line(false, []byte(`{"jsonrpc":"2.0","id":1,"result":{}}`)) },
			func() { w.Line(false, []byte("Debugger \x1b[31mattached\xff")) },
			func() { w.Stderr([]byte("warning: \"x\"\n")) },
			func() {
				if err := w.Take([]conversation.Event{said("Hello"), said("you")}); err != nil {
					t.Error(err)
				}
			},
		} {
			time.Sleep(time.Second)
			do()
		}
		if err := errors.Join(w.Err(), w.Close()); err != nil {
			t.Error(err)
		}
		w.Line(true, []byte(`{"too":"late"}`))
	})
	return to.Bytes()
}

func read(t *testing.T, text []byte) *record.Recording {
	t.Helper()
	r, err := record.Read(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return r
}

func TestWhatIsReadIsWhatWasRecorded(t *testing.T) {
	text := recorded(t)
	r := read(t, text)
	want := header()
	want.Started = r.Header.Started
	if d := cmp.Diff(want, r.Header); d != "" || r.Header.Started.IsZero() || len(r.Lost) > 0 {
		t.Errorf("%+v %s", r, d)
	}
	entries := []record.Entry{
		{At: 1 * time.Second, Kind: record.Sent, Data: []byte(`{"jsonrpc":"2.0","id":1,  "method":"initialize"}`)},
		{At: 2 * time.Second, Kind: record.Received, Data: []byte(`{"jsonrpc":"2.0","id":1,"result":{}}`)},
		{At: 3 * time.Second, Kind: record.Noise, Data: []byte("Debugger \x1b[31mattached\uFFFD")},
		{At: 4 * time.Second, Kind: record.Stderr, Data: []byte("warning: \"x\"\n")},
		{At: 5 * time.Second, Kind: record.Event, Event: said("Hello")},
		{At: 5 * time.Second, Kind: record.Event, Event: said("you")},
	}
	for i := range r.Entries {
		if r.Entries[i].Kind == record.Event {
			r.Entries[i].Data = nil // its line
		}
	}
	if d := cmp.Diff(entries, r.Entries); d != "" {
		t.Error(d)
	}
	if bytes.ContainsRune(text, '\x1b') {
		t.Error("control characters of the agent stand in the file")
	}
}

// A line that is damaged costs itself.
func TestDamagedLines(t *testing.T) {
	lines := bytes.SplitAfter(recorded(t), []byte("\n"))
	lines = lines[:len(lines)-1]
	for i := range lines {
		damaged := bytes.Clone(bytes.Join(lines, nil))
		at := len(bytes.Join(lines[:i], nil))
		damaged[at] = 'x'
		r := read(t, damaged)
		left := len(lines) - 2
		if i == 0 {
			left++ // the header
		}
		if len(r.Entries) != left || len(r.Lost) != 1 || r.Lost[0].Line != i+1 || r.Lost[0].Why == nil {
			t.Errorf("with line %d damaged: %d entries, lost %v", i+1, len(r.Entries), r.Lost)
		}
	}
}

// Cut at any byte, it is what stood before.
func TestCutRecordings(t *testing.T) {
	text := recorded(t)
	for n := bytes.IndexByte(text, '\n'); n <= len(text); n++ {
		r := read(t, text[:n])
		whole := bytes.Count(text[:n], []byte("\n"))
		if whole == 0 {
			whole = 1 // the header, without its end
		}
		rest := text[bytes.LastIndexByte(text[:n], '\n')+1 : n]
		if n < len(text) && text[n] == '\n' && len(r.Entries) == whole { // only the end is cut off
			continue
		}
		if len(r.Entries) != whole-1 || len(rest) > 0 && n > bytes.IndexByte(text, '\n') && len(r.Lost) != 1 {
			t.Errorf("%q: %d entries, lost %v", rest, len(r.Entries), r.Lost)
		}
	}
}

func TestOtherFiles(t *testing.T) {
	for name, text := range map[string]string{
		"nothing": "", "text": "hello\n", "a line of JSON": "{}\n", "many lines": strings.Repeat("{\"a\":1}\n", 100),
		"another program's": `{"v":1,"recording":"other","started":"2026-01-01T00:00:00Z"}` + "\n",
	} {
		if r, err := record.Read(strings.NewReader(text)); !errors.Is(err, record.ErrNoRecording) {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	_, err := record.Read(strings.NewReader(`{"v":2,"recording":"parley","started":{"new":"form"}}` + "\n"))
	if !errors.Is(err, record.ErrNewer) || !strings.Contains(err.Error(), "version 2") {
		t.Errorf("a newer version: %v", err)
	}
	if _, err := record.Read(io.MultiReader(strings.NewReader("{"), broken{})); err == nil || !strings.Contains(err.Error(), "broken") {
		t.Errorf("a disk that fails: %v", err)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("broken") }

// What later versions may add is passed over, and what cannot be is damaged.
func TestEntriesOfOthers(t *testing.T) {
	first, _, _ := bytes.Cut(recorded(t), []byte("\n"))
	for line, lost := range map[string]int{
		`{"t":1,"mark":"here"}`:                             0,
		`{"t":1,"stderr":"x","more":1}`:                     0,
		`{"stderr":"x"}`:                                    1,
		`{"t":-1,"stderr":"x"}`:                             1,
		`{"t":1e300,"stderr":"x"}`:                          1,
		`{"t":1,"event":{"v":1,"event":"moon","data":{}}}`:  1,
		`{"t":1,"event":{"v":99,"event":"text","data":{}}}`: 1,
		`{"t":1,"event":null}`:                              1,
		`[]`:                                                1,
		"\x00\x00\x00":                                      1,
	} {
		r := read(t, append(append(bytes.Clone(first), '\n'), line+"\n"...))
		if len(r.Lost) != lost {
			t.Errorf("%s: lost %v", line, r.Lost)
		}
	}
	// Times never go back.
	r := read(t, append(bytes.Clone(first), "\n{\"t\":5,\"stderr\":\"a\"}\n{\"t\":3,\"stderr\":\"b\"}\n"...))
	if r.Entries[1].At != 5*time.Second {
		t.Errorf("%+v", r.Entries)
	}
}

func TestSecretsAreLeftOut(t *testing.T) {
	const secret, short = `hunter2"\<correct>`, "abc"
	var to sink
	w := record.NewWriter(&to, time.Now)
	h := header()
	h.Command = append(h.Command, "--key="+secret)
	if err := w.Begin(h, record.NewRedactor([]string{secret, short, ""})); err != nil {
		t.Fatal(err)
	}
	quoted := `hunter2\"\\<correct>`
	for _, line := range []string{
		`{"id":1,"method":"session/new","params":{"mcpServers":[{"name":"a","env":[{"name":"KEY","value":"abc"}]},{"name":"b","headers":[{"name":"Auth","value":"abc"}]}]}}`,
		`{"id":1,"result":{"authMethods":[{"id":"tty","env":{"TOKEN":"abc"}}]}}`,
		`{"id":2,"result":{"action":"accept","content":{"password":"abc","remember":true}}}`,
		`{"id":3,"params":{"text":"the key is ` + quoted + `"}}`,
		`{"id":3,"params":{"text":"the key is hunter2\u0022\u005c\u003ccorrect\u003e"}}`,
	} {
		w.Line(true, []byte(line))
	}
	w.Line(false, []byte("no JSON: "+secret))
	w.Stderr([]byte("KEY=" + secret + "\n"))
	if err := w.Take([]conversation.Event{said("it is " + secret)}); err != nil {
		t.Error(err)
	}
	text := to.String()
	for _, never := range []string{"hunter2", `"abc"`} {
		if strings.Contains(text, never) {
			t.Errorf("%q is in %s", never, text)
		}
	}
	r := read(t, to.Bytes())
	if len(r.Lost) > 0 || len(r.Entries) != 8 || r.Entries[7].Event.(conversation.Text).Text != "it is [secret]" {
		t.Errorf("%+v", r)
	}
	for _, always := range []string{`"name":"KEY"`, `"name":"Auth"`, `"TOKEN"`, `"remember"`, "the key is [secret]"} {
		if !strings.Contains(text, always) {
			t.Errorf("%s is not in %s", always, text)
		}
	}
	if got := record.SecretsOf([]string{"API_KEY=x", "HOME=/home", "GITHUB_TOKEN=y", "bad"}); !cmp.Equal(got, []string{"x", "y"}) {
		t.Errorf("the secrets are %q", got)
	}
}

func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	w, err := record.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if _, err := record.Create(path); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file was replaced: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a file stays in which nothing was recorded")
	}
}

// A recording that cannot be written ends, and says so once.
func TestFullDisk(t *testing.T) {
	to := &sink{fails: 2}
	w := record.NewWriter(to, time.Now)
	if err := w.Begin(header(), nil); err != nil {
		t.Fatal(err)
	}
	if w.Begin(header(), nil) == nil {
		t.Error("it has begun twice")
	}
	w.Stderr([]byte("fits"))
	if err := w.Take([]conversation.Event{said("does not")}); err == nil || !strings.Contains(err.Error(), "disk is full") {
		t.Errorf("told: %v", err)
	}
	if err := w.Take([]conversation.Event{said("nor this")}); err != nil {
		t.Errorf("told again: %v", err)
	}
	w.Line(true, []byte(`{}`))
	if to.writes != 3 || w.Err() == nil {
		t.Errorf("%d writes, %v", to.writes, w.Err())
	}
}

// What ends a recording is told with the next events, whoever has met it.
func TestTheEndOfARecordingIsTold(t *testing.T) {
	for name, end := range map[string]func(w *record.Writer, to *sink){
		"a message that could not be written": func(w *record.Writer, to *sink) { to.fails = to.writes; w.Line(true, []byte(`{}`)) },
		"an event that has no form":           func(*record.Writer, *sink) {},
	} {
		t.Run(name, func(t *testing.T) {
			to := &sink{}
			w := record.NewWriter(to, time.Now)
			if err := w.Begin(header(), nil); err != nil {
				t.Fatal(err)
			}
			end(w, to)
			if err := w.Take([]conversation.Event{said("before"), unknown{}, said("after")}); err == nil {
				t.Error("it is not told")
			}
			writes := to.writes
			w.Line(false, []byte(`{}`))
			if err := w.Take([]conversation.Event{said("later")}); err != nil {
				t.Errorf("told again: %v", err)
			}
			if w.Err() == nil || to.writes != writes {
				t.Errorf("it goes on with a hole, %v", w.Err())
			}
		})
	}
}

// unknown is an event of no known type.
type unknown struct{ conversation.Event }

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"v":1,"recording":"parley","started":"2026-01-01T00:00:00Z"}` + "\n" + `{"t":1,"stderr":"x"}` + "\n"))
	f.Add([]byte(`{"t":1,"event":{"v":1,"event":"text","data":{"chunk":"agent_message_chunk","text":"x"}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := record.Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		last := time.Duration(0)
		for _, e := range r.Entries {
			if e.At < last || (e.Event != nil) != (e.Kind == record.Event) {
				t.Errorf("%+v after %v", e, last)
			}
			last = e.At
		}
	})
}
