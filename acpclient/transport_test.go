package acpclient

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
)

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
