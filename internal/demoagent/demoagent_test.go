package demoagent

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
)

// asAgent in the environment makes the test binary the agent, as the command
// line would.
const asAgent = "PARLEY_TEST_DEMO_AGENT"

func TestMain(m *testing.M) {
	if script, ok := os.LookupEnv(asAgent); ok {
		os.Exit(Run(context.Background(), Options{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Script: script}))
	}
	goleak.VerifyTestMain(m)
}

// recorder is a client's handler that keeps what is said.
type recorder struct {
	acpclient.UnimplementedHandler
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

// TestScriptAgainstTheClient plays a script against parley's own client, and
// has the log hold all that it sent.
func TestScriptAgainstTheClient(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	toAgentR, toAgentW := io.Pipe()
	toClientR, toClientW := io.Pipe()
	var stderr bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- Run(t.Context(), Options{In: toAgentR, Out: toClientW, Err: &stderr, Script: write(t, "greeting.txt", greeting), Log: log})
		_ = toClientW.Close()
	}()
	h := &recorder{}
	validator := schema.NewValidator(schema.V1())
	var mu sync.Mutex
	var sent bytes.Buffer
	c := acpclient.NewClient(acpclient.NewLines(toClientR, toAgentW), h, acpclient.ConnOptions{Tap: func(out bool, line []byte) {
		from := schema.Agent
		if out {
			from = schema.Client
			mu.Lock()
			sent.Write(append(bytes.Clone(line), '\n'))
			mu.Unlock()
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
	got, err := os.ReadFile(log)
	if err != nil || string(got) != sent.String() {
		t.Errorf("the log has %q, %v\nwant %q", got, err, sent.String())
	}
}

func TestRunRefuses(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		opt        Options
	}{
		{"a missing script", "read the script: open ", Options{Script: filepath.Join(t.TempDir(), "none")}},
		{"a bad script", "bad.txt:1: there is no step", Options{Script: write(t, "bad.txt", "dance")}},
		{"a log in no directory", "parley demo-agent: open the log: ", Options{Log: filepath.Join(t.TempDir(), "none", "log")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var stderr bytes.Buffer
			tt.opt.In, tt.opt.Out, tt.opt.Err = strings.NewReader(""), io.Discard, &stderr
			if code := Run(t.Context(), tt.opt); code != 2 || !strings.HasPrefix(stderr.String(), tt.want) {
				t.Errorf("code %d, stderr %s", code, stderr.String())
			}
		})
	}
}

func TestTourIsWhatRunsWithoutAScript(t *testing.T) {
	t.Setenv("PARLEY_DEMO_SPEED", "0")
	in := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}` + "\n"
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ended := make(chan int, 1)
	go func() { ended <- Run(t.Context(), Options{In: inR, Out: outW, Err: io.Discard}) }()
	if _, err := io.WriteString(inW, in); err != nil {
		t.Fatal(err)
	}
	answer := make([]byte, 1000)
	n, err := outR.Read(answer)
	if err != nil || !strings.Contains(string(answer[:n]), `"name":"parley-tour"`) {
		t.Errorf("got %s, %v", answer[:n], err)
	}
	_ = inW.Close()
	if code := <-ended; code != 0 {
		t.Errorf("code %d", code)
	}
	if err := WriteSample(t.TempDir()); err != nil {
		t.Error(err)
	}
	if signInFlag == "" {
		t.Error("there is no flag to sign in with")
	}
}

// start runs the agent as a program of its own.
func start(t *testing.T, script string) *acpclient.Process {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p, err := acpclient.StartProcess(acpclient.Command{Path: exe, Env: []string{asAgent + "=" + write(t, "script.txt", script)}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Stop(t.Context())
		_ = p.Stdout.Close()
	})
	return p
}

// TestMisbehaviour is what only a process can do.
func TestMisbehaviour(t *testing.T) {
	for _, tt := range []struct{ name, script, out, state string }{
		{"exit", "raw bye\nexit 7", "bye\n", "exit status 7"},
		{"killed", "raw bye\nkill-self", "bye\n", "signal: killed"},
		{"closes stdout and goes on", "raw bye\nclose-stdout\nstderr still here\nexit 4", "bye\n", "exit status 4"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := start(t, tt.script)
			out, _ := io.ReadAll(p.Stdout)
			<-p.Done()
			if got := fmt.Sprint(p.Err()); string(out) != tt.out || !strings.HasSuffix(got, tt.state) {
				t.Errorf("wrote %q and ended: %s", out, got)
			}
		})
	}
}

func TestStubbornAgentAndChild(t *testing.T) {
	p := start(t, "ignore-sigterm\nspawn-child\nraw ready\nexpect go\nraw alive\nhang")
	out := bufio.NewReader(p.Stdout)
	if line, err := out.ReadString('\n'); line != "ready\n" {
		t.Fatal(line, err)
	}
	if err := exec.Command("kill", "-TERM", fmt.Sprint(p.Pid())).Run(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(p.Stdin, `{"jsonrpc":"2.0","method":"go"}`+"\n"); err != nil {
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
