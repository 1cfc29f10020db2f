package acpclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
)

// What reaches the handler, and what is noise, in streams that are not as clean
// as they should be.
func TestStreams(t *testing.T) {
	const reversed = `{"params":{"update":{"content":{"text":"b","type":"text"},"sessionUpdate":"agent_message_chunk"},"sessionId":"s"},"method":"session/update","jsonrpc":"2.0"}`
	tests := []struct {
		name   string
		stream string
		texts  []string
		noise  []string
	}{
		{"plain", chunk("a") + "\n" + chunk("b") + "\n", []string{"a", "b"}, nil},
		{"CRLF", chunk("a") + "\r\n" + chunk("b") + "\r\n", []string{"a", "b"}, nil},
		{"empty lines", "\n\n" + chunk("a") + "\n  \n\r\n", []string{"a"}, nil},
		{"white space around", "  \t" + chunk("a") + " \t\n", []string{"a"}, nil},
		{"no end", chunk("a"), []string{"a"}, nil},
		{"half a line at the end", chunk("a") + "\n" + chunk("b")[:60], []string{"a"}, []string{chunk("b")[:60]}},
		{"noise between", "Starting…\n" + chunk("a") + "\nWARN what\n" + chunk("b") + "\nbye", []string{"a", "b"}, []string{"Starting…", "WARN what", "bye"}},
		{"noise before on the line", "loading... " + chunk("a") + "\n", []string{"a"}, []string{"loading... "}},
		{"noise with braces before", `{"level":"info"} {not json} ` + chunk("a") + "\n", []string{"a"}, []string{`{"level":"info"} {not json} `}},
		{"noise after on the line", chunk("a") + " done\n", []string{"a"}, []string{" done"}},
		{"noise inside", chunk("a") + "xyz" + chunk("b") + "\n", []string{"a", "b"}, []string{"xyz"}},
		{"glued", chunk("a") + chunk("b") + " " + chunk("c") + "\n", []string{"a", "b", "c"}, nil},
		{"another order of keys behind noise", "x" + reversed + "\n", []string{"b"}, []string{"x"}},
		{"byte order mark", "\ufeff" + chunk("a") + "\n", []string{"a"}, []string{"\ufeff"}},
		{"cut off, then whole", chunk("lost")[:70] + chunk("a") + "\n", []string{"a"}, []string{chunk("lost")[:70]}},
		{"cut off in a string, then whole", chunk("lost")[:len(chunk("lost"))-8] + chunk("a") + "\n", []string{"a"}, []string{chunk("lost")[:len(chunk("lost"))-8]}},
		{"batch", "[" + chunk("a") + "," + chunk("b") + "]\n", []string{"a", "b"}, nil},
		{"arrays that are no batch", "[1,2]\n[]\n[INFO] x\n[[" + chunk("a") + "]]\n" + chunk("b") + "\n", []string{"a", "b"}, []string{"[1,2]", "[]", "[INFO] x", "[[", "]]"}},
		{"a JSON log", `{"level":"info","id":1,"msg":"x"}` + "\n" + `{"error":"x","level":"error"}` + "\n" + chunk("a"), []string{"a"}, []string{`{"level":"info","id":1,"msg":"x"}`, `{"error":"x","level":"error"}`}},
		{"a message quoted in a log", `{"sent":` + chunk("no") + `}` + "\n" + chunk("a"), []string{"a"}, []string{`{"sent":` + chunk("no") + `}`}},
		{"no version", strings.Replace(chunk("a"), `"jsonrpc":"2.0",`, "", 1), []string{"a"}, nil},
		{"odd method, odd id", `{"jsonrpc":"2.0","method":5}` + "\n" + `{"jsonrpc":"2.0","id":{},"method":"x"}` + "\n" + chunk("a"), []string{"a"}, []string{`{"jsonrpc":"2.0","method":5}`, `{"jsonrpc":"2.0","id":{},"method":"x"}`}},
		{"a notification with the id null", strings.Replace(chunk("a"), `"2.0",`, `"2.0","id":null,`, 1), []string{"a"}, nil},
		{"NUL between", "\x00\x00" + chunk("a") + "\n\x00\n" + chunk("b"), []string{"a", "b"}, []string{"\x00\x00", "\x00"}},
		{"invalid UTF-8", strings.Replace(chunk("aXb"), "X", "\xff\xfe", 1) + "\n", []string{"a\ufffd\ufffdb"}, nil},
		{"lone surrogates", strings.Replace(chunk("aXb"), "X", `\ud800-\udc00`, 1) + "\n", []string{"a\ufffd-\ufffdb"}, nil},
		{"NUL in text", strings.Replace(chunk("aXb"), "X", `\u0000`, 1) + "\n", []string{"a\x00b"}, nil},
		{"a bare NUL in text", strings.Replace(chunk("aXb"), "X", "\x00", 1) + "\n" + chunk("c"), []string{"c"}, []string{strings.Replace(chunk("aXb"), "X", "\x00", 1)}},
		{"params that are none", `{"jsonrpc":"2.0","method":"session/update"}` + "\n" + `{"jsonrpc":"2.0","method":"session/update","params":[1]}` + "\n" + chunk("a"), []string{"a"}, nil},
		{"unknown notification", `{"jsonrpc":"2.0","method":"x/y","params":{}}` + "\n" + chunk("a"), []string{"a"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := hear(t, tt.stream, 0)
			if !slices.Equal(h.texts(), tt.texts) {
				t.Errorf("texts %q, want %q", h.texts(), tt.texts)
			}
			if !slices.Equal(h.noise, tt.noise) {
				t.Errorf("noise %q, want %q", h.noise, tt.noise)
			}
			if h.err != ErrClosed {
				t.Errorf("the end: %v, want the plain ErrClosed", h.err)
			}
		})
	}
}

// Values that strain a decoder do not cost the message around them, or cost
// that message only.
func TestExtremeValues(t *testing.T) {
	nest := func(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }
	tests := []struct {
		name, rawInput string
		survives       bool
	}{
		{"giant number", strings.Repeat("9", 100_000), true},
		{"giant exponent", "1e999999", true},
		{"deep nesting", nest(5000), true},
		{"nesting beyond every bound", nest(200_000), false},
		{"unclosed", strings.Repeat("[", 200_000), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			line := update(`{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","rawInput":` + tt.rawInput + `}`)
			h := hear(t, line+"\n"+chunk("after")+"\n", 0)
			if got := h.texts(); !slices.Equal(got, []string{"after"}) {
				t.Fatalf("after it: %q", got)
			}
			if got := len(h.updates) == 2; got != tt.survives {
				t.Fatalf("survives: %v, want %v", got, tt.survives)
			}
			if tt.survives {
				if call := h.updates[0].Update.(*ToolCall); string(call.RawInput) != tt.rawInput || call.Title != "T" {
					t.Errorf("%.80s", call.RawInput)
				}
			}
		})
	}
}

// A line made so that every brace promises a message costs no more than a few
// times its length.
func TestHostileNoise(t *testing.T) {
	for name, piece := range map[string]string{
		"nested messages": `{"jsonrpc":`, "braces": "{", "objects": `{"jsonrpc":{`, "arrays": `{"jsonrpc":[0,`, "batches": `[{"jsonrpc":1},`,
	} {
		t.Run(name, func(t *testing.T) {
			line := strings.Repeat(piece, 1<<20/len(piece)) + `"jsonrpc"`
			h := hear(t, line+"\n"+chunk("after"), 0)
			if got := h.texts(); !slices.Equal(got, []string{"after"}) {
				t.Errorf("after it: %q", got)
			}
		})
	}
}

func TestLongLines(t *testing.T) {
	const mib = 1 << 20
	text := strings.Repeat("x", 16*mib)
	t.Run("16 MiB", func(t *testing.T) {
		h := hear(t, chunk("before")+"\n"+strings.Replace(chunk("X"), "X", text, 1)+"\r\n"+chunk("after"), 0)
		got := h.texts()
		if len(got) != 3 || len(got[1]) != len(text) || got[2] != "after" {
			t.Errorf("%d texts", len(got))
		}
	})
	for name, max := range map[string]int{"bound below the buffer": 1000, "bound above the buffer": mib} {
		t.Run(name, func(t *testing.T) {
			fits := chunk(strings.Repeat("y", max-len(chunk(""))-1)) // its end counts
			h := hear(t, chunk(text[:max])+"\n"+fits+"\n"+"x"+fits+"\n"+chunk("after")+"\n"+chunk(text[:2*max]), max)
			if got := h.texts(); len(got) != 2 || got[1] != "after" {
				t.Errorf("%d texts came through", len(got))
			}
		})
	}
}

// However the stream is cut into reads, the lines are the same.
func TestFramingByChunks(t *testing.T) {
	var stream strings.Builder
	var want []string
	for i := range 200 {
		text := strings.Repeat(fmt.Sprint(i), i*i/20)
		want = append(want, text)
		stream.WriteString(chunk(text) + []string{"\n", "\r\n"}[i%2])
	}
	for name, r := range map[string]io.Reader{
		"one byte":      iotest.OneByteReader(strings.NewReader(stream.String())),
		"half":          iotest.HalfReader(strings.NewReader(stream.String())),
		"data with EOF": iotest.DataErrReader(strings.NewReader(stream.String())),
		"everything":    strings.NewReader(stream.String()),
		"empty reads":   &stutter{r: strings.NewReader(stream.String())},
	} {
		t.Run(name, func(t *testing.T) {
			l := &listener{}
			c := NewClient(NewLines(r, io.Discard), l, ConnOptions{})
			<-c.Conn().Done()
			if got := (heard{updates: l.updates}).texts(); !slices.Equal(got, want) {
				t.Errorf("%d texts of %d, or changed ones", len(got), len(want))
			}
		})
	}
}

// stutter returns nothing every other time.
type stutter struct {
	r io.Reader
	n int
}

func (s *stutter) Read(b []byte) (int, error) {
	if s.n++; s.n%2 == 0 {
		return 0, nil
	}
	return s.r.Read(b[:min(len(b), 1000)])
}

// A read error ends the connection and is told.
func TestReadError(t *testing.T) {
	l := &listener{}
	r := io.MultiReader(strings.NewReader(chunk("a")+"\n"+chunk("b")[:20]), iotest.ErrReader(io.ErrNoProgress))
	c := NewClient(NewLines(r, io.Discard), l, ConnOptions{})
	<-c.Conn().Done()
	if err := c.Conn().Err(); err == nil || !strings.Contains(err.Error(), io.ErrNoProgress.Error()) {
		t.Errorf("%v", err)
	}
	if _, err := Call(context.Background(), c.Conn(), SessionNew, &NewSessionRequest{}); err == nil {
		t.Error("a call on a closed connection succeeded")
	}
}

// messages is a Transport that keeps messages apart by itself, as a WebSocket
// does: what is read may have line ends in it.
type messages struct {
	in     chan []byte // closed by the peer; nil stands for a message that is refused
	out    chan []byte
	closed chan struct{}
	once   sync.Once
}

// newMessages returns the two ends of a connection.
func newMessages() (here, there *messages) {
	a, b := make(chan []byte), make(chan []byte)
	return &messages{in: a, out: b, closed: make(chan struct{})}, &messages{in: b, out: a, closed: make(chan struct{})}
}

func (m *messages) Read() ([]byte, error) {
	select {
	case message, ok := <-m.in:
		switch {
		case !ok:
			return nil, io.EOF
		case message == nil:
			return nil, fmt.Errorf("%w: it is nothing", ErrMessageRefused)
		}
		return message, nil
	case <-m.closed:
		return nil, errors.New("read after Close")
	}
}

func (m *messages) Write(message []byte) error {
	select {
	case m.out <- message:
		return nil
	case <-m.closed:
		return errors.New("write after Close")
	}
}

func (m *messages) Close() error {
	m.once.Do(func() { close(m.closed) })
	return nil
}

// Conversations are the same over whatever carries the messages, and closing the
// connection is enough to end everything.
func TestAnotherTransport(t *testing.T) {
	here, there := newMessages()
	conn := NewConn(here, &peer{}, ConnOptions{})
	far := NewConn(there, &peer{release: make(chan struct{})}, ConnOptions{})
	c := &conversation{t, conn, map[string]*running{}}
	sequence{
		notifies{"push", `"a b"`},
		asks{"collect", "", `"\"a b\""`, ""},
		begins{"a", "wait", ""},
		asks{"echo", `{"a":1}`, `{"a":1}`, ""},
		closes{},
		awaits{"a", "", "closed"},
	}.run(c)
	<-conn.Done()
	far.Close()
	<-here.closed
	<-there.closed
}

// What a transport reads is not always one clean line.
func TestMessagesThatAreNoLines(t *testing.T) {
	here, there := newMessages()
	var noise []string
	l := &listener{}
	c := NewClient(here, l, ConnOptions{Noise: func(line []byte) { noise = append(noise, string(line)) }})
	spaced := strings.NewReplacer(",", ",\n  ", "{", "{\n").Replace(chunk("a"))
	for _, message := range []string{spaced, "", "hello", chunk("b") + "\n" + chunk("c")} {
		if message == "" {
			there.out <- nil // refused
			continue
		}
		there.out <- []byte(message)
	}
	close(there.out)
	<-c.Conn().Done()
	if got := (heard{updates: l.updates}).texts(); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("heard %q", got)
	}
	if !slices.Equal(noise, []string{"hello"}) {
		t.Errorf("noise %q", noise)
	}
	if err := c.Conn().Err(); err != ErrClosed {
		t.Errorf("it ended with %v", err)
	}
}
