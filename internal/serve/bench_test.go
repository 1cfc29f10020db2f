package serve

import (
	"context"
	"fmt"
	"io"
	"testing"

	"parley/acpclient"
	v2 "parley/acpclient/v2"
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

type discard struct{ io.Writer }

func (discard) Write(b []byte) (int, error) { return len(b), nil }
func (discard) Close() error                { return nil }
