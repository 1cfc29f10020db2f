package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"parley/acpclient"
)

// messages is a connection that brings what it holds, and then ends.
type messages struct {
	bring []string
	sent  []string
	done  chan struct{}
}

func (m *messages) Read() ([]byte, error) {
	if len(m.bring) == 0 {
		return nil, io.EOF
	}
	next := m.bring[0]
	m.bring = m.bring[1:]
	if next == "" {
		return nil, fmt.Errorf("%w: it is too long", acpclient.ErrMessageRefused)
	}
	return []byte(next), nil
}

func (m *messages) Write(message []byte) error {
	m.sent = append(m.sent, string(message))
	return nil
}

func (m *messages) Close() error          { close(m.done); return nil }
func (m *messages) Done() <-chan struct{} { return m.done }
func (m *messages) Err() error            { return errors.New("it is lost") }
func (m *messages) Stop(context.Context)  {}

// A message of the network is a line to the doctor, whatever line ends are in it.
func TestMessagesAreLines(t *testing.T) {
	t.Parallel()
	c := &messages{done: make(chan struct{}), bring: []string{"{\n  \"a\": \"b c\"\r\n}", "", "no\nJSON", `{"d":1}`}}
	var stderr strings.Builder
	agent, err := Listener(func() Connection { return c }, true)(&stderr)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(agent.Stdout)
	if want := "{\"a\":\"b c\"}\nno JSON\n{\"d\":1}\n"; string(got) != want || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	<-agent.Done // it was ended from this side, too
	if !strings.Contains(stderr.String(), "it is too long") {
		t.Errorf("%q", stderr.String())
	}
	if _, err := agent.Stdin.Write([]byte("{}\n")); err != nil || len(c.sent) != 1 || c.sent[0] != "{}" {
		t.Errorf("%q, %v", c.sent, err)
	}
}
