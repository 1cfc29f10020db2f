package conversation_test

import (
	"fmt"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
)

// BenchmarkFoldChunks: flat for each event in the number of events.
func BenchmarkFoldChunks(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			e := conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: strings.Repeat("x", 50)}
			b.ReportAllocs()
			b.SetBytes(int64(n * len(e.Text)))
			for b.Loop() {
				c := conversation.New()
				for range n {
					c.Apply(e)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/event")
		})
	}
}

// BenchmarkFoldMessage is one message that grows by 50 bytes at a time, read
// after each as a screen does: amortised constant time.
func BenchmarkFoldMessage(b *testing.B) {
	for _, size := range []int{1 << 20, 10 << 20} {
		b.Run(fmt.Sprintf("%dMB", size>>20), func(b *testing.B) {
			e := conversation.Text{Chunk: acpclient.AgentMessageChunk, MessageID: "m", Text: strings.Repeat("x", 50)}
			b.ReportAllocs()
			b.SetBytes(int64(size))
			for b.Loop() {
				c := conversation.New()
				seen := 0
				for n := 0; n < size; n += len(e.Text) {
					c.Apply(e)
					seen += len(c.Items[0].(*conversation.Message).Parts.Plain()[seen:])
				}
				if seen < size {
					b.Fatal(seen)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*(size/50)), "ns/event")
		})
	}
}

// BenchmarkFoldToolCalls: each is announced and completed.
func BenchmarkFoldToolCalls(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var events []conversation.Event
			done := acpclient.ToolCompleted
			for i := range n {
				id := acpclient.ToolCallID(fmt.Sprint("call_", i))
				events = append(events,
					conversation.Update{Update: &acpclient.ToolCall{ToolCallID: id, Title: "Read a file", Kind: acpclient.ToolRead, Status: acpclient.ToolPending}},
					conversation.Update{Update: &acpclient.ToolCallUpdate{ToolCallID: id, Status: &done, Content: acpclient.ToolCallContents{acpclient.TextContent("ok")}}})
			}
			b.ReportAllocs()
			for b.Loop() {
				c := conversation.New()
				c.Apply(conversation.PromptSent{})
				for _, e := range events {
					c.Apply(e)
				}
				c.Apply(conversation.TurnEnded{})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/call")
		})
	}
}
