package test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test/peer"
)

// Play runs the text of a script as an agent on pipes, without a process. The peer's error
// describes where the script was not followed.
func Play(src string) *acpclient.Peer {
	s, err := peer.Parse("script", src)
	if err != nil {
		panic(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	hears, in := io.Pipe()
	out, says := io.Pipe()
	var words bytes.Buffer
	done := make(chan struct{})
	var failed error
	go func() {
		defer close(done)
		if code := s.Run(ctx, hears, says, &words); code != 0 {
			failed = fmt.Errorf("the script ended with %d: %s", code, words.String())
		}
		_ = says.Close()
		_ = hears.Close()
	}()
	return &acpclient.Peer{
		In: out, Out: in, Done: done,
		Err:    func() error { <-done; return failed },
		Stderr: func() string { return "" },
		Stop: func(context.Context) {
			stop()
			_ = in.Close()
			_ = out.Close()
			<-done
		},
	}
}

// Sessions stores a session for each prompt, with an answer, in logs that create makes. The
// agent's own ids are agents-0, agents-1 and so on.
func Sessions[L interface {
	Append(events []conversation.Event) error
	Close() error
}](t *testing.T, create func() (L, error), prompts ...string) []L {
	t.Helper()
	var logs []L
	for i, prompt := range prompts {
		l, err := create()
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Append([]conversation.Event{
			conversation.SessionOpened{ID: acpclient.SessionID(fmt.Sprint("agents-", i))},
			Sent(prompt),
			conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: "An answer to " + prompt},
		}); err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		logs = append(logs, l)
	}
	return logs
}
