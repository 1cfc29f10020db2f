package host

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/acpclient"
)

// behindDoor makes a door that lets in who shows the key "secret".
func behindDoor(t *testing.T, check func(net.Conn) error) (*door, *pipes) {
	t.Helper()
	l := newPipes()
	if check == nil {
		check = func(net.Conn) error { return nil }
	}
	d := newDoor(l, "secret", "1.0.0", check, slog.New(slog.DiscardHandler))
	t.Cleanup(func() {
		if err := errors.Join(d.Close(), d.Close()); err != nil {
			t.Error(err)
		}
	})
	return d, l
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

// letIn returns who has been let in so far.
func letIn(d *door) (all []net.Conn) {
	for {
		synctest.Wait()
		select {
		case c := <-d.proven:
			all = append(all, c)
		default:
			return all
		}
	}
}

// Whatever a connection says first, only the key lets it in.
func TestOnlyTheKeyLetsIn(t *testing.T) {
	key := func(key string) string {
		line, _ := json.Marshal(proofLine{JSONRPC: "2.0", ID: json.RawMessage("0"), Method: requestProve, Params: &proof{key}})
		return string(line)
	}
	for name, test := range map[string]struct {
		line, answer string
		in           bool
	}{
		"the key":           {line: key("secret"), answer: `"result":{}`, in: true},
		"another key":       {line: key("secreT"), answer: errNoProof.Error()},
		"its beginning":     {line: key("secre"), answer: errNoProof.Error()},
		"more than the key": {line: key("secret "), answer: errNoProof.Error()},
		"an empty key":      {line: key(""), answer: errNoProof.Error()},
		"no key":            {line: `{"jsonrpc":"2.0","id":1,"method":"prove"}`, answer: errNoProof.Error()},
		"a status":          {line: `{"jsonrpc":"2.0","id":1,"method":"status","params":{"key":"secret"}}`, answer: "parley 1.0.0"},
		"an older viewer":   {line: `{"jsonrpc":"2.0","id":1,"method":"attach","params":{"version":1}}`, answer: "parley 1.0.0"},
		"the end":           {line: `{"jsonrpc":"2.0","id":1,"method":"end"}`, answer: "parley 1.0.0"},
		"no JSON":           {line: "GET / HTTP/1.1\r", answer: "parley 1.0.0"},
		"no object":         {line: "[]", answer: "parley 1.0.0"},
		"nothing":           {line: "", answer: "parley 1.0.0"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, l := behindDoor(t, nil)
				c := knock(t, l)
				if _, err := io.WriteString(c, test.line+"\n"); err != nil {
					t.Fatal(err)
				}
				answer, err := bufio.NewReader(c).ReadString('\n')
				if err != nil || !strings.Contains(answer, test.answer) {
					t.Errorf("the answer is %q, %v", answer, err)
				}
				if in := letIn(d); (len(in) > 0) != test.in {
					t.Errorf("%d were let in", len(in))
				}
				if !test.in {
					if _, err := c.Write([]byte("x")); err == nil {
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
		d, l := behindDoor(t, func(net.Conn) error { return errors.New("another user") })
		log := &countingLog{}
		d.log = slog.New(slog.NewTextHandler(log, nil))
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

// Until it has proven itself, a connection gets a few hundred bytes and a few seconds.
func TestAConnectionWithoutAProofCostsNothing(t *testing.T) {
	const good = `{"jsonrpc":"2.0","id":0,"method":"prove","params":{"key":"secret"}}`
	for name, line := range map[string]string{
		"a long line":            strings.Repeat("x", 100<<20),
		"a long proof":           strings.TrimSuffix(good, "}") + strings.Repeat(" ", mostProof) + "}\n",
		"more behind its proof":  good + "\n" + `{"jsonrpc":"2.0","id":1,"method":"end"}` + "\n",
		"a proof without an end": good,
		"silence":                "",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, l := behindDoor(t, nil)
				c := knock(t, l)
				began := time.Now()
				n, _ := io.WriteString(c, line)
				if n > mostProof {
					t.Errorf("it takes %d bytes", n)
				}
				if _, err := c.Read(make([]byte, 1)); err == nil {
					t.Error("it is answered")
				}
				if took := time.Since(began); took > proofTime {
					t.Errorf("it ends after %v", took)
				}
				if in := letIn(d); len(in) > 0 {
					t.Error("it is let in")
				}
			})
		})
	}
	t.Run("many at once", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			d, l := behindDoor(t, nil)
			for range 10 * mostUnproven {
				knock(t, l)
			}
			synctest.Wait()
			if n := len(d.unproven); n > mostUnproven {
				t.Errorf("%d connections are waited for", n)
			}
			if err := prove(t.Context(), knock(t, l), "secret"); err != nil {
				t.Errorf("the user is kept out: %v", err)
			}
			if in := letIn(d); len(in) != 1 {
				t.Errorf("%d were let in", len(in))
			}
		})
	})
}

// What a host has started is told why it is refused, others are told nothing.
func TestWhoMustNotEvenShowTheKey(t *testing.T) {
	for _, why := range []error{errOwnChild, errors.New("another user")} {
		synctest.Test(t, func(t *testing.T) {
			d, l := behindDoor(t, func(net.Conn) error { return why })
			line, err := readLine(knock(t, l), mostAdmission)
			if told := err == nil && strings.Contains(string(line), errOwnChild.Error()); told != errors.Is(why, errOwnChild) {
				t.Errorf("it is told %q, %v", line, err)
			}
			if in := letIn(d); len(in) > 0 {
				t.Error("it is let in")
			}
		})
	}
}

// A viewer says in words what kept it out, and does not wait for ever.
func TestAViewerIsKeptOut(t *testing.T) {
	for name, test := range map[string]struct {
		host func(c net.Conn)
		says string
	}{
		"an older host": {func(c net.Conn) {
			conn := acpclient.NewConn(over(c, mostToHost), older{}, acpclient.ConnOptions{})
			<-conn.Done()
		}, "older parley"},
		"no parley":       {func(c net.Conn) { _, _ = io.WriteString(c, "220 mail\n") }, "no parley"},
		"a flood":         {func(c net.Conn) { _, _ = c.Write(make([]byte, 1<<20)) }, errLong.Error()},
		"another session": {func(c net.Conn) { answerProof(c, nil, errNoProof) }, errNoProof.Error()},
		"it closes":       {func(net.Conn) {}, io.EOF.Error()},
		"it is silent":    {func(c net.Conn) { _, _ = c.Read(make([]byte, 1)) }, "deadline"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ours, theirs := net.Pipe()
				go func() {
					line := make([]byte, mostProof)
					if name != "an older host" {
						_, _ = theirs.Read(line)
					}
					test.host(theirs)
					_ = theirs.Close()
				}()
				ctx, cancel := timeout(t)
				defer cancel()
				err := prove(ctx, ours, "secret")
				if err == nil || !strings.Contains(err.Error(), test.says) {
					t.Errorf("it says %v", err)
				}
				_ = ours.Close()
			})
		})
	}
}

// timeout is a context of a second.
func timeout(t *testing.T) (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.Context(), time.Second)
}

// Host and viewer whose wires differ say so, both of them, and do nothing else.
func TestWiresThatDiffer(t *testing.T) {
	h := run(t, Options{Session: newFake(), Version: "2.0.0"})
	conn := acpclient.NewConn(over(knock(t, h.pipes), mostToViewer), nobody{}, acpclient.ConnOptions{})
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
type otherWire struct{ nobody }

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
