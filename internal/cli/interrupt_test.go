//go:build unix

package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"parley/internal/headless"
)

// An interrupt ends what waits for a prompt, whoever holds the other end of the pipe.
func TestWaitingForAPromptCanBeInterrupted(t *testing.T) {
	isolate(t, "")
	in, held := io.Pipe()
	defer held.Close()
	ctx, interrupt := context.WithCancel(t.Context())
	reads := make(chan struct{})
	var said strings.Builder
	s := &streams{In: &watchedReader{in, reads}, Out: io.Discard, Err: &said}
	code := make(chan int)
	go func() { code <- run(ctx, s, []string{"run", "-a", "tour"}) }()
	<-reads
	interrupt()
	if got := <-code; got != headless.Cancelled.ExitCode() || !strings.HasPrefix(said.String(), "parley: interrupted") {
		t.Errorf("exit code %d, said %q", got, said.String())
	}
}

// watchedReader tells when it is read from for the first time.
type watchedReader struct {
	io.Reader
	reads chan struct{}
}

func (w *watchedReader) Read(p []byte) (int, error) {
	close(w.reads) // a second read would follow what was read, and that is nothing
	return w.Reader.Read(p)
}

// What was asked to end before it had begun begins nothing.
func TestAnInterruptBeforeTheSessionStartsNoAgent(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		code int
	}{
		"without a screen": {[]string{"run", "hello"}, headless.Cancelled.ExitCode()},
		"in lines":         {[]string{"--plain"}, exitError},
	} {
		t.Run(name, func(t *testing.T) {
			isolate(t, "")
			ctx, interrupt := context.WithCancel(t.Context())
			interrupt()
			s, said := terminal()
			code := run(ctx, s, append(c.args, "--", "/bin/sh", "-c", "echo > started"))
			if code != c.code || !strings.HasPrefix(said.String(), "parley: interrupted") {
				t.Errorf("exit code %d, said %q", code, said)
			}
			if _, err := os.Stat("started"); err == nil {
				t.Error("the agent was started")
			}
		})
	}
}

// A command that a signal ends says so in words of its own.
func TestAnInterruptIsToldInWords(t *testing.T) {
	var said strings.Builder
	code := tell(&said, &failure{fmt.Errorf("send to 4f2c: %w", context.Canceled), exitUsage})
	if want := "parley: send to 4f2c: interrupted\n"; said.String() != want || code != exitUsage {
		t.Errorf("exit code %d, said %q, want %q", code, said.String(), want)
	}
}
