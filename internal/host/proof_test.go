package host

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/acpclient"
)

// guarded runs a host whose viewers must show the key "secret".
func guarded(t *testing.T, check func(net.Conn) error, log *slog.Logger) (*Host, *pipes) {
	t.Helper()
	l := newPipes()
	if check == nil {
		check = func(net.Conn) error { return nil }
	}
	h := New(Options{ID: "id", Session: newFake(), Dir: t.TempDir(), Version: "1.0.0", Log: log})
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		h.Run(ctx, &socket{Listener: l, key: "secret", check: check, refused: h.refused})
	}()
	t.Cleanup(func() { stop(); <-ended })
	return h, l
}

// knock connects.
func knock(t *testing.T, l *pipes) net.Conn {
	t.Helper()
	c, err := l.dial(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c.(net.Conn)
}

const askStatus = `{"jsonrpc":"2.0","id":1,"method":"status","params":{"key":"secret"}}` + "\n"

// Whatever a connection says first, only the key lets it in.
func TestOnlyTheKeyLetsIn(t *testing.T) {
	key := func(key string) string {
		var line strings.Builder
		_ = prove(&line, proof{Key: key})
		return line.String()
	}
	for name, test := range map[string]struct {
		says string
		in   bool
	}{
		"the key":           {key("secret"), true},
		"another key":       {key("secreT"), false},
		"its beginning":     {key("secre"), false},
		"more than the key": {key("secret "), false},
		"an empty key":      {key(""), false},
		"no key":            {`{"jsonrpc":"2.0","method":"prove"}` + "\n", false},
		"another message":   {`{"jsonrpc":"2.0","method":"key","params":{"key":"secret"}}` + "\n", false},
		"no JSON":           {"GET / HTTP/1.1\r\n", false},
		"no object":         {"[]\n", false},
		"nothing":           {"", false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, l := guarded(t, nil, nil)
				c := knock(t, l)
				if _, err := io.WriteString(c, test.says+askStatus); err != nil {
					t.Fatal(err)
				}
				lines := bufio.NewReader(c)
				answer, err := lines.ReadString('\n')
				if in := strings.Contains(answer, `"pid"`); err != nil || in != test.in || !in && !strings.Contains(answer, errNoProof.Error()) {
					t.Errorf("the answer is %q, %v", answer, err)
				}
				if !test.in {
					if _, err := lines.ReadString('\n'); err == nil {
						t.Error("the connection goes on")
					}
				}
			})
		})
	}
}

// Whoever keeps knocking does not fill the log.
func TestRefusalsAreLoggedRarely(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &countingLog{}
		_, l := guarded(t, func(net.Conn) error { return errors.New("another user") }, slog.New(slog.NewTextHandler(log, nil)))
		for range 1000 {
			knock(t, l)
			synctest.Wait()
		}
		if n := log.lines.Load(); n == 0 || n > 10 {
			t.Errorf("1000 refusals write %d lines", n)
		}
	})
}

type countingLog struct{ lines atomic.Int32 }

func (c *countingLog) Write(b []byte) (int, error) {
	c.lines.Add(1)
	return len(b), nil
}

// Until it has proven itself, a connection gets 512 bytes and five seconds.
func TestAConnectionWithoutAProofCostsNothing(t *testing.T) {
	const good = `{"jsonrpc":"2.0","method":"prove","params":{"key":"secret"}}`
	for name, line := range map[string]string{
		"a long line":            strings.Repeat("x", 100<<20),
		"many lines":             strings.Repeat("x\n", 512),
		"a long proof":           strings.TrimSuffix(good, "}") + strings.Repeat(" ", 512-len(good)) + "}\n",
		"a proof without an end": good,
		"silence":                "",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, l := guarded(t, nil, nil)
				c := knock(t, l)
				began := time.Now()
				n, _ := io.WriteString(c, line)
				if n > 512 {
					t.Errorf("it takes %d bytes", n)
				}
				if _, err := c.Read(make([]byte, 1)); err == nil {
					t.Error("it is answered")
				}
				if took := time.Since(began); took > 5*time.Second {
					t.Errorf("it ends after %v", took)
				}
			})
		})
	}
	t.Run("just enough", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			_, l := guarded(t, nil, nil)
			c := knock(t, l)
			time.Sleep(5*time.Second - 1) // in the bubble's time
			line := strings.TrimSuffix(good, "}") + strings.Repeat(" ", 512-len(good)-1) + "}\n"
			if _, err := io.WriteString(c, line+askStatus); err != nil {
				t.Fatal(err)
			}
			if answer, err := bufio.NewReader(c).ReadString('\n'); !strings.Contains(answer, `"pid"`) {
				t.Errorf("the answer is %q, %v", answer, err)
			}
		})
	})
	t.Run("many at once", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			_, l := guarded(t, nil, nil)
			var all []net.Conn
			for range 10 * mostUnproven {
				all = append(all, knock(t, l))
			}
			synctest.Wait()
			open := 0
			for _, c := range all {
				_ = c.SetReadDeadline(time.Now().Add(time.Millisecond))
				if _, err := c.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
					open++
				}
			}
			if open > mostUnproven {
				t.Errorf("%d connections are waited for", open)
			}
			if err := proven(t, l, "secret"); err != nil {
				t.Errorf("the user is kept out: %v", err)
			}
		})
	})
}

// proven attaches with a key.
func proven(t *testing.T, l *pipes, key string) error {
	t.Helper()
	c, err := Attach(t.Context(), ClientOptions{Dial: func(context.Context, string) (io.ReadWriteCloser, error) {
		c := knock(t, l)
		return c, prove(c, proof{Key: key})
	}})
	if err == nil {
		c.Close(t.Context())
	}
	return err
}

// What a host has started is told why it is refused, even with the key; others are told nothing.
func TestWhoMustNotEvenShowTheKey(t *testing.T) {
	for _, why := range []error{errOwnChild, errors.New("another user")} {
		synctest.Test(t, func(t *testing.T) {
			_, l := guarded(t, func(net.Conn) error { return why }, nil)
			err := proven(t, l, "secret")
			if told := err != nil && strings.Contains(err.Error(), why.Error()); err == nil || told != errors.Is(why, errOwnChild) {
				t.Errorf("it is told %v", err)
			}
		})
	}
}

// A viewer that is kept out says so, and does not try again.
func TestAViewerIsKeptOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, l := guarded(t, nil, nil)
		if err := proven(t, l, "other"); !errors.As(err, new(refusedError)) || !strings.Contains(err.Error(), errNoProof.Error()) {
			t.Errorf("it says %v", err)
		}
	})
}

// Host and viewer whose wires differ say so, both of them, and do nothing else.
func TestWiresThatDiffer(t *testing.T) {
	h := run(t, Options{Session: newFake(), Version: "2.0.0"})
	conn := acpclient.NewConn(over(knock(t, h.pipes), mostToViewer), noReceiver{}, acpclient.ConnOptions{})
	t.Cleanup(conn.Close)
	for _, wire := range []int{Version - 1, Version + 1, 0} {
		err := conn.Call(t.Context(), requestAttach, hello{Version: wire, Parley: "1.0.0", Viewer: "v", Name: "other"}, nil)
		if err == nil || !strings.Contains(err.Error(), "1.0.0") || !strings.Contains(err.Error(), "2.0.0") {
			t.Errorf("a viewer with the wire %d is told %v", wire, err)
		}
	}
	h.mu.Lock()
	if len(h.viewers) > 0 {
		t.Error("it is attached")
	}
	h.mu.Unlock()

	l := newPipes()
	defer l.Close()
	go func() {
		if wire, err := l.Accept(); err == nil {
			acpclient.NewConn(over(wire, mostToHost), otherWire{}, acpclient.ConnOptions{})
		}
	}()
	_, err := Attach(t.Context(), ClientOptions{Dial: l.dial, Version: "2.0.0"})
	if !errors.As(err, new(refusedError)) || !strings.Contains(err.Error(), "1.0.0") || !strings.Contains(err.Error(), "2.0.0") {
		t.Errorf("the viewer of a host with another wire says %v", err)
	}
}

// otherWire is a host that does not compare.
type otherWire struct{ noReceiver }

func (otherWire) HandleRequest(context.Context, string, json.RawMessage) (any, error) {
	return welcome{Version: Version + 1, Parley: "1.0.0", ID: "other"}, nil
}

// Nobody attaches to a host that ends.
func TestNobodyAttachesToAHostThatEnds(t *testing.T) {
	h := New(Options{Session: newFake(), Dir: t.TempDir()})
	h.end(errEnded)
	if _, err := (&viewer{host: h}).attach(t.Context(), hello{Version: Version, Viewer: "v"}); !errors.Is(err, errEnded) {
		t.Errorf("it ends with %v", err)
	}
}
