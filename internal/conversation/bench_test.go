package conversation_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

// BenchmarkFoldChunks: flat for each event in the number of events.
func BenchmarkFoldChunks(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			const piece = 50
			var e conversation.Event = conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: strings.Repeat("x", piece)}
			b.ReportAllocs()
			b.SetBytes(int64(n * piece))
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

// BenchmarkItemMemory: the bytes that an item takes besides its text.
func BenchmarkItemMemory(b *testing.B) {
	const n = 10_000
	kinds := map[string]func(i int) conversation.Event{
		"message": func(i int) conversation.Event {
			return conversation.Text{Chunk: acpclient.AgentMessageChunk, MessageID: acpclient.MessageID(strconv.Itoa(i)), Text: "x"}
		},
		"call": func(i int) conversation.Event {
			return conversation.Update{Update: &acpclient.ToolCall{ToolCallID: acpclient.ToolCallID(strconv.Itoa(i)), Title: "x", Status: acpclient.ToolCompleted}}
		},
	}
	for name, event := range kinds {
		b.Run(name, func(b *testing.B) {
			var before, after runtime.MemStats
			for b.Loop() {
				runtime.GC()
				runtime.ReadMemStats(&before)
				c := conversation.New()
				for i := range n {
					c.Apply(event(i))
				}
				runtime.GC()
				runtime.ReadMemStats(&after)
				runtime.KeepAlive(c)
			}
			b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/n, "bytes/item")
		})
	}
}

// BenchmarkFoldMessage is one message that grows by 50 bytes at a time, read
// after each as a screen does: amortised constant time.
func BenchmarkFoldMessage(b *testing.B) {
	for _, size := range []int{1 << 20, 10 << 20} {
		b.Run(fmt.Sprintf("%dMB", size>>20), func(b *testing.B) {
			const piece = 50
			var e conversation.Event = conversation.Text{Chunk: acpclient.AgentMessageChunk, MessageID: "m", Text: strings.Repeat("x", piece)}
			b.ReportAllocs()
			b.SetBytes(int64(size))
			for b.Loop() {
				c := conversation.New()
				seen := 0
				for n := 0; n < size; n += piece {
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

// BenchmarkFoldToolCalls: each is announced and completed, also while a subagent runs.
func BenchmarkFoldToolCalls(b *testing.B) {
	for _, n := range []int{1_000, 10_000, -1_000, -10_000} {
		name, begin := fmt.Sprint(n), []conversation.Event{conversation.PromptSent{}}
		if n < 0 {
			n = -n
			name = fmt.Sprint(n, "_beside_a_subagent")
			begin = append(begin, test.Up(b, `{"sessionUpdate":"subagent_update","sessionId":"k","title":"Look","state":{"state":"running"}}`))
		}
		b.Run(name, func(b *testing.B) {
			events := slices.Clone(begin)
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
				for _, e := range events {
					c.Apply(e)
				}
				c.Apply(conversation.TurnEnded{})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/call")
		})
	}
}

// BenchmarkFoldPieces adds to one call: flat for each piece in their number.
func BenchmarkFoldPieces(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c := conversation.New()
				for range n {
					c.Apply(contentChunk())
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/piece")
		})
	}
}

// benchEvents are what most lines of a stored session are, and a large one.
func benchEvents(b *testing.B) map[string]conversation.Event {
	code, _ := json.Marshal(strings.Repeat("\tfmt.Println(\"a line of code\")\n", 1<<20/66))
	return map[string]conversation.Event{
		"text":       conversation.Text{Chunk: acpclient.AgentMessageChunk, MessageID: "msg_01", Text: "a few words of an answer "},
		"text_4KB":   conversation.Text{Chunk: acpclient.AgentMessageChunk, MessageID: "msg_01", Text: strings.Repeat("a few words of an answer\n", 4096/25)},
		"output_4KB": conversation.TerminalOutput{ID: "t", Data: []byte(strings.Repeat("\x1b[32mok\x1b[0m  parley/acpclient\n", 4096/32))},
		"tool_call":  test.Up(b, compact(b, test.FullCall)),
		"diff_1MB":   test.Up(b, `{"sessionUpdate":"tool_call_update","toolCallId":"t","content":[{"type":"diff","path":"/p/main.go","oldText":`+string(code)+`,"newText":`+string(code)+`}]}`),
		"plan":       test.Up(b, test.Plan("completed", "in_progress", "pending")),
		"turn_ended": conversation.TurnEnded{Reason: acpclient.StopEndTurn, At: time.Unix(1, 5)},
		"permission": test.Permission(1, `{"toolCallId":"t","title":"Run","rawInput":{"command":"ls"}}`),
	}
}

func compact(tb testing.TB, s string) string {
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(s)); err != nil {
		tb.Fatal(err)
	}
	return b.String()
}

// BenchmarkEncode writes one event after the other into the same buffer.
func BenchmarkEncode(b *testing.B) {
	for name, e := range benchEvents(b) {
		b.Run(name, func(b *testing.B) {
			line, err := conversation.Encode(e)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			b.SetBytes(int64(len(line)))
			for b.Loop() {
				line, _ = conversation.AppendEncode(line[:0], e)
			}
		})
	}
}

// BenchmarkDecode reads a line.
func BenchmarkDecode(b *testing.B) {
	for name, e := range benchEvents(b) {
		b.Run(name, func(b *testing.B) {
			line, err := conversation.Encode(e)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			b.SetBytes(int64(len(line)))
			for b.Loop() {
				if _, err := conversation.Decode(line); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
