package transcript

import (
	"fmt"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
)

// Messages that go on after they were given away are given away once more, in the order in
// which they stand.
func TestWhatGoesOnIsGivenAwayInOrder(t *testing.T) {
	const messages = 8
	text := func(i int, words string) conversation.Event {
		id := acpclient.MessageID(fmt.Sprint(i))
		return conversation.Text{Chunk: acpclient.AgentMessageChunk, MessageID: id, Text: words}
	}
	c := fold(ask("go"))
	l := newList(c, 80, 20)
	for i := range messages {
		c.Apply(text(i, "begun"))
	}
	c.Apply(tool("t", acpclient.ToolInProgress))
	if lines, _ := l.Finished(); strings.Count(strings.Join(lines, "\n"), "begun") != messages {
		t.Fatalf("given away are %q", lines)
	}
	var want []string
	for i := range messages {
		want = append(want, fmt.Sprint("goes on as ", i))
		c.Apply(text(messages-1-i, fmt.Sprint(", goes on as ", messages-1-i)))
	}
	if lines, _ := l.Finished(); len(lines) > 0 {
		t.Errorf("given away while they may still grow are %q", lines)
	}
	c.Apply(conversation.TurnEnded{})
	var got []string
	lines, _ := l.Finished()
	for _, line := range lines {
		if _, words, found := strings.Cut(line, "begun, "); found {
			got = append(got, words[:len(want[0])])
		}
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("given away once more are %q", got)
	}
	if lines, _ := l.Finished(); len(lines) > 0 || len(l.finished.open) > 0 {
		t.Errorf("given away again are %q, and %d are waited for", lines, len(l.finished.open))
	}
}
