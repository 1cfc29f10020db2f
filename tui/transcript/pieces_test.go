package transcript

import (
	"fmt"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
)

// piece is content that is added to the call "t".
func piece(content ...acpclient.ToolCallContent) conversation.Event {
	return conversation.Update{Update: &acpclient.ToolCallContentChunk{ToolCallID: "t", Content: content}}
}

// A call that came piece by piece, and was drawn all the while, looks as one that came at
// once.
func TestPiecesOfACall(t *testing.T) {
	terminal := acpclient.ToolCallContent{Type: acpclient.ToolContentTerminal, TerminalID: "x"}
	pieces := []acpclient.ToolCallContent{
		acpclient.TextContent("one"), acpclient.TextContent(" "), acpclient.TextContent("- two\n- three\n"),
		acpclient.DiffContent("/a.go", nil, "package a\n"), acpclient.TextContent("four"), acpclient.DiffContent("/b.go", nil, "package b\n"),
		terminal, acpclient.TextContent("five"), terminal, acpclient.TextContent(strings.Repeat("six\n\n", 40)),
	}
	begin := conversation.Update{Update: &acpclient.ToolCall{ToolCallID: "t", Title: "Work", Kind: acpclient.ToolEdit, RawInput: []byte(`{"a":1}`)}}
	c := fold(begin)
	l := newList(c, 80, 400)
	for i := range pieces {
		c.Apply(piece(pieces[i]))
		got, want := view(l), view(newList(fold(begin, piece(pieces[:i+1]...)), 80, 400))
		if got != want {
			t.Fatalf("after %d pieces:\n%s\n--- at once:\n%s", i+1, got, want)
		}
	}
	c.Apply(conversation.Update{Update: &acpclient.ToolCallUpdate{ToolCallID: "t", Content: acpclient.ToolCallContents{acpclient.TextContent("done")}}})
	c.Apply(piece(acpclient.TextContent("really")))
	if got := view(l); strings.Contains(got, "four") || !strings.Contains(got, "done") || !strings.Contains(got, "really") {
		t.Errorf("after all was replaced:\n%s", got)
	}
}

// A call with very many terminals is drawn like any other: this test does not end
// otherwise.
func TestManyTerminalsOfACall(t *testing.T) {
	const many = 200_000
	var content acpclient.ToolCallContents
	for i := range many {
		content = append(content, acpclient.ToolCallContent{Type: acpclient.ToolContentTerminal, TerminalID: acpclient.TerminalID(fmt.Sprint(i))})
	}
	l := newList(fold(conversation.Update{Update: &acpclient.ToolCall{ToolCallID: "t", Title: "Work", Content: content}}), 80, 24)
	if got := view(l); strings.TrimSpace(got) == "" {
		t.Error("nothing is drawn")
	}
}

// A frame with every tenth piece of a call. All that a call shows is one section, so that
// a frame grows with it, but what was there before is neither made nor drawn again.
func BenchmarkFrameOfPieces(b *testing.B) {
	for _, n := range []int{100, 1000, 5000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c := fold()
				l := newList(c, 120, 34)
				for i := range n {
					c.Apply(piece(acpclient.TextContent("some text")))
					if i%10 == 0 {
						l.Lines()
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/piece")
		})
	}
}
