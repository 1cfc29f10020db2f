package peer_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"parley/acpclient"
	"parley/internal/schema"
	"parley/internal/test"
	"parley/internal/test/peer"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// recorder is a client's handler that keeps what is said.
type recorder struct {
	mu   sync.Mutex
	text strings.Builder
}

func (r *recorder) SessionUpdate(_ context.Context, n *acpclient.SessionNotification) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c, ok := n.Update.(*acpclient.ContentChunk); ok {
		r.text.WriteString(c.Content.Text)
	}
}

func (r *recorder) RequestPermission(context.Context, *acpclient.RequestPermissionRequest) (*acpclient.RequestPermissionResponse, error) {
	return &acpclient.RequestPermissionResponse{Outcome: acpclient.PermissionSelected("yes")}, nil
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const greeting = `
handshake
expect session/prompt contains "hello"
say Good morning from ${cwd}.
request session/request_permission {
  "sessionId": "${session}",
  "toolCall": {"toolCallId": "t1", "title": "Write a.txt", "kind": "edit"},
  "options": [{"optionId": "yes", "name": "Allow", "kind": "allow_once"}]
} as permission
await permission contains "selected"
repeat 3
  update {"sessionUpdate": "agent_thought_chunk", "content": {"type": "text", "text": " ${n}"}}
end
end-turn
`

// TestScriptAgainstTheClient plays a script against parley's own client.
func TestScriptAgainstTheClient(t *testing.T) {
	toAgentR, toAgentW := io.Pipe()
	toClientR, toClientW := io.Pipe()
	var stderr bytes.Buffer
	ended := make(chan int, 1)
	script, err := peer.Parse("greeting.txt", greeting)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		ended <- script.Run(t.Context(), toAgentR, toClientW, &stderr)
		_ = toClientW.Close()
	}()
	h := &recorder{}
	validator := schema.NewValidator(schema.V1())
	c := acpclient.NewClient(acpclient.NewLines(toClientR, toAgentW), h, acpclient.ConnOptions{Tap: func(out bool, line []byte) {
		from := schema.Agent
		if out {
			from = schema.Client
		}
		if err := validator.Line(from, line); err != nil {
			t.Errorf("%v\nin %s", err, line)
		}
	}})
	if _, err := c.Initialize(t.Context(), &acpclient.InitializeRequest{}); err != nil {
		t.Fatal(err)
	}
	s, err := acpclient.Call(t.Context(), c.Conn(), acpclient.SessionNew, &acpclient.NewSessionRequest{Cwd: "/w"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Good morning from /w. 1 2 3", "Good morning from /w. 1 2 3"} { // the second is served politely
		res, err := acpclient.Call(t.Context(), c.Conn(), acpclient.SessionPrompt, &acpclient.PromptRequest{SessionID: s.SessionID, Prompt: []acpclient.ContentBlock{acpclient.TextBlock("hello")}})
		if err != nil || res.StopReason != acpclient.StopEndTurn || h.text.String() != want {
			t.Errorf("got %v, %v, %q", res, err, h.text.String())
		}
	}
	_ = toAgentW.Close()
	if code := <-ended; code != 0 || stderr.Len() > 0 {
		t.Errorf("code %d, stderr %s", code, stderr.String())
	}
	<-c.Conn().Done()
}

func TestTheProgram(t *testing.T) {
	dir := t.TempDir()
	script, log := write(t, "agent.script", "expect hello\nraw hi\nexit 7"), filepath.Join(dir, "log")
	for _, tt := range []struct {
		name, out, err string
		args           []string
		code           int
	}{
		{"without a script", "", "usage: ", nil, 2},
		{"a missing script", "", "open ", []string{filepath.Join(dir, "none")}, 2},
		{"a bad script", "", "bad.script:1: there is no step", []string{write(t, "bad.script", "dance")}, 2},
		{"a log in no directory", "", "open ", []string{script, filepath.Join(dir, "none", "log")}, 2},
		{"a script", "hi\n", "", []string{script}, 7},
		{"a script with a log", "hi\n", "", []string{script, log}, 7},
		{"the log again", "hi\n", "", []string{script, log}, 7},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out, stderr bytes.Buffer
			cmd := exec.Command(test.Scripted(t), tt.args...)
			cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(hello), &out, &stderr
			err := cmd.Run()
			if code := cmd.ProcessState.ExitCode(); code != tt.code || out.String() != tt.out || !strings.Contains(stderr.String(), tt.err) {
				t.Errorf("code %d, %v, wrote %q and %q", code, err, out.String(), stderr.String())
			}
		})
	}
	if got, err := os.ReadFile(log); err != nil || string(got) != hello+hello {
		t.Errorf("the log has %q, %v", got, err)
	}
}

const hello = `{"jsonrpc":"2.0","method":"hello"}` + "\n"

// start runs the agent as a program of its own.
func start(t *testing.T, script string) *acpclient.Process {
	t.Helper()
	p, err := acpclient.StartProcess(acpclient.Command{Path: test.Scripted(t), Args: []string{write(t, "script.txt", script)}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Stop(t.Context())
		_ = p.In.(io.Closer).Close()
	})
	return p
}

// TestMisbehaviour is what only a process can do.
func TestMisbehaviour(t *testing.T) {
	for _, tt := range []struct{ name, script, out, state string }{
		{"exit", "raw bye\nexit 7", "bye\n", "exit status 7"},
		{"killed", "raw bye\nkill-self", "bye\n", "signal: killed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := start(t, tt.script)
			out, _ := io.ReadAll(p.In)
			<-p.Done
			if got := fmt.Sprint(p.Err()); string(out) != tt.out || !strings.HasSuffix(got, tt.state) {
				t.Errorf("wrote %q and ended: %s", out, got)
			}
		})
	}
}

func TestStubbornAgentAndChild(t *testing.T) {
	p := start(t, "ignore-sigterm\nspawn-child\nraw ready\nexpect go\nraw alive\nhang")
	out := bufio.NewReader(p.In)
	if line, err := out.ReadString('\n'); line != "ready\n" {
		t.Fatal(line, err)
	}
	if err := exec.Command("kill", "-TERM", fmt.Sprint(p.Pid())).Run(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(p.Out, `{"jsonrpc":"2.0","method":"go"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	if line, err := out.ReadString('\n'); line != "alive\n" {
		t.Errorf("after SIGTERM: %q, %v", line, err)
	}
	over, stop := context.WithCancel(t.Context())
	stop() // straight to SIGKILL
	p.Stop(over)
	if got := fmt.Sprint(p.Err()); !strings.HasSuffix(got, "signal: killed") {
		t.Errorf("ended: %s", got)
	}
	// The child held stdout open, and was in the group that was killed: the
	// end of stdout is the child's.
	if rest, err := io.ReadAll(out); len(rest) > 0 || err != nil {
		t.Errorf("it still wrote %q, %v", rest, err)
	}
}
