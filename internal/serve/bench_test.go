package serve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"parley/acpclient"
	v2 "parley/acpclient/v2"
	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/session"
)

// quiet is a session in which nothing happens by itself.
type quiet struct{ app.Session }

func (quiet) About() app.About                 { return app.About{Cwd: "/w"} }
func (quiet) Stream() *session.Stream          { return session.NewStream() }
func (quiet) Past() *conversation.Conversation { return conversation.New() }

// A batch of text costs the same however much was said before it.
func BenchmarkUpdate(b *testing.B) {
	for _, turns := range []int{100, 1000} {
		b.Run(fmt.Sprintf("after %d turns", turns), func(b *testing.B) {
			in, out := io.Pipe()
			s := &server{ctx: context.Background(), client: &acpclient.InitializeRequest{}}
			s.conn = v2.Serve(acpclient.NewLines(in, discard{}), s, acpclient.ConnOptions{})
			defer func() {
				_ = out.Close()
				<-s.conn.Done()
			}()
			one := newServed(s, "s", app.Spec{}, &app.Opened{Session: quiet{}, Runs: true})
			one.view.open = true
			for i := range turns {
				one.apply(conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("hello")}})
				one.apply(conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: "good morning"})
				one.apply(conversation.Update{Update: &acpclient.ToolCall{ToolCallID: acpclient.ToolCallID(fmt.Sprint(i)), Title: "a call", Status: acpclient.ToolCompleted}})
				one.apply(conversation.TurnEnded{Reason: acpclient.StopEndTurn})
			}
			one.look()
			one.apply(conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("hello")}})
			b.ReportAllocs()
			for b.Loop() {
				one.apply(conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: "some words "})
				one.look()
				_ = s.conn.Flush(context.Background())
			}
		})
	}
}

// flooding is an agent that answers each prompt with the same lines.
func flooding(lines []byte) (*acpclient.Peer, error) {
	hears, in := io.Pipe()
	out, says := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer says.Close()
		defer hears.Close()
		for line := bufio.NewScanner(hears); line.Scan(); {
			var m struct {
				ID     json.RawMessage
				Method string
			}
			if json.Unmarshal(line.Bytes(), &m) != nil || m.ID == nil {
				continue
			}
			result := `{"sessionId":"s"}`
			switch m.Method {
			case acpclient.Initialize.Name:
				result = `{"protocolVersion":1}`
			case acpclient.SessionPrompt.Name:
				_, _ = says.Write(lines)
				result = `{"stopReason":"end_turn"}`
			}
			_, _ = fmt.Fprintf(says, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result)
		}
	}()
	return &acpclient.Peer{
		In: out, Out: in, Done: done, Err: func() error { return nil }, Stderr: func() string { return "" },
		Stop: func(context.Context) { _, _ = in.Close(), out.Close(); <-done },
	}, nil
}

// A flood costs the client behind serve what it costs in the session, its host and serve together, per update the
// same however long it is.
func BenchmarkFlood(b *testing.B) {
	const text = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"%s"}}}}` + "\n"
	const call = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"%s","toolCallId":"t%d","title":"Edit","status":"%s","content":[{"type":"diff","path":"/a","oldText":"%[4]s","newText":"%[4]sx"}]}}}` + "\n"
	for _, n := range []int{2_000, 20_000} {
		var texts, calls bytes.Buffer
		for i := range n {
			fmt.Fprintf(&texts, text, strings.Repeat("x", 50))
			if kind, status := "tool_call", "in_progress"; i%20 == 0 {
				fmt.Fprintf(&calls, call, kind, i, status, "")
				fmt.Fprintf(&calls, call, "tool_call_update", i, "completed", strings.Repeat(`a line\n`, 100))
			}
		}
		for name, lines := range map[string][]byte{"text": texts.Bytes(), "calls": calls.Bytes()} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				s := newStage(b, "handshake\n")
				s.opt.Spawn = func(acpclient.Command) (*acpclient.Peer, error) { return flooding(lines) }
				in, client := io.Pipe()
				answers, out := io.Pipe()
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					Run(context.Background(), in, out, Options{Backend: s.backend(), Agent: &config.Agent{ID: "agent"}, Hello: func(context.Context, config.Agent) (conversation.AgentState, error) {
						return conversation.AgentState{}, nil
					}})
				}()
				defer func() {
					_, _ = client.Close(), out.Close()
					<-ended
				}()
				r := bufio.NewReaderSize(answers, 64<<10)
				ask := func(method string, params any) (size int) {
					raw, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
					_, _ = client.Write(append(raw, '\n'))
					for {
						part, err := r.ReadSlice('\n')
						if size += len(part); bytes.HasPrefix(part, []byte(`{"jsonrpc":"2.0","id":1,`)) {
							return size
						} else if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
							b.Fatal(err)
						}
					}
				}
				ask(acpclient.Initialize.Name, map[string]any{"protocolVersion": 1})
				id := acpclient.SessionID("host")
				ask(acpclient.SessionNew.Name, map[string]any{"cwd": s.opt.Cwd, "mcpServers": []any{}})
				b.SetBytes(int64(len(lines)))
				b.ReportAllocs()
				size := 0
				for b.Loop() {
					size = ask(acpclient.SessionPrompt.Name, &acpclient.PromptRequest{SessionID: id, Prompt: []acpclient.ContentBlock{acpclient.TextBlock("go")}})
				}
				b.ReportMetric(float64(size), "sent-B")
			})
		}
	}
}

type discard struct{ io.Writer }

func (discard) Write(b []byte) (int, error) { return len(b), nil }
func (discard) Close() error                { return nil }
