package doctor

import (
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

func (m *messages) Close() error { return nil }

// A message of the network is a line to the doctor. A refused one is told of on stderr.
func TestMessagesAreLines(t *testing.T) {
	t.Parallel()
	c := &messages{bring: []string{"{\n  \"a\": \"b c\"\r\n}", "", `{"d":1}`}}
	var stderr strings.Builder
	lines := make(chan rawLine, 3)
	readLines(messagesOf(c, &stderr), lines, nil)
	for _, want := range []string{"{\n  \"a\": \"b c\"\r\n}", `{"d":1}`} {
		if got := <-lines; string(got.data) != want || got.unended || parse(1, got) == nil {
			t.Errorf("%q", got.data)
		}
	}
	if !strings.Contains(stderr.String(), "it is too long") {
		t.Errorf("%q", stderr.String())
	}
	out := make(chan []byte, 1)
	out <- []byte("{}")
	close(out)
	writeLines(&acpclient.Peer{Transport: c}, out)
	if len(c.sent) != 1 || c.sent[0] != "{}" {
		t.Errorf("%q", c.sent)
	}
}
