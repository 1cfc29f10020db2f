package session

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
)

// BenchmarkStream pushes chunks and takes them a frame's worth at a time.
func BenchmarkStream(b *testing.B) {
	for _, n := range []int{2_000, 20_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			note := &acpclient.SessionNotification{SessionID: "s", Update: &acpclient.ContentChunk{
				Chunk: acpclient.AgentMessageChunk, Content: acpclient.TextBlock(strings.Repeat("x", 50)),
			}}
			b.ReportAllocs()
			b.SetBytes(int64(50 * n))
			for b.Loop() {
				s := NewStream()
				taken := 0
				for i := range n {
					s.push(context.Background(), conversation.FromNotification(note))
					if i%500 == 499 {
						for _, e := range s.Take() {
							taken += len(e.(conversation.Text).Text)
						}
					}
				}
				if taken != 50*n {
					b.Fatal(taken)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/event")
		})
	}
}
