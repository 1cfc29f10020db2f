package sessiontest

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"parley/internal/demoagent"
	"parley/internal/session"
)

// Start runs the script in the file at path as an agent on pipes, without a process.
// The peer's error describes where the script was not followed.
func Start(path string) *session.Peer {
	return play(func(ctx context.Context, in io.Reader, out, err io.Writer) int {
		return demoagent.Run(ctx, demoagent.Options{In: in, Out: out, Err: err, Script: path})
	})
}

// Play is Start for the text of a script.
func Play(src string) *session.Peer {
	s, err := demoagent.Parse("script", src)
	if err != nil {
		panic(err)
	}
	return play(s.Run)
}

func play(run func(ctx context.Context, in io.Reader, out, err io.Writer) int) *session.Peer {
	ctx, stop := context.WithCancel(context.Background())
	hears, in := io.Pipe()
	out, says := io.Pipe()
	var words bytes.Buffer
	done := make(chan struct{})
	var failed error
	go func() {
		defer close(done)
		if code := run(ctx, hears, says, &words); code != 0 {
			failed = fmt.Errorf("the script ended with %d: %s", code, words.String())
		}
		_ = says.Close()
		_ = hears.Close()
	}()
	return &session.Peer{
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
