//go:build unix

package acpclient

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// start runs the test binary as a bad agent.
func start(t *testing.T, role string) *Process {
	t.Helper()
	p, err := StartProcess(Command{Path: os.Args[0], Env: []string{agentRole + "=" + role}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Stop(ended())
		_ = p.In.(io.Closer).Close()
	})
	return p
}

// ended is a context that has ended: Stop kills at once.
func ended() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

func TestStartErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	file := write("plain", "#!/bin/sh\n", 0o600)
	tests := []struct {
		name    string
		command Command
		want    string
	}{
		{"not on PATH", Command{Path: "no-such-agent-anywhere"}, "no-such-agent-anywhere is not installed, or not on PATH"},
		{"no such file", Command{Path: filepath.Join(dir, "none")}, "no such program " + filepath.Join(dir, "none")},
		{"not executable", Command{Path: file}, "is not executable"},
		{"a directory", Command{Path: dir}, "is not executable"},
		{"no interpreter", Command{Path: write("script", "#!/no/such/interpreter\n", 0o700)}, "its interpreter is missing"},
		{"no program at all", Command{Path: write("garbage", "\x7fnonsense", 0o700)}, "cannot start"},
		{"no such directory", Command{Path: os.Args[0], Dir: filepath.Join(dir, "none")}, "in " + filepath.Join(dir, "none")},
		{"directory that is a file", Command{Path: os.Args[0], Dir: file}, "cannot enter that directory"},
		{"nothing", Command{}, "cannot start"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := StartProcess(tt.command)
			var start *StartError
			if !errors.As(err, &start) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, %v; want %q in it", p, err, tt.want)
			}
		})
	}
}

func TestExitAtOnce(t *testing.T) {
	p := start(t, "exit at once")
	c := NewClient(NewLines(p.In, p.Out), &listener{}, ConnOptions{})
	if _, err := c.Initialize(context.Background(), &InitializeRequest{}); !errors.Is(err, ErrClosed) {
		t.Errorf("initialize: %v", err)
	}
	<-p.Done
	<-c.Conn().Done()
	var exit *ExitError
	if !errors.As(p.Err(), &exit) || exit.State.ExitCode() != 3 || exit.Stderr != "no API key\n" {
		t.Errorf("%#v", p.Err())
	}
	if msg := p.Err().Error(); !strings.Contains(msg, "ended: exit status 3") {
		t.Errorf("%s", msg)
	}
	p.Stop(context.Background()) // no harm afterwards
}

// An agent that never answers can be given up, and is stopped by closing its
// stdin.
func TestSilentAgent(t *testing.T) {
	p := start(t, "silent")
	c := NewClient(NewLines(p.In, p.Out), &listener{}, ConnOptions{})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		_, err := c.Initialize(ctx, &InitializeRequest{})
		done <- err
	}()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if p.Err() != nil {
		t.Errorf("it has ended: %v", p.Err())
	}
	p.Stop(context.Background())
	<-c.Conn().Done()
}

func TestClosedStdout(t *testing.T) {
	p := start(t, "closes stdout")
	c := NewClient(NewLines(p.In, p.Out), &listener{}, ConnOptions{})
	<-c.Conn().Done()
	if c.Conn().Err() != ErrClosed || p.Err() != nil {
		t.Errorf("%v, %v: want the connection closed and the agent alive", c.Conn().Err(), p.Err())
	}
}

// readPid reads the id of a process that an agent prints.
func readPid(t *testing.T, r io.Reader) int {
	t.Helper()
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	id, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// alive reports whether a process runs; one that is dead and not yet reaped by
// its parent does not.
func alive(id int) bool {
	if syscall.Kill(id, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(id) + "/stat")
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

func TestChildThatHoldsStdout(t *testing.T) {
	p := start(t, "leaves a child")
	child := readPid(t, p.In)
	<-p.Done
	if rest, err := io.ReadAll(p.In); err != nil || len(rest) > 0 {
		t.Errorf("%q, %v", rest, err)
	}
	if alive(child) {
		t.Error("the child is still alive")
	}
}

func TestStopEndsTheTree(t *testing.T) {
	p := start(t, "leaves a child in a session of its own")
	child := readPid(t, p.In)
	if !alive(child) {
		t.Fatal("the child is not there")
	}
	p.Stop(context.Background())
	if alive(child) && runtime.GOOS == "linux" { // only there are other sessions seen
		t.Error("the child is still alive")
	}
}

func TestStopEscalates(t *testing.T) {
	tests := []struct {
		role, want, last string
		ctx              context.Context
	}{
		{"ends on SIGTERM", "exit status 0", "terminated\n", context.Background()},
		{"ignores everything", "signal: killed", "", ended()},
		{"ignores everything", "signal: killed", "", context.Background()},
	}
	for _, tt := range tests {
		t.Run(tt.role, func(t *testing.T) {
			p := start(t, tt.role)
			out := bufio.NewReader(p.In)
			if line, err := out.ReadString('\n'); line != "ready\n" {
				t.Fatalf("%q, %v", line, err)
			}
			p.termGrace = linger // it ends, and may take its time for that
			if tt.last == "" {
				p.termGrace = time.Millisecond // nothing comes of waiting
			}
			go p.Stop(tt.ctx) // two at once are one
			p.Stop(tt.ctx)
			if got := p.Err().(*ExitError).State.String(); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
			if rest, err := io.ReadAll(out); string(rest) != tt.last || err != nil {
				t.Errorf("last it said %q, %v", rest, err)
			}
		})
	}
}

// A write that an agent never takes holds up neither Close nor Stop.
func TestStopWithABlockedWrite(t *testing.T) {
	p := start(t, "ignores everything")
	c := NewClient(NewLines(p.In, p.Out), &listener{}, ConnOptions{})
	failed := make(chan error, 1)
	Go(c.Conn(), SessionPrompt, &PromptRequest{Prompt: List[ContentBlock]{TextBlock(strings.Repeat("x", 1<<20))}}, func(_ *PromptResponse, err error) { failed <- err })
	p.Stop(ended())
	if err := <-failed; !errors.Is(err, ErrClosed) {
		t.Errorf("%v", err)
	}
	<-c.Conn().Done()
}

// What an agent wrote before it died is read, also long after, and half a line
// is noise.
func TestLastWords(t *testing.T) {
	for role, want := range map[string]int{"last words": 400, "half a line": 1} {
		t.Run(role, func(t *testing.T) {
			p := start(t, role)
			<-p.Done
			l := &listener{}
			noise := 0
			c := NewClient(NewLines(p.In, p.Out), l, ConnOptions{Noise: func([]byte) { noise++ }})
			<-c.Conn().Done()
			if len(l.updates) != want || c.Conn().Err() != ErrClosed {
				t.Errorf("%d updates, want %d; %v", len(l.updates), want, c.Conn().Err())
			}
			if wantNoise := 1 - want/400; noise != wantNoise {
				t.Errorf("%d lines of noise, want %d", noise, wantNoise)
			}
		})
	}
}

func TestStderrTail(t *testing.T) {
	p := start(t, "floods stderr")
	<-p.Done
	got := p.Stderr()
	if !strings.HasSuffix(got, "the very end") || len(got) > stderrTail {
		t.Errorf("%d bytes, the last %q", len(got), got[max(0, len(got)-40):])
	}
}

// Who watches stderr gets all of it, in order, also what the tail does not keep.
func TestStderrIsWatched(t *testing.T) {
	var seen bytes.Buffer
	p, err := StartProcess(Command{Path: os.Args[0], Env: []string{agentRole + "=floods stderr"}, Stderr: &seen})
	if err != nil {
		t.Fatal(err)
	}
	<-p.Done
	_ = p.In.(io.Closer).Close()
	if !strings.HasSuffix(seen.String(), p.Stderr()) || seen.Len() <= stderrTail {
		t.Errorf("%d bytes were seen", seen.Len())
	}
}
