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

// What is left to the terminal cannot be opened there, so nothing of it is left out.
func TestWhatIsGivenAwayIsWhole(t *testing.T) {
	var prompt, output []string
	for i := range 40 {
		prompt, output = append(prompt, fmt.Sprintf("prompt %d.", i)), append(output, fmt.Sprintf("output %d.", i))
	}
	c := fold(ask(strings.Join(prompt, "\n")))
	l := newList(c, 80, 20)
	c.Apply(conversation.Update{Update: &acpclient.ToolCall{
		ToolCallID: "t", Title: "T", Kind: acpclient.ToolExecute, Status: acpclient.ToolCompleted, RawInput: []byte(`{"secret": "input"}`),
		Content: acpclient.ToolCallContents{acpclient.TextContent(strings.Join(output, "\n"))},
	}})
	c.Apply(conversation.TurnEnded{})
	if shown := strings.Join(l.Rest(30), "\n"); !strings.Contains(shown, "lines above") {
		t.Errorf("on the screen it is not folded:\n%s", shown)
	}
	lines, _ := l.Finished()
	written := strings.Join(lines, "\n")
	for _, want := range append(prompt, output...) {
		if strings.Count(written, want) != 1 {
			t.Errorf("%q is written %d times", want, strings.Count(written, want))
		}
	}
	for _, not := range []string{"lines above", "more line", "secret"} {
		if strings.Contains(written, not) {
			t.Errorf("%q is written", not)
		}
	}
}
