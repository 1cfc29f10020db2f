package session

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

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
					s.Push(context.Background(), conversation.FromNotification(note))
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

// pieces gives its bytes in small reads, as a pipe does to a reader that is quicker than
// the agent.
type pieces struct{ r io.Reader }

func (p pieces) Read(b []byte) (int, error) { return p.r.Read(b[:min(len(b), 1<<10)]) }

// BenchmarkFlood reads a megabyte of text in small reads, as a session does: from the
// agent's pipe to the batches of a screen.
func BenchmarkFlood(b *testing.B) {
	const chunks = 20_000
	line := `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":` +
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"` + strings.Repeat("x", 50) + `"}}}}` + "\n"
	wire := bytes.Repeat([]byte(line), chunks)
	b.ReportAllocs()
	b.SetBytes(int64(len(wire)))
	for b.Loop() {
		s := NewStream()
		s.Pace(40 * time.Millisecond)
		a := &agent{owner: &Session{stream: s, state: conversation.NewState()}, current: "s"}
		s.watch = a.owner.watch
		conn := acpclient.NewClient(acpclient.NewLines(&pacedReader{r: pieces{bytes.NewReader(wire)}, stream: s}, io.Discard),
			a, acpclient.ConnOptions{}).Conn()
		taken := 0
		for taken < 50*chunks {
			<-s.Ready()
			for _, e := range s.Take() {
				taken += len(e.(conversation.Text).Text)
			}
		}
		<-conn.Done()
		s.Close()
	}
}
